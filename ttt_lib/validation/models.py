"""Checks of models, rewards, the actions of a policy, and training arguments."""

import numpy as np

from ttt_lib.validation.arguments import SUM_ATOL, policy_for_side
from ttt_lib.validation.values import as_int, bool_array, float_array, require


def require_model(probability, reward, legal, start):
    """Return (p, r, legal, start) of an MDP as arrays (n, A, n), (n, A), (n, A), (n,).

    Raises ValueError if shapes do not fit, or probabilities are invalid.
    """
    reward = float_array(reward, "reward", finite=False)
    require(reward.ndim == 2 and reward.size, "reward should have the shape (n, A)")
    n = len(reward)
    shape = *reward.shape, n
    probability = float_array(probability, "probability", shape, finite=False)
    legal = np.full(reward.shape, True) if legal is None else legal
    legal = bool_array(legal, "legal", reward.shape)
    all_act = legal.any(axis=1).all()
    require(all_act, "legal has a state without an action: leave out final states")
    require(
        np.isfinite(reward[legal]).all(), "reward is not finite for all legal pairs"
    )
    p = probability[legal]
    valid = (p >= 0).all() and (p.sum(axis=1) <= 1 + 1e-9).all()
    require(valid, "probability has a pair with numbers below 0, or a sum above 1")
    start = np.full(n, 1 / n) if start is None else float_array(start, "start", (n,))
    valid = start.min() >= 0 and abs(start.sum() - 1) <= SUM_ATOL
    require(valid, "start has probabilities below 0, or that do not sum to 1")
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
    """Return the largest |r(s, a)|; raise ValueError if it is too large or small."""
    unit = float(np.abs(mdp.reward).max())
    if unit == 0 or 1e-280 <= unit <= 1e280:
        return unit
    raise ValueError(
        "Planning needs finite rewards: leave illegal actions out, and choose a unit "
        f"in which the largest, {unit:g}, is from 1e-280 to 1e280."
    )


def not_converged(gamma, change):
    """Return the ValueError for sweeps after which V still changes by `change`."""
    reason = "at gamma = 1 every episode must end"
    if gamma < 1:
        reason = (
            f"at gamma = {gamma} sweeps are too slow for this theta: choose a larger "
            "one, or solve equations as policy_iteration does"
        )
    return ValueError(
        f"The values have not converged, they still change by {change:.3g}: {reason}."
    )


def legal_actions(action, legal, states):
    """Return action[states] as integers. Raises ValueError if one is illegal."""
    action = float_array(action, "action", legal.shape[:1], finite=False)
    good = np.isin(action[states], np.arange(legal.shape[1], dtype=np.int64))
    chosen = np.where(good, action[states], 0).astype(np.int64)
    good[good] = legal[states[good], chosen[good]]
    if not good.all():
        state = states[~good][0]
        raise ValueError(f"Action {action[state]:g} is illegal in position {state}.")
    return chosen


def validated_training(game, games, opponent, side, behaviour=None):
    """Return (games, opponent, behaviour) of a training run, policies (S, A) or None.

    Arguments are those of `learning.train`. Raises ValueError if one is invalid.
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
