"""Boards and methods beyond the table."""
