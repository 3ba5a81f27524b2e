"""UCT: a search that plays games at random, and grows its tree where they go well.

One playout has four steps [S&B section 8.11; Kocsis & Szepesvári 2006]: *selection* by
UCB1 down the tree, *expansion* by one position, *simulation* of the rest by random
moves, and *backup* of the outcome along the moves of the tree.

A position is two masks, of the marks of the player to move and of the other: bit a is
set where cell a has a mark. So boards of up to 62 cells need no table.
"""

from math import log, sqrt
from typing import NamedTuple

import numpy as np

from ttt_lib import rules
from ttt_lib.compiled import allocating, jitable
from ttt_lib.interrupts import defer_sigint
from ttt_lib.validation import anything, as_float, as_int, require, validated

C = sqrt(2)  # of UCB1 in [Auer, Cesa-Bianchi & Fischer 2002], for rewards from 0 to 1
MAX_CELLS = 62  # bits of a mask
MAX_PLAYOUTS = 10_000_000
CHUNK_SIZE = 10_000  # playouts: some hundredths of a second


class Tree(NamedTuple):
    """The search tree after N playouts; node 0 is the position that is searched."""

    child: np.ndarray  #: (N + 1, A) int32, the node after a move; 0: not in the tree
    visits: np.ndarray  #: (N + 1, A) int32, playouts that made the move there
    total: np.ndarray  #: (N + 1, A) int32, sum of their outcomes for the mover
    nodes: int  #: how many rows are in use


_playouts = {
    "playouts": lambda value, arguments: as_int(value, "playouts", 1, MAX_PLAYOUTS),
    "c": lambda value, arguments: as_float(value, "c", 0),
}


@validated(tree=anything, **_playouts)
def search(board, playouts, rng, c=C, lines=rules.LINES, tree=None):
    """Return the Tree after `playouts` playouts from a board, added to those of `tree`.

    board (A,) of +1, −1 and 0; `c` weighs exploration in UCB1, and 0 is greedy.
    n playouts and then m more give a Tree that is bit-identical to that of n + m.
    Raises ValueError if the game is over, or if the board has more than 62 cells.

    Examples
    --------
    >>> s = game.find("XX.OO....")
    >>> tree = uct.search(game.board[s], 1000, rng)
    >>> uct.move(tree)
    2
    """
    cells = board.shape[-1]
    require(board.ndim == 1, "board: give the cells of one board, row by row")
    require(cells <= MAX_CELLS, f"board has {cells} cells: give up to {MAX_CELLS}")
    require(not rules.finished(board, lines), "the game on board is over")
    return _search(board, playouts, rng, c, lines_through(lines, cells), tree)


def _search(board, playouts, rng, c, through, tree=None):
    tree = _with_capacity(tree, playouts, len(board))
    bit = 1 << np.arange(len(board), dtype=np.int64)
    mover = 1 if board.sum() == 0 else -1
    mine, theirs = (int(bit[board == side].sum()) for side in (mover, -mover))
    for done in range(0, playouts, CHUNK_SIZE):
        chunk = min(CHUNK_SIZE, playouts - done)
        with defer_sigint():
            nodes = _grow(*tree, mine, theirs, through, c, chunk, rng)
        tree = tree._replace(nodes=nodes)
    return tree


def lines_through(lines, cells):
    """Return the masks of the lines through each cell, (A, M) of int64.

    Rows are filled up with −1, a mask that no marks can fill.
    """
    masks = (1 << lines.astype(np.int64)).sum(axis=1)
    through = [masks[(lines == a).any(axis=1)] for a in range(cells)]
    filled = np.full((cells, max(map(len, through), default=0)), -1, dtype=np.int64)
    for row, lines_here in zip(filled, through, strict=True):
        row[: len(lines_here)] = lines_here
    return filled


def _with_capacity(tree, playouts, cells):
    """Return a Tree with arrays that are large enough for more playouts."""
    shape = playouts + (1 if tree is None else tree.nodes), cells
    tables = [np.zeros(shape, dtype=np.int32) for _ in range(3)]
    if tree is None:
        return Tree(*tables, nodes=1)
    for table, before in zip(tables, tree, strict=False):
        table[: tree.nodes] = before[: tree.nodes]
    return Tree(*tables, nodes=tree.nodes)


@allocating
def _grow(child, visits, total, nodes, mine, theirs, through, c, playouts, rng):
    """Add playouts to a tree, in place; return how many nodes it has."""
    cells = len(through)
    everywhere = (1 << cells) - 1
    path_node = np.empty(cells, dtype=np.int64)
    path_action = np.empty(cells, dtype=np.int64)
    for _ in range(playouts):
        own, other, node, depth, reward = mine, theirs, 0, 0, 0
        selecting = True
        while selecting:
            free = everywhere & ~(own | other)
            a = _untried(visits[node], free, rng)
            selecting = a < 0
            if selecting:
                a = _ucb1(visits[node], total[node], free, c)
            path_node[depth], path_action[depth] = node, a
            depth += 1
            own |= 1 << a
            if _closes(own, through[a]):
                reward = 1  # of the player who has just moved
                break
            if own | other == everywhere:
                break
            own, other = other, own  # the other player moves
            if selecting:
                node = child[node, a]
            else:
                child[node, a] = nodes
                nodes += 1
                reward = -_simulate(own, other, through, rng)
        for i in range(depth - 1, -1, -1):
            visits[path_node[i], path_action[i]] += 1
            total[path_node[i], path_action[i]] += reward
            reward = -reward
    return nodes


@jitable
def _untried(visits, free, rng):
    """Return a free cell without a visit, each equally likely; −1 if there is none."""
    untried = 0
    for a in range(len(visits)):
        if free >> a & 1 and visits[a] == 0:
            untried += 1
    if untried == 0:
        return -1
    skip = int(rng.random() * untried)
    for a in range(len(visits)):
        if free >> a & 1 and visits[a] == 0:
            if skip == 0:
                return a
            skip -= 1
    return -1


@jitable
def _ucb1(visits, total, free, c):
    """Return the free cell with the largest bound, ties to the lowest [S&B 2.10]."""
    t = 0
    for a in range(len(visits)):
        t += visits[a]
    best, bound = -1, -np.inf
    for a in range(len(visits)):
        if free >> a & 1:
            q = total[a] / visits[a]
            u = q + c * sqrt(log(t) / visits[a])
            if u > bound:
                best, bound = a, u
    return best


@jitable
def _closes(marks, through):
    """Return whether marks fill one of the lines `through`, given as masks."""
    for line in through:  # noqa: SIM110 (compiled: a generator would be slower)
        if marks & line == line:
            return True
    return False


@allocating
def _simulate(own, other, through, rng):
    """Return the outcome of random moves for the player to move: +1, 0 or −1."""
    sign = 1
    cells = np.empty(len(through), dtype=np.int64)
    left = 0
    for a in range(len(through)):
        if not (own | other) >> a & 1:
            cells[left] = a
            left += 1
    while left:
        i = int(rng.random() * left)
        a = cells[i]
        left -= 1
        cells[i] = cells[left]
        own |= 1 << a
        if _closes(own, through[a]):
            return sign
        own, other, sign = other, own, -sign
    return 0


def values(tree):
    """Return the mean outcome of each move of the root, for the mover; 0 if untried."""
    return tree.total[0] / np.maximum(tree.visits[0], 1)


def move(tree):
    """Return the move with the most visits, ties to the lowest cell."""
    return int(tree.visits[0].argmax())


@validated(**_playouts)
def policy(game, playouts, rng, c=C):
    """Return the policy (S, A) that makes the move of one search in each position.

    Each position has its own generator, spawned from `rng`, so that the move in one
    does not depend on the searches in the others. The policy is deterministic.
    """
    chosen = np.zeros(game.legal.shape)
    through = lines_through(game.lines, game.legal.shape[1])
    for s, generator in enumerate(rng.spawn(len(game.code))):
        if not game.terminal[s]:
            tree = _search(game.board[s], playouts, generator, c, through)
            chosen[s, move(tree)] = 1
    return chosen
