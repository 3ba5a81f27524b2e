"""What the texts of `calls` can name: modules, games, policies, learners, and forms."""

from importlib import import_module
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from ttt_lib import agents, game, learning, mdp, menace, policy, search
from ttt_lib.schedules import Schedule

MODULES = {
    name.rpartition(".")[2]: import_module(f"ttt_lib.{name}")
    for name in (
        "rules", "doors.notation", "game", "policy", "schedules", "mdp", "planning",
        "search", "evaluation", "learning", "menace", "runs", "plots", "studies",
        "studies.parts",
        "agents", "agents.learners", "agents.names", "agents.players",
        "agents.recipes", "agents.storage", "board", "check",
    )
}  # fmt: skip


def rng(seed=0):
    return np.random.default_rng(seed)


def ax():
    return Figure().add_subplot()


def halves(legal, seed):
    """Return a policy of halves, quarters, …: the same numbers in every form."""
    table, chance = np.zeros(legal.shape), rng(seed)
    for row, free in zip(table, legal, strict=True):
        cells = chance.permutation(np.flatnonzero(free))
        row[cells] = 0.5 ** np.arange(1, len(cells) + 1)
        row[cells[-1:]] *= 2
    return table


def eighths(shape, seed):
    return rng(seed).integers(-8, 9, shape) / 8


class Mine(agents.OwnLearner):
    """A learner that a reader has written."""

    def learn(self, game, steps):
        for step in steps:
            self.Q[step.s, step.a] += 0.1 * (step.r - self.Q[step.s, step.a])


def made():
    """Return what gives {name: thing}, arrays new each time; it saves mine.json."""
    w, g = game.tables(2, 3, 3), game.tables()
    p, other = halves(w.legal, 1), halves(w.legal, 2)
    Q = eighths(w.legal.shape, 3) * w.legal
    m = mdp.against(w, p, 1)
    mp, mq = mdp.from_cells(m, other), eighths(len(m.action), 4)
    n = len(m.position)
    made = {
        name: learning.new_learner(w, method, rng())
        for name, method in {
            "L": "q_learning", "LV": "td_afterstates", "LJ": "td_prediction",
            "LD": "double_q_learning",
        }.items()
    }  # fmt: skip
    made["L"] = learning.train(w, made["L"], 20, other, 1)
    whole = [0]
    while not w.terminal[game.positions(w, whole)[-1]]:
        whole.append(int(w.action[game.positions(w, whole)[-1], 0]))

    arrays = {
        "p": p, "other": other, "Q": Q, "V": Q.max(axis=1), "mp": mp, "mq": mq,
        "mV": eighths(n, 5), "legal": w.legal.copy(), "cells": w.board[9].copy(),
        "cells9": g.board[9].copy(), "illegal": halves(np.ones(w.legal.shape, bool), 6),
        "to_move": w.to_move.copy(), "lines": w.lines.copy(), "first": m.first,
        "action": w.action[:, 0] * 1, "among": w.legal.copy(), "some": ~w.terminal,
        "P": np.repeat(np.eye(4), 2, axis=0).reshape(4, 2, 4) / 2,
        "R": np.eye(4)[:, :2],
        "start": np.full(4, 0.25), "order": np.arange(6)[::-1].copy(),
        "values": np.arange(6) / 8, "u9": policy.uniform(g.legal),
        "Q9": search.solve(g).Q, "counts": np.array([3, 0, 2]),
    }  # fmt: skip
    fixed = MODULES | made | {
        "np": np, "nan": np.nan, "inf": np.inf, "w": w, "g": g, "m": m, "whole": whole,
        "m9": mdp.against(g, arrays["u9"], 1), "rng": rng, "ax": ax, "Mine": Mine,
        "S": len(w.code), "n": n, "N": len(m.action), "Schedule": Schedule,
        "L9": learning.new_learner(g, "q_learning", rng()),
        "B": menace.new_matchboxes(w, rng()), "B9": menace.new_matchboxes(g, rng()),
        "agent": agents.to_agent(w, made["L"], "mine", "By hand."),
        "agent9": agents.load("perfect"),
        "player": agents.as_agent(w, made["L"]), "name": agents.parse("teacher 0.5"),
        "own": Mine(w, rng()), "path": Path,
    }  # fmt: skip
    agents.save(agents.to_agent(g, fixed["L9"], "mine", "By hand."), "mine.json")

    def fresh():
        return fixed | FORMS | {name: x.copy() for name, x in arrays.items()}

    return fresh


def _spread(array):
    """Return an array of the same numbers, with others between them in memory."""
    array = np.asarray(array)
    wide = np.zeros([2 * size for size in array.shape], array.dtype)
    part = wide[(slice(None, None, 2),) * array.ndim]
    part[...] = array
    return part


def _frozen(array):
    array.setflags(write=False)
    return array


def put(array, place, value):
    """Return an array of float with one number replaced, counted along its rows."""
    array = np.array(array, dtype=float)
    array.flat[place] = value
    return array


FORMS = {  # the same numbers, held in another way
    "single": lambda array: array.astype(np.float32),
    "long": lambda array: array.astype(np.longdouble),
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "fortran": lambda array: np.asfortranarray(array),
    "spread": _spread,
    "backwards": lambda array: array[::-1].copy()[::-1],
    "frozen": _frozen,
    "listed": lambda array: array.tolist(),
    "objects": lambda array: array.astype(object),
    "put": put,
    "masked": lambda array: np.ma.array(array, mask=array == array),
}
