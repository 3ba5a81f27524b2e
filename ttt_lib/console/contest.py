"""The command `ttt contest`: a class's agents, all against all, and the standings."""

import csv
import io
import os
from itertools import count
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from ttt_lib import evaluation, search
from ttt_lib.agents import AgentFileError, as_agent, load
from ttt_lib.console import contest_page, saving
from ttt_lib.console.options import command, message, printable
from ttt_lib.console.screen import Screen
from ttt_lib.game import SIDE_NAMES, tables
from ttt_lib.validation import escape_formula, require, write_atomic

TOTAL_ATOL = 1e-9  # totals that differ by less are equal
MAX_FILES = 1000  # that are looked at in the folder of one student
IGNORED = "handed_in.csv"  # what `make collect` writes beside the folders


@command("ttt contest handed-in --to results --title 'Class 5'")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "place",
    type=click.Path(path_type=Path),
    default="contest",
    show_default=True,
    help="The folder that gets contest.html, standings.csv and matches.csv.",
)
@click.option("--title", default="Contest", show_default=True, help="Of the page.")
@click.option("--force", is_flag=True, help="Replace the files of an earlier contest.")
def contest(folder, place, title, force):
    """Let all agents in FOLDER meet all others, exactly, and write who is best.

    Each JSON file of FOLDER is an agent, as 'ttt train --save' or 'ttt export' writes
    it, and is called after its file. A folder in FOLDER, as 'make collect' lays them
    out, stands for the one JSON file in it, which is called after the folder. Nothing
    in a file is run. What cannot take part is named with the reason.

    Ranks go by the total: the exact values of all matches, on both seats, added up.
    Ties are broken by the sum of both worst cases; who is still equal shares a rank.
    """
    game, screen = tables(), Screen()
    policies, faults = entries(game, folder)
    if len(policies) < 2:
        for fault in faults:  # each in a line of its own
            message(f"{fault.file} takes no part: {fault.why}", err=True)
        agents = f"{len(policies)} agent{'s' * (len(policies) != 1)}"
        raise click.UsageError(
            f"{folder} holds {agents} that can take part, and a contest needs two."
        )
    paths = files(place)
    for path in paths if place.exists() else ():
        saving.must_be_new(path, force)
    names, each = list(policies), list(policies.values())
    table = evaluation.cross_table(game, each, each)
    ranked = standings(game, policies, table)
    texts = (
        contest_page.page(game, printable(title), ranked, names, table, faults),
        standings_csv(game, ranked),
        matches_csv(names, table),
    )
    if not place.exists():
        with saving.written(place):
            place.mkdir(parents=True)
    for path, text in zip(paths, texts, strict=True):
        with saving.written(path):
            write_atomic(path, text.encode("utf-8"))
    totals = [f"{one.total:+.3f}".replace("-", "−") for one in ranked]
    rows = [(one.name, one.rank, t) for one, t in zip(ranked, totals, strict=True)]
    screen.table(["agent", "rank", "total"], rows)
    for fault in faults:
        screen.say(f"{fault.file} takes no part: {fault.why}")
    screen.say(f"The page is {paths[0]}.")


class Fault(NamedTuple):
    """What does not take part."""

    file: str  #: its name, or that of the folder in which it should be
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
    """Return ({name: policy (S, A)}, Faults) of what lies in a folder, in order.

    That are JSON files, each named as the agent is, or folders, as `make collect` lays
    them out, that are named so and hold one. Nothing in a file is run.
    Raises ValueError if it is no folder.
    """
    require(folder.is_dir(), f"{folder} is no folder: give that of the agents' files")
    taken, faults = {}, []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or entry.name == IGNORED:
            continue  # what a computer keeps for itself
        try:
            policy = _policy(game, _file(entry))
        except AgentFileError as fault:
            faults.append(Fault(_one_line(entry.name), _one_line(str(fault))))
        else:
            name = _one_line(entry.name if entry.is_dir() else entry.stem)
            numbered = (f"{name} ({number})" for number in count(2))
            while name in taken:
                name = next(numbered)
            taken[name] = policy
    return taken, faults


def _one_line(text):
    """Return a text without breaks, and without what is no text in UTF-8."""
    return printable(text).replace("\n", "\\n")


def _file(entry):
    """Return the file of an agent; raise UnusableError if it is not certain which."""
    if entry.is_symlink():
        raise AgentFileError("It is a link: hand in the file itself.")
    if not entry.is_dir():
        return entry
    found, looked_at = [], 0
    for place, folders, names in os.walk(entry):
        looked_at += len(folders) + len(names)
        if looked_at > MAX_FILES:
            raise AgentFileError(f"It is a folder of over {MAX_FILES:,} files.")
        paths = [Path(place, name) for name in names if not name.startswith(".")]
        found += [path for path in paths if path.suffix.lower() == ".json"]
    if not found:
        raise AgentFileError("It is a folder without a JSON file.")
    if len(found) > 1:
        names = " and ".join(sorted(path.name for path in found)[:2])
        raise AgentFileError(
            f"It holds {len(found)} JSON files, as {names}: leave one."
        )
    return found[0]


def _policy(game, file):
    """Return the policy in a file; raise UnusableError if it cannot take part."""
    if file.suffix.lower() != ".json":
        raise AgentFileError("It is no JSON file: only these take part.")
    if file.is_symlink():
        raise AgentFileError("It is a link: hand in the file itself.")
    try:
        found = as_agent(game, load(file.absolute()))
        if found.taught:
            raise AgentFileError(
                f"It was made for the {SIDE_NAMES[found.taught]} player only: a "
                "contest has both seats."
            )
        return found.on(0)
    except OSError as fault:
        raise AgentFileError(f"It cannot be read: {fault.strerror}.") from None
    except (MemoryError, RecursionError):
        raise AgentFileError("It is too large to be read.") from None
    except ValueError as fault:
        what = str(fault).replace(f"{file.absolute()} cannot be used: ", "")
        raise AgentFileError(what[:1].upper() + what[1:]) from None


def standings(game, policies, table):
    """Return the Standings of {name: policy}, best first, by their cross table.

    The total decides, then the sum of both worst cases; equals share a rank, and stand
    by their names.
    """
    value = table[..., 0] - table[..., 2]
    totals = value.sum(axis=1) - value.sum(axis=0)  # with oneself: nothing
    found = []
    for (name, policy), total in zip(policies.items(), totals.tolist(), strict=True):
        worst = tuple(
            float(evaluation.worst_case(game, policy, side)[0]) for side in (1, -1)
        )
        found.append(Standing(0, name, total, worst, most_expensive(game, policy)))

    def merit(one):
        return [-round(number / TOTAL_ATOL) for number in (one.total, sum(one.worst))]

    found.sort(key=lambda one: (merit(one), one.name))
    merits = [merit(one) for one in found]
    return [
        one._replace(rank=1 + merits.index(own))
        for one, own in zip(found, merits, strict=True)
    ]


def most_expensive(game, policy):
    """Return the Mistake that costs most where an opponent can lead, None without one.

    It costs the value given away times the probability of the move; of equally
    expensive ones it is one with the fewest marks on the board.
    """
    Q = search.solve(game).Q
    V = np.where(game.legal, Q, -1).max(axis=1)
    sides = (evaluation.reachable_against_any(game, policy, side) for side in (1, -1))
    there = np.logical_or(*sides)[:, np.newaxis] & game.legal
    cost = np.where(there, policy * (V[:, np.newaxis] - Q), 0)
    s, a = map(int, np.unravel_index(cost.argmax(), cost.shape))
    if cost[s, a] < TOTAL_ATOL:
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
        row = [one.rank, escape_formula(one.name), f"{one.total:.12g}"]
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
        [
            *map(escape_formula, (names[i], names[j])),
            *map("{:.12g}".format, table[i, j]),
        ]
        for i, j in np.ndindex(table.shape[:2])
        if i != j
    ]
    return _csv(("first", "second", "win", "draw", "loss"), rows)


def _csv(heads, rows):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([heads, *rows])
    return file.getvalue()


def files(place):
    """Return the paths of what a contest writes into a folder."""
    return [
        Path(place, name) for name in ("contest.html", "standings.csv", "matches.csv")
    ]
