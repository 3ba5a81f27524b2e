"""The command `ttt train`: in pieces, watched, and kept whenever Ctrl-C comes."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import groupby

import click
import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ttt_lib import evaluation, schedules
from ttt_lib.agents import Agent, Name, learners, parse
from ttt_lib.agents.builtin import MARKS
from ttt_lib.console import options
from ttt_lib.console.saving import keep, must_be_new, name_of, offer
from ttt_lib.console.screen import Screen, decimal, exact, patience, report
from ttt_lib.game import SIDES, tables
from ttt_lib.interrupts import defer_sigint
from ttt_lib.validation import MAX_INT, require

MAX_ROWS = 10_000  # of a history
CHUNK_SIZE = 50_000  # games between two looks at Ctrl-C
ROWS = 50  # of a long history, besides those of `builtin.MARKS`
RANDOM, SELF = Name("random"), Name("self")


class Schedule(click.ParamType):
    """A number, or a schedule."""

    name = "schedule"

    def convert(self, value, parameter, context):
        """Return the Schedule."""
        try:
            return schedules.parse(value)
        except ValueError as fault:
            self.fail(str(fault), parameter, context)


@options.command(
    "ttt train q_learning --opponent teacher:0.9 --games 100000 --save mine.json",
    "ttt train --from mine.json --games 50000 --save more.json",
    "ttt train --from q-learning-teacher-0.9 --opponent perfect",
    "ttt train sarsa --epsilon linear:0.5:0:20000 --seed 1 --json",
)
@click.argument(
    "method", type=options.Method({"Methods": learners.METHODS}), required=False
)
@click.option(
    "--opponent",
    help="random, teacher:P, perfect, self, an agent or a file. Default: as before "
    "with --from, self for the methods of self-play, else random.",
)
@click.option(
    "--games",
    type=options.Whole(min=0),
    default=10_000,
    show_default=True,
    help="Games to learn from.",
)
@click.option("--side", type=options.SIDE, help="The learner's side. Default: both.")
@click.option("--alpha", type=Schedule(), help="Step size; see above.")
@click.option("--epsilon", type=Schedule(), help="Exploration; see above.")
@click.option("--gamma", type=options.SHARE, help="Discount.")
@click.option(
    "--lambda", "lambda_", type=options.SHARE, help="Trace decay, of methods td_*."
)
@click.option(
    "--n", type=options.Whole(1, 1000), help="Steps to bootstrap over, of methods td_*."
)
@click.option("--initial", type=options.REWARD, help="First estimate.")
@click.option("--rewards", type=options.REWARD, nargs=3, help="Of win, draw and loss.")
@click.option(
    "--behaviour",
    help="Whose play *_prediction judges, by default random; or who moves for another "
    "learner, off its policy.",
)
@click.option(
    "--every",
    type=options.Whole(min=1),
    help="Games from row to row of the history. Default: a fiftieth.",
)
@click.option(
    "--from",
    "origin",
    metavar="AGENT",
    help="Train this agent further: one that comes with the library, or a file.",
)
@options.seed_option
@options.save_option
@options.force_option
@options.json_option
def train(
    method, origin, seed, save, force, as_json, games, opponent, side, behaviour,
    every, **settings
):  # fmt: skip
    """Train a learner by METHOD, and say exactly how good it has become.

    --alpha and --epsilon are numbers, or schedules: 1/n, linear:START:END:GAMES,
    exponential:START:END:GAMES, power:START:EXPONENT (by visits).

    Ctrl-C stops early, and keeps what is there. Without --save you are asked at a
    terminal whether to keep it.
    """
    if (method is None) == (origin is None):
        raise click.UsageError("Give a METHOD to begin with, or --from AGENT to go on.")
    if origin is not None and seed is not None:
        raise click.UsageError("--seed is for a new learner: AGENT holds its own.")
    must_be_new(save, force)
    game, screen, settings = tables(), Screen(), options.given(settings)
    with patience():
        if origin is None:
            seed = options.seed_or_new(seed)
            training = begin(game, method, options.generator(seed), seed, **settings)
        else:
            training = go_on(game, origin, **settings)
        training = prepare(game, training, games, opponent, side, behaviour, every)
    with defer_sigint() as pressed:  # from here on something may be lost
        stopped = run(game, training, screen, pressed, watched=not as_json)
        if save is not None:
            try:
                save = keep(to_agent(game, training, save), save, force)
            except click.ClickException as fault:
                if as_json or not screen.has_person():
                    raise
                screen.say(fault.message)
                save = None  # so that a person may name a better place
        report(as_json, summary(game, training, save, stopped), tell, training)
        if save is not None and not as_json:
            screen.say(f"Saved in {save}.")
        interrupted = bool(pressed)
        pressed.clear()
    if save is None and not as_json and (stopped or games):
        save = offer(screen, lambda path: to_agent(game, training, path))
        screen.say(f"Saved in {save}." if save else "Not saved: --save FILE keeps it.")
    return options.INTERRUPTED if interrupted else None


@dataclass
class TrainingRun:
    """What is to be done, and how far it is."""

    learner: object  #: of any kind
    opponent: Name | None = RANDOM  #: None if who it was is not here any more
    side: int = 0  #: the learner's, +1 or −1, or 0 for both
    behaviour: Name | None = None  #: who moves for it, if anybody
    games: int = 0  #: to train, in all
    every: int = 0  #: games from row to row
    settings: dict = field(default_factory=dict)  #: what the agent keeps of this
    origin: Agent | None = None  #: what it goes on from
    policies: tuple = ()  #: of opponent and behaviour; None is self-play and nobody
    before: int = 0  #: games seen before
    rows: list = field(default_factory=list)  #: of the history
    notes: list = field(default_factory=list)  #: on who plays a side not taught


def begin(game, method, rng, seed, **settings):
    """Return the TrainingRun of a learner who has seen no game."""
    training = TrainingRun(learners.new(game, method, rng, **settings))
    if method in learners.SELF_PLAY:
        training.opponent = SELF
    if method in learners.PREDICTION_METHODS:
        training.behaviour = RANDOM
    if method == "menace":  # its boxes play one side, or both in self-play
        training.side = +1
    training.settings = {
        "side": training.side, "initial": settings.get("initial", 0.0), "seed": seed,
    }  # fmt: skip
    return training


def go_on(game, text, **settings):
    """Return the TrainingRun of a learner that was kept, named as in `agents.names`."""
    who = options.entrant(game, text)
    require(
        who.made,
        f"{who.name} has not learned, so it cannot go on: give a METHOD to begin with",
    )
    require(
        who.learner is not None,
        f"{who.name} cannot be trained further: its file holds moves and no learner. "
        "It was computed, written by another program or 'ttt export', or learned by a "
        "program of somebody's own. Give a METHOD to begin with",
    )
    learner = who.learner
    if settings:
        learner = learners.of(learner).changed(game, settings)
    kept = {"side": who.side, "opponent": "self", **who.training}
    opponent = behaviour = None
    with suppress(ValueError):  # who it learned from may be gone: see `prepare`
        opponent = parse(kept["opponent"])
    with suppress(ValueError, KeyError):
        behaviour = parse(kept["behaviour"])
    rows = [dict(row) for row in who.history]
    return TrainingRun(
        learner, opponent, kept["side"], behaviour, settings=kept, origin=who,
        rows=rows,
    )  # fmt: skip


def prepare(
    game, training, games, opponent=None, side=None, behaviour=None, every=None
):  # fmt: skip
    """Return the TrainingRun with all that a person has said of it, ready to run.

    `opponent` and `behaviour` are texts, `side` is a name of `SIDES` or "both".
    Raises ValueError with what is wrong.
    """
    learner = learners.of(training.learner)
    training = replace(
        training,
        games=games,
        every=every or max(10, -(-games // ROWS)),
        before=learner.games,
        rows=training.rows or [learner.record(game)],
        notes=[],
    )
    if opponent is not None:
        training.opponent = parse(opponent)
    if behaviour is not None:
        training.behaviour = parse(behaviour)
    if side is not None:
        training.side = SIDES.get(side, 0)
    elif training.opponent == SELF:
        training.side = 0
    demand_possible(training)
    training.settings = {
        **training.settings, "side": training.side, "opponent": str(training.opponent),
    }  # fmt: skip
    policies = [None, None]
    if training.opponent != SELF:
        who = options.entrant(game, training.opponent)
        policies[0] = who.on(-training.side)
        training.notes.append(who.untaught(-training.side))
    if training.behaviour is not None:
        who = options.entrant(game, training.behaviour)
        training.settings["behaviour"] = str(training.behaviour)
        policies[1] = who.on(training.side)
        training.notes.append(who.untaught(training.side))
    training.policies = tuple(policies)
    after(game, training, 0)  # says what else makes no sense, before long work begins
    return training


def demand_possible(training):
    """Raise ValueError with what is missing, too much, or does not go together."""
    kept, games, every = training.settings, training.games, training.every
    require(
        training.opponent is not None,
        f"It learned from {kept.get('opponent')}, who is not here: give --opponent",
    )
    require(
        training.behaviour is not None or "behaviour" not in kept,
        f"It judged {kept.get('behaviour')}, who is not here: give --behaviour",
    )
    many = f"--every {every} makes more than {MAX_ROWS:,} rows of history"
    require(games <= MAX_ROWS * every, f"{many}: let it be larger")
    seen = f"It has seen {training.before:,} games, and cannot see {games:,} more"
    require(training.before + games <= MAX_INT, seen)
    both = training.opponent != SELF or training.side == 0
    require(both, "In self-play both sides learn: leave --side out")


def after(game, training, games):
    """Return the learner after that many more games."""
    opponent, behaviour = training.policies
    learner = learners.of(training.learner)
    return learner.train(game, games, opponent, training.side, behaviour)


def run(game, training, screen, pressed=(), watched=True):
    """Train, and return whether Ctrl-C stopped it before its end.

    `pressed` is looked at between two pieces: see `interrupts.held`.
    """
    end = training.before + training.games
    step = min(CHUNK_SIZE, max(1000, training.games // 100))
    looks = range(training.before, end, step)
    rows = range(training.before, end, training.every)
    with progress_bar(screen, watched) as bar:
        task = bar.add_task("", total=training.games, score="one moment")
        # One by one: of so many games as nobody waits for, there are too many looks.
        for games, _ in groupby(merge(looks, rows, MARKS, [end])):
            if not training.before < games <= end:
                continue
            if pressed:
                break
            seen = learners.of(training.learner).games
            training.learner = after(game, training, games - seen)
            row = learners.of(training.learner).record(game)
            if games in rows or games in MARKS or games == end:
                training.rows.append(row)
            done, score = games - training.before, wins(row, screen.width >= 72)
            bar.update(task, completed=done, score=score)
    learner = learners.of(training.learner)
    if training.rows[-1]["games"] < learner.games:
        training.rows.append(learner.record(game))
    return learner.games < end


def progress_bar(screen, watched):
    """Return a bar with the exact score, on a terminal; elsewhere nothing is shown."""
    wide = screen.width >= 72
    return Progress(
        TextColumn("{task.completed:,} games"),
        BarColumn(None if wide else 5),
        TextColumn("{task.fields[score]}"),
        *[TimeRemainingColumn()] * wide,
        console=screen.console,
        disable=not (watched and screen.console.is_terminal),
        transient=True,
    )


def wins(row, wide):
    """Return how often it wins against random play, in words of some width."""
    places = [place for place in SIDES if f"win_{place}" in row]
    if not places:
        return ""
    text = "wins " + ", ".join(f"{row[f'win_{place}']:.3f}" for place in places)
    return text + f" as {', '.join(places)} against random" * wide


def to_agent(game, training, path):
    """Return what has been learned as an Agent, its history continued."""
    before, learner = training.origin, learners.of(training.learner)
    side, settings = training.side, training.settings
    if before is None:
        made = learner.provenance(training.opponent, side, settings["initial"])
    else:
        games = learner.games - training.before
        made = f"{before.made} Then {games:,} games against {whom(training)}."
        side = before.side if before.side == side else 0
    return learners.to_agent(
        game, training.learner, name_of(path), made, side, training.rows, settings
    )


def whom(training):
    """Return who a learner trained against, in words."""
    name = training.opponent
    if name.kind == "teacher":
        return f"{name._replace(ties='uniform').typed}, ties {name.ties}"
    named = {"self": "itself", "random": "random moves"}
    return named.get(name.kind, name.typed)


def summary(game, training, save, stopped):
    """Return what `tell` says, as names and numbers."""
    learner = learners.of(training.learner)
    found = {
        "method": learner.method,
        "games": learner.games,
        "stopped": stopped,
        "saved": None if save is None else str(save),
        **training.settings,
        **learner.record(game),
    }
    moves = learner.policy(game)
    if moves is None:
        found |= prediction_error(game, training)
    elif learner.taught(game) == 0:
        found["exploitability"] = evaluation.exploitability(game, moves)._asdict()
    return found


def tell(screen, found, training):
    """Tell what `summary` says: how good the learner is, exactly."""
    if found["stopped"]:
        screen.say(f"Stopped early, after {found['games']:,} games.")
    seed = f" Seed {found['seed']}." if training.origin is None else ""
    text = f"{found['method']}: {found['games']:,} games, now against {whom(training)}."
    screen.say(text + seed)
    if "error" in found:
        judged = f"It judges {training.behaviour.typed}"
        if "V" in found:
            judged += f": V of the empty board is {decimal(found['V'])}, exactly "
            judged += exact(found["exact"])
        screen.say(f"{judged}.")
        screen.say(
            f"Root mean square error over visited positions: {decimal(found['error'])}."
        )
    else:
        screen.scores(found)
    for words in filter(None, training.notes):
        screen.say(words)


def prediction_error(game, training):
    """Return how far V is from the exact value of the policy that it predicts."""
    learner, (other, behaviour) = training.learner, training.policies
    other = behaviour if other is None else other
    errors, found = [], {}
    for side in [training.side] if training.side else [+1, -1]:
        pair = (behaviour, other)[::side]
        chances = evaluation.win_draw_loss(game, *pair)
        exact_V = chances @ np.array(learner.rewards)[::side]
        seen = (game.to_move == side) & (learner.visits > 0) & ~game.terminal
        errors.extend((learner.V - exact_V)[seen])
        if side == 1:
            found = {"V": float(learner.V[0]), "exact": float(exact_V[0])}
    error = float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0
    return {"error": error, "positions": len(errors), **found}
