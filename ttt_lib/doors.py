"""The library's doors: a wrong argument gets one sentence, a file is written whole."""

import os
from math import log10
from pathlib import Path

import numpy as np

MOST_POSITIONS = 150_000  # above it, tables and policies would fill memory, not teach
PACKING = "mdp.from_cells packs a table (S, A)"
MOST_CELLS = 39  # a base-3 code of 40 cells does not fit into 64 bits


def demand(holds, sentence):
    """Raise ValueError with the sentence, still without its stop, unless it holds."""
    if not holds:
        raise ValueError(f"{sentence}.")


def demand_side(side):
    """Raise ValueError unless `side` is +1, the first player, or −1, the second."""
    demand(side in (+1, -1), f"side = {side!r}: the first player is +1, the second -1")


def demand_size(rows, columns, k):
    """Raise ValueError if a size is no positive whole number, or k fit nowhere."""
    for name, size in (("rows", rows), ("columns", columns), ("k", k)):
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        demand(
            whole and size >= 1,
            f"{name} = {size!r} is not a size: give a whole number from 1 up",
        )
    demand(
        k <= max(rows, columns),
        f"{k} in a row fit nowhere on a board of {rows} × {columns} cells: "
        f"choose k from 1 to {max(rows, columns)}",
    )


def too_large(rows, columns, k, most_positions):
    """Return the sentence on a game too large for full tables, with the memory needed.

    `most_positions` takes a number of cells and bounds the number of positions.
    """
    cells = rows * columns
    what = f"{k} in a row on {rows} × {columns} cells"
    limits = f"full tables stop at {MOST_POSITIONS:,} positions and {MOST_CELLS} cells."
    if cells > MOST_CELLS:
        power = cells * log10(3)
        return f"{what} has up to 3^{cells} boards, about 10^{power:.0f}: {limits}"
    bound = most_positions(cells)
    gigabytes = bound * (26 * cells + 19) / 1e9  # the tables and one policy
    return (
        f"{what} has up to {bound:,} positions, and its tables would take up to "
        f"{gigabytes:,.1f} GB: {limits}"
    )


def sized(numbers, shape, what, remedy):
    """Return numbers as an array of float, for loops that would read beyond its end.

    Raises ValueError if it has another shape; `what` and `remedy` go into the sentence.
    """
    numbers = np.asarray(numbers, dtype=float)
    if numbers.shape != shape:  # else the sentence would cost more than the loop
        shapes = f"has shape {numbers.shape}, and what is needed is {shape}"
        raise ValueError(f"{what} {shapes}: {remedy}.")
    return numbers


def demand_history(cells, lines, first, second):
    """Raise ValueError with the reason if no game arrives at a board.

    `cells` (A,) are +1, −1 and 0; `first` and `second` are what the players are called.
    """
    firsts, seconds = int((cells == 1).sum()), int((cells == -1).sum())
    if seconds == firsts + 1:
        raise ValueError(
            f"{second} has one mark more than {first}, who should have moved first: "
            "where the other mark began, say so with first='O' or first='X'."
        )
    if firsts - seconds not in (0, 1):
        raise ValueError(
            f"{first} has {firsts} marks and {second} {seconds}: players take turns, "
            "so the one who moves first has as many as the other or one more."
        )
    won = {}  # player → cells that lie on every line of that player
    for player in (+1, -1):
        own = [set(line.tolist()) for line in lines if (cells[line] == player).all()]
        if own:
            won[player] = set.intersection(*own)
    if len(won) == 2:
        raise ValueError(
            f"{first} and {second} both have a line: the first line ends the game."
        )
    for player, last_marks in won.items():
        # The winner made the last mark, and it finished all the winner's lines at once.
        if firsts - seconds != (player == 1) or not last_marks:
            name = first if player == 1 else second
            raise ValueError(
                f"Marks were added after the line of {name} had ended the game."
            )


def table_of(policy, game):
    """Return a policy as an array (S, A) of float.

    Raises ValueError if it has another shape.
    """
    remedy = "mdp.to_cells makes a table of a packed one"
    return sized(policy, game.legal.shape, "A policy", remedy)


def moves_for(side, policy, game):
    """Return a policy as an array (S, A) that can move for a side, both if it is 0.

    Raises ValueError if it has another shape, or a row of that side does not sum to 1.
    """
    policy = table_of(policy, game)
    rows = ~game.terminal & (game.to_move != -side)
    fits = np.allclose(policy[rows].sum(axis=1), 1)
    demand(fits, "A policy cannot move for its side: its rows should sum to 1")
    return policy


def checked_training(game, games, opponent, side, behaviour=None):
    """Return (games, opponent, behaviour) of a training, policies as arrays or None.

    Arguments are those of `learning.train`. Raises ValueError if one makes no sense.
    """
    demand(games == int(games) >= 0, f"games = {games}: give a number from 0 up")
    demand(
        side in ((0,) if opponent is None else (+1, -1, 0)),
        f"side = {side!r}: give 1 or -1 against an opponent, 0 for both and self-play",
    )
    if opponent is not None:
        opponent = moves_for(-side, opponent, game)
    if behaviour is not None:
        behaviour = moves_for(side, behaviour, game)
    return int(games), opponent, behaviour


def discount(gamma):
    """Return a discount as a float. Raises ValueError unless 0 ≤ γ ≤ 1."""
    if not 0 <= gamma <= 1:
        raise ValueError(f"gamma = {gamma}: a discount is a number from 0 to 1.")
    return float(gamma)


def of_states(mdp, V):
    """Return V as an array (n,) of float. Raises ValueError if it has another shape."""
    return sized(V, (len(mdp.position),), "V", PACKING)


def of_pairs(mdp, numbers):
    """Return a policy, or q, as an array (N,); raises ValueError as `of_states`."""
    return sized(numbers, (len(mdp.action),), "A policy, or q,", PACKING)


def unsettled(change):
    """Return the ValueError on values that still change after very many sweeps."""
    return ValueError(
        f"The values have not settled, they still change by {change:.3g}: at gamma "
        "= 1 every episode must end; else let theta be larger."
    )


def demand_later_successors(mdp):
    """Raise ValueError unless all successors have larger numbers than their states."""
    state = np.repeat(np.arange(len(mdp.position)), np.diff(mdp.first))
    late = mdp.successor > np.repeat(state, np.diff(mdp.indptr))
    if not late.all():
        s = np.repeat(state, np.diff(mdp.indptr))[~late].min()
        raise ValueError(
            f"State {s} can be followed by a state that is not later: for backward "
            "induction successors need larger numbers."
        )


def demand_ties(ties):
    """Raise ValueError unless `ties` is a rule for ties."""
    demand(
        ties in ("uniform", "lowest"),
        f"ties = {ties!r}: the rules for ties are 'uniform' and 'lowest'",
    )


def legal_actions(action, legal, states):
    """Return the actions taken in `states`. Raises ValueError if one is illegal."""
    chosen = np.asarray(action)[states]
    good = (chosen >= 0) & (chosen < legal.shape[1])
    good[good] = legal[states[good], chosen[good]]
    if not good.all():
        state = states[~good][0]
        raise ValueError(f"Action {action[state]} is illegal in position {state}.")
    return chosen


def demand_beads(beads, reinforcement):
    """Raise ValueError unless matchboxes can begin with, and be given, such beads."""
    for name, numbers in (("beads", beads), ("reinforcement", reinforcement)):
        whole = all(number == int(number) for number in numbers)
        demand(whole, f"{name} = {numbers}: beads are whole")
    demand(beads and min(beads) > 0, f"beads = {beads}: give numbers from 1 up")
    demand(len(reinforcement) == 3, "reinforcement is for a win, a draw and a loss")


def demand_settings(alpha, epsilon, gamma, lambda_, n, initial, rewards):
    """Raise ValueError unless the settings of a new learner make sense.

    `alpha` and `epsilon` are Schedules, the others numbers, `rewards` three.
    """
    shares = {"alpha": alpha[1:3], "epsilon": epsilon[1:3]}
    shares |= {"gamma": (gamma,), "lambda_": (lambda_,)}
    for name, values in shares.items():
        for each in values:
            demand(0 <= each <= 1, f"{name} = {each}: give a number from 0 to 1")
    demand(alpha.start > 0, "alpha = 0: nothing is learnt without a step size above 0")
    demand(n >= 1, f"n = {n}: give a number of steps from 1 up")
    numbers = (initial, *rewards)
    demand(np.isfinite(numbers).all(), f"initial, rewards = {numbers}: not all finite")


def write_whole(path, data, anew=False):
    """Write bytes to a file so that it is always whole: the old ones or the new.

    They are written beside it and renamed, so whatever interrupts the writing leaves an
    older file of that name as it was. A link stays, and what it leads to is written.
    anew: whether to raise FileExistsError instead of replacing a file.
    """
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{path.name[:99]}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if anew:
            _put_anew(part, path)
        else:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _put_anew(part, path):
    """Give a file a name that nobody has, in one step where there are links."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # no links here, as on a memory stick
        path.open("x").close()
        part.replace(path)
