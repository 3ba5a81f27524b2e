"""Tic-tac-toe, small enough to know everything about: the library of the book.

In reading order, each made of those above it:

    compiled, doors    loops in machine code; where people arrive
    rules              the rules on arrays of cells
    game               every position, unrolled once into tables
    policy, schedules  players as probabilities; numbers that fade
    mdp                the decision problem that is left when the opponent is fixed
    planning, search   exact solutions, against a known opponent and a perfect one
    evaluation         exact scores
    learning, menace   tables and matchboxes that learn from games
    bigger             boards too big for tables
    agents             who plays, by name; what is kept of them in files
    studies            the results of long experiments
    look               colours, sizes and times of all that people see
    plots, runs        pictures; many runs of one experiment
    envs               the game for learners of other libraries
    board              the board that a person clicks
    check              the checks of the assignments
    console            the program `ttt`
"""

__version__ = "0.2.0"
