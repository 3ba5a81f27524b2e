"""Training of chapter 8: matchbox machines."""

from ttt_lib import evaluation, search
from ttt_lib.check.judge import UnfitError
from ttt_lib.check.training.common import POINTS, generator, policy_of, world
from ttt_lib.check.training.goals import two_goals


def menace(function, rng, points=POINTS, machines=10):
    """Yield (games, share of games lost to perfect play) of matchbox machines.

    The share is the mean of all machines, because that of one depends on chance. The
    function gets (beads, result, decision, decisions), and returns the new number of
    beads of the drawn colour after a game; that of a new box, if `result` is None.
    """
    # A generator for each, so that a machine does not depend on the others.
    generators = [generator(rng.random()) for _ in range(machines)]
    curves = [_machine(function, own, points) for own in generators]
    for row in zip(*curves, strict=True):
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

    def beads_from(*args):
        beads = function(*args)
        if type(beads) is not int or not 0 <= beads <= 10**9:
            none = ", but it returns None: is there a `return`?"
            raise UnfitError(
                "it should return a number of beads, a whole one that is not below 0, "
                f"such as 16 and not 16.0{none if beads is None else ''}"
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
                    w.after[s], beads_from(None, None, len(drawn), None)
                )
            if not any(boxes[s].values()):  # the machine resigns
                break
            (n,) = rng.choices(*zip(*boxes[s].items(), strict=True))
            drawn.append((s, n))
            s = n
        result = w.outcome[s] if w.over[s] else -1
        for decision, (s, n) in enumerate(drawn):
            boxes[s][n] = beads_from(boxes[s][n], result, decision, len(drawn))
        if game % (games // points) == 0:
            player = policy_of(lambda s, boards: _beads(boxes.get(s), boards))
            yield game, float(evaluation.result(w.game, player, perfect).loss)


def _beads(box, boards):
    """Return weights of the boards after a move: beads, or equal if there are none."""
    if not box or not any(box.values()):
        return [1 / len(boards)] * len(boards)
    return [box[board] / boards.count(board) for board in boards]


TRAINING = two_goals(
    menace,
    "it loses at most 10 % to perfect play",
    lambda m: m["lost"] <= 0.1,
    "it loses at most 15 %",
    lambda m: m["lost"] <= 0.15,
)
