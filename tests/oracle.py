"""Reference implementation of the game, slow and simple, independent of ttt_lib.

A board is a tuple of tuples of "1", "2" and "."; player "1" moves first.
Tests compare the library with it, so its correctness should be obvious.
"""

from functools import cache


def run_length(board, row, column, down, right):
    """Return the number of equal marks in a row from a cell in a direction."""
    mark, length = board[row][column], 0
    while (
        0 <= row < len(board)
        and 0 <= column < len(board[0])
        and board[row][column] == mark
    ):
        row, column, length = row + down, column + right, length + 1
    return length


def winners(board, k):
    """Return the set of players who have k in a row somewhere."""
    return {
        board[row][column]
        for row in range(len(board))
        for column in range(len(board[0]))
        if board[row][column] != "."
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if run_length(board, row, column, down, right) >= k
    }


def over(board, k):
    return bool(winners(board, k)) or "." not in sum(board, ())


def mover(board):
    flat = sum(board, ())
    return "1" if flat.count("1") == flat.count("2") else "2"


def moves(board, k):
    """Return {cell: board after} for every legal move."""
    if over(board, k):
        return {}
    after, columns = {}, len(board[0])
    for row, cells in enumerate(board):
        for column, cell in enumerate(cells):
            if cell == ".":
                changed = (*cells[:column], mover(board), *cells[column + 1 :])
                after[row * columns + column] = (
                    *board[:row],
                    changed,
                    *board[row + 1 :],
                )
    return after


def empty(rows, columns):
    return ((".",) * columns,) * rows


@cache
def reachable(rows, columns, k):
    """Return all boards that a game can reach."""
    seen, waiting = set(), [empty(rows, columns)]
    while waiting:
        board = waiting.pop()
        if board not in seen:
            seen.add(board)
            waiting.extend(moves(board, k).values())
    return seen


def text(board, first="X", second="O"):
    return "".join(sum(board, ())).replace("1", first).replace("2", second)


def cells(board):
    return [{"1": 1, "2": -1, ".": 0}[cell] for cell in sum(board, ())]
