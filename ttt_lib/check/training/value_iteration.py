"""Training of chapter 4: an order in which states are backed up."""

from copy import deepcopy

from ttt_lib.check.judge import CLOSE, UnfitError
from ttt_lib.check.training.common import POINTS
from ttt_lib.check.training.goals import two_goals
from ttt_lib.check.training.models import action_value, exact, rest_of_game


def backups_in_order(function, rng, points=POINTS):
    """Yield (backups, measures) of backups in place, in an order of the states.

    The function gets a model and returns the order, a list of states. All values begin
    at 1, that of a win, so a state backed up before its next states is too high.
    """
    model, order = rest_of_game(rng)
    best, states = exact(model, order), function(deepcopy(model))
    most = 20 * len(model)
    if (
        not isinstance(states, list)
        or not len(model) <= len(states) <= most
        or not all(type(s) is int and 0 <= s < len(model) for s in states)
    ):
        raise UnfitError(
            f"it should return a list of {len(model)} to {most} numbers of states, "
            f"from 0 to {len(model) - 1}"
        )
    V, needed = [1.0] * len(model), 0
    for done, s in enumerate(states, 1):
        new = max(action_value(outcomes, V) for outcomes in model[s].values())
        needed = done if abs(new - V[s]) > CLOSE else needed
        V[s] = new
        if done % (len(model) // points) == 0 or done == len(states):
            wrong = sum(abs(b - v) > CLOSE for b, v in zip(best, V, strict=True))
            share = wrong / len(model)
            yield done, {"wrong": share, "backups": needed / len(model)}


TRAINING = two_goals(
    backups_in_order,
    "every value is exact, with one backup for each state",
    lambda m: m["wrong"] == 0 and m["backups"] <= 1,
    "every value is exact",
    lambda m: m["wrong"] == 0,
)
