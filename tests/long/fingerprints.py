"""What the library computes, as fingerprints: one line a function, the same anywhere.

`python fingerprints.py FOLDER` imports the library from FOLDER. It needs NumPy and
SciPy alone, so it runs on platforms that have no Numba.
"""

import hashlib
import sys

import numpy as np

from ttt_lib import agents, evaluation, learning, mdp, menace, planning, rules, search
from ttt_lib import game as games
from ttt_lib.approximation import features
from ttt_lib.check import stored
from ttt_lib.large_boards import exact, growth, uct
from ttt_lib.policy import uniform

sys.path.insert(0, sys.argv[1])


def rng(seed):
    return np.random.default_rng(seed)


def parts(value):
    """Yield all that a value holds as bytes, types and shapes included."""
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


def say(name, value):
    digest = hashlib.sha256(b"\n".join(parts(value))).hexdigest()
    print(name, digest[:16], flush=True)


game = games.tables()
random = uniform(game.legal)
print("integer", np.array([1]).dtype.itemsize * 8)

for size in ((3, 3, 3), (2, 4, 3)):
    board = games.tables(*size)
    say(f"tables {size}", board)
    say(f"images {size}", [games.images(board), games.symmetry_class(board)])
say("lines", rules.lines(4, 5, 4))
say("codes of 30 cells", games.codes(np.ones((2, 30), np.int8)))
say("find", [game.find("XX.OO...."), games.positions(game, [4, 0, 8])])

order = search.most_lines_first(game)
say("minimax", [search.minimax(game, 361), search.minimax_on_tables(game, 361)])
say("alpha-beta", [search.alpha_beta(game, 361, order), order])
say("solve", search.solve(game, 0.9))
say("perfect", search.perfect(game))

for side in (+1, -1):
    problem = mdp.from_opponent(game, random, side)
    say(f"mdp {side}", problem)
    say(f"states {side}", mdp.state_of(problem))
    for method in (
        planning.value_iteration,
        planning.policy_iteration,
        planning.modified_policy_iteration,
        planning.prioritized_sweeping,
        planning.backward_induction,
        planning.linear_programming,
    ):
        found = method(problem, 0.9)  # the policy: values may differ by rounding
        say(f"{method.__name__} {side}", [found.policy > 0, found.V.round(9) + 0.0])
say("gridworld", mdp.gridworld("E..|.#.|..E"))

say("matches", evaluation.win_draw_loss(game, random, random))
say("best response", evaluation.best_response(game, random))
say("exploitability", evaluation.exploitability(game, random))

for name, method in learning.METHODS.items():
    learner = learning.new_learner(game, name, rng(3))
    opponent, side = (None, 0) if method.self_play else (random, 1)
    behaviour = random if method.is_prediction else None
    say(name, learning.train(game, learner, 100, opponent, side, behaviour))
boxes = menace.train(game, menace.new_matchboxes(game, rng(2)), 100, random)
say("menace", [boxes, menace.win_draw_loss(game, boxes, random)])

values = exact.solve(3, 3, 3)
say("exact", [values, exact.layers(values), exact.values_after(values, "X........")])
say("growth", [growth.count(3, 3, 3), growth.estimate(4, 5, 4, 50, rng(1))])
wide = rules.lines(5, 6, 4)
say("uct", uct.search(np.zeros(30, np.int8), 50, rng(1), lines=wide))
say("features", features.self_play(np.zeros(9), 50, 0.01, 0.1, rng(1)))

for name in agents.builtin_names():
    agent = agents.load(name)
    say(f"agent {name}", [agent.policy, agent.Q, agent.V, agent.tables])
    if agent.learner is not None:
        say(f"learner {name}", agent.learner)
say("answers", {name: [*question] for name, question in stored.read().items()})
