"""Plots: boards, trees, lines, tables, and the theme of figures."""

import json
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from common import game, wide

from ttt_lib import plots, search, theme
from ttt_lib.policy import uniform

matplotlib.use("agg")
to_hex = matplotlib.colors.to_hex
COLOURS = {"X": theme.light()["x"], "O": theme.light()["o"]}


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def shapes(ax, colour):
    """Return the bounding boxes (N, 2, 2) of all shapes filled with a colour."""
    boxes = []
    for patch in ax.patches:
        if to_hex(patch.get_facecolor()) == colour and patch.get_fill():
            boxes += [*boxes_of(patch)]
    return np.array(boxes).reshape(-1, 2, 2)


def boxes_of(patch):
    """Return the bounding boxes (N, 2, 2) of the polygons of a patch."""
    parts = patch.get_path().to_polygons(closed_only=False)
    return np.array([(part.min(axis=0), part.max(axis=0)) for part in parts])


def middles(boxes):
    """Return the distinct middles of boxes, in their order; a ring has one."""
    unique = dict.fromkeys((x, y) for x, y in boxes.mean(axis=1).round(3).tolist())
    return [*unique]


@pytest.mark.parametrize("first", ["X", "O"])
def test_board_draws_marks_and_tiles_at_their_cells(ax, first):
    array = np.array([[1, 0, -1, 1], [0, -1, 1, 0]])
    plots.board(array, ax, first)
    second = {"X": "O", "O": "X"}[first]
    for side, mark in ((+1, first), (-1, second)):
        cells = [(column, row) for row, column in np.argwhere(array == side)]
        assert middles(shapes(ax, COLOURS[mark])) == cells
    tiles = shapes(ax, theme.light()["surface"])
    assert middles(tiles) == [(column, row) for row in range(2) for column in range(4)]
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "rows are counted downwards"


def tones(ax):
    """Return {(x, y): (colour, share of its strength)} of the numbers' tiles."""
    by_place = {}
    for patch in ax.patches:
        alpha = patch.get_alpha()
        place = middles(boxes_of(patch))[0]
        if alpha is not None:
            share = alpha / theme.light()["strength"]
            by_place[place] = to_hex(patch.get_facecolor()), share
    return by_place


CELLS = [(cell % 3, cell // 3) for cell in range(9)]


@pytest.mark.parametrize("limits", [(0, 1), (-3, -1), (1, -1), (-1, 1), (-2, 6)])
def test_numbers_are_tinted_by_their_share_of_the_limits(ax, limits):
    """The colour shows the player; 0 is neutral if between, else the first."""
    low, high = limits
    values = np.array([low, low / 2, 0, high / 4, high, *np.linspace(low, high, 4)])
    values = values if low < 0 < high else low + np.linspace(0, 1, 9) * (high - low)
    plots.numbers(game, 0, values, ax, limits=limits)
    neutral, tinted = (0 if low < 0 < high else low), tones(ax)
    assert set(tinted) == {CELLS[c] for c in np.flatnonzero(values != neutral)}
    for cell in np.flatnonzero(values != neutral):
        mark, end = ("X", high) if values[cell] > neutral or low > high else ("O", low)
        share = (values[cell] - neutral) / (end - neutral)
        assert tinted[CELLS[cell]] == (COLOURS[mark], pytest.approx(share))


def test_large_numbers_have_the_colour_of_the_player_to_move(ax):
    for text, mark in ("X........", "O"), ("XO.......", "X"):
        ax.clear()
        plots.numbers(game, game.find(text), np.ones(9), ax, limits=(-1, 1))
        assert {colour for colour, _ in tones(ax).values()} == {COLOURS[mark]}


def test_numbers_are_written_on_legal_cells_and_some_are_ringed(ax):
    values, s = np.arange(6) / 10, wide.find("XO....")  # this board is not square
    plots.numbers(wide, s, values, ax, form="{:.1f}", ring=[4])
    shown = {text.get_position(): text.get_text() for text in ax.texts}
    assert shown == {CELLS[cell]: f"{cell / 10:.1f}" for cell in range(2, 6)}
    assert tones(ax).keys() == {*CELLS[2:6]}
    good = theme.light()["good"]
    (ring,) = (p for p in ax.patches if to_hex(p.get_edgecolor()) == good)
    assert middles(boxes_of(ring)) == [CELLS[4]]


def test_backup_diagram_labels_branches_and_leaves(ax):
    s = game.find("XX.OO....")  # cell 2 wins, after cell 8 the opponent has four cells
    opponent = uniform(game.legal)
    labelled = []

    def label(s_next):
        labelled.append(s_next)
        return f"board {s_next}"

    assert plots.backup_diagram(game, s, (2, 8), opponent, ax, label) is ax
    after = game.next[s, 8]
    replies = game.next[after, game.legal[after]].tolist()
    assert labelled == [game.next[s, 2], *replies]
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("1/4") == len(replies) == 4
    assert {"cell 2", "cell 8", *(f"board {each}" for each in labelled)} < set(texts)


def test_tree_contains_every_game_from_its_root():
    late = np.flatnonzero((game.board == 0).sum(axis=1) <= 3)
    value = game.outcome + search.solve(game).V
    for s in late[::11]:
        tree = plots.tree(game, s)
        assert len(tree.position) == search.minimax(game, s).nodes
        assert (tree.position[0], tree.parent[0], tree.action[0]) == (s, -1, -1)
        below = np.arange(1, len(tree.position))
        above = tree.parent[below]
        assert (above < below).all()
        assert (tree.depth[below] == tree.depth[above] + 1).all()
        after = game.next[tree.position[above], tree.action[below]]
        assert (tree.position[below] == after).all()
        assert (tree.value == value[tree.position]).all()


@pytest.mark.parametrize("first", ["X", "O"])
def test_game_tree_draws_values_and_moves(ax, first):
    tree = plots.tree(game, game.find("OXOOXX..."))
    assert [(tree.value == value).sum() for value in (-1, 0, 1)] == [2, 5, 4]
    assert plots.game_tree(game, tree, ax, first) is ax
    moves = [str(a) for a in tree.action[1:]]
    values = [{-1: "−1", 0: "0", 1: "+1"}[value] for value in tree.value]
    second = "O" if first == "X" else "X"
    heads = [f"{first}: MAX", f"{second}: MIN", f"{first}: MAX"]
    assert sorted(t.get_text() for t in ax.texts) == sorted(moves + values + heads)
    tinted = [colour for colour, share in tones(ax).values() if share == 1]
    for mark, value in ((first, 1), (second, -1)):
        assert tinted.count(COLOURS[mark]) == (tree.value == value).sum()
    assert len(tinted) == len(tones(ax)) == (tree.value != 0).sum(), "0 is neutral"


def test_matchbox_draws_beads_on_their_cells(ax):
    beads = np.array([0, 0, 1, 4, 9, 2, 0, 3, 10])
    assert plots.matchbox(game, game.find("XO......."), beads, ax) is ax
    for cell, colour in enumerate(theme.beads()):
        boxes = shapes(ax, colour)
        assert len(boxes) == (beads[cell] if beads[cell] <= 9 else 1)
        assert len(middles(boxes)) == len(boxes), "beads do not overlap"
        places = np.reshape(middles(boxes), (-1, 2))
        assert (abs(places - CELLS[cell]) < 0.4).all(), "on the tile"
    assert [text.get_text() for text in ax.texts] == ["10"], "too many to draw"
    assert len(set(theme.beads())) == 9


def test_heat_map_draws_tiles_numbers_and_empty_places(ax):
    table = np.array([[0.25, np.nan, -1], [0, 0.5, 1]])
    look = {"form": "{:.1f}", "limits": (-1, 1), "good_for": "X"}
    plots.heat_map(table, ax, ["a", "b"], [1, 2, 3], **look)
    by_place = tones(ax)
    assert by_place[(0, 0)] == (COLOURS["X"], pytest.approx(0.25))
    assert by_place[(2, 0)] == (COLOURS["O"], pytest.approx(1))
    assert set(by_place) == {(0, 0), (2, 0), (1, 1), (2, 1)}
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    assert texts[(2, 0)] == "−1.0"
    assert (1, 0) not in texts
    assert (1, 0) not in middles(shapes(ax, theme.light()["surface"]))
    ax.clear()
    plots.heat_map([[0, 0.5, 1]], ax, ["a"], "bcd")
    violet = theme.light()["violet"]  # good for neither player
    assert tones(ax) == {
        (1, 0): (violet, pytest.approx(0.5)),
        (2, 0): (violet, pytest.approx(1)),
    }


def test_position_tint_colours_all_tiles_for_the_better_player(ax):
    s = game.find("XO.......")
    for tint, mark in ((0.5, "X"), (-1, "O"), (0, None)):
        ax.clear()
        plots.position(game, s, ax, tint=tint)
        tinted = [patch for patch in ax.patches if patch.get_alpha() is not None]
        if mark is None:
            assert not tinted, "0 is neutral"
            continue
        (patch,) = tinted
        assert to_hex(patch.get_facecolor()) == COLOURS[mark]
        assert patch.get_alpha() == abs(tint) * theme.light()["strength"]
        assert middles(boxes_of(patch)) == CELLS


def test_gridworld_draws_values_exits_and_policy_arrows(ax):
    values = np.array([[0, -1.4], [np.nan, -20]])
    policy = np.zeros((2, 2, 4))
    policy[0, 1, 2], policy[1, 1, 0], policy[1, 1, 2] = 1, 0.5, 0.5
    policy[0, 0, 1], policy[0, 0, 3] = 0.1, 0.9
    plots.gridworld(values, ax, policy, exits=[(1, 0)])
    written = {t.get_position(): t.get_text() for t in ax.texts if t.get_text()}
    above = [(x, y - 0.17) for x, y in ((0, 0), (1, 0), (1, 1))]  # of the arrows
    expected = {**dict(zip(above, ("0", "−1", "−20"), strict=True)), (0, 1): "exit"}
    assert written == expected
    ink = theme.light()["ink"]
    (frame,) = (patch for patch in ax.patches if to_hex(patch.get_edgecolor()) == ink)
    assert middles(boxes_of(frame)) == [(0, 1)]
    arrows = set()
    for arrow in ax.texts:
        if not arrow.get_text():
            start, end = np.array(arrow.get_position()), np.array(arrow.xy)
            square, direction = np.round(start), np.sign(np.round(end - start, 6))
            for point in (start, end):
                across, down = point - square
                assert abs(across) < 0.25
                assert 0 < down < 0.47, "below the number, on its own tile"
            arrows.add((*square.astype(int).tolist(), *direction.astype(int).tolist()))
    assert arrows == {  # y points down
        (0, 0, 0, 1), (0, 0, 1, 0), (1, 0, -1, 0), (1, 1, 0, -1), (1, 1, -1, 0)
    }  # fmt: skip


def test_band_is_median_and_middle_half_of_runs(ax):
    x, runs = [1, 10, 100], np.arange(101)[:, np.newaxis] * [1.0, 2, 3]
    assert plots.band(x, runs, ax, "mine", "C2") is ax
    (line,), (band,) = ax.lines, ax.collections
    assert line.get_xydata().tolist() == [[1, 50], [10, 100], [100, 150]]
    assert line.get_label() == "mine"
    corners = band.get_paths()[0].vertices
    for at, low, high in ((1, 25, 75), (10, 50, 150), (100, 75, 225)):
        heights = corners[corners[:, 0] == at, 1]
        assert (heights.min(), heights.max()) == (low, high)


def test_lines_have_no_colour_of_a_player_and_differ():
    cycle = [*plots.settings()["axes.prop_cycle"]]
    known = theme.light()
    colours = {line["color"] for line in cycle}
    assert colours == {known[name] for name in ("ink", "violet", "grey", "quiet")}
    assert len({tuple(line.values()) for line in cycle}) == len(cycle)


def test_figures_are_measured_in_the_typeface_of_the_site():
    from matplotlib.font_manager import FontProperties, findfont

    family = plots.settings()["font.family"]
    assert "atkinson" in findfont(FontProperties(family=family))
    assert theme.values()["type"]["prose"].startswith(f"'{family[0]}'")


def by_hand(across):
    """Return [(position, x, y)] of the dots of a skyline, class by class."""
    value = game.outcome + search.solve(game).V
    columns, seen = [[] for _ in range(10)], set()
    for s in range(len(game.code)):
        square = game.board[s].reshape(3, 3)
        turns = [np.rot90(square, k) for k in range(4)]
        group = {each.tobytes() for t in turns for each in (t, t.T)}
        if not group & seen:
            columns[np.abs(square).sum()].append((value[s], game.code[s], s))
        seen |= group
    left, places = 0.0, []
    for column in columns:
        width = min(across, len(column))
        for k, (*_, s) in enumerate(sorted(column)):
            places.append((s, left + k % width, k // width))
        left += width + across / 10
    return places


@pytest.mark.parametrize("across", [14, 6])
def test_skyline_dots_are_ordered_by_marks_value_and_code(across):
    positions, places = plots.dots(game, across)
    assert len(positions) == 765
    found = [(s, *place) for s, place in zip(positions, places, strict=True)]
    for (s, *place), (t, *expected) in zip(found, by_hand(across), strict=True):
        assert (s, place) == (t, pytest.approx(expected))


def test_skyline_colours_show_values_and_rings_show_wrong(ax):
    positions, places = plots.dots(game)
    values, wrong = np.zeros(len(game.code)), np.zeros(len(game.code), bool)
    one, half, lost, never, ringed = positions[[9, 99, 199, 299, 399]]
    values[[one, half, lost, never]] = 1, 0.5, -1, np.nan
    wrong[ringed] = True
    plots.skyline(game, values, ax, wrong)
    drawn = {}
    for patch in ax.patches:
        red, green, blue, alpha = patch.get_edgecolor()
        name = to_hex((red, green, blue)), round(alpha, 2)
        ends = patch.get_path().vertices[::2]
        drawn.setdefault(name, []).extend(map(tuple, ends.tolist()))

    def at(s):
        return tuple(places[positions == s][0].tolist())

    known = theme.light()
    assert drawn[COLOURS["X"], 1] == [at(one)]
    assert drawn[COLOURS["X"], 0.5] == [at(half)]
    assert drawn[COLOURS["O"], 1] == [at(lost)]
    assert drawn[known["edge"], 1] == [at(never)]
    assert drawn[known["ink"], 1] == [at(ringed)]
    assert sorted(drawn[known["paper"], 1]) == sorted([at(never), at(ringed)])
    assert len(set(drawn[known["grey"], 1])) == 765 - 3, "all but wins and the hollow"
    assert [label.get_text() for label in ax.get_xticklabels()] == [*"0123456789"]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_end_labels_do_not_overlap(scale):
    ends = np.array([1, 1.02, 5, 1.01, 9.9, 10, 6.9, 6.95])
    with matplotlib.rc_context(plots.settings()):
        ax = plt.figure().subplots()
        for n, end in enumerate(ends):
            ax.plot([0, 1], [3, end], label=f"line {n}")
        ax.plot([0, 1], [2, 2])  # has no label
        ax.plot([0, 1], [np.nan, np.nan], label="none")
        ax.set(yscale=scale, ylabel="a name that moves the axes to the right")
        assert plots.end_labels(ax) is ax
        ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] == [f"line {n}" for n in range(8)]
    renderer = ax.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    middle = np.array([(box.y0 + box.y1) / 2 for box in boxes])
    at = ax.transData.transform(np.stack([np.ones(8), ends], axis=1))
    height = boxes[0].height
    assert (np.argsort(ends) == np.argsort(middle)).all(), "in the lines' order"
    assert np.diff(np.sort(middle)).min() > 0.95 * height
    assert abs(middle - at[:, 1]).max() < 1.6 * height, "near the ends"
    plt.close(ax.figure)


def test_drawing_is_deterministic_and_keeps_text():
    drawings = []
    for _ in range(2):
        with matplotlib.rc_context(plots.settings()):
            figure, ax = plt.subplots()
            plots.numbers(game, 0, np.full(9, 0.123456), ax, form="{:.5f}")
            drawings.append(plots.drawing(figure))
            plt.close(figure)
    assert drawings[0] == drawings[1]
    assert ">0.12346<" in drawings[0], "text is not rounded"
    assert not re.search(r"[\d]\.\d{3,}", re.sub(r">[^<]*<", "><", drawings[0]))
    assert not re.search(r"<!--|<dc:date>|\n.", drawings[0])


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    """The IPython shell of a notebook with inline figures."""
    from IPython.core.interactiveshell import InteractiveShell
    from matplotlib_inline.backend_inline import set_matplotlib_formats
    from traitlets.config import Config

    no_history = Config({"HistoryManager": {"enabled": False}})
    with matplotlib.rc_context():
        InteractiveShell.clear_instance()
        settings = {"ipython_dir": str(tmp_path), "config": no_history}
        shell = InteractiveShell.instance(**settings)
        monkeypatch.setattr("IPython.get_ipython", lambda: shell)
        monkeypatch.setattr(plt, "get_backend", lambda: "inline")
        set_matplotlib_formats("png")  # the default
        yield shell
        InteractiveShell.clear_instance()


def test_style_makes_notebook_show_figures_as_svg_only(notebook):
    plots.style()
    figure, ax = plt.subplots()
    assert ax.xaxis.label.get_fontsize() == theme.values()["figure"]["text"]
    shown, _ = notebook.display_formatter.format(figure)
    assert shown.keys() == {"image/svg+xml", "text/plain"}
    assert shown["image/svg+xml"] == plots.drawing(figure)
    plt.close(figure)


def test_jupyterlab_shows_caption_below_its_cell(notebook, tmp_path, monkeypatch):
    from IPython.utils.capture import capture_output

    drawn = {"id": "b", "metadata": {"mystnb": {"figure": {"caption": "A tree."}}}}
    file = tmp_path / "page.ipynb"
    file.write_text(json.dumps({"cells": [drawn, {"id": "c", "metadata": {}}]}))
    plots.style()
    plots.style()  # a second call must not show captions twice

    def shown(code, cell):
        with capture_output() as captured:
            notebook.run_cell(code, cell_id=cell)
        assert "post_run_cell" not in captured.stdout, "an error in the callback"
        return [each.data["text/markdown"] for each in captured.outputs]

    assert shown("0;", "b") == [], "the notebook is not known"
    monkeypatch.setenv("JPY_SESSION_NAME", str(file))
    assert shown("0;", "b") == ["A tree."]
    assert shown("0;", "c") == shown("0;", "d") == shown("0;", None) == []
    assert shown("1 / 0", "b") == []
    file.write_text("{")
    assert shown("0;", "b") == []


AT_RANDOM = uniform(game.legal)


def numbers(values=range(9), **more):
    return lambda ax: plots.numbers(game, 0, values, ax, **more)


def backup_diagram(actions, s=0):
    return lambda ax: plots.backup_diagram(game, s, actions, AT_RANDOM, ax, str)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda ax: plots.position(game, 0, ax, "Y"), "first = 'Y'"),
        (lambda ax: plots.board(np.full((3, 3), 2), ax), "array"),
        (lambda ax: plots.board(np.zeros((200, 200)), ax), "too many"),
        (numbers(np.full(9, np.nan)), "values"),
        (numbers(ring=np.arange(9) == 4), "ring: a cell"),
        (backup_diagram((0,), s=1), "actions: 0 is illegal"),
        (backup_diagram(()), "at least one cell"),
        (lambda ax: plots.skyline(game, np.zeros(9), ax), "values"),
        (lambda ax: plots.skyline(game, 2 * game.to_move, ax), "between -1 and 1"),
        (lambda ax: plots.skyline(game, game.outcome, ax, [True]), "wrong = "),
        (lambda ax: plots.skyline(game, game.outcome, ax, across=0), "across = 0"),
        (lambda ax: plots.source(len), "has no source"),
        (lambda ax: plots.table(["a", "b"], [(1,)]), "give 2 cells"),
    ],
)
def test_invalid_arguments_raise_before_anything_is_drawn(ax, draw, message):
    with pytest.raises(ValueError, match=message) as error:
        draw(ax)
    assert str(error.value).endswith(".")
    assert not [*ax.lines, *ax.patches, *ax.texts, *ax.collections]


def test_table_aligns_numbers_right_and_escapes_text():
    rows = [("a|b\nc", 1234, -0.5, "7"), ("TD(0)", np.int64(-7), np.float64(2), True)]
    assert plots.table(["who", "games", "value", "x"], rows).data.splitlines() == [
        "| who | games | value | x |",
        "| :--- | ---: | ---: | :--- |",
        "| a\\|b c | 1,234 | −0.500 | 7 |",
        "| TD(0) | −7 | 2.000 | yes |",
    ]
    assert plots.table(["x", "y"], []).data.splitlines()[1] == "| ---: | ---: |"
    # Numbers with a unit or an error are aligned right, too, and do not wrap.
    cells = ["294 ± 19", "0.791–0.796", "56 / 94", "3.5 %", "α = .1", "4 wins", ".XO/"]
    _, rule, written = plots.table([*"abcdefg"], [cells]).data.splitlines()
    assert rule.split(" | ") == ["| ---:", *3 * ["---:"], *2 * [":---"], ":--- |"]
    unbroken = [text.replace(" ", "\u00a0") for text in cells[:4]]
    assert written == f"| {' | '.join(unbroken + cells[4:])} |"


def test_source_omits_validation_decorator():
    code = plots.source(search.teacher, search.minimax_value, search.solve).data
    assert code.startswith("```python\ndef teacher(")
    assert "@compiled\ndef minimax_value(" in code
    assert "validated" not in code
