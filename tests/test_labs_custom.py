"""The lab of a custom learner, without a page: its answers."""

import numpy as np
import pytest
from traitlets import TraitError

from ttt_lib import agents
from ttt_lib.board import CustomLearnerLab
from ttt_lib.game import tables

GAME = tables()


class Tenth(agents.CustomLearner):
    """A learner that moves each estimate a tenth of the way to the final reward."""

    def learn(self, game, steps):
        """Change Q."""
        for step in steps:
            self.Q[step.s, step.a] += 0.1 * (steps[-1].r - self.Q[step.s, step.a])


@pytest.fixture
def beginner():
    """A learner that has not played yet."""
    return Tenth(GAME, np.random.default_rng(1))


def asked(lab, key):
    """Return the answer of the lab to a request of the page."""
    sent = []
    lab.send = sent.append
    lab._on_message(lab, {"load": key}, [])
    return sent[0]


@pytest.mark.parametrize(("opponent", "side"), [("menace", "-1"), ("self", "0")])
def test_stepping_games_equals_training_at_once(beginner, opponent, side):
    lab = CustomLearnerLab("A lab", beginner, opponent=opponent, side=side)
    self_play, against = opponent == "self", ()
    if not self_play:
        against = agents.policy(GAME, opponent, -int(side)), int(side)
    for games in (1, 3, 2, 150, 7, 151):  # forwards and backwards
        table = asked(lab, f"own:{games}:{opponent}:{side}")["table"]
        right = beginner.train(GAME, games, *against)
        before = beginner.train(GAME, games - 1, *against)
        lab.at = str(games)
        assert np.array_equal(lab.learner().Q, right.Q)
        s, changes = 0, {move: (old, new) for move, old, new in table["changes"]}
        for t, cell in enumerate(table["moves"]):
            if t in changes:
                assert changes[t] == (before.Q[s, cell], right.Q[s, cell])
            s = GAME.next[s, cell]
        assert GAME.terminal[s]
        moves = len(table["moves"])
        assert len(changes) in ([moves] if self_play else [moves // 2, -(-moves // 2)])
    assert beginner.games == 0


def test_errors_of_learner_are_reported(beginner):
    beginner.learn = None
    lab = CustomLearnerLab("A lab", beginner)
    assert "TypeError in Python" in asked(lab, "own:1:random:0")["fault"]
    assert asked(lab, "q-learning")["agent"] == "q-learning"


def test_page_without_python_says_run_its_cell(beginner):
    bundle, _ = CustomLearnerLab("A lab", beginner)._repr_mimebundle_()
    assert "run its cell" in bundle["text/html"]
    assert "data-ttt-lab" not in bundle["text/html"]


def test_invalid_arguments_raise(beginner):
    for wrong, words in ("q-learning", {}), (beginner, {"to": 3}):
        with pytest.raises(ValueError if not words else TraitError):
            CustomLearnerLab("A lab", wrong, **words)
