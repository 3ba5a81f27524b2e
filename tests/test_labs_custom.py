"""The lab of a learner of one's own, without a page: what it answers."""

import numpy as np
import pytest
from traitlets import TraitError

from ttt_lib import agents
from ttt_lib.board import CustomLearnerLab
from ttt_lib.game import tables

GAME = tables()


class Tenth(agents.CustomLearner):
    """It moves each estimate a tenth of the way to what the game brought."""

    def learn(self, game, steps):
        """Change Q."""
        for step in steps:
            self.Q[step.s, step.a] += 0.1 * (steps[-1].r - self.Q[step.s, step.a])


@pytest.fixture
def beginner():
    """One that has seen no game."""
    return Tenth(GAME, np.random.default_rng(1))


def asked(lab, key):
    """Return what the lab answers to a page."""
    sent = []
    lab.send = sent.append
    lab._on_message(lab, {"load": key}, [])
    return sent[0]


@pytest.mark.parametrize(("opponent", "side"), [("menace", "-1"), ("self", "0")])
def test_game_by_game_it_is_the_learner_that_was_trained_at_once(
    beginner, opponent, side
):
    lab = CustomLearnerLab("A lab", beginner, opponent=opponent, side=side)
    alone, whom = opponent == "self", ()
    if not alone:
        whom = agents.policy(GAME, opponent, -int(side)), int(side)
    for games in (1, 3, 2, 150, 7, 151):  # on and back
        table = asked(lab, f"own:{games}:{opponent}:{side}")["table"]
        right = beginner.train(GAME, games, *whom)
        before = beginner.train(GAME, games - 1, *whom)
        lab.at = str(games)
        assert np.array_equal(lab.learner().Q, right.Q)
        s, changes = 0, {move: (old, new) for move, old, new in table["changes"]}
        for t, cell in enumerate(table["moves"]):
            if t in changes:
                assert changes[t] == (before.Q[s, cell], right.Q[s, cell])
            s = GAME.next[s, cell]
        assert GAME.terminal[s]
        moves = len(table["moves"])
        assert len(changes) in ([moves] if alone else [moves // 2, -(-moves // 2)])
    assert beginner.games == 0


def test_what_its_own_program_raises_is_told(beginner):
    beginner.learn = None
    lab = CustomLearnerLab("A lab", beginner)
    assert "TypeError in Python" in asked(lab, "own:1:random:0")["fault"]
    assert asked(lab, "q-learning")["agent"] == "q-learning", "those of the book, too"


def test_a_page_without_python_says_what_is_needed(beginner):
    bundle, _ = CustomLearnerLab("A lab", beginner)._repr_mimebundle_()
    assert "run its cell" in bundle["text/html"]
    assert "data-ttt-lab" not in bundle["text/html"]


def test_wrong_arguments(beginner):
    for wrong, words in ("q-learning", {}), (beginner, {"to": 3}):
        with pytest.raises(ValueError if not words else TraitError):
            CustomLearnerLab("A lab", wrong, **words)
