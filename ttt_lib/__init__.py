"""Reinforcement learning through tic-tac-toe: the library of *Three in a Row*.

In reading order; a module imports only from those above it:

    compiled, validation  compiled loops; checks of arguments
    files, theme          writing files; colours and sizes
    rules, notation       the rules on arrays of cells; boards as text
    game                  all positions, as tables
    policy, schedules     policies as probabilities; step sizes that change
    mdp                   the decision problem against a fixed opponent
    planning, search      dynamic programming; minimax and alpha-beta
    evaluation, sampling  exact scores; sampled games and intervals
    learning, menace      tabular learners; matchboxes
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
