"""Every public function is called with invalid arguments, drawn by Hypothesis.

They raise a one-line error that names the argument, and nothing is changed. A valid
argument in another form, or that of another name, works or raises in the same way.
"""

import faulthandler
import inspect
import re
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest
from common import rng, same, wide
from hypothesis import given, note, settings
from hypothesis import strategies as st

import ttt_lib
from ttt_lib import agents, dyna, learning, mdp, menace, problems, schedules
from ttt_lib.approximation import features, reinforce
from ttt_lib.game import Game, tables
from ttt_lib.large_boards import exact, worst_case
from ttt_lib.validation import short_repr
from ttt_lib.validation.values import POLICIES

PACKAGES = """agents approximation dyna envs evaluation experiments files game
importance_sampling large_boards learning mdp menace notation planning policy problems
ratings regret rules sampling schedules search studies tabular
validation"""  # not those that plot or print
THEMSELVES = """game.symmetries game.tables learning.greedy_policy mdp.from_arrays
    mdp.gridworld policy.best rules.lines rules.winner schedules.as_schedule
    schedules.constant schedules.exponential schedules.linear schedules.power
    search.perfect studies.load"""  # validate without `validated`
SECONDS = 60  # a longer call ends the process
HUGE, INF, NAN = 10**30, np.inf, np.nan
JUNK = [object(), 1j, b"7", print, "nonsense", [[1], [1, 2]], np.array("x"), {}, set()]


def integer(usual, low=0, high=None):
    above = [] if high is None else [high + 1]
    return usual, [*JUNK, None, True, NAN, INF, 0.5, HUGE, [usual], low - 1, *above]


def number(usual, *wrong):
    return usual, [*JUNK, None, NAN, INF, -INF, [usual, usual], *wrong]


def array(usual, *wrong):
    hidden = np.ma.array(usual, mask=usual == usual)
    wrong = [*wrong, hidden, usual * 1j, usual.astype(str), usual[None], usual + NAN]
    return usual, [*JUNK, None, 7, NAN, [], usual[:-1], *wrong]


def valid(usual, *wrong):
    return usual, [*JUNK, None, 7, NAN, np.zeros((1, 3)), *wrong]


def halves(seed):
    """Return a policy of powers of 1/2, which is exact in every floating-point type."""
    table = np.zeros(wide.legal.shape)
    for s in np.flatnonzero(~wide.terminal):
        cells = rng(seed + s).permutation(np.flatnonzero(wide.legal[s]))
        table[s, cells] = 0.5 ** np.arange(1, len(cells) + 1)
        table[s, cells[-1]] *= 2
    return table


NINE, P, OTHER, S = tables(), halves(1), halves(2), len(wide.code)
M = mdp.from_opponent(wide, P)
Q = np.round(8 * rng().normal(size=P.shape)) / 8 * wide.legal
X = features.features(wide.board, wide.lines)
PAYOFF = np.array([[0.0, 0.5], [-0.5, 0]])
W, T = np.ones(X.shape[1]), np.repeat(np.eye(4), 2, axis=0).reshape(4, 2, 4) / 2
L, L9 = (learning.new_learner(g, "q_learning", rng()) for g in (wide, NINE))
DYNA = dyna.Dyna(wide, rng()).train(wide, 20, P)
AGENT = agents.to_agent(wide, L, "mine", "By hand.")
B, B9 = (menace.new_matchboxes(g, rng()) for g in (wide, NINE))
PAIRS, ORDER = mdp.from_cells(M, P), np.arange(6)[::-1]
POLICY = array(P, P / 2, -P, P[:, :5], P.T, NINE.legal / 9)
SIDE = valid(1, 2, 0.5, [1])  # 0, which is both, is not valid everywhere
WORD = valid("uniform", True, "", "Uniform")
SWEEP = valid("rising", True, "", "up")
ALPHA = number(0.5, -1, 2, schedules.Schedule(9, 0.5, 0.5, 0.0))
MOVES = [0, 3, 1, 4, 2], [*JUNK[:-2], None, 7, [0, 0], [9], [-1], [0.5], [True], [HUGE]]
REWARDS = valid((1.0, 0.0, -1.0), (1, 0), (1, NAN, 0), (1, None, -1), (1e308, 0, 0))
# Messages describe these without the name of the argument.
UNNAMED = {"agent", "board", "boxes", "firsts", "game", "learner", "path", "rows"}
UNNAMED |= {"columns", "seconds", "text", "who"}

# A valid value of an argument, and invalid ones: of one function, or of all.
USUAL = {
    "game": valid(wide, M), "self": (wide, []), "mdp": valid(M, wide),
    "rows": integer(2, 1), "columns": integer(3, 1), "k": integer(3, 1),
    "cells": integer(6, 6),
    "most_positions.cells": integer(6), "write.cells": valid(wide.board[9], [2], "XO"),
    "board": (wide.board[9], [*JUNK, None, NAN, 7, wide.board[9] + 5]),
    "find.board": ("XO....", [*JUNK, None, NAN, -1, HUGE, "XX....", "XO/..", True]),
    "boards": array(wide.board, wide.board[0]), "lines": array(wide.lines, -wide.lines),
    "player": SIDE, "side": SIDE, "s": integer(5, 0, S - 1),
    "start": integer(0, 0, S - 1),
    "position": integer(5, 0, S - 1), "play.action": integer(5), "actions": MOVES,
    "policy": POLICY, "opponent": POLICY, "behaviour": POLICY, "target": POLICY,
    "first": POLICY, "second": POLICY, "combine_sides.first": valid(P),
    "find.first": valid("X"),
    "write.first": valid("X"), "string.first": valid("X"),
    "uniform.legal": valid(wide.legal, Q), "policy.policy": array(P, -P, P[:, :5]),
    "suboptimal_states.policy": array(P, -P), "other": array(P, -P, P[:, :5]),
    "firsts": valid([P], [], [7], P[0]),
    "seconds": valid([P], [], [7], P[0]), "Q": array(Q, Q[:, :5]),
    "legal": array(wide.legal, Q), "among": array(wide.legal, Q), "ties": WORD,
    "share_optimal.among": array(~wide.terminal, Q),
    "action": array(wide.action[:, 0], wide.action[:, 0] + 9),
    "order": array(ORDER, ORDER + 5, 0 * ORDER, ORDER * 1.5, [9]),
    "policy_evaluation.order": SWEEP, "value_iteration.order": SWEEP,
    "to_move": array(wide.to_move, 2 * wide.to_move), "p": number(0.5, -1, 2),
    "tie": number(1e-9, -1), "epsilon": ALPHA, "temperature": number(0.5, 0, -1),
    "greedy_pairs.first": array(M.first, M.first + 5, M.first[::-1]),
    "q": array(M.reward, P, M.reward[:3]), "V": array(M.start, P[:, 0]),
    "planning.policy": array(PAIRS, PAIRS / 2, -PAIRS, P), "table": array(P, P[:, :5]),
    "gamma": number(0.5, -1, 2, HUGE), "theta": number(1e-9, -1),
    "evaluation": valid("solve", "up"), "evaluations": integer(3, 0, 99_999),
    "rewards": REWARDS, "alpha": ALPHA, "alpha_w": number(0.5, -1, 2),
    "method": valid("sarsa", ""), "initial": number(0.5), "lambda_": number(0.5, -1, 2),
    "n": integer(2, 1), "games": integer(3), "at": valid([25, 30], [30, 25], [NAN]),
    "rng": (rng(), [*JUNK, None, 7, np.random]), "seed": integer(3),
    "seeds": integer(2, 1),
    "learner": valid(L, L9, B), "boxes": valid(B, B9, L), "beads": valid((2, 1), (0,)),
    "reinforcement": valid((3, 1, -1), (1, 0), (1, NAN, 0), (0.5, 0, 0)),
    "successes": (np.array([3, 0, 2]), [*JUNK, None, NAN, [-1], [9]]),
    "z": number(1.5, -1),
    "wilson_interval.n": integer(5, 1),
    "importance_sampling.games": integer(3, 1),
    "importance_sampling.V": array(P[:, 0], M.start),
    "ratio": (np.array([3.0, 0, 2]), [*JUNK, None, 7, NAN, [-1], []]),
    "outcome": array(np.array([1.0, -1, 0])), "iterations": integer(3, 1),
    "regret": array(Q, Q[:, :5]), "results": array(np.full((2, 2, 3), 0.5)),
    "payoff": array(PAYOFF, PAYOFF + 1, 9 * PAYOFF), "rating": array(np.ones(2)),
    "trial": valid(lambda setting, rng: setting),
    "run.settings": ([1, 2], [None, 7, NAN, []]), "jobs": integer(1, -9),
    "value": number(0.5), "linear.start": number(0.5), "end": number(0.25),
    "exponential.start": number(0.5, 0, -1), "exponential.end": number(0.5, 0, -1),
    "power.start": number(0.5), "exponent": number(0.5, -1), "by": valid("visits"),
    "linear.games": integer(3, 1), "exponential.games": integer(3, 1),
    "probability": array(T, 3 * T, -T), "reward": array(np.eye(4)[:, :2], np.eye(4)),
    "from_arrays.legal": array(np.full((4, 2), True), T), "squares": valid("E.|.#"),
    "from_arrays.start": array(np.full(4, 0.25), np.ones(4)), "step": number(-1.0),
    "x": array(X), "w": array(W), "reinforce.theta": array(W), "weight": array(X[:, 0]),
    "actor_critic.theta": array(W), "critic": array(X[:, 0]),
    "table_self_play.V": array(X[:, 0]), "least_squares.value": array(X[:, 0]),
    "baseline": (0.5, JUNK), "c": number(1, -1),
    "classes": valid(worst_case.classes(exact.solve(2, 3, 3)), wide),
    "weights": valid(reinforce.Weights(W, 0 * W), L), "playouts": integer(3, 1),
    "tree": (None, []), "function": (lambda board, mask: mask.argmax(), []),
    "who": valid("random", P / 2, NINE.legal / 9, "nobody", "gone.json", L9),
    "agent": valid(AGENT, L, "perfect"), "exclusive": (False, []),
    "name": ("perfect", []),
    "load.name": valid("td_limits", "../games"), "made": ("By hand.", JUNK[:3]),
    "text": valid("teacher 0.5", "teacher 2", "a\nb", "perfect 1", "x" * 5000),
    "path": ("x.json", [*JUNK[:4], None, 7, "gone/x.json", "", ".", "a\0b"]),
    "problem": valid(problems.random_walk(), wide), "states": integer(3, 1),
    "left": number(-1.0), "right": number(1.0),
    "dyna.learner": valid(DYNA, L, B),
    "history": ([], [7, NAN, [7], "text"]), "training": ({}, [7, NAN, [7], "text"]),
}  # fmt: skip


def public_functions():
    """Return {path: function} of all functions that validate their arguments."""
    names = "find", "string", "array"
    functions = {f"game.Game.{name}": getattr(Game, name) for name in names}
    for module in walk_packages(ttt_lib.__path__, "ttt_lib."):
        path = module.name.removeprefix("ttt_lib.")
        if path.split(".")[0] in PACKAGES:
            for name, value in vars(import_module(module.name)).items():
                local = getattr(value, "__module__", "") == module.name
                checks = hasattr(value, "unchecked") or f"{path}.{name}" in THEMSELVES
                if local and checks and not name.startswith("_"):
                    functions[f"{path}.{name}"] = value
    return functions


FUNCTIONS = public_functions()


def parameters_of(function):
    """Return {name: parameter} of a function, and the names of those it needs."""
    every = inspect.signature(function).parameters.items()
    named = {name: p for name, p in every if p.kind is not p.VAR_KEYWORD}
    return named, [name for name, p in named.items() if p.default is p.empty]


def samples(path, argument):
    """Return a valid value of an argument of a function, and invalid ones."""
    *_, module, name = path.split(".")
    usual = USUAL.get(f"{module}.{argument}", USUAL.get(argument))
    return USUAL.get(f"{name}.{argument}", usual)


def in_other_forms(value, all_of_them):
    """Return the same numbers in other forms; with all of them loops compile again."""
    if type(value) in (int, float):
        return [np.float64(value), np.array(value)]
    if not isinstance(value, np.ndarray):
        return []
    spread, frozen = np.repeat(value, 2, axis=0)[::2], value.copy()
    frozen.setflags(write=False)
    others = [np.asfortranarray(value), spread, frozen] if all_of_them else []
    return [value.tolist(), *others]


def outcome(function, arguments):
    """Return what a call returns, or the error that it raises."""
    try:
        result = function(**arguments)
        return list(result) if inspect.isgenerator(result) else result
    except Exception as error:
        return error


def state(value):
    """Return the contents of arguments, which a call must not change."""
    if isinstance(value, dict):
        return {name: state(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [state(each) for each in value]
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    return value.tobytes() if isinstance(value, np.ndarray) else None


def is_one_line(error, words):
    """Return whether an error is one sentence with one of the words."""
    message = str(error)
    good = isinstance(error, ValueError | TypeError | OSError | AttributeError)
    good = good and "\n" not in message and message.endswith((".", "?"))
    return good and re.search(rf"\b({'|'.join(words)})\b", message, re.IGNORECASE)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [20, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("path", FUNCTIONS)
def test_invalid_arguments_raise_a_one_line_error(
    path, examples, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    function = FUNCTIONS[path]
    parameters, needed = parameters_of(function)
    drawn = [name for name in parameters if samples(path, name)[1]]

    @settings(max_examples=examples, derandomize=examples == 20, database=None)
    @given(st.data())
    def called(data):
        argument = data.draw(st.sampled_from(drawn))
        usual, wrong = samples(path, argument)
        kinds = {
            "wrong": [x for x in wrong if x is not parameters[argument].default],
            "form": in_other_forms(usual, examples > 20),
            "other": [value for value, _ in USUAL.values()],
        }
        kind = data.draw(st.sampled_from([k for k in kinds if kinds[k]]))
        value = kinds[kind][data.draw(st.integers(0, len(kinds[kind]) - 1))]
        note(f"{path}: {argument} is {kind}: {short_repr(value)}")
        right = {name: samples(path, name)[0] for name in needed} | {argument: usual}
        call = right | {argument: value}
        for arguments in (right, call):
            if "rng" in arguments and arguments["rng"] is USUAL["rng"][0]:
                arguments["rng"] = rng()
        before = state(call)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        result = outcome(function, call)
        faulthandler.cancel_dump_traceback_later()
        raised = isinstance(result, Exception)
        if raised:
            named = kind == "wrong" and argument not in UNNAMED
            assert is_one_line(result, parameters if named else [""]), repr(result)
        assert kind != "wrong" or raised, f"no error: {result!r:.200}"
        if kind == "form" and not raised:
            assert same(result, outcome(function, right)), "a different result"
        after = state(call) | ({} if raised else {"rng": before.get("rng")})
        assert before.items() <= after.items(), "an argument was changed"

    called()


@pytest.mark.parametrize("path", FUNCTIONS)
def test_name_of_a_policy_raises_with_the_call_that_returns_it(path):
    function = FUNCTIONS[path]
    parameters, needed = parameters_of(function)
    for name in parameters.keys() & POLICIES:
        if not isinstance(samples(path, name)[0], np.ndarray) or "pairs" in path:
            continue  # the mark that moves first, or offsets
        call = {n: samples(path, n)[0] for n in needed} | {name: "perfect"}
        message = str(outcome(function, call))
        assert message.startswith(f"{name} should be "), message
        assert "agents.policy(game, 'perfect')" in message


USUAL_DEFAULTS = {"s": 0, "rewards": (1, 0, -1), "gamma": 1, "ties": "uniform"}
USUAL_DEFAULTS |= {"first": "X", "rows": 3, "columns": 3, "k": 3}
BOTH_SIDES = "agents", "evaluation.scores", "learning"


def test_optional_arguments_have_the_usual_defaults():
    """A game begins on the empty board; the agent is first, and learners are both."""
    none = inspect.Parameter.empty
    for path, function in FUNCTIONS.items():
        parameters = inspect.signature(function).parameters
        side = 0 if path.startswith(BOTH_SIDES) else 1
        for name, usual in (USUAL_DEFAULTS | {"side": side}).items():
            if name in parameters:
                assert parameters[name].default in (usual, none), path
