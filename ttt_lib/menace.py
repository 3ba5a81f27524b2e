"""MENACE: matchboxes that learn, bead by bead [Michie 1963].

There is one box for each symmetry class of positions in which a side has a choice, and
in it one kind of bead for each class of equivalent cells. A bead drawn at random is the
move. After the game every box that was used gets beads of the kind that was drawn, or
loses one. A side whose box is empty resigns, and has lost.

Positions that are equal up to a symmetry share a box, so what is learnt is right only
against an opponent who treats them alike, too.
"""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, validation
from ttt_lib.compiled import compiled, in_chunks, jitable
from ttt_lib.game import images, positions, symmetries
from ttt_lib.policy import sample_action
from ttt_lib.validation import (
    SETTING_CHECKS,
    require,
    side_or_both,
    validated,
    validated_boxes,
)


class Matchboxes(NamedTuple):
    """The boxes of both sides: their beads, settings and generator."""

    beads: np.ndarray  #: (S, A) of int, in box s of the kind labelled by cell a
    box: np.ndarray  #: (S,) the box of each position: the position drawn on it
    kind: np.ndarray  #: (S, A) the kind of bead for each legal cell, else −1
    alike: np.ndarray  #: (S, A) how many cells of the position have the same kind
    games: int  #: how many games they have learnt from
    reinforcement: tuple  #: beads added after a win, a draw and a loss
    rng: np.random.Generator  #: their own random numbers


@validated(**SETTING_CHECKS)
def new_matchboxes(
    game, rng, beads=(4, 3, 2, 1), reinforcement=(3, 1, -1)
) -> Matchboxes:
    """Return Matchboxes that have seen no game; their generator is spawned from `rng`.

    beads: of each kind in the boxes of a side's first, second, … decision, the last
    number for all later ones. reinforcement: beads added after a win, a draw and a
    loss; no number of beads goes below 0.
    Raises ValueError unless both are whole numbers, and `beads` at least 1.

    Examples
    --------
    >>> menace.new_matchboxes(game, rng).beads[0]
    array([4, 4, 0, 0, 4, 0, 0, 0, 0])
    """
    box, kind = labels(game)
    alike = (kind[:, :, np.newaxis] == kind[:, np.newaxis, :]).sum(
        axis=2, dtype=np.int64
    )
    decision = (game.board != 0).sum(axis=1) // 2  # of the side to move, from 0
    each = np.array(beads, dtype=np.int64)[np.minimum(decision, len(beads) - 1)]
    # A kind is labelled by a cell of the position on the box. One cell is no choice.
    is_box = (box == np.arange(len(box), dtype=np.int64)) & (game.count > 1)
    cells = np.arange(game.legal.shape[1], dtype=np.int64)
    is_kind = is_box[:, np.newaxis] & (kind == cells)
    filled = np.where(is_kind, each[:, np.newaxis], 0)
    return Matchboxes(filled, box, kind, alike, 0, reinforcement, rng.spawn(1)[0])


@validated
def labels(game) -> tuple[np.ndarray, np.ndarray]:
    """Return the box of each position (S,), and the bead of each legal cell (S, A).

    The box is named by the class's position of smallest index, the bead by the lowest
    of the equivalent cells there.
    """
    copies = images(game)
    box, cells = copies.min(axis=0), game.legal.shape[1]
    kind = np.full(game.legal.shape, cells, dtype=np.int64)
    for map_, image in zip(symmetries(game.rows, game.columns), copies, strict=True):
        moved_to = np.argsort(map_).astype(np.int64)  # the new place of each cell
        is_box = (image == box)[:, np.newaxis]
        kind = np.minimum(kind, np.where(is_box, moved_to, cells))
    return box, np.where(game.legal, kind, -1)


@validated(boxes=validated_boxes)
def bead_policy(game, boxes) -> np.ndarray:
    """Return the policy (S, A) of drawing a bead: proportional to the beads.

    Equivalent cells share their bead's probability evenly. Where a box is empty the
    side would resign; a policy has to move, so there all legal cells are equally
    likely.

    Examples
    --------
    >>> boxes = menace.new_matchboxes(game, rng)
    >>> menace.bead_policy(game, boxes)[0].round(3)
    array([0.083, 0.083, 0.083, 0.083, 0.333, 0.083, 0.083, 0.083, 0.083])
    """
    beads = boxes.beads[boxes.box[:, np.newaxis], boxes.kind]
    weight = np.where(boxes.kind >= 0, beads / boxes.alike, 0)
    has_beads = weight.sum(axis=1, keepdims=True) > 0
    weight = np.where(has_beads, weight, game.legal)
    return weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)


@validated(boxes=validated_boxes)
def is_empty(game, boxes) -> np.ndarray:
    """Return where (S,) the side to move would resign: its box is empty."""
    return (game.count > 1) & (boxes.beads.sum(axis=1)[boxes.box] == 0)


@validated(boxes=validated_boxes)
def win_draw_loss(game, boxes, opponent, side=+1) -> np.ndarray:
    """Return exact probabilities of win, draw, loss and resignation of a side: (4,).

    Resigned games count as lost, too. If no empty box can be met, the result is
    `evaluation.win_draw_loss` of the `bead_policy`.

    Examples
    --------
    >>> boxes = menace.new_matchboxes(game, rng)
    >>> menace.win_draw_loss(game, boxes, at_random).round(3)
    array([0.607, 0.126, 0.267, 0.   ])
    """
    resigns = (game.to_move == side) & is_empty(game, boxes)
    stops = game._replace(count=np.where(resigns, 0, game.count))
    policy, results = bead_policy(game, boxes) * ~resigns[:, np.newaxis], []
    for outcome in (
        game.outcome,
        0 * game.outcome,
    ):  # then only resigned games are lost
        ends = stops._replace(outcome=np.where(resigns, -side, outcome))
        results.append(evaluation.result(ends, policy, opponent, side))
    return np.array([*results[0], results[1].loss])


@validated(boxes=validated_boxes)
def train(game, boxes, games, opponent=None, side=+1) -> Matchboxes:
    """Return the Matchboxes after `games` more games; the given ones do not change.

    `opponent` is a policy (S, A), and side +1 or −1 is that of the boxes; without an
    opponent the boxes of both sides play each other, and all learn.
    Training for n games and then m is bit-identical to n + m games. Ctrl-C, or a
    notebook's stop button, raises KeyboardInterrupt, whose `so_far` is the Matchboxes
    at that moment.
    """
    if opponent is None:
        side, opponent = 0, game.legal * 1.0
    validation.as_int(games, "games", 0, validation.MAX_INT - boxes.games)

    def play(boxes, games):
        boxes, played = _copy(boxes), _empty_trajectory(game)
        _train(game, games, side, boxes, _gain(boxes), opponent, played)
        return boxes._replace(games=boxes.games + games)

    return in_chunks(play, boxes, games)


@validated(side=side_or_both, boxes=validated_boxes)
def learn_game(game, boxes, actions, side=+1) -> tuple[Matchboxes, np.ndarray]:
    """Return the Matchboxes after a game played elsewhere, and what changed in them.

    `actions` are all moves of the game; `side` is +1 or −1 for the boxes', 0 if both.
    A game that stops where a box of the side is empty has been resigned.
    Row t of the changes (moves, 4) has box, kind of bead, beads before and after move
    t; −1 where no box was used.
    Raises ValueError if `actions` are not a whole game.

    Examples
    --------
    >>> boxes = menace.new_matchboxes(game, rng)
    >>> boxes, changes = menace.learn_game(game, boxes, [4, 1, 0, 2, 8])
    >>> changes[0]
    array([0, 4, 4, 7])
    >>> boxes.beads[0]
    array([4, 4, 0, 0, 7, 0, 0, 0, 0])
    """
    path, T = positions(game, actions), len(actions)
    resigned = side in (0, game.to_move[path[-1]]) and is_empty(game, boxes)[path[-1]]
    is_over = game.terminal[path[-1]] or resigned
    require(is_over, f"actions = {list(actions)}: the game is not finished")
    boxes, played = _copy(boxes), _empty_trajectory(game)
    played.state[: T + 1], played.action[:T] = path, actions
    _learn(game, T, side, boxes, _gain(boxes), played)
    return boxes._replace(games=boxes.games + 1), played.log[:T]


def _copy(boxes):
    """Return matchboxes with copies of the beads and of the generator."""
    return boxes._replace(beads=boxes.beads.copy(), rng=deepcopy(boxes.rng))


class _Trajectory(NamedTuple):
    """The game that is being played."""

    state: np.ndarray  #: (A + 1,) position before each move, and the last
    action: np.ndarray  #: (A + 1,) the moves
    log: np.ndarray  #: (A, 4) what changed: see `learn_game`


def _empty_trajectory(game):
    """Return a Trajectory that is large enough for any game."""
    cells = game.legal.shape[1]
    state, action = np.zeros((2, cells + 1), dtype=np.int64)
    return _Trajectory(state, action, np.full((cells, 4), -1, dtype=np.int64))


def _gain(boxes):
    return np.array(boxes.reinforcement, dtype=np.int64)


@jitable
def reinforce(beads, box, kind, s, a, gain):
    """Add `gain` beads to the box of s, of the kind for cell a; none goes below 0.

    beads, box and kind are those of Matchboxes.
    Return box, kind, and beads before and after.
    """
    b, k = box[s], kind[s, a]
    before = beads[b, k]
    beads[b, k] = max(before + gain, 0)
    return b, k, before, beads[b, k]


@jitable
def _learn(game, T, side, boxes, gain, played):
    """Reinforce the boxes that `side`, 0 for both, used in a game of T moves."""
    end, log = played.state[T], played.log
    winner = int(game.outcome[end])
    if game.count[end] > 0:  # resigned by the side to move there
        winner = -int(game.to_move[end])
    for t in range(T):
        s, a = played.state[t], played.action[t]
        if game.count[s] > 1 and (side == 0 or game.to_move[s] == side):
            more = gain[1 - game.to_move[s] * winner]
            change = reinforce(boxes.beads, boxes.box, boxes.kind, s, a, more)
            log[t, 0], log[t, 1], log[t, 2], log[t, 3] = change


@jitable
def _draw_bead(game, boxes, s):
    """Return the index of a legal action drawn from the box of s; −1 if it is empty."""
    if game.count[s] == 1:  # no choice, no box
        return 0
    beads, total = boxes.beads[boxes.box[s]], 0.0
    for i in range(game.count[s]):
        a = game.action[s, i]
        total += beads[boxes.kind[s, a]] / boxes.alike[s, a]
    if total == 0:
        return -1
    threshold, last = boxes.rng.random() * total, 0
    for i in range(game.count[s]):
        a = game.action[s, i]
        weight = beads[boxes.kind[s, a]] / boxes.alike[s, a]
        if weight > 0:
            last = i
            if threshold < weight:
                break
        threshold -= weight
    return last


@compiled
def _train(game, games, side, boxes, gain, opponent, played):
    for _ in range(games):
        s, T = 0, 0
        while game.count[s] > 0:
            played.state[T] = s
            if side == 0 or game.to_move[s] == side:
                i = _draw_bead(game, boxes, s)
                if i < 0:
                    break
            else:
                i = sample_action(opponent, s, game.count, game.action, boxes.rng)
            played.action[T] = game.action[s, i]
            s = game.successor[s, i]
            T += 1
        played.state[T] = s
        _learn(game, T, side, boxes, gain, played)
