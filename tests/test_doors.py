"""The library's doors: whatever makes no sense gets one sentence, and ends nothing."""

import os
import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from calls import Child
from common import game, rng, same, some_policy, wide
from fuzz import ROOMS, drawn, fault_of, targets

from ttt_lib import learning, menace, search
from ttt_lib.doors import (
    MOST_CELLS,
    NEARLY,
    Format,
    agents,
    arguments,
    array,
    boards,
    chance,
    checked,
    format_of,
    free,
    learners,
    mask,
    notation,
    number,
    one_of,
    pictures,
    probabilities,
    settings,
    shown,
    too_large,
    whole,
    write_whole,
)
from ttt_lib.game import tables
from ttt_lib.mdp import against
from ttt_lib.policy import uniform

PI = "planning.uniform(m)"

# What a sentence should name, and the call; `calls.world` has the names.
WRONG = {
    # Once these ended the interpreter, or never ended, …
    "memory": [
        ("start", "runs.sample_match(w, p, other, 5, rng(), start=S)"),
        ("start", "runs.sample_match(w, p, other, 5, rng(), start=10**9)"),
        ("learner", "learning.train(g, L, 5)"),
        ("learner", "learning.train(w, L9, 5)"),
        ("learner", "learning.learn_game(g, L, [0, 3, 1, 4, 2])"),
        ("boxes", "menace.train(g, B, 5)"),
        ("boxes", "menace.train(w, B9, 5)"),
        ("boxes", "menace.learn_game(g, B, [0, 3, 1, 4, 2])"),
        ("probability", "mdp.from_arrays(np.full((2, 1, 3), 1 / 3), np.zeros((2, 1)))"),
        ("q", "policy.greedy_pairs(first, mq[:3])"),
        ("first", "policy.greedy_pairs(np.full(3, nan), mq)"),
        ("q", "policy.greedy_pairs(np.arange(10**4), mq)"),
        ("order", "search.alpha_beta(w, order=[9])"),
        ("order", "search.alpha_beta(w, order=[0, 1, 2, 3, 4, 10**9])"),
        ("first", "policy.greedy_pairs([0, 2**32 + 2], [1, 1])"),
        ("first", "policy.greedy_pairs([0, 1e300], [1, 1])"),
    ],
    "hangs": [
        ("cells", "rules.lines(3, 10**8, 3)"),
        ("columns", "game.tables(1, 10**400, 5)"),
        ("games", "learning.train(w, L, 10**30)"),
        ("games", "menace.train(w, B, 10**30)"),
        ("games", "runs.sample_match(w, p, other, 10**30, rng())"),
    ],
    # … and these got an answer
    "policies": [
        ("opponent", "mdp.against(w, illegal)"),
        ("opponent", "mdp.against(w, p[:, :5])"),
        ("opponent", "mdp.against(w, p / 2)"),
        ("opponent", "mdp.against(w, -p)"),
        ("opponent", "mdp.against(w, put(p, 8, nan))"),
        ("opponent", "mdp.against(w, u9)"),
        ("first", "evaluation.win_draw_loss(w, illegal, p)"),
        ("second", "evaluation.win_draw_loss(w, p, illegal)"),
        ("second", "evaluation.win_draw_loss(w, p, p / 2)"),
        ("first", "runs.sample_match(w, illegal, p, 5, rng())"),
        ("policy", "evaluation.result(w, p / 2, p)"),
        ("opponent", "evaluation.result(w, p, p / 2)"),
        ("opponent", "evaluation.best_response(w, illegal)"),
        ("opponent", "evaluation.best_response(w, p / 2)"),
        ("policy", "evaluation.worst_case(w, p / 2)"),
        ("policy", "evaluation.exploitability(w, illegal)"),
        ("policy", "evaluation.steerable(w, p / 2)"),
        ("policy", "evaluation.share_optimal(w, 2 * p)"),
        ("policy", "evaluation.share_optimal(w, np.ones((S, 6)) / 6)"),
        ("opponent", "evaluation.safe_and_greedy(w, illegal)"),
        ("opponent", "learning.train(w, L, 5, illegal, 1)"),
        ("opponent", "learning.train(w, L, 5, u9, 1)"),
        ("behaviour", "learning.train(w, L, 5, p, 1, illegal)"),
        ("opponent", "menace.train(w, B, 5, illegal)"),
        ("opponent", "menace.win_draw_loss(w, B, illegal)"),
        ("policy", f"planning.linear_solve(m, 2 * {PI}, 0.5)"),
        ("policy", f"planning.policy_iteration(m, 1, -{PI})"),
        ("policy", f"planning.policy_iteration(m, 0.5, 0 * {PI})"),
        ("policy", f"planning.policy_evaluation(m, 2 * {PI}, 0.5)"),
        ("policy", f"planning.expectation_backup(m, -{PI}, mV, 1)"),
    ],
    "rewards": [
        ("rewards", f"mdp.against(w, p, rewards={rewards})")
        for rewards in ("(nan, 0, 0)", "(1, 0, -1, 5)", "(1, 0)", "(1, None, -1)",
                        "(inf, 0, -1)", "7", "None", "('a', 'b', 'c')")
    ] + [
        ("rewards", "evaluation.best_response(w, p, rewards=(nan, 0, 0))"),
        ("rewards", "evaluation.best_response(w, p, rewards=(1, 0))"),
        ("rewards", "learning.new_learner(w, 'sarsa', rng(), rewards=(1, 0))"),
        ("rewards", "learning.new_learner(w, 'sarsa', rng(), rewards=(1, nan, 0))"),
        ("rewards", "learning.new_learner(w, 'sarsa', rng(), rewards=(1e308, 0, 0))"),
        ("rewards", "mdp.against(w, p, rewards=(0, 0, -1e308))"),
        ("reinforcement", "menace.new_matchboxes(w, rng(), reinforcement=(1, nan, 0))"),
        ("reward", "mdp.from_arrays(P, put(R, 1, nan))"),
        ("reward", "mdp.from_arrays(P, put(R, 1, inf))"),
    ],
    "values": [
        ("theta", "planning.prioritised_sweeping(m, 1, theta=nan)"),
        ("theta", "planning.prioritised_sweeping(m, 1, theta=inf)"),
        ("theta", "planning.value_iteration(m, 1, theta=-1)"),
        ("theta", "planning.modified_policy_iteration(m, 1, theta=nan)"),
        ("V", "planning.optimality_backup(m, put(mV, 1, nan), 1)"),
        ("V", "planning.q_from_v(m, put(mV, 1, inf), 1)"),
        ("Q", "policy.greedy(nan * Q, w.legal)"),
        ("Q", "policy.greedy(put(Q, 1, nan), w.legal)"),
        ("Q", "policy.best(put(Q, 1, nan), w.legal)"),
        ("Q", "policy.softmax(put(Q, 1, inf), w.legal)"),
        ("gamma", "planning.value_iteration(m, nan)"),
        ("gamma", "planning.value_iteration(m, 1.5)"),
        ("gamma", "search.solve(w, nan)"),
        ("among", "evaluation.best_response(w, p, among=~(w.legal | ~w.legal))"),
        ("start", "mdp.from_arrays(P, R, start=start[:2])"),
        ("start", "mdp.from_arrays(P, R, start=3 * start)"),
        ("start", "mdp.from_arrays(P, R, start=nan * start)"),
        ("legal", "mdp.from_arrays(P, R, legal=(R > -1)[:2])"),
        ("probability", "mdp.from_arrays(P[:, :, :3], R)"),
        ("side", "mdp.against(game.tables(2, 2, 1), np.full((5, 4), 0.25), -1)"),
        ("legal", "policy.max_q(np.zeros((3, 0)), np.zeros((3, 0), bool))"),
        ("z", "runs.wilson_interval(5, 10, 1e160)"),
        ("lines", "rules.winner(np.zeros(9), lines=[[0, 1, 2e19]])"),
        ("initial", "learning.new_learner(w, 'sarsa', rng(), initial=9e299)"),
    ],
    "missing": [
        ("table", "mdp.from_cells(m, np.full((S, 6), None))"),
        ("table", "mdp.from_cells(m, np.full((S, 6), '1', object))"),
        ("Q", "policy.greedy(masked(Q), w.legal)"),
        ("legal", "policy.uniform(masked(legal))"),
        ("first", "evaluation.win_draw_loss(w, masked(p), p)"),
        ("among", "evaluation.share_optimal(w, p, masked(some))"),
        ("successes", "runs.wilson_interval(masked(counts), 10)"),
        ("board", "rules.winner(masked(cells9))"),
        ("board", "w.find(masked(cells))"),
        ("values", "plots.numbers(w, 0, masked(values), ax())"),
    ],
    "sides": [
        ("side", call.format(side))
        for side in ("2", "0.5", "None", "nan", "'first'", "{}", "[1]")
        for call in ("mdp.against(w, p, {})", "evaluation.steerable(w, p, {})",
                     "learning.learn_game(w, L, whole, {})",
                     "menace.learn_game(w, B, whole, {})",
                     "menace.win_draw_loss(w, B, p, {})")
    ] + [
        ("side", "menace.win_draw_loss(w, B, p, 0)"),
        ("side", "evaluation.best_response(w, p, 0)"),
        ("side", "evaluation.worst_case(w, p, 0)"),
        ("side", "evaluation.share_given_away(w, p, 2)"),
    ],
    "learners": [
        ("learner", "learning.action_values(w, L9)"),
        ("learner", "learning.greedy_policy(w, L9)"),
        ("learner.visits", "learning.train(w, L._replace(visits=L.visits + 2**62), 5)"),
        ("learner.updates", "learning.train(w, L._replace(updates=~L.updates), 5)"),
        ("learner.Q", "learning.train(w, L._replace(Q=np.ma.array(L.Q)), 5)"),
        ("boxes", "menace.bead_policy(w, B9)"),
        ("boxes", "menace.is_empty(w, B9)"),
    ] + [
        ("alpha", f"learning.new_learner(w, 'sarsa', rng(), {schedule})")
        for schedule in ("Schedule(9, 0.5, 0.5, 0.0)", "Schedule(0, nan, nan, 0.0)",
                         "Schedule(1, 0.5, 0.1, nan)", "Schedule(2, 0.5, 0.0, 0.1)")
    ] + [
        ("end", "schedules.exponential(0.5, 0, 5)"),
        ("value", "schedules.constant(nan)"),
        ("n", "learning.new_learner(w, 'td_afterstates', rng(), n=1.5)"),
    ],
    "positions": [
        ("s", f"{search}(w, s={s})")
        for search in ("search.minimax", "search.alpha_beta",
                       "search.minimax_on_tables", "search.minimax_with_memory")
        for s in ("1.5", "S", "-1", "nan", "'x'", "None")
    ] + [
        ("s", "search.principal_variation(w, Q, s=1.5)"),
        ("s", "search.principal_variation(w, Q, s=-1)"),
        ("order", "search.principal_variation(w, Q, order=[0])"),
        ("order", "search.alpha_beta(w, order=[3, 4, 5])"),
        ("order", "search.alpha_beta(w, order=[4] * 6)"),
        ("order", "search.alpha_beta(w, order=[])"),
        ("position", "w.string(-1)"),
        ("board", "game.codes(np.ones(41))"),
        ("board", "game.codes(-np.ones(40))"),
        ("action", "rules.play(cells9, 2**63)"),
        ("action", "rules.play(cells9, True)"),
        ("actions", "plots.backup_diagram(w, 0, True, p, ax(), str)"),
        ("cells", "notation.write(np.zeros((2, 2, 2)))"),
        ("position", "w.array(S)"),
        ("start", "runs.sample_match(w, p, other, 5, rng(), start=-1)"),
    ],
    "counts": [
        ("rows", "(game.tables(1, 1, 1), game.tables(True, 1, 1))"),
        ("rows", "game.tables([3], 3, 3)"),
        ("rows", "(game.tables(3, 3, 3), game.tables(3.0, 3, 3))"),
        ("successes", "runs.wilson_interval(31, 30)"),
        ("trial", "runs.run(lambda n, rng: np.zeros(n), [1, 2], 1, rng(), 1)"),
        ("trial", "runs.run(lambda n, rng: [[1], [1, 2]], [1], 1, rng(), 1)"),
        ("n", "runs.wilson_interval(5, -30)"),
        ("n", "runs.wilson_interval(1, 0)"),
        ("games", "learning.train(w, L, nan)"),
        ("games", "learning.train(w, L, 'x')"),
        ("games", "learning.train(w, L, 1.5)"),
        ("games", "learning.train(w, L._replace(games=2**62 - 3), 5)"),
        ("games", "menace.train(w, B._replace(games=2**62 - 3), 5)"),
        ("games", "runs.sample_match(w, p, other, nan, rng())"),
    ],
    "files": [
        ("gone", "io.save(agent, 'gone/mine.json')"),
        ("gone", "agents.save(agent._replace(learner=None), 'gone/mine.json')"),
    ],
}  # fmt: skip

# Held otherwise, the same numbers give the same answer.
ALIKE = [
    ("mdp.against(w, p)", "mdp.against(w, listed(p))"),
    ("policy.greedy(Q, w.legal)", "policy.greedy(listed(Q), listed(legal))"),
    ("policy.max_q(Q, w.legal)", "policy.max_q(listed(Q), listed(legal))"),
    ("policy.uniform(w.legal)", "policy.uniform(listed(legal))"),
    (
        "rules.play(w.board[1], 5, lines)",
        "rules.play(np.uint8(w.board[1]), 5, lines)",
    ),
    ("rules.winner(cells9)", "rules.winner(np.ma.array(cells9))"),
    ("mdp.against(w, p, 1)", "mdp.against(w, p, 1.0)"),
    ("evaluation.best_response(w, p, 1)", "evaluation.best_response(w, p, 1.0)"),
    (
        "evaluation.best_response(w, p)",
        "evaluation.best_response(w, p, among=w.legal | ~w.legal)",
    ),
    ("evaluation.worst_case(w, p, 1)", "evaluation.worst_case(w, p, 1.0)"),
]


@pytest.fixture(scope="module")
def child():
    child = Child()
    yield child
    child.close()


@pytest.mark.parametrize("about", WRONG)
def test_a_wrong_argument_is_named_in_a_sentence(child, about):
    came = {call: (name, child.ask(call, 60)) for name, call in WRONG[about]}
    told = {
        call: found
        for call, (name, found) in came.items()
        if found.kind != "sentence" or name not in found.text
    }
    assert not told


def test_what_a_thing_says_of_itself_is_shown_as_text():
    strange = type("Strange", (), {"__repr__": lambda self: "a\x1b[31m\n\ud800é"})()
    assert shown(strange) == r"a\x1b[31m \ud800é"


def test_tables_that_a_process_reads_from_a_file_are_as_good(tmp_path):
    def stored(name, array):
        kept = np.memmap(tmp_path / name, array.dtype, "w+", shape=array.shape)
        kept[...] = array
        return kept

    game = tables(2, 2, 2)
    arrays = {n: x for n, x in game._asdict().items() if isinstance(x, np.ndarray)}
    other = game._replace(**{name: stored(name, x) for name, x in arrays.items()})
    assert (search.solve(other).Q == search.solve(game).Q).all()


@pytest.mark.parametrize(("usual", "unusual"), ALIKE)
def test_the_same_numbers_give_the_same_answer(child, usual, unusual):
    assert child.ask(unusual, 60) == child.ask(usual, 60)


@pytest.mark.slow
def test_what_ends_the_child_is_told_and_the_next_call_is_answered(child):
    assert child.ask("__import__('os').abort()").kind == "crash"
    assert child.ask("sum(iter(int, 1))", 0.1).kind == "hang"
    assert child.ask("np.zeros(10**12)").kind == "raw"
    assert child.ask("policy.greedy([1], 7)").kind != "answer"
    assert child.ask("1 + 1") == child.ask("2.0")


def test_random_wrong_calls_end_in_a_sentence(child):
    known, without = targets()
    assert not without, "say in fuzz.POOLS what these arguments may be"
    usual = {}
    calls = drawn(known, 200, np.random.default_rng(0))
    faults = {call.text: fault_of(call, child, usual) for call in calls}
    assert not {text: fault for text, fault in faults.items() if fault}


@pytest.mark.parametrize("room", ROOMS)
def test_public_loops_say_what_they_trust(room):
    module = import_module(f"ttt_lib.{room}")
    loops = [
        loop
        for name, loop in vars(module).items()
        if hasattr(loop, "targetoptions")  # what Numba makes
        and not name.startswith("_")
        and loop.__module__ == module.__name__
    ]
    said = "".join(thing.__doc__ for thing in (module, *loops))
    assert not loops or "trust" in said


ANYTHING = ("None", "7", "nan", "'text'", "{}", "object()", "lambda board: 1 / 0",
            "lambda board: board.fill(7)", "lambda: 0", "lambda board: 'x' * 10**6",
            "lambda board: [[]] * 10**5", "np.zeros(9)", "print")  # fmt: skip


def test_checks_say_something_of_any_answer(child):
    calls = [f"check.{name}({x})" for name in ("winner", "td_learn") for x in ANYTHING]
    said = {call: child.ask(call, 60) for call in calls}
    assert {found.kind for found in said.values()} == {"answer"}, said


# One check at a time, in this process: each gets a value and what else is known

RANDOM = uniform(wide.legal)
SOME = some_policy(wide, 1)
M = against(wide, SOME, +1)
L = learning.new_learner(wide, "double_q_learning", rng())
LV = learning.new_learner(wide, "td_afterstates", rng())
B = menace.new_matchboxes(wide, rng())
ONE_SIDED = np.where(wide.to_move[:, None] == 1, SOME, 0)
Q = np.where(wide.legal, 0.5, np.nan)
S, A = wide.legal.shape
IN = {"game": wide}
ON_M = {"mdp": M}
NAN, INF = np.nan, np.inf
LIKE = {"policy": SOME}
FIRST = np.array([0, 2, 3])
BESIDE = {"first": FIRST.astype(np.uint32)}
NINE = {"board": np.zeros(9)}
LAST = wide.count.argmax()


def moves(*cells):
    """Return who may choose where: all legal cells, but none of some in position 0."""
    among = wide.legal.copy()
    among[0, list(cells)] = False
    return among


def cut(thing, **changes):
    """Return a tuple of arrays in which some have another last number."""
    new = {name: getattr(thing, name).copy() for name in changes}
    for name, last in changes.items():
        new[name].flat[-1] = last
    return thing._replace(**new)


CHECKS = arguments.CHECKS | agents.AGENTS | learners.SETTINGS
CHECKS |= {
    "agent's initial": agents.AGENTS["initial"],
    "any side": arguments.any_side,
    "among": arguments.moves_among,
    "some": arguments.states_among,
    "cells": arguments.cells("cells"),
    "chances": arguments.chances("chances", "policy"),
    "other": probabilities("other", "policy"),
    "offsets": arguments.offsets,
    "pairs": arguments.pairs,
    "above": chance("above", above=True),
    "at": learners.numbers_of_games,
    "boxes": learners.sound_boxes,
    "L": lambda value, given: learners.sound_learner(
        value, given["game"], "Q", True, learning.SETTINGS
    ),
    "LV": lambda value, given: learners.sound_learner(
        value, given["game"], "V", False, learning.SETTINGS
    ),
    "array": pictures.board,
    "values": pictures.values,
    "coded": boards.coded,
    "moves": pictures.legal,
    "replies": pictures.replying,
}
AGENT = SimpleNamespace(training={}, rewards=())

# Check, what else is known, a value, and what the loops get; None if it is the value.
TAKEN = [
    ("game", {}, wide, None),
    *(("side", {}, side, int(side)) for side in (1, -1, 1.0, -1.0, np.int8(-1))),
    *(("any side", {}, side, int(side)) for side in (1, -1, 0, -1.0, np.int8(0))),
    ("legal", {}, wide.legal, None),
    ("rewards", {}, np.array([5, 0, -2]), (5.0, 0.0, -2.0)),
    *(("s", IN, s, int(s)) for s in (0, S - 1, 5.0)),
    ("position", {"self": wide}, S - 1, None),
    ("mdp", {}, M, None),
    ("mdp", IN, M, None),
    ("board", {}, [0.0, 1.0, -1.0], np.array([0, 1, -1], np.int8)),
    ("board", {"lines": game.lines}, game.board[:2], None),
    ("lines", {}, [[0, 1], [2, 3]], np.array([[0, 1], [2, 3]])),
    *(("player", {}, side, None) for side in (1, -1)),
    ("action", NINE, 3, np.array(3)),
    ("action", {"board": np.zeros((4, 9))}, [3.0] * 4, np.array([3] * 4)),
    ("actions", {}, (0, 1.0), [0, 1]),
    ("to_move", BESIDE, [1, -1, 1], np.array([1.0, -1, 1])),
    ("table", ON_M, Q, None),
    ("among", IN | {"side": 1}, moves(), wide.legal),
    ("among", IN | {"side": -1}, moves(*range(A)), None),
    ("some", IN, wide.terminal, None),
    ("order", ON_M, "falling", None),
    ("order", IN, np.arange(A)[::-1], None),
    ("order", IN | {"s": S - 1}, [], np.zeros(0, int)),
    ("Q", IN, Q, None),
    ("Q", {"legal": wide.legal}, Q, None),
    ("first", IN, np.full((S, A), INF), None),
    ("chances", LIKE, 0 * SOME, None),
    ("other", LIKE, SOME, None),
    ("other", {"policy": FIRST / 3}, FIRST / 3, None),
    ("other", LIKE, SOME * 0 + 1 + NEARLY / 2, None),
    ("V", ON_M, M.start, None),
    ("q", ON_M, M.reward, None),
    ("policy", {"Q": Q}, 0 * SOME, None),
    ("policy", IN, SOME, None),
    ("policy", IN | {"side": 1}, ONE_SIDED, None),
    ("behaviour", IN | {"side": 1}, ONE_SIDED, None),
    ("opponent", IN | {"side": -1}, ONE_SIDED, None),
    ("policy", ON_M, SOME[wide.legal & (wide.to_move == 1)[:, None]], None),
    *(("gamma", {}, gamma, float(gamma)) for gamma in (0, 1, np.float32(0.5))),
    ("above", {}, 1, 1.0),
    ("evaluations", {}, 99_999, None),
    ("theta", {}, 0, 0.0),
    ("tie", {}, 0, 0.0),
    ("temperature", {}, 0.1, None),
    ("offsets", {}, [0, 2, 2], np.array([0, 2, 2], np.uint32)),
    ("pairs", BESIDE, [INF, -INF, 0], np.array([INF, -INF, 0])),
    ("text", {}, "x", None),
    ("agent", {}, AGENT, None),
    ("path", {}, "a" * 255, Path("a" * 255)),
    ("path", {}, Path("far/away"), None),
    ("history", {}, [{}, {"games": 3}], ({}, {"games": 3})),
    ("training", {}, {}, None),
    ("initial", {}, -5, -5.0),
    ("agent's initial", {}, -5, -5.0),
    ("lambda_", {}, 1, 1.0),
    *(("n", {}, n, None) for n in (1, 2**31)),
    ("beads", {}, [1, 1e9], (1, 10**9)),
    ("reinforcement", {}, [-1e9, 0, 1e9], (-(10**9), 0, 10**9)),
    ("at", {}, (3, 5), None),
    *(("L", IN, learner, None) for learner in (L, cut(L, visits=2**62))),
    ("LV", IN, LV, None),
    ("boxes", IN, B, None),
    ("boxes", IN, cut(B, kind=A - 1, box=S - 1, beads=0, alike=1), None),
    ("array", {}, [[1.0, 0.0], [-1.0, 0.0]], np.array([[1, 0], [-1, 0]])),
    ("values", IN | {"s": LAST}, np.arange(A), None),
    ("values", IN | {"s": S - 1}, np.full(A, NAN), None),
    ("moves", IN | {"s": 0}, 0, [0]),
    ("moves", IN | {"s": 0}, (A - 1, 0.0), [A - 1, 0]),
    ("replies", IN | {"s": 0, "actions": [0]}, SOME, None),
    ("coded", {}, np.zeros(MOST_CELLS, np.int8), None),
]

# Check, what else is known, and values that make no sense.
REFUSED = [
    ("game", {}, [None, M, SimpleNamespace(successor=0)]),
    ("side", {}, [0, 2, -2, True, None, "1", [1], NAN, 0.5]),
    ("any side", {}, [2, -2, False, None, "0", [0], NAN, 0.5]),
    ("legal", {}, [wide.legal[0], Q, None, [[True], [True, False]]]),
    ("rewards", {}, [(1, 0), 7, None, (1, NAN, 0), "abc", [[1], [0], [-1]]]),
    ("s", IN, [-1, S, 1.5, NAN, True, "0", None]),
    ("position", {"self": wide}, [-1, S]),
    ("mdp", {}, [None, wide, SimpleNamespace(indptr=0)]),
    ("mdp", IN, [cut(M, position=S), M._replace(action=M.action[:-1])]),
    ("board", {}, [[2, 0], [-2, 0], [], [0.5], "X", None, [NAN, 0], [[0], [0, 1]]]),
    ("board", {"lines": game.lines}, [[0] * 8]),
    ("lines", {}, [[0, 1], [], [[-1, 0]], [[0.5, 1]], None, "012"]),
    ("player", {}, [0, 2, None, [1], "1"]),
    ("action", NINE, [0.5, True, 2**63, None, NAN, "3"]),
    ("action", {"board": np.zeros((3, 9))}, [[0, 1]]),
    ("actions", {}, [7, None, [0.5], [True], ["0"], [-1]]),
    ("to_move", BESIDE, [[1, -1], [1, 0, 1], [2, 2, 2], None]),
    ("table", ON_M, [SOME[:5], SOME[:, :5], SOME[0], "Q", None]),
    ("among", IN | {"side": 1}, [moves(*range(A)), wide.legal[:5], Q]),
    ("some", IN, [wide.legal, wide.count, None]),
    ("order", ON_M, ["up", None, 7]),
    ("order", IN, [[0], [0] * A, [*range(A), A], [range(A)], "012345", [0.5] * A]),
    ("Q", IN, [SOME[:5], np.where(wide.legal, INF, 0), SOME * NAN, None]),
    ("Q", {}, [Q, SOME[0]]),
    ("first", IN, [SOME[:5], None]),
    ("chances", LIKE, [-SOME, SOME[:5], SOME * NAN]),
    ("other", LIKE, [-SOME, SOME * 0 + 1.01, SOME[:5], Q]),
    ("V", ON_M, [M.start[1:], M.start * NAN, M.reward]),
    ("q", ON_M, [M.reward[1:], M.reward + INF, M.start]),
    ("policy", {"Q": Q}, [-SOME, SOME[:5], None]),
    ("policy", IN, [ONE_SIDED, SOME / 2, -SOME, SOME * NAN, SOME[:5], RANDOM * 2]),
    ("policy", IN, [np.ones((S, A)) / A, 2 * SOME - RANDOM * (SOME < 0.1)]),
    ("policy", IN | {"side": -1}, [ONE_SIDED]),
    ("opponent", IN | {"side": 1}, [ONE_SIDED]),
    ("policy", ON_M, [M.start, M.reward * 0 + 1, M.reward * 0, -M.reward]),
    ("gamma", {}, [-0.1, 1.1, NAN, None, True, "1", [1]]),
    ("above", {}, [0, 1.1]),
    ("evaluations", {}, [-1, 100_000, 0.5]),
    ("theta", {}, [-1, NAN, INF, None]),
    ("tie", {}, [-1, INF]),
    ("temperature", {}, [0, -1]),
    ("ties", {}, ["first", None]),
    ("evaluation", {}, ["up", 1]),
    ("games", {}, [-1, 0.5, 2**62 + 1, NAN, "5"]),
    ("rng", {}, [0, None, np.random]),
    ("pairs", BESIDE, [[1, 2], [NAN, 0, 0], None]),
    *((name, {}, [7, None, b"x"]) for name in ("text", "name", "made")),
    ("agent", {}, [None, SimpleNamespace(rewards=())]),
    ("agent", {}, [SimpleNamespace(training={})]),
    ("path", {}, ["", "a\0b", 7, None, b"x", "a" * 256, "\ud800", "\ud800/a"]),
    ("history", {}, [7, "text", b"text", [7], [{}, 7]]),
    *((name, {}, [7, None, [7]]) for name in ("settings", "training")),
    ("initial", {}, [NAN, None]),
    ("agent's initial", {}, [NAN, None]),
    ("lambda_", {}, [-0.1, 1.1]),
    ("n", {}, [0, 1.5, 2**31 + 1, INF]),
    ("beads", {}, [(), (0,), (1.5,), (10**9 + 1,), [[1]], 4]),
    ("reinforcement", {}, [(1, 0), (1.5, 0, 0), (0, 0, -(10**9) - 1), [[1, 0, 0]]]),
    ("at", {}, [7, None]),
    *(
        ("L", IN, [L._replace(**{table: wrong}) for wrong in (None, LV.V, Q)])
        for table in ("Q", "Q1", "Q2")
    ),
    ("L", IN, [L._replace(V=LV.V), LV, L._replace(updates=L.Q)]),
    ("L", IN, [cut(L, visits=-1), cut(L, updates=-1), cut(L, updates1=-1)]),
    ("L", IN, [L._replace(updates1=None), L._replace(visits=L.updates)]),
    ("L", IN, [L._replace(total_reward=np.zeros(3)), L._replace(gamma=2)]),
    ("LV", IN, [LV._replace(Q=L.Q), L, LV._replace(updates1=LV.updates)]),
    ("LV", IN, [LV._replace(visits=LV.V), LV._replace(n=0)]),
    ("boxes", IN, [None, SimpleNamespace(beads=0), SimpleNamespace(alike=0)]),
    ("boxes", IN, [cut(B, kind=A), cut(B, kind=-2), cut(B, box=S), cut(B, box=-1)]),
    ("boxes", IN, [cut(B, beads=-1), cut(B, alike=0), B._replace(box=B.kind)]),
    ("boxes", IN, [menace.new_matchboxes(game, rng()), B._replace(beads=L.Q)]),
    ("array", {}, [[0, 1], [[2]], [[-2]], [[]], None, np.zeros((1, 10_001))]),
    ("values", IN | {"s": 0}, [np.zeros(3), [NAN] * A, None]),
    ("coded", {}, [np.zeros(MOST_CELLS + 1)]),
]  # fmt: skip
SAYS = {"offsets": "first", "pairs": "q", "some": "among", "any side": "side",
        "agent's initial": "initial",
        "coded": "board has 40 cells",
        "moves": "actions", "replies": "opponent",
        "array": "array|10001", "L": "learner|gamma", "LV": "learner|n = "}  # fmt: skip


@pytest.mark.parametrize(("check", "known", "value", "gets"), TAKEN)
def test_a_check_returns_what_the_loops_need(check, known, value, gets):
    assert same(CHECKS[check](value, known), value if gets is None else gets)


@pytest.mark.parametrize(("check", "known", "wrong"), REFUSED)
def test_a_check_refuses_what_makes_no_sense_by_its_name(check, known, wrong):
    for value in wrong:
        with pytest.raises(ValueError, match=SAYS.get(check, check)) as refusal:
            CHECKS[check](value, known)
        text = str(refusal.value)
        assert text.endswith(".")
        if " = " in text and (value is None or np.isscalar(value)):
            assert f" = {shown(value)}:" in text


def test_arrays_of_another_shape_are_told_what_would_fit():
    with pytest.raises(ValueError, match="has 8 cells"):
        CHECKS["board"]([0] * 8, {"lines": game.lines})
    for check, known, table, remedy in (
        ("q", ON_M, SOME, "from_cells"),
        ("Q", IN, M.reward, "to_cells"),
        ("Q", IN, np.zeros((S + 1, A)), "this board"),
        ("Q", IN, np.zeros((S, A, 1)), "this board"),
        ("V", ON_M, np.zeros(3), "this board"),
    ):
        with pytest.raises(ValueError, match=f"should have .*{remedy}"):
            CHECKS[check](table, known)


@pytest.mark.parametrize("far", [1, 1.5, -2])
def test_a_policy_that_cannot_move_is_shown_where_it_cannot(far):
    s = int(np.flatnonzero(wide.count > 1)[-1])
    policy = SOME.copy()
    policy[s] *= far + (far == 1)
    for door in (CHECKS["policy"], CHECKS["opponent"]):
        with pytest.raises(ValueError, match=f"has the row .* in position {s}:"):
            door(policy, IN)
    near = SOME.copy()
    near[s] *= 1 + NEARLY / 2
    assert same(CHECKS["policy"](near, IN), near)


# Single values


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: whole(-1, "n"), ["n = -1", "from 0 up"]),
        (lambda: whole(2**62 + 1, "n"), [f"{2**62:,}"]),
        (lambda: whole(9000, "n", 1, 5000), ["n = 9000", "from 1 to 5,000"]),
        (lambda: whole(0.5, "n", 3), ["n = 0.5", "from 3 up"]),
        (lambda: number("x", "n"), ["n = 'x'", "number."]),
        (lambda: number(2, "n", 3), ["n = 2", "from 3 up"]),
        (lambda: number(3, "n", 3, above=True), ["n = 3", "above 3 up"]),
        (lambda: number(7, "n", 3, 5), ["n = 7", "from 3 to 5"]),
        (lambda: number(7, "n", 3, 5, above=True), ["n = 7", "above 3 to 5"]),
        (lambda: one_of("c", "n", ("a", "b")), ["n = 'c'", "'a', 'b'"]),
        (lambda: array("c", "n"), ["n = 'c'"]),
        (lambda: CHECKS["rewards"]([1e81, 0, 0], {}), ["rewards = [1e+81, 0, 0]"]),
        (lambda: array(M.reward, "n", (1, 2)), [str(M.reward.shape), "(1, 2)"]),
        (lambda: mask(M.reward, "n", (7,)), [str(M.reward.shape), "(7,)"]),
        (lambda: array(M, "n"), ["n = a MDP"]),
        (lambda: one_of(np.zeros(3), "n", ("a",)), ["an array of shape (3,)"]),
    ],
)  # fmt: skip
def test_a_refusal_says_what_it_was_and_what_is_right(call, names):
    with pytest.raises(ValueError, match="n") as refusal:
        call()
    assert not [name for name in names if name not in str(refusal.value)]


@pytest.mark.parametrize("value", ["x" * 999, [1] * 999, np.zeros(999), M, "a\nb" * 99])
def test_what_was_wrong_is_shown_on_one_short_line(value):
    text = shown(value)
    assert len(text) <= 60
    assert "\n" not in text


def test_numbers_that_loops_can_hold_are_taken_and_no_others():
    for value in (0, 2**62, np.uint64(7), np.float32(7), 7.0):
        assert same(whole(value, "n"), int(value))
    for value in (1e299, -1e299, np.float32(0.5), np.int8(-7), 0):
        assert same(number(value, "n"), float(value))
    for value in (1e300, -1e300, INF, NAN, True, None, "7", np.zeros(1), 10**400):
        with pytest.raises(ValueError, match="n = "):
            number(value, "n")
    for value in (True, np.True_, None, "7", NAN, INF, 0.5, 2**62 + 1, np.zeros(1)):
        with pytest.raises(ValueError, match="n = "):
            whole(value, "n")
    assert same(array([[1, True]], "n", (1, 2)), np.ones((1, 2)))
    assert array([INF], "n", finite=False) == [INF]
    for value in ([INF], [NAN], "7", ["7"], [[1], [1, 2]], 1j, None, [10**400]):
        with pytest.raises(ValueError, match="n "):
            array(value, "n")
    for value in ([1, None], np.array(["1"], object)):
        with pytest.raises(ValueError, match="n = "):
            array(value, "n", finite=False)
    assert mask([True], "n").tolist() == mask([True], "n", (1,)).tolist() == [True]
    for value in ([1], [[True], [True, False]], None, [[True]], []):
        with pytest.raises(ValueError, match="n = "):
            mask(value, "n", (1,))


# The door itself


@checked(size=lambda value, given: whole(value, "size"))
def called(size, gamma=None, **settings):
    """Return what came."""
    return size, gamma, settings


def test_a_door_hands_on_what_it_has_checked():
    assert called(3.0) == called(size=3) == (3, None, {}), "a default is not looked at"
    assert called(3, 1, other="x") == called(3, other="x", gamma=1)
    assert called(3, 1, other="x") == (3, 1.0, {"other": "x"})
    for wrong in (lambda: called("x"), lambda: called(size="x", other=1)):
        with pytest.raises(ValueError, match="size = 'x'"):
            wrong()
    with pytest.raises(ValueError, match="gamma = 2"):
        called(3, gamma=2, other=1)
    assert called.bare("x", 2) == ("x", 2, {})
    assert called.__name__ == "called"
    assert "ValueError" in called.__doc__


def test_python_says_which_argument_is_missing_or_too_much():
    @checked
    def plain(gamma, theta=0):
        return gamma, theta

    assert plain(1, theta=2) == plain(1, 2) == (1.0, 2.0)
    for wrong in (
        lambda: plain(),
        lambda: plain(1, 2, 3),
        lambda: plain(1, gamma=1),
        lambda: plain(1, other=1),
        lambda: called(),
        lambda: called(1, size=1),
    ):
        with pytest.raises(TypeError, match=r"(plain|called)\(\)"):
            wrong()


def test_an_argument_without_a_check_is_named_when_the_library_is_loaded():
    with pytest.raises(KeyError, match="nobody"):

        @checked(other=free)
        def wrong(nobody, other):
            pass


# Boards, and what a board needs


@pytest.mark.parametrize("rows", [4, 10])
def test_what_full_tables_would_take_is_told(rows):
    bytes_ = sum(x.nbytes for x in wide if isinstance(x, np.ndarray) and len(x) == S)
    each = (bytes_ + RANDOM.nbytes) / S  # of a position, with one policy
    told = too_large(2, 3, 3, lambda cells: 10**9 * (cells == A))
    assert f" {each:,.1f} GB" in told
    assert "1,000,000,000" in told
    assert f"{MOST_CELLS} cells" in told
    assert "150,000 positions" in told
    assert "GB" in too_large(3, MOST_CELLS // 3, 3, lambda cells: 10**9)
    too_many = too_large(rows, 10, 3, None)
    assert f"3^{10 * rows} " in too_many
    power = int(re.search(r"10\^(\d+):", too_many)[1])
    assert 10 ** (2 * power - 1) < 9 ** (10 * rows) < 10 ** (2 * power + 1)


def test_sizes_are_positive_whole_numbers_in_which_a_line_fits():
    assert same(boards.demand_size(np.int8(2), 3, 3), (2, 3, 3))
    assert boards.demand_size(1, 5) == (1, 5, 1)
    for name, sizes in {
        "rows": [(0, 3, 3), (2.0, 3, 3), (True, 3, 1), ("2", 3, 3)],
        "columns": [(3, 0, 3), (3, 3.0, 3), (3, None, 3)],
        "k": [(3, 3, 0), (3, 3, 3.0), (3, 3, -1)],
        "4 in a row": [(3, 3, 4), (1, 3, 4)],
    }.items():
        for size in sizes:
            with pytest.raises(ValueError, match=f"^{name} "):
                boards.demand_size(*size)
    boards.demand_drawable(100, 100)
    with pytest.raises(ValueError, match="10,000"):
        boards.demand_drawable(73, 137)


@pytest.mark.parametrize("size", [(2, 3, 3), (2, 3, 2), (1, 4, 3)], ids=str)
def test_the_boards_that_can_be_read_are_those_at_which_a_game_arrives(size):
    g = tables(*size)
    rows, columns = size[:2]
    known = dict(zip(g.code.tolist(), g.board, strict=True))
    for code in range(3 ** (rows * columns)):
        if code not in known:
            with pytest.raises(ValueError, match=r"\.$"):
                notation.read(code, rows, columns, g.lines)
            continue
        board = known[code]
        forms = [np.int64(code), board, board.tolist(), board.reshape(rows, columns)]
        for first in ("X", "O"):
            text = notation.write(board, first)
            lines = [text[i : i + columns] for i in range(0, len(text), columns)]
            forms += [(text, first), ("/".join(lines).lower().replace(".", "_"), first)]
        for form in forms:
            form, first = form if isinstance(form, tuple) else (form, "X")
            assert same(notation.read(form, rows, columns, g.lines, first), board)


def test_marks_are_those_of_whoever_moves_first():
    assert notation.marks("X") == ("X", "O")
    assert notation.marks("O") == ("O", "X")
    assert notation.write([1, -1, 0]) == "XO."
    assert notation.write([1, -1, 0], "O") == "OX."
    for first in ("x", "", None, 1):
        with pytest.raises(ValueError, match="first = "):
            notation.write([0], first)
    for cells in (np.zeros((1, 2)), [2], [], None):
        with pytest.raises(ValueError, match=re.escape(f"cells = {shown(cells)}:")):
            notation.write(cells)


@pytest.mark.parametrize(
    ("board", "first", "named"),
    [
        ("XX.......", "X", "X has 2 marks and O 0"),
        ("O........", "X", "O has one mark more than X"),
        ("X........", "O", "X has one mark more than O"),
        ([-1] + [0] * 8, "X", "player -1 has one mark more than Player [+]1"),
        ("XXXOOO...", "X", "X and O"),
        ("XXXOO.O..", "X", "line of X"),
        ("XXXOO.O.O", "O", "line of X"),
        ("OOOXX.XX.", "X", "line of O"),
        ("OOOXX.X..", "O", "line of O"),
        ("XO?......", "X", "'[?]'"),
        ("XO/......./", "X", "3 rows of 3"),
        ("XO./...", "X", "3 rows of 3"),
        ("XO......", "X", "9 cells, not 8"),
        ([[0, 1, 0]] * 2, "X", r"\(2, 3\).*\(3, 3\) or \(9,\)"),
        ([[0], [0, 1]], "X", "differ in length"),
        ([0] * 8 + [2], "X", "mark"),
        ([0] * 8 + [-2], "X", "mark"),
        ([False] * 9, "X", "mark"),
        (["."] * 9, "X", "mark"),
        (True, "X", "mark|cells"),
        (-1, "X", f"-1 .* 0 to {3**9 - 1}"),
        (3**9, "X", f"{3**9} .* 0 to {3**9 - 1}"),
    ],
)
def test_what_is_no_board_is_told_with_what_is_wrong(board, first, named):
    with pytest.raises(ValueError, match=named):
        notation.read(board, 3, 3, game.lines, first)


# Models, learners' games, and files


P = np.array([[[0.5, 0.5], [0, 1]], [[0, 0], [NAN, 2]]])
R = np.array([[1, 2], [3, NAN]])
LEGAL = np.array([[True, True], [True, False]])


def test_a_model_is_taken_where_its_actions_exist():
    assert same(settings.demand_model(P, R, LEGAL, [1, 0]), (P, R, LEGAL, np.eye(2)[0]))
    whole_, ones = np.zeros((2, 2, 2)), np.ones((2, 2))
    found = settings.demand_model(whole_, ones, None, None)
    assert same(found, (whole_, ones, ones > 0, np.array([0.5, 0.5])))


@pytest.mark.parametrize(
    ("named", "wrong"),
    [
        ("reward", [{"reward": R[0]}, {"reward": R[:, :0]}, {"reward": R * INF}]),
        ("reward", [{"legal": None}]),
        ("probability", [{"probability": P[:, :, :1]}, {"probability": P * 1.5}]),
        ("probability", [{"probability": -P}, {"probability": P + 0.4}]),
        ("legal", [{"legal": LEGAL[:1]}, {"legal": R}]),
        ("legal has a state", [{"legal": LEGAL & [[True], [False]]}]),
        ("start", [{"start": x} for x in ([1], [0.5, 0.6], [1.5, -0.5], [0, 0], "x")]),
    ],
)  # fmt: skip
def test_a_model_that_does_not_fit_is_refused(named, wrong):
    usual = {"probability": P, "reward": R, "legal": LEGAL, "start": None}
    for changes in wrong:
        with pytest.raises(ValueError, match=named):
            settings.demand_model(**usual | changes)


def test_the_first_state_that_goes_back_is_named():
    settings.demand_later_successors(M)
    pair = M.indptr[M.first[3]]
    successor = M.successor.copy()
    successor[pair] = 3
    with pytest.raises(ValueError, match="State 3 "):
        settings.demand_later_successors(M._replace(successor=successor))


def test_rewards_with_which_floats_can_plan():
    for unit in (0, 1e-280, 1, 1e280):
        assert (
            settings.largest_reward(SimpleNamespace(reward=np.array([0, -unit])))
            == unit
        )
    for unit in (9e-281, 2e280, INF, NAN):
        with pytest.raises(ValueError, match="1e-280 to 1e280"):
            settings.largest_reward(SimpleNamespace(reward=np.array([0, -unit])))


@pytest.mark.parametrize("gamma", [1, 0.5])
def test_values_that_do_not_settle_are_told_with_what_would_help(gamma):
    told = str(settings.unsettled(gamma, 0.125))
    assert "0.125" in told
    assert f"gamma = {gamma} " in told
    assert ("theta" in told) == (gamma < 1)
    assert ("must end" in told) == (gamma == 1)


def test_actions_are_legal_where_they_are_taken():
    states, lowest = np.flatnonzero(~wide.terminal), wide.action[:, 0].astype(float)
    taken = np.where(wide.terminal, NAN, lowest)
    assert same(
        settings.legal_actions(taken, wide.legal, states), wide.action[states, 0]
    )
    for cell in (NAN, -1, A, 0.5, np.flatnonzero(~wide.legal[states[-1]])[0]):
        taken[states[-1]] = cell
        with pytest.raises(ValueError, match=f"{cell:g} .* position {states[-1]}"):
            settings.legal_actions(taken, wide.legal, states)
    with pytest.raises(ValueError, match="action has shape"):
        settings.legal_actions(wide.action, wide.legal, states)


def test_who_trains_plays_a_side_that_there_is():
    second = np.where(wide.to_move[:, None] == -1, SOME, 0)
    for side, opponent, behaviour in (
        (0, None, None), (0, SOME, SOME), (1, second, ONE_SIDED),
        (-1, ONE_SIDED, second), (0, None, SOME),
    ):  # fmt: skip
        given = settings.checked_training(wide, 5.0, opponent, side, behaviour)
        assert same(given, (5, opponent, behaviour))
    for named, (games, opponent, side, behaviour) in {
        "side = 1": (5, None, 1, None),
        "side = -1": (5, None, -1, None),
        "side = 2": (5, SOME, 2, None),
        "games = -1": (-1, SOME, 1, None),
        "opponent has": (5, ONE_SIDED, 1, None),
        "behaviour has": (5, second, 1, second),
    }.items():
        with pytest.raises(ValueError, match=named):
            settings.checked_training(wide, games, opponent, side, behaviour)


ONE, TWO = Format("one"), Format("two", 3)


@pytest.mark.parametrize(
    ("found", "own"),
    [
        (ONE.head(), ONE),
        (TWO.head(), TWO),
        ({"format": "two", "version": 2, "more": 5}, TWO),
        ({"format": "two"}, TWO),  # the first version did not say so
    ],
)
def test_a_file_of_every_version_up_to_ours_is_known(found, own):
    assert format_of(found, "thing", ONE, TWO) == own


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"format": "one", "version": 2}, "it was made by a newer edition (format 2; "),
        (TWO.head() | {"version": 4}, "4; this one knows up to 3): update ttt_lib."),
        (TWO.head() | {"version": 10**200}, "it was made by a newer edition (format 1"),
        (ONE.head() | {"version": 0}, "its version is 0, and it should be a whole nu"),
        (ONE.head() | {"version": True}, "its version is True, and it should be"),
        (ONE.head() | {"version": 1.0}, "its version is 1.0, and it should be"),
        (ONE.head() | {"version": None}, "its version is None, and it should be"),
        ({"format": "three", "version": 9}, "it is no thing of ttt_lib."),
        ({"version": 1}, "it is no thing of ttt_lib."),
        ({"format": ["one"]}, "it is no thing of ttt_lib."),
        (["one"], "it is no thing of ttt_lib."),
    ],
)
def test_a_newer_file_and_a_foreign_one_get_one_sentence(found, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        format_of(found, "thing", ONE, TWO)
    assert len(str(caught.value)) < 200


def test_a_file_has_all_its_bytes_before_it_has_its_name(tmp_path, monkeypatch):
    file, sizes = tmp_path / "file", []

    def synced(number):
        sizes.append(os.fstat(number).st_size)
        assert not file.exists()

    monkeypatch.setattr(os, "fsync", synced)
    write_whole(file, b"seven..")
    assert sizes == [7]
    assert file.read_bytes() == b"seven.."


@pytest.mark.parametrize("links", [True, False])
def test_a_file_is_replaced_or_made_anew_and_nothing_is_left(
    tmp_path, monkeypatch, links
):
    usual, seen = os.link, []

    def link(source, target):
        seen.append((Path(source).exists(), Path(target).exists()))
        if not links:
            raise PermissionError
        usual(source, target)

    monkeypatch.setattr(os, "link", link)
    file = tmp_path / "file"
    write_whole(file, b"one", anew=True)
    with pytest.raises(FileExistsError):
        write_whole(file, b"two", anew=True)
    assert seen == [(True, False), (True, True)]
    assert file.read_bytes() == b"one"
    write_whole(file, b"three")
    assert file.read_bytes() == b"three"
    assert len(seen) == 2
    for wrong, error in (
        (tmp_path / "gone" / "file", FileNotFoundError),
        (tmp_path, IsADirectoryError),
    ):
        with pytest.raises(error, match=r"(gone|folder).*\.$"):
            write_whole(wrong, b"four")
    assert [*tmp_path.iterdir()] == [file]


def test_what_a_killed_program_has_left_of_a_file_goes_with_the_next_writing(tmp_path):
    file = tmp_path / "a[1]*.json"
    stale, fresh, other, own = (
        tmp_path / name
        for name in (
            ".a[1]*.json.0123abcd.part",
            ".a[1]*.json.4567cdef.part",
            ".a1.json.0123abcd.part",
            ".a[1]*.json.mine.part",
        )
    )
    for place in (stale, fresh, other, own):
        place.write_text("part")
        if place != fresh:
            os.utime(place, (0, 0))
    write_whole(file, b"one")
    assert {*tmp_path.iterdir()} == {file, fresh, other, own}


def test_no_device_is_replaced_not_even_through_a_link(tmp_path):
    ends = os.openpty()
    device, link = Path(os.ttyname(ends[1])), tmp_path / "link"
    link.symlink_to(device)
    for place in (device, link):
        with pytest.raises(OSError, match=r"is a device: name a file\.$"):
            write_whole(place, b"one")
    assert device.is_char_device()
    for end in ends:
        os.close(end)


def test_a_name_may_be_as_long_as_files_allow(tmp_path):
    for name in ("x" * 255, "三" * 85, "𝒳" * 63):
        write_whole(tmp_path / name, b"one")
    assert len([*tmp_path.iterdir()]) == 3
