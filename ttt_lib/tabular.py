"""Tables of values for any environment with whole numbers as observations.

An environment has the interface of Gymnasium: `reset()` returns an observation and
info, `step(action)` the next observation, the reward, whether the episode terminated,
whether it was truncated, and info. Gymnasium's environments with Discrete spaces are
such, and `problems.Environment`.

The short loops learn from the Steps of one episode and change V or Q in place. They
take each Step when they need it: while `steps` plays the episode, its actions follow
what has been learned so far. If an episode terminates, the last target is the reward
alone; if it is truncated, it bootstraps from the state reached [Pardo et al. 2018].
"""

from typing import Any, NamedTuple

import numpy as np

from ttt_lib.policy import LEARNED_ATOL
from ttt_lib.validation import (
    SETTING_CHECKS,
    as_int,
    one_of,
    probability,
    require,
    validated,
)

METHODS = "q_learning", "sarsa", "expected_sarsa"
NO_INFO: dict[str, Any] = {}


class Step(NamedTuple):
    """One step of an episode, and the action chosen next [S&B sec. 3.1]."""

    s: int  #: observation
    a: int  #: action
    r: float  #: reward
    s_next: int  #: next observation
    a_next: int  #: next action, −1 after the end
    terminated: bool  #: whether the episode ended here, in a final state
    truncated: bool  #: whether it was cut off here
    info: dict[str, Any]  #: info of the next observation


def steps(env, choose):
    """Yield the Steps of one episode; choose(s, info) returns the action.

    The next action is chosen before the Step is given, as Sarsa needs it.
    """
    s, info = env.reset()
    a, over = choose(s, info), False
    while not over:
        s_next, r, terminated, truncated, info = env.step(a)
        over = terminated or truncated
        a_next = -1 if terminated else choose(s_next, info)
        yield Step(s, a, r, s_next, a_next, terminated, truncated, info)
        s, a = s_next, a_next


# Prediction: V (S,) of the policy that chooses the actions


def n_step_td(V, steps, alpha, gamma, n):
    """Update V by n-step TD in one episode [S&B sec. 7.1]; n = ∞ is Monte Carlo."""
    recent = []
    for s, _, r, s_next, _, terminated, truncated, _ in steps:
        recent.append((s, r))
        while recent and (len(recent) == n or terminated or truncated):
            G = 0.0 if terminated else V[s_next]
            for _, reward in reversed(recent):
                G = reward + gamma * G
            state, _ = recent.pop(0)
            V[state] += alpha * (G - V[state])


def td_lambda(V, steps, alpha, gamma, lambda_):
    """Update V by TD(λ) in one episode, accumulating traces [S&B sec. 12.2]."""
    trace = np.zeros(V.shape)
    for s, _, r, s_next, _, terminated, *_ in steps:
        trace *= gamma * lambda_
        trace[s] += 1
        target = r + (0.0 if terminated else gamma * V[s_next])
        V += alpha * (target - V[s]) * trace


# Action values: Q (S, A)


def n_step_sarsa(Q, steps, alpha, gamma, n):
    """Update Q by n-step Sarsa in one episode [S&B sec. 7.2]; n = ∞ is Monte Carlo."""
    recent = []
    for s, a, r, s_next, a_next, terminated, truncated, _ in steps:
        recent.append((s, a, r))
        while recent and (len(recent) == n or terminated or truncated):
            G = 0.0 if terminated else Q[s_next, a_next]
            for _, _, reward in reversed(recent):
                G = reward + gamma * G
            *pair, _ = recent.pop(0)
            Q[*pair] += alpha * (G - Q[*pair])


def sarsa_lambda(Q, steps, alpha, gamma, lambda_):
    """Update Q by Sarsa(λ) in one episode, accumulating traces [S&B sec. 12.7]."""
    trace = np.zeros(Q.shape)
    for s, a, r, s_next, a_next, terminated, *_ in steps:
        trace *= gamma * lambda_
        trace[s, a] += 1
        target = r + (0.0 if terminated else gamma * Q[s_next, a_next])
        Q += alpha * (target - Q[s, a]) * trace


class TabularAgent:
    """Q-learning, Sarsa or expected Sarsa with a table Q (states, actions).

    method: "q_learning", "sarsa" or "expected_sarsa". Its actions are ε-greedy in Q,
    ties uniform; Q begins with `initial`. If info has an "action_mask" (A,), it takes
    and expects only actions of that mask. The next action is chosen before Q changes,
    also by Q-learning.

    Examples
    --------
    >>> env = problems.Environment(problems.cliff_walking(), rng)
    >>> agent = tabular.TabularAgent(48, 4, rng, epsilon=0.0)
    >>> returns = agent.train(env, 1000)
    >>> float(returns[-1])
    -13.0
    """

    @validated(
        **SETTING_CHECKS
        | {
            "states": lambda value, arguments: as_int(value, "states", 1),
            "actions": lambda value, arguments: as_int(value, "actions", 1),
            "method": lambda value, arguments: one_of(value, "method", METHODS),
            "alpha": probability("alpha", above=True),
        }
    )
    def __init__(
        self, states, actions, rng, method="q_learning", alpha=0.1, epsilon=0.1,
        gamma=1.0, initial=0.0,
    ):  # fmt: skip
        self.Q, self.rng, self.method = np.full((states, actions), initial), rng, method
        self.alpha, self.epsilon, self.gamma = alpha, epsilon, gamma

    def policy(self, s, epsilon=0.0, info=NO_INFO):
        """Return the probabilities (A,) of the ε-greedy actions, by default greedy."""
        mask = np.asarray(info.get("action_mask", np.ones(self.Q.shape[1])), dtype=bool)
        require(mask.any(), f"s = {s}: the action mask leaves no action")
        q = np.where(mask, self.Q[s], -np.inf)
        best = q >= q.max() - LEARNED_ATOL
        return epsilon * mask / mask.sum() + (1 - epsilon) * best / best.sum()

    def act(self, s, info=NO_INFO):
        """Return an ε-greedy action."""
        return int(
            self.rng.choice(self.Q.shape[1], p=self.policy(s, self.epsilon, info))
        )

    def train(self, env, episodes):
        """Learn from more episodes; return the sum of the rewards of each (episodes,).

        An interrupted training keeps what has been learned.
        """
        returns = np.zeros(as_int(episodes, "episodes"))
        for i in range(len(returns)):
            for step in steps(env, self.act):
                self.learn(step)
                returns[i] += step.r
        return returns

    def learn(self, step):
        """Move Q(s, a) towards r + γ Σ π(a′|s′) Q(s′, a′) [S&B eq. 6.7–6.9].

        π is the greedy policy in Q-learning, the ε-greedy one in expected Sarsa, and in
        Sarsa the action that was chosen. After the end the target is r.
        """
        s, a, target, s_next, a_next, terminated, _, info = step
        if not terminated and self.method == "sarsa":
            target += self.gamma * self.Q[s_next, a_next]
        elif not terminated:
            epsilon = self.epsilon if self.method == "expected_sarsa" else 0.0
            target += self.gamma * (self.policy(s_next, epsilon, info) @ self.Q[s_next])
        self.Q[s, a] += self.alpha * (target - self.Q[s, a])
