"""Matchboxes: hand calculations, counts, exact probabilities, and invariants."""

import numpy as np
import pytest
from common import game, rng, wide
from learner_fixtures import DRAWN, LOST, random_play

from ttt_lib import evaluation, menace, sampling
from ttt_lib.game import images, positions, symmetries, symmetry_class
from ttt_lib.menace import (
    bead_policy,
    is_empty,
    learn_game,
    new_matchboxes,
    train,
    win_draw_loss,
)

MARKS = (game.board != 0).sum(axis=1)
WON = {side: LOST[-side] for side in (+1, -1)}


def new(g=game, seed=0, **settings):
    return new_matchboxes(g, rng(seed), **settings)


def with_beads(boxes, changes):
    """Return boxes in which some entries of the beads are changed."""
    beads = boxes.beads.copy()
    for entry, number in changes.items():
        beads[entry] = number
    return boxes._replace(beads=beads)


def test_304_boxes_for_first_player_and_289_for_second():
    filled = np.flatnonzero(new().beads.sum(axis=1))
    assert (game.to_move[filled] == 1).sum() == 304
    assert (game.to_move[filled] == -1).sum() == 289
    # After eight marks there is only one move, so no box is needed.
    assert np.bincount(MARKS[filled]).tolist() == [1, 3, 12, 38, 108, 153, 183, 95]


def test_one_kind_of_bead_for_each_class_of_equivalent_cells():
    boxes = new()
    assert boxes.beads[0].tolist() == [4, 4, 0, 0, 4, 0, 0, 0, 0]
    assert boxes.alike[0].tolist() == [4, 4, 4, 4, 1, 4, 4, 4, 4]
    assert boxes.kind[0].tolist() == [0, 1, 0, 1, 4, 1, 0, 1, 0]
    # The board of Michie's figure 3 has seven free cells and four kinds.
    s = game.find("..X/.O./...")
    assert game.count[s] == 7
    assert np.flatnonzero(boxes.beads[boxes.box[s]]).size == 4
    # With marks in opposite corners the board is symmetric about their diagonal.
    kind = boxes.kind[game.find("X../.../..O")]
    assert (kind[1], kind[2]) == (kind[3], kind[6])
    assert kind[1] != kind[5]


def test_initial_beads_depend_on_number_of_decision():
    for by_decision, beads in (((4, 3, 2, 1), {}), ((5, 2, 2, 2), {"beads": (5, 2)})):
        boxes = new(**beads)
        for s in np.unique(boxes.box[game.count > 1]):
            kinds = np.unique(boxes.kind[s, game.legal[s]])
            assert set(boxes.beads[s, kinds]) == {by_decision[MARKS[s] // 2]}
            assert boxes.beads[s].sum() == boxes.beads[s, kinds].sum()


def test_bead_policy_respects_symmetry():
    boxes = new()
    noise = rng(1).integers(0, 9, boxes.beads.shape)
    boxes = boxes._replace(beads=boxes.beads * noise)
    policy = bead_policy(game, boxes)
    for map_, image in zip(symmetries(3, 3), images(game), strict=True):
        assert np.allclose(policy[image], policy[:, map_], atol=1e-15)
    total = policy.sum(axis=1)
    assert np.allclose(total, ~game.terminal)
    assert not policy[~game.legal].any()


def moved(g, actions, side, **settings):
    """Return the boxes before and after a game, and the changes."""
    boxes = new(g, **settings)
    return boxes, *learn_game(g, boxes, actions, side)


def test_learn_game_matches_hand_calculation():
    # X takes the centre, and the game ends in a draw.
    actions = [4, 0, 1, 7, 3, 5, 2, 6, 8]
    path = positions(game, actions)
    assert game.outcome[path[-1]] == 0
    before, after, changes = moved(game, actions, +1)
    for t, beads in ((0, 4), (2, 3), (4, 2), (6, 1)):
        box, kind = before.box[path[t]], before.kind[path[t], actions[t]]
        assert t > 0 or (box, kind) == (0, 4)
        assert changes[t].tolist() == [box, kind, beads, beads + 1]
        assert after.beads[box, kind] == beads + 1
    assert (changes[[1, 3, 5, 7, 8]] == -1).all(), (
        "moves of the other side, and the last, which is no choice"
    )
    assert (after.beads != before.beads).sum() == 4
    assert (before.games, after.games) == (0, 1)


@pytest.mark.parametrize("side", [+1, -1])
@pytest.mark.parametrize(
    ("games", "gain"), [(WON, 3), (DRAWN, 1), (LOST, -1)], ids=["won", "drawn", "lost"]
)
def test_reinforcement_changes_every_used_box(games, gain, side):
    g = wide if games is DRAWN and side == 1 else game  # O has the last move
    actions = games[side]
    before, after, changes = moved(g, actions, side, beads=(2,))
    decisions = [t for t in range(len(actions)) if t % 2 == (0 if side == 1 else 1)]
    used = [t for t in decisions if g.count[0] - t > 1]
    assert len(used) >= 2
    assert set(changes[used, 3] - changes[used, 2]) == {gain}
    rest = [t for t in range(len(actions)) if t not in used]
    assert (changes[rest] == -1).all()
    assert (after.beads - before.beads).sum() == gain * len(used)
    if games is not WON:
        assert len(actions) - 1 not in decisions, "the other side moves last"


def test_side_0_reinforces_both_sides():
    before, after, changes = moved(game, WON[+1], 0, beads=(2,))
    assert (changes[:, 3] - changes[:, 2]).tolist() == [3, -1, 3, -1, 3]
    assert (after.beads - before.beads).sum() == 7


def test_beads_never_go_below_0():
    _, after, changes = moved(game, LOST[+1], +1, reinforcement=(0, 0, -9))
    assert set(changes[::2, 3]) == {0}
    assert after.beads.min() == 0


def emptied(boxes, s):
    """Return boxes with an empty box for position s."""
    return with_beads(boxes, {(boxes.box[s], a): 0 for a in range(9)})


def test_empty_box_resigns_and_loses():
    s = game.find("XO./.../...")
    boxes = emptied(new(), s)
    empty = is_empty(game, boxes)
    assert empty[s]
    assert empty.sum() == (symmetry_class(game) == boxes.box[s]).sum() == 8
    # The boxes lose the bead of the opening …
    _, changes = learn_game(game, boxes, [0, 1], +1)
    assert changes.tolist() == [[0, 0, 4, 3], [-1] * 4]
    # … and the other side, if it learns too, has won.
    _, changes = learn_game(game, boxes, [0, 1], 0)
    assert (changes[:, 3] - changes[:, 2]).tolist() == [-1, 3]
    # The empty box is the first player's, so the second cannot resign.
    with pytest.raises(ValueError, match="not finished"):
        learn_game(game, boxes, [0, 1], -1)
    assert bead_policy(game, boxes)[s, 2:] == pytest.approx(1 / 7)


def test_resignation_in_training_removes_a_bead():
    beside = random_play.copy()  # replies to a corner on the edge beside it
    for corner, edge in ((0, 1), (2, 1), (6, 7), (8, 7)):
        beside[game.next[0, corner]] = np.eye(9)[edge]
    start = emptied(new(), game.find("XO./.../..."))
    start = with_beads(start, {(0, 1): 0, (0, 4): 0})
    boxes = train(game, start, 3, beside)
    assert boxes.beads[0].sum() == 1
    assert (boxes.beads != start.beads).sum() == 1
    boxes = train(game, boxes, 5, beside)
    assert boxes.beads[0].sum() == 0, "an empty first box resigns before it moves"
    assert boxes.games == 8
    assert win_draw_loss(game, boxes, random_play).tolist() == [0, 0, 1, 1]


def test_win_draw_loss_includes_resignation():
    boxes = new()
    for side in (+1, -1):
        pair = (bead_policy(game, boxes), random_play)
        exact = evaluation.win_draw_loss(game, *pair[::side])[0][::side]
        assert win_draw_loss(game, boxes, random_play, side)[:3] == pytest.approx(exact)
        assert win_draw_loss(game, boxes, random_play, side)[3] == 0
    s = game.find("X.O/.../...")
    boxes = emptied(boxes, s)
    probability = 1 / 3 * 2 / 8  # a corner, then one of the two next corners
    win, draw, loss, resigned = win_draw_loss(game, boxes, random_play)
    assert resigned == pytest.approx(probability)
    assert win + draw + loss == pytest.approx(1)
    assert loss >= resigned
    # As second player, the side cannot reach the empty box.
    assert win_draw_loss(game, boxes, random_play, -1)[3] == 0


def test_moves_are_drawn_in_proportion_to_beads():
    # So many beads that the added ones do not matter.
    many = {(0, 0): 300_000, (0, 1): 100_000, (0, 4): 200_000}
    start = with_beads(new(reinforcement=(1, 1, 1)), many)
    boxes = train(game, start, 3000, random_play)
    drawn = boxes.beads[0, [0, 1, 4]] - start.beads[0, [0, 1, 4]]
    assert drawn.sum() == 3000
    low, high = sampling.wilson_interval(drawn, 3000, z=4)
    assert (low < np.array([3, 1, 2]) / 6).all()
    assert (high > np.array([3, 1, 2]) / 6).all()


def test_empty_box_of_another_board_plays_at_random():
    policy = bead_policy(wide, with_beads(new(wide), {(0, 0): 0}))
    assert policy.sum(axis=1) == pytest.approx(1.0 * ~wide.terminal)
    assert not policy[~wide.legal].any()
    assert (menace.labels(game)[1][~game.legal] == -1).all()
