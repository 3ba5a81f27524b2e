"""Observations of a position, and policies from functions of observations."""

import numpy as np

from ttt_lib.validation import (
    anything,
    as_array,
    as_int,
    bad_argument,
    require,
    validated,
)


@validated
def observation(game, s, side):
    """Return the observation of `side`: (rows, columns) of int8.

    +1 is a mark of its own, −1 one of the other player, 0 an empty cell.
    """
    return game.array(s) * np.int8(side)


@validated
def action_mask(game, s):
    """Return the mask of legal actions: (A,) of int8, 1 or 0."""
    return game.legal[s].astype(np.int8)


def cell(action, cells):
    """Return an action as an int from 0 to cells − 1.

    It may be a whole number of any type, 2.0 as well, or an array that holds one.
    Raises ValueError if it is anything else, also True or False.
    """
    number = action
    if hasattr(action, "__array__"):  # of NumPy, or of another library
        try:
            number = as_array(action)
        except TypeError:
            number = np.zeros(0)
        number = number.item() if number.size == 1 else None
    try:
        return as_int(number, "action", 0, cells - 1)
    except ValueError:
        bad_argument(
            "action", action, f"give a cell, a whole number from 0 to {cells - 1}"
        )


@validated(function=anything)
def policy_from(function, game):
    """Return the policy (S, A) of a function of observations.

    `function(observation, action_mask)` gets what the environments give the player to
    move, and returns a cell, or the probabilities (A,) of all cells. It is called once
    for every unfinished position.
    Raises ValueError, which shows the board, if the result is not a legal move.

    Examples
    --------
    >>> from ttt_lib.envs import policy_from
    >>> first_free = policy_from(lambda board, mask: mask.argmax(), game)
    >>> round(evaluation.result(game, first_free, at_random).win, 3)
    0.781
    """
    policy = np.zeros(game.legal.shape)
    for s in np.flatnonzero(~game.terminal):
        side = int(game.to_move[s])
        answer = np.asarray(function(observation(game, s, side), action_mask(game, s)))
        number = answer.ndim == 0 and answer.dtype.kind in "iuf"
        if number and answer in np.flatnonzero(game.legal[s]):
            policy[s, int(answer)] = 1
            continue
        fits = answer.shape == game.legal[s].shape and answer.dtype.kind in "fiu"
        fits = fits and (answer >= 0).all() and not answer[~game.legal[s]].any()
        require(
            fits and abs(answer.sum() - 1) < 1e-6,
            f"On {game.string(s)} the function returned {answer.tolist()!r}: give the "
            "number of an empty cell, or probabilities that add up to 1 over them",
        )
        policy[s] = answer / answer.sum()
    return policy
