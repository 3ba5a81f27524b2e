"""Chapter 7: machines of matchboxes."""

from ttt_lib import evaluation, search
from ttt_lib.check.judge import UnfitError
from ttt_lib.check.training.common import POINTS, generator, policy_of, world
from ttt_lib.check.training.goals import two_goals


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


TRAINING = two_goals(
    menace,
    "it loses at most 10 % to perfect play",
    lambda m: m["lost"] <= 0.1,
    "it loses at most 15 %",
    lambda m: m["lost"] <= 0.15,
)
