"""Training loops that call a student's function, and measure the result exactly.

The tables belong to the loop, and the function is called once per game, or once in all:
a submission cannot bring its own table. Each loop is a generator of (count,
{measure: number}); the last measures count, and all of them together are a curve.
"""

import time
from collections import Counter

from ttt_lib.check.judge import Failed, UnfitError, Verdict, plain
from ttt_lib.check.training import (
    alpha_beta,
    menace,
    monte_carlo,
    policy_iteration,
    q_learning,
    td,
    value_iteration,
)
from ttt_lib.check.training.common import POINTS, generator

SEEDS = (1, 2, 3)  # of the visible checks
HIDDEN = 9  # number of the grader's seeds: their median depends little on chance
MAX_SECONDS = 60  # for one training, on a machine that is busy grading
TOO_SLOW = "one training takes"  # first words of the message after a timeout
TIMEOUT = 20  # seconds for one training in the visible checks

TRAININGS = {
    "iterate": policy_iteration.TRAINING,
    "sweep_order": value_iteration.TRAINING,
    "alpha_beta": alpha_beta.TRAINING,
    "mc_learn": monte_carlo.TRAINING,
    "beads": menace.TRAINING,
    "td_learn": td.TRAINING,
    "q_learn": q_learning.TRAINING,
}


def trained(name, function):
    """Return a function of a seed that runs a training, and returns its measures."""
    loop, _, counting, counts = TRAININGS[name]

    def train(seed):
        points = 1 if counting == 1 else POINTS
        rows = [m for _, m in loop(in_time(function), generator(seed), points)]
        return {key: counts(m[key] for m in rows[-counting:]) for key in rows[-1]}

    return train


def curve(name, function, seed):
    """Return the counts and {measure: list of numbers} of a training, for a figure."""
    counts, measures = zip(
        *TRAININGS[name].loop(in_time(function), generator(seed)), strict=True
    )
    return list(counts), {key: [m[key] for m in measures] for key in measures[0]}


def in_time(function):
    """Return a function with plain data as results, which raises when time is over."""
    end = time.monotonic() + MAX_SECONDS

    def call(*args):
        if time.monotonic() > end:
            raise UnfitError(f"{TOO_SLOW} longer than {MAX_SECONDS} seconds")
        return plain(function(*args))

    return call


def share(goals, measures):
    """Return the share of the points that the measures of a training earn.

    A training that failed has no measures, and earns nothing.
    """
    if not isinstance(measures, list):
        return 0.0
    return max((g.share for g in goals if g.reached(dict(measures))), default=0.0)


def settled(question, given, seeds):
    """Return whether the results `given` so far already decide the median of all seeds.

    They do if more than half of them agree, or after a timeout, which would come again.
    """
    if given and isinstance(given[-1], Failed) and given[-1].why.startswith(TOO_SLOW):
        return True
    goals = TRAININGS[question.training].goals
    shares = Counter(share(goals, measures) for measures in given)
    return any(count > seeds // 2 for count in shares.values())


def verdict(question, given):
    """Return the Verdict on trainings with several seeds: the median counts.

    Its `kinds` are the goals that were not reached.
    """
    goals = TRAININGS[question.training].goals
    shares = [share(goals, measures) for measures in given]
    median = sorted(shares)[(len(shares) - 1) // 2]
    missed = tuple(goal.says for goal in goals if goal.share > median)
    hint = question.hint if missed else ""
    return Verdict(tuple(each == 1 for each in shares), median, missed, "", hint)
