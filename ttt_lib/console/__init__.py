"""The console program `ttt`: play, train, solve, save and compare agents.

`cli` runs a command line. Each command is a module of its name, with its options, its
computation and its output. They share `options`; `screen`, which adapts output to the
terminal; and `saving`, which never replaces a file by accident. `large_board` is used
by `play` and `solve`, `contest_page` by `contest`.
"""
