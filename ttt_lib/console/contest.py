"""A contest of a class: who takes part, all against all exactly, and the standings."""

import csv
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, search
from ttt_lib.agents import UnusableError, player
from ttt_lib.doors import demand
from ttt_lib.game import SIDE_NAMES

LIKE = 1e-9  # totals that differ by less are equal
BEGINS_A_FORMULA = "=+-@\t\r"


class Fault(NamedTuple):
    """A file that does not take part."""

    file: str  #: its name
    why: str  #: a sentence


class Mistake(NamedTuple):
    """The move of an agent that costs most, where an opponent can lead it."""

    position: int  #: there
    move: int  #: the cell that it takes
    chance: float  #: with this probability
    right: tuple  #: the cells that keep the value
    before: int  #: what the position is worth to it: 1 a win, 0 a draw
    after: int  #: and after the move: 0 a draw, −1 a loss


class Standing(NamedTuple):
    """What an agent has reached."""

    rank: int  #: 1 is the best; equals share a rank
    name: str  #: that of its file
    total: float  #: exact values of all its matches, on both seats, added up
    worst: tuple  #: its value against the worst opponent, as first and as second player
    mistake: Mistake | None  #: None if it never gives anything away


def entries(game, folder):
    """Return ({name: policy (S, A)}, Faults) of the files of a folder, in order.

    A name is that of its file, without .json. Nothing in a file is run.
    Raises ValueError if it is no folder, or if fewer than two take part.
    """
    demand(folder.is_dir(), f"{folder} is no folder: give that of the agents' files")
    taken, faults = {}, []
    for file in sorted(folder.iterdir()):
        if file.name.startswith("."):  # what a computer keeps for itself
            continue
        try:
            taken[file.stem] = _policy(game, file)
        except UnusableError as fault:
            faults.append(Fault(file.name, str(fault)))
    agents = f"{len(taken)} agent{'s' * (len(taken) != 1)}"
    demand(
        len(taken) > 1,
        f"{folder} holds {agents} that can take part, and a contest needs two"
        + "".join(f".\n{fault.file}: {fault.why.rstrip('.')}" for fault in faults),
    )
    return taken, faults


def _policy(game, file):
    """Return the policy in a file; raise UnusableError if it cannot take part."""
    if file.suffix != ".json" or file.is_dir():
        raise UnusableError("It is no JSON file: only these take part.")
    if file.is_symlink():
        raise UnusableError("It is a link: hand in the file itself.")
    try:
        found = player(game, str(file.absolute()))
        if found.taught:
            raise UnusableError(
                f"It was made for the {SIDE_NAMES[found.taught]} player only: a "
                "contest has both seats."
            )
        return found.on(0)
    except OSError as fault:
        raise UnusableError(f"It cannot be read: {fault.strerror}.") from None
    except ValueError as fault:
        what = str(fault).replace(f"{file.absolute()} cannot be used: ", "")
        raise UnusableError(what[:1].upper() + what[1:]) from None


def standings(game, policies, table):
    """Return the Standings of {name: policy}, best first, by their cross table.

    The total decides, then the sum of both worst cases; equals share a rank, and stand
    by their names.
    """
    value = table[..., 0] - table[..., 2]
    totals = value.sum(axis=1) - value.sum(axis=0)  # with oneself: nothing
    found = []
    for (name, policy), total in zip(policies.items(), totals.tolist(), strict=True):
        worst = [
            float(evaluation.worst_case(game, policy, side)[0]) for side in (1, -1)
        ]
        mistake = most_expensive(game, policy)
        found.append(Standing(0, name, total, tuple(worst), mistake))
    found.sort(key=lambda one: (-round(one.total / LIKE), -sum(one.worst), one.name))
    ranked = []
    for place, one in enumerate(found, start=1):
        before = ranked[-1] if ranked else None
        level = before is not None and (
            abs(before.total - one.total) < LIKE
            and abs(sum(before.worst) - sum(one.worst)) < LIKE
        )
        ranked.append(one._replace(rank=before.rank if level else place))
    return ranked


def most_expensive(game, policy):
    """Return the Mistake that costs most where an opponent can lead, None without one.

    It costs the value given away times the probability of the move; of equally
    expensive ones it is one with the fewest marks on the board.
    """
    Q = search.solve(game).Q
    V = np.where(game.legal, Q, -1).max(axis=1)
    sides = (evaluation.steerable(game, policy, side) for side in (1, -1))
    there = np.logical_or(*sides)[:, np.newaxis] & game.legal
    cost = np.where(there, policy * (V[:, np.newaxis] - Q), 0)
    s, a = map(int, np.unravel_index(cost.argmax(), cost.shape))
    if cost[s, a] < LIKE:
        return None
    right = np.flatnonzero(game.legal[s] & (Q[s] == V[s]))
    chance = float(policy[s, a])
    return Mistake(s, a, chance, tuple(right.tolist()), int(V[s]), int(Q[s, a]))


def standings_csv(game, found):
    """Return the standings as CSV."""
    heads = "rank", "name", "total", "worst as first", "worst as second"
    heads += "board", "move", "chance", "right", "before", "after"
    rows = []
    for one in found:
        row = [one.rank, as_text(one.name), f"{one.total:.12g}"]
        row += [f"{worst:.12g}" for worst in one.worst]
        if one.mistake is not None:
            s, move, chance, right, before, after = one.mistake
            cells = " ".join(map(str, right))
            row += [game.string(s), move, f"{chance:.12g}", cells, before, after]
        rows.append(row)
    return _csv(heads, rows)


def matches_csv(names, table):
    """Return all matches as CSV."""
    rows = [
        [as_text(one), as_text(two), *(f"{chance:.12g}" for chance in table[i, j])]
        for i, one in enumerate(names)
        for j, two in enumerate(names)
        if i != j
    ]
    return _csv(("first", "second", "win", "draw", "loss"), rows)


def as_text(name):
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in BEGINS_A_FORMULA else name


def _csv(heads, rows):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([heads, *rows])
    return file.getvalue()


def files(place):
    """Return the paths of what a contest writes into a folder."""
    return [
        Path(place, name) for name in ("contest.html", "standings.csv", "matches.csv")
    ]
