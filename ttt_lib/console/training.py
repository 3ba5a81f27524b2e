"""A course of training as the console runs it: in pieces, watched, and kept."""

from dataclasses import dataclass, field

import numpy as np

from ttt_lib import evaluation
from ttt_lib.agents import learners, recipes, storage
from ttt_lib.agents.players import contestant, load, must_move
from ttt_lib.console.scores import tell_scores
from ttt_lib.console.screen import decimal, exact

SIDES = {"first": +1, "second": -1, "both": 0}
MOST_ROWS = 10_000
MOST_AT_ONCE = 50_000  # games between two looks at Ctrl-C
ROWS = 50  # of a long history, besides those of `recipes.MARKS`


@dataclass
class Course:
    """What is to be done, and how far it is."""

    learner: tuple  #: a Learner, or Matchboxes
    games: int  #: to train, in all
    opponent: str  #: as in `recipes.opponent`, or a file
    policy: np.ndarray | None  #: of the opponent; None is self-play
    side: int
    behaviour: np.ndarray | None  #: whose play is judged, if anybody's
    every: int  #: games from row to row
    training: dict  #: what the agent keeps of this
    before: int  #: games seen before
    origin: storage.Agent | None = None  #: what it goes on from
    rows: list = field(default_factory=list)  #: of the history


def prepare(
    game, method, origin, generator, seed, opponent=None, games=0, side=None,
    behaviour=None, every=None, ties="uniform", **settings,
):  # fmt: skip
    """Return the Course of a new learner, or of the one in the file `origin`."""
    given = {name: value for name, value in settings.items() if value is not None}
    if origin is None:
        agent, training = None, {"side": 0, "initial": 0.0, "seed": seed}
        learner = learners.new(game, method, generator, **given)
        training["initial"] = given.get("initial", 0.0)
        training["opponent"] = "self" if method in learners.SELF_PLAY else "random"
        if method in learners.JUDGES:
            training["behaviour"] = "random"
        if method == "menace":  # its boxes play one side, or both in self-play
            training["side"] = +1
    else:
        agent = load(origin)
        if not learners.is_learned(agent):
            raise ValueError(f"{agent.name} has not learned, so it cannot go on.")
        learner = learners.to_learner(game, agent, generator)
        learner = _changed(game, learner, given, generator)
        training = {"side": agent.side, "opponent": "self", **agent.hyperparameters}
        for name in ("learner", "matchboxes"):
            training.pop(name, None)
    if side is not None:
        training["side"] = SIDES[side]
    for name, text in (("opponent", opponent), ("behaviour", behaviour)):
        if text is not None:
            training[name] = _kept_name(text, ties)
    course = Course(
        learner, games, training["opponent"], None, training["side"], None,
        every or max(10, -(-games // ROWS)), training, learner.games, agent,
    )  # fmt: skip
    if games > MOST_ROWS * course.every:
        raise ValueError(
            f"--every {every} makes {games // course.every:,} rows of history: let it "
            f"be larger, for at most {MOST_ROWS:,}."
        )
    if course.opponent == "self" and side is None:
        course.side = training["side"] = 0
    if learners.method(learner) == "menace":
        if course.side == 0 and course.opponent != "self":
            raise ValueError("Matchboxes play one side: --side first, or second.")
        if "behaviour" in training:
            raise ValueError("menace has no behaviour: beads are all it has.")
    if course.opponent == "self" and course.side != 0:
        raise ValueError("In self-play both sides learn: leave --side out.")
    course.policy = _moves(game, course.opponent, generator)
    if "behaviour" in training:
        course.behaviour = _moves(game, training["behaviour"], generator)
    course.rows = [dict(row) for row in agent.history] if agent is not None else []
    if not course.rows:
        course.rows.append(learners.record(game, learner))
    return course


def _kept_name(text, ties):
    """Return an opponent's name as an agent keeps it: a teacher's with its rule."""
    kind, _, level = text.strip().lower().partition(":")
    return f"teacher {level or 0.9} {ties}" if kind == "teacher" else text


def _moves(game, text, rng):
    """Return the policy (S, A) of an opponent of that kept name, None for itself."""
    if text == "self":
        return None
    word, *rest = text.split()
    ties = "uniform"
    if word == "teacher":
        text, ties = f"teacher:{rest[0]}", (rest[1:] or ["lowest"])[0]
    who = contestant(game, text, rng, ties)
    must_move(who)
    if who.side != 0:
        raise ValueError(f"{who.name} was made for one side, and a trainer needs both.")
    return who.policy


def _changed(game, learner, given, rng):
    """Return a learner with other settings from now on."""
    if "initial" in given:
        raise ValueError("--initial is for a new learner, and this one has begun.")
    if not given:
        return learner
    method = learners.method(learner)
    if method == "menace":
        raise ValueError("Matchboxes that have begun keep their settings.")
    checked = learners.new(game, method, rng, **given)
    return learner._replace(**{name: getattr(checked, name) for name in given})


def run(game, course, screen, watched=True):
    """Train, and return whether Ctrl-C stopped it; what was done until then is kept."""
    end = course.before + course.games
    step = min(MOST_AT_ONCE, max(1000, course.games // 100))
    at = {*range(course.before, end, step), *range(course.before, end, course.every)}
    noted = {*range(course.before, end, course.every), *recipes.MARKS, end}
    at = sorted(games for games in at | noted if course.before < games <= end)
    try:
        with Watch(screen, course, watched) as watch:
            for games in at:
                learner = course.learner = learners.train(
                    game, course.learner, games - course.learner.games,
                    course.policy, course.side, course.behaviour,
                )  # fmt: skip
                row = learners.record(game, learner)
                if learner.games in noted:
                    course.rows.append(row)
                watch(row)
    except KeyboardInterrupt:
        if course.rows[-1]["games"] < course.learner.games:
            course.rows.append(learners.record(game, course.learner))
        return True
    return False


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
        if "win_first" in row:
            score = f"wins {row['win_first']:.3f}, {row['win_second']:.3f}"
            if self.wide:
                score += " as first, second against random"
        done = row["games"] - self.before
        self.progress.update(self.task, completed=done, score=score)

    def __exit__(self, *_):
        self.progress.stop()


def agent(game, course, path):
    """Return what has been learnt as an Agent, its history continued."""
    before, learner = course.origin, course.learner
    name = learners.method(learner) if path is None else path.stem
    if before is None:
        initial = course.training["initial"]
        made = learners.how_made(learner, course.opponent, course.side, initial)
        side = course.side
    else:
        games = learner.games - course.before
        made = f"{before.made} Then {games:,} games against {whom(course)}."
        side = before.side if before.side == course.side else 0
    rows, training = course.rows, course.training
    return learners.to_agent(game, learner, name, made, side, rows, training)


def whom(course):
    """Return who a learner trained against, in words."""
    word, *rest = course.opponent.split()
    if word == "teacher" and len(rest) == 2:
        return "teacher:{}, ties {}".format(*rest)
    named = {"self": "itself", "random": "random moves"}
    return named.get(course.opponent, course.opponent)


def summary(game, course, save, stopped):
    """Return what `tell` says, as names and numbers."""
    learner = course.learner
    result = {
        "method": learners.method(learner),
        "games": learner.games,
        "stopped": stopped,
        "saved": None if save is None else str(save),
        **course.training,
        **learners.record(game, learner),
    }
    if result["method"] in learners.JUDGES:
        result |= _judged(game, course)
    else:
        moves = learners.moves(game, learner)
        result["exploitability"] = evaluation.exploitability(game, moves)._asdict()
    return result


def tell(game, course, screen, save, stopped):
    """Say how good the learner is, exactly."""
    found = summary(game, course, save, stopped)
    if stopped:
        screen.say(f"Stopped early, after {found['games']:,} games.")
    seed = f" Seed {found['seed']}." if course.origin is None else ""
    text = f"{found['method']}: {found['games']:,} games, now against {whom(course)}."
    screen.say(text + seed)
    if "error" in found:
        screen.say(
            f"It judges {course.training['behaviour']}: V of the empty board is "
            f"{decimal(found['V'])}, exactly {exact(found['exact'])}."
        )
        screen.say(
            f"Root mean square error over visited positions: {decimal(found['error'])}."
        )
    else:
        tell_scores(screen, found)
    if save is not None:
        screen.say(f"Saved in {save}.")
    elif stopped or course.games:
        screen.say("Not saved: --save FILE keeps it.")


def _judged(game, course):
    """Return how far the V of a judge is from the exact value of what it judges."""
    learner, other = course.learner, course.policy
    other = course.behaviour if other is None else other
    errors, result = [], {}
    for side in (+1, -1) if course.side == 0 else (course.side,):
        pair = (course.behaviour, other)[::side]
        rewards = np.array(learner.rewards)[::side]
        chances = evaluation.win_draw_loss(game, *pair)
        seen = (game.to_move == side) & (learner.visits > 0) & ~game.terminal
        errors.extend((learner.V - chances @ rewards)[seen])
        if side == 1:
            result = {"V": float(learner.V[0]), "exact": float(chances[0] @ rewards)}
    error = float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0
    return {"error": error, "positions": len(errors), **result}
