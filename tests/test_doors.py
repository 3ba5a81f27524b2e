"""The library's doors: whatever makes no sense gets one sentence, and ends nothing."""

from importlib import import_module

import numpy as np
import pytest
from calls import Child
from fuzz import ROOMS, drawn, fault_of, targets

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
        ("action", "rules.play(cells9, 2**63)"),
        ("action", "rules.play(cells9, True)"),
        ("actions", "plots.replies(w, 0, True, p, ax(), str)"),
        ("cells", "notation.write(np.zeros((2, 2, 2)))"),
        ("position", "w.array(S)"),
        ("start", "runs.sample_match(w, p, other, 5, rng(), start=-1)"),
    ],
    "counts": [
        ("rows", "(game.tables(1, 1, 1), game.tables(True, 1, 1))"),
        ("rows", "(game.tables(3, 3, 3), game.tables(3.0, 3, 3))"),
        ("successes", "runs.wilson_interval(31, 30)"),
        ("n", "runs.wilson_interval(5, -30)"),
        ("n", "runs.wilson_interval(1, 0)"),
        ("games", "learning.train(w, L, nan)"),
        ("games", "learning.train(w, L, 'x')"),
        ("games", "learning.train(w, L, 1.5)"),
        ("games", "runs.sample_match(w, p, other, nan, rng())"),
    ],
    "files": [
        ("gone", "storage.save(agent, 'gone/mine.json')"),
        ("gone", "agents.write_policy(w, p, 'gone/mine.json')"),
    ],
}  # fmt: skip

# Held otherwise, the same numbers give the same answer.
ALIKE = [
    ("mdp.against(w, p)", "mdp.against(w, listed(p))"),
    ("policy.greedy(Q, w.legal)", "policy.greedy(listed(Q), listed(legal))"),
    ("policy.max_q(Q, w.legal)", "policy.max_q(listed(Q), listed(legal))"),
    ("policy.uniform(w.legal)", "policy.uniform(listed(legal))"),
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
def test_public_loops_check_their_indices_or_say_what_they_trust(room):
    module = import_module(f"ttt_lib.{room}")
    loops = [
        loop
        for name, loop in vars(module).items()
        if hasattr(loop, "py_func")
        and not name.startswith("_")
        and loop.__module__ == module.__name__
        and not loop.targetoptions.get("boundscheck")
        and name not in ("scheduled", "reward", "monte_carlo_target")  # no tables
    ]
    said = "".join(thing.__doc__ for thing in (module, *loops))
    assert not loops or "trust" in said


ANYTHING = ("None", "7", "nan", "'text'", "{}", "object()", "lambda board: 1 / 0",
            "lambda board: board.fill(7)", "lambda: 0", "lambda board: 'x' * 10**6",
            "lambda board: [[]] * 10**5", "np.zeros(9)", "print")  # fmt: skip


def test_checks_say_something_of_any_answer(child):
    calls = [f"check.{name}({x})" for name in ("winner", "guess") for x in ANYTHING]
    said = {call: child.ask(call, 60) for call in calls}
    assert {found.kind for found in said.values()} == {"answer"}, said
