"""Training of chapter 3: policy iteration."""

from copy import deepcopy

from ttt_lib.check.judge import CLOSE, UnfitError
from ttt_lib.check.training.goals import two_goals
from ttt_lib.check.training.models import GAMMA, action_value, exact, rest_of_game


def policy_iteration(function, rng, points=None, games=3):
    """Yield (number, loss in the worst state) of the successive policies.

    It is the worst state of several games, because in one of them two improvements may
    be enough. The function gets the model of each, and returns its policies from the
    first to the last. Each must be greedy in the exact values of the one before.
    """
    rows = [[*_improvements(function, rng)] for _ in range(games)]
    for number in range(max(map(len, rows))):
        yield number, {"lost": max(row[min(number, len(row) - 1)] for row in rows)}


def _improvements(function, rng):
    """Yield the loss of each policy in the worst state of one game."""
    model, order = rest_of_game(rng)
    best, before = exact(model, order), None
    policies = function(deepcopy(model), GAMMA)
    if not isinstance(policies, list) or not policies:
        raise UnfitError("it should return a list of policies, the last one the best")
    if len(policies) > 1 and all(actions == policies[0] for actions in policies):
        raise UnfitError(
            "all policies are equal: each should be a list of its own, not one list "
            "that is changed and appended again"
        )
    for number, actions in enumerate(policies):
        _demand_better(model, number, actions, before)
        if not number and actions != [min(state) for state in model]:
            raise UnfitError(
                "the first policy should take the lowest action in each state"
            )
        before = exact(model, order, actions)
        yield max(b - v for b, v in zip(best, before, strict=True))


def _demand_better(model, number, actions, V):
    """Raise UnfitError if these are not legal actions, or not greedy in V.

    V is that of the policy before, or None.
    """
    wanted = isinstance(actions, list) and len(actions) == len(model)
    pairs = [*zip(actions, model, strict=True)] if wanted else []
    if not wanted or not all(type(a) is int and a in state for a, state in pairs):
        raise UnfitError(
            f"each policy should be a list of {len(model)} legal actions, one for each "
            "state"
        )
    for a, state in pairs if V else ():
        values = {b: action_value(outcomes, V) for b, outcomes in state.items()}
        if values[a] < max(values.values()) - CLOSE:
            raise UnfitError(
                f"policy number {number} should be the best in the values of the one "
                "before it, in every state"
            )


TRAINING = two_goals(
    policy_iteration,
    "the last policy is best in every state",
    lambda m: m["lost"] <= CLOSE,
    "it loses at most .1 in any state",
    lambda m: m["lost"] <= 0.1,
)
