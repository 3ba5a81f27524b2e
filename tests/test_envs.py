"""The Gymnasium and PettingZoo environments: their official checks, and whole games."""

import builtins
import importlib
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from learner_fixtures import play

from ttt_lib import envs, evaluation
from ttt_lib.game import tables
from ttt_lib.policy import uniform

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its checks import deprecated modules
    from pettingzoo.test import api_test, render_test, seed_test

game = tables()
ONE_SIDED = evaluation.best_response(game, uniform(game.legal), 1).policy
SETTINGS = [
    {},
    {"side": "second"},
    {"opponent": "perfect lowest", "rewards": (5, 1, -5)},
    {"rows": 3, "columns": 4},
    {"illegal_reward": -10},
]


def make(**settings):
    return gymnasium.make("TicTacToe-v0", **settings).unwrapped


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_gymnasium_check_env_passes_without_warnings(settings):
    check_env(make(**settings))  # warnings are errors in these tests
    check_env(make(**settings, render_mode="ansi"))


@pytest.mark.parametrize("side", ["first", "second"])
def test_games_match_tables_and_end_in_their_rewards(side):
    rng, default = np.random.default_rng(0), (1, 0, -1)
    for rewards in (default, (3, 1, -2)):
        settings = {} if rewards == default else {"rewards": rewards}
        play_some_games(make(side=side, **settings), side, rng, rewards)


def play_some_games(env, side, rng, rewards):
    """Assert that games agree with the tables, and that each ends with its reward."""
    agent, outcomes = (1, -1)[side == "second"], set()
    env.reset(seed=0)
    for _ in range(60):
        board, info = env.reset()
        over = False
        while not over:
            s = game.find(board.ravel() * agent)
            assert s == env.s
            assert (info["action_mask"] == game.legal[s]).all()
            assert game.to_move[s] == agent
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            board, reward, over, cut, info = env.step(action)
            assert not cut
            before = game.next[s, action]
            assert env.s == before or env.s in game.next[before]
        outcome = agent * game.outcome[env.s]
        assert reward == rewards[1 - outcome]
        outcomes.add(int(outcome))
    assert outcomes == {1, 0, -1}


def test_opponent_follows_its_policy():
    env, openings = make(side="second"), np.zeros(9)
    env.reset(seed=1)
    for _ in range(900):
        board, _ = env.reset()
        openings += board.ravel() == -1
    assert openings.sum() == 900
    assert openings.min() > 60  # 100 are expected, and 4 standard deviations are 38
    perfect = make(side="second", opponent="perfect lowest")
    assert perfect.reset()[0].ravel().tolist() == [-1, *[0] * 8]


@pytest.mark.parametrize("illegal", ["end", "refuse"])
def test_illegal_move_ends_the_game_or_is_refused(illegal):
    env = make(illegal=illegal, illegal_reward=-7, opponent="perfect lowest")
    with pytest.raises(ValueError, match=r"reset\(\)"):
        env.step(0)
    env.reset()
    board, _, over, _, info = env.step(4)
    if illegal == "end":
        after, reward, over, _, info = env.step(4)
        assert (reward, over) == (-7, True)
        assert (after == board).all()
        assert not info["action_mask"].any()
    else:
        with pytest.raises(ValueError, match="choose an empty cell of"):
            env.step(4)
        assert (envs.observation(game, env.s, 1) == board).all()
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    for action in (0, 4, None):
        with pytest.raises(ValueError, match="The game is over"):
            env.step(action)


def test_illegal_move_ends_the_game_of_two():
    two = envs.env()
    two.reset()
    two.step(4)
    two.step(4)
    for player in two.possible_agents:
        assert not two.observe(player)["action_mask"].any()
    with pytest.raises(ValueError, match="None"):
        two.step(8)
    assert two.unwrapped.s == game.next[0, 4]


def test_render_modes():
    env = make(render_mode="ansi")
    with pytest.raises(ValueError, match=r"reset\(\)"):
        env.render()
    env.reset(seed=0)
    env.step(0)
    assert sorted(env.render()) == sorted("X.......O\n\n")
    env = make(render_mode="rgb_array", columns=4)
    env.reset(seed=0)
    empty = env.render()
    env.step(0)
    assert (empty.shape, empty.dtype) == ((192, 256, 3), np.uint8)
    assert (env.render() != empty).any()


def test_step_accepts_any_integer_type_and_rejects_other_actions():
    invalid = None, True, "3", [3], 1.5, np.nan, np.array([1, 2]), np.ma.masked, -1, 9
    message = "^action = .*: give a cell, a "
    for action in (2, np.uint64(2), np.float32(2), np.array([2.0])):
        ends, refuses = (make(illegal=rule) for rule in ("end", "refuse"))
        for env in (ends, refuses, envs.env()):
            env.reset()
            for other in invalid:
                with pytest.raises(ValueError, match=message) as error:
                    env.step(other)
                assert "\n" not in str(error.value)
                assert env.unwrapped.s == 0
            env.step(action)
            assert game.board[env.unwrapped.s, 2] == 1


def warned(env):
    """Return the warnings of PettingZoo's check."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        api_test(env, num_cycles=100, verbose_progress=False)
    return {str(each.message) for each in records}


@pytest.fixture
def classic():
    """PettingZoo's own environment of the game."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("pygame", reason="PettingZoo's own game needs pygame.")
        module = importlib.import_module("pettingzoo.classic.tictactoe_v3")
        yield module.env()


DICTIONARIES = {  # warnings for masks, which its check allows only by name of its own
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}


def test_pettingzoo_api_test_warns_no_more_than_for_its_own(classic, capsys):
    assert warned(envs.env()) <= warned(classic) | DICTIONARIES
    seed_test(envs.env, num_cycles=20)
    modes = {"human": None, "ansi": "ansi", "rgb_array": "rgb_array"}
    # It first asks for a window, then for the existing modes.
    render_test(lambda render_mode: envs.env(render_mode=modes[render_mode]))


def test_games_match_pettingzoo_tictactoe(classic):
    ours, theirs, rewards = envs.env(), classic, set()
    for seed in range(80):
        actions = play(game, seed)
        ours.reset(seed=0)
        theirs.reset(seed=0)
        for action in [*actions, None, None]:
            assert ours.agent_selection == theirs.agent_selection
            one, other = ours.last(), theirs.last()
            assert (one[0]["observation"] == other[0]["observation"]).all()
            if action is not None:  # theirs has a mask also when the game is over
                assert (one[0]["action_mask"] == other[0]["action_mask"]).all()
            assert one[1:4] == other[1:4]
            rewards.add(one[1])
            ours.step(action)
            theirs.step(action)
        assert ours.agents == theirs.agents == []
    assert rewards == {1, 0, -1}


@pytest.mark.slow
def test_policy_from_converts_functions_of_observations():
    lowest = envs.policy_from(lambda board, mask: mask.argmax(), game)
    assert (lowest.argmax(axis=1) == game.legal.argmax(axis=1)).all()
    at_random = envs.policy_from(lambda board, mask: mask / mask.sum(), game)
    np.testing.assert_allclose(at_random, uniform(game.legal), atol=1e-15)
    nearly = envs.policy_from(lambda board, mask: mask / mask.sum() * (1 - 5e-7), game)
    assert abs(nearly.sum(axis=1)[~game.terminal] - 1).max() < 1e-12
    for invalid in (9, -1, "4", None, np.ones(9), np.ones(8) / 8, [0.5] * 2, np.nan):
        with pytest.raises(ValueError, match=r"On \.{9} the function returned"):
            envs.policy_from(lambda board, mask, invalid=invalid: invalid, game)


def test_import_without_packages_names_the_extra(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name in ("gymnasium", "pettingzoo"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "ttt_lib.envs")
    with pytest.raises(ImportError, match=r"pip install 'ttt-lib\[envs\]'"):
        importlib.import_module("ttt_lib.envs")
