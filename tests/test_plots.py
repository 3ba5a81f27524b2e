from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from common import game, wide

from ttt_lib import plots, search
from ttt_lib.policy import uniform

matplotlib.use("agg")


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def luminance(colour):
    """Return the relative luminance of WCAG 2."""
    channel = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(
        channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4
    )
    return linear @ (0.2126, 0.7152, 0.0722)


def boards(ax):
    """Return the middles (N, 2) of the small boards on a picture, each 1 × 1."""
    ax.apply_aspect()
    data = ax.figure.transFigure - ax.transData
    boxes = [each.get_axes_locator()(each, None) for each in ax.child_axes]
    boxes = [box.transformed(data) for box in boxes]
    assert np.allclose([(abs(box.width), abs(box.height)) for box in boxes], 1)
    return np.array([((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes])


def branches(ax, middles):
    """Return the boards (N, 2) between which each line of a picture runs."""
    found = []
    for line in ax.lines:
        (x, y), (x_next, y_next) = line.get_xydata()
        after = x - middles[:, 0] - 0.5  # how far behind a board it begins
        before = middles[:, 0] - 0.5 - x_next
        from_ = (after > 0) & (after < 0.7) & np.isclose(middles[:, 1], y)
        to = (before > 0) & (before < 0.2) & np.isclose(middles[:, 1], y_next)
        assert (from_.sum(), to.sum()) == (1, 1)
        found.append((from_.argmax(), to.argmax()))
    return np.array(found)


def demand_readable(ax, middles):
    """Check that all of a picture lies inside of it, and no board on another."""
    places = np.array([*middles, *(text.get_position() for text in ax.texts)])
    ends = np.sort([ax.get_xlim(), ax.get_ylim()])
    assert (ends[:, 0] <= places.min(axis=0)).all()
    assert (places.max(axis=0) <= ends[:, 1]).all()
    for i, middle in enumerate(middles):
        apart = abs(middles[:i] - middle).max(axis=1)
        assert (apart >= 1).all()


def between(text, line):
    """Return whether a text stands on a line, and not at one of its ends."""
    start, end = line.get_xydata()
    way, here = end - start, np.array(text.get_position()) - start
    share = here @ way / (way @ way)
    return 0.2 < share < 0.8 and np.allclose(here, share * way)


@pytest.mark.parametrize("first", ["X", "O"])
def test_a_board_is_drawn_where_its_marks_are(ax, first):
    array = np.array([[1, 0, -1, 1], [0, -1, 1, 0]])
    plots.board(array, ax, first)
    points = {colour: [] for colour in (plots.INK, *plots.MARK_COLOURS.values())}
    for line in ax.lines:
        points[line.get_color()].append(line.get_xydata())
    second = {"X": "O", "O": "X"}[first]
    for side, mark in ((+1, first), (-1, second)):
        drawn = [each.mean(axis=0) for each in points[plots.MARK_COLOURS[mark]]]
        cells = [[column, row] for row, column in np.argwhere(array == side)]
        for cell in cells:  # two strokes, or the circle, whose first point comes twice
            mine = np.isclose(drawn, cell, atol=0.01).all(axis=1)
            assert mine.sum() == (2 if mark == "X" else 1)
        assert len(drawn) == len(cells) * (2 if mark == "X" else 1)
        for each in points[plots.MARK_COLOURS[mark]]:
            assert (np.ptp(each, axis=0) > 0.4).all()
            assert (np.ptp(each, axis=0) < 1).all()
    grid = sorted(each.tolist() for each in points[plots.INK])
    upright = [[[x, -0.5], [x, 1.5]] for x in (0.5, 1.5, 2.5)]
    assert grid == sorted([*upright, [[-0.5, 0.5], [3.5, 0.5]]])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert (left + right, top + bottom) == pytest.approx((3, 1))
    assert -0.6 < left < -0.5 < 1.5 < bottom < 1.6, "rows are counted downwards"


def test_every_number_has_the_square_of_its_cell(ax):
    plots.numbers(wide, 0, np.zeros(6), ax)
    for cell, patch in enumerate(ax.patches):
        row, column = divmod(cell, 3)
        corners = patch.get_path().to_polygons()[0][:4]
        around = np.append(corners, corners[:1], axis=0)
        assert np.abs(np.diff(around, axis=0)).sum(axis=1) == pytest.approx(1)
        assert corners.mean(axis=0) == pytest.approx([column, row])
        assert abs(corners - [column, row]) == pytest.approx(0.5)


@pytest.mark.parametrize("limits", [(-1, 1), (-2, 6), (-3, 0.5)])
def test_colours_on_both_sides_of_0_are_lightest_there(ax, limits):
    for one in limits:
        plots.numbers(game, 0, np.linspace(0, one, 9), ax, limits=limits)
        light = [luminance(patch.get_facecolor()) for patch in ax.patches]
        assert (np.diff(light) < 0).all()
        assert light[0] > 0.9
        ax.clear()
    plots.numbers(game, 0, [*limits, *[0] * 7], ax, limits=limits)
    low, high = (np.array(patch.get_facecolor()) for patch in ax.patches[:2])
    assert abs(low - high).max() > 0.3, "the two ends are told apart"


@pytest.mark.parametrize("limits", [(0, 1), (2, 6), (-3, -1), (0, -5), (1, -1)])
def test_other_colours_run_evenly_from_one_limit_to_the_other(ax, limits):
    shares = np.linspace(0, 1, 9)
    plots.numbers(game, 0, shares, ax)
    usual = [patch.get_facecolor() for patch in ax.patches]
    ax.clear()
    low, high = limits
    plots.numbers(game, 0, low + shares * (high - low), ax, limits=limits)
    assert [patch.get_facecolor() for patch in ax.patches] == usual
    light = [luminance(colour) for colour in usual]
    assert (np.diff(light) < 0).all()


def test_each_picture_returns_the_axes_it_drew_on(ax):
    assert plots.position(game, 0, ax) is ax
    assert plots.numbers(game, 0, np.zeros(9), ax) is ax


def test_numbers_stand_on_the_legal_cells_and_nowhere_else(ax):
    s = game.find("XO.......")
    plots.numbers(game, s, np.arange(9) / 10, ax, form="{:.1f}")
    shown = {(text.get_position(), text.get_text()) for text in ax.texts}
    assert shown == {
        ((cell % 3, cell // 3), f"{cell / 10:.1f}") for cell in range(2, 9)
    }


def test_marks_take_the_colour_of_the_player_who_owns_them(ax):
    plots.position(game, game.find("X........"), ax)
    assert {line.get_color() for line in ax.lines} == {
        plots.MARK_COLOURS["X"],
        plots.INK,
    }
    ax.clear()
    plots.position(game, game.find("X........"), ax, first="O")
    assert {line.get_color() for line in ax.lines} == {
        plots.MARK_COLOURS["O"],
        plots.INK,
    }


@pytest.mark.parametrize("limits", [(0, 1), (-1, 1)])
def test_every_number_can_be_read_on_its_colour(ax, limits):
    for values in np.linspace(*limits, 90).reshape(10, 9):
        ax.clear()
        plots.numbers(game, 0, values, ax, limits=limits)
        for patch, text in zip(ax.patches, ax.texts, strict=True):
            pair = sorted(
                [luminance(patch.get_facecolor()), luminance(text.get_color())]
            )
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def test_replies_label_the_branches_and_the_boards_where_they_end(ax):
    s = game.find("XX.OO....")  # cell 2 wins, after cell 8 the opponent has four cells
    opponent = uniform(game.legal)
    labelled = []

    def label(s_next):
        labelled.append(s_next)
        return f"board {s_next}"

    assert plots.replies(game, s, (2, 8), opponent, ax, label) is ax
    after = game.next[s, 8]
    replies = game.next[after, game.legal[after]].tolist()
    assert labelled == [game.next[s, 2], *replies]
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("1/4") == len(replies) == 4
    assert {"cell 2", "cell 8", *(f"board {each}" for each in labelled)} < set(texts)
    assert len(ax.child_axes) == 1 + 2 + 4


@pytest.mark.parametrize(
    ("board", "actions"), [("XX.OO....", (2, 8, 5)), ("XX.OXOO..", (7, 2))]
)
def test_replies_are_a_tree_from_left_to_right(ax, board, actions):
    s, policy = game.find(board), uniform(game.legal)
    plots.replies(game, s, actions, policy, ax, lambda s: f"board {s}")
    middles = boards(ax)
    demand_readable(ax, middles)
    joined = branches(ax, middles)
    assert sorted(joined[:, 1]) == [*range(len(middles) - 1)], "all but the root"
    above = dict(joined[:, ::-1].tolist())
    for node in {*above.values()}:
        heights = [middles[each, 1] for each in above if above[each] == node]
        assert middles[node, 1] == pytest.approx((min(heights) + max(heights)) / 2)
    beside = [text for text in ax.texts if text.get_text().startswith("board")]
    for text in beside:
        x, y = text.get_position()
        (here,) = np.flatnonzero(
            np.isclose(middles, [x - 0.65, y], atol=0.1).all(axis=1)
        )
        assert here not in above.values(), "a branch ends here"
    assert len(beside) == len(middles) - len({*above.values()})
    others = [text for text in ax.texts if text not in beside]
    for text, line in zip(others, ax.lines, strict=True):
        assert between(text, line)
    for inset in ax.child_axes:
        assert max(line.get_linewidth() for line in inset.lines) < 3


def test_the_share_of_a_reply_is_a_fraction_that_can_be_read(ax):
    policy = uniform(wide.legal)
    after = wide.next[0, 0]
    policy[after, 1:] = [1 / 3, 1000 / 1001 - 1 / 3, 1 / 1001, 0, 0]
    plots.replies(wide, 0, (0,), policy, ax, str)
    shares = [text.get_text() for text in ax.texts if "/" in text.get_text()]
    assert shares[0] == "1/3"
    for share, p in zip(shares, policy[after, 1:4], strict=True):
        assert float(Fraction(share)) == pytest.approx(p, abs=1e-5)
        assert Fraction(share).denominator <= 1000


def test_a_tree_holds_every_game_from_its_root():
    few = np.flatnonzero((game.board == 0).sum(axis=1) <= 3)
    value = game.outcome + search.solve(game).V
    for s in few[::11]:
        found = plots.tree(game, s)
        assert len(found.position) == search.minimax(game, s).nodes
        assert (found.position[0], found.parent[0], found.action[0]) == (s, -1, -1)
        below = np.arange(1, len(found.position))
        above = found.parent[below]
        assert (above < below).all()
        assert (found.depth[below] == found.depth[above] + 1).all()
        after = game.next[found.position[above], found.action[below]]
        assert (found.position[below] == after).all()
        assert (found.value == value[found.position]).all()


def test_a_tree_too_large_for_a_picture_is_refused():
    with pytest.raises(ValueError, match="549,946 nodes, and a picture holds 60"):
        plots.tree(game, 0)


@pytest.mark.parametrize("first", ["X", "O"])
def test_the_tree_is_drawn_with_its_values_and_moves(ax, first):
    found = plots.tree(game, game.find("XXOOOX..."))
    assert plots.game_tree(game, found, ax, first) is ax
    shown = [text.get_text() for text in ax.texts]
    moves = [str(a) for a in found.action[1:]]
    values = [{-1: "−1", 0: "0", 1: "+1"}[value] for value in found.value]
    second = "O" if first == "X" else "X"
    heads = [f"{first}: MAX", f"{second}: MIN", f"{first}: MAX"]
    assert sorted(shown) == sorted(moves + values + heads)


def test_the_tree_is_drawn_from_left_to_right(ax):
    found = plots.tree(game, game.find("XXOOOX..."))
    plots.game_tree(game, found, ax)
    middles = boards(ax)
    demand_readable(ax, middles)
    joined = branches(ax, middles)
    below = np.arange(1, len(found.parent))
    assert dict(joined[:, ::-1].tolist()) == dict(
        zip(below, found.parent[1:], strict=True)
    )
    assert (np.diff(middles[found.depth.argsort(), 0]) >= 0).all()
    for node in range(len(middles)):
        under = middles[found.parent == node, 1]
        assert not len(under) or middles[node, 1] == pytest.approx(under.mean())
    texts = {text.get_position(): text for text in ax.texts}
    for node, (x, y) in enumerate(middles):
        (place,) = [
            at for at in texts if abs(at[0] - x - 0.85) < 0.2 and np.isclose(at[1], y)
        ]
        assert int(texts[place].get_text().replace("−", "-")) == found.value[node]
    for line, (_, last) in zip(ax.lines, joined, strict=True):
        (cell,) = [text for text in ax.texts if between(text, line)]
        assert cell.get_text() == str(found.action[last])
        keeps = found.value[last] == found.value[found.parent[last]]
        assert (line.get_linewidth() > 1) == keeps


AT_RANDOM = uniform(game.legal)
NOWHERE = (-1, len(game.code), 1.5, "0", None, True)


def numbers(values=range(9), **more):
    return lambda ax: plots.numbers(game, 0, values, ax, **more)


def replies(actions, opponent=AT_RANDOM, label=str, s=0):
    return lambda ax: plots.replies(game, s, actions, opponent, ax, label)


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        *((lambda ax, s=s: plots.position(game, s, ax), "s = ") for s in NOWHERE),
        *((lambda ax, s=s: plots.tree(game, s), "s = ") for s in NOWHERE),
        (lambda ax: plots.position(None, 0, ax), "game = None"),
        (lambda ax: plots.position(game, 0, [ax, ax]), "ax = "),
        (lambda ax: plots.position(game, 0, ax, "Y"), "first = 'Y'"),
        (lambda ax: plots.board(np.zeros(9), ax), "array"),
        (lambda ax: plots.board(np.full((3, 3), 2), ax), "array"),
        (lambda ax: plots.board([[0, 1], [1]], ax), "array"),
        (lambda ax: plots.board(np.zeros((200, 200)), ax), "too many"),
        (numbers(np.zeros(3)), "values has shape"),
        (numbers(np.full(9, np.nan)), "values"),
        (numbers("abc"), "values = 'abc'"),
        (numbers(form="{:q}"), "form"),
        (numbers(form="{} {}"), "form"),
        (numbers(form=5), "form"),
        (numbers(limits=(0, 0)), "limits"),
        (numbers(limits=5), "limits"),
        (replies((9,)), "from 0 to 8"),
        (replies((0,), s=1), "actions: 0 is illegal"),
        (replies(()), "at least one cell"),
        (replies(None), "actions"),
        (replies((0,), AT_RANDOM[:9]), "opponent has shape"),
        (replies((0,), 0 * AT_RANDOM), "opponent has the row"),
        (replies((0,), label=None), "label = None"),
        (lambda ax: plots.game_tree(game, None, ax), "tree = None"),
        (lambda ax: plots.game_tree(wide, plots.tree(game, 5000), ax), "tree"),
        (lambda ax: plots.source(len), "has no source"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is(ax, draw, words):
    with pytest.raises(ValueError, match=words) as refusal:
        draw(ax)
    assert str(refusal.value).endswith(".")
    assert str(refusal.value).count(". ") == 0, "one sentence"
    assert not [*ax.lines, *ax.patches, *ax.texts, *ax.child_axes]


def test_numbers_may_be_whole_and_without_colours(ax):
    numbers(form="{:d}", limits=None)(ax)
    assert [text.get_text() for text in ax.texts] == list("012345678")


def test_a_page_shows_what_a_function_does_and_not_its_door():
    found = plots.source(search.teacher, search.minimax_value, search.solve).data
    assert found.startswith("```python\ndef teacher(")
    assert "@compiled\ndef minimax_value(" in found
    assert "checked" not in found
