"""Games of two players with opposite goals: values, moves, trees.

It is long because all questions of a topic are in one file, where a teacher adds more.
"""

from functools import cache

import numpy as np

from assignments.questions.boundaries import (
    FINISHED,
    LATE,
    LINES,
    NAMES,
    Boundary,
    at_boundaries,
    boards_at,
    is_at,
    marks,
    over,
    owned,
    owns,
)
from assignments.questions.chance import random_boards
from assignments.questions.game import (
    count_games,
    draw_count_games,
    mover,
    moves,
    winner,
)
from assignments.questions.question import (
    Mistake,
    Question,
    cases,
    cells,
    mistake,
    mutate,
    training,
)
from ttt_lib import search
from ttt_lib.check.judge import Case
from ttt_lib.game import codes, tables


def by_value(rng, count, finished=True):
    """Yield boards with at most five empty cells, by value and by side to move."""
    game = tables()
    value = game.outcome + search.solve(game).V
    late = np.abs(game.board).sum(axis=1) >= 4
    # With a discount of .9 a value shows how far the win is: .9 ** (moves before it).
    far = np.abs(np.abs(search.solve(game, 0.9).V) - 0.9**4) < 1e-9
    found = np.flatnonzero(late & ~game.terminal & far)
    yield from random_boards(rng, found, 3, "a win with the fifth mark from here")
    for outcome, name in ((1, "X wins"), (0, "a draw"), (-1, "O wins")):
        for side, mark in ((1, "X"), (-1, "O")):
            chosen = late & ~game.terminal & (value == outcome) & (game.to_move == side)
            kind = f"{mark} to move, {name}"
            yield from random_boards(rng, np.flatnonzero(chosen), count, kind)
            if outcome == side:  # boards without an immediate win
                chosen &= ~(game.outcome[game.next] == side).any(
                    axis=1, where=game.legal
                )
                kind = f"{mark} to move, and wins later"
                yield from random_boards(rng, np.flatnonzero(chosen), count, kind)
        if finished:
            found = np.flatnonzero(game.terminal & (game.outcome == outcome))
            yield from random_boards(rng, found, 2, f"the game is over, {name}")


def minimax(board):
    """Return the value of a board for the first player under perfect play."""
    if over(board):
        return winner(board)
    values = [minimax(after) for _, after in moves(board)]
    return max(values) if mover(board) == 1 else min(values)


def draw_minimax(rng):
    """Yield boards of every value, with either player to move, and finished ones."""
    yield from by_value(rng, 3)
    game = tables()
    lines = (np.abs(game.board[:, game.lines].sum(axis=2)) == 3).sum(axis=1)
    double = np.flatnonzero(lines == 2)
    yield from random_boards(rng, double, 3, "two lines at once")
    before = (np.isin(game.next, double) & game.legal).any(axis=1)
    yield from random_boards(rng, np.flatnonzero(before), 2, "two lines with one mark")
    yield from boards_at(rng, game.board, FINISHED | LATE | LAST_CELL)


def _last_cell(wins):
    """Return the Boundary of one empty cell with which X wins, or does not."""
    return Boundary(
        lambda it: (
            ~over(it.board)
            & (marks(it.board) == 8)
            & (owns(np.where(np.asarray(it.board) == 0, 1, it.board), 1) == wins)
        )
    )


LAST_CELL = {
    "one cell is left, and X wins": _last_cell(True),
    "one cell is left, and no player wins": _last_cell(False),
}


MINIMAX = Question(
    answer=minimax,
    cases=cases(
        ("X to move, X wins", cells("XX./OO./...")),
        ("O to move, O wins", cells("XX./OO./X..")),
        ("O to move, a draw", cells("XOX/.O./.X.")),
        ("X to move, O wins", cells("OX./XOX/..O")),
        ("the game is over, X wins", cells("XXX/OO./...")),
        ("the game is over, a draw", cells("XOX/XOO/OXX")),
    ),
    draw=draw_minimax,
    boundaries=FINISHED | LATE | LAST_CELL,
    mistakes=(
        mistake(
            "both maximise",
            "O wants the opposite of X: where O moves, take the minimum.",
            ("min(values)", "max(values)"),
        ),
        mistake(
            "both minimise",
            "Where X moves, take the maximum.",
            ("max(values)", "min(values)"),
        ),
        mistake(
            "player's sign forgotten",
            "Your value is that for the player to move. The question wants the value "
            "for the first player on every board.",
            ("return winner(board)", "return mover(board) * winner(board)"),
            ("[minimax(after)", "[-minimax(after)"),
            ("min(values)", "max(values)"),
        ),
        mistake(
            "begins at 0, or one move ahead",
            "A lost position gets the value of a draw. Either your best value begins "
            "at 0: begin below every value for X, above for O. Or you look one move "
            "ahead only: let the function call itself on each board after a move.",
            ("max(values)", "max(0, *values)"),
            ("min(values)", "min(0, *values)"),
        ),
        mistake(
            "draw = loss",
            "A draw is worth 0, not −1: it is better than a loss.",
            ("return winner(board)", "return winner(board) or -1"),
        ),
        mistake(
            "X and O exchanged",
            "The signs are exchanged: a win of the first player is +1.",
            ("return winner(board)", "return -winner(board)"),
            ("== 1", "!= 1"),
        ),
    ),
    hint="If the game is over, its outcome; otherwise the maximum (X) or minimum (O) "
    "over all moves.",
)


def best_moves(board):
    """Return all cells with the best value for the player to move."""
    if over(board):
        return []
    values = {cell: minimax(after) for cell, after in moves(board)}
    best = max(values.values()) if mover(board) == 1 else min(values.values())
    return [cell for cell in values if values[cell] == best]


def draw_best_moves(rng):
    """Yield boards of every value, with either player to move."""
    yield from by_value(rng, 4, finished=False)
    game, Q = tables(), search.solve(tables()).Q
    found = np.flatnonzero(game.count == 1)
    yield from random_boards(rng, found, 3, "one cell is left")
    late = np.abs(game.board).sum(axis=1) >= 4
    wins = game.legal & (np.where(game.legal, Q, 0) == 1)
    now = (game.outcome[game.next] != 0) & game.legal
    both = np.flatnonzero(late & (wins & now).any(axis=1) & (wins & ~now).any(axis=1))
    yield from random_boards(rng, both, 4, "wins at once and wins later")
    yield from boards_at(rng, game.board, LATE | CHOICES)


@cache
def _all_best():
    """Return the codes of all positions in rising order, and their best moves."""
    game = tables()
    Q = np.where(game.legal, search.solve(game).Q, -9)  # for the player to move
    best = game.legal & (Q.max(axis=1, keepdims=True) == Q)
    order = np.argsort(game.code)
    return game.code[order], best[order]


def _best(board):
    """Return whether each cell is a best move, for a board or an array of boards."""
    all_codes, best = _all_best()
    return best[np.searchsorted(all_codes, codes(board))]


def _moves(holds):
    """Return the Boundary of unfinished boards, by their best moves and empty cells."""

    def meets(it):
        late = ~over(it.board) & (marks(it.board) >= 4)
        return late & holds(_best(it.board), np.asarray(it.board) == 0)

    return Boundary(meets)


def _wins_by(player, line):
    """Return the Boundary of boards on which a player can complete a line at once."""

    def now(it):
        board, mover = np.asarray(it.board), 1 - 2 * np.asarray(it.board).sum(-1)
        two = (owned(np.where(board == 0, player, board), player, [line]) == 1) & (
            (board[..., line] == 0).sum(-1) == 1
        )
        return two & (mover == player) & ~over(board) & (marks(board) >= 4)

    return Boundary(now)


CHOICES = {
    "one best move of several": _moves(
        lambda best, empty: (best.sum(-1) == 1) & (empty.sum(-1) > 1)
    ),
    "several best moves, and others": _moves(
        lambda best, empty: (best.sum(-1) > 1) & (best.sum(-1) < empty.sum(-1))
    ),
    "all moves are best": _moves(
        lambda best, empty: (best.sum(-1) == empty.sum(-1)) & (best.sum(-1) > 1)
    ),
    "cell 0 alone is best": _moves(
        lambda best, empty: (best.sum(-1) == 1) & best[..., 0] & (empty.sum(-1) > 1)
    ),
    "cell 8 alone is best": _moves(
        lambda best, empty: (best.sum(-1) == 1) & best[..., 8] & (empty.sum(-1) > 1)
    ),
    "cell 0 is left": _moves(lambda best, empty: empty[..., 0] & (empty.sum(-1) == 1)),
    "cell 8 is left": _moves(lambda best, empty: empty[..., 8] & (empty.sum(-1) == 1)),
} | {
    f"{NAMES[player]} may make a line of the cells {', '.join(map(str, line))}": (
        _wins_by(player, line)
    )
    for line in LINES
    for player in (1, -1)
}


BEST_MOVES = Question(
    answer=best_moves,
    cases=cases(
        ("X to move, X wins", cells("XX./OO./...")),
        ("O to move, X wins", cells("XO./OX./X..")),
        ("O to move, a draw", cells("X.X/.O./...")),
        ("X to move, O wins", cells("XOX/OO./X..")),
    ),
    draw=draw_best_moves,
    boundaries=LATE | CHOICES,
    mistakes=(
        mistake(
            "always the maximum",
            "O chooses the smallest value, X the largest.",
            ("min(values", "max(values"),
        ),
        mistake(
            "worst moves",
            "These are the worst moves of the player to move.",
            ("== 1", "!= 1"),
        ),
        mistake(
            "first best move alone",
            "There may be several best moves. Return all of them.",
            ("== best]", "== best][:1]"),
        ),
        mistake(
            "all legal moves",
            "You return all legal moves. Keep only those with the best value.",
            (" if values[cell] == best", ""),
        ),
        Mistake(
            "one move ahead",
            "You look one move ahead only: call `minimax` on each board after a move.",
            mutate(best_moves, minimax=winner),
        ),
    ),
    hint="Compute the value after each move, and keep the cells of the best value, in "
    "rising order.",
)


def count_nodes(board):
    """Return the number of nodes of the tree below a board, with the board itself."""
    if over(board):
        return 1
    return 1 + sum(count_nodes(after) for _, after in moves(board))


def count_others(board):
    """Return the number of nodes of the tree below a board, without the board."""
    return count_nodes(board) - 1


def count_positions(board):
    """Return how many different boards can follow from a board, itself included."""
    seen, remaining = set(), [board]
    while remaining:
        board = remaining.pop()
        cells = tuple(np.asarray(board).tolist())
        if cells not in seen:
            seen.add(cells)
            remaining += [] if over(board) else [after for _, after in moves(board)]
    return len(seen)


def draw_count_nodes(rng):
    """Yield boards with five to one empty cells, and finished ones."""
    for case in draw_count_games(rng):
        yield case._replace(half_credit=False)


COUNT_NODES = Question(
    answer=count_nodes,
    cases=cases(
        ("one empty cell", cells("XOX/XOO/OX.")),
        ("two empty cells", cells("XX./OO./X.O")),
        ("five empty cells", cells("XO./.X./..O")),
        ("X has won", cells("XXX/OO./...")),
    ),
    draw=draw_count_nodes,
    boundaries=FINISHED | LATE,
    mistakes=(
        Mistake("root not counted", "The board itself is a node, too.", count_others),
        Mistake(
            "games, not nodes",
            "You count the ends of games. Every board on the way is a node, too.",
            count_games,
        ),
        mistake(
            "goes on after a win",
            "Your tree goes on after a player has won.",
            ("over(board)", "np.all(board)"),
        ),
        Mistake(
            "positions, not nodes",
            "You count each board once. A node is a board and the way to it: a board "
            "that is reached in two orders of moves is two nodes.",
            count_positions,
        ),
    ),
    hint="1 for the board itself, and the nodes below each move if the game is "
    "not over.",
)


def negamax(children, outcome):
    """Return V of all nodes of a tree, each for the player to move there."""
    V = list(outcome)
    for s in reversed(range(len(V))):
        if children[s]:
            V[s] = max(-V[child] for child in children[s])
    return V


def draw_negamax(rng):
    """Yield small trees whose root is won, drawn and lost."""
    wanted = {1: 4, 0: 4, -1: 4}
    names = {1: "the player to move wins", 0: "a draw", -1: "the player to move loses"}
    while any(wanted.values()):
        children = [[] for _ in range(12)]
        for s in range(1, 12):
            children[int(rng.integers(max(0, s - 5), s))].append(s)
        leaves = [0 if below else int(rng.integers(-1, 2)) for below in children]
        if wanted[1] < 2:  # in the last trees no leaf is a loss
            leaves = [abs(leaf) for leaf in leaves]
        value = negamax(children, leaves)[0]
        if wanted[value]:
            wanted[value] -= 1
            yield Case(names[value], False, (children, leaves))

    def ordinary(rng):
        children = [[1, 2, 3], [4, 5], [6], [7, 8], [], [], [9], [], [], []]
        outcome = [0 if below else int(rng.integers(-1, 2)) for below in children]
        return {"children": children, "outcome": outcome}

    yield from at_boundaries(rng, ordinary, TREES)


def _tree(holds, children=None, *ends):
    """Return the Boundary of trees; new ones have leaves with outcomes in `ends`."""

    def change(it, rng):
        below = it.children if children is None else children
        outcome = [0 if s else int(rng.choice(ends)) for s in below]
        return {"children": below, "outcome": outcome}

    return Boundary(holds, change)


def _ends(it):
    return [
        end for end, below in zip(it.outcome, it.children, strict=True) if not below
    ]


def _best_below(it):
    """Return the values of the first moves, for the player who makes them."""
    V = negamax(it.children, it.outcome)
    return [-V[child] for child in it.children[0]]


TREES = {
    f"a finished position alone, worth {end}": is_at(children=[[]], outcome=[end])
    for end in (1, 0, -1)
} | {
    "one move in all": _tree(lambda it: it.children == [[1], []], [[1], []], 1, -1),
    "one move at first": _tree(
        lambda it: len(it.children[0]) == 1, [[1], [2, 3], [4], [], []], 1, 0, -1
    ),
    "one move in each position": _tree(
        lambda it: len(it.children) > 2 and max(map(len, it.children)) == 1,
        [[1], [2], [3], [4], []],
        1,
        -1,
    ),
    "many moves at first": _tree(
        lambda it: len(it.children[0]) > 4, [[1, 2, 3, 4, 5, 6], *[[]] * 6], 1, 0, -1
    ),
    "the first move alone is best": Boundary(
        lambda it: len(v := _best_below(it)) > 1 and v[0] > max(v[1:]),
        lambda it, rng: {"children": [[1, 2, 3], [], [], []], "outcome": [0, -1, 0, 1]},
    ),
    "the last move alone is best": Boundary(
        lambda it: len(v := _best_below(it)) > 1 and v[-1] > max(v[:-1]),
        lambda it, rng: {"children": [[1, 2, 3], [], [], []], "outcome": [0, 1, 0, -1]},
    ),
    "every end is worth 0": _tree(
        lambda it: len(it.children) > 1 and {*_ends(it)} == {0}, None, 0
    ),
    "every end is worth 1": _tree(
        lambda it: len(it.children) > 1 and {*_ends(it)} == {1}, None, 1
    ),
    "every end is worth -1": _tree(
        lambda it: len(it.children) > 1 and {*_ends(it)} == {-1}, None, -1
    ),
}


NEGAMAX = Question(
    answer=negamax,
    cases=cases(
        ("the player to move loses", [[1, 2], [3], [4], [], []], [0, 0, 0, -1, -1]),
        ("the player to move wins", [[1, 2], [], [3], []], [0, -1, 0, 1]),
        ("a draw", [[1, 2], [3], [], []], [0, 0, 1, 0]),
    ),
    draw=draw_negamax,
    boundaries=TREES,
    mistakes=(
        mistake(
            "not repaired",
            "Lost positions still come out as draws: `best` begins with a value that "
            "no move has to reach.",
            (
                "max(-V[child] for child in children[s])",
                "max(0, *(-V[child] for child in children[s]))",
            ),
        ),
        mistake(
            "sign forgotten",
            "What is good for the opponent is bad for you: keep the minus sign.",
            ("-V[child]", "V[child]"),
        ),
    ),
    hint="Three things: where `best` begins, that a child's value is that of the other "
    "player, and that the values of all positions are returned.",
)


def alpha_beta(board, alpha=-2, beta=2):
    """Return the value of a board, and the number of boards that were looked at."""
    if over(board):
        return winner(board), 1
    nodes, best = 1, -2 * mover(board)
    for _, after in moves(board):
        value, below = alpha_beta(after, alpha, beta)
        nodes += below
        if mover(board) == 1:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, nodes


ALPHA_BETA = training(
    alpha_beta,
    "X is sure of alpha, O of beta: pass both on to the boards below. Stop as soon as "
    "alpha is not below beta, try the cells in rising order, and count every board "
    "that you look at, including this one. If `nodes` is 1 and values are wrong: is "
    "the value that of X even when O is to move?",
)
