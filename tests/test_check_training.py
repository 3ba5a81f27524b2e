"""Training loops that call a student's function, and their measures."""

import json
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import submissions
from natural import NATURAL

from assignments import questions
from assignments.grader import grading, sandbox
from assignments.grader.course import Question
from ttt_lib import check, evaluation, search
from ttt_lib.check import report, training
from ttt_lib.check.judge import Case, Failed, UnfitError
from ttt_lib.check.training import (
    TRAININGS,
    curve,
    demands,
    models,
    td,
    trained,
)
from ttt_lib.check.training.common import greedy, world
from ttt_lib.game import tables
from ttt_lib.policy import uniform

pytestmark = pytest.mark.slow

RIGHT = {n: q.answer for n, q in questions.QUESTIONS.items() if q.training}
STORED = Path(__file__).parent / "data" / "trainings.json"
right = cache(lambda name, seed: trained(name, RIGHT[name])(seed))  # takes a second


@pytest.fixture(autouse=True)
def no_results_yet(monkeypatch):
    monkeypatch.setattr(report, "KNOWN", {})


def taking_long(*names):
    """Return parameters with the names of trainings; these are for `make long` only."""
    return [
        pytest.param(name, marks=pytest.mark.long if name in names else ())
        for name in RIGHT
    ]


# Other right answers that are fast, with one seed each; `make long` takes many.
CHEAP = ("beads", "32 and halves"), ("td_learn", "a step of 1")
CHEAP = [row for row in NATURAL if row[0] == "sweep_order" or row[:2] in CHEAP]


@pytest.mark.parametrize(
    ("name", "function", "earns"),
    [pytest.param(row[0], *row[2:], id=f"{row[0]}-{row[1]}") for row in CHEAP],
)
def test_natural_answers_earn_the_expected_share(name, function, earns):
    measures = trained(name, function)(50_000)
    assert training.share(TRAININGS[name].goals, [*measures.items()]) == earns


def test_each_training_is_a_question_with_goals_in_falling_order():
    assert RIGHT.keys() == TRAININGS.keys()
    for each in TRAININGS.values():
        shares = [goal.share for goal in each.goals]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] == 1


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", RIGHT)
def test_measures_equal_the_stored_ones(name, seed):
    stored = json.loads(STORED.read_text(encoding="utf-8"))[name]
    seeds = stored["seeds"]  # SEEDS of tests/long/test_trainings.py
    assert stored["reached"] == seeds
    guide = (Path(__file__).parents[1] / "book" / "teaching.md").read_text("utf-8")
    assert f"reach the goal with {seeds:,} of {seeds:,} seeds each" in guide
    measures = right(name, seed)
    assert measures == pytest.approx(stored["first"][seed], abs=1e-12)
    assert TRAININGS[name].goals[0].reached(measures)


@pytest.mark.parametrize("name", taking_long("mc_learn", "td_learn", "beads"))
def test_curve_ends_with_the_measures_that_count(name):
    counts, measures = curve(name, RIGHT[name], seed=0)
    assert counts == sorted(counts)
    counted, last = right(name, 0), TRAININGS[name].counting
    counts_of = TRAININGS[name].counts
    assert {k: counts_of(v[-last:]) for k, v in measures.items()} == counted
    assert all(len(values) == len(counts) >= 3 for values in measures.values())
    if name != "alpha_beta":  # right at once
        assert {key: values[0] for key, values in measures.items()} != counted


# The loops and the game


def test_counts_in_the_assignment_equal_those_of_alpha_beta():
    game, text = tables(), json.dumps(submissions.solution("assignment_minimax"))
    named = re.findall(r"(\d[\d,]*) for (?:`([XO./]+)`|the empty board)", text)
    assert len(named) == 3
    for count, drawn in named:
        result = search.alpha_beta(game, game.find(drawn or "........."))
        assert result.nodes == int(count.replace(",", ""))
    assert "`XX./O.O/..X`, where O wins" in text
    assert search.alpha_beta(game, game.find("XX./O.O/..X")).value == -1


def test_greedy_in_exact_values_is_not_exploitable():
    w, game = world(), tables()
    V = search.solve(game).V + game.outcome

    def exact(s, boards):
        return [w.mover[s] * V[n] for n in boards]

    policy = greedy(exact)
    assert evaluation.exploitability(game, policy).mean == 0
    assert evaluation.share_optimal(game, policy).share == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_rest_of_game_is_a_model_with_later_states_first(seed):
    model, order = models.rest_of_game(training.generator(seed))
    assert sorted(order) == list(range(len(model)))
    assert order != sorted(order)
    done = set()
    for s in order:
        for outcomes in model[s].values():
            assert math.isclose(sum(p for p, _, _ in outcomes), 1)
            assert {n for _, _, n in outcomes} <= {None, *done}
            assert all(r == 0 for _, r, n in outcomes if n is not None)
        done.add(s)
    V = questions.QUESTIONS["value_iteration"].answer(model, models.GAMMA)
    assert models.exact(model, order) == pytest.approx(V)
    chosen = [min(state) for state in model]
    certain = [{a: 1.0} for a in chosen]
    V = questions.QUESTIONS["evaluate"].answer(model, certain, models.GAMMA)
    assert models.exact(model, order, chosen) == pytest.approx(V)


def test_functions_that_learn_nothing_get_the_measures_of_a_beginner(monkeypatch):
    monkeypatch.setattr(demands, "STILL", math.inf)
    w, game = world(), tables()
    won = greedy(lambda s, boards: [w.mover[s] * w.outcome[n] for n in boards])
    lost = evaluation.result(game, won, uniform(game.legal)).loss
    worst = -evaluation.worst_case(game, won)[0]
    measures = trained("td_learn", lambda values, result, share: values)(1)
    assert (measures["worst"], measures["lost"]) == pytest.approx((worst, lost))
    assert worst > 0.9
    measures = trained("beads", lambda *args: 1 if args[1] is None else args[0])(1)
    perfect = search.perfect(game)
    lost = evaluation.result(game, uniform(game.legal), perfect).loss
    # Each box keeps one bead for each different move.
    assert 0.5 < measures["lost"] < lost


def test_search_is_measured_by_values_and_number_of_boards():
    game, states = tables(), []

    def off_by(value, nodes):
        def alpha_beta(board):
            states.append(s := game.find(board))
            right = search.alpha_beta(game, s)
            return [right.value + value, right.nodes + nodes]

        return [m for _, m in TRAININGS["alpha_beta"].loop(alpha_beta, rng)]

    for seed in range(30):
        rng, states[:] = training.generator(seed), []
        rows = off_by(0, 0)
        assert rows == [{"wrong": 0, "too few": 0, "nodes": 1}] * 6
        marks = np.abs(game.board[states]).sum(axis=1)
        assert marks.tolist() == [6, 5, 4, 3, 3, 2]
        assert not game.terminal[states].any()
        assert search.solve(game).V[states[1]] != 0
    boards = [search.alpha_beta(game, s).nodes for s in states]
    rng = training.generator(29)
    assert [m["nodes"] for m in off_by(0, 5)] == pytest.approx(
        [1 + 5 * n / sum(boards[:n]) for n in range(1, 7)]
    )
    assert [m["too few"] for m in off_by(0, -1)] == [m["wrong"] for m in off_by(1, 0)]
    assert [m["too few"] for m in off_by(0, -1)] == [1, 2, 3, 4, 5, 6]
    for given in ([1], [1, 2, 3], [1, "2"], [None, 1], {0: 1, 1: 2}, "12", None):
        with pytest.raises(UnfitError, match="two numbers, the value and the boards"):
            trained("alpha_beta", lambda board, given=given: given)(1)


def test_machines_are_averaged_after_equal_numbers_of_games():
    def machine(beads, result, decision, decisions):
        calls.append((result, decision, decisions))
        return 3 if result is None else max(beads + result, 0)

    calls, loop = [], TRAININGS["beads"].loop
    rows = [
        [*loop(machine, training.generator(5), 4, machines)] for machines in (1, 2, 3)
    ]
    assert [[count for count, _ in row] for row in rows] == [[100, 200, 300, 400]] * 3
    assert {result for result, _, _ in calls} == {None, -1, 0}  # against perfect play
    assert all(
        decisions is None if result is None else decision < decisions <= 5
        for result, decision, decisions in calls
    )
    # The first machines are the same, because each has its own generator.
    one, two, three = (np.array([m["lost"] for _, m in row]) for row in rows)
    for lost in (one, 2 * two - one, 3 * three - 2 * two):
        assert (lost >= 0).all()
        assert (lost <= 1).all()
    assert not (one == two).all()
    assert not (two == three).all()


def test_backups_are_counted_up_to_the_last_change():
    def there_and_back(model):
        order = RIGHT["sweep_order"](model)
        return [*order, *order]

    for order, ends in ((RIGHT["sweep_order"], 1), (there_and_back, 2)):
        *rows, (done, last) = TRAININGS["sweep_order"].loop(
            order, training.generator(3), 10
        )
        states = done / ends
        assert last["wrong"] == 0
        assert 0.9 < last["backups"] <= 1
        assert [count for count, _ in rows][:3] == [states // 10 * n for n in (1, 2, 3)]
        assert all(0 <= m["wrong"] <= 1 >= m["backups"] for _, m in rows)
        falling = [m["wrong"] for _, m in rows]
        assert falling == sorted(falling, reverse=True)


# Unfit results


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("iterate", lambda model, gamma: None, "a list of policies"),
        ("iterate", lambda m, g: [], "a list of policies"),
        ("iterate", lambda m, g: [[*map(min, m)], ["no"] * len(m)], "legal actions, o"),
        ("iterate", lambda m, g: [[*map(min, m)][1:]], "legal actions, one for"),
        ("iterate", lambda m, g: [dict.fromkeys(range(len(m)), 0)], "legal actions, o"),
        ("iterate", lambda m, g: [[*map(min, m)], [*map(max, m)]], "number 1 sho"),
        ("iterate", lambda m, g: [[*map(min, m)]] * 2, "each should be a list of its"),
        ("iterate", lambda m, g: [[*map(max, m)]], "should take the lowest action in"),
        ("sweep_order", lambda m: [0] * (len(m) - 1), "should return a list of"),
        ("sweep_order", lambda m: [0] * (20 * len(m) + 1), "should return a list of"),
        ("sweep_order", lambda m: [len(m)] * len(m), "numbers of states, from 0"),
        ("sweep_order", lambda m: [-1] * len(m), "numbers of states, from 0"),
        ("alpha_beta", lambda board: ("0", 1), "two numbers, the value and the boards"),
        ("mc_learn", lambda q, n, G: q[:-1], "new estimate of each decision, but it"),
        ("td_learn", lambda v, r, s: [math.nan] * len(v), "the new value of each"),
        ("q_learn", lambda q, a, r: None, "the new value of each move.* is there a `r"),
        ("beads", lambda *args: 0.5, "a number of beads, a whole one"),
    ],
)
def test_unfit_results_are_explained_in_half_a_sentence(name, function, words, capsys):
    with pytest.raises(ValueError, match=words) as caught:
        trained(name, function)(1)
    getattr(check, name)(function)
    output = capsys.readouterr().out
    assert str(caught.value)[:250] in output
    assert output.count("not yet, ") == len(TRAININGS[name].goals)
    assert report.KNOWN[name] == 0


def test_timed_out_training_does_not_run_again(monkeypatch, capsys):
    calls = []

    def endless(*args):
        calls.append(args)
        while True:
            pass

    monkeypatch.setattr(training, "TIMEOUT", 2)
    world()  # cached, so that all the time is left to the function
    check.beads(endless)
    output = capsys.readouterr().out
    assert len(calls) == 1
    assert output.count("nothing after 2 seconds: is there a loop without an end") == 3
    assert "Hint: first fix the error on the line with the seed." in output


def scaled(share):
    """Return td_learn with a constant step size; above 1 it passes the target."""

    def td_learn(values, result, _):
        pairs = zip(values, [*values[1:], result], strict=True)
        return [v + share * (to_come - v) for v, to_come in pairs]

    return td_learn


def test_demand_values_raises_with_the_reason():
    for given, words in (
        ("12", "a list of 2 numbers from -1 to 1, two, but it returns something else"),
        ({0: 1, 1: 1}, "but it returns something else"),
        ([0], "but it returns a list of 1"),
        ([0, "1"], "but number 2 of the list is something else"),
        ([True, 1], "but number 1 of the list is something else"),
        ([-1, 1 + 1e-5], "but number 2 of the list is 1.00001"),
    ):
        with pytest.raises(UnfitError, match=words):
            demands.demand_values(given, 2, "two")
    demands.demand_values([-1 - 1e-6, 1 + 1e-6], 2, "two")


NOTHING = "won no value has moved: the last one should"


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("td_learn", scaled(-0.1), r"board (\d) of \1 .* 0 towards the result, -?1, "),
        ("td_learn", scaled(1.1), r"1 to 1, .*, but number \d of the list is -?1.1$"),
        ("q_learn", lambda q, a, r: [q[0][a[0]] + 0.1, *RIGHT["q_learn"](q, a, r)[1:]],
         r"move 1 of \d .* 0 towards what .* it becomes 0.1"),
        ("mc_learn", lambda q, n, G: [*q[:-1], (q[-1] + G) / 2],
         r"decision 1 of \d .* 0 towards .*, -?1, but it stays"),
        ("td_learn", scaled(0), r"games that (X|O) won no value has .* result, -?1$"),
        ("td_learn", lambda v, r, share: RIGHT["td_learn"](v, v[-1], share), NOTHING),
        ("td_learn", lambda v, r, share: RIGHT["td_learn"](v, r, share) if r < 0 else v,
         f"that X {NOTHING}"),
        ("mc_learn", lambda q, n, G: q if G == 1 else RIGHT["mc_learn"](q, n, G),
         f"games that X {NOTHING}"),
        ("q_learn", lambda q, a, r: RIGHT["q_learn"](q, a, q[-1][a[-1]]),
         "that the last move won no value has moved"),
    ],
)  # fmt: skip
def test_values_that_move_wrongly_or_never_raise(name, function, words):
    with pytest.raises(UnfitError, match=words):
        trained(name, function)(1)


def test_off_is_the_mean_error_over_the_own_games():
    game, Q = tables(), np.zeros(tables().legal.shape)
    at_random = uniform(game.legal)
    win, _, loss = evaluation.win_draw_loss(game, at_random, at_random).T
    assert td._off_in_own(win - loss, Q, 0.5) == pytest.approx(0)
    assert td._off_in_own(win - loss + 0.25, Q, 0.5) == pytest.approx(0.25)
    first = (np.abs(game.board).sum(axis=1) == 1) * 9
    # A random game has one board with one mark, and this mean number before its end.
    length = evaluation.reach(game, at_random, at_random) @ ~game.terminal - 1
    assert td._off_in_own(win - loss + first, Q, 0.5) == pytest.approx(9 / length)


@pytest.mark.parametrize("name", taking_long("iterate", "mc_learn", "td_learn"))
def test_mutated_arguments_do_not_change_the_training(name):
    def spoils(*args):
        given = RIGHT[name](*args)
        for argument in args:
            if isinstance(argument, list):
                for part in argument:
                    if isinstance(part, list | dict):
                        part.clear()
                argument.clear()
        return given

    assert trained(name, spoils)(0) == right(name, 0)


# Points and output


@pytest.mark.parametrize(
    ("name", "share", "limit", "others"),
    [
        ("iterate", 1, {"lost": 1e-6}, {}),
        ("iterate", 0.5, {"lost": 0.1}, {}),
        ("sweep_order", 1, {"wrong": 0, "backups": 1}, {}),
        ("sweep_order", 0.5, {"wrong": 0}, {"backups": 2}),
        ("alpha_beta", 1, {"wrong": 0, "too few": 0, "nodes": 1}, {}),
        ("alpha_beta", 0.5, {"wrong": 0, "too few": 0, "nodes": 3}, {}),
        ("mc_learn", 1, {"lost": 0.03, "off": 0.095}, {}),
        ("mc_learn", 0.5, {"lost": 0.1}, {"off": 1}),
        ("beads", 1, {"lost": 0.1}, {}),
        ("beads", 0.5, {"lost": 0.15}, {}),
        ("td_learn", 1, {"worst": 1e-6, "off": 0.22}, {"lost": 0.05}),
        ("td_learn", 0.5, {"lost": 0.05}, {"worst": 1, "off": 1}),
        ("q_learn", 1, {"first": 0.2 - 1e-9, "second": 0.2 - 1e-9, "off": 0.22}, {}),
        ("q_learn", 0.5, {"first": 0.2 - 1e-9}, {"second": 1, "off": 1}),
    ],
)
def test_goal_is_reached_at_its_limit_and_not_beyond(name, share, limit, others):
    goals = TRAININGS[name].goals
    assert training.share(goals, [*{**limit, **others}.items()]) == share
    for key, value in limit.items():
        beyond = [*{**limit, **others, key: value + 1e-6}.items()]
        assert training.share(goals, beyond) < share


def test_median_of_the_seeds_counts():
    question = questions.QUESTIONS["td_learn"]
    numbers = (0, 0), (1, 0), (1, 1)
    good, fair, poor = ([["lost", x], ["off", 0.1], ["worst", w]] for w, x in numbers)
    for given, share in (
        ((good, good, poor), 1),
        ((poor, good, fair), 0.5),
        ((poor, fair, poor), 0),
        ((good, Failed("x"), Failed("x")), 0),
        ((Failed("x"), good, good), 1),
    ):
        verdict = training.verdict(question, given)
        assert verdict.share == share
        assert len(verdict.kinds) == {1: 0, 0.5: 1, 0: 2}[share]
        assert bool(verdict.hint) == (share < 1)
        assert verdict.passed == tuple(each == good for each in given)


def test_settled_after_more_than_half_of_the_seeds_or_a_timeout():
    question = questions.QUESTIONS["td_learn"]
    good, poor = ([["lost", x], ["off", x], ["worst", x]] for x in (0, 1))
    endless = Failed(f"{training.TOO_SLOW} longer than 60 seconds")
    for given, expected in (
        ([good] * 4 + [poor] * 4, False),
        ([good] * 5, True),
        ([Failed("x"), poor, poor, poor, poor], True),
        ([endless], True),
    ):
        assert training.settled(question, given, training.HIDDEN) is expected
    assert training.verdict(question, [poor, *[good] * 5]).share == 1
    assert len(list(question.draw(np.random.default_rng(1)))) == training.HIDDEN


def test_check_prints_measures_and_goals(capsys):
    check.td_learn(RIGHT["td_learn"])
    output = capsys.readouterr().out
    assert output.startswith(
        "td_learn, seed 1: lost 0, off 0.07689, worst 0\ntd_learn,"
    )
    assert "reached, 100% of the points: nobody can beat it as first player" in output
    for words in ("not yet", "50%", "Hint"):
        assert words not in output
    assert report.KNOWN["td_learn"] == 1
    check.beads(lambda b, result, d, n: 4 if result is None else b)
    output = capsys.readouterr().out
    assert output.count("not yet, ") == 2
    assert f"Hint: {questions.QUESTIONS['beads'].hint}" in output
    check.beads(lambda *args: 1 // 0)
    assert "integer division or modulo by zero. line" in capsys.readouterr().out
    check.beads(7)
    assert capsys.readouterr().out.startswith("beads: give the function itself")


# In the grader the loop runs in this process, and the function in the sandbox


@pytest.fixture(scope="module")
def box():
    """Yield a sandbox."""
    limits = sandbox.Limits(cell_seconds=60, call_seconds=2)
    with sandbox.Sandbox(limits, not sandbox.isolation()) as box:
        yield box


GIVES = "def td_learn(values, result, share):\n    {}"


@pytest.mark.parametrize(
    ("line", "why", "reason"),
    [
        ("return 1 // 0", "ZeroDivisionError", ""),
        ("return [float('nan')] * len(values)", "it should return a list of", ""),
        ("return values[1:]", "it should return a list of", ""),
        ("return MemoryError", "ValueError", ""),
        ("raise MemoryError", "", grading.OUT_OF_MEMORY),
        ("import os; os._exit(0)", "the function crashed", "crashed"),
        ("import time; time.sleep(9)", "the function timed out", "timed out"),
    ],
)
def test_failure_in_the_sandbox_ends_the_training(box, line, why, reason):
    question = Question("q", "a", "td_learn", "td_learn", 6, "", "td_learn")
    with box.student() as student:
        student.run(GIVES.format(line))
        cases = [Case("", False, (seed,)) for seed in (1, 2)]
        results, actual, _ = grading._answers(student, question, cases)
    assert actual == reason
    assert len(results) == 2
    assert all(result.why.startswith(why) for result in results)


def test_training_in_the_sandbox_gives_the_same_measures(box):
    name = "alpha_beta"
    source = f"def {name}(board):\n    return 1, 7 + sum(board)"
    question, cases = Question("q", "a", name, name, 6, "", name), [Case("", 0, (7,))]
    with box.student() as student:
        student.run(source)
        results, reason, _ = grading._answers(student, question, cases)
    exec(source, names := {})
    assert reason == ""
    assert dict(results[0]) == trained(name, names[name])(7)
