"""Trainings: the loops that a student's function is put to, and what they measure."""

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
def nothing_known(monkeypatch):
    monkeypatch.setattr(report, "KNOWN", {})


def taking_long(*names):
    """Return the names of the trainings for `parametrize`, some for `make long`."""
    return [
        pytest.param(name, marks=pytest.mark.long if name in names else ())
        for name in RIGHT
    ]


# One seed each of some answers that are not the model's; `make long` takes many.
CHEAP = ("beads", "32 and halves"), ("td_learn", "a step of 1")
CHEAP = [one for one in NATURAL if one[0] == "sweep_order" or one[:2] in CHEAP]


@pytest.mark.parametrize(
    ("name", "function", "earns"),
    [pytest.param(one[0], *one[2:], id=f"{one[0]}-{one[1]}") for one in CHEAP],
)
def test_a_natural_answer_earns_what_its_kind_deserves(name, function, earns):
    measures = trained(name, function)(50_000)
    assert training.share(TRAININGS[name].goals, [*measures.items()]) == earns


def test_each_training_is_a_question_and_has_goals_from_high_to_low():
    assert RIGHT.keys() == TRAININGS.keys()
    for known in TRAININGS.values():
        shares = [goal.share for goal in known.goals]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] == 1


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", RIGHT)
def test_what_was_stored_of_many_seeds_comes_again(name, seed):
    stored = json.loads(STORED.read_text(encoding="utf-8"))[name]
    seeds = stored["seeds"]  # the long test's SEEDS
    assert stored["reached"] == seeds
    guide = (Path(__file__).parents[1] / "book" / "teaching.md").read_text("utf-8")
    assert f"reach the goal with {seeds:,} of {seeds:,} seeds each" in guide
    found = right(name, seed)
    assert found == pytest.approx(stored["first"][seed], abs=1e-12)
    assert TRAININGS[name].goals[0].reached(found)


@pytest.mark.parametrize("name", taking_long("mc_learn", "td_learn", "beads"))
def test_a_curve_ends_with_what_counts_and_begins_elsewhere(name):
    counts, measures = curve(name, RIGHT[name], seed=0)
    assert counts == sorted(counts)
    counted, last = right(name, 0), TRAININGS[name].counting
    counts_of = TRAININGS[name].counts
    assert {k: counts_of(v[-last:]) for k, v in measures.items()} == counted
    assert all(len(values) == len(counts) >= 3 for values in measures.values())
    if name != "alpha_beta":  # right at once
        assert {key: values[0] for key, values in measures.items()} != counted


# What the loops know of the game


def test_the_counts_that_the_assignment_names_are_those_of_alpha_beta():
    game, text = tables(), json.dumps(submissions.solution("assignment_minimax"))
    named = re.findall(r"(\d[\d,]*) for (?:`([XO./]+)`|the empty board)", text)
    assert len(named) == 3
    for count, drawn in named:
        found = search.alpha_beta(game, game.find(drawn or "........."))
        assert found.nodes == int(count.replace(",", ""))
    assert "`XX./O.O/..X`, where O wins" in text
    assert search.alpha_beta(game, game.find("XX./O.O/..X")).value == -1


def test_who_is_greedy_in_exact_values_cannot_be_exploited():
    w, game = world(), tables()
    V = search.solve(game).V + game.outcome

    def exact(s, boards):
        return [w.mover[s] * V[n] for n in boards]

    policy = greedy(exact)
    assert evaluation.exploitability(game, policy).mean == 0
    assert evaluation.share_optimal(game, policy).share == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_the_rest_of_a_game_is_a_model_with_later_states_first(seed):
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


def test_who_learns_nothing_is_measured_as_a_beginner(monkeypatch):
    monkeypatch.setattr(demands, "STILL", math.inf)
    w, game = world(), tables()
    won = greedy(lambda s, boards: [w.mover[s] * w.outcome[n] for n in boards])
    lost = evaluation.result(game, won, uniform(game.legal)).loss
    worst = -evaluation.worst_case(game, won)[0]
    found = trained("td_learn", lambda values, result, share: values)(1)
    assert (found["worst"], found["lost"]) == pytest.approx((worst, lost))
    assert worst > 0.9
    found = trained("beads", lambda *known: 1 if known[1] is None else known[0])(1)
    perfect = search.perfect(game)
    lost = evaluation.result(game, uniform(game.legal), perfect).loss
    # The boxes stay as they were filled, with a bead for each different move.
    assert 0.5 < found["lost"] < lost


def test_a_search_is_measured_by_its_values_and_by_the_boards_that_it_looked_at():
    game, asked = tables(), []

    def off_by(value, nodes):
        def alpha_beta(board):
            asked.append(s := game.find(board))
            right = search.alpha_beta(game, s)
            return [right.value + value, right.nodes + nodes]

        return [m for _, m in TRAININGS["alpha_beta"].loop(alpha_beta, rng)]

    for seed in range(30):
        rng, asked[:] = training.generator(seed), []
        rows = off_by(0, 0)
        assert rows == [{"wrong": 0, "too few": 0, "nodes": 1}] * 6
        marks = np.abs(game.board[asked]).sum(axis=1)
        assert marks.tolist() == [6, 5, 4, 3, 3, 2]
        assert not game.terminal[asked].any()
        assert search.solve(game).V[asked[1]] != 0
    boards = [search.alpha_beta(game, s).nodes for s in asked]
    rng = training.generator(29)
    assert [m["nodes"] for m in off_by(0, 5)] == pytest.approx(
        [1 + 5 * n / sum(boards[:n]) for n in range(1, 7)]
    )
    assert [m["too few"] for m in off_by(0, -1)] == [m["wrong"] for m in off_by(1, 0)]
    assert [m["too few"] for m in off_by(0, -1)] == [1, 2, 3, 4, 5, 6]
    for given in ([1], [1, 2, 3], [1, "2"], [None, 1], {0: 1, 1: 2}, "12", None):
        with pytest.raises(UnfitError, match="two numbers, the value and the boards"):
            trained("alpha_beta", lambda board, given=given: given)(1)


def test_machines_are_measured_together_after_equally_many_games():
    def machine(beads, result, decision, decisions):
        asked.append((result, decision, decisions))
        return 3 if result is None else max(beads + result, 0)

    asked, loop = [], TRAININGS["beads"].loop
    rows = [
        [*loop(machine, training.generator(5), 4, machines)] for machines in (1, 2, 3)
    ]
    assert [[count for count, _ in row] for row in rows] == [[100, 200, 300, 400]] * 3
    assert {result for result, _, _ in asked} == {None, -1, 0}  # it plays the perfect
    assert all(
        decisions is None if result is None else decision < decisions <= 5
        for result, decision, decisions in asked
    )
    # The machines are the same ones, each with a generator of its own.
    one, two, three = (np.array([m["lost"] for _, m in row]) for row in rows)
    for lost in (one, 2 * two - one, 3 * three - 2 * two):
        assert (lost >= 0).all()
        assert (lost <= 1).all()
    assert not (one == two).all()
    assert not (two == three).all()


def test_backups_are_counted_up_to_the_last_that_changes_something():
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


# What is not fit


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("iterate", lambda model, gamma: None, "a list of policies"),
        ("iterate", lambda m, g: [[*map(min, m)], ["no"] * len(m)], "legal actions, o"),
        ("iterate", lambda m, g: [[*map(min, m)][1:]], "legal actions, one for"),
        ("iterate", lambda m, g: [dict.fromkeys(range(len(m)), 0)], "legal actions, o"),
        ("iterate", lambda m, g: [], "a list of policies"),
        (
            "iterate",
            lambda m, g: [[*map(min, m)], [*map(max, m)]],
            "number 1 should be",
        ),
        (
            "sweep_order",
            lambda model: [0] * (len(model) - 1),
            "it should give a list of",
        ),
        ("sweep_order", lambda m: [len(m)] * len(m), "numbers of states, from 0"),
        ("sweep_order", lambda m: [0] * (20 * len(m) + 1), "it should give a list of"),
        ("iterate", lambda m, g: [[*map(min, m)]] * 2, "each should be a list of its"),
        ("iterate", lambda m, g: [[*map(max, m)]], "should take the lowest action in"),
        ("sweep_order", lambda model: [-1] * len(model), "numbers of states, from 0"),
        ("alpha_beta", lambda board: ("0", 1), "two numbers, the value and the boards"),
        ("mc_learn", lambda q, n, G: q[:-1], "new estimate of each decision, and it"),
        ("mc_learn", lambda q, n, G: None, "gives None back: is there a `return`"),
        ("td_learn", lambda v, r, s: [math.nan] * len(v), "the new value of each"),
        ("td_learn", lambda v, r, s: [1.01] * len(v), "numbers from -1 to 1, the new"),
        ("q_learn", lambda q, a, r: None, "the new value of each move"),
        ("beads", lambda *known: 0.5, "a number of beads: a whole one"),
    ],
)
def test_what_cannot_be_used_is_said_in_half_a_sentence(name, function, words, capsys):
    with pytest.raises(ValueError, match=words):
        trained(name, function)(1)
    getattr(check, name)(function)
    said = capsys.readouterr().out
    assert words in said
    assert said.count("not yet, ") == len(TRAININGS[name].goals)
    assert report.KNOWN[name] == 0


def test_what_takes_too_long_once_is_not_asked_again(monkeypatch, capsys):
    asked = []

    def endless(*known):
        asked.append(known)
        while True:
            pass

    monkeypatch.setattr(training, "TIMEOUT", 2)
    world()  # so that the time goes to the function
    check.beads(endless)
    said = capsys.readouterr().out
    assert len(asked) == 1
    assert said.count("nothing after 2 seconds: is there a loop without an end") == 3
    assert "Hint: first repair what the line with the seed says." in said


def scaled(share):
    """Return td_learn whose steps are a share of the way: beyond 1 is too far."""

    def td_learn(values, result, _):
        pairs = zip(values, [*values[1:], result], strict=True)
        return [v + share * (to_come - v) for v, to_come in pairs]

    return td_learn


def test_what_is_no_list_of_values_is_named():
    for given, words in (
        ("12", "it should give a list of 2 numbers from -1 to 1, two, and it gives so"),
        ({0: 1, 1: 1}, "and it gives something else"),
        ([0], "and it gives a list of 1"),
        ([0, "1"], "and number 2 of the list is something else"),
        ([True, 1], "and number 1 of the list is something else"),
        ([-1, 1 + 1e-5], "and number 2 of the list is 1.00001"),
    ):
        with pytest.raises(UnfitError, match=words):
            demands.demand_values(given, 2, "two")
    demands.demand_values([-1 - 1e-6, 1 + 1e-6], 2, "two")


NOTHING = "won no value has moved: the last one should"


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("td_learn", scaled(-0.1), r"board (\d) of \1 .* 0 towards the result, -?1, "),
        ("td_learn", scaled(1.1), r"1 to 1, .*, and number \d of the list is -?1.1$"),
        ("q_learn", lambda q, a, r: [q[0][a[0]] + 0.1, *RIGHT["q_learn"](q, a, r)[1:]],
         r"move 1 of \d .* 0 towards what .* it becomes 0.1"),
        ("mc_learn", lambda q, n, G: [*q[:-1], (q[-1] + G) / 2],
         r"decision 1 of \d .* 0 towards .*, -?1, and it stays"),
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
def test_a_value_that_moves_astray_or_never_is_named(name, function, words):
    with pytest.raises(UnfitError, match=words):
        trained(name, function)(1)


def test_values_are_off_by_what_they_differ_from_their_own_games():
    game, Q = tables(), np.zeros(tables().legal.shape)
    at_random = uniform(game.legal)
    win, _, loss = evaluation.win_draw_loss(game, at_random, at_random).T
    assert td._off_in_own(win - loss, Q, 0.5) == pytest.approx(0)
    assert td._off_in_own(win - loss + 0.25, Q, 0.5) == pytest.approx(0.25)
    first = (np.abs(game.board).sum(axis=1) == 1) * 9
    # A game from random play has 1 board with one mark, and so many before its end.
    length = evaluation.reach(game, at_random, at_random) @ ~game.terminal - 1
    assert td._off_in_own(win - loss + first, Q, 0.5) == pytest.approx(9 / length)


@pytest.mark.parametrize("name", taking_long("iterate", "mc_learn", "td_learn"))
def test_what_is_handed_out_can_be_spoilt(name):
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


# What it earns, and what is said


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
def test_a_goal_is_reached_at_its_limit_and_not_beyond(name, share, limit, others):
    goals = TRAININGS[name].goals
    assert training.share(goals, [*{**limit, **others}.items()]) == share
    for key, value in limit.items():
        beyond = [*{**limit, **others, key: value + 1e-6}.items()]
        assert training.share(goals, beyond) < share


def test_the_middle_one_of_the_seeds_counts():
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


def test_who_is_settled_by_more_than_half_of_the_seeds_is_asked_no_more():
    question = questions.QUESTIONS["td_learn"]
    good, poor = ([["lost", x], ["off", x], ["worst", x]] for x in (0, 1))
    endless = Failed(f"{training.TOO_SLOW} longer than 60 seconds")
    for given, known in (
        ([good] * 4 + [poor] * 4, False),
        ([good] * 5, True),
        ([Failed("x"), poor, poor, poor, poor], True),
        ([endless], True),
    ):
        assert training.settled(question, given, training.HIDDEN) is known
    assert training.verdict(question, [poor, *[good] * 5]).share == 1
    assert len(list(question.draw(np.random.default_rng(1)))) == training.HIDDEN


def test_a_check_says_what_was_measured_and_what_is_reached(capsys):
    check.td_learn(RIGHT["td_learn"])
    said = capsys.readouterr().out
    assert said.startswith("td_learn, seed 1: lost 0, off 0.07689, worst 0\ntd_learn,")
    assert "reached, 100% of the points: nobody can beat it as first player" in said
    assert "not yet" not in said
    assert "50%" not in said
    assert "Hint" not in said
    assert report.KNOWN["td_learn"] == 1
    check.beads(lambda b, result, d, n: 4 if result is None else b)
    said = capsys.readouterr().out
    assert said.count("not yet, ") == 2
    assert "Hint: Does the first box keep" in said
    assert "are there so many beads that 400 games change little?" in said
    check.beads(lambda *known: 1 // 0)
    assert "ZeroDivisionError: integer division or modulo by zero. line" in (
        capsys.readouterr().out
    )
    check.beads(7)
    said = capsys.readouterr().out
    assert said == "beads: give the function itself, as in check.beads(beads).\n"


# In the grader the loop runs here, and the function over there


@pytest.fixture(scope="module")
def place():
    limits = sandbox.Limits(cell_seconds=60, call_seconds=2)
    with sandbox.Sandbox(limits, not sandbox.isolation()) as place:
        yield place


GIVES = "def td_learn(values, result, share):\n    {}"


@pytest.mark.parametrize(
    ("line", "why", "reason"),
    [
        ("return 1 // 0", "ZeroDivisionError", ""),
        ("return [float('nan')] * len(values)", "it should give a list of", ""),
        ("return values[1:]", "it should give a list of", ""),
        ("return MemoryError", "ValueError", ""),
        ("raise MemoryError", "", grading.OUT_OF_MEMORY),
        ("import os; os._exit(0)", "the function crashed", "crashed"),
        ("import time; time.sleep(9)", "the function timed out", "timed out"),
    ],
)
def test_a_function_over_there_that_fails_ends_its_training(place, line, why, reason):
    question = Question("q", "a", "td_learn", "td_learn", 6, "", "td_learn")
    with place.student() as student:
        student.run(GIVES.format(line))
        cases = [Case("", False, (seed,)) for seed in (1, 2)]
        found, told, _ = grading._answers(student, question, cases)
    assert told == reason
    assert len(found) == 2
    assert all(each.why.startswith(why) for each in found)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("alpha_beta", "def alpha_beta(board):\n    return 1, 7 + sum(board)"),
        pytest.param(
            "beads",
            "def beads(b, result, d, n):\n    return 4 if result is None else b",
            marks=pytest.mark.long,
        ),
    ],
)
def test_the_loop_gives_the_same_here_and_there(place, name, source):
    question, names = Question("q", "a", name, name, 6, "", name), {}
    with place.student() as student:
        student.run(source)
        found, reason, _ = grading._answers(student, question, [Case("", False, (7,))])
    exec(source, names)
    assert reason == ""
    assert dict(found[0]) == trained(name, names[name])(7)
