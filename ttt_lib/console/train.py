"""The command `ttt train`: training with a progress bar, saved even after Ctrl-C."""

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

MAX_ROWS = 10_000  # rows of a history
CHUNK_SIZE = 50_000  # games between two checks for Ctrl-C
ROWS = 50  # rows of a long history, in addition to those of `builtin.MARKS`
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
    help="Number of games to train for.",
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
    help="Policy that *_prediction judges (default: random), or that moves for another "
    "learner (off-policy).",
)
@click.option(
    "--every",
    type=options.Whole(min=1),
    help="Games between rows of the history. Default: a fiftieth of --games.",
)
@click.option(
    "--from",
    "origin",
    metavar="AGENT",
    help="Train this agent further: the name of a built-in agent, or a file.",
)
@options.seed_option
@options.save_option
@options.force_option
@options.json_option
def train(
    method, origin, seed, save, force, as_json, games, opponent, side, behaviour,
    every, **settings
):  # fmt: skip
    """Train a learner by METHOD, and score it exactly.

    --alpha and --epsilon are numbers, or schedules: 1/n, linear:START:END:GAMES,
    exponential:START:END:GAMES, power:START:EXPONENT (by visits).

    Ctrl-C stops early, and what has been learned is saved. Without --save you are asked
    at a terminal whether to save it.
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
    with defer_sigint() as pressed:  # from here on learning may be lost
        stopped = run(game, training, screen, pressed, watched=not as_json)
        if save is not None:
            try:
                save = keep(to_agent(game, training, save), save, force)
            except click.ClickException as fault:
                if as_json or not screen.has_person():
                    raise
                screen.say(fault.message)
                save = None  # so that a person can choose another file
        report(as_json, summary(game, training, save, stopped), print_result, training)
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
    """A training run: its settings and its progress."""

    learner: object  #: of any kind
    opponent: Name | None = RANDOM  #: None if it is no longer available
    side: int = 0  #: the learner's, +1 or −1, or 0 for both
    behaviour: Name | None = None  #: behaviour policy, if not its own
    games: int = 0  #: number of games to train for
    every: int = 0  #: games between rows of the history
    settings: dict = field(default_factory=dict)  #: those that are saved with the agent
    origin: Agent | None = None  #: the agent that is trained further
    policies: tuple = ()  #: of opponent (None: self-play) and behaviour (None: its own)
    before: int = 0  #: games learned from before
    rows: list = field(default_factory=list)  #: rows of the history
    notes: list = field(default_factory=list)  #: warnings on sides not trained


def begin(game, method, rng, seed, **settings):
    """Return the TrainingRun of a new learner."""
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
    """Return the TrainingRun of a saved learner, named as in `agents.names`."""
    agent = options.entrant(game, text)
    require(
        agent.made,
        f"{agent.name} has not learned and cannot go on: give a METHOD to begin with",
    )
    require(
        agent.learner is not None,
        f"{agent.name} cannot be trained further: its file holds a policy but no "
        "learner. It was computed, written by another program or 'ttt export', or "
        "learned by a custom learner in Python. Give a METHOD to begin with",
    )
    learner = agent.learner
    if settings:
        learner = learners.adapter(learner).changed(game, settings)
    saved = {"side": agent.side, "opponent": "self", **agent.training}
    opponent = behaviour = None
    with suppress(ValueError):  # its file may be gone: see `prepare`
        opponent = parse(saved["opponent"])
    with suppress(ValueError, KeyError):
        behaviour = parse(saved["behaviour"])
    rows = [dict(row) for row in agent.history]
    return TrainingRun(
        learner, opponent, saved["side"], behaviour, settings=saved, origin=agent,
        rows=rows,
    )  # fmt: skip


def prepare(
    game, training, games, opponent=None, side=None, behaviour=None, every=None
):  # fmt: skip
    """Return the TrainingRun with the settings of the command line, ready to run.

    `opponent` and `behaviour` are texts, `side` is a name of `SIDES` or "both".
    Raises ValueError if a setting is not valid.
    """
    learner = learners.adapter(training.learner)
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
    require_valid(training)
    training.settings = {
        **training.settings, "side": training.side, "opponent": str(training.opponent),
    }  # fmt: skip
    policies = [None, None]
    if training.opponent != SELF:
        agent = options.entrant(game, training.opponent)
        policies[0] = agent.on(-training.side)
        training.notes.append(agent.untaught(-training.side))
    if training.behaviour is not None:
        agent = options.entrant(game, training.behaviour)
        training.settings["behaviour"] = str(training.behaviour)
        policies[1] = agent.on(training.side)
        training.notes.append(agent.untaught(training.side))
    training.policies = tuple(policies)
    after(game, training, 0)  # raises on other invalid settings before long training
    return training


def require_valid(training):
    """Raise ValueError if settings are missing, too large or contradictory."""
    saved, games, every = training.settings, training.games, training.every
    require(
        training.opponent is not None,
        f"Its opponent {saved.get('opponent')} is not available: give --opponent",
    )
    require(
        training.behaviour is not None or "behaviour" not in saved,
        f"The policy that it judged, {saved.get('behaviour')}, is not available: give "
        "--behaviour",
    )
    too_many_rows = f"--every {every} makes more than {MAX_ROWS:,} rows of history"
    require(games <= MAX_ROWS * every, f"{too_many_rows}: give a larger number")
    too_many = f"It has seen {training.before:,} games, and cannot see {games:,} more"
    require(training.before + games <= MAX_INT, too_many)
    trains_both = training.opponent != SELF or training.side == 0
    require(trains_both, "In self-play both sides learn: leave --side out")


def after(game, training, games):
    """Return the learner after that many more games."""
    opponent, behaviour = training.policies
    learner = learners.adapter(training.learner)
    return learner.train(game, games, opponent, training.side, behaviour)


def run(game, training, screen, pressed=(), watched=True):
    """Train, and return whether Ctrl-C stopped it before its end.

    `pressed` is checked between two chunks: see `interrupts.defer_sigint`.
    """
    end = training.before + training.games
    step = min(CHUNK_SIZE, max(1000, training.games // 100))
    chunk_ends = range(training.before, end, step)
    rows = range(training.before, end, training.every)
    with progress_bar(screen, watched) as bar:
        task = bar.add_task("", total=training.games, score="one moment")
        # Merged lazily, because a very long run has too many chunks for a list.
        for games, _ in groupby(merge(chunk_ends, rows, MARKS, [end])):
            if not training.before < games <= end:
                continue
            if pressed:
                break
            played = learners.adapter(training.learner).games
            training.learner = after(game, training, games - played)
            row = learners.adapter(training.learner).record(game)
            if games in rows or games in MARKS or games == end:
                training.rows.append(row)
            done, score = games - training.before, wins(row, screen.width >= 72)
            bar.update(task, completed=done, score=score)
    learner = learners.adapter(training.learner)
    if training.rows[-1]["games"] < learner.games:
        training.rows.append(learner.record(game))
    return learner.games < end


def progress_bar(screen, watched):
    """Return a progress bar with exact scores; it is shown only on a terminal."""
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
    """Return the probability of a win against random play as text, long if wide."""
    sides = [side for side in SIDES if f"win_{side}" in row]
    if not sides:
        return ""
    text = "wins " + ", ".join(f"{row[f'win_{side}']:.3f}" for side in sides)
    return text + f" as {', '.join(sides)} against random" * wide


def to_agent(game, training, path):
    """Return the trained Agent, with its history continued."""
    before, learner = training.origin, learners.adapter(training.learner)
    side, settings = training.side, training.settings
    if before is None:
        made = learner.provenance(training.opponent, side, settings["initial"])
    else:
        games = learner.games - training.before
        made = f"{before.made} Then {games:,} games against {opponent_text(training)}."
        side = before.side if before.side == side else 0
    return learners.to_agent(
        game, training.learner, name_of(path), made, side, training.rows, settings
    )


def opponent_text(training):
    """Return a description of the opponent."""
    name = training.opponent
    if name.kind == "teacher":
        return f"{name._replace(ties='uniform').typed}, ties {name.ties}"
    descriptions = {"self": "itself", "random": "random moves"}
    return descriptions.get(name.kind, name.typed)


def summary(game, training, save, stopped):
    """Return the result of the training as data for JSON."""
    learner = learners.adapter(training.learner)
    data = {
        "method": learner.method,
        "games": learner.games,
        "stopped": stopped,
        "saved": None if save is None else str(save),
        **training.settings,
        **learner.record(game),
    }
    moves = learner.policy(game)
    if moves is None:
        data |= prediction_error(game, training)
    elif learner.taught(game) == 0:
        data["exploitability"] = evaluation.exploitability(game, moves)._asdict()
    return data


def print_result(screen, data, training):
    """Write the result of `summary`: the exact scores of the learner."""
    if data["stopped"]:
        screen.say(f"Stopped early, after {data['games']:,} games.")
    seed = f" Seed {data['seed']}." if training.origin is None else ""
    games = f"{data['games']:,} games, now against {opponent_text(training)}."
    screen.say(f"{data['method']}: {games}{seed}")
    if "error" in data:
        text = f"It judges {training.behaviour.typed}"
        if "V" in data:
            text += f": V of the empty board is {decimal(data['V'])}, exactly "
            text += exact(data["exact"])
        screen.say(f"{text}.")
        screen.say(
            f"Root mean square error over visited positions: {decimal(data['error'])}."
        )
    else:
        screen.scores(data)
    for note in filter(None, training.notes):
        screen.say(note)


def prediction_error(game, training):
    """Return the error of V from the exact values of the policy that it predicts."""
    learner, (opponent, behaviour) = training.learner, training.policies
    opponent = behaviour if opponent is None else opponent
    errors, of_empty_board = [], {}
    for side in [training.side] if training.side else [+1, -1]:
        pair = (behaviour, opponent)[::side]
        probabilities = evaluation.win_draw_loss(game, *pair)
        exact_V = probabilities @ np.array(learner.rewards)[::side]
        visited = (game.to_move == side) & (learner.visits > 0) & ~game.terminal
        errors.extend((learner.V - exact_V)[visited])
        if side == 1:
            of_empty_board = {"V": float(learner.V[0]), "exact": float(exact_V[0])}
    error = float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0
    return {"error": error, "positions": len(errors), **of_empty_board}
