"""Standings of the agents: the cards of the arena, and the cross table of all matches.

A card gives an agent's method, its teacher, and its share of lost games on the sides
that it was taught.
"""

from functools import cache

import numpy as np

from ttt_lib import evaluation
from ttt_lib.agents import as_agent, builtin_names
from ttt_lib.agents.builtin import AGENTS
from ttt_lib.agents.names import parse
from ttt_lib.game import SIDES, tables
from ttt_lib.policy import uniform

# Method → (description, key in the book's references, which ends with the year; None if
# the book names no first source)
METHODS = {
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
    "independent_q": ("two Q-learners that ignore each other", "tan1993"),
    "minimax_q": ("minimax Q-learning", "littman1994"),
}
TEACHER = "teacher 0.9"  # the teacher if no level is given


def cards(entries):
    """Return the cards of the agents in a list of `encode.entries`, the safest first.

    Name → a dictionary: `method` in words; the `year` of its publication; `by`, its
    teacher; `side`, if it was taught only one; and `loses`, for first and second
    player: the shares of games lost to uniformly random moves and to its worst
    opponent, or None for a side that it was not taught. The safest agent loses least
    to its worst opponent, both sides together; agents taught only one side come last.
    """
    cards = {entry["name"]: _card(entry) for entry in entries}
    return dict(sorted(cards.items(), key=lambda item: _danger(item[1])))


@cache
def cross():
    """Return the cross table of all agents, the best first, as the labs read it.

    A dictionary: `firsts` and `seconds` are the names of the agents taught that side,
    those taught both sides first, and `value[i][j]` is the value of the match
    firsts[i] against seconds[j] for the first player, in thousandths. Agents are in
    the order of their mean value against the agents that were taught both sides. Of
    these agents `total[i]` is the value of all matches among them, on both sides, and
    `worst[i]` the worst case as first and as second player, in thousandths.
    """
    game = tables()
    players = {name: as_agent(game, name) for name in _participants()}
    both, firsts, seconds = (
        [name for name, each in players.items() if each.taught == side]
        for side in (0, 1, -1)
    )
    rows, columns, n = both + firsts, both + seconds, len(both)
    policies = [[players[name].policy for name in names] for names in (rows, columns)]
    table = evaluation.cross_table(game, *policies)
    value = table[..., 0] - table[..., 2]
    as_first, as_second = value[:, :n].mean(axis=1), -value[:n].mean(axis=0)
    order = np.argsort(-(as_first[:n] + as_second[:n]), kind="stable")
    i = [*order, *(n + np.argsort(-as_first[n:], kind="stable"))]
    j = [*order, *(n + np.argsort(-as_second[n:], kind="stable"))]
    worst = [
        [evaluation.worst_case(game, policies[0][k], side)[0] for side in (1, -1)]
        for k in order
    ]
    return {
        "firsts": [rows[k] for k in i],
        "seconds": [columns[k] for k in j],
        "value": _thousandths(value[np.ix_(i, j)]),
        "total": _thousandths(n * (as_first[:n] + as_second[:n])[order]),
        "worst": _thousandths(worst),
    }


def _thousandths(values):
    return np.rint(1000 * np.asarray(values)).astype(np.int64).tolist()


def _participants():
    """Return the names of all agents in the cross table."""
    return ["random", TEACHER, *builtin_names()]


def loses(game, policy, side):
    """Return the exact shares of games lost to random moves and to the worst opponent.

    side: +1 or −1, of the policy. The worst opponent is the one that wins most often.
    """
    to_random = evaluation.result(game, policy, uniform(game.legal), side).loss
    worst = evaluation.best_response(game, policy, -side, rewards=(1, 0, 0)).V[0]
    return [to_random, float(worst)]


def _danger(card):
    """Return the sort key of a card; shares that differ by rounding count as equal."""
    taught = [lost for lost in card["loses"] if lost is not None]
    to_random, worst = np.mean(taught, axis=0).round(9)
    return -len(taught), worst, to_random


@cache
def _losses(name):
    """Return the only side that an agent was taught, or 0, and `loses` of each side."""
    game = tables()
    agent = as_agent(game, name)
    return agent.taught, [
        loses(game, agent.policy, side) if agent.taught in (side, 0) else None
        for side in SIDES.values()
    ]


def _card(entry):
    """Return the card of one entry; for a slider, that of its last agent."""
    name = entry.get("files", [entry["name"]])[-1]
    side, lost = _losses(TEACHER if name == "teacher" else name)
    method, source = METHODS[_method(name)]
    card = {"method": method, "loses": lost}
    if source:
        card["year"] = int(source[-4:])
    if side:
        card["side"] = side
    if teacher := _teacher(name):
        card["by"] = teacher
    return card


def _method(name):
    """Return the key of an agent in METHODS."""
    if name in METHODS:
        return name
    settings = AGENTS[name].settings
    method = settings.get("method", "backward_sweep")  # of p1 to p5, from a tutorial
    return "td_lambda" if "lambda_" in settings else method


def _teacher(name):
    """Return in words whom an agent learned from; None if it did not learn."""
    recipe = AGENTS.get(name)
    if recipe is None or recipe.group == "exact":
        return None
    if "method" not in recipe.settings:
        return "p2 to p6" if name == "p1" else "p1"
    opponent = parse(recipe.settings.get("against", "self"))
    return {"self": "itself", "random": "random moves"}.get(
        opponent.kind, str(opponent).removesuffix(" lowest")
    )
