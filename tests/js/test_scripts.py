"""Scripts of a board that need no DOM match the library."""

import json

import numpy as np
import pytest

from ttt_lib import board, evaluation, policy, search
from ttt_lib.agents import io
from ttt_lib.board import state
from ttt_lib.game import tables

GAME = tables()
TO_MOVE = np.repeat(GAME.to_move, GAME.count)[:, np.newaxis]  # of each legal move
AFTER = GAME.next[GAME.legal]
# A board of two agents, without a view.
SEATED = """
  const { registry } = ttt.agents;
  registry.packed = shared;
  const seated = async (x, o = x) => {
    const play = new ttt.play.Play({
      get: (name) => ({ _setup: { x, o } })[name],
      set() {}, save_changes() {}, fetch: (key) => agents[key],
    });
    const trouble = await play.load();
    if (trouble) throw Error(trouble);
    await play.start();
    return play;
  };
"""


def written(values, form="{:.3f}"):
    """Return numbers as the board writes them: with a minus, and no sign before 0."""
    plain = {"-0.000": "0.000", "+0": "0", "-0": "0"}
    texts = (form.format(x) for x in np.ravel(values))
    return [plain.get(text, text).replace("-", "−") for text in texts]


def chances(player):
    """Return win, draw and loss for the side to move, after each legal move; (N, 3)."""
    random = policy.uniform(GAME.legal)
    as_first = evaluation.win_draw_loss(GAME, player, random)[AFTER]
    as_second = evaluation.win_draw_loss(GAME, random, player)[AFTER, ::-1]
    return np.where(TO_MOVE == 1, as_first, as_second)


def policy_and_values(name):
    """Return policy and Q of an agent in the library."""
    if name in io.builtin_names():
        agent = io.read_builtin(name)
        return agent.policy, agent.Q
    kind, *level = name.removesuffix(" lowest").split()
    ties = "lowest" if name.endswith(" lowest") else "uniform"
    if kind == "random":
        return policy.uniform(GAME.legal), None
    return search.teacher(GAME, float(*level or [1]), ties), search.solve(GAME).Q


@pytest.mark.slow
@pytest.mark.parametrize("name", ["q-learning", "teacher 0.9 lowest"])
def test_overlay_numbers_of_all_positions_match_library(name, run, shared):
    shown = run(
        f"""async ({{ shared, agents, name }}) => {{
          {SEATED}
          const {{ OVERLAYS, numbers, written }} = ttt.overlays;
          const play = await seated(name), shown = {{}};
          for (const overlay in OVERLAYS) {{
            const texts = shown[overlay] = [];
            for (let s = 0; s < play.game.size; s++) {{
              const {{ cells, exact }} = numbers(play, s, overlay);
              cells.forEach((value, a) => {{
                if (value === null) return;
                if (ttt.game.pair(play.game, s, a) < 0) throw Error(`${{s}} ${{a}}`);
                for (const [, text] of written(value, exact)) texts.push(text);
              }});
            }}
            shown[overlay] = texts.join(" ");
          }}
          return shown;
        }}""",
        shared | {"name": name},
    )
    played, Q = policy_and_values(name)
    right = {
        "none": [],
        "value": written(search.solve(GAME).Q[GAME.legal], "{:+.0f}"),
        "best": written(chances(io.read_builtin("best-against-random").policy)),
        "random": written(chances(policy.uniform(GAME.legal))),
        "agent": written(Q[GAME.legal]),
        "policy": written(played[GAME.legal]),
    }
    assert [*right] == [*shown] == [*board.OVERLAYS]
    assert sum(map(len, right.values())) == 145_503
    for overlay, texts in right.items():
        assert shown[overlay].split() == texts, overlay


def test_fixed_rounds_three_decimals_like_python(run):
    # Of all numbers a computer holds, only odd multiples of 1/16 are ties here.
    numbers = [*(np.arange(-40, 41) / 16).tolist(), -0.0004, 0.0005, 12.3456, 1e-9]
    shown = run("async (numbers) => numbers.map(ttt.format.fixed)", numbers)
    assert shown == written(numbers)
    assert {"0.062", "0.188", "−0.312"} <= {*shown}


@pytest.mark.slow
def test_policies_of_all_players_are_bit_identical_to_library(run, shared):
    names = ["random", "perfect", "perfect lowest", "best-against-random"]
    names += ["teacher 0.9", "teacher 0.9 lowest", "teacher 0.37", "teacher 0 lowest"]
    names += shared["agents"]
    policies = run(
        f"""async ({{ shared, agents, names }}) => {{
          {SEATED}
          const policies = [];
          for (const name of names) {{
            const play = await seated(name);
            if (play.nameOf("X") !== name) throw Error(play.nameOf("X"));
            policies.push(JSON.stringify([...play.policy("X")]));
          }}
          return policies;
        }}""",
        shared | {"names": names},
    )
    for name, text in zip(names, policies, strict=True):
        assert json.loads(text) == policy_and_values(name)[0][GAME.legal].tolist(), name


@pytest.mark.slow
def test_find_accepts_the_same_boards_as_python(run, shared):
    # Any marks anywhere: a share of them is a board of either side, or of one alone.
    signs = np.random.default_rng(4).choice([*".XO"], (3000, 9), p=[0.3, 0.35, 0.35])
    texts = ["".join(row) for row in signs.tolist()] + ["XXXOO.O..", "OOOXX.X.."]

    def python(text):
        try:
            begun = state.new_game(text)
        except ValueError:
            return None
        return [GAME.find(text, begun["first"]), begun["first"]]

    code = """async ({ shared, texts }) => {
      const game = await ttt.game.tables(shared);
      const found = (text) => Object.values(ttt.game.find(game, text, "X"));
      const tried = (text) => { try { return found(text); } catch { return null; } };
      return texts.map(tried);
    }"""
    found = run(code, {"shared": shared["shared"], "texts": texts})
    assert found == [python(text) for text in texts]
    assert {None, "X", "O"} == {answer and answer[1] for answer in found}


@pytest.mark.slow
def test_string_and_find_round_trip_all_positions(run, shared):
    code = """async ({ shared, first }) => {
      const { tables, find, signs, string } = ttt.game;
      const game = await tables(shared), texts = [];
      for (let s = 0; s < game.size; s++) {
        const text = string(game, signs(game, s, first));
        if (find(game, text, first).s !== s) throw Error(`${s}: ${text}`);
        texts.push(text.replaceAll("/", ""));
      }
      return texts.join(" ");
    }"""
    for first in "XO":
        texts = run(code, {"shared": shared["shared"], "first": first})
        right = [GAME.string(s, first) for s in range(len(GAME.code))]
        assert texts.split() == right
