"""Dyna: its model and targets beside counts by hand, and planning without sampling."""

from collections import Counter

import numpy as np
import pytest
from common import game, rng, same, some_policy, wide
from learner_fixtures import play, random_play

from ttt_lib import dyna, evaluation, mdp, planning, policy
from ttt_lib.dyna import Dyna, PrioritizedDyna
from ttt_lib.game import positions
from ttt_lib.learning import learn_game, new_learner

KINDS = {
    "sample": lambda g, n, **more: Dyna(g, rng(1), n, **more),
    "expected": lambda g, n, **more: Dyna(g, rng(1), n, updates="expected", **more),
    "prioritized": lambda g, n, **more: PrioritizedDyna(g, rng(1), n, **more),
}


def outcomes(g, games, side):
    """Return the outcomes of each pair, by hand: (s, a) → Counter of (s′, r)."""
    counts = {}
    for actions in games:
        path = positions(g, actions)
        for t, a in enumerate(actions):
            if g.to_move[path[t]] == side:
                s_next = int(path[min(t + 2, len(actions))])
                r = float(side * g.outcome[s_next])
                pair = counts.setdefault((int(path[t]), a), Counter())
                pair[s_next, r] += 1
    return counts


def after(learner, g, games, side):
    """Return the learner after games."""
    for actions in games:
        learner, _ = learner.learn_game(g, actions, side)
    return learner


@pytest.mark.parametrize("side", [+1, -1])
def test_model_counts_outcomes(side):
    games = [play(wide, seed) for seed in range(40)]
    learner = after(Dyna(wide, rng(), planning=0), wide, games, side)
    model, counts = learner.model, outcomes(wide, games, side)
    assert model.size[0] == len(counts)
    assert model.size[1] == len({s for s, _ in counts})
    for (s, a), expected in counts.items():
        i = model.pair[s, a]
        assert model.tries[i] == expected.total()
        rows = zip(model.successor[i], model.reward[i], model.times[i], strict=True)
        assert {(s, r): n for s, r, n in rows if n} == expected
    problem = mdp.from_opponent(wide, policy.uniform(wide.legal), side)
    cells = mdp.to_cells(wide, problem, dyna.tries(problem, learner))
    assert {pair: cells[pair] for pair in counts} == {
        pair: expected.total() for pair, expected in counts.items()
    }
    assert cells.sum() == sum(each.total() for each in counts.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", [+1, -1, 0])
def test_without_planning_it_is_q_learning(kind, side):
    one = KINDS[kind](game, 0, alpha=0.3, gamma=0.9)
    other = new_learner(game, "q_learning", rng(), alpha=0.3, gamma=0.9)
    for seed in range(20):
        actions = play(game, seed)
        one, _ = one.learn_game(game, actions, side)
        other, _ = learn_game(game, other, actions, side)
    np.testing.assert_allclose(one.Q, other.Q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["expected", "prioritized"])
def test_enough_planning_solves_the_learned_model(kind):
    # The fixed point of expected updates is the optimum of the learned model, of which
    # value iteration knows only the tries: pairs never tried keep the first estimate.
    games = [play(wide, seed) for seed in range(60)]
    settings = {"theta": 0.0} if kind == "prioritized" else {}
    learner = KINDS[kind](wide, 3000, initial=0.0, **settings)
    learner = after(learner, wide, games, +1)
    problem = mdp.from_opponent(wide, policy.uniform(wide.legal))
    learned = dyna.learned_model(problem, learner)
    V = planning.value_iteration(learned, gamma=1).V
    q = planning.q_from_v(learned, V, gamma=1)
    np.testing.assert_allclose(mdp.from_cells(problem, learner.Q), q, atol=1e-9)


def test_sampled_planning_approaches_the_learned_model():
    games, alpha = [play(wide, seed) for seed in range(60)], 0.002
    learner = after(Dyna(wide, rng(2), 20_000, alpha=alpha), wide, games, +1)
    problem = mdp.from_opponent(wide, policy.uniform(wide.legal))
    learned = dyna.learned_model(problem, learner)
    q = planning.q_from_v(learned, planning.value_iteration(learned, 1).V, gamma=1)
    error = np.abs(mdp.from_cells(problem, learner.Q) - q)
    # Targets are from −1 to 1, so the noise of an estimate is √(α/2) at most.
    assert error.max() < 5 * np.sqrt(alpha / 2)


@pytest.mark.parametrize("kind", KINDS)
def test_training_in_parts_is_training_at_once(kind):
    new = KINDS[kind](wide, 3)
    opponent = some_policy(wide, 3)
    part, whole = (new.train(wide, n, opponent, +1) for n in (10, 25))
    again = part.train(wide, 15, opponent, +1)
    assert same(again.Q, whole.Q)
    assert same(again.model, whole.model)
    assert not new.Q.any(), "it is immutable"
    assert new.model.size.tolist() == [0, 0]


def test_model_error_beside_differences_by_hand():
    opponent = some_policy(wide, 5)
    learner = Dyna(wide, rng(3), 0).train(wide, 200, opponent, +1)
    problem = mdp.from_opponent(wide, opponent)
    error = dyna.model_error(problem, learner)
    learned = dyna.learned_model(problem, learner)
    tried = dyna.tries(problem, learner)
    difference = mdp.transition_matrix(learned) - planning.transition_matrix(problem)
    difference = abs(difference.toarray())[tried > 0]
    possible = (mdp.transition_matrix(problem).toarray() > 0)[tried > 0]
    assert error.largest == pytest.approx(difference.max(), abs=1e-12)
    assert error.mean == pytest.approx(difference[possible].mean(), abs=1e-12)
    assert (error.never_tried, error.pairs) == ((tried == 0).sum(), len(tried))
    reward = np.abs(learned.reward - problem.reward)[tried > 0].max()
    assert error.reward == pytest.approx(reward, abs=1e-12)


def test_model_error_falls_with_tries():
    problem, errors = mdp.from_opponent(wide, some_policy(wide, 5)), []
    learner = Dyna(wide, rng(3), 0, epsilon=1.0)
    for games in (50, 2000):
        learner = learner.train(wide, games, some_policy(wide, 5), +1)
        errors.append(dyna.model_error(problem, learner))
    assert errors[1].mean < errors[0].mean / 2
    assert errors[1].never_tried < errors[0].never_tried


def test_other_opponents_and_untried_sides_raise():
    learner = Dyna(wide, rng(), 0).train(wide, 60, policy.uniform(wide.legal), +1)
    lowest = policy.deterministic(wide.legal.argmax(axis=1), wide.legal)
    with pytest.raises(ValueError, match="met a reply that this opponent never makes"):
        dyna.learned_model(mdp.from_opponent(wide, lowest), learner)
    other_side = mdp.from_opponent(wide, policy.uniform(wide.legal), -1)
    with pytest.raises(ValueError, match="has tried no pair of mdp"):
        dyna.model_error(other_side, learner)
    for name, wrong in (("planning", -1), ("alpha", 0), ("updates", "all")):
        with pytest.raises(ValueError, match=rf"^{name} = "):
            Dyna(wide, rng(), **{name: wrong})


@pytest.mark.slow
def test_prioritized_dyna_beats_random_play():
    learner = PrioritizedDyna(game, rng(1), planning=20)
    learner = learner.train(game, 300, random_play, +1)
    assert evaluation.result(game, learner.policy(game), random_play).value > 0.5
    assert learner.settings()["planning"] == 20
