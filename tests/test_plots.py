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
