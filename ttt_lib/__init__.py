"""Tic-tac-toe, small enough to know everything about: the rules, the tables, the methods.

Data runs one way: `rules` → `game` (tables) → `policy` → `evaluation` → `plots`.
"""
