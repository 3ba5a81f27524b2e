"""The console program `ttt`: play, train, solve, keep, compare.

`cli` runs a command line; each of its commands is a module in `commands`, which holds
the options and says which worker does the work:

- `scores`: who somebody is, and what it is worth, alone and against others
- `training` and `solving`: how somebody comes to play
- `sitting`: games with a person
- `history`: a picture of how somebody has learned
- `keeping`: files of agents

Workers find out, then tell: what they tell goes through a `screen`, and that through
what a `terminal` can take. What several commands take stands in `options`.
"""
