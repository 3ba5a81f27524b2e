"""Every method of planning and of search, as the console calls it."""

import time
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, mdp, planning, policy, search
from ttt_lib.agents.storage import Agent
from ttt_lib.console.screen import exact

# Name → what computes it; a best response has another shape, see `plan`.
PLANNING = {
    "policy_evaluation": planning.policy_evaluation,
    "linear_solve": planning.linear_solve,
    "policy_iteration": planning.policy_iteration,
    "modified_policy_iteration": planning.modified_policy_iteration,
    "value_iteration": planning.value_iteration,
    "prioritised_sweeping": planning.prioritised_sweeping,
    "backward_induction": planning.backward_induction,
    "linear_programme": planning.linear_programme,
    "best_response": None,
}
SEARCH = {
    "minimax": search.minimax,
    "alpha_beta": search.alpha_beta,
    "minimax_on_tables": search.minimax_on_tables,
    "minimax_with_memory": search.minimax_with_memory,
    "solve": search.solve,
}
METHODS = (*PLANNING, *SEARCH)
JUDGES = ("policy_evaluation", "linear_solve")
# Method → the options it has of its own
OWN = {
    "policy_evaluation": {"order", "theta", "policy"},
    "linear_solve": {"policy"},
    "policy_iteration": {"order", "theta"},
    "modified_policy_iteration": {"evaluations", "theta"},
    "value_iteration": {"order", "theta"},
    "prioritised_sweeping": {"theta"},
    "alpha_beta": {"order"},
}


class Answer(NamedTuple):
    """What a method found for one side, or for both."""

    side: int  #: +1, −1, or 0 for a search
    value: float  #: of the start, from that side
    work: dict  #: name → how much of it
    seconds: float  #: the second time, when everything is compiled
    policy: np.ndarray | None = None  #: (S, A), 0 where the side is not to move
    V: np.ndarray | None = None  #: (S,)
    Q: np.ndarray | None = None  #: (S, A)


def check_options(method, given):
    """Raise ValueError if an option that was given is none of the method's."""
    own = set(OWN.get(method, ())) | {"ties"}
    if method in PLANNING:
        own |= {"against", "side", "rewards"}
        own |= {"gamma"} if method != "best_response" else set()
    if method == "solve":
        own |= {"gamma"}
    elif method in SEARCH:
        own |= {"board"}
        own -= {"ties"}
    wrong = sorted(set(given) - own)
    if wrong:
        raise ValueError(f"{method} has no --{wrong[0]}.")


def plan(game, method, opponent, side, gamma, rewards, **options):
    """Return the Answer of a method of planning for one side against a policy."""
    if method == "best_response":
        call = evaluation.best_response
        ties = options.get("ties", "uniform")
        found, seconds = _timed(call, game, opponent, side, rewards, ties=ties)
        work = {"backups": int(game.count[game.to_move == side].sum())}
        # The second player's game begins with the opponent's move.
        V, moves, Q = found.V, found.policy, found.Q
        return Answer(side, float(V[0]), work, seconds, moves, V, Q)
    problem = mdp.against(game, opponent, side, rewards)
    arguments = [problem, gamma]
    options = dict(options)
    if method in JUDGES:
        arguments.insert(1, mdp.from_cells(problem, options.pop("policy")))
        options.pop("ties", None)
    if method == "policy_iteration" and "order" in options:
        options["evaluation"] = options.pop("order")
    found, seconds = _timed(PLANNING[method], *arguments, **options)
    work = {"sweeps": found.sweeps, "backups": found.backups, "solves": found.solves}
    if method == "prioritised_sweeping":
        del work["sweeps"]
    if method == "linear_programme":
        work["backups"] = f"{found.backups:,}, besides HiGHS"
    moves = mdp.to_cells(game, problem, found.policy)
    V = mdp.to_positions(game, problem, found.V)
    Q = mdp.to_cells(game, problem, planning.q_from_v(problem, found.V, gamma))
    value = float(problem.start @ found.V)
    return Answer(side, value, work, seconds, moves, V, Q)


def look(game, method, s, gamma=1.0, ties="uniform", order=None):
    """Return the Answer of a search from position s."""
    if method == "solve":
        found, seconds = _timed(search.solve, game, gamma)
        moves = policy.greedy(found.Q, game.legal, ties)
        work = {"nodes": len(game.code)}
        value = float(found.V[0])
        return Answer(0, value, work, seconds, moves, found.V, found.Q)
    if order not in (None, "rising", "lines"):
        raise ValueError(f"order = {order!r}: cells are tried 'rising' or 'lines'.")
    more = {} if order != "lines" else {"order": search.most_lines_first(game)}
    found, seconds = _timed(SEARCH[method], game, s, **more)
    return Answer(0, float(found.value), {"nodes": found.nodes}, seconds)


def _timed(function, *arguments, **options):
    """Return what a function gives, and the seconds of a second call: warm."""
    function(*arguments, **options)
    start = time.perf_counter()
    found = function(*arguments, **options)
    return found, time.perf_counter() - start


def summary(game, method, answers, against, gamma, rewards):
    """Return what was found, as names and numbers, and exact scores."""
    results, random = [], policy.uniform(game.legal)
    for each in answers:
        result = {"side": each.side, "value": each.value, **each.work}
        for side in (+1, -1) if each.side == 0 else (each.side,):
            if each.policy is None:
                continue
            place = {+1: "first", -1: "second"}[side]
            pair = (each.policy, random)[::side]
            chances = evaluation.win_draw_loss(game, *pair)[0][::side]
            names = [f"{end}_{place}" for end in ("win", "draw", "loss")]
            result |= dict(zip(names, map(float, chances), strict=True))
            worst = evaluation.worst_case(game, each.policy, side)[0]
            result[f"worst_{place}"] = float(worst)
        results.append(result | {"seconds": each.seconds})
    planned = {"against": against, "gamma": gamma, "rewards": list(rewards)}
    return {"method": method, **(planned if method in PLANNING else {})} | {
        "results": results
    }


def tell(screen, found):
    """Tell what `summary` says."""
    results, text = found["results"], found["method"]
    if "against" in found:
        numbers = ", ".join(map(_plainly, found["rewards"]))
        text += f" against {found['against']}, γ = {found['gamma']:g}"
        text += f", rewards {numbers}"
    screen.say(f"{text}:")
    rows = []
    first, *_ = results
    for name in first:
        if name in ("side", "seconds"):
            continue
        # Where each side has its column, the name need not say which.
        base, _, place = name.partition("_")
        other = [
            result.get(name, result.get(f"{base}_second", "")) for result in results
        ]
        cells = [
            exact(cell)
            if isinstance(cell, float)
            else f"{cell:,}"
            if isinstance(cell, int)
            else cell
            for cell in other
        ]
        label = {
            "value": "value of the start",
            "win": "win against random",
            "draw": "draw against random",
            "loss": "loss against random",
            "worst": "value against the worst opponent",
        }.get(base, name)
        if first["side"] == 0 and place:
            label += f", as {place} player"
        rows.append([label, *cells])
    # As wide whatever the time is, so that only the time changes from run to run.
    rows.append(["time", *(f"{each['seconds'] * 1000:12.2f} ms" for each in results)])
    heads = {1: "as first player", -1: "as second player", 0: "found"}
    screen.table(["", *(heads[each["side"]] for each in results)], rows)


def _plainly(number):
    return f"{number:g}".replace("-", "−")


def agent(method, answers, against, gamma, rewards, game, name):
    """Return the Agent of the answers for one side or for both."""
    if answers[0].policy is None:
        raise ValueError(f"{method} finds a value and no policy: solve finds one.")
    sides = [answer.side for answer in answers]
    side = sides[0] if len(sides) == 1 else 0
    numbers = ", ".join(map(_plainly, rewards))
    whom = f" against {against}" if method in PLANNING else ""
    whom += f"; γ = {gamma:g}, rewards {numbers}"
    V = Q = None
    if method in PLANNING:
        V = sum(answer.V * (game.to_move == answer.side) for answer in answers)
    else:
        V = answers[0].V
    Q = sum(answer.Q for answer in answers)
    return Agent(
        name,
        f"Solved by {method}{whom}.",
        side,
        sum(answer.policy for answer in answers),
        Q,
        V,
        rows=game.rows,
        columns=game.columns,
        k=game.k,
        rewards=tuple(rewards),
        gamma=gamma,
    )
