"""Boards: who won, which boards are the same, how many games, what can occur.

It is long because all questions of a topic are in one file, where a teacher adds more.
"""

import numpy as np

from assignments.questions.boundaries import (
    EACH_BOARD,
    EACH_END,
    EACH_NUMBER,
    FINISHED,
    LATE,
    NAMES,
    TWO_LINES,
    Boundary,
    ahead,
    boards_at,
    marks,
    owned,
    owns,
)
from assignments.questions.chance import random_boards
from assignments.questions.question import (
    Mistake,
    Question,
    cases,
    cells,
    mistake,
    mutate,
)
from ttt_lib.check.judge import Case
from ttt_lib.game import symmetries, symmetry_class, tables

LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
LINES += [[0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]


def winner(board):
    """Return the player who owns a line of a board, +1 or −1, or 0 if none does."""
    for i, j, k in LINES:
        if board[i] == board[j] == board[k] != 0:
            return int(board[i])
    return 0


def draw_winner(rng):
    """Yield boards with each of the eight lines, of both players, and with none."""
    game = tables()
    owned_lines = np.abs(game.board[:, game.lines].sum(axis=2)) == 3  # (S, 8)
    lines, full = owned_lines.sum(axis=1), (game.board != 0).all(axis=1)
    for number, line in enumerate(game.lines.tolist()):
        kind = "a row" if line[1] == line[0] + 1 else "a column"
        if line in ([0, 4, 8], [2, 4, 6]):
            kind = f"the diagonal from cell {line[0]} to cell {line[2]}"
        only = owned_lines[:, number] & (lines == 1)
        for player in (+1, -1):
            found = np.flatnonzero(only & (game.outcome == player))
            yield from random_boards(rng, found, 2, kind, line == [2, 4, 6])
    blank = (game.board[:, game.lines] == 0).all(axis=2)
    for number in np.flatnonzero(blank[game.outcome != 0].any(axis=0)):
        found = np.flatnonzero(blank[:, number] & (game.outcome != 0))
        yield from random_boards(rng, found, 1, "a line beside an empty one")
    yield from random_boards(rng, np.flatnonzero(lines == 2), 3, "two lines at once")
    second = game.lines.tolist().index([2, 4, 6])
    found = np.flatnonzero(full & (lines == 1) & ~owned_lines[:, second])
    yield from random_boards(rng, found, 3, "a line with the last cell")
    for a, b in ((0, 8), (2, 6), (0, 2), (6, 8), (0, 6), (2, 8)):
        alike = (game.board[:, a] == game.board[:, b]) & (game.board[:, a] != 0)
        between = game.board[:, (a + b) // 2] != 0
        found = np.flatnonzero(alike & between & (lines == 0))
        yield from random_boards(rng, found, 2, f"no line, but cells {a} and {b} alike")
    for few, most in ((0, 4), (5, 7), (8, 9)):
        count = marks(game.board)
        no_line = (game.outcome == 0) & (count >= few) & (count <= most)
        yield from random_boards(rng, np.flatnonzero(no_line), 3, "no line")
    other = game.board[~owned_lines[:, second]]
    yield from boards_at(rng, other, EACH_END | EACH_NUMBER)


WINNER = Question(
    answer=winner,
    cases=cases(
        ("a row", cells("XXX/OO./...")),
        ("a column", cells("XO./XO./.OX")),
        ("the diagonal from cell 0 to cell 8", cells("XO./.XO/..X")),
        ("the diagonal from cell 2 to cell 6*", cells("X.O/XO./OX.")),
        ("no line", cells("XOX/XOO/OXX")),
        ("no line", cells("XX./..O/..O")),
    ),
    draw=draw_winner,
    boundaries=EACH_BOARD | {"two lines at once": TWO_LINES},
    mistakes=(
        mistake(
            "anti-diagonal forgotten",
            "One line is missing. A board has two diagonals: 0, 4, 8 and 2, 4, 6.",
            ("LINES", "LINES[:-1]"),
        ),
        mistake(
            "diagonals forgotten",
            "Rows and columns are right. Now add the two diagonals.",
            ("LINES", "LINES[:-2]"),
        ),
        mistake(
            "rows only",
            "Rows are right. There are three columns and two diagonals too.",
            ("LINES", "LINES[:3]"),
        ),
        mistake(
            "an empty line counts",
            "Three empty cells are equal, too: also check that they are not 0.",
            (" != 0", ""),
        ),
        mistake(
            "sign forgotten",
            "Who won? A line of the second player is −1, not +1.",
            ("int(board[i])", "1"),
        ),
        mistake(
            "second player forgotten",
            "You find the lines of the first player only: −1 can own a line too.",
            ("int(board[i])", "max(int(board[i]), 0)"),
        ),
        mistake(
            "sign reversed",
            "The signs are exchanged: +1 is the first player, −1 the second.",
            ("int(board[i])", "-int(board[i])"),
        ),
        mistake(
            "sum of the line",
            "A line sums to +3 or −3; return the player who owns it: +1 or −1.",
            ("int(board[i])", "3 * int(board[i])"),
        ),
        mistake(
            "any three neighbours in the list",
            "Three neighbours in the list need not be a row of the board: cells 2, 3 "
            "and 4 are not a line.",
            ("LINES", "[[i, i + 1, i + 2] for i in range(7)]"),
        ),
        mistake(
            "always 0",
            "Your function returns 0 for every board, so far.",
            ("int(board[i])", "0"),
        ),
        mistake(
            "always +1",
            "Your function returns +1 for every board.",
            ("int(board[i])", "1"),
            ("return 0", "return 1"),
        ),
    ),
    hint="Write down the eight lines as lists of cells, and for each ask whether one "
    "player owns all three.",
)


def class_size(board):
    """Return the number of different boards among the eight images of a board."""
    grid = np.reshape(board, (3, 3))
    views = [np.rot90(view, k) for view in (grid, grid.T) for k in range(4)]
    return len({tuple(view.ravel().tolist()) for view in views})


MAPS = (
    "half a turn",
    "a vertical mirror",
    "a horizontal mirror",
    "one diagonal",
    "the other",
)


def draw_class_size(rng):
    """Yield boards with eight, four, two and one different images."""
    game = tables()
    size = np.bincount(symmetry_class(game))[symmetry_class(game)]
    for n in range(2, 9):
        eight = np.flatnonzero((size == 8) & (marks(game.board) == n))
        yield from random_boards(rng, eight, 2, f"eight different images, {n} marks")
    same = [  # boards that are unchanged by a map, for each map that is its own inverse
        (game.board == game.board[:, map_]).all(axis=1)
        for map_ in symmetries(3, 3)[1:]
        if (map_[map_] == np.arange(9)).all()
    ]
    for name, symmetric in zip(MAPS, same, strict=True):
        found = np.flatnonzero(symmetric & (size == 4))
        yield from random_boards(rng, found, 3, f"four different images, by {name}")
    few = "one or two different images"
    yield from random_boards(rng, np.flatnonzero(size == 2), 4, few, half_credit=True)
    yield from random_boards(rng, np.flatnonzero(size == 1), 2, few, half_credit=True)
    yield from boards_at(rng, game.board, EACH_END | EACH_NUMBER | ONE_MARK)


def _size(number):
    return Boundary(lambda it: class_size(it.board) == number)


def _one_mark(cells):
    return Boundary(
        lambda it: (
            (marks(it.board) == 1) & (np.asarray(it.board)[..., cells] != 0).any(-1)
        )
    )


ONE_MARK = {
    "one mark, in the centre": _one_mark([4]),
    "one mark, in a corner": _one_mark([0, 2, 6, 8]),
    "one mark, on an edge": _one_mark([1, 3, 5, 7]),
}


CLASS_SIZE = Question(
    answer=class_size,
    cases=cases(
        ("eight different images, 2 marks", cells("XO./.../...")),
        ("four different images, by one diagonal", cells("X../.../...")),
        ("four different images, by a vertical mirror", cells(".X./.../...")),
        ("eight different images, 3 marks", cells("XO./.X./...")),
        ("one or two different images*", cells("X../.O./..X")),
    ),
    draw=draw_class_size,
    boundaries=EACH_END
    | EACH_NUMBER
    | ONE_MARK
    | {f"{number} different images": _size(number) for number in (1, 2, 4, 8)},
    mistakes=(
        mistake(
            "turns only",
            "You have the four turns. Each of them has a mirror image, too.",
            ("(grid, grid.T)", "(grid,)"),
        ),
        mistake(
            "mirrors only",
            "You have mirrors, but not all four turns: use both, one after the other.",
            (
                "[np.rot90(view, k) for view in (grid, grid.T) for k in range(4)]",
                "[grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]",
            ),
        ),
        mistake(
            "images not compared",
            "There are always eight images, but some may be equal: count each board "
            "once.",
            ("{tuple(view.ravel().tolist()) for view in views}", "views"),
        ),
        mistake(
            "the board itself not counted",
            "The board itself belongs to its class too.",
            ("return len", "return -1 + len"),
        ),
    ),
    hint="Make all four turns, mirror each, and count how many of the eight boards "
    "differ.",
)


def mover(board):
    """Return the player to move on a board: +1 or −1."""
    return 1 if np.sum(board) == 0 else -1


def moves(board):
    """Yield (cell, board after) for every empty cell of a board."""
    for cell in np.flatnonzero(np.asarray(board) == 0):
        after = np.array(board)
        after[cell] = mover(board)
        yield int(cell), after


def count_games(board):
    """Return N(s), the number of ways in which a game can continue from a board."""
    if winner(board) != 0 or np.all(board):
        return 1
    return sum(count_games(after) for _, after in moves(board))


def count_games_past_the_end(board):
    """Return N(s) by a function that checks too late whether the game is over."""
    if np.all(board):
        return 1
    return sum(count_games(after) for _, after in moves(board))


def finished_boards(rng, count):
    """Yield Cases for `count` boards that X has won, that are full, that O has won."""
    game = tables()
    for outcome, name in ((1, "X has won"), (0, "a draw"), (-1, "O has won")):
        found = np.flatnonzero(game.terminal & (game.outcome == outcome))
        yield from random_boards(rng, found, count, name, half_credit=True)


def draw_count_games(rng):
    """Yield boards with four to eight marks, and finished ones."""
    game = tables()
    count = marks(game.board)
    names = {4: "five", 5: "four", 6: "three", 7: "two", 8: "one"}
    for n, name in names.items():
        kind = f"{name} empty cell{'s' if n < 8 else ''}"
        found = np.flatnonzero((count == n) & ~game.terminal)
        yield from random_boards(rng, found, 4, kind)
    after = game.outcome[game.next] * game.legal
    found = np.flatnonzero((count == 4) & (after == 1).any(axis=1))
    yield from random_boards(rng, found, 4, "X can win with its third mark")
    found = np.flatnonzero((count == 5) & (after == -1).any(axis=1))
    yield from random_boards(rng, found, 4, "O can win with its third mark")
    yield from finished_boards(rng, 2)
    yield from boards_at(rng, game.board, FINISHED, half_credit=True)


COUNT_GAMES = Question(
    answer=count_games,
    cases=cases(
        ("one empty cell", cells("XOX/XOO/OX.")),
        ("two empty cells", cells("XX./OO./X.O")),
        ("five empty cells", cells("XO./.X./..O")),
        ("X has won*", cells("XXX/OO./...")),
        ("a draw*", cells("XOX/XOO/OXX")),
    ),
    draw=draw_count_games,
    boundaries=FINISHED | LATE,
    mistakes=(
        mistake(
            "goes on after a win",
            "Your games go on after a player has won. The first line ends the game.",
            ("winner(board) != 0 or ", ""),
        ),
        Mistake(
            "the game that is over forgotten",
            "A finished game can continue in one way only: by stopping. Check whether "
            "the game is over before you make a move.",
            count_games_past_the_end,
        ),
        mistake(
            "lines of O forgotten",
            "Your games go on after O has won: a line of O ends the game as well.",
            ("winner(board) != 0", "winner(board) == 1"),
        ),
        Mistake(
            "X always moves",
            "The players take turns: where X has one mark more, O moves.",
            mutate(count_games, moves=mutate(moves, ("mover(board)", "1"))),
        ),
        mistake(
            "an end counts 0",
            "A finished board counts 1, not 0: otherwise there is nothing to add up.",
            ("return 1", "return 0"),
        ),
        mistake(
            "nodes, not games",
            "You count the nodes of the tree. A game is counted once, where it ends.",
            ("return sum", "return 1 + sum"),
        ),
    ),
    hint="As chapter 1 counts games: 1 if the game is over, otherwise the sum over all "
    "moves.",
)


def has_line(board, player):
    """Return whether a player owns a line of a board."""
    return any(all(board[i] == player for i in line) for line in LINES)


def can_occur(board):
    """Return whether a game can reach a board."""
    ahead = int(np.sum(board))
    x, o = has_line(board, 1), has_line(board, -1)
    late = (x and ahead == 0) or (o and ahead == 1)
    return ahead in (0, 1) and not (x and o) and not late


def draw_can_occur(rng):
    """Yield boards of every kind that can occur, and of every kind that cannot."""
    digits = np.arange(3**9)[:, np.newaxis] // 3 ** np.arange(9) % 3
    boards = np.where(digits == 2, -1, digits)
    ahead = boards.sum(axis=1)
    x, o = ((boards[:, tables().lines] == p).all(axis=2).any(axis=1) for p in (1, -1))
    turns, none = (ahead == 0) | (ahead == 1), ~x & ~o
    full = (boards != 0).all(axis=1)
    lines = (np.abs(boards[:, tables().lines].sum(axis=2)) == 3).sum(axis=1)
    kinds = {
        "an unfinished board": turns & none & ~full & (boards != 0).any(axis=1),
        "the empty board": (boards == 0).all(axis=1),
        "a draw": turns & none & full,
        "a win by X": x & ~o & (ahead == 1) & ~full & (lines == 1),
        "a win by X in the last cell": x & ~o & (ahead == 1) & full & (lines == 1),
        "two lines of X": x & ~o & (ahead == 1) & (lines == 2),
        "a win by O": o & ~x & (ahead == 0),
        "X is two ahead or more": (ahead > 1) & none,
        "O is one ahead": (ahead == -1) & none,
        "O is two ahead or more": (ahead < -1) & none,
        "a line of X, which is too far ahead": x & ~o & (ahead > 1),
        "a line of X, which has too few marks": x & ~o & (ahead < 0),
        "a line of O, which is ahead": o & ~x & (ahead < 0),
        "a line of O, which has too few marks": o & ~x & (ahead > 1),
        "both own a line, and X is ahead": x & o & (ahead == 1),
        "both own a line, with equal counts": x & o & (ahead == 0),
        "X owns a line, and O has moved on": x & ~o & (ahead == 0),
        "O owns a line, and X has moved on": o & ~x & (ahead == 1),
    }
    for kind, which in kinds.items():
        found = np.flatnonzero(which)
        for number in rng.choice(found, size=min(4, len(found)), replace=False):
            yield Case(kind, False, (boards[number].astype(int),))
    yield from boards_at(rng, boards, MARKED)


def _marked(x_ahead, x_lines, o_lines, full=False):
    """Return the Boundary of boards with this lead of X, and lines of X and O."""
    return Boundary(
        lambda it: (
            (ahead(it.board) == x_ahead)
            & (owned(it.board, 1) == x_lines)
            & (owned(it.board, -1) == o_lines)
            & ((not full) | (marks(it.board) == 9))
        )
    )


def _late(player, line):
    """Return the Boundary of a line of a player, after which the other has moved."""
    return Boundary(
        lambda it: (
            (ahead(it.board) == (player == -1))
            & owns(it.board, player, [line])
            & ~owns(it.board, -player)
        )
    )


def _in_time(player, line):
    """Return the Boundary of a line of a player, with which the game ended."""
    return Boundary(
        lambda it: (
            (ahead(it.board) == (player == 1))
            & owns(it.board, player, [line])
            & ~owns(it.board, -player)
        )
    )


MARKED = {
    f"{NAMES[player]} owns the cells {', '.join(map(str, line))}{then}": boundary(
        player, line
    )
    for then, boundary in (("", _in_time), (", and the other has moved on", _late))
    for player in (1, -1)
    for line in LINES
}
MARKED |= EACH_NUMBER | {"a draw": EACH_END["a draw"]}
MARKED |= {
    "X is two ahead": _marked(2, 0, 0),
    "X is three ahead": _marked(3, 0, 0),
    "O is one ahead": _marked(-1, 0, 0),
    "O is two ahead": _marked(-2, 0, 0),
    "two lines of X": _marked(1, 2, 0),
    "a full board, with a line of O": _marked(1, 0, 1, full=True),
    "a full board, with a line of X": _marked(1, 1, 0, full=True),
    "a full board, with a line of each": _marked(1, 1, 1, full=True),
    "a full board, with a mark more of O": _marked(-1, 0, 0, full=True),
    "nine marks of X": Boundary(lambda it: ahead(it.board) == 9),
    "nine marks of O": Boundary(lambda it: ahead(it.board) == -9),
    "one mark, of X": Boundary(
        lambda it: (marks(it.board) == 1) & (ahead(it.board) == 1)
    ),
    "one mark, of O": Boundary(
        lambda it: (marks(it.board) == 1) & (ahead(it.board) == -1)
    ),
}


CAN_OCCUR = Question(
    answer=can_occur,
    cases=cases(
        ("an unfinished board", cells("XO./.X./...")),
        ("a win by X", cells("XXX/OO./...")),
        ("a win by O", cells("OOO/XX./X..")),
        ("X is two ahead or more", cells("XX./.X./...")),
        ("both own a line, with equal counts", cells("XXX/OOO/...")),
        ("X owns a line, and O has moved on", cells("XXX/OO./O..")),
        ("O owns a line, and X has moved on", cells("OOO/XX./XX.")),
        ("both own a line, and X is ahead", cells("XXX/OOO/X..")),
    ),
    draw=draw_can_occur,
    boundaries=MARKED,
    mistakes=(
        mistake(
            "not repaired",
            "These are the 5,890 boards of the tutorial. Check who made the last mark: "
            "it must be the player who owns a line.",
            ("x and ahead == 0", "False"),
            ("o and ahead == 1", "False"),
        ),
        mistake(
            "late moves of X overlooked",
            "One half is done. If O owns a line, O made the last mark: the counts are "
            "equal.",
            ("o and ahead == 1", "False"),
        ),
        mistake(
            "late moves of O overlooked",
            "One half is done. If X owns a line, X made the last mark: X is one ahead.",
            ("x and ahead == 0", "False"),
        ),
        mistake(
            "no finished board",
            "A won game can occur: its last mark made the line. Only going on "
            "afterwards is impossible.",
            ("x and ahead == 0", "x or o"),
        ),
        mistake(
            "the two sides exchanged",
            "You reject the possible endings and keep the impossible ones: after a "
            "line of X, X is one ahead.",
            ("x and ahead == 0", "x and ahead == 1"),
            ("o and ahead == 1", "o and ahead == 0"),
        ),
    ),
    hint="Three conditions: the counts, not two winners, and the owner of a line made "
    "the last mark.",
)
