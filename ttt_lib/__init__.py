"""Tic-tac-toe, small enough to know everything about: the library of the book.

In reading order, each made of those above it:

    compiled, validation  compiled loops; checks of arguments
    files, theme          writing files; colours and sizes
    rules, notation       the rules on arrays of cells; boards as text
    game                  all positions, as tables
    policy, schedules     policies as probabilities; step sizes that fade
    mdp                   the decision problem against a fixed opponent
    planning, search      exact solutions, against a fixed opponent and a perfect one
    evaluation, sampling  exact scores; sampled games and intervals
    learning, menace      tables and matchboxes that learn from games
    large_boards          boards that are too large for tables
    approximation         values and policies from features
    studies               stored results of long experiments
    agents                players by name, and agent files
    plots, experiments    figures; every setting with every seed
    envs                  environments for other libraries
    board                 the playable board and the labs
    check                 checks of the assignments
    console               the program `ttt`
"""

__version__ = "0.2.0"
