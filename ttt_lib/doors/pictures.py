"""What pictures are made of; the checks are as in `arguments`."""

import numpy as np

from ttt_lib.doors.arguments import NEARLY, chances, unsound
from ttt_lib.doors.boards import demand_drawable
from ttt_lib.doors.values import array, demand, is_array, one_of, shown, whole


def axes(value, given):
    """Return Matplotlib axes to draw on."""
    draws = hasattr(value, "plot") and hasattr(value, "inset_axes")
    demand(draws, f"ax = {shown(value)}: give one Matplotlib Axes")
    return value


def mark(value, given):
    """Return the mark of the player who moves first."""
    return one_of(value, "first", ("X", "O"))


def mark_or_none(value, given):
    """Return the mark for whom numbers are good, None for the player to move."""
    return None if value is None else one_of(value, "good_for", ("X", "O"))


def board(value, given):
    """Return cells (rows, columns) as whole numbers."""
    cells = array(value, "array")
    fits = cells.ndim == 2 and cells.size and np.isin(cells, (1, -1, 0)).all()
    demand(fits, f"array = {shown(value)}: give (rows, columns) cells of +1, -1 and 0")
    demand_drawable(*cells.shape)
    return cells.astype(np.int64)


def values(value, given):
    """Return numbers (A,), finite at the legal cells of position s."""
    legal = given["game"].legal[given["s"]]
    finite = np.isfinite(array(value, "values", legal.shape, finite=False)[legal])
    demand(finite.all(), "values has a legal cell whose number is not finite")
    return np.asarray(value)  # whole numbers stay whole, for `form`


def form_or_none(value, given):
    """Return a form, or None for no numbers."""
    return None if value is None else form(value, given)


def form(value, given):
    """Return a form that can write the values, or those of a table."""
    try:
        value.format(np.ravel(given.get("values", given.get("table")))[0])
    except (AttributeError, LookupError, ValueError):
        what = "give a form of one number, such as '{:.3f}'"
        raise ValueError(f"form = {shown(value)}: {what}.") from None
    return value


def limits(value, given):
    """Return the two ends of a scale, or None for no colours."""
    if value is None:
        return None
    ends = array(value, "limits")
    apart = ends.shape == (2,) and ends[0] != ends[1]
    demand(apart, f"limits = {shown(value)}: give two numbers, or None")
    return tuple(ends.tolist())


def legal(value, given):
    """Return moves that are legal in position s, at least one, as a list."""
    game, s = given["game"], given["s"]
    cells = list(value) if np.iterable(value) else [value]
    demand(cells, f"actions = {shown(value)}: give at least one cell")
    actions = [
        whole(a, "actions: an action", 0, game.legal.shape[1] - 1) for a in cells
    ]
    for a in actions:
        demand(game.legal[s, a], f"actions: {a} is illegal in position {s}")
        demand(actions.count(a) == 1, f"actions has {a} more than once")
    return actions


def replying(value, given):
    """Return a policy that moves in all positions that the actions lead to."""
    game, policy = given["game"], chances("opponent")(value, given)
    for after in game.next[given["s"], given["actions"]]:
        total = policy[after, game.legal[after]].sum()
        if not game.terminal[after] and abs(total - 1) > NEARLY:
            raise unsound("opponent", after, policy)
    return policy


def label(value, given):
    """Return a function."""
    demand(callable(value), f"label = {shown(value)}: give a function of a position")
    return value


def label_or_none(value, given):
    """Return a function of a node, or None."""
    fits = value is None or callable(value)
    demand(fits, f"label = {shown(value)}: give a function of a node, or None")
    return value


def branch(value, given):
    """Return a function of a move."""
    demand(callable(value), f"branch = {shown(value)}: give a function of a move")
    return value


def nodes(value, given):
    """Return nodes of the tree, perhaps none, as a list."""
    listed = list(value) if np.iterable(value) else [value]
    last = len(given["tree"].parent) - 1
    return [whole(node, "left_out: a node", 0, last) for node in listed]


def ring(value, given):
    """Return cells of the board, perhaps none, as a list."""
    cells = list(value) if np.iterable(value) else [value]
    last = given["game"].legal.shape[1] - 1
    return [whole(cell, "ring: a cell", 0, last) for cell in cells]


def beads(value, given):
    """Return numbers of beads (A,) on legal cells of position s, from 0 up."""
    legal = given["game"].legal[given["s"]]
    counts = array(value, "beads", legal.shape)
    whole_numbers = (counts == counts.astype(np.int64)).all() and counts.min() >= 0
    demand(whole_numbers, "beads has a number that is not whole, or below 0")
    demand(not counts[~legal].any(), "beads has some on a cell that is not free")
    return counts.astype(np.int64)


def grid(name):
    """Return the check of a table (m, n) of numbers, NaN where there is none."""

    def check(value, given):
        table = array(value, name, finite=False)
        fits = table.ndim == 2 and table.size and not np.isinf(table).any()
        demand(fits, f"{name} = {shown(value)}: give numbers (m, n)")
        demand_drawable(*table.shape)
        return table

    return check


def names(which, axis):
    """Return the check of the names of a table's rows or columns."""

    def check(value, given):
        demand(np.iterable(value), f"{which} = {shown(value)}: give names")
        found, count = [str(each) for each in value], given["table"].shape[axis]
        demand(len(found) == count, f"{which} has {len(found)} names: give {count}")
        return found

    return check


def directions(value, given):
    """Return probabilities (rows, columns, 4) of the four ways, or None."""
    if value is None:
        return None
    squares = grid("values")(given["values"], given).shape
    return array(value, "policy", (*squares, 4))


def abscissae(value, given):
    """Return numbers (n,) along a line."""
    x = array(value, "x")
    demand(x.ndim == 1 and x.size, f"x = {shown(value)}: give numbers (n,)")
    return x


def runs(value, given):
    """Return as many numbers of each of N runs as `x` has, (N, n)."""
    x = np.asarray(given["x"])
    table = array(value, "runs")
    fits = table.ndim == 2 and len(table) and table.shape[1] == len(x)
    demand(
        fits, f"runs has shape {table.shape}: give (N, {len(x)}), a row for each run"
    )
    return table


def told(value, given):
    """Return a label, or None."""
    fits = value is None or isinstance(value, str)
    demand(fits, f"label = {shown(value)}: give a text")
    return value


def tree(value, given):
    """Return a Tree whose branches are moves on the board of the game."""
    game, fits = given["game"], hasattr(value, "parent") and hasattr(value, "action")
    if fits and (fits := _is_sound(value) and value.position.max() < len(game.code)):
        above, action = value.position[value.parent[1:]], value.action[1:]
        fits = action.max(initial=0) < game.legal.shape[1]
        fits = fits and (game.next[above, action] == value.position[1:]).all()
    demand(fits, f"tree = {shown(value)}: give what plots.tree returns for this game")
    return value


def _is_sound(tree):
    """Return whether each node has one entry in each field, and a parent before it."""
    arrays = all(map(is_array, tree))
    if not (arrays and {each.dtype.kind for each in tree[:4]} == {"i"}):
        return False
    if tree.parent.size == 0 or {each.shape for each in tree} != {(len(tree.parent),)}:
        return False
    numbers = tree.position, tree.parent[1:], tree.action[1:]
    least = min(each.min(initial=0) for each in numbers)
    before = (tree.parent < np.arange(len(tree.parent), dtype=np.int64)) & np.isfinite(
        tree.value
    )
    deeper = tree.depth[1:] == tree.depth[tree.parent[1:]] + 1
    return least == 0 == tree.depth[0] and before.all() and deeper.all()


def head(value, given):
    """Return the names of columns, at least one, as a list."""
    listed = isinstance(value, list | tuple) and len(value)
    demand(listed, f"head = {shown(value)}: give a list of names")
    return list(value)


def rows(value, given):
    """Return rows, each a list as long as the head."""
    demand(np.iterable(value), f"rows = {shown(value)}: give a list of rows")
    listed, width = list(value), len(given["head"])
    for row in listed:
        fits = np.iterable(row) and not isinstance(row, str) and len(list(row)) == width
        demand(fits, f"rows has {shown(row)}: give {width} cells in each")
    return [list(row) for row in listed]


def real_form(value, given):
    """Return a form that can write a number."""
    try:
        value.format(0.5)
    except (AttributeError, LookupError, ValueError):
        what = "give a form of one number, such as '{:.3f}'"
        raise ValueError(f"form = {shown(value)}: {what}.") from None
    return value
