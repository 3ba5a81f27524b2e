"""A course of training as the console runs it: in pieces, watched, and kept."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation
from ttt_lib.agents import Agent, Name, learners, parse
from ttt_lib.agents.builtin import MARKS
from ttt_lib.console.options import entrant
from ttt_lib.console.scores import tell_scores
from ttt_lib.console.screen import decimal, exact
from ttt_lib.doors import LARGEST
from ttt_lib.evaluation import win_draw_loss
from ttt_lib.game import SIDES

MOST_ROWS = 10_000
MOST_AT_ONCE = 50_000  # games between two looks at Ctrl-C
ROWS = 50  # of a long history, besides those of `builtin.MARKS`
RANDOM, SELF = Name("random"), Name("self")


class School(NamedTuple):
    """Who somebody learns from."""

    opponent: Name | None = RANDOM  #: None if who it was is not here any more
    side: int = 0  #: the learner's, +1 or −1, or 0 for both
    behaviour: Name | None = None  #: who moves for it, if anybody


# Where nobody says otherwise: method → School; for all others it is School().
USUAL = {
    **dict.fromkeys(learners.SELF_PLAY, School(SELF)),
    **dict.fromkeys(learners.JUDGES, School(behaviour=RANDOM)),
    "menace": School(side=+1),  # its boxes play one side, or both in self-play
}


@dataclass
class Course:
    """What is to be done, and how far it is."""

    learner: object  #: of any kind
    school: School
    games: int = 0  #: to train, in all
    every: int = 0  #: games from row to row
    training: dict = field(default_factory=dict)  #: what the agent keeps of this
    origin: Agent | None = None  #: what it goes on from
    policy: np.ndarray | None = None  #: of the opponent; None is self-play
    behaviour: np.ndarray | None = None  #: whose play is judged, if anybody's
    before: int = 0  #: games seen before
    rows: list = field(default_factory=list)  #: of the history
    words: list = field(default_factory=list)  #: on who plays a side not taught


def begin(game, method, rng, seed, **settings):
    """Return the Course of a learner who has seen no game."""
    learner = learners.new(game, method, rng, **settings)
    school = USUAL.get(method, School())
    training = {"side": school.side, "initial": settings.get("initial", 0.0)}
    return Course(learner, school, training=training | {"seed": seed})


def go_on(game, text, **settings):
    """Return the Course of a learner that was kept, named as in `agents.names`."""
    who = entrant(game, text)
    if not who.made:
        raise ValueError(
            f"{who.name} has not learned, so it cannot go on: give a METHOD to begin "
            "with."
        )
    if who.learner is None:
        raise ValueError(
            f"{who.name} cannot be trained further: its file holds moves and no "
            "learner. It was computed, written by another program or 'ttt export', or "
            "learned by a program of somebody's own. Give a METHOD to begin with."
        )
    learner = who.learner
    if settings:
        learner = learners.of(learner).changed(game, settings)
    told = {"side": who.side, "opponent": "self", **who.training}
    opponent = behaviour = None
    with suppress(ValueError):  # who it learned from may be gone: see LAWS
        opponent = parse(told["opponent"])
    with suppress(ValueError, KeyError):
        behaviour = parse(told["behaviour"])
    school = School(opponent, told["side"], behaviour)
    rows = [dict(row) for row in who.history]
    return Course(learner, school, training=told, origin=who, rows=rows)


# What a course must keep: whether it does, and what is said if not
LAWS = (
    (
        lambda course: course.school.opponent is not None,
        "It learned from {0.training[opponent]}, who is not here: give --opponent.",
    ),
    (
        lambda course: course.school.behaviour or "behaviour" not in course.training,
        "It judged {0.training[behaviour]}, who is not here: give --behaviour.",
    ),
    (
        lambda course: course.games <= MOST_ROWS * course.every,
        "--every {0.every} makes more than {most:,} rows of history: let it be larger.",
    ),
    (
        lambda course: course.before + course.games <= LARGEST,
        "It has seen {0.before:,} games, and cannot see {0.games:,} more.",
    ),
    (
        lambda course: course.school.opponent != SELF or course.school.side == 0,
        "In self-play both sides learn: leave --side out.",
    ),
)


def prepare(
    game, course, games, opponent=None, side=None, behaviour=None, every=None
):  # fmt: skip
    """Return the Course with all that a person has said of it, ready to run.

    `opponent` and `behaviour` are texts, `side` is a name of `SIDES` or "both".
    Raises ValueError with what is wrong.
    """
    school = course.school
    if opponent is not None:
        school = school._replace(opponent=parse(opponent))
    if behaviour is not None:
        school = school._replace(behaviour=parse(behaviour))
    if side is not None:
        school = school._replace(side=SIDES.get(side, 0))
    elif school.opponent == SELF:
        school = school._replace(side=0)
    pupil = learners.of(course.learner)
    course = replace(
        course,
        school=school,
        games=games,
        every=every or max(10, -(-games // ROWS)),
        before=pupil.games,
        rows=course.rows or [pupil.record(game)],
    )
    for holds, sentence in LAWS:
        if not holds(course):
            raise ValueError(sentence.format(course, most=MOST_ROWS))
    course.training = {
        **course.training, "side": school.side, "opponent": str(school.opponent),
    }  # fmt: skip
    if school.opponent != SELF:
        who = entrant(game, school.opponent)
        course.policy = who.on(-school.side)
        course.words.append(who.untaught(-school.side))
    if school.behaviour is not None:
        who = entrant(game, school.behaviour)
        course.training["behaviour"] = str(school.behaviour)
        course.behaviour = who.on(school.side)
        course.words.append(who.untaught(school.side))
    train(game, course, 0)  # says what else makes no sense, before long work begins
    return course


def train(game, course, games):
    """Return the learner of a course after that many more games."""
    pupil = learners.of(course.learner)
    return pupil.train(game, games, course.policy, course.school.side, course.behaviour)


def run(game, course, screen, pressed=(), watched=True):
    """Train, and return whether Ctrl-C stopped it before its end.

    `pressed` is looked at between two pieces: see `interrupts.held`.
    """
    end = course.before + course.games
    step = min(MOST_AT_ONCE, max(1000, course.games // 100))
    looks = range(course.before, end, step)
    rows = range(course.before, end, course.every)
    with Watch(screen, course, watched) as watch:
        # One by one: of so many games as nobody waits for, there are too many looks.
        for games, _ in groupby(merge(looks, rows, MARKS, [end])):
            if not course.before < games <= end:
                continue
            if pressed:
                break
            seen = learners.of(course.learner).games
            course.learner = train(game, course, games - seen)
            row = learners.of(course.learner).record(game)
            if games in rows or games in MARKS or games == end:
                course.rows.append(row)
            watch(row)
    pupil = learners.of(course.learner)
    if course.rows[-1]["games"] < pupil.games:
        course.rows.append(pupil.record(game))
    return pupil.games < end


class Watch:
    """A progress bar with the exact score, on a terminal; elsewhere nothing."""

    def __init__(self, screen, course, watched):
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        wide = screen.width >= 72
        columns = [TextColumn("{task.completed:,} games")]
        columns.append(BarColumn(None if wide else 5))
        columns.append(TextColumn("{task.fields[score]}"))
        if wide:
            columns.append(TimeRemainingColumn())
        self.progress = Progress(
            *columns,
            console=screen.console,
            disable=not (watched and screen.console.is_terminal),
            transient=True,
        )
        self.before, self.games, self.wide = course.before, course.games, wide

    def __enter__(self):
        self.progress.start()
        self.task = self.progress.add_task("", total=self.games, score="one moment")
        return self

    def __call__(self, row):
        """Show how far it is."""
        score = ""
        wins = {
            place: f"{row[f'win_{place}']:.3f}"
            for place in SIDES
            if f"win_{place}" in row
        }
        if wins:
            score = f"wins {', '.join(wins.values())}"
            if self.wide:
                score += f" as {', '.join(wins)} against random"
        done = row["games"] - self.before
        self.progress.update(self.task, completed=done, score=score)

    def __exit__(self, *_):
        self.progress.stop()


def agent(game, course, path):
    """Return what has been learnt as an Agent, its history continued."""
    before, pupil = course.origin, learners.of(course.learner)
    name = pupil.method if path is None else path.stem
    side, training = course.school.side, course.training
    if before is None:
        made = pupil.how_made(course.school.opponent, side, training["initial"])
    else:
        games = pupil.games - course.before
        made = f"{before.made} Then {games:,} games against {whom(course)}."
        side = before.side if before.side == side else 0
    learner, rows = course.learner, course.rows
    return learners.to_agent(game, learner, name, made, side, rows, training)


def whom(course):
    """Return who a learner trained against, in words."""
    name = course.school.opponent
    if name.kind == "teacher":
        return f"{name._replace(ties='uniform').typed}, ties {name.ties}"
    named = {"self": "itself", "random": "random moves"}
    return named.get(name.kind, name.typed)


def summary(game, course, save, stopped):
    """Return what `tell` says, as names and numbers."""
    pupil = learners.of(course.learner)
    result = {
        "method": pupil.method,
        "games": pupil.games,
        "stopped": stopped,
        "saved": None if save is None else str(save),
        **course.training,
        **pupil.record(game),
    }
    moves = pupil.policy(game)
    if moves is None:
        result |= _judged(game, course)
    elif pupil.taught(game) == 0:
        result["exploitability"] = evaluation.exploitability(game, moves)._asdict()
    return result


def tell(screen, found, course):
    """Tell what `summary` says: how good the learner is, exactly."""
    if found["stopped"]:
        screen.say(f"Stopped early, after {found['games']:,} games.")
    seed = f" Seed {found['seed']}." if course.origin is None else ""
    text = f"{found['method']}: {found['games']:,} games, now against {whom(course)}."
    screen.say(text + seed)
    if "error" in found:
        judged = f"It judges {course.school.behaviour.typed}"
        if "V" in found:
            judged += f": V of the empty board is {decimal(found['V'])}, exactly "
            judged += exact(found["exact"])
        screen.say(f"{judged}.")
        screen.say(
            f"Root mean square error over visited positions: {decimal(found['error'])}."
        )
    else:
        tell_scores(screen, found)
    for words in filter(None, course.words):
        screen.say(words)


def _judged(game, course):
    """Return how far the V of a judge is from the exact value of what it judges."""
    learner, other, errors, result = course.learner, course.policy, [], {}
    other = course.behaviour if other is None else other
    for side in [course.school.side] if course.school.side else [+1, -1]:
        first, second = course.behaviour, other
        if side == -1:
            first, second = other, course.behaviour
        chances = win_draw_loss(game, first, second)
        exact_V = chances @ np.array(learner.rewards)[::side]
        seen = (game.to_move == side) & (learner.visits > 0) & ~game.terminal
        errors.extend((learner.V - exact_V)[seen])
        if side == 1:
            result = {"V": float(learner.V[0]), "exact": float(exact_V[0])}
    error = float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0
    return {"error": error, "positions": len(errors), **result}
