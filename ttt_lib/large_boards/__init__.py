"""Boards too big for tables: exact values, counts of positions and games, and UCT."""
