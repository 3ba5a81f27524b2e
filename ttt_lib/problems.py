"""Other problems: small ones with known answers, to try the methods outside the game.

A problem is a table of p(s′, r | s, a) [S&B eq. 3.2] in the form of Gymnasium's
`env.unwrapped.P`. `model` makes an `mdp.MDP` of it, for planning, and `Environment` an
environment with Gymnasium's `reset` and `step`, for learning. States and actions are
whole numbers from 0, those of Gymnasium's environment of the same name if it has one.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from ttt_lib.mdp import MDP, from_arrays
from ttt_lib.validation import as_float, as_int, bad_argument, validated


class Problem(NamedTuple):
    """A finite decision problem of n states with A actions each.

    A final state has one outcome, itself with reward 0, and so have states that never
    occur.
    """

    #: P[s][a] is a list of outcomes (probability, next state, reward, whether it ends)
    P: list
    start: np.ndarray  #: (n,) probability of each state to be the first


def _problem(value, arguments):
    if not isinstance(value, Problem):
        bad_argument("problem", value, "give what a function of problems returns")
    return value


@validated(problem=_problem)
def model(problem) -> MDP:
    """Return the MDP of a problem; its `position` is the number of each state.

    Examples
    --------
    >>> walk = problems.model(problems.random_walk())
    >>> planning.linear_solve(walk, planning.uniform(walk), gamma=1.0).V[1:-1].round(3)
    array([0.167, 0.333, 0.5  , 0.667, 0.833])
    """
    n, actions = len(problem.P), len(problem.P[0])
    p, r = np.zeros((n, actions, n)), np.zeros((n, actions))
    for s, a in product(range(n), range(actions)):
        for probability, s_next, reward, end in problem.P[s][a]:
            p[s, a, s_next] += probability * (not end)
            r[s, a] += probability * reward
    return from_arrays(p, r, start=problem.start)


class Environment:
    """A problem to act in, step by step, with the interface of Gymnasium.

    An episode is truncated after `limit` steps, if a limit is given.
    Raises ValueError if an action does not exist or the episode is over.

    Examples
    --------
    >>> env = problems.Environment(problems.cliff_walking(), rng)
    >>> env.reset()
    (36, {})
    >>> env.step(1)
    (36, -100.0, False, False, {})
    """

    @validated(
        problem=_problem,
        limit=lambda value, arguments: as_int(value, "limit", 1),
    )
    def __init__(self, problem, rng, limit=None):
        self.problem, self.rng, self.limit = problem, rng, limit
        self.s = None  # between episodes

    def reset(self):
        """Begin an episode; return the first state, and an empty info."""
        start = self.problem.start
        self.s, self.steps = int(self.rng.choice(len(start), p=start)), 0
        return self.s, {}

    def step(self, action):
        """Return next state, reward, whether terminated, whether truncated, and info.

        Rewards are floats; the info is empty.
        """
        if self.s is None:
            raise ValueError("No episode has begun: call reset().")
        a = as_int(action, "action", 0, len(self.problem.P[self.s]) - 1)
        outcomes = self.problem.P[self.s][a]
        chances = [probability for probability, *_ in outcomes]
        i = self.rng.choice(len(outcomes), p=chances) if len(outcomes) > 1 else 0
        _, s_next, reward, terminated = outcomes[i]
        self.steps += 1
        truncated = not terminated and self.steps == self.limit
        self.s = None if terminated or truncated else s_next
        return s_next, reward, terminated, truncated, {}


# The problems

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)  # rows, columns


def _move(s, way, shape):
    """Return the square after a step on a grid; at the edge it is the same one."""
    last = np.subtract(shape, 1)
    row, column = np.clip(np.add(divmod(s, shape[1]), way), 0, last).tolist()
    return row * shape[1] + column


def _with_final_states(P, final):
    """Return the table P with the rows of final states."""
    return [
        [[(1.0, s, 0.0, True)] for _ in row] if s in final else row
        for s, row in enumerate(P)
    ]


def gridworld() -> Problem:
    """Return the 4 × 4 gridworld with two exits in the corners [S&B example 4.1].

    Each step has the reward −1, also one against the edge. Actions 0 to 3 are up, down,
    left and right; states are the squares, row by row, of which 0 and 15 are final.
    `mdp.gridworld` makes the model of any such grid.
    """
    exits = 0, 15

    def outcomes(s, way):
        s_next = _move(s, way, (4, 4))
        return [(1.0, s_next, -1.0, s_next in exits)]

    P = [[outcomes(s, way) for way in (UP, DOWN, LEFT, RIGHT)] for s in range(16)]
    start = np.where(np.isin(np.arange(16, dtype=np.int64), exits), 0, 1 / 14)
    return Problem(_with_final_states(P, exits), start)


@validated(
    states=lambda value, arguments: as_int(value, "states", 1, 10_000),
    left=lambda value, arguments: as_float(value, "left"),
    right=lambda value, arguments: as_float(value, "right"),
)
def random_walk(states=5, left=0.0, right=1.0) -> Problem:
    """Return the random walk along a row of states [S&B example 6.2].

    The only action goes one step to either side, with equal chances, from the middle;
    the steps off the left and the right end have these rewards, all others 0. States
    are 1 to `states`; 0 and the last number are the final ones.
    With 19 states and left = −1 it is that of S&B example 7.1.
    """
    end = states + 1

    def outcome(s_next):
        reward = {0: left, end: right}.get(s_next, 0.0)
        return 0.5, s_next, reward, s_next in (0, end)

    P = [[[outcome(s - 1), outcome(s + 1)]] for s in range(states + 2)]
    start = np.zeros(states + 2)
    start[end // 2] = 1
    return Problem(_with_final_states(P, (0, end)), start)


def cliff_walking() -> Problem:
    """Return cliff walking [S&B example 6.6], Gymnasium's CliffWalking.

    On a grid of 4 × 12 squares each step has the reward −1; one into the cliff, between
    the start in the lower left corner (36) and the goal in the lower right one (47),
    has −100 and leads back to the start. Actions: 0 up, 1 right, 2 down, 3 left.
    """
    start, goal = 36, 47
    cliff = range(start + 1, goal)

    def outcomes(s, way):
        s_next = _move(s, way, (4, 12))
        if s_next in cliff:
            return [(1.0, start, -100.0, False)]
        return [(1.0, s_next, -1.0, s_next == goal)]

    P = [[outcomes(s, way) for way in (UP, RIGHT, DOWN, LEFT)] for s in range(48)]
    return Problem(_with_final_states(P, (*cliff, goal)), np.eye(48)[start])


def frozen_lake() -> Problem:
    """Return the slippery lake of 4 × 4 squares, Gymnasium's FrozenLake.

    A step goes in the chosen direction or to either side of it, with 1/3 each. Four
    squares are holes, which end the episode; the reward is 1 at the goal (15), else 0.
    Actions: 0 left, 1 down, 2 right, 3 up. Gymnasium's limit is 100 steps.
    """
    holes, goal, ways = (5, 7, 11, 12), 15, (LEFT, DOWN, RIGHT, UP)

    def outcome(s, way):
        s_next = _move(s, way, (4, 4))
        return 1 / 3, s_next, float(s_next == goal), s_next in (*holes, goal)

    P = [
        [[outcome(s, ways[(a + turn) % 4]) for turn in (-1, 0, 1)] for a in range(4)]
        for s in range(16)
    ]
    return Problem(_with_final_states(P, (*holes, goal)), np.eye(16)[0])


CLICKS = 0.03, 0.05, 0.04, 0.08, 0.06  # how often each advertisement is clicked


def advertising() -> Problem:
    """Return a bandit with five arms: which advertisement to show to a visitor.

    An episode is one visitor; the reward is 1 for a click, which has the probability
    CLICKS[a], and 0 otherwise. Only state 0 exists.
    """
    arms = [[(p, 0, 1.0, True), (1 - p, 0, 0.0, True)] for p in CLICKS]
    return Problem([arms], np.ones(1))


CARDS = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}  # 1 is an ace
HANDS = 23, 11, 2  # shape of blackjack's states: sum, dealer's card, usable ace
NATURAL = 22  # stands for a sum of 21 with the first two cards


def blackjack() -> Problem:
    """Return blackjack with the rules of S&B example 5.1, Gymnasium's with `sab=True`.

    Cards are drawn from an infinite deck. The dealer, who shows a card, hits below 17.
    A natural, 21 with the first two cards, wins unless the dealer has one, too; a
    dealer's natural counts as 21. The reward is 1, 0 or −1. Actions: 0 stick, 1 hit.
    State (sum, dealer's card, 1 for a usable ace) has the number
    `np.ravel_multi_index(state, problems.HANDS)`; the sum NATURAL stands for a natural.
    """
    P = [[[(1.0, s, 0.0, True)]] * 2 for s in range(np.prod(HANDS))]
    start = np.zeros(len(P))
    for total, shown, ace in product(range(4, NATURAL + 1), CARDS, (0, 1)):
        s = np.ravel_multi_index((total, shown, ace), HANDS)
        P[s] = [_stick(total, shown), _hit(min(total, 21), shown, ace)]
    for (one, p1), (two, p2), (shown, p3) in product(CARDS.items(), repeat=3):
        total, ace = _with_card(two, *_with_card(one))
        total = NATURAL if total == 21 else total
        start[np.ravel_multi_index((total, shown, ace), HANDS)] += p1 * p2 * p3
    return Problem(P, start)


def _hit(total, shown, ace):
    """Return the outcomes of one more card."""
    hands = [(p, *_with_card(card, total, ace)) for card, p in CARDS.items()]
    return [
        (p, int(np.ravel_multi_index((new, shown, usable), HANDS)), 0.0, False)
        if new <= 21
        else (p, 0, -1.0, True)
        for p, new, usable in hands
    ]


def _stick(total, shown):
    """Return the outcomes of the dealer's cards against a sum."""
    chances = {+1: 0.0, 0: 0.0, -1: 0.0}
    hidden = {1: 10, 10: 1}.get(shown)  # which card makes the dealer's natural
    if total == NATURAL:
        chances[0] = CARDS.get(hidden, 0.0)
        chances[+1] = 1 - chances[0]
    else:
        for final, p in _dealer(*_with_card(shown)).items():
            chances[(total > final) - (total < final)] += p
    return [(p, 0, float(reward), True) for reward, p in chances.items() if p > 0]


def _with_card(card, total=0, ace=0):
    """Return the sum and the usable ace (0 or 1) of a hand with one more card."""
    total += card
    if card == 1 and total <= 11:
        return total + 10, 1
    return (total - 10, 0) if total > 21 and ace else (total, ace)


@cache
def _dealer(total, ace):
    """Return the distribution of the dealer's last sum, 0 above 21: sum → probability.

    The result is shared and must not be changed.
    """
    if total >= 17:
        return {total if total <= 21 else 0: 1.0}
    chances = dict.fromkeys((0, *range(17, 22)), 0.0)
    for card, p in CARDS.items():
        for final, q in _dealer(*_with_card(card, total, ace)).items():
            chances[final] += p * q
    return chances


def rating_circle() -> tuple[list[str], np.ndarray]:
    """Return the names of five players, and their payoffs (5, 5): wins minus losses.

    Entry (i, j) is that of player i against player j, per game. The first three beat
    each other in a circle, and the two others lose to all of them.
    """
    names, payoff = ["Ada", "Bob", "Cleo", "Dan", "Eve"], np.zeros((5, 5))
    payoff[0, 1], payoff[1, 2], payoff[2, 0] = 0.6, 0.2, 0.4
    payoff[:3, 3], payoff[:3, 4], payoff[3, 4] = 0.5, 0.7, 0.3
    return names, payoff - payoff.T
