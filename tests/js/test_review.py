"""What is said after a game on a board and on the front page, and its exact values."""

import itertools
import re

import numpy as np
import pytest

from ttt_lib import agents, evaluation, policy, search
from ttt_lib.game import positions, symmetry_class, tables
from ttt_lib.studies import load

GAME = tables()
STUDY = load("skyline")
STAGES = [STUDY.MARKS.index(games) for games in (0, 30, 300, 3_000, 30_000)]
NUMBERS = ["first", "second", "third", "fourth", "fifth"]
WHOLE = {1: "the win", 0: "the draw"}

REPLIES = """async ({ shared, cells }) => {
  const game = await ttt.agents.shared(shared);
  const { bestReply, exactValues, valuesOf } = ttt.review;
  const { classes, replies } = ttt.symmetry;
  const policies = cells.map((text) => replies(game, text));
  return {
    policies: policies.map((policy) => [...policy]),
    values: policies.map((policy) => [...valuesOf(bestReply(game, policy, 1))]),
    classes: classes(game),
    exact: [...exactValues(game)],
  };
}"""
# Best replies to agents, on both sides: win, draw and loss of the first player.
TABLES = """async ({ shared, agents, names }) => {
  const game = await ttt.agents.shared(shared);
  return Promise.all(names.map(async (name) => {
    const { policy } = name === "nothing"
      ? { policy: new Float64Array(game.action.length) }
      : await ttt.agents.unpackAgent(agents[name], game);
    return [1, -1].map((side) => [...ttt.review.bestReply(game, policy, side)]);
  }));
}"""
# Games on a board without a view: what it says at the end, and when asked why.
PLAYED = """async ({ shared, agents, games }) => {
  ttt.agents.registry.packed = shared;
  return Promise.all(games.map(async ([x, o, moves]) => {
    const play = new ttt.play.Play({
      get: (name) => ({ _setup: { x, o } })[name],
      set() {}, save_changes() {}, fetch: (key) => agents[key],
    });
    let said = "";
    await play.load();
    await play.sit(play.pending);
    play.view = { draw() {}, wait() {}, say: (text) => { said = text; } };
    for (const cell of moves) play.move(cell, {});
    return [said, ttt.messages.why(play)];
  }));
}"""


@pytest.fixture(scope="module")
def page(run, shared):
    """What the page computes of all stages of the front page's game."""
    rows = STUDY.results[0, 0, STAGES, 765:-2].tolist()
    cells = ["".join(map(str, row)) for row in rows]
    return run(REPLIES, {"shared": shared["shared"], "cells": cells})


def test_classes_and_exact_values_match_library(page):
    assert page["classes"] == np.unique(symmetry_class(GAME)).tolist()
    assert page["exact"] == exact_values().astype(int).tolist()


def exact_values():
    """Return the exact values (S,) for the first player."""
    best = policy.max_q(search.solve(GAME).Q, GAME.legal)
    return np.where(GAME.terminal, GAME.outcome, GAME.to_move * best)


def values_against(opponent, side):
    """Return the values (S,) of the best response of a side, for the first player."""
    V = evaluation.best_response(GAME, opponent, side).V
    return np.where(GAME.terminal, GAME.outcome, side * V)


def test_best_reply_to_each_stage_wins_except_to_the_last(page):
    for cells, values, worst in zip(
        page["policies"], page["values"], (-1, -1, -1, -1, 0), strict=True
    ):
        stage = np.zeros(GAME.legal.shape)
        stage[GAME.legal] = cells
        assert np.array_equal(stage.sum(axis=1), (GAME.to_move == -1) & ~GAME.terminal)
        assert evaluation.worst_case(GAME, stage, side=-1)[0] == worst
        assert values[0] == -worst
        assert np.allclose(values, values_against(stage, 1), rtol=0, atol=1e-12)


def test_best_reply_to_agents_matches_library(run, shared):
    names = ["nothing", "q-learning", "menace", "sarsa-teacher-0.9", "snapshot-10000"]
    found = run(TABLES, shared | {"names": names})
    for name, sides in zip(names, found, strict=True):
        for side, table in zip((1, -1), sides, strict=True):
            win, draw, loss = np.reshape(table, (-1, 3)).T
            assert np.allclose(win + draw + loss, 1, rtol=0, atol=1e-12)
            # Where a policy has no probabilities, its player moves at random.
            same = "random" if name == "nothing" else name
            opponent = agents.as_agent(GAME, same).policy
            right = values_against(opponent, side)
            assert np.allclose(win - loss, right, rtol=0, atol=1e-12)


GAMES = [  # X, O, moves; a loss, a draw, and a best reply
    ("person", "q-learning", [4, 0, 8, 1, 5, 2]),
    ("perfect", "person", [0, 1, 4, 8, 6, 2, 3]),
    ("person", "random", [0, 1, 4, 2, 8]),
    ("person", "teacher 0.9", [4, 0, 1, 7, 5, 3, 2, 6]),
    ("random", "person", [1, 0, 4, 7, 3, 5, 6, 2, 8]),
    ("person", "person", [0, 4, 1, 2, 6, 3, 5, 8, 7]),
    ("person", "person", [0, 1, 4, 8, 3, 6, 5]),
    ("random", "random", [0, 1, 4, 2, 8]),
]


def losses(values, path, side):
    """Return (number, cell, before, after, kept) of each loss of a side in a game."""
    number = 0
    for s, after in itertools.pairwise(path):
        if GAME.to_move[s] != side:
            continue
        number += 1
        legal = np.flatnonzero(GAME.legal[s])
        each = side * values[GAME.next[s, legal]]
        if side * values[after] < side * values[s] - 1e-9:
            cell = legal[GAME.next[s, legal] == after][0]
            kept = legal[each >= side * values[s] - 1e-9].tolist()
            yield number, cell, side * values[s], side * values[after], kept


def test_review_names_the_first_loss_and_why_names_all(run, shared):
    told = run(PLAYED, shared | {"games": GAMES})
    kinds = set()
    for (x, o, moves), (said, why) in zip(GAMES, told, strict=True):
        path = positions(GAME, moves)
        names = {+1: x, -1: o}
        persons = [side for side, name in names.items() if name == "person"]
        if len(persons) == 1:
            side = persons[0]
            opponent = agents.as_agent(GAME, names[-side]).policy
            found = list(losses(values_against(opponent, side), path, side))
        else:
            both = [[*losses(exact_values(), path, side)] for side in persons]
            found = min(both, key=lambda all: all[0][0] if all else 9, default=[])
        kinds.add((len(persons), bool(found)))
        if not found:
            assert said == "" or "nothing away" in said or "Neither" in said
            assert "gave away" not in why
            continue
        number, cell, before, after, kept = found[0]
        whole = before == round(before) and after == round(after)
        points = round(before, 2) - round(after, 2)
        cost = WHOLE[round(before)] if whole else f"{points:.2f} points a game"
        assert f"{NUMBERS[number - 1]} move, cell {cell}, gave away {cost}" in said
        cells = re.search(r"cells? ([\d, and]+) kept", said)[1]
        assert [int(c) for c in re.findall(r"\d", cells)] == kept
        for number, cell, *_ in found:
            assert f"{NUMBERS[number - 1]} move, cell {cell}, gave away" in why
    assert kinds == {(1, True), (1, False), (2, True), (2, False), (0, False)}
