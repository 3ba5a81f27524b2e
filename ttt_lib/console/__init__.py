"""The console program `ttt`: play, train, solve, keep, compare."""
