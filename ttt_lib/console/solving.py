"""Every method of planning and of search, as the console calls it."""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from ttt_lib import evaluation, mdp, planning, policy, search
from ttt_lib.agents import Agent
from ttt_lib.bigger import exact
from ttt_lib.console.options import entrant
from ttt_lib.console.scores import LABELS, named_board, not_taught, tell_not_taught
from ttt_lib.console.screen import exact as exactly
from ttt_lib.doors import demand, demand_size
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
    "count_down": Method(
        SEARCHES,
        "all positions of a larger board, by codes",
        exact.solve,
        {"size", "most_bytes"},
    ),
}


class Answer(NamedTuple):
    """What a method finds for one side, or for both."""

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
    "size": (4, 4, 4),
    "most_bytes": exact.MOST_BYTES,
}
SAMPLE = 3, 4, 3  # a small board, whose time tells that of a larger one
COUNTS = ("sweeps", "backups", "solves")  # of a Solution
PASSED_ON = ("order", "evaluations", "theta", "ties")  # to the library, as they are


def headings():
    """Return the methods and what each does, by kind."""
    kinds = {kind: [] for kind in (OPTIMISES, JUDGES, SEARCHES)}
    for name, method in METHODS.items():
        kinds[method.kind].append((name, method.says))
    return kinds


def settings_of(name, options):
    """Return the settings of a method: the options that are given, others as usual.

    Raises ValueError if the method does not have one of the options.
    """
    wrong = sorted(set(options) - METHODS[name].options)
    if wrong:
        raise ValueError(f"{name} has no --{wrong[0]}.")
    return {**USUAL, **options}


def run(game, name, settings):
    """Return the Answers of a method: of a search one, of planning one for each side.

    settings: see `settings_of`. Raises ValueError if they make no sense.
    """
    if name == "count_down":
        return [_count_down(settings)]
    if METHODS[name].kind == SEARCHES:
        return [_look(game, name, settings)]
    sides = {"first": [+1], "second": [-1], "both": [+1, -1]}[settings["side"]]
    return [_plan(game, name, side, settings) for side in sides]


def _plan(game, name, side, settings):
    """Return the Answer of a method of planning for one side."""
    method, gamma, rewards = METHODS[name], settings["gamma"], settings["rewards"]
    opponent = entrant(game, settings["against"]).on(-side)
    options = {option: settings[option] for option in PASSED_ON if option in settings}
    if name == "best_response":
        answer, seconds = _timed(method.call, game, opponent, side, rewards, **options)
        work = {"backups": int(game.count[game.to_move == side].sum())}
        # The second player's game begins with the opponent's move.
        V, value = answer.V, float(answer.V[0])
        return Answer(side, value, work, seconds, answer.policy, V, answer.Q)
    problem = mdp.against(game, opponent, side, rewards)
    arguments = [problem, gamma]
    if method.kind == JUDGES:
        judged = entrant(game, settings["policy"]).on(side)
        arguments.insert(1, mdp.from_cells(problem, judged))
    if name == "policy_iteration" and "order" in options:
        options["evaluation"] = options.pop("order")
    solution, seconds = _timed(method.call, *arguments, **options)
    work = {count: getattr(solution, count) for count in COUNTS}
    if name == "prioritised_sweeping":
        del work["sweeps"]
    moves = mdp.to_cells(game, problem, solution.policy)
    V = mdp.to_positions(game, problem, solution.V)
    Q = mdp.to_cells(game, problem, planning.q_from_v(problem, solution.V, gamma))
    return Answer(side, float(problem.start @ solution.V), work, seconds, moves, V, Q)


def _look(game, name, settings):
    """Return the Answer of a search."""
    if name == "solve":
        solution, seconds = _timed(search.solve, game, settings["gamma"])
        moves = policy.greedy(solution.Q, game.legal, settings.get("ties", "uniform"))
        work, value = {"nodes": len(game.code)}, float(solution.V[0])
        return Answer(0, value, work, seconds, moves, solution.V, solution.Q)
    order = settings.get("order", "rising")
    demand(
        order in ("rising", "lines"),
        f"order = {order!r}: cells are tried 'rising' or 'lines'",
    )
    options = {"order": search.most_lines_first(game)} if order == "lines" else {}
    s = 0
    if "board" in settings:
        (board,) = named_board(settings["board"]).values()
        s = game.find(board, settings["first"])
    solution, seconds = _timed(METHODS[name].call, game, s, **options)
    return Answer(0, float(solution.value), {"nodes": solution.nodes}, seconds)


def _count_down(settings):
    """Return the Answer of a larger board."""
    solved, seconds = count_down(settings["size"], settings["most_bytes"])
    work = {"nodes": int(exact.layers(solved).sum())}
    return Answer(0, float(solved.value[0]), work, seconds)


def count_down(size, most_bytes=exact.MOST_BYTES):
    """Return the Exact of a board of `size`, having said what that takes, and seconds.

    Raises ValueError as `exact.solve`.
    """
    exact.demand_room(*demand_size(*size), most_bytes)
    seconds = _timed(exact.solve, *SAMPLE)[1] * 3.0 ** (
        size[0] * size[1] - SAMPLE[0] * SAMPLE[1]
    )
    codes = 3 ** (size[0] * size[1])
    print(
        f"{codes:,} codes take {codes / 1e6:,.1f} MB and about {seconds:.1g} s.",
        file=sys.stderr,
    )
    start = time.perf_counter()
    quiet = not sys.stderr.isatty()
    watched = partial(tqdm, disable=quiet, leave=False, unit="piece")
    solved = exact.solve(*size, most_bytes, watched)
    return solved, time.perf_counter() - start


def _timed(function, *arguments, **options):
    """Return what a function gives, and the seconds of a second call: warm."""
    function(*arguments, **options)
    start = time.perf_counter()
    solution = function(*arguments, **options)
    return solution, time.perf_counter() - start


def summary(game, name, answers, settings):
    """Return the Answers as names and numbers, with exact scores."""
    results = []
    for answer in answers:
        result = {"side": answer.side, "value": answer.value, **answer.work}
        if answer.policy is not None:
            result |= evaluation.scores(game, answer.policy, answer.side)
        results.append(result | {"seconds": answer.seconds})
    found = {"method": name}
    if METHODS[name].kind != SEARCHES:
        found |= {key: settings[key] for key in ("against", "gamma", "rewards")}
        found["not_taught"] = _not_taught(game, name, answers, settings)
    return found | {"results": results}


def _not_taught(game, name, answers, settings):
    """Return `scores.not_taught` of those who play a side that they were not taught."""
    cast = [(settings["against"], -answer.side) for answer in answers]
    if METHODS[name].kind == JUDGES:
        cast += [(settings["policy"], answer.side) for answer in answers]
    players = [(entrant(game, text), side) for text, side in cast]
    return not_taught(*(who for who, side in players if who.untaught(side)))


def tell(screen, summary):
    """Tell what `summary` says."""
    whom = (
        f" against {summary['against']}, {_words(summary)}"
        if "against" in summary
        else ""
    )
    screen.say(f"{summary['method']}{whom}:")
    besides = ", besides HiGHS" * (summary["method"] == "linear_programme")
    columns = [_column(result, besides) for result in summary["results"]]
    rows = [[label, *(column[label] for column in columns)] for label in columns[0]]
    heads = {+1: "as first player", -1: "as second player", 0: "found"}
    screen.table(["", *(heads[result["side"]] for result in summary["results"])], rows)
    if "not_taught" in summary:
        tell_not_taught(screen, summary)
    if summary["saved"] is not None:
        screen.say(f"Saved in {summary['saved']}.")


def _column(result, besides=""):
    """Return one result as a column of the table: label → text.

    `besides` says what else there was to do than backups.
    """
    column = {"value of the start": exactly(result["value"])}
    for name in (*COUNTS, "nodes"):
        if name in result:
            column[name] = f"{result[name]:,}{besides * (name == 'backups')}"
    for place in SIDE_NAMES.values():
        # A column that is one side's need not say which.
        whose = "" if result["side"] else f", as {place} player"
        for name, label in LABELS.items():
            if f"{name}_{place}" in result:
                column[label + whose] = exactly(result[f"{name}_{place}"])
    # As wide whatever the time is, so that only the time changes from run to run.
    column["time"] = f"{result['seconds'] * 1000:12.2f} ms"
    return column


def _words(settings):
    """Return discount and rewards in words."""
    numbers = ", ".join(f"{reward:g}" for reward in settings["rewards"])
    return f"γ = {settings['gamma']:g}, rewards {numbers}".replace("-", "−")


def agent(game, name, answers, settings, path):
    """Return the Agent of Answers for one side or for both, called after its file."""
    kind, sides = METHODS[name].kind, [answer.side for answer in answers]
    demand(
        answers[0].policy is not None,
        f"{name} finds a value and no policy: solve finds one",
    )
    whom = "" if kind == SEARCHES else f" against {settings['against']}"
    return Agent(
        path.stem,
        f"Solved by {name}{whom}; {_words(settings)}.",
        sides[0] if len(sides) == 1 else 0,
        sum(answer.policy for answer in answers),
        sum(answer.Q for answer in answers),
        tuple(settings["rewards"]),
        game.rows,
        game.columns,
        game.k,
        training={"gamma": settings["gamma"]},
    )
