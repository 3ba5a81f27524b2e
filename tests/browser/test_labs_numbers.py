"""Numbers of a lab, of its copied cell and of its widget in Python are the same.

`tests/js` compares the scripts with the library in all settings, without a page.
"""

import numpy as np
import pytest
from labs_on_pages import choose, number, press, run_cell

from ttt_lib import board, evaluation, mdp, menace, policy, search
from ttt_lib.board import encode as board_tables
from ttt_lib.game import tables

GAME = tables()


def close(*pairs, atol=1e-12):
    """Compare numbers, or lists of numbers; null is nan."""
    for one, other in pairs:
        one, other = (np.array(each, dtype=float) for each in (one, other))
        np.testing.assert_allclose(one, other, rtol=0, atol=atol)


def bandit(tab, widget, cell, mark):
    """Compare estimates, counts and regrets; at the end those of all learners."""
    own, *others = tab.evaluate(
        """() => [lab.run.own, ...lab.run.others].map(({ bandit, regret }) =>
          [[...bandit.Q], [...bandit.N], regret[lab.run.t]])"""
    )
    you, theirs = cell
    Q, N, regret = widget.pulled()
    close((own[0], Q), (own[1], N), (own[2], regret))
    for page, (Q, N, regret) in zip((own, *others), (you, *theirs), strict=True):
        close((page[2], regret[-1, 0]), atol=1e-11)
        if page is own or len(mark) == int(widget.games):  # else they have played more
            close((page[:2], [Q[0], N[0]]))


def cross_table(tab, widget, cell, mark):
    """Compare a match: its result, the value given away, and the moves of a game."""
    ends, lost, moves, sums = tab.evaluate(
        """() => [[...lab.run.results.slice(0, 3)], [...lab.run.lost],
          lab.run.moves.map((i) => lab.game.action[i]), lab.run.sums()]"""
    )
    result, given, played = widget.values()
    close((ends, result), (lost, given), (sums, cell[1]), (cell[0], result))
    assert moves[: int(mark)] == played == cell[2]
    assert f"X wins {result.win:.3f}" in tab.evaluate("() => lab.run.match()")
    shown = tab.locator("[data-under-test] .ttt-given").inner_text()
    side = GAME.to_move[: len(given)]
    x, o = (given[side == who].sum() for who in (1, -1))
    assert f"X gives away {x:.3f}" in shown
    assert f"O gives away {o:.3f}" in shown
    widths = tab.evaluate(
        """() => lab.view.sides.map(({ bar }) => [...bar.children].reduce(
          (sum, piece) => sum + piece.getBoundingClientRect().width, 0)
          / bar.clientWidth)"""
    )
    close((2.3 * np.array(widths), (x, o)), atol=0.01)
    assert f"{o:.3f} − {x:.3f} = {result.value:+.3f}".replace("-", "−") in shown


def learner(tab, widget, cell, mark):
    """Compare the values of all moves, and of the empty board as the cell prints."""
    learners = tab.evaluate(
        """() => lab.run.learners.map(({ learner }) => [[...learner.table],
          [...ttt.learning.actionValues(lab.game, learner)].slice(0, 9)])"""
    )
    found = widget.learner()
    assert found.games == int(mark)
    if widget.method.endswith("prediction"):
        close((cell, learners[0][0][0]))
        return
    for k, (_, values) in enumerate(learners):
        close((cell[2 * k], values))
    if found.Q is not None:
        close((learners[0][0], found.Q[board_tables.tables().legal]))


def matchboxes(tab, widget, cell, mark):
    """Compare the beads in all boxes, and the scores."""
    boxes, scores = cell
    box, _ = menace.labels(GAME)
    first = np.unique(box[(GAME.to_move == 1) & (GAME.count > 1)])
    inside = "() => lab.run.list.map((b) => lab.run.inside(b).map((n) => n ?? 0))"
    for found in (boxes, widget.boxes()):
        assert np.array_equal(tab.evaluate(inside), found.beads[first])
        assert tab.evaluate("() => lab.run.games") == found.games
    close((tab.evaluate("() => lab.run.scores()"), scores))


def on_off_policy(tab, widget, cell, mark):
    """Compare values with and without exploration, and the mean rewards."""
    page = tab.evaluate(
        """() => [lab.run.now, lab.run.solved[0]].map((each) =>
          lab.run.cells(each, lab.run.lookedAt))"""
    )
    close((page, widget.values()))
    page, free = np.array(page, dtype=float), np.isfinite(widget.values()[0])
    assert free.any()
    *values, earned = cell
    close((page[:, free], [each[free] for each in values]))
    close((tab.evaluate("() => lab.run.earned()"), earned), atol=1e-8)


def uct_search(tab, widget, cell, mark):
    """Compare the visits and the means of all cells."""
    visits, means = tab.evaluate(
        "() => [lab.run.visitsOf('uct'), lab.run.meansOf('uct')]"
    )
    theirs = widget.values()
    assert visits == theirs[0].tolist() == cell[0]
    assert sum(visits) == int(mark)
    close(([mean or 0 for mean in means], theirs[1]), (cell[1], theirs[1]))


def backup(tab, widget, cell, mark):
    """Compare the values of cells, and each reply with the transitions."""
    cells, q, v = tab.evaluate(
        """() => [lab.run.cells, lab.run.cells.map((a) => lab.run.q(a)),
          lab.run.V[lab.run.s]]"""
    )
    values, value = widget.values()
    assert np.flatnonzero(np.isfinite(values)).tolist() == cells
    close((q, values[cells]), (q, cell[0]), ([v, v], [value, cell[1]]))
    problem, s = widget.problem(), GAME.find(widget.look)
    for pair in np.flatnonzero(problem.position[mdp.state_of(problem)] == s):
        rows = tab.evaluate("(a) => lab.run.replies(a)", int(problem.action[pair]))
        close((sum(row["p"] for row in rows), 1))
        close((sum(row["p"] * row["r"] for row in rows), problem.reward[pair]))


def sweeps(tab, widget, cell, mark):
    """Compare the values of all states, or of the board that is shown."""
    page = tab.evaluate("() => [...lab.run.values()]")
    close((page, widget.values()), (cell, page if np.ndim(cell) else page[0]))


def minimax_tree(tab, widget, cell, mark):
    """Compare the value of the root, and each returned value with the exact one."""
    nodes, looked, cut = tab.evaluate(
        """() => { const { run } = lab, { states, looked, cut } = run.now();
          const shown = (place) => lab.view.nodes[place].text.textContent;
          return [run.tree.map(({ s }, place) => ({ ...states[place], s,
            shown: shown(place) })), looked, cut]; }"""
    )
    assert cell == widget.searched() == (nodes[0]["answer"], looked)
    assert looked + cut == len(nodes) == search.minimax(GAME, nodes[0]["s"]).nodes
    exact = GAME.outcome + search.solve(GAME).V
    holds = {"=": np.equal, "≤": np.less_equal, "≥": np.greater_equal}
    for node in nodes:
        if node["what"] == "cut":
            assert node["shown"] == ""
            continue
        assert holds[node["sign"]](exact[node["s"]], node["answer"])
        low, high = node.get("initialWindow", (-2, 2))
        assert node["sign"] == "=" or not low < node["answer"] < high
        assert node["shown"] == f"{node['sign']} {node['answer']}".replace("-", "−")


def minimax_map(tab, widget, cell, mark):
    """Compare the counts of wins, draws and losses of each layer with the table's."""
    page = tab.evaluate("() => lab.run.layers.map((_, n) => lab.run.counts(n))")
    counts = [each or [0, 0, 0] for each in page]
    known, u = widget.values()
    assert tab.evaluate("() => [...lab.run.u]") == (
        (search.solve(GAME).V + GAME.outcome).tolist()
    )
    layer = np.abs(GAME.board).sum(axis=1)[known]
    here = [
        [int((u[layer == n] == who).sum()) for who in (1, 0, -1)] for n in range(10)
    ]
    assert cell == counts == here
    rows = tab.locator("[data-under-test] .ttt-counts tr").all()[1:4]
    for k, row in enumerate(rows):
        seen = row.locator("td").all_text_contents()  # they are folded
        assert seen == ["·" if each is None else str(each[k]) for each in page]


# kind → (class, comparison, [(settings, mark), …])
LABS = {
    "bandit": (board.BanditLab, bandit, [
        ({"games": "300", "epsilon": "0.5", "weight": "3", "initial": "0.5"},
         "80" * 150),
        ({}, "0123456788" * 3),
    ]),
    "cross_table": (board.CrossTableLab, cross_table, [
        ({"first": "random", "second": "teacher 0.9", "seed": "7"}, "4"),
        ({"first": "menace-100", "second": "q-learning", "seed": "3"}, "4"),
    ]),
    "learner": (board.LearnerLab, learner, [
        ({"method": "sarsa", "alpha": "1/n", "opponent": "teacher 0.9", "side": "1",
          "differs": "alpha", "by": "power:1:0.75", "rewards": "1, 0.5, 0"}, "300"),
        ({"initial": "mc-control", "method": "double_q_learning"}, "250"),
        ({"method": "td_prediction", "n": "2", "behaviour": "perfect"}, "300"),
        ({"method": "minimax_q", "opponent": "self", "initial": "perfect"}, "300"),
    ]),
    "matchboxes": (board.MatchboxLab, matchboxes, [
        ({"seed": "7"}, "me:408172,random:1000,perfect:30,self:200,me:41236,random:5"),
        ({"beads": "1, 1", "reinforcement": "1, 0, -9"}, "perfect lowest:50,me:,me:"),
    ]),
    "on_off_policy": (board.OnOffPolicyLab, on_off_policy, [
        ({"opponent": "q-learning", "look": "XO.......", "side": "1"}, "0.1"),
        ({}, "0.05"),
    ]),
    "uct_search": (board.UctSearchLab, uct_search, [
        ({"board": "..OX.....", "c": "4", "seed": "3"}, "2000"),
        ({"board": "XX..OOXO.XO.....", "c": "1.41", "seed": "2"}, "700"),
    ]),
    "backup": (board.BackupLab, backup, [
        ({"look": "X........", "opponent": "menace", "rewards": "5, 0, -1"}, "end"),
        ({"gamma": "0.9", "policy": "random"}, "end"),
    ]),
    "sweeps": (board.SweepLab, sweeps, [
        ({"problem": "game", "opponent": "teacher 0.9", "side": "-1"}, "2:40"),
        ({"problem": "floor", "pays": "0, 1", "initial": "3", "gamma": "0.5"}, "8:1"),
        ({"floor": "E...|.#..|.#..|....", "method": "optimality"}, "4"),
        ({"floor": "E..", "initial": "0, -3.5, 2"}, "1"),
    ]),
    "minimax_tree": (board.MinimaxTreeLab, minimax_tree, [
        ({}, "22"),
        ({"look": "OX.....XO", "order": "2, 3, 6, 5, 4", "search": "minimax"}, "last"),
    ]),
    "minimax_map": (board.MinimaxMapLab, minimax_map, [({}, "10"), ({}, "1")]),
}  # fmt: skip
CASES = [  # one case of each lab; the others run in `make long`
    pytest.param(kind, *case, marks=pytest.mark.long if number else ())
    for kind, (*_, cases) in LABS.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("kind", "texts", "mark"), CASES)
def test_page_widget_and_copied_cell_have_the_same_numbers(kind, texts, mark, lab):
    tab, log = lab(kind)
    choose(tab, texts)
    if mark == "last":
        mark = str(tab.evaluate("() => lab.run.steps.length"))
    tab.evaluate("(mark) => lab.go(mark)", mark)
    known, mark = tab.evaluate("() => [lab.texts, lab.run.mark]")
    made, compare, _ = LABS[kind]
    widget = made("A lab", **known, at=mark)
    compare(tab, widget, run_cell(tab.evaluate("() => lab.run.python()")), mark)
    log.assert_silent()


def test_learner_lab_shows_library_values_and_scores(lab):
    tab, _ = lab("learner")
    choose(tab, {"to": "1000"}, "1000")
    values, scores = run_cell(tab.evaluate("() => lab.run.python()"))
    cells = tab.locator(".ttt-lab-board").first.locator(".ttt-number b")
    close(([number(x) for x in cells.all_inner_texts()], values), atol=0.0005 + 1e-9)
    ends = ("win", "draw", "loss", "worst")
    theirs = [(scores[f"{x}_first"] + scores[f"{x}_second"]) / 2 for x in ends]
    shown = tab.locator("[data-under-test] .ttt-scores td").all_inner_texts()
    close(([number(text) for text in shown], theirs), atol=0.0005 + 1e-9)


def test_bandit_lab_shows_exact_values_after_last_game(lab):
    tab, _ = lab("bandit")
    choose(tab, {"games": "4"})
    tiles = """() => lab.view.grid.cells.map((cell) =>
      [...cell.querySelectorAll('.ttt-number > *')].map((each) => each.textContent))"""
    cells = tab.locator("[data-under-test] [role=gridcell]")
    for cell in (3, 3, 5):
        cells.nth(cell).click()
        tab.wait_for_function("(cell) => lab.run.mark.endsWith(cell)", arg=str(cell))
    shown = tab.evaluate(tiles)
    assert [len(each) for each in shown] == [0, 0, 0, 2, 0, 2, 0, 0, 0]
    for cell, n in (3, 2), (5, 1):  # before the fourth game, with c = 0.75
        bound = cells.nth(cell).text_content().split("upper bound ")[1][:5]
        bonus = 0.75 * np.sqrt(np.log(4) / n)
        close((number(bound), number(shown[cell][0]) + bonus), atol=1.5e-3)
    assert (shown[3][1], shown[5][1]) == ("2 games", "1 game")
    cells.nth(8).click()
    tab.wait_for_function("() => lab.run.played && !lab.busy")
    shown, mixed = tab.evaluate(tiles), tab.evaluate("() => lab.run.mixed")
    at_random = policy.uniform(GAME.legal)
    ends = evaluation.win_draw_loss(GAME, at_random, at_random)[GAME.next[0]]
    worth = [number(each[-1].split()[-1]) for each in shown]
    close((worth, (ends @ [1, 0, -1])[mixed]), atol=6e-4)


def test_bandit_lab_plays_200_runs_of_1000_games(lab):
    tab, _ = lab("bandit")
    choose(tab, {"games": "9", "seed": "3"}, "444444444")
    assert tab.evaluate("() => lab.run.runs") == []
    press(tab, "1,000 games, 200 times each")
    runs, at = tab.evaluate("() => [lab.run.runs, lab.run.at]")
    *_, fans = run_cell(tab.evaluate("() => lab.run.python()"))
    close((np.transpose(runs, (1, 2, 0)), [regret[at] for regret in fans]), atol=1e-9)
    assert np.shape(runs) == (200, 5, len(at))
    total = np.array([regret[-1] for regret in fans])
    half = 1.96 * total.std(axis=1, ddof=1) / np.sqrt(200)
    rows = tab.locator("[data-under-test] .ttt-scores td:last-child").all_inner_texts()
    expected = zip(total.mean(axis=1), half, strict=True)
    assert rows[-5:] == [f"{mean:.0f} ± {error:.0f}" for mean, error in expected]
    middle = tab.evaluate("() => ttt.bandits.summary(lab.run.paid(4, 0, 1000))")
    close(
        ([middle["low"], middle["high"]], np.quantile(total[4], [0.25, 0.75])),
        atol=1e-9,
    )
    said = tab.locator("[data-under-test] .ttt-notice b").inner_text()
    names = "greedy", "ε-greedy", "optimistic", "UCB", "softmax"
    least, most = (names[k] for k in (total.mean(1).argmin(), total.mean(1).argmax()))
    assert f" {least} pays least, " in said
    assert f" and {most} most, " in said
    tab.evaluate("() => lab.set('c', '2')")  # the reader's games are kept
    assert tab.evaluate("() => lab.run.mark") == "444444444"
