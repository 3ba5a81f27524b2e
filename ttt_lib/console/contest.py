"""The command `ttt contest`: a round robin of the agents of a class, with ranks."""

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
MAX_FILES = 1000  # in the folder of one student
IGNORED = "handed_in.csv"  # `make collect` writes it next to the folders


@command("ttt contest handed-in --to results --title 'Class 5'")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "output",
    type=click.Path(path_type=Path),
    default="contest",
    show_default=True,
    help="The folder for contest.html, standings.csv and matches.csv.",
)
@click.option(
    "--title", default="Contest", show_default=True, help="Title of the page."
)
@click.option("--force", is_flag=True, help="Replace the files of an earlier contest.")
def contest(folder, output, title, force):
    """Let all agents in FOLDER play each other, exactly, and rank them.

    Each JSON file of FOLDER is an agent, as 'ttt train --save' or 'ttt export' writes
    it, and has the name of its file. A folder in FOLDER, as 'make collect' makes them,
    should hold one JSON file, whose agent has the name of the folder. Nothing in a file
    is run. Files that cannot take part are listed with the reason.

    The total decides the rank: the sum of the exact values of all matches, as first and
    as second player. Ties are broken by the sum of both worst cases; agents that are
    still equal share a rank.
    """
    game, screen = tables(), Screen()
    policies, faults = entries(game, folder)
    if len(policies) < 2:
        for fault in faults:  # each on its own line
            message(f"{fault.file} does not take part: {fault.why}", err=True)
        agents = f"{len(policies)} agent{'s' * (len(policies) != 1)}"
        raise click.UsageError(
            f"{folder} holds {agents} that can take part, and a contest needs two."
        )
    paths = files(output)
    for path in paths if output.exists() else ():
        saving.must_be_new(path, force)
    names, players = list(policies), list(policies.values())
    table = evaluation.cross_table(game, players, players)
    ranked = standings(game, policies, table)
    texts = (
        contest_page.page(game, printable(title), ranked, names, table, faults),
        standings_csv(game, ranked),
        matches_csv(names, table),
    )
    if not output.exists():
        with saving.written(output):
            output.mkdir(parents=True)
    for path, text in zip(paths, texts, strict=True):
        with saving.written(path):
            write_atomic(path, text.encode("utf-8"))
    totals = [f"{one.total:+.3f}".replace("-", "−") for one in ranked]
    rows = [(one.name, one.rank, t) for one, t in zip(ranked, totals, strict=True)]
    screen.table(["agent", "rank", "total"], rows)
    for fault in faults:
        screen.say(f"{fault.file} does not take part: {fault.why}")
    screen.say(f"The page is {paths[0]}.")


class Fault(NamedTuple):
    """A file or folder that does not take part."""

    file: str  #: name of the file, or of the folder that should hold it
    why: str  #: reason, a sentence


class Mistake(NamedTuple):
    """The most expensive move of an agent on a board that an opponent can reach."""

    position: int  #: state before the move
    move: int  #: cell that it takes
    chance: float  #: probability of the move
    right: tuple  #: cells that keep the value
    before: int  #: value of the position for it: 1 a win, 0 a draw
    after: int  #: value after the move: 0 a draw, −1 a loss


class Standing(NamedTuple):
    """The result of an agent in the contest."""

    rank: int  #: 1 is the best; equals share a rank
    name: str  #: that of its file
    total: float  #: sum of the exact values of all its matches
    worst: tuple  #: values against the worst opponent, as first and second player
    mistake: Mistake | None  #: None if it makes no mistake


def entries(game, folder):
    """Return ({name: policy (S, A)}, list of Faults) of a folder, in order.

    It holds JSON files, named after their agents, or folders with one JSON file each,
    as `make collect` makes them. Nothing in a file is run.
    Raises ValueError if it is not a folder.
    """
    require(
        folder.is_dir(),
        f"{folder} is not a folder: give the folder of the agents' files",
    )
    policies, faults = {}, []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or entry.name == IGNORED:
            continue  # files of the operating system
        try:
            policy = _policy(game, _file(entry))
        except AgentFileError as fault:
            faults.append(Fault(_one_line(entry.name), _one_line(str(fault))))
        else:
            name = _one_line(entry.name if entry.is_dir() else entry.stem)
            numbered = (f"{name} ({number})" for number in count(2))
            while name in policies:
                name = next(numbered)
            policies[name] = policy
    return policies, faults


def _one_line(text):
    """Return a text with line breaks and unprintable characters escaped."""
    return printable(text).replace("\n", "\\n")


def _file(entry):
    """Return the file of an agent; raise AgentFileError if there is not exactly one."""
    if entry.is_symlink():
        raise AgentFileError("It is a link: hand in the file itself.")
    if not entry.is_dir():
        return entry
    json_files, total = [], 0
    for folder, folders, names in os.walk(entry):
        total += len(folders) + len(names)
        if total > MAX_FILES:
            raise AgentFileError(f"It is a folder of more than {MAX_FILES:,} files.")
        paths = [Path(folder, name) for name in names if not name.startswith(".")]
        json_files += [path for path in paths if path.suffix.lower() == ".json"]
    if not json_files:
        raise AgentFileError("It is a folder without a JSON file.")
    if len(json_files) > 1:
        names = " and ".join(sorted(path.name for path in json_files)[:2])
        raise AgentFileError(
            f"It holds {len(json_files)} JSON files, such as {names}: keep one."
        )
    return json_files[0]


def _policy(game, file):
    """Return the policy in a file; raise AgentFileError if it cannot take part."""
    if file.suffix.lower() != ".json":
        raise AgentFileError("It is not a JSON file: only JSON files take part.")
    if file.is_symlink():
        raise AgentFileError("It is a link: hand in the file itself.")
    try:
        agent = as_agent(game, load(file.absolute()))
        if agent.taught:
            raise AgentFileError(
                f"It was made for the {SIDE_NAMES[agent.taught]} player only, and in a "
                "contest an agent plays both sides."
            )
        return agent.on(0)
    except OSError as fault:
        raise AgentFileError(f"It cannot be read: {fault.strerror}.") from None
    except (MemoryError, RecursionError):
        raise AgentFileError("It is too large to be read.") from None
    except ValueError as fault:
        reason = str(fault).replace(f"{file.absolute()} cannot be used: ", "")
        raise AgentFileError(reason[:1].upper() + reason[1:]) from None


def standings(game, policies, table):
    """Return the Standings of {name: policy}, best first, by their cross table.

    The total decides, then the sum of both worst cases; equal agents share a rank and
    are sorted by name.
    """
    value = table[..., 0] - table[..., 2]
    totals = value.sum(axis=1) - value.sum(axis=0)  # self-matches cancel
    results = []
    for (name, policy), total in zip(policies.items(), totals.tolist(), strict=True):
        worst = tuple(
            float(evaluation.worst_case(game, policy, side)[0]) for side in (1, -1)
        )
        results.append(Standing(0, name, total, worst, most_expensive(game, policy)))

    def merit(one):
        return [-round(number / TOTAL_ATOL) for number in (one.total, sum(one.worst))]

    results.sort(key=lambda one: (merit(one), one.name))
    merits = [merit(one) for one in results]
    return [
        one._replace(rank=1 + merits.index(merit))
        for one, merit in zip(results, merits, strict=True)
    ]


def most_expensive(game, policy):
    """Return the most expensive Mistake that an opponent can bring about, or None.

    Its cost is the value lost times the probability of the move; of equally expensive
    mistakes it is one with the fewest marks on the board.
    """
    Q = search.solve(game).Q
    V = np.where(game.legal, Q, -1).max(axis=1)
    sides = (evaluation.reachable_against_any(game, policy, side) for side in (1, -1))
    reachable = np.logical_or(*sides)[:, np.newaxis] & game.legal
    cost = np.where(reachable, policy * (V[:, np.newaxis] - Q), 0)
    s, a = map(int, np.unravel_index(cost.argmax(), cost.shape))
    if cost[s, a] < TOTAL_ATOL:
        return None
    right = np.flatnonzero(game.legal[s] & (Q[s] == V[s]))
    chance = float(policy[s, a])
    return Mistake(s, a, chance, tuple(right.tolist()), int(V[s]), int(Q[s, a]))


def standings_csv(game, ranked):
    """Return the standings as CSV."""
    heads = "rank", "name", "total", "worst as first", "worst as second"
    heads += "board", "move", "chance", "right", "before", "after"
    rows = []
    for one in ranked:
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


def files(folder):
    """Return the paths of the files that a contest writes into a folder."""
    return [
        Path(folder, name) for name in ("contest.html", "standings.csv", "matches.csv")
    ]
