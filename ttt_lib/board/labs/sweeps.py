"""Lab of sweeps over a decision problem."""

import numpy as np

from ttt_lib import mdp, planning
from ttt_lib.agents import policy
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import (
    Setting,
    a_board,
    a_floor,
    a_mark,
    a_number,
    a_player,
    among,
    numbers,
    several,
)
from ttt_lib.game import tables
from ttt_lib.validation import require

MAX_SWEEPS = 10_000
MAX_SIDE = 8  # rows and columns of a floor


class SweepLab(Lab):
    """Sweeps over a decision problem, one state or one sweep at a time.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `method`, "evaluation" of a policy or "optimality"; `order`, as in
      `planning.policy_evaluation`; `gamma`; `initial`, the first value of all states,
      or of a floor a number for each square (then the game starts at 0);
    - `problem`, "game" or "floor". Of the game: `policy`, which is evaluated, and
      `opponent`, by name, `side`, 1 or −1, and `rewards` of win, draw and loss. Of the
      floor: its squares `floor` and rewards `pays`, as in `mdp.gridworld`; there the
      evaluated policy moves in all directions equally often;
    - `step`, "sweep", "half" or "backup"; `look`, the board that is shown;
    - `at`, the number of sweeps done, and after a colon that of states of the next.

    Raises TraitError if a setting is invalid.
    """

    kind = "sweeps"
    order = Setting("synchronous", among("synchronous", "rising", "falling"))
    method = Setting("evaluation", among("evaluation", "optimality"))
    problem = Setting("game", among("game", "floor"))
    policy = Setting("random", a_player())
    opponent = Setting("random", a_player())
    side = Setting("1", among("1", "-1"))
    rewards = Setting("1, 0, -1", numbers(3))
    floor = Setting("E...|....|....|...E", a_floor(MAX_SIDE))
    pays = Setting("-1, 0", numbers(2))
    gamma = Setting("1", a_number(0, 1))
    initial = Setting("0", several(a_number(-1e6, 1e6), 1, MAX_SIDE**2))
    step = Setting("sweep", among("sweep", "half", "backup"))
    look = Setting(".........", a_board)
    at = Setting("0", a_mark(MAX_SWEEPS))

    def values(self):
        """Return V (n,), the values after the sweeps of `at`.

        Raises ValueError if the settings contradict each other.
        """
        game, gamma, pi = tables(), float(self.gamma), None
        if self.problem == "floor":
            problem = mdp.gridworld(self.floor, *map(float, self.pays.split(",")))
            if self.method == "evaluation":
                pi = planning.uniform(problem)
        else:
            side, rewards = int(self.side), tuple(map(float, self.rewards.split(",")))
            opponent = policy(game, self.opponent, -side)
            problem = mdp.from_opponent(game, opponent, side, rewards)
            if self.method == "evaluation":
                pi = mdp.from_cells(problem, policy(game, self.policy, side))
        n = len(problem.position)
        states = np.arange(n, dtype=problem.successor.dtype)
        if self.order == "falling":
            states = states[::-1].copy()
        sweeps, *part = map(int, self.at.split(":"))
        V = self._first(problem.position)
        for swept in [states] * sweeps + [states[:k] for k in part]:
            new = V.copy() if self.order == "synchronous" else V
            if pi is None:
                planning.sweep_best(problem, swept, V, new, gamma)
            else:
                planning.sweep_policy(problem, pi, swept, V, new, gamma)
            V = new
        return V

    def _first(self, position):
        """Return V (n,), the first values of the states at these positions."""
        given = np.array(self.initial.split(","), dtype=float)
        if len(given) == 1:
            return np.full(len(position), given[0])
        if self.problem == "game":
            return np.zeros(len(position))
        squares = len(self.floor.replace("|", ""))
        require(
            len(given) == squares,
            f"initial has {len(given)} values: give one, or {squares}, one a square",
        )
        return given[position]
