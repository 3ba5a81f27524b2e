"""The same work in plain C, which is the limit, and in other libraries.

Every function here prepares its work and returns the function to be timed, which
returns results by name. It returns None if a compiler or a library is missing.
"""

import ctypes
import random
import shutil
import subprocess
import tempfile
from functools import cache, partial, wraps
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from ttt_lib import rules
from ttt_lib.large_boards import exact, uct
from ttt_lib.mdp import state_of, transition_matrix
from ttt_lib.policy import LEARNED_ATOL


def optional(prepare):
    """Make `prepare` return None if a compiler or a library is missing."""

    @wraps(prepare)
    def prepare_if_possible(*arguments):
        try:
            return prepare(*arguments)
        except ImportError:
            return None

    return prepare_if_possible


# Plain C


def compiler_path():
    """Return the path of a C compiler, None if there is none."""
    return shutil.which("gcc") or shutil.which("cc")


def compiler():
    """Return the name and the version of the C compiler, None if there is none."""
    if compiler_path() is None:
        return None
    command = [compiler_path(), "--version"]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode().partition("\n")[0]


@cache
def limit():
    """Return limit.c, compiled now, as a library."""
    if compiler_path() is None:
        raise ImportError("There is no C compiler: install gcc.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, library = Path(__file__).with_name("limit.c"), Path(folder, "limit.so")
        options = ["-O3", "-ffp-contract=off", "-shared", "-fPIC", "-o", library]
        subprocess.run([compiler_path(), *options, source], check=True)
        return ctypes.CDLL(library)


def c_call(name, *arguments):
    """Return a call of a function of limit.c, with converted arguments."""
    convert = {
        np.ndarray: lambda array: array.ctypes.data_as(ctypes.c_void_p),
        float: ctypes.c_double,
        int: ctypes.c_int32,
    }
    ready = [convert.get(type(a), ctypes.byref)(a) for a in arguments]
    return partial(getattr(limit(), name), *ready)


def int32(*arrays):
    """Return the arrays as limit.c takes them."""
    return [np.ascontiguousarray(a, dtype=np.int32) for a in arrays]


class ModelInC(ctypes.Structure):
    """An MDP as limit.c takes it; it keeps its arrays alive."""

    _fields_ = (
        ("n", ctypes.c_int32),
        ("first", ctypes.c_void_p),
        ("indptr", ctypes.c_void_p),
        ("successor", ctypes.c_void_p),
        ("probability", ctypes.c_void_p),
        ("reward", ctypes.c_void_p),
    )

    def __init__(self, mdp):
        indices = int32(mdp.first, mdp.indptr, mdp.successor)
        self.arrays = *indices, mdp.probability, mdp.reward
        super().__init__(len(mdp.position), *(a.ctypes.data for a in self.arrays))


class GeneratorInC(ctypes.Structure):
    """A copy of a NumPy generator, which draws the same numbers."""

    _fields_ = (
        ("high", ctypes.c_uint64),
        ("low", ctypes.c_uint64),
        ("increment_high", ctypes.c_uint64),
        ("increment_low", ctypes.c_uint64),
    )

    def __init__(self, rng):
        state = rng.bit_generator.state["state"]
        numbers = *divmod(state["state"], 2**64), *divmod(state["inc"], 2**64)
        super().__init__(*numbers)


@optional
def limit_win_draw_loss(game, first, second):
    """Sweep back once."""
    tables = int32(game.to_move, game.outcome, game.count, game.action, game.successor)
    table = np.empty((len(game.code), 3))
    sweep = c_call("win_draw_loss", *game.legal.shape, first, second, *tables, table)

    def evaluate():
        sweep()
        return {"table": table}

    return evaluate


@optional
def limit_optimal_values(mdps, gamma):
    """Sweep back once through each MDP."""
    V = [np.empty(len(mdp.position)) for mdp in mdps]
    models = [ModelInC(mdp) for mdp in mdps]
    sweeps = [
        c_call("optimal_values", m, gamma, v) for m, v in zip(models, V, strict=True)
    ]

    def solve():
        for sweep in sweeps:
            sweep()
        return {"V": V}

    return solve


@optional
def limit_value_iteration(mdps, gamma, theta):
    """Sweep through each MDP until nothing changes, and find the greedy policy."""
    V = [np.empty(len(mdp.position)) for mdp in mdps]
    policies = [np.empty(len(mdp.action)) for mdp in mdps]
    solvers = [
        c_call(
            "value_iteration", ModelInC(mdp), gamma, theta, LEARNED_ATOL, v, v.copy(), p
        )
        for mdp, v, p in zip(mdps, V, policies, strict=True)
    ]
    return lambda: {
        "rounds": [solver() for solver in solvers],
        "V": V,
        "policy": policies,
    }


def search_in_c(name, *arguments):
    """Return a function that searches and returns the value and the nodes."""
    nodes = np.zeros(1, dtype=np.int32)
    call = c_call(name, *arguments, nodes)

    def search():
        nodes[0] = 0
        return {"value": call(), "nodes": int(nodes[0])}

    return search


@optional
def limit_solve(rows, columns, k):
    """Count down the codes of a board once."""
    cells = rows * columns
    low, high = exact.halves(cells)
    last = exact.closing(rules.lines(rows, columns, k), cells)
    tables = int32(3 ** np.arange(cells), last, *low, *high)
    value = np.empty(3**cells, dtype=np.int8)
    sizes = cells, len(low.more), len(high.more)
    sweep = c_call("solve_codes", *sizes, *tables, value)

    def solve():
        sweep()
        return {"value": value}

    return solve


@optional
def limit_evaluate(classes, w):
    """Sweep back once through the symmetry classes of a board."""
    n, cells = classes.next.shape
    tables = int32(classes.positions, classes.to_move, classes.value, classes.next)
    worth, V, right, counts = np.empty(n), np.empty((n, 2)), np.empty(2), np.empty(2)
    arguments = n, cells, len(w), *tables, classes.x, w, LEARNED_ATOL
    sweep = c_call("evaluate_weights", *arguments, worth, V, right, counts)

    def evaluate():
        sweep()
        return {"worst case": [V[0, 0], -V[0, 1]], "right": right / counts}

    return evaluate


@optional
def limit_uct(board, playouts, rng):
    """Search from the empty board, with copies of the generator."""
    cells, rows = len(board), playouts + 1
    through = uct.lines_through(rules.LINES, cells)
    tables = [np.empty((rows, cells), dtype=np.int32) for _ in range(3)]

    def think():
        generator = GeneratorInC(rng)
        settings = *through.shape, through, playouts, uct.C, rows
        c_call("uct", *settings, generator, *tables)()
        return {"visits": tables[1][0]}

    return think


@optional
def limit_minimax_on_tables(game):
    """Walk through the full tree on the tables."""
    tables = int32(game.count, game.successor, game.outcome)
    return search_in_c("minimax_on_tables", game.legal.shape[1], *tables, 0, 1)


@optional
def limit_minimax(game):
    """Walk through the full tree on a board."""
    lines, board = int32(game.lines, game.board[0])
    return search_in_c("minimax", len(board), *lines.shape, lines, board, 1)


@optional
def limit_alpha_beta(game, order):
    """Walk through the tree with alpha-beta pruning, on a board."""
    lines, order, board = int32(game.lines, order, game.board[0])
    arguments = len(board), *lines.shape, lines, order, board, 1, -2, 2
    return search_in_c("alpha_beta", *arguments)


@optional
def limit_games(game, policy, games, rng):
    """Play games with the random numbers of NumPy's generator."""
    tables = int32(game.count, game.action, game.successor, game.outcome)
    (counts,) = int32(np.zeros(3))
    cells, rng = game.legal.shape[1], GeneratorInC(rng)
    call = c_call("play_games", cells, policy, *tables, games, rng, counts)

    def play():
        call()
        return {"counts": counts, "shares": counts / games}

    return play


@optional
def limit_learning(game, name, learner, games):
    """Learn in self-play by "q_learning" or "td", with the learner's random numbers."""
    table = learner.V if learner.Q is None else learner.Q
    table, updates, visits = (
        np.empty_like(x) for x in (table, learner.updates, learner.visits)
    )
    tables = int32(game.to_move, game.outcome, game.count, game.action, game.successor)
    settings = (
        learner.alpha.start,
        learner.epsilon.start,
        learner.gamma,
        LEARNED_ATOL,
        games,
    )

    def play():
        rng = GeneratorInC(learner.rng)
        arguments = *tables, *settings, rng, table, updates, visits
        c_call(name, *game.legal.shape, *arguments)()
        return {"table": table, "updates": updates, "visits": visits}

    return play


# QuantEcon


@optional
def quantecon(mdps, gamma, theta, method):
    """Solve each MDP by "value_iteration" or "policy_iteration", beginning with V = 0.

    QuantEcon stops when no value changes by ε(1 − γ)/2γ: this is made `theta`.
    """
    from quantecon.markov import DiscreteDP

    def problem(mdp):
        # Its chains never end: the end is one more state, which follows itself.
        n, N = len(mdp.position), len(mdp.action)
        p = transition_matrix(mdp).tocoo()
        ends = 1 - np.bincount(p.row, p.data, minlength=N)
        row = np.concatenate([p.row, np.arange(N), [N]])
        column = np.concatenate([p.col, np.full(N + 1, n)])
        p = csr_array((np.concatenate([p.data, ends, [1]]), (row, column)))
        p.eliminate_zeros()
        state, action = np.append(state_of(mdp), n), np.append(mdp.action, 0)
        return DiscreteDP(np.append(mdp.reward, 0), p, gamma, state, action)

    problems = [problem(mdp) for mdp in mdps]
    epsilon = theta * 2 * gamma / (1 - gamma)

    def solve():
        solved = [p.solve(method, np.zeros(p.num_states), epsilon) for p in problems]
        return {"rounds": [x.num_iter for x in solved], "V": [x.v[:-1] for x in solved]}

    return solve


# OpenSpiel


@optional
def open_spiel_returns():
    """Compute the value of random against random play from the tree, in C++."""
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")
    policy, start = pyspiel.UniformRandomPolicy(game), game.new_initial_state()
    return lambda: {"value": pyspiel.expected_returns(start, policy, -1, False)[0]}


@optional
def open_spiel_minimax():
    """Search without pruning, by an algorithm that also allows chance nodes."""
    import pyspiel
    from open_spiel.python.algorithms.minimax import expectiminimax

    start = pyspiel.load_game("tic_tac_toe").new_initial_state()
    return lambda: {"value": expectiminimax(start, 9, None, 0)[0]}


@optional
def open_spiel_alpha_beta():
    """Search with alpha-beta, cells in rising order."""
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game = pyspiel.load_game("tic_tac_toe")
    return lambda: {"value": alpha_beta_search(game)[0]}


@optional
def open_spiel_with_memory():
    """Search its states with our own memory, because it has none."""
    import pyspiel

    start = pyspiel.load_game("tic_tac_toe").new_initial_state()

    def value(state, memory):
        key = str(state)
        if key not in memory:
            if state.is_terminal():
                memory[key] = state.player_return(0)
            else:
                choose = max if state.current_player() == 0 else min
                after = map(state.child, state.legal_actions())
                memory[key] = choose([value(s_next, memory) for s_next in after])
        return memory[key]

    def search():
        memory = {}
        return {"value": value(start, memory), "nodes": len(memory)}

    return search


@optional
def open_spiel_games(games):
    """Play at random as its documentation does, state by state in Python."""
    import pyspiel

    start = pyspiel.load_game("tic_tac_toe").new_initial_state()

    def outcome():
        state = start.clone()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
        return state.player_return(0)

    return lambda: shares([outcome() for _ in range(games)])


@optional
def open_spiel_bots(games):
    """Play with its random bots, in C++, one call for each game."""
    import pyspiel

    start = pyspiel.load_game("tic_tac_toe").new_initial_state()
    bots = [pyspiel.make_uniform_random_bot(player, 1 + player) for player in (0, 1)]

    def outcome():
        return pyspiel.evaluate_bots(start.clone(), bots, 0)[0]

    return lambda: shares([outcome() for _ in range(games)])


@optional
def open_spiel_q_learning(games, alpha, epsilon):
    """Train two of its tabular Q-learners against each other."""
    from open_spiel.python import rl_environment, rl_tools
    from open_spiel.python.algorithms.tabular_qlearner import QLearner

    def play():
        env, total = rl_environment.Environment("tic_tac_toe"), 0
        agents = [
            QLearner(player, 9, alpha, rl_tools.ConstantSchedule(epsilon))
            for player in (0, 1)
        ]
        for _ in range(games):
            step = env.reset()
            while not step.last():
                player = step.observations["current_player"]
                step = env.step([agents[player].step(step).action])
            for agent in agents:
                agent.step(step)
            total += step.rewards[0]
        return {"mean reward": total / games}

    return play


def shares(outcomes):
    """Return the shares of games that the first player won, drew and lost."""
    return {"shares": [outcomes.count(x) / len(outcomes) for x in (1, 0, -1)]}


# PettingZoo


@optional
def pettingzoo_games(games):
    """Play at random as its documentation does, with its mask of legal moves."""
    from pettingzoo.classic import tictactoe_v3

    env = tictactoe_v3.env()

    def outcome():
        env.reset()
        rewards = 0
        for agent in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                rewards = env.rewards["player_1"] if env.rewards else rewards
                break
            mask = observation["action_mask"]
            env.step(env.action_space(agent).sample(mask))
        return rewards

    return lambda: shares([outcome() for _ in range(games)])


# easyAI


@optional
def easyai_with_memory():
    """Search with its transposition table; it prunes too, so it visits fewer nodes."""
    from easyAI import Negamax, TranspositionTable
    from easyAI.games import TicTacToe

    class Remembered(TicTacToe):
        def ttentry(self):
            return tuple(self.board)

    def search():
        negamax = Negamax(9, win_score=100, tt=TranspositionTable())
        negamax(Remembered([None, None]))
        return {"value": negamax.alpha}

    return search
