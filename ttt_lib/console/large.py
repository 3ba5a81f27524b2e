"""A sitting on a board too big for tables: a position is looked at when it is asked.

A position is here its base-3 code, as in `bigger.exact`, and the fields of the Game are
not arrays but answer to an index in the same way.
"""

from functools import cache

import numpy as np

from ttt_lib import policy, rules
from ttt_lib.agents import Agent
from ttt_lib.bigger import exact, uct
from ttt_lib.console.sitting import Sitting
from ttt_lib.console.solving import count_down
from ttt_lib.doors import MOST_CELLS, demand
from ttt_lib.game import Game

PLAYS = ("random", "perfect", "teacher", "uct", "person")  # without any table


class Field:
    """What looks like an array by position, and computes a row when it is asked."""

    def __init__(self, row):
        self.row = cache(row)

    def __getitem__(self, index):
        """Return the row of position s, or of (s, a) what it has for cell a."""
        if isinstance(index, tuple):
            s, a = index
            return self.row(int(s))[a]
        return self.row(int(index))


def computed(rows, columns, k):
    """Return the Game of a board whose positions nobody lists.

    What is about all positions at once, `successor` and the like, is None.
    Raises ValueError if k fits nowhere, or if a board has no code.
    """
    lines = rules.lines(rows, columns, k)
    cells = rows * columns
    demand(
        cells <= MOST_CELLS,
        f"{rows} × {columns} are {cells} cells: give up to {MOST_CELLS}",
    )
    powers = 3 ** np.arange(cells, dtype=np.int64)

    def board(s):
        digits = s // powers % 3
        return np.where(digits == 2, -1, digits)

    marks = Field(board)
    to_move = Field(lambda s: int(rules.side_to_move(marks[s])))
    return Game(
        rows=rows,
        columns=columns,
        k=k,
        lines=lines,
        board=marks,
        code=None,
        to_move=to_move,
        legal=Field(lambda s: rules.legal(marks[s], lines)),
        next=Field(lambda s: s + to_move[s] % 3 * powers),  # −1 becomes 2
        terminal=Field(lambda s: bool(rules.finished(marks[s], lines))),
        outcome=Field(lambda s: int(rules.winner(marks[s], lines))),
        count=None,
        action=None,
        successor=None,
    )


def perfect_values(game):
    """Return the values (A,) of the moves of each position for who moves, as a Field.

    The board is solved when it is first asked, and says so. Illegal moves have 0.
    Of a board that takes more memory than `exact.MOST_BYTES` it is None.
    """
    if 3 ** (game.rows * game.columns) > exact.MOST_BYTES:
        return None
    solved = cache(lambda: count_down((game.rows, game.columns, game.k))[0])

    def row(s):
        after = exact.values_after(solved(), s).astype(float)
        return np.where(game.legal[s], game.to_move[s] * after, 0.0)

    return Field(row)


def opponent(game, name, rng, Q):
    """Return the Agent that a Name stands for; Q: see `perfect_values`.

    Raises ValueError if whoever is named needs a table, or a solution there is not.
    """
    demand(
        name.kind in PLAYS,
        f"{name.typed} has a table for every position of a smaller board: here play "
        "random, perfect, teacher:P, uct:N or person",
    )
    demand(
        Q is not None or name.kind not in ("perfect", "teacher"),
        f"{name.typed} knows the value of every position, and this board is too big "
        "to be solved here: play random, uct:N or person",
    )
    if name.kind == "person":
        return Agent(name.typed)
    values = Q if name.kind in ("perfect", "teacher") else None
    if values is not None:
        values[0]  # to solve takes a while: before the game begins

    def chances(s):
        legal = game.legal[s]
        if name.kind == "uct":
            luck = rng.spawn(1)[0]
            tree = uct.search(game.board[s], int(name.what), luck, lines=game.lines)
            return np.eye(len(legal))[uct.move(tree)]
        random = legal / legal.sum()
        if name.kind == "random":
            return random
        best = policy.greedy(Q[s][np.newaxis], legal[np.newaxis], name.ties)[0]
        return name.level * best + (1 - name.level) * random

    return Agent(name.typed, policy=Field(chances), Q=values)


class LargeSitting(Sitting):
    """Games on a `computed` board; Q is what its moves are worth, or None."""

    def __init__(self, game, opponent, screen, rng, manner, Q):
        super().__init__(game, opponent, screen, rng, manner)
        self.Q = Q

    def hint(self, s, side):
        """Say what perfect play would do here, if anybody knows."""
        if self.Q is None:
            self.screen.say("This board is too big to be solved here: no hint.")
        else:
            self.hint_perfect(self.Q[s], self.game.legal[s])

    def chances(self, s):
        """Return the probabilities (A,) by which the opponent moves in position s."""
        legal, epsilon = self.game.legal[s], self.manner.epsilon or 0.0
        random = legal / legal.sum()
        return epsilon * random + (1 - epsilon) * self.opponent.policy[s]
