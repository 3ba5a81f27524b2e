"""Studies: their stored results are reproducible, and their helpers are correct."""

from functools import cache
from importlib import import_module
from itertools import islice

import numpy as np
import pytest
import studies
from common import game, rng, wide

from ttt_lib import evaluation, policy
from ttt_lib.game import tables
from ttt_lib.studies import FOLDER, load, published, section_1_5

pytestmark = pytest.mark.slow
MAX_GAMES = 3000  # of a run here
MAX_SETTINGS = 2  # of a study here
LONG = (
    "everyone",
    "other_seeds",
    "uct_error",
    "environments",
    "tournament",
    "features_worst",
    "lab_runs",
)
SLOW = "uct_four", "features_four"  # run only by `make long`
row = tables(1, 5, 2)  # either side can win


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name in LONG else ())
        for name in studies.NAMES
        if name not in SLOW
    ],
)
def test_stored_results_are_reproducible(name, monkeypatch):
    study, stored = import_module(f"studies.{name}"), load(name).results
    assert stored.shape[:2] == (len(study.SETTINGS), study.SEEDS)
    # A row for each number of games. Other tests show that training can be continued,
    # so the first rows are enough here; `make long` runs all settings to their end.
    for name in ("GAMES", "MARKS"):
        games = getattr(study, name, None)
        if isinstance(games, tuple) and stored.ndim > 3 and max(games) > MAX_GAMES:
            assert stored.shape[2] == len(games)
            few = tuple(n for n in games if n <= MAX_GAMES) or games[:1]
            monkeypatch.setattr(study, name, few)
            stored = stored[:, :, : len(few)]
    # Results do not depend on the other settings and seeds.
    every = -(-len(study.SETTINGS) // MAX_SETTINGS)
    settings = dict(islice(study.SETTINGS.items(), 0, None, every))
    monkeypatch.setattr(study, "SETTINGS", settings)
    stored = stored[::every]
    np.testing.assert_array_equal(studies.run(study, seeds=1, jobs=1), stored[:, :1])


@pytest.mark.parametrize("name", studies.NAMES)
def test_stored_file_matches_constants_of_program(name, tmp_path, monkeypatch):
    study, stored = import_module(f"studies.{name}"), load(name)
    assert vars(stored).keys() == {"results", *studies.constants(study)}
    for constant, value in studies.constants(study).items():
        assert getattr(stored, constant) == value
    assert list(stored.SETTINGS) == list(study.SETTINGS), "in the order of the results"
    monkeypatch.setattr(studies, "FOLDER", tmp_path)
    studies.store(study, stored.results)
    (again,) = tmp_path.iterdir()
    assert again.read_bytes() == (FOLDER / again.name).read_bytes()


@pytest.mark.parametrize("key", ["step 0.5", "exploration 0.1", "practice perfect"])
def test_first_learner_of_labs_is_reproducible(key, monkeypatch):
    study, stored = import_module("studies.lab_runs"), load("lab_runs")
    few = [games for games in study.MARKS if games <= 500]
    monkeypatch.setattr(study, "MARKS", few)
    monkeypatch.setattr(study, "LEARNERS", 1)
    row = stored.results[list(stored.SETTINGS).index(key), 0, : len(few)]
    again = study.trial(study.SETTINGS[key], rng())
    np.testing.assert_array_equal(again, np.delete(row, range(2, 40), axis=1))


MOVES_BY_RULES = [  # board, the move of the teacher's list for the side to move
    ("OO./XX./...", 5),  # win before block
    ("OO./X../..X", 2),  # block
    (".X./XO./.O.", 0),  # a fork between two edges
    ("X../.O./..X", 6),  # a corner against a fork, which loses
    ("XO./X../OXO", 5),  # the only free cell of a fork between two edges
    ("..X/.O./X..", 8),  # a corner against a fork of two other corners
    ("XOX/XO./OX.", 8),  # no fork is possible: a corner
    ("X../.../...", 4),  # only the rule of the centre applies
    ("..O/.X./...", 6),  # the corner opposite to the opponent's
    ("XOX/XOO/OX.", 8),  # the only cell
]


def test_teacher_by_rules_matches_published_program():
    teacher, at_random = published.teacher_by_rules(game), policy.uniform(game.legal)
    assert set(teacher[~game.terminal].max(axis=1)) == {1}
    for board, cell in MOVES_BY_RULES:
        assert teacher[game.find(board)].argmax() == cell, board
    # Computed once from the published program, with the next rule if a cell is taken.
    scores = [evaluation.result(game, teacher, at_random, side)[:2] for side in (1, -1)]
    wins = [[181 / 192, 11 / 192], [764 / 945, 59 / 315]]
    assert np.array(scores) == pytest.approx(np.array(wins), abs=1e-12)
    assert evaluation.worst_case(game, teacher, -1)[0] == -1
    assert evaluation.share_optimal(game, teacher).share == pytest.approx(4341 / 4520)


WORSE = "worse than the best"
READINGS = "every random move", WORSE, f"{WORSE}, from the others"


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("g", [wide, row])
def test_greedy_moves_table_has_zero_mean_update(g, reading):
    epsilon, opponent = 0.3, policy.uniform(g.legal)
    W = section_1_5.greedy_moves_table(g, epsilon, reading)

    def best(s):
        """Return the positions after O's best moves."""
        after = g.next[s, g.legal[s]]
        return after[np.isclose(W[after], W[after].max())].tolist()

    @cache
    def ends(s):
        """Return the possible outcomes if O plays its best moves."""
        if g.terminal[s]:
            return {int(g.outcome[s])}
        free = g.next[s, g.legal[s]].tolist()
        return set().union(*map(ends, free if g.to_move[s] == +1 else best(s)))

    afterstates = np.flatnonzero((g.to_move == 1) & ~g.terminal)
    for s in afterstates[afterstates > 0]:
        mean = 0.0
        for a in np.flatnonzero(g.legal[s]):
            after, share = g.next[s, a], 1.0
            target = -g.outcome[after]
            if not g.terminal[after]:
                target = W[best(after)[0]]
                # certain values are learnt exactly: a random move may tie with the best
                ties = max(1, sum(len(ends(each)) == 1 for each in best(after)))
                moves = g.count[after]
                share = section_1_5.share_learned(epsilon, ties, moves, reading)
            mean += opponent[s, a] * share * (target - W[s])
        assert mean == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0, 0.3, 1])
def test_all_moves_table_equals_value_of_its_player(epsilon):
    W, opponent = section_1_5.all_moves_table(wide, epsilon), policy.uniform(wide.legal)
    greedy = policy.greedy(np.where(wide.legal, W[wide.next], 0), wide.legal)
    player = policy.mixture(epsilon, opponent, greedy)
    earned = evaluation.result(wide, player, opponent, -1).value
    assert W[0] == pytest.approx(earned, abs=1e-12)


def test_without_chance_is_deterministic_in_order():
    order = [4, 0, 8, 2, 6, 1, 3, 5, 7]
    learned = np.where(game.terminal & (game.outcome == 0), 0.5, 1.0)
    V = learned.copy()
    for _ in range(200):
        path = [0]
        while not game.terminal[path[-1]]:
            after = [game.next[path[-1], a] for a in order if game.legal[path[-1], a]]
            path.append(max(after, key=lambda s: V[s]))  # the first of the best
            if len(path) > 3:
                V[path[-3]] += 0.1 * (V[path[-1]] - V[path[-3]])
        result = 0.5 if V[path[-1]] < 1 else 0
        V[path[-2]] += 0.1 * (result - V[path[-2]])
    arguments = game.next, game.terminal, game.outcome, 200, 0.1, 0.5
    section_1_5.same_games(learned, np.array(order), *arguments)
    assert learned[1:] == pytest.approx(V[1:], abs=1e-12), "0 is not an afterstate"
    policy_ = section_1_5.without_chance(game, order, 200)
    for s in np.flatnonzero(~game.terminal):
        cells = [a for a in order if game.legal[s, a]]
        best = cells[V[game.next[s, cells]].argmax()]
        assert policy_[s, best] == policy_[s].sum() == 1


def test_sweep_over_two_plies_changes_only_boards_that_its_owner_left():
    before, marks = rng().random((2, len(game.code))), (game.board != 0).sum(axis=1)
    V, settings = before.copy(), (np.zeros(2), np.array([0.5, 0.25]), 1, 2)
    published.games_of_the_notebook(V, *settings, game.successor, game.count, rng())
    for me, changed in enumerate(before != V):
        assert changed.any()
        assert (marks[changed] % 2 == 1 - me).all()
