"""Tic-tac-toe, small enough to know everything about: rules, tables, methods.

Data runs one way: `rules` → `game` (tables) → `policy` → `evaluation` → `plots`.
"""
