"""The console program `ttt`: play, train, solve, keep, compare.

`cli` runs a command line. Each command is a module of its name: its options, what it
finds out, and what it tells. They share `options`, a `screen` that writes what a
terminal can take, and `saving`, which replaces no file by accident; `large_board` is
for `play` and `solve`, `contest_page` for `contest`.
"""
