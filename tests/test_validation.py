"""Validation of arguments, boards and models; file formats and atomic writing."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from common import each, game, rng, same, some_policy, wide

from ttt_lib import learning, menace, notation
from ttt_lib.game import tables
from ttt_lib.mdp import from_opponent
from ttt_lib.policy import uniform
from ttt_lib.validation import (
    MAX_CELLS,
    SUM_ATOL,
    Format,
    agents,
    arguments,
    as_float,
    as_int,
    boards,
    bool_array,
    float_array,
    format_of,
    learners,
    models,
    plots,
    probabilities,
    probability,
    short_repr,
    validated,
    write_atomic,
)

# Arguments of a check: a value, and the other arguments of the call by name

RANDOM = uniform(wide.legal)
PI = some_policy(wide, 1)
M = from_opponent(wide, PI, +1)
L = learning.new_learner(wide, "double_q_learning", rng())
B = menace.new_matchboxes(wide, rng())
ONE_SIDED = np.where(wide.to_move[:, None] == 1, PI, 0)
Q = np.where(wide.legal, 0.5, np.nan)
S, A = wide.legal.shape
IN = {"game": wide}
ON_M = {"mdp": M}
NAN, INF = np.nan, np.inf
LIKE = {"policy": PI}
FIRST = np.array([0, 2, 3])
WITH_FIRST = {"first": FIRST.astype(np.uint32)}
NINE = {"board": np.zeros(9)}
LAST = wide.count.argmax()


def moves(*cells):
    """Return the legal cells of all positions, without some cells in position 0."""
    among = wide.legal.copy()
    among[0, list(cells)] = False
    return among


def with_last(arrays, **changes):
    """Return a tuple of arrays in which some have a different last number."""
    new = {name: getattr(arrays, name).copy() for name in changes}
    for name, last in changes.items():
        new[name].flat[-1] = last
    return arrays._replace(**new)


CHECKS = arguments.CHECKS | agents.AGENT_CHECKS | learners.SETTING_CHECKS
CHECKS |= {
    "any side": arguments.side_or_both,
    "among": arguments.allowed_moves,
    "chances": arguments.partial_policy("chances", "policy"),
    "other": probabilities("other", "policy"),
    "offsets": arguments.offsets,
    "pairs": arguments.pairs,
    "above": probability("above", above=True),
    "boxes": learners.validated_boxes,
    "L": lambda x, arguments: learners.validated_learner(
        x, arguments["game"], learning.SETTINGS
    ),
    "array": plots.board,
    "values": plots.values,
    "coded": boards.boards_with_code,
    "moves": plots.legal,
}
AGENT = SimpleNamespace(training={}, rewards=())

# Check, other arguments, a value, and what is returned; None if it is the value.
VALID = [
    ("L", IN, L, None),
    ("boxes", IN, B, None),
    *(("side", {}, side, int(side)) for side in (1, -1, 1.0, np.int8(-1))),
    *(("any side", {}, side, int(side)) for side in (1, 0, -1.0, np.int8(0))),
    ("rewards", {}, np.array([5, 0, -2]), (5.0, 0.0, -2.0)),
    *(("s", IN, s, int(s)) for s in (0, S - 1, 5.0)),
    ("mdp", IN, M, None),
    ("board", {}, [0.0, 1.0, -1.0], np.array([0, 1, -1], np.int8)),
    ("board", {"lines": game.lines}, game.board[:2], None),
    ("lines", {}, [[0, 1], [2, 3]], np.array([[0, 1], [2, 3]])),
    ("action", NINE, 3, np.array(3)),
    ("action", {"board": np.zeros((4, 9))}, [3.0] * 4, np.array([3] * 4)),
    ("actions", {}, (0, 1.0), [0, 1]),
    ("to_move", WITH_FIRST, [1, -1, 1], np.array([1.0, -1, 1])),
    ("among", IN | {"side": 1}, moves(), wide.legal),
    ("order", IN, np.arange(A)[::-1], None),
    ("order", IN | {"s": S - 1}, [], np.zeros(0, int)),
    ("Q", IN, Q, None),
    ("chances", LIKE, 0 * PI, None),
    ("other", {"policy": FIRST / 3}, FIRST / 3, None),
    ("other", LIKE, PI * 0 + 1 + SUM_ATOL / 2, None),
    ("policy", IN | {"side": 1}, ONE_SIDED, None),
    ("opponent", IN | {"side": -1}, ONE_SIDED, None),
    ("policy", ON_M, PI[wide.legal & (wide.to_move == 1)[:, None]], None),
    *(("gamma", {}, gamma, float(gamma)) for gamma in (0, 1, np.float32(0.5))),
    ("above", {}, 1, 1.0),
    ("evaluations", {}, 99_999, None),
    ("offsets", {}, [0, 2, 2], np.array([0, 2, 2], np.uint32)),
    ("pairs", WITH_FIRST, [INF, -INF, 0], np.array([INF, -INF, 0])),
    ("path", {}, "a" * 255, Path("a" * 255)),
    ("history", {}, [{}, {"games": 3}], ({}, {"games": 3})),
    *(("n", {}, n, None) for n in (1, 2**31)),
    ("beads", {}, [1, 1e9], (1, 10**9)),
    ("reinforcement", {}, [-1e9, 0, 1e9], (-(10**9), 0, 10**9)),
    ("array", {}, [[1.0, 0.0], [-1.0, 0.0]], np.array([[1, 0], [-1, 0]])),
    ("values", IN | {"s": LAST}, np.arange(A), None),
    ("values", IN | {"s": S - 1}, np.full(A, NAN), None),
    ("moves", IN | {"s": 0}, (A - 1, 0.0), [A - 1, 0]),
    ("coded", {}, np.zeros(MAX_CELLS, np.int8), None),
]

# Check, other arguments, and invalid values.
INVALID = [
    ("side", {}, [0, 2, -2, True, None, "1", [1], NAN, 0.5]),
    ("any side", {}, [2, -2, False, None, "0", [0], NAN, 0.5]),
    ("rewards", {}, [(1, 0), 7, None, (1, NAN, 0), "abc", [[1], [0], [-1]]]),
    ("s", IN, [-1, S, 1.5, NAN, True, "0", None]),
    ("mdp", IN, [with_last(M, position=S), M._replace(action=M.action[:-1])]),
    ("board", {}, [[2, 0], [-2, 0], [], [0.5], "X", None, [NAN, 0], [[0], [0, 1]]]),
    ("board", {"lines": game.lines}, [[0] * 8]),
    ("lines", {}, [[0, 1], [], [[-1, 0]], [[0.5, 1]], None, "012"]),
    ("action", NINE, [0.5, True, 2**63, None, NAN, "3"]),
    ("action", {"board": np.zeros((3, 9))}, [[0, 1]]),
    ("actions", {}, [7, None, [0.5], [True], ["0"], [-1]]),
    ("to_move", WITH_FIRST, [[1, -1], [1, 0, 1], [2, 2, 2], None]),
    ("among", IN | {"side": 1}, [moves(*range(A)), wide.legal[:5], Q]),
    ("order", IN, [[0], [0] * A, [*range(A), A], [range(A)], "012345", [0.5] * A]),
    ("Q", IN, [PI[:5], np.where(wide.legal, INF, 0), PI * NAN, None]),
    ("other", LIKE, [-PI, PI * 0 + 1.01, PI[:5], Q]),
    ("policy", IN, [ONE_SIDED, PI / 2, -PI, PI * NAN, PI[:5], RANDOM * 2]),
    ("policy", IN, [np.ones((S, A)) / A, 2 * PI - RANDOM * (PI < 0.1)]),
    ("policy", IN | {"side": -1}, [ONE_SIDED]),
    ("opponent", IN | {"side": 1}, [ONE_SIDED]),
    ("gamma", {}, [-0.1, 1.1, NAN, None, True, "1", [1]]),
    ("above", {}, [0, 1.1]),
    ("evaluations", {}, [-1, 100_000, 0.5]),
    ("games", {}, [-1, 0.5, 2**62 + 1, NAN, "5"]),
    ("pairs", WITH_FIRST, [[1, 2], [NAN, 0, 0], None]),
    ("agent", {}, [SimpleNamespace(training={})]),
    ("path", {}, ["", "a\0b", 7, None, b"x", "a" * 256, "\ud800", "\ud800/a"]),
    ("history", {}, [7, "text", b"text", [7], [{}, 7]]),
    ("lambda_", {}, [-0.1, 1.1]),
    ("n", {}, [0, 1.5, 2**31 + 1, INF]),
    ("beads", {}, [(), (0,), (1.5,), (10**9 + 1,), [[1]], 4]),
    ("reinforcement", {}, [(1, 0), (1.5, 0, 0), (0, 0, -(10**9) - 1), [[1, 0, 0]]]),
    ("L", IN, [learning.new_learner(game, "double_q_learning", rng())]),
    ("boxes", IN, [None, menace.new_matchboxes(game, rng())]),
    ("array", {}, [[0, 1], [[2]], [[-2]], [[]], None, np.zeros((1, 10_001))]),
    ("values", IN | {"s": 0}, [np.zeros(3), [NAN] * A, None]),
    ("coded", {}, [np.zeros(MAX_CELLS + 1)]),
]  # fmt: skip
IN_MESSAGE = {"pairs": "q", "any side": "side", "coded": "board has 40 cells"}
IN_MESSAGE |= {"array": "array|10001", "L": "learner"}


@each(VALID)
def test_checks_convert_valid_arguments(row):
    check, others, value, result = row
    assert same(CHECKS[check](value, others), value if result is None else result)


@each(INVALID)
def test_checks_reject_invalid_arguments_by_name(row):
    check, others, wrong = row
    for value in wrong:
        with pytest.raises(ValueError, match=IN_MESSAGE.get(check, check)) as error:
            CHECKS[check](value, others)
        text = str(error.value)
        assert text.endswith(".")
        if " = " in text and (value is None or np.isscalar(value)):
            assert f" = {short_repr(value)}:" in text


# Single values


def test_number_checks_accept_only_numbers_that_fit():
    for value in (0, 2**62, np.uint64(7), np.float32(7), 7.0):
        assert same(as_int(value, "n"), int(value))
    for value in (1e299, -1e299, np.float32(0.5), np.int8(-7), 0):
        assert same(as_float(value, "n"), float(value))
    for value in (1e300, -1e300, INF, NAN, True, None, "7", np.zeros(1), 10**400):
        with pytest.raises(ValueError, match="n = "):
            as_float(value, "n")
    for value in (True, np.True_, None, "7", NAN, INF, 0.5, 2**62 + 1, np.zeros(1)):
        with pytest.raises(ValueError, match="n = "):
            as_int(value, "n")
    assert same(float_array([[1, True]], "n", (1, 2)), np.ones((1, 2)))
    assert float_array([INF], "n", finite=False) == [INF]
    for value in ([INF], [NAN], "7", ["7"], [[1], [1, 2]], 1j, None, [10**400]):
        with pytest.raises(ValueError, match="n "):
            float_array(value, "n")
    assert bool_array([True], "n").tolist() == [True]
    for value in ([1], [[True], [True, False]], None, [[True]], []):
        with pytest.raises(ValueError, match="n = "):
            bool_array(value, "n", (1,))


# The decorator


@validated(size=lambda value, arguments: as_int(value, "size"))
def called(size, gamma=None, **settings):
    """Return the arguments."""
    return size, gamma, settings


def test_validated_passes_on_checked_arguments():
    assert called(3.0) == called(size=3) == (3, None, {}), "a default is not validated"
    assert called(3, 1, other="x") == called(3, other="x", gamma=1)
    assert called(3, 1, other="x") == (3, 1.0, {"other": "x"})
    for wrong in (lambda: called("x"), lambda: called(size="x", other=1)):
        with pytest.raises(ValueError, match="size = 'x'"):
            wrong()
    with pytest.raises(ValueError, match="gamma = 2"):
        called(3, gamma=2, other=1)
    assert called.unchecked("x", 2) == ("x", 2, {})
    assert called.__name__ == "called"
    assert "ValueError" in called.__doc__


# Boards


def test_require_size_returns_ints():
    assert same(boards.require_size(np.int8(2), 3, 3), (2, 3, 3))
    assert boards.require_size(1, 5) == (1, 5, 1)
    boards.require_drawable(100, 100)


@pytest.mark.parametrize("size", [(2, 3, 3), (1, 4, 3)], ids=str)
def test_read_accepts_exactly_the_reachable_boards(size):
    g = tables(*size)
    rows, columns = size[:2]
    boards_by_code = dict(zip(g.code.tolist(), g.board, strict=True))
    for code in range(3 ** (rows * columns)):
        if code not in boards_by_code:
            with pytest.raises(ValueError, match=r"\.$"):
                notation.read(code, rows, columns, g.lines)
            continue
        board = boards_by_code[code]
        forms = [np.int64(code), board, board.tolist(), board.reshape(rows, columns)]
        for first in ("X", "O"):
            text = notation.write(board, first)
            lines = [text[i : i + columns] for i in range(0, len(text), columns)]
            forms += [(text, first), ("/".join(lines).lower().replace(".", "_"), first)]
        for form in forms:
            form, first = form if isinstance(form, tuple) else (form, "X")
            assert same(notation.read(form, rows, columns, g.lines, first), board)


def test_marks_follow_the_first_player():
    assert (notation.marks("X"), notation.marks("O")) == (("X", "O"), ("O", "X"))
    assert [notation.write([1, -1, 0], first) for first in "XO"] == ["XO.", "OX."]
    assert notation.write([1, -1, 0]) == "XO."
    for first in ("x", "", None, 1):
        with pytest.raises(ValueError, match="first = "):
            notation.write([0], first)
    for cells in (np.zeros((1, 2)), [2], [], None):
        with pytest.raises(ValueError, match=r"^cells = "):
            notation.write(cells)


@each(
    [
        ("XX.......", "X", "X has 2 marks and O 0"),
        ("O........", "X", "O has one mark more than X"),
        ([-1] + [0] * 8, "X", "player -1 has one mark more than Player [+]1"),
        ("XXXOOO...", "X", "X and O"),
        ("XXXOO.O.O", "O", "line of X"),
        ("OOOXX.X..", "O", "line of O"),
        ("XO?......", "X", "'[?]'"),
        ("XO/......./", "X", "3 rows of 3"),
        ("XO......", "X", "9 cells, not 8"),
        ([[0, 1, 0]] * 2, "X", r"\(2, 3\).*\(3, 3\) or \(9,\)"),
        ([[0], [0, 1]], "X", "differ in length"),
        ([0] * 8 + [2], "X", "mark"),
        (True, "X", "mark|cells"),
        (-1, "X", f"-1 .* 0 to {3**9 - 1}"),
        (3**9, "X", f"{3**9} .* 0 to {3**9 - 1}"),
    ],
)
def test_read_names_the_fault_of_invalid_boards(case):
    board, first, named = case
    with pytest.raises(ValueError, match=named):
        notation.read(board, 3, 3, game.lines, first)


P = np.array([[[0.5, 0.5], [0, 1]], [[0, 0], [NAN, 2]]])
R = np.array([[1, 2], [3, NAN]])
LEGAL = np.array([[True, True], [True, False]])


def test_require_model_ignores_illegal_actions():
    assert same(models.require_model(P, R, LEGAL, [1, 0]), (P, R, LEGAL, np.eye(2)[0]))
    zeros, ones = np.zeros((2, 2, 2)), np.ones((2, 2))
    model = models.require_model(zeros, ones, None, None)
    assert same(model, (zeros, ones, ones > 0, np.array([0.5, 0.5])))


@each(
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
def test_require_model_rejects_invalid_models(case):
    named, wrong = case
    usual = {"probability": P, "reward": R, "legal": LEGAL, "start": None}
    for changes in wrong:
        with pytest.raises(ValueError, match=named):
            models.require_model(**usual | changes)


def test_largest_reward_limits():
    def largest(unit):
        return models.largest_reward(SimpleNamespace(reward=np.array([0, -unit])))

    for unit in (0, 1e-280, 1, 1e280):
        assert largest(unit) == unit
    for unit in (9e-281, 2e280, INF, NAN):
        with pytest.raises(ValueError, match="1e-280 to 1e280"):
            largest(unit)


def test_legal_actions_rejects_illegal_actions():
    states, lowest = np.flatnonzero(~wide.terminal), wide.action[:, 0].astype(float)
    taken = np.where(wide.terminal, NAN, lowest)
    assert same(models.legal_actions(taken, wide.legal, states), wide.action[states, 0])
    for cell in (NAN, -1, A, 0.5, np.flatnonzero(~wide.legal[states[-1]])[0]):
        taken[states[-1]] = cell
        with pytest.raises(ValueError, match=f"{cell:g} .* position {states[-1]}"):
            models.legal_actions(taken, wide.legal, states)
    with pytest.raises(ValueError, match="action has shape"):
        models.legal_actions(wide.action, wide.legal, states)


def test_validated_training_checks_the_side():
    second = np.where(wide.to_move[:, None] == -1, PI, 0)
    for side, opponent, behaviour in (
        (0, None, None), (0, PI, PI), (1, second, ONE_SIDED),
        (-1, ONE_SIDED, second), (0, None, PI),
    ):  # fmt: skip
        result = models.validated_training(wide, 5.0, opponent, side, behaviour)
        assert same(result, (5, opponent, behaviour))
    for named, (games, opponent, side, behaviour) in {
        "side = 1": (5, None, 1, None),
        "side = -1": (5, None, -1, None),
        "side = 2": (5, PI, 2, None),
        "games = -1": (-1, PI, 1, None),
        "opponent has": (5, ONE_SIDED, 1, None),
        "behaviour has": (5, second, 1, second),
    }.items():
        with pytest.raises(ValueError, match=named):
            models.validated_training(wide, games, opponent, side, behaviour)


ONE, TWO = Format("one"), Format("two", 3)


def test_format_of_rejects_newer_and_unknown_formats():
    older = {"format": "two", "version": 2, "more": 5}
    for content, format_ in (
        (ONE.head(), ONE), (TWO.head(), TWO), (older, TWO),
        ({"format": "two"}, TWO),  # the first version did not say so
    ):  # fmt: skip
        assert format_of(content, "thing", ONE, TWO) == format_
    rule = " and it should be a whole nu"
    for content, words in (
        ({"format": "one", "version": 2}, "it was made by a newer edition (format 2; "),
        (TWO.head() | {"version": 4}, "4; this one knows up to 3): update ttt_lib."),
        (TWO.head() | {"version": 10**200}, "it was made by a newer edition (format 1"),
        *((ONE.head() | {"version": wrong}, f"its version is {wrong},{rule}")
          for wrong in (0, True, 1.0, None)),
        *((wrong, "it is not a ttt_lib thing file.") for wrong in (
            {"format": "three", "version": 9}, {"version": 1}, {"format": ["one"]}, [1]
        )),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(words)) as caught:
            format_of(content, "thing", ONE, TWO)
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("links", [True, False])
def test_write_atomic_leaves_no_temporary_files(tmp_path, monkeypatch, links):
    def not_permitted(*_):
        raise PermissionError

    if not links:
        monkeypatch.setattr(os, "link", not_permitted)
    file = tmp_path / "file"
    write_atomic(file, b"one", exclusive=True)
    with pytest.raises(FileExistsError):
        write_atomic(file, b"two", exclusive=True)
    assert file.read_bytes() == b"one"
    write_atomic(file, b"three")
    assert file.read_bytes() == b"three"
    gone = tmp_path / "gone" / "file"
    for wrong, error in ((gone, FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(error, match=r"(gone|folder).*\.$"):
            write_atomic(wrong, b"four")
    assert [*tmp_path.iterdir()] == [file]
    for name in ("x" * 255, "三" * 85, "𝒳" * 63):  # as long as files allow
        write_atomic(tmp_path / name, b"one")
        assert (tmp_path / name).read_bytes() == b"one"


def test_write_atomic_removes_stale_temporary_files(tmp_path):
    file, fresh = tmp_path / "a[1]*.json", ".a[1]*.json.4567cdef.part"
    others = fresh, ".a1.json.0123abcd.part", ".a[1]*.json.mine.part"
    for name in (".a[1]*.json.0123abcd.part", *others):
        (tmp_path / name).write_text("part")
        if name != fresh:
            os.utime(tmp_path / name, (0, 0))
    write_atomic(file, b"one")
    assert {path.name for path in tmp_path.iterdir()} == {file.name, *others}
