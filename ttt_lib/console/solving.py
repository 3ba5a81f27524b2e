"""Every method of planning and of search, as the console calls it."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, mdp, planning, policy, search
from ttt_lib.agents import Agent
from ttt_lib.console.options import entrant
from ttt_lib.console.scores import LABELS, of_side
from ttt_lib.console.screen import exact
from ttt_lib.doors import demand
from ttt_lib.game import SIDE_NAMES

OPTIMISES = "Planning against an opponent who does not change"
JUDGES = "The value of a given policy against such an opponent"
SEARCHES = "Search against an opponent who thinks"
PLANNED = {"against", "side", "rewards", "gamma", "ties"}  # options of all that plan
LOOKED = {"board", "first"}  # of all searches but `solve`


class Method(NamedTuple):
    """A method of the library, as the console offers it."""

    kind: str  #: OPTIMISES, JUDGES or SEARCHES
    says: str  #: what it does
    call: Callable  #: what computes it
    options: set  #: the names of those it has


METHODS = {
    "policy_iteration": Method(
        OPTIMISES,
        "evaluate a policy, improve it, and again",
        planning.policy_iteration,
        PLANNED | {"order", "theta"},
    ),
    "modified_policy_iteration": Method(
        OPTIMISES,
        "the same with a few sweeps for each evaluation",
        planning.modified_policy_iteration,
        PLANNED | {"evaluations", "theta"},
    ),
    "value_iteration": Method(
        OPTIMISES,
        "sweeps over the best actions",
        planning.value_iteration,
        PLANNED | {"order", "theta"},
    ),
    "prioritised_sweeping": Method(
        OPTIMISES,
        "the most urgent position first",
        planning.prioritised_sweeping,
        PLANNED | {"theta"},
    ),
    "backward_induction": Method(
        OPTIMISES,
        "one sweep from the last position to the first",
        planning.backward_induction,
        PLANNED,
    ),
    "linear_programme": Method(
        OPTIMISES,
        "the least values that satisfy all inequalities",
        planning.linear_programme,
        PLANNED,
    ),
    "best_response": Method(
        OPTIMISES,
        "one sweep over the whole game",
        evaluation.best_response,
        PLANNED - {"gamma"},
    ),
    "policy_evaluation": Method(
        JUDGES,
        "by sweeps",
        planning.policy_evaluation,
        PLANNED - {"ties"} | {"order", "theta", "policy"},
    ),
    "linear_solve": Method(
        JUDGES,
        "by a system of linear equations",
        planning.linear_solve,
        PLANNED - {"ties"} | {"policy"},
    ),
    "minimax": Method(
        SEARCHES,
        "every game that can follow",
        search.minimax,
        LOOKED,
    ),
    "alpha_beta": Method(
        SEARCHES,
        "without the moves that cannot matter",
        search.alpha_beta,
        LOOKED | {"order"},
    ),
    "minimax_on_tables": Method(
        SEARCHES,
        "every game, with the moves looked up",
        search.minimax_on_tables,
        LOOKED,
    ),
    "minimax_with_memory": Method(
        SEARCHES,
        "each position only once",
        search.minimax_with_memory,
        LOOKED,
    ),
    "solve": Method(
        SEARCHES,
        "all positions in one sweep",
        search.solve,
        {"gamma", "ties"},
    ),
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


USUAL = {
    "against": "random",
    "policy": "random",
    "side": "both",
    "gamma": 1.0,
    "rewards": (1.0, 0.0, -1.0),
    "first": "X",
}
PASSED_ON = ("order", "evaluations", "theta", "ties")  # to the library, as they are


def headings():
    """Return the methods and what each does, by kind."""
    kinds = {kind: [] for kind in (OPTIMISES, JUDGES, SEARCHES)}
    for name, method in METHODS.items():
        kinds[method.kind].append((name, method.says))
    return kinds


def settings(name, told):
    """Return the settings of a method: those that are told, the others as usual.

    Raises ValueError if one is told that the method does not have.
    """
    wrong = sorted(set(told) - METHODS[name].options)
    if wrong:
        raise ValueError(f"{name} has no --{wrong[0]}.")
    return {**USUAL, **told}


def answers(game, name, told):
    """Return the Answers of a method: of a search one, of planning one for each side.

    told: its `settings`. Raises ValueError if they make no sense.
    """
    if METHODS[name].kind == SEARCHES:
        return [_look(game, name, told)]
    sides = {"first": [+1], "second": [-1], "both": [+1, -1]}[told["side"]]
    return [_plan(game, name, side, told) for side in sides]


def _plan(game, name, side, told):
    """Return the Answer of a method of planning for one side."""
    method, gamma, rewards = METHODS[name], told["gamma"], told["rewards"]
    opponent = entrant(game, told["against"]).on(-side)
    options = {option: told[option] for option in PASSED_ON if option in told}
    if name == "best_response":
        found, seconds = _timed(method.call, game, opponent, side, rewards, **options)
        work = {"backups": int(game.count[game.to_move == side].sum())}
        # The second player's game begins with the opponent's move.
        V, value = found.V, float(found.V[0])
        return Answer(side, value, work, seconds, found.policy, V, found.Q)
    problem = mdp.against(game, opponent, side, rewards)
    arguments = [problem, gamma]
    if method.kind == JUDGES:
        judged = entrant(game, told["policy"]).on(side)
        arguments.insert(1, mdp.from_cells(problem, judged))
    if name == "policy_iteration" and "order" in options:
        options["evaluation"] = options.pop("order")
    found, seconds = _timed(method.call, *arguments, **options)
    work = {"sweeps": found.sweeps, "backups": found.backups, "solves": found.solves}
    if name == "prioritised_sweeping":
        del work["sweeps"]
    if name == "linear_programme":
        work["backups"] = f"{found.backups:,}, besides HiGHS"
    moves = mdp.to_cells(game, problem, found.policy)
    V = mdp.to_positions(game, problem, found.V)
    Q = mdp.to_cells(game, problem, planning.q_from_v(problem, found.V, gamma))
    return Answer(side, float(problem.start @ found.V), work, seconds, moves, V, Q)


def _look(game, name, told):
    """Return the Answer of a search."""
    if name == "solve":
        found, seconds = _timed(search.solve, game, told["gamma"])
        moves = policy.greedy(found.Q, game.legal, told.get("ties", "uniform"))
        work, value = {"nodes": len(game.code)}, float(found.V[0])
        return Answer(0, value, work, seconds, moves, found.V, found.Q)
    order = told.get("order", "rising")
    demand(
        order in ("rising", "lines"),
        f"order = {order!r}: cells are tried 'rising' or 'lines'",
    )
    options = {"order": search.most_lines_first(game)} if order == "lines" else {}
    s = game.find(told["board"], told["first"]) if "board" in told else 0
    found, seconds = _timed(METHODS[name].call, game, s, **options)
    return Answer(0, float(found.value), {"nodes": found.nodes}, seconds)


def _timed(function, *arguments, **options):
    """Return what a function gives, and the seconds of a second call: warm."""
    function(*arguments, **options)
    start = time.perf_counter()
    found = function(*arguments, **options)
    return found, time.perf_counter() - start


def summary(game, name, found, told):
    """Return the Answers as names and numbers, with exact scores."""
    results = []
    for answer in found:
        result = {"side": answer.side, "value": answer.value, **answer.work}
        if answer.policy is not None:
            result |= of_side(game, answer.policy, answer.side)
        results.append(result | {"seconds": answer.seconds})
    planned = {name: told[name] for name in ("against", "gamma", "rewards")}
    return {
        "method": name,
        **({} if METHODS[name].kind == SEARCHES else planned),
        "results": results,
    }


def tell(screen, found):
    """Tell what `summary` says."""
    whom = f" against {found['against']}, {_words(found)}" if "against" in found else ""
    screen.say(f"{found['method']}{whom}:")
    columns = [_column(result) for result in found["results"]]
    rows = [[label, *(column[label] for column in columns)] for label in columns[0]]
    heads = {+1: "as first player", -1: "as second player", 0: "found"}
    screen.table(["", *(heads[result["side"]] for result in found["results"])], rows)
    if found["saved"] is not None:
        screen.say(f"Saved in {found['saved']}.")


def _column(result):
    """Return one result as a column of the table: label → text."""
    column = {"value of the start": exact(result["value"])}
    for name in ("sweeps", "backups", "solves", "nodes"):
        if name in result:
            work = result[name]
            column[name] = work if isinstance(work, str) else f"{work:,}"
    for place in SIDE_NAMES.values():
        # A column that is one side's need not say which.
        whose = "" if result["side"] else f", as {place} player"
        for name, label in LABELS.items():
            if f"{name}_{place}" in result:
                column[label + whose] = exact(result[f"{name}_{place}"])
    # As wide whatever the time is, so that only the time changes from run to run.
    column["time"] = f"{result['seconds'] * 1000:12.2f} ms"
    return column


def _words(told):
    """Return discount and rewards in words."""
    numbers = ", ".join(f"{reward:g}" for reward in told["rewards"])
    return f"γ = {told['gamma']:g}, rewards {numbers}".replace("-", "−")


def agent(game, name, found, told, path):
    """Return the Agent of Answers for one side or for both, called after its file."""
    kind, sides = METHODS[name].kind, [answer.side for answer in found]
    demand(
        found[0].policy is not None,
        f"{name} finds a value and no policy: solve finds one",
    )
    whom = "" if kind == SEARCHES else f" against {told['against']}"
    own = [(game.to_move == side) | (side == 0) for side in sides]
    return Agent(
        path.stem,
        f"Solved by {name}{whom}; {_words(told)}.",
        sides[0] if len(sides) == 1 else 0,
        sum(answer.policy for answer in found),
        sum(answer.Q for answer in found),
        sum(answer.V * moves for answer, moves in zip(found, own, strict=True)),
        rows=game.rows,
        columns=game.columns,
        k=game.k,
        rewards=tuple(told["rewards"]),
        gamma=told["gamma"],
    )
