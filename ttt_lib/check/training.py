"""Loops that put a student's function to work, and measure what comes of it exactly.

The tables belong to the loop, and the function is asked once a game, or once in all:
nobody can bring a table along. Each loop is a generator of (count, {measure: number});
the last measures count, and all together are a curve to be drawn.

Most players keep one entry for all boards that are images of each other under a turn or
a mirror. Plain Python reads lists faster than arrays, so the game is in lists here.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, policy, search
from ttt_lib.check.judge import CLOSE, Failed, UnfitError, Verdict, plain
from ttt_lib.game import symmetry_class, tables
from ttt_lib.policy import TIE

SEEDS = (1, 2, 3)  # of the visible checks
HIDDEN = 9  # seeds of the grader: the median of so many depends little on chance
STILL = 100  # games with one result after which something should have moved
LONGEST = 60  # seconds of one training, on a machine that is busy grading
TOO_SLOW = "one training takes"  # begins what is said of what never ends
PATIENCE = 20  # seconds for which a student waits for one
POINTS = 20  # of a curve


# The game, seen by players for whom images of a board are one board


class World(NamedTuple):
    """The game in lists; `after` has representatives only."""

    game: object
    same: list  #: (S,) the representative of each position
    after: list  #: (S,) the positions after each move, in the order of the cells
    place: np.ndarray  #: (S, A) of each of those among those of the representative
    mover: list  #: (S,)
    outcome: list  #: (S,) for the first player
    over: list  #: (S,)


@cache
def world():
    """Return the World of tic-tac-toe."""
    game = tables()
    same = symmetry_class(game)
    after = [
        same[row[:count]].tolist()
        for row, count in zip(game.successor, game.count, strict=True)
    ]
    place = np.zeros(game.legal.shape, dtype=np.int64)
    for s, boards in enumerate(after):
        place[s, : len(boards)] = [after[same[s]].index(board) for board in boards]
    parts = same, game.to_move, game.outcome, game.terminal
    same, mover, outcome, over = (part.tolist() for part in parts)
    return World(game, same, after, place, mover, outcome, over)


def table_of(entry):
    """Return a list with `entry(count)` for each position with so many moves."""
    return [entry(len(row)) for row in world().after]


def choose(rng, values, epsilon):
    """Return the place of an ε-greedy choice among values, ties by lot."""
    if rng.random() < epsilon:
        return rng.randrange(len(values))
    most = max(values) - TIE
    return rng.choice([i for i, value in enumerate(values) if value >= most])


def policy_of(preferences):
    """Return the policy (S, A) that moves in proportion to what `by_cell` takes."""
    chances = by_cell(preferences)
    sums = chances.sum(axis=1, keepdims=True)
    chances /= np.where(sums == 0, 1, sums)
    return chances


def by_cell(numbers):
    """Return (S, A) what `numbers(s, boards)` gives, a number for each of the `boards`.

    Those come after the moves in a representative s.
    """
    w = world()
    known, found = np.zeros((2, *w.game.legal.shape))
    for s, boards in enumerate(w.after):
        if boards and w.same[s] == s:
            known[s, : len(boards)] = numbers(s, boards)
    moves = np.arange(9, dtype=np.int64) < w.game.count[:, np.newaxis]
    found[w.game.legal] = np.take_along_axis(known[w.same], w.place, 1)[moves]
    return found


def greedy(values):
    """Return the policy (S, A) that is greedy in `values(s, boards)`, ties by lot."""

    def best(s, boards):
        found = values(s, boards)
        return [value >= max(found) - TIE for value in found]

    return policy_of(best)


def greedy_in(Q, after):
    """Return the policy (S, A) that is greedy in Q, lists in the order of `after`."""
    return greedy(largest_in(Q, after))


def largest_in(Q, after):
    """Return what gives the values in Q of the moves to `boards`, as `greedy` asks.

    Moves to images are one move: the largest of their values counts.
    """

    def values(s, boards):
        found = dict.fromkeys(boards, -math.inf)
        for board, value in zip(after[s], Q[s], strict=True):
            found[board] = max(found[board], value)
        return [found[board] for board in boards]

    return values


def demand_values(given, count, what):
    """Raise UnfitError if a function did not give a list of so many values.

    No value of a player lies outside −1 and 1, if it moves towards its targets.
    """
    wanted = f"it should give a list of {count} numbers from -1 to 1, {what}"
    if given is None:
        raise UnfitError(f"{wanted}, and it gives None back: is there a `return`?")
    if not isinstance(given, list):
        raise UnfitError(f"{wanted}, and it gives something else")
    if len(given) != count:
        raise UnfitError(f"{wanted}, and it gives a list of {len(given)}")
    for number, value in enumerate(given, 1):
        if not is_number(value, 1 + CLOSE):
            what = f"{value:.6g}" if is_number(value) else "something else"
            raise UnfitError(f"{wanted}, and number {number} of the list is {what}")


def demand_steps(old, new, to_come, of, towards):
    """Raise UnfitError if a value has not moved towards what is to come.

    `to_come` has pairs, before the new values and after, for both are taken. A step
    may end there, but not go beyond; where one value moves, all do that are off.
    """
    rows = [*zip(old, new, to_come, strict=True)]
    some_move = any(value != found for value, found, _ in rows)
    for number, (value, found, ends) in enumerate(rows, 1):
        beyond = not min(value, *ends) - CLOSE <= found <= max(value, *ends) + CLOSE
        off = all(abs(end - value) > CLOSE for end in ends)
        if beyond or (some_move and off and found == value):
            goal = "the result" if number == len(rows) else towards
            goals = " or ".join(dict.fromkeys(f"{end:.6g}" for end in ends))
            becomes = "it stays" if found == value else f"it becomes {found:.6g}"
            raise UnfitError(
                f"the value of {of} {number} of {len(rows)} should move from "
                f"{value:.6g} towards {goal}, {goals}, and {becomes}"
            )


def demand_motion(still, value, found, result, names):
    """Raise UnfitError where the last value of a game never moves towards its result.

    `still` counts such games by their result; `names` says what each is called. A step
    may fade to 0, so that the last value may stay where it has moved before.
    """
    if found != value:
        still[result] = -math.inf
    elif abs(result - value) > CLOSE:
        still[result] += 1
    if still[result] >= STILL:
        raise UnfitError(
            f"in {STILL} games that {names[result]} no value has moved: the last one "
            f"should move from {value:.6g} towards the result, {result:g}"
        )


FOR_X = {1: "X won", 0: "were drawn", -1: "O won"}
FOR_MOVER = {1: "the last move won", 0: "were drawn"}


def is_number(value, most=10**9):
    """Return whether a value is a number from −most to most."""
    return type(value) in (int, float) and -most <= value <= most


# Chapter 3 and 4: the rest of a game against somebody who draws lots


def rest_of_game(rng):
    """Return (model, order): X's states, and an order with later states first.

    X opens, and O moves with probabilities of its own on each board. Where X opens,
    which probabilities, and the numbers of the states are drawn.
    """
    game = tables()
    opening = int(rng.choice(game.successor[0, : game.count[0]]))
    waiting = game.successor[opening, : game.count[opening]].tolist()
    known, found = set(waiting), []
    while waiting:  # first come, first served: so later boards stand behind
        s = waiting.pop(0)
        found.append((s, state := {}))
        for a in game.action[s, : game.count[s]].tolist():
            state[a] = list(_replies(game, rng, int(game.next[s, a])))
            after = [n for _, _, n in state[a] if n is not None and n not in known]
            waiting += after
            known.update(after)
    number = list(range(len(found)))
    rng.shuffle(number)
    new = {s: number[i] for i, (s, _) in enumerate(found)}
    model = [None] * len(found)
    for s, state in found:
        model[new[s]] = {
            a: [(p, r, None if n is None else new[n]) for p, r, n in outcomes]
            for a, outcomes in state.items()
        }
    return model, number[::-1]


def _replies(game, rng, s):
    """Yield (probability, reward, next position or None) after X's move to s."""
    if game.terminal[s]:
        yield 1.0, float(game.outcome[s]), None
        return
    replies = game.successor[s, : game.count[s]].tolist()
    weights = [rng.random() + 0.1 for _ in replies]
    for n, weight in zip(replies, weights, strict=True):
        over = game.terminal[n]
        yield weight / sum(weights), float(game.outcome[n]), None if over else n


GAMMA = 0.9


def action_value(outcomes, V):
    """Return Σ p (r + γ V(s′)) over the outcomes of an action."""
    return sum(p * (r + GAMMA * (0.0 if n is None else V[n])) for p, r, n in outcomes)


def exact(model, order, actions=None):
    """Return V of a policy, a list of actions, or of the best one."""
    V = [0.0] * len(model)
    for s in order:
        chosen = model[s] if actions is None else [actions[s]]
        V[s] = max(action_value(model[s][a], V) for a in chosen)
    return V


def policy_iteration(function, rng, points=None, games=3):
    """Yield (number, what is lost in the worst state) of the policies on the way.

    It is the worst state of all games, because in one alone two improvements may do.
    The function gets the model of each, and gives its policies from the first to the
    last. Each must be best in the exact values of the one before.
    """
    rows = [[*_improvements(function, rng)] for _ in range(games)]
    for number in range(max(map(len, rows))):
        yield number, {"lost": max(row[min(number, len(row) - 1)] for row in rows)}


def _improvements(function, rng):
    """Yield what each policy on the way loses in the worst state of one game."""
    model, order = rest_of_game(rng)
    best, before = exact(model, order), None
    policies = function(deepcopy(model), GAMMA)
    if not isinstance(policies, list) or not policies:
        raise UnfitError("it should give a list of policies, the last one the best")
    if len(policies) > 1 and all(actions == policies[0] for actions in policies):
        raise UnfitError(
            "all policies are alike: each should be a list of its own, not one list "
            "that is changed and put in again"
        )
    for number, actions in enumerate(policies):
        _demand_better(model, number, actions, before)
        if not number and actions != [min(state) for state in model]:
            raise UnfitError(
                "the first policy should take the lowest action in each state"
            )
        before = exact(model, order, actions)
        yield max(b - v for b, v in zip(best, before, strict=True))


def _demand_better(model, number, actions, V):
    """Raise UnfitError if these are no actions, or not the best in V, if there is one.

    V is of the policy before.
    """
    wanted = isinstance(actions, list) and len(actions) == len(model)
    pairs = [*zip(actions, model, strict=True)] if wanted else []
    if not wanted or not all(type(a) is int and a in state for a, state in pairs):
        raise UnfitError(
            f"each policy should be a list of {len(model)} legal actions, one for each "
            "state"
        )
    for a, state in pairs if V else ():
        values = {b: action_value(outcomes, V) for b, outcomes in state.items()}
        if values[a] < max(values.values()) - CLOSE:
            raise UnfitError(
                f"policy number {number} should be the best in the values of the one "
                "before it, in every state"
            )


def backups_in_order(function, rng, points=POINTS):
    """Yield (backups, measures) as states are backed up in place, in an order.

    The function gets a model and gives the order, a list of states. All values begin
    with that of a win, so that whoever comes before its next states is too hopeful.
    """
    model, order = rest_of_game(rng)
    best, states = exact(model, order), function(deepcopy(model))
    most = 20 * len(model)
    if (
        not isinstance(states, list)
        or not len(model) <= len(states) <= most
        or not all(type(s) is int and 0 <= s < len(model) for s in states)
    ):
        raise UnfitError(
            f"it should give a list of {len(model)} to {most} numbers of states, "
            f"from 0 to {len(model) - 1}"
        )
    V, needed = [1.0] * len(model), 0
    for done, s in enumerate(states, 1):
        new = max(action_value(outcomes, V) for outcomes in model[s].values())
        needed = done if abs(new - V[s]) > CLOSE else needed
        V[s] = new
        if done % (len(model) // points) == 0 or done == len(states):
            wrong = sum(abs(b - v) > CLOSE for b, v in zip(best, V, strict=True))
            share = wrong / len(model)
            yield done, {"wrong": share, "backups": needed / len(model)}


# Chapter 5: search


def searches(function, rng, points=None):
    """Yield (empty cells, wrong answers and share of nodes so far) of drawn boards.

    The share is of what alpha-beta looks at, cells in rising order; an answer is the
    value for the first player and the number of boards looked at.
    """
    game = tables()
    marks = np.abs(game.board).sum(axis=1)
    decided = search.solve(game).V != 0
    own = right = wrong = few = 0
    for count in (6, 5, 4, 3, 3, 2):
        # Of five marks O is to move: a sign forgotten shows where somebody wins.
        among = (marks == count) & ~game.terminal & (decided | (count != 5))
        s = rng.choice(np.flatnonzero(among).tolist())
        found = function(game.board[s].astype(np.int64))
        if (
            not isinstance(found, list)
            or len(found) != 2
            or not all(map(is_number, found))
        ):
            raise UnfitError("it should give two numbers, the value and the boards")
        value, nodes = search.alpha_beta(game, s)
        own, right = own + found[1], right + nodes
        wrong += found[0] != value
        few += found[1] < nodes
        yield 9 - count, {"wrong": wrong, "too few": few, "nodes": own / right}


# Chapters 6 to 9: players


def monte_carlo(function, rng, points=POINTS, games=12_000, epsilon=0.5):
    """Yield (games, measures) of a learner against random play.

    They are what its greedy policy loses to the best play, and how far its estimates
    are off. The function gets, for each decision of a game, the estimate and how often
    the action was taken, and the return; it gives the new estimates.
    """
    w = world()
    Q, N = table_of(lambda n: [0.0] * n), table_of(lambda n: [0] * n)
    at_random = policy.uniform(w.game.legal)
    best = evaluation.best_response(w.game, at_random).V[0]
    still = Counter()
    for game in range(1, games + 1):
        s, decisions = 0, []
        while not w.over[s]:
            x_moves = w.mover[s] == 1
            i = choose(rng, Q[s], epsilon if x_moves else 1)
            if x_moves:
                decisions.append((s, i))
                N[s][i] += 1
            s = w.after[s][i]
        old = [Q[s][i] for s, i in decisions]
        counts = [N[s][i] for s, i in decisions]
        G = float(w.outcome[s])
        new = function(list(old), counts, G)
        demand_values(new, len(decisions), "the new estimate of each decision")
        demand_steps(old, new, [(G, G)] * len(old), "decision", "the result")
        demand_motion(still, old[-1], new[-1], G, FOR_X)
        for (s, i), value in zip(decisions, new, strict=True):
            Q[s][i] = value
        if game % (games // points) == 0:
            player = greedy_in(Q, w.after)
            value = evaluation.result(w.game, player, at_random).value
            own = policy.mixture(epsilon, at_random, player)
            off = _off(by_cell(lambda s, _: Q[s]), own, at_random)
            yield game, {"lost": float(best - value), "off": off}


def _off(Q, own, opponent):
    """Return how far Q (S, A) is off the mean result, on average over X's decisions.

    X plays `own` against an opponent, both policies (S, A).
    """
    game = tables()
    win, _, loss = evaluation.win_draw_loss(game, own, opponent).T
    chance = _chances(own, opponent)
    chance[game.to_move != 1] = 0
    return _mean(np.abs(Q - (win - loss)[game.next]), chance)


def _chances(first, second):
    """Return (S, A) how often each move is made in a game between two policies."""
    own = policy.join(first, second, tables().to_move)
    return evaluation.reach(tables(), first, second)[:, np.newaxis] * own


def _mean(numbers, chances):
    return float((numbers * chances).sum() / chances.sum())


def menace(function, rng, points=POINTS, machines=10):
    """Yield (games, share of games lost to perfect play) of machines of matchboxes.

    The share is the mean of all machines, for one alone is luck. The function gets
    (beads, result, decision, decisions) and gives the beads of the colour that was
    drawn after a game; of a new box, if `result` is None.
    """
    # One each, so that no machine depends on how often they are measured.
    own = [generator(rng.random()) for _ in range(machines)]
    for row in zip(*(_machine(function, one, points) for one in own), strict=True):
        yield row[0][0], {"lost": sum(lost for _, lost in row) / machines}


def _machine(function, rng, points, games=400):
    """Yield (games, share of games lost to perfect play) of one machine."""
    w = world()
    boxes = {}
    perfect = search.perfect(w.game)
    chances = [
        [p for p, legal in zip(*row, strict=True) if legal]
        for row in zip(perfect.tolist(), w.game.legal.tolist(), strict=True)
    ]

    def asked(*args):
        beads = function(*args)
        if type(beads) is not int or not 0 <= beads <= 10**9:
            none = ", and it gives None back: is there a `return`?"
            raise UnfitError(
                "it should give a number of beads: a whole one, such as 16 and not "
                f"16.0, and not below 0{none if beads is None else ''}"
            )
        return beads

    for game in range(1, games + 1):
        s, drawn = 0, []
        while not w.over[s]:
            if w.mover[s] == -1:
                (s,) = rng.choices(w.after[s], chances[s])
                continue
            if s not in boxes:
                boxes[s] = dict.fromkeys(
                    w.after[s], asked(None, None, len(drawn), None)
                )
            if not any(boxes[s].values()):  # the machine resigns
                break
            (n,) = rng.choices(*zip(*boxes[s].items(), strict=True))
            drawn.append((s, n))
            s = n
        result = w.outcome[s] if w.over[s] else -1
        for decision, (s, n) in enumerate(drawn):
            boxes[s][n] = asked(boxes[s][n], result, decision, len(drawn))
        if game % (games // points) == 0:
            player = policy_of(lambda s, boards: _beads(boxes.get(s), boards))
            yield game, float(evaluation.result(w.game, player, perfect).loss)


def _beads(box, boards):
    """Return the share of the beads on each move; alike if there are none."""
    if not box or not any(box.values()):
        return [1 / len(boards)] * len(boards)
    return [box[board] / boards.count(board) for board in boards]


def td(function, rng, points=POINTS, games=10_000, epsilon=0.2):
    """Yield (games, measures as the first player) of a player who learns in self-play.

    The function gets the values of the boards after each move of a game but the last,
    the result, and the share of the games that is over; it gives the new values.
    Each board has a value of its own here, also where another is its image.
    """
    w, game = world(), tables()
    pairs = zip(game.successor.tolist(), game.count, strict=True)
    after = [boards[:count] for boards, count in pairs]
    V, still = [float(outcome) for outcome in w.outcome], Counter()
    for played in range(1, games + 1):
        s, boards = 0, []
        while not w.over[s]:
            i = choose(rng, [w.mover[s] * V[n] for n in after[s]], epsilon)
            s = after[s][i]
            boards.append(s)
        *boards, end = boards
        old, result = [V[s] for s in boards], float(w.outcome[end])
        new = function(list(old), result, played / games)
        demand_values(new, len(boards), "the new value of each board")
        to_come = zip([*old[1:], result], [*new[1:], result], strict=True)
        demand_steps(old, new, to_come, "board", "that of the next board")
        demand_motion(still, old[-1], new[-1], result, FOR_X)
        for s, value in zip(boards, new, strict=True):
            V[s] = value
        if played % (games // points) == 0:
            Q = np.where(game.legal, np.array(V)[game.next], 0) * game.to_move[:, None]
            player = policy.greedy(Q, game.legal)
            at_random = evaluation.result(game, player, policy.uniform(game.legal))
            worst = float(0 - evaluation.worst_case(game, player)[0])
            measures = {"worst": worst, "lost": float(at_random.loss)}
            yield played, measures | {"off": _off_in_own(V, Q, epsilon)}


def _off_in_own(V, Q, epsilon):
    """Return how far V is off, on average over the boards of a learner's own games.

    That is from the mean result of such games, ε-greedy in Q on both sides.
    """
    game = tables()
    own = policy.epsilon_greedy(Q, game.legal, epsilon)
    win, _, loss = evaluation.win_draw_loss(game, own, own).T
    chance = evaluation.reach(game, own, own) * ~game.terminal
    chance[0] = 0  # the empty board comes after no move
    return float(np.abs(V - (win - loss)) @ chance / chance.sum())


def q_learning(function, rng, points=POINTS, games=10_000, epsilon=0.5):
    """Yield (games, measures) of a player who learns in self-play.

    They are its exploitability on each side, and how far its values are off those of
    perfect play, on average over the decisions of its own games. The function gets, for
    each move of a game, the values of all moves on that board for whoever moves, and
    the place of the move among them; then the result for whoever moved last. It gives
    the new value of each move.
    """
    w, Q = world(), table_of(lambda n: [0.0] * n)
    # Shuffled on each board, so that a place tells nobody which cell it is.
    after, still = [rng.sample(boards, len(boards)) for boards in w.after], Counter()
    for game in range(1, games + 1):
        s, made = 0, []
        while not w.over[s]:
            made.append((s, choose(rng, Q[s], epsilon)))
            s = after[s][made[-1][1]]
        result = float(w.outcome[s] * w.mover[made[-1][0]])
        new = function([list(Q[s]) for s, _ in made], [i for _, i in made], result)
        demand_values(new, len(made), "the new value of each move")
        old, worth = [Q[s][i] for s, i in made], [0 - max(Q[s]) for s, _ in made[1:]]
        for (s, i), value in zip(made, new, strict=True):
            Q[s][i] = value
        later = [0 - max(Q[s]) for s, _ in made[1:]]
        to_come = zip([*worth, result], [*later, result], strict=True)
        towards = "what the next board is worth to you"
        demand_steps(old, new, to_come, "move", towards)
        demand_motion(still, old[-1], new[-1], result, FOR_MOVER)
        if game % (games // points) == 0:
            player = greedy_in(Q, after)
            found = evaluation.exploitability(w.game, player)
            own = policy.mixture(epsilon, policy.uniform(w.game.legal), player)
            wrong = np.abs(by_cell(largest_in(Q, after)) - search.solve(w.game).Q)
            measures = {"first": float(found.first), "second": float(found.second)}
            yield game, measures | {"off": _mean(wrong, _chances(own, own))}


# What is to be reached


class Goal(NamedTuple):
    """What earns a share of the points."""

    share: float  #: of the points
    says: str  #: what is to be reached, in half a line
    reached: Callable  #: whether {measure: number} reaches it


class Training(NamedTuple):
    """A loop, its goals, the highest first, and which of its measures count."""

    loop: Callable
    goals: tuple
    counting: int  #: how many of the last points
    counts: Callable  #: what of these: the worst or the mean


def _training(loop, best, is_best, fair, is_fair, counting=1, counts=max):
    """Return the Training with a goal for all points and one for half of them."""
    goals = Goal(1, best, is_best), Goal(0.5, fair, is_fair)
    return Training(loop, goals, counting, counts)


TRAININGS = {
    "iterate": _training(
        policy_iteration,
        "the last policy is best in every state",
        lambda m: m["lost"] <= CLOSE,
        "it loses at most .1 in any state",
        lambda m: m["lost"] <= 0.1,
    ),
    "sweep_order": _training(
        backups_in_order,
        "every value is exact, with one backup for each state",
        lambda m: m["wrong"] == 0 and m["backups"] <= 1,
        "every value is exact",
        lambda m: m["wrong"] == 0,
    ),
    "alpha_beta": _training(
        searches,
        "every value is right, with the boards that alpha-beta looks at",
        lambda m: m["wrong"] == m["too few"] == 0 and m["nodes"] <= 1,
        "every value is right, with at most three times as many boards, never too few",
        lambda m: m["wrong"] == m["too few"] == 0 and m["nodes"] <= 3,
    ),
    "mc_learn": _training(
        monte_carlo,
        "it stays within .03 of best play, and its estimates are off by at most .095",
        lambda m: m["lost"] <= 0.03 and m["off"] <= 0.095,
        "it stays within .1 of the best play",
        lambda m: m["lost"] <= 0.1,
        POINTS // 4,
        fmean,
    ),
    "beads": _training(
        menace,
        "it loses at most 10 % to perfect play",
        lambda m: m["lost"] <= 0.1,
        "it loses at most 15 %",
        lambda m: m["lost"] <= 0.15,
    ),
    "td_learn": _training(
        td,
        "nobody can beat it as first player, and its values are off by at most .22",
        lambda m: m["worst"] <= CLOSE and m["off"] <= 0.22,
        "it loses at most 5 % to random play",
        lambda m: m["lost"] <= 0.05,
    ),
    "q_learn": _training(
        q_learning,
        "exploitability is below .2 on both sides, and its values off by at most .22",
        lambda m: max(m["first"], m["second"]) < 0.2 and m["off"] <= 0.22,
        "it stays below .2 as first player",
        lambda m: m["first"] < 0.2,
        POINTS // 4,
    ),
}


def trained(name, function):
    """Return the function of a seed that trains, and gives the measures that count."""
    loop, _, counting, counts = TRAININGS[name]

    def train(seed):
        points = 1 if counting == 1 else POINTS
        rows = [m for _, m in loop(in_time(function), generator(seed), points)]
        return {key: counts(m[key] for m in rows[-counting:]) for key in rows[-1]}

    return train


def curve(name, function, seed=1):
    """Return the counts and {measure: list} of a training, to be drawn."""
    counts, measures = zip(
        *TRAININGS[name].loop(in_time(function), generator(seed)), strict=True
    )
    return list(counts), {key: [m[key] for m in measures] for key in measures[0]}


def generator(seed):
    """Return the generator of a training, Python's own: it draws one by one, fast."""
    return random.Random(seed)


def in_time(function):
    """Return a function that gives plain data, and an error when time is over."""
    end = time.monotonic() + LONGEST

    def ask(*args):
        if time.monotonic() > end:
            raise UnfitError(f"{TOO_SLOW} longer than {LONGEST} seconds")
        return plain(function(*args))

    return ask


def share(goals, measures):
    """Return the share of the points that the measures of a training earn.

    What failed measured nothing, and earns nothing.
    """
    if not isinstance(measures, list):
        return 0.0
    return max((g.share for g in goals if g.reached(dict(measures))), default=0.0)


def settled(question, given, seeds):
    """Return whether the median of so many seeds is known from those `given` so far.

    So it is where more than half of them agree. What takes too long once does so again.
    """
    if given and isinstance(given[-1], Failed) and given[-1].why.startswith(TOO_SLOW):
        return True
    goals = TRAININGS[question.training].goals
    shares = Counter(share(goals, measures) for measures in given)
    return any(count > seeds // 2 for count in shares.values())


def verdict(question, given):
    """Return the Verdict on what came of trainings with some seeds: the median counts.

    What is not reached stands in the place of the kinds of cases that failed.
    """
    goals = TRAININGS[question.training].goals
    shares = [share(goals, measures) for measures in given]
    median = sorted(shares)[(len(shares) - 1) // 2]
    missed = tuple(goal.says for goal in goals if goal.share > median)
    hint = question.hint if missed else ""
    return Verdict(tuple(each == 1 for each in shares), median, missed, "", hint)
