"""What else must fit together: models, rewards, the actions of a policy, trainings."""

import numpy as np

from ttt_lib.validation.arguments import SUM_ATOL, policy_for_side
from ttt_lib.validation.values import as_int, bool_array, float_array, require


def require_model(probability, reward, legal, start):
    """Return (p, r, legal, start) of an MDP as arrays (n, A, n), (n, A), (n, A), (n,).

    Raises ValueError if shapes do not fit, or probabilities are none.
    """
    reward = float_array(reward, "reward", finite=False)
    require(reward.ndim == 2 and reward.size, "reward should have the shape (n, A)")
    n = len(reward)
    shape = *reward.shape, n
    probability = float_array(probability, "probability", shape, finite=False)
    legal = np.full(reward.shape, True) if legal is None else legal
    legal = bool_array(legal, "legal", reward.shape)
    acts = legal.any(axis=1).all()
    require(
        acts, "legal has a state without an action: leave out the states where it ends"
    )
    require(
        np.isfinite(reward[legal]).all(), "reward is not finite for all legal pairs"
    )
    p = probability[legal]
    fits = (p >= 0).all() and (p.sum(axis=1) <= 1 + 1e-9).all()
    require(fits, "probability has a pair with numbers below 0, or a sum above 1")
    start = np.full(n, 1 / n) if start is None else float_array(start, "start", (n,))
    fits = start.min() >= 0 and abs(start.sum() - 1) <= SUM_ATOL
    require(fits, "start has probabilities below 0, or that do not sum to 1")
    return probability, reward, legal, start


def require_later_successors(mdp):
    """Raise ValueError unless all successors have larger numbers than their states."""
    pairs, transitions = (np.diff(x).astype(np.intp) for x in (mdp.first, mdp.indptr))
    state = np.repeat(np.arange(len(mdp.position), dtype=np.int64), pairs)
    state = np.repeat(state, transitions)  # of each transition
    late = mdp.successor > state
    if not late.all():
        s = state[~late].min()
        raise ValueError(
            f"State {s} can be followed by a state that is not later: for backward "
            "induction successors need larger numbers."
        )


def largest_reward(mdp):
    """Return the largest |r(s, a)|. Raises ValueError if floats cannot plan with it."""
    unit = float(np.abs(mdp.reward).max())
    if unit == 0 or 1e-280 <= unit <= 1e280:
        return unit
    raise ValueError(
        "Planning needs finite rewards: leave illegal actions out, and choose a unit "
        f"in which the largest, {unit:g}, is from 1e-280 to 1e280."
    )


def not_converged(gamma, change):
    """Return the ValueError on values that still change after very many sweeps."""
    reason = "at gamma = 1 every episode must end"
    if gamma < 1:
        reason = (
            f"at gamma = {gamma} sweeps are too slow for this theta: let it be larger, "
            "or solve equations as policy_iteration does"
        )
    return ValueError(
        f"The values have not settled, they still change by {change:.3g}: {reason}."
    )


def legal_actions(action, legal, states):
    """Return the actions taken in `states`. Raises ValueError if one is illegal."""
    action = float_array(action, "action", legal.shape[:1], finite=False)
    good = np.isin(action[states], np.arange(legal.shape[1], dtype=np.int64))
    chosen = np.where(good, action[states], 0).astype(np.int64)
    good[good] = legal[states[good], chosen[good]]
    if not good.all():
        state = states[~good][0]
        raise ValueError(f"Action {action[state]:g} is illegal in position {state}.")
    return chosen


def validated_training(game, games, opponent, side, behaviour=None):
    """Return (games, opponent, behaviour) of a training, policies as arrays or None.

    Arguments are those of `learning.train`. Raises ValueError if one makes no sense.
    """
    games = as_int(games, "games")
    require(
        side in ((0,) if opponent is None else (+1, -1, 0)),
        f"side = {side!r}: give 1 or -1 against an opponent, 0 for both and self-play",
    )
    if opponent is not None:
        opponent = policy_for_side(-side, opponent, game, "opponent")
    if behaviour is not None:
        behaviour = policy_for_side(side, behaviour, game, "behaviour")
    return games, opponent, behaviour
