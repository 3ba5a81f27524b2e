"""Fingerprints of results of the library: one line for each function, on any platform.

`python fingerprints.py FOLDER` imports the library from FOLDER. It needs only
NumPy and SciPy, so it runs on platforms without Numba.
"""

import hashlib
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])

from ttt_lib import agents, evaluation, learning, mdp, menace, planning, rules, search
from ttt_lib import game as games
from ttt_lib.approximation import features
from ttt_lib.check import stored
from ttt_lib.large_boards import exact, growth, uct
from ttt_lib.policy import uniform


def rng(seed):
    return np.random.default_rng(seed)


def parts(value):
    """Yield the contents of a value as bytes, with types and shapes."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, dict):
        yield from parts([*value.items()])
    elif isinstance(value, tuple | list):
        for each in value:
            yield from parts(each)
    elif isinstance(value, np.random.Generator):
        yield repr(value.bit_generator.state).encode()
    else:
        yield repr(value.item() if isinstance(value, np.generic) else value).encode()


def show(name, value):
    """Print the fingerprint of a value."""
    digest = hashlib.sha256(b"\n".join(parts(value))).hexdigest()
    print(name, digest[:16], flush=True)


game = games.tables()
random = uniform(game.legal)
print("integer", np.array([1]).dtype.itemsize * 8)

for size in ((3, 3, 3), (2, 4, 3)):
    board = games.tables(*size)
    show(f"tables {size}", board)
    show(f"images {size}", [games.images(board), games.symmetry_class(board)])
show("lines", rules.lines(4, 5, 4))
show("codes of 30 cells", games.codes(np.ones((2, 30), np.int8)))
show("find", [game.find("XX.OO...."), games.positions(game, [4, 0, 8])])

order = search.most_lines_first(game)
show("minimax", [search.minimax(game, 361), search.minimax_on_tables(game, 361)])
show("alpha-beta", [search.alpha_beta(game, 361, order), order])
show("solve", search.solve(game, 0.9))
show("perfect", search.perfect(game))

for side in (+1, -1):
    problem = mdp.from_opponent(game, random, side)
    show(f"mdp {side}", problem)
    show(f"states {side}", mdp.state_of(problem))
    for method in (
        planning.value_iteration,
        planning.policy_iteration,
        planning.modified_policy_iteration,
        planning.prioritized_sweeping,
        planning.backward_induction,
        planning.linear_programming,
    ):
        solved = method(problem, 0.9)  # values may differ by rounding
        show(f"{method.__name__} {side}", [solved.policy > 0, solved.V.round(9) + 0.0])
show("gridworld", mdp.gridworld("E..|.#.|..E"))

show("matches", evaluation.win_draw_loss(game, random, random))
show("best response", evaluation.best_response(game, random))
show("exploitability", evaluation.exploitability(game, random))

for name, method in learning.METHODS.items():
    learner = learning.new_learner(game, name, rng(3))
    opponent, side = (None, 0) if method.self_play else (random, 1)
    behaviour = random if method.is_prediction else None
    show(name, learning.train(game, learner, 100, opponent, side, behaviour))
boxes = menace.train(game, menace.new_matchboxes(game, rng(2)), 100, random)
show("menace", [boxes, menace.win_draw_loss(game, boxes, random)])

values = exact.solve(3, 3, 3)
show("exact", [values, exact.layers(values), exact.values_after(values, "X........")])
show("growth", [growth.count(3, 3, 3), growth.estimate(4, 5, 4, 50, rng(1))])
wide = rules.lines(5, 6, 4)
show("uct", uct.search(np.zeros(30, np.int8), 50, rng(1), lines=wide))
show("features", features.self_play(np.zeros(9), 50, 0.01, 0.1, rng(1)))

for name in agents.builtin_names():
    agent = agents.load(name)
    show(f"agent {name}", [agent.policy, agent.Q])
    if agent.learner is not None:
        show(f"learner {name}", agent.learner)
show("answers", {name: [*question] for name, question in stored.read().items()})
