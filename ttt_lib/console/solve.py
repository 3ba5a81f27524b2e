"""The command `ttt solve`: all methods of planning and of search."""

import time
from typing import NamedTuple

import click
import numpy as np

from ttt_lib import evaluation, mdp, planning, policy, search
from ttt_lib.agents import Agent
from ttt_lib.console import options
from ttt_lib.console.large_board import count_down
from ttt_lib.console.saving import keep, must_be_new, name_of
from ttt_lib.console.screen import SCORES, not_taught, report
from ttt_lib.console.screen import exact as exactly
from ttt_lib.console.show import named_board
from ttt_lib.game import SIDE_NAMES, tables
from ttt_lib.large_boards import exact
from ttt_lib.validation import require

OPTIMISES = "Planning against a fixed opponent"
EVALUATES = "Evaluation of a given policy against a fixed opponent"
SEARCHES = "Search against a perfect opponent"
METHODS = {
    OPTIMISES: {
        "policy_iteration": "evaluate a policy, improve it, repeat",
        "modified_policy_iteration": "the same, with a few sweeps per evaluation",
        "value_iteration": "sweeps over the best actions",
        "prioritized_sweeping": "the most urgent position first",
        "backward_induction": "one sweep from the last position to the first",
        "linear_programming": "the least values that satisfy all inequalities",
        "best_response": "one sweep over the whole game",
    },
    EVALUATES: {
        "policy_evaluation": "by sweeps",
        "linear_solve": "by a system of linear equations",
    },
    SEARCHES: {
        "minimax": "every game that can follow",
        "alpha_beta": "minimax without the moves that cannot matter",
        "minimax_on_tables": "every game, with the moves looked up",
        "minimax_with_memory": "each position only once",
        "solve": "all positions in one sweep",
        "count_down": "all positions of a larger board, by codes",
    },
}
OPTIONS = {  # kind → options of all its methods
    OPTIMISES: {"against", "side", "rewards", "gamma", "ties"},
    EVALUATES: {"against", "side", "rewards", "gamma", "policy"},
    SEARCHES: {"board", "first"},
}
MORE_OPTIONS = {  # method → additional options
    "policy_iteration": {"order", "theta"},
    "modified_policy_iteration": {"evaluations", "theta"},
    "value_iteration": {"order", "theta"},
    "prioritized_sweeping": {"theta"},
    "policy_evaluation": {"order", "theta"},
    "alpha_beta": {"order"},
}
OWN_OPTIONS = {  # method → all options, for methods that differ from their kind
    "best_response": {"against", "side", "rewards", "ties"},
    "solve": {"gamma", "ties"},
    "count_down": {"size", "max_bytes"},
}
DEFAULTS = {
    "against": "random",
    "policy": "random",
    "side": "both",
    "gamma": 1.0,
    "rewards": (1.0, 0.0, -1.0),
    "first": "X",
    "size": (4, 4, 4),
    "max_bytes": exact.MAX_BYTES,
}
COUNTS = ("sweeps", "backups", "solves")  # fields of a Solution
PASSED_ON = ("order", "evaluations", "theta", "ties")  # unchanged to the library


@options.command(
    "ttt solve value_iteration --gamma 0.9 --against random",
    "ttt solve policy_iteration --side second --rewards 500 0 -3500 --save so.json",
    "ttt solve alpha_beta --order lines",
    "ttt solve count_down --size 4 4 3",
)
@click.argument("method", type=options.Method(METHODS))
@click.option(
    "--against",
    metavar="OPPONENT",
    help="The opponent, named as in 'ttt play'. Default: random.",
)
@click.option("--side", type=options.SIDE, help="Default: both.")
@click.option("--gamma", type=options.SHARE, help="Discount. Default: 1.")
@click.option(
    "--rewards", type=options.REWARD, nargs=3, metavar="W D L", help="Default: 1 0 -1."
)
@click.option(
    "--order",
    help="Order of sweeps (synchronous, rising, falling); for "
    "alpha_beta 'lines' tries the cells on most lines first.",
)
@click.option(
    "--evaluations",
    type=options.Whole(0, 99_999),
    help="For modified_policy_iteration.",
)
@click.option(
    "--theta",
    type=options.Number(0),
    help="Sweeps stop when no value changes by more, as a share of the largest.",
)
@click.option("--policy", help="Policy to evaluate. Default: random.")
@click.option("--board", help="Board from which a search starts, such as x_x/o_o/___.")
@click.option(
    "--first", type=options.MARK, help="Mark that moves first on --board. Default: X."
)
@click.option(
    "--size",
    type=options.Whole(1),
    nargs=3,
    metavar="ROWS COLUMNS K",
    help="For count_down: the board, and how many in a row win. Default: 4 4 4.",
)
@click.option(
    "--max-bytes",
    type=options.Whole(1),
    help="For count_down: limit of memory. Default: 45000000.",
)
@click.option(
    "--ties",
    type=click.Choice(["uniform", "lowest"]),
    help="Which of equally good moves the result takes. Default: uniform.",
)
@options.save_option
@options.force_option
@options.json_option
def solve(method, save, force, as_json, **chosen):
    """Solve the game by METHOD, and show the result and the work that it took."""
    settings = settings_of(method, options.given(chosen))
    must_be_new(save, force)
    game = tables()
    answers = run(game, method, settings)
    data = summary(game, method, answers, settings)
    if save is not None:
        agent = to_agent(game, method, answers, settings, save)
        save = str(keep(agent, save, force))
    report(as_json, data | {"saved": save}, print_result)


class Answer(NamedTuple):
    """The result of a method for one side, or for both."""

    side: int  #: +1, −1, or 0 for a search
    value: float  #: of the starting position for that side
    work: dict  #: name → count, such as sweeps or nodes
    seconds: float  #: of the second call, when everything is compiled
    policy: np.ndarray | None = None  #: (S, A), 0 where the side is not to move
    Q: np.ndarray | None = None  #: (S, A)


def kind_of(name):
    """Return the kind of a method: OPTIMISES, EVALUATES or SEARCHES."""
    return next(kind for kind, methods in METHODS.items() if name in methods)


def options_of(name):
    """Return the names of the options of a method (set)."""
    by_kind = OPTIONS[kind_of(name)] | MORE_OPTIONS.get(name, set())
    return OWN_OPTIONS.get(name, by_kind)


def settings_of(name, chosen):
    """Return the settings of a method: the options that are chosen, and defaults.

    Raises ValueError if the method does not have one of the options.
    """
    unknown = sorted(set(chosen) - options_of(name))
    if unknown:
        raise ValueError(f"{name} has no --{unknown[0].replace('_', '-')}.")
    return {**DEFAULTS, **chosen}


def run(game, name, settings):
    """Return the Answers of a method: one of a search, one for each side of planning.

    settings: see `settings_of`. Raises ValueError if one is not valid.
    """
    if name == "count_down":
        solved, seconds = count_down(settings["size"], settings["max_bytes"])
        work = {"nodes": int(exact.layers(solved).sum())}
        return [Answer(0, float(solved.value[0]), work, seconds)]
    if kind_of(name) == SEARCHES:
        return [_search(game, name, settings)]
    sides = {"first": [+1], "second": [-1], "both": [+1, -1]}[settings["side"]]
    return [_plan(game, name, side, settings) for side in sides]


def _plan(game, name, side, settings):
    """Return the Answer of a method of planning for one side."""
    gamma, rewards = settings["gamma"], settings["rewards"]
    opponent = options.entrant(game, settings["against"]).on(-side)
    more = {option: settings[option] for option in PASSED_ON if option in settings}
    if name == "best_response":
        response = evaluation.best_response
        answer, seconds = _timed(response, game, opponent, side, rewards, **more)
        work = {"backups": int(game.count[game.to_move == side].sum())}
        # The second player's game begins with the opponent's move.
        value = float(answer.V[0])
        return Answer(side, value, work, seconds, answer.policy, answer.Q)
    problem = mdp.from_opponent(game, opponent, side, rewards)
    arguments = [problem, gamma]
    if kind_of(name) == EVALUATES:
        evaluated = options.entrant(game, settings["policy"]).on(side)
        arguments.insert(1, mdp.from_cells(problem, evaluated))
    if name == "policy_iteration" and "order" in more:
        more["evaluation"] = more.pop("order")
    solution, seconds = _timed(getattr(planning, name), *arguments, **more)
    work = {count: getattr(solution, count) for count in COUNTS}
    if name == "prioritized_sweeping":
        del work["sweeps"]
    moves = mdp.to_cells(game, problem, solution.policy)
    Q = mdp.to_cells(game, problem, planning.q_from_v(problem, solution.V, gamma))
    return Answer(side, float(problem.start @ solution.V), work, seconds, moves, Q)


def _search(game, name, settings):
    """Return the Answer of a search."""
    if name == "solve":
        solution, seconds = _timed(search.solve, game, settings["gamma"])
        moves = policy.greedy(solution.Q, game.legal, settings.get("ties", "uniform"))
        work, value = {"nodes": len(game.code)}, float(solution.V[0])
        return Answer(0, value, work, seconds, moves, solution.Q)
    order = settings.get("order", "rising")
    require(
        order in ("rising", "lines"),
        f"order = {order!r}: cells are tried 'rising' or 'lines'",
    )
    more = {"order": search.most_lines_first(game)} if order == "lines" else {}
    s = 0
    if "board" in settings:
        (board,) = named_board(settings["board"]).values()
        s = game.find(board, settings["first"])
    solution, seconds = _timed(getattr(search, name), game, s, **more)
    return Answer(0, float(solution.value), {"nodes": solution.nodes}, seconds)


def _timed(function, *arguments, **options):
    """Return the result of a function, and the seconds of its second (warm) call."""
    function(*arguments, **options)
    start = time.perf_counter()
    solution = function(*arguments, **options)
    return solution, time.perf_counter() - start


def summary(game, name, answers, settings):
    """Return the Answers as data for JSON, with exact scores."""
    results = []
    for answer in answers:
        result = {"side": answer.side, "value": answer.value, **answer.work}
        if answer.policy is not None:
            result |= evaluation.scores(game, answer.policy, answer.side)
        results.append(result | {"seconds": answer.seconds})
    data = {"method": name}
    if kind_of(name) != SEARCHES:
        data |= {key: settings[key] for key in ("against", "gamma", "rewards")}
        roles = [(settings["against"], -answer.side) for answer in answers]
        if kind_of(name) == EVALUATES:
            roles += [(settings["policy"], answer.side) for answer in answers]
        players = [(options.entrant(game, text), side) for text, side in roles]
        untaught = (agent for agent, side in players if agent.untaught(side))
        data["not_taught"] = not_taught(*untaught)
    return data | {"results": results}


def print_result(screen, data):
    """Write the result of `summary`."""
    results, opponent = data["results"], ""
    if "against" in data:
        opponent = f" against {data['against']}, {in_words(data)}"
    screen.say(f"{data['method']}{opponent}:")
    other_work = ", plus HiGHS" * (data["method"] == "linear_programming")
    columns = [_column(result, other_work) for result in results]
    rows = [[label, *(column[label] for column in columns)] for label in columns[0]]
    heads = {+1: "as first player", -1: "as second player", 0: "found"}
    screen.table(["", *(heads[result["side"]] for result in results)], rows)
    screen.not_taught(data.get("not_taught", {}))
    if data["saved"] is not None:
        screen.say(f"Saved in {data['saved']}.")


def _column(result, other_work=""):
    """Return one result as a column of the table: label → text.

    other_work: text on work other than backups.
    """
    column = {"value of the start": exactly(result["value"])}
    for name in (*COUNTS, "nodes"):
        if name in result:
            column[name] = f"{result[name]:,}{other_work * (name == 'backups')}"
    for side in SIDE_NAMES.values():
        # The head of a column for one side already has the side.
        suffix = "" if result["side"] else f", as {side} player"
        for name, label in SCORES.items():
            if f"{name}_{side}" in result:
                column[label + suffix] = exactly(result[f"{name}_{side}"])
    # Of fixed width, so that only the number differs from run to run.
    column["time"] = f"{result['seconds'] * 1000:12.2f} ms"
    return column


def in_words(settings):
    """Return discount and rewards as text."""
    numbers = ", ".join(f"{reward:g}" for reward in settings["rewards"])
    return f"γ = {settings['gamma']:g}, rewards {numbers}".replace("-", "−")


def to_agent(game, name, answers, settings, path):
    """Return the Agent of Answers, with the name of its file."""
    sides = [answer.side for answer in answers]
    require(
        answers[0].policy is not None,
        f"{name} finds a value but no policy: use the method solve",
    )
    opponent = "" if kind_of(name) == SEARCHES else f" against {settings['against']}"
    return Agent(
        name_of(path),
        f"Solved by {name}{opponent}; {in_words(settings)}.",
        sides[0] if len(sides) == 1 else 0,
        sum(answer.policy for answer in answers),
        sum(answer.Q for answer in answers),
        tuple(settings["rewards"]),
        game.rows,
        game.columns,
        game.k,
        training={"gamma": settings["gamma"]},
    )
