"""The agents as a league: the arena's cards, and all matches against all.

A card says an agent's method, its teacher, and what it loses on the sides that it was
taught.
"""

from functools import cache

import numpy as np

from ttt_lib import evaluation
from ttt_lib.agents import as_agent, builtin_names
from ttt_lib.agents.builtin import AGENTS
from ttt_lib.agents.names import parse
from ttt_lib.game import SIDES, tables
from ttt_lib.policy import uniform

# Method → in plain words, and who published it, by the key in the book's references,
# which ends with the year; nobody where the book knows no first source.
WAYS = {
    "random": ("chance: every free cell is equally likely", None),
    "best-against-random": ("the best answer to random moves", "bellman1957"),
    "perfect": ("minimax", None),
    "teacher": ("minimax, but one move in ten at random", None),
    "safe-and-greedy": ("the safe move that beats random moves most often", None),
    "menace": ("matchboxes full of beads", "michie1961"),
    "td_afterstates": ("TD learning of boards", "sutton1988"),
    "td_all_moves": ("TD learning from all moves", "sutton1988"),
    "td_lambda": ("TD(λ) learning of boards", "sutton1988"),
    "backward_sweep": ("TD learning from the end backwards", None),
    "mc_control": ("Monte Carlo control", None),
    "sarsa": ("Sarsa", "rummery1994"),
    "expected_sarsa": ("Expected Sarsa", None),
    "q_learning": ("Q-learning", "watkins1989"),
    "double_q_learning": ("Double Q-learning", "vanhasselt2010"),
    "independent_q": ("Q-learning of two who ignore each other", "tan1993"),
    "minimax_q": ("minimax Q-learning", "littman1994"),
}
TEACHER = "teacher 0.9"  # who plays where no level is said


def cards(entries):
    """Return what cards say of the agents of some `tables.entries`, the safest first.

    Name → a dict: `method` in words, the `year` in which it was published, whom it
    was taught `by`, the one `side` on which it was, and what it `loses`, as first and
    as second player: the shares of games, to uniformly random moves and to its worst
    opponent; None on a side that it was not taught. The safest loses least to the
    worst, on both sides together; who was taught one side only comes after the others.
    """
    told = {entry["name"]: _card(entry) for entry in entries}
    return dict(sorted(told.items(), key=lambda item: _danger(item[1])))


@cache
def cross():
    """Return all agents' matches against all, the best first, as the labs read them.

    A dict: `firsts` and `seconds` are the names of those who were taught that side, of
    both sides before the others, and `value[i][j]` is what the match of firsts[i]
    against seconds[j] is worth to the first player, in thousandths. The order is by
    what they win from those who were taught both sides.
    """
    game = tables()
    players = {name: as_agent(game, name) for name in _everyone()}
    both, firsts, seconds = (
        [name for name, each in players.items() if each.taught == side]
        for side in (0, 1, -1)
    )
    rows, columns, n = both + firsts, both + seconds, len(both)
    policies = ([players[name].policy for name in names] for names in (rows, columns))
    table = evaluation.cross_table(game, *policies)
    value = table[..., 0] - table[..., 2]
    as_first, as_second = value[:, :n].mean(axis=1), -value[:n].mean(axis=0)
    order = np.argsort(-(as_first[:n] + as_second[:n]), kind="stable")
    i = [*order, *(n + np.argsort(-as_first[n:], kind="stable"))]
    j = [*order, *(n + np.argsort(-as_second[n:], kind="stable"))]
    return {
        "firsts": [rows[k] for k in i],
        "seconds": [columns[k] for k in j],
        "value": np.rint(1000 * value[np.ix_(i, j)]).astype(np.int64).tolist(),
    }


def _everyone():
    """Return the names of all who play without a search: simple ones, and in files."""
    return ["random", TEACHER, *builtin_names()]


def loses(game, policy, side):
    """Return the exact shares of games lost to random moves, and to the worst opponent.

    They are those of one side (+1, −1). The worst opponent wins most often.
    """
    to_random = evaluation.result(game, policy, uniform(game.legal), side).loss
    worst = evaluation.best_response(game, policy, -side, rewards=(1, 0, 0)).V[0]
    return [to_random, float(worst)]


def _danger(card):
    """Return by what cards are sorted; shares that differ by rounding are equal."""
    taught = [lost for lost in card["loses"] if lost is not None]
    to_random, worst = np.mean(taught, axis=0).round(9)
    return -len(taught), worst, to_random


@cache
def _known(name):
    """Return the only side that somebody was taught, or 0, and what is lost on each."""
    game = tables()
    who = as_agent(game, name)
    return who.taught, [
        loses(game, who.policy, side) if who.taught in (side, 0) else None
        for side in SIDES.values()
    ]


def _card(entry):
    """Return the card of one entry; that of a slider is its last agent's."""
    name = entry.get("files", [entry["name"]])[-1]
    side, lost = _known(TEACHER if name == "teacher" else name)
    method, source = WAYS[_way(name)]
    card = {"method": method, "loses": lost}
    if source:
        card["year"] = int(source[-4:])
    if side:
        card["side"] = side
    if taught := _taught(name):
        card["by"] = taught
    return card


def _way(name):
    """Return the key of an agent in WAYS."""
    if name in WAYS:
        return name
    settings = AGENTS[name].settings
    method = settings.get("method", "backward_sweep")  # that of the five of a tutorial
    return "td_lambda" if "lambda_" in settings else method


def _taught(name):
    """Return whom an agent learned from, in words; None if it did not learn."""
    recipe = AGENTS.get(name)
    if recipe is None or recipe.group == "exact":
        return None
    if "method" not in recipe.settings:
        return "p2 to p6" if name == "p1" else "p1"
    whom = parse(recipe.settings.get("against", "self"))
    return {"self": "itself", "random": "random moves"}.get(
        whom.kind, str(whom).removesuffix(" lowest")
    )
