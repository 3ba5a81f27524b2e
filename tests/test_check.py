"""The visible checks, and the judging that they share with the grader."""

import numpy as np
import pytest

from assignments.grader import cases
from ttt_lib import check
from ttt_lib.check import Failed, answers, judge, plain, same
from ttt_lib.game import tables

FUNCTIONS = {n: q for n, q in check.QUESTIONS.items() if not q.is_value}


@pytest.mark.parametrize("secret", [None, "one", "two", "three"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_right_answer_is_right_and_every_mistake_is_recognised(name, secret):
    hidden = secret is not None
    tried = cases.draw(secret, "a", name) if hidden else FUNCTIONS[name].cases
    question = FUNCTIONS[name]
    known = check.key(question, tried)
    assert not [answer for answer in known.expected if isinstance(answer, Failed)]
    verdict = judge(question, tried, known.expected, known)
    assert verdict == check.Verdict((True,) * len(tried), 1.0, (), "", "")
    for mistake, given in zip(question.mistakes, known.mistaken, strict=True):
        verdict = judge(question, tried, given, known)
        assert verdict.share < 1, mistake.name
        if hidden:  # a few visible cases need not tell all mistakes apart
            assert (verdict.mistake, verdict.hint) == (mistake.name, mistake.hint)


def test_a_function_that_always_says_the_same_earns_nothing():
    for name, question in FUNCTIONS.items():
        tried = cases.draw("one", "assignment", name)
        known = check.key(question, tried)
        for constant in known.expected:
            given = [constant] * len(tried)
            assert judge(question, tried, given, known).share == 0, (name, constant)


def test_the_first_argument_given_back_earns_nothing():
    for name, question in FUNCTIONS.items():
        tried = cases.draw("one", "assignment", name)
        given = answers(lambda first, *_: first, tried)
        assert judge(question, tried, given).share == 0, name


def test_half_the_points_for_special_cases_alone():
    question, tried = check.QUESTIONS["winner"], cases.draw("one", "a", "winner")
    known = check.key(question, tried)

    def spoilt(chosen):
        return [
            7 if chosen(c) else a for c, a in zip(tried, known.expected, strict=True)
        ]

    assert judge(question, tried, spoilt(lambda c: c.special), known).share == 0.5
    assert judge(question, tried, spoilt(lambda c: not c.special), known).share == 0
    one = iter([True] + [False] * 99)
    assert judge(question, tried, spoilt(lambda c: next(one)), known).share == 0


def test_kinds_say_what_they_are():
    game = tables()
    for case in (*FUNCTIONS["winner"].cases, *cases.draw("one", "a", "winner")):
        cells = case.args[0]
        lines = [tuple(x) for x in game.lines.tolist() if abs(cells[x].sum()) == 3]
        named = {
            "a row": lambda x: x[1] - x[0] == 1,
            "a column": lambda x: x[1] - x[0] == 3,
            "the diagonal from cell 0 to cell 8": lambda x: x == (0, 4, 8),
            "the diagonal from cell 2 to cell 6": lambda x: x == (2, 4, 6),
        }
        assert len(lines) == (case.kind != "no line")
        assert all(named[case.kind](x) for x in lines)
        assert case.special == (lines == [(2, 4, 6)])
    sizes = {"eight different images": (8,), "four different images": (4,)}
    for case in (*FUNCTIONS["class_size"].cases, *cases.draw("one", "a", "class_size")):
        size = FUNCTIONS["class_size"].answer(*case.args)
        assert size in sizes.get(case.kind, (1, 2))


def test_every_kind_of_a_question_is_special_or_not():
    for name, question in FUNCTIONS.items():
        for tried in (question.cases, cases.draw("one", "a", name)):
            special = {case.kind: case.special for case in tried}
            assert all(special[case.kind] == case.special for case in tried)
            assert not all(special.values())


def test_hidden_cases_are_not_the_visible_ones():
    for name, question in FUNCTIONS.items():
        drawn = cases.draw("one", "a", name)
        seen = {repr(case.args) for case in question.cases}
        asked = [repr(case.args) for case in drawn]
        assert len([a for a in asked if a not in seen]) >= 5
        assert repr(cases.draw("one", "a", name)) == repr(drawn)


def test_it_says_what_passed_and_never_all(capsys):
    for name, question in FUNCTIONS.items():
        getattr(check, name)(question.answer)
        said = capsys.readouterr().out
        count = len(question.cases)
        assert said == (
            f"{name}: visible checks passed, {count} of {count}. The grader tries "
            "others.\n"
        )
        assert " all " not in said


def test_it_draws_the_first_board_that_failed_and_gives_the_hint(capsys):
    check.winner(lambda board: abs(FUNCTIONS["winner"].answer(board)))
    said = capsys.readouterr().out
    assert "winner: 4 of 6 visible checks passed." in said
    assert "(a column):\n\n    X O .\n    X O .\n    . O X\n" in said
    assert "expected  -1" in said
    assert "given     1" in said
    assert "Hint: Who won? A line of the second player is −1, not +1." in said


def test_an_unwritten_function_and_one_that_fails(capsys):
    def unwritten(board):
        raise NotImplementedError

    check.winner(unwritten)
    assert "given     nothing: it is not written yet" in capsys.readouterr().out
    check.winner(lambda board: 1 // 0)
    assert "given     ZeroDivisionError: " in capsys.readouterr().out
    check.winner(3)
    said = capsys.readouterr().out
    assert said == "winner: give the function itself, as in check.winner(winner).\n"


def test_a_prediction_is_a_number(capsys):
    for value in (0, 765, 12.5):
        check.guess(value)
        assert capsys.readouterr().out == "guess: visible checks passed, 1 of 1.\n"
    for value in (None, "many", True, -1, float("nan"), [3]):
        check.guess(value)
        assert "guess: 0 of 1 visible checks passed." in capsys.readouterr().out


def test_the_boards_of_a_check_cannot_be_spoilt(capsys):
    def spoils(board):
        answer = FUNCTIONS["winner"].answer(board)
        board[:] = 1
        return answer

    for _ in range(2):
        check.winner(spoils)
        assert "visible checks passed, 6 of 6" in capsys.readouterr().out


def test_an_unknown_check_names_the_known_ones():
    with pytest.raises(
        AttributeError, match="no check named 'winer': choose from winner"
    ):
        _ = check.winer
    assert set(FUNCTIONS) <= set(dir(check))


def test_plain_data():
    given = (np.int64(3), {2, 1}, {"b": np.array([1.5]), "a": None}, np.bool_(True))
    assert plain(given) == [3, [1, 2], [["a", None], ["b", [1.5]]], True]
    for value in (object(), lambda: 1, 1j, type("Int", (int,), {})(3)):
        with pytest.raises(ValueError, match="of the type"):
            plain(value)
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested too deeply"):
        plain(endless)


@pytest.mark.parametrize(
    ("given", "expected", "equal"),
    [
        (1, 1.0, True),
        (True, 1, True),
        (0.1 + 0.2, 0.3, True),
        (0.301, 0.3, False),
        ("1", 1, False),
        (None, 0, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        (1, [1], False),
        ([1], 1, False),
        (float("nan"), 0.0, False),
        (float("inf"), float("inf"), True),
        (10**400, 0.5, False),
        ("win", "win", True),
        (Failed("1"), 1, False),
    ],
)
def test_what_is_the_same(given, expected, equal):
    assert same(given, expected) is equal
