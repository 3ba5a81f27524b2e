"""The console program `ttt`: play, train, solve, keep, compare.

Each command is a function that asks the library and writes what it answers.
What takes long to import is imported where it is used: `ttt --help` waits for nothing.
"""

import csv
import json
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

DONE, PROBLEM, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

STATUSES = """\b
Exit status: 0 done; 1 a problem, as a file that cannot be used;
2 wrong use, as an unknown name; 130 interrupted by Ctrl-C."""

BOARDS = {  # the five of a well-known vignette; what it says of them is put right here
    "empty": "___/___/___",
    "win_4_or_5": "x_x/o_o/___",
    "win_1": "_xx/__o/oox",
    "draw_6": "_o_/xox/___",
    "loss": "oo_/xox/x__",
}


class Command(click.Command):
    """A command in which the library's sentence on a wrong setting is wrong use.

    One on an agent that cannot be used is a problem.
    """

    def invoke(self, context):
        """Run the command."""
        try:
            return super().invoke(context)
        except ValueError as fault:
            from ttt_lib.agents import UnusableError

            if isinstance(fault, UnusableError):
                raise click.ClickException(str(fault)) from None
            raise click.UsageError(str(fault), context) from None


class Whole(click.IntRange):
    """A whole number."""

    name = "whole number"


class Number(click.FloatRange):
    """A number: neither infinite, nor none at all."""

    name = "number"

    def convert(self, value, parameter, context):
        """Return the number."""
        number = super().convert(value, parameter, context)
        if number != number:
            self.fail(f"{value!r} is not a valid number.", parameter, context)
        return number


SHARE = Number(0, 1)
REWARD = Number(-1e6, 1e6)


def example(*lines):
    """Return the end of a command's help: an example of its use, and exit statuses."""
    return (
        "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines) + "\n\n" + STATUSES
    )


def tell_version(context):
    """Write the version, and leave."""
    try:
        number = version("ttt-lib")
    except PackageNotFoundError:
        number = "unknown: it is not installed"
    click.echo(f"ttt, version {number}")
    context.exit(DONE)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog=example(
        "ttt play perfect",
        "ttt train q_learning --opponent teacher:0.9 --save mine.json",
        "ttt match mine.json random",
    ),
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, asked: asked and tell_version(context),
    help="Show the version and exit.",
)
def cli():
    """Tic-tac-toe: play it, train and solve agents, keep them, compare them."""


# What several commands take


def wants_json(command):
    """Add the option --json."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Write the result as JSON."
    )(command)


def takes_ties(command):
    """Add the option --ties."""
    return click.option(
        "--ties",
        type=click.Choice(["uniform", "lowest"]),
        default="uniform",
        show_default=True,
        help="Which of equally good moves 'perfect' and 'teacher' take.",
    )(command)


def takes_seed(command):
    """Add the option --seed."""
    return click.option(
        "--seed",
        type=Whole(min=0),
        help="Start of the random numbers; the same seed gives the same run. "
        "Without it, a new one is drawn.",
    )(command)


def saves(command):
    """Add the options --save and --force."""
    command = click.option(
        "--force", is_flag=True, help="Let --save replace a file that exists."
    )(command)
    return click.option(
        "--save",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep the agent in this file.",
    )(command)


SIDES = {"first": +1, "second": -1, "both": 0}


def drawn(seed):
    """Return a seed: the one given, or one drawn now."""
    return int.from_bytes(os.urandom(4), "big") if seed is None else seed


def generator(seed):
    """Return a generator of random numbers; here a person gives its seed."""
    from numpy.random import default_rng

    return default_rng(seed)


def who_is(game, text, rng, ties="uniform", **settings):
    """Return the Player of a name."""
    from ttt_lib.agents import parse, player

    return player(game, parse(text, ties), rng, **settings)


def must_move(*players):
    """Refuse those without a policy where one is needed."""
    for who in players:
        who.on(who.side)


def known_method(text, methods):
    """Return the name of a method as the library has it; others are wrong use."""
    from ttt_lib.agents.names import nearest

    name = text.lower().replace("-", "_")
    if name in methods:
        return name
    near = nearest(name, methods)
    hint = f"do you mean {' or '.join(near)}?" if near else "they are in --help."
    raise click.UsageError(f"There is no method named {text}: {hint}")


def must_be_new(path, force):
    """Refuse to write over a file, unless --force."""
    if path is not None and path.exists() and not force:
        raise click.ClickException(f"{path} exists: --force replaces it.")
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise click.ClickException(f"There is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise click.ClickException(f"The folder {folder} may not be written to.")


def refused(path):
    """Return the sentence on a file that may not be written anew, None if it may."""
    try:
        must_be_new(path, False)
    except click.ClickException as fault:
        return fault.message
    return None


def keep(agent, path, force):
    """Save an agent, and return where.

    Unless forced it replaces no file, not even one that has come while it was made: it
    then takes a name beside it, so that neither is lost.
    """
    from ttt_lib.agents import storage

    place, number = path, 1
    try:
        while not force:
            try:
                place.open("x").close()
                break
            except FileExistsError:
                number += 1
                place = path.with_stem(f"{path.stem}-{number}")
        try:
            storage.save(agent, place)
        except BaseException:
            if not force:
                place.unlink(missing_ok=True)
            raise
    except OSError as fault:
        text = f"{place} was not written: {fault.strerror}."
        raise click.ClickException(text) from None
    return place


def write_json(result):
    """Write a result as JSON."""
    click.echo(json.dumps(result, indent=1))


def screen_now():
    """Return the Screen to write on."""
    from ttt_lib.console.screen import Screen

    return Screen()


# Play


@cli.command(
    cls=Command,
    epilog=example(
        "ttt play perfect --mark O --starts lot --numbers values",
        "ttt play new:q_learning --learn --alpha 0.5 --save mine.json",
        "ttt play mine.json --learn",
    ),
)
@click.argument("opponent", default="perfect")
@click.option(
    "--mark",
    type=click.Choice(["X", "O"], case_sensitive=False),
    default="X",
    show_default=True,
    help="Your mark.",
)
@click.option(
    "--starts",
    type=click.Choice(["you", "it", "lot"]),
    default="you",
    show_default=True,
    help="Who begins; 'lot' draws one for each game.",
)
@click.option(
    "--numbers",
    type=click.Choice(["off", "values", "probabilities"]),
    default="off",
    show_default=True,
    help="What to show on the cells when the opponent chooses, and whether its move "
    "was greedy (best by its numbers) or exploring.",
)
@click.option(
    "--cells",
    type=click.Choice(["0-8", "1-9"]),
    default="0-8",
    show_default=True,
    help="How cells are numbered; row,column counts from 0 or 1 likewise.",
)
@click.option("--learn", is_flag=True, help="Let the opponent learn from each game.")
@click.option("--alpha", type=SHARE, help="Step size of a new learner.")
@click.option("--epsilon", type=SHARE, help="How often the opponent explores.")
@click.option("--gamma", type=SHARE, help="Discount of a new learner.")
@click.option("--initial", type=REWARD, help="First estimate of a new learner.")
@takes_ties
@takes_seed
@saves
def play(
    opponent, mark, starts, numbers, cells, learn, alpha, epsilon, gamma, initial,
    ties, seed, save, force,
):  # fmt: skip
    """Play against OPPONENT.

    OPPONENT is random, perfect, teacher:P, person (two of you in turns), an agent that
    comes with the library, a file, or new:METHOD, a learner who knows nothing yet.

    With --learn it learns from each game; a file is then kept up to date after each.

    During a game type a cell, or row,column; u takes back, h gives a hint, n changes
    the numbers on the cells, q leaves and ? helps.
    """
    from ttt_lib.console.screen import patience
    from ttt_lib.console.sitting import Manner, Sitting
    from ttt_lib.game import tables

    game, screen = tables(), screen_now()
    rng = generator(drawn(seed))
    given = {"alpha": alpha, "epsilon": epsilon, "gamma": gamma, "initial": initial}
    settings = {name: value for name, value in given.items() if value is not None}
    new = opponent.strip().lower().startswith("new:")
    for name in [] if new else settings.keys() - {"epsilon"}:
        raise click.UsageError(f"--{name} is for a new learner, as new:q_learning.")
    with patience():
        who = who_is(game, opponent, rng, ties, **(settings if new else {}))
    if who.agent is not None:
        must_move(who)
    if learn and who.learner is None:
        raise click.UsageError(f"{who.name} cannot learn: name a method or its file.")
    if save is not None and not learn:
        raise click.UsageError("--save keeps what is learned: it needs --learn.")
    if (starts == "it" and who.side == -1) or (starts == "you" and who.side == 1):
        starts = "it" if who.side == 1 else "you"
        screen.say(f"{who.name} was made for one side only: {starts} will begin.")
    own = save is not None and save == who.path
    must_be_new(save, force or own)
    path = save if save is not None or not learn else who.path
    if learn:
        where = f"and is kept in {path}" if path else "and is not kept: see --save"
        screen.say(f"{who.name} learns from each game, {where}.")
    keeper = _keeper(game, screen, who, path, force) if learn and path else None
    first = int(cells[0])
    manner = Manner(mark.upper(), starts, numbers, first, epsilon, learn, keeper)
    return INTERRUPTED if Sitting(game, who, screen, rng, manner).run() else DONE


def _keeper(game, screen, who, path, force):
    """Return what keeps a learner after each game, and says if it cannot."""
    from ttt_lib.agents import learners

    agent = who.agent
    force = force or path == who.path
    if agent is None:
        name, side, rows, extra = path.stem, 0, [], {"opponent": "self", "side": 0}
        made = f"Learned by {learners.of(who.learner).method} from games by hand."
        rows.append(learners.of(who.learner).record(game))
    else:
        name, side, rows = agent.name, agent.side, list(agent.history)
        made, extra = agent.made, learners.training(agent)
        if not made.endswith("by hand."):
            made += " Then games by hand."

    def keep_learner(learner):
        nonlocal path, force
        rows.append(learners.of(learner).record(game))
        kept = learners.to_agent(game, learner, name, made, side, rows, extra)
        try:
            place = keep(kept, path, force)
        except click.ClickException as fault:
            screen.say(f"{fault.message} Play goes on.")
            return
        if place != path:
            screen.say(f"{path} has come meanwhile: this one is kept in {place}.")
        path, force = place, True  # from now on it is our own

    return keep_learner


# Match and tournament


@cli.command(
    cls=Command, epilog=example("ttt match perfect random --games 1000 --seed 1")
)
@click.argument("a")
@click.argument("b")
@click.option("--games", type=Whole(min=1), help="Sample games as well.")
@takes_ties
@takes_seed
@wants_json
def match(a, b, games, ties, seed, as_json):
    """Compare A and B exactly, each as first and as second player.

    A and B are named as in 'ttt play'.
    """
    from ttt_lib.console import scores
    from ttt_lib.game import tables

    game, seed = tables(), drawn(seed)
    rng = generator(seed)
    pair = [who_is(game, text, rng, ties) for text in (a, b)]
    must_move(*pair)
    results = scores.match(game, pair, games, rng)
    if as_json:
        write_json({"games": games, "seed": seed, "ties": ties, "matches": results})
        return
    screen = screen_now()
    scores.tell_match(screen, results, games)
    if games:
        screen.say(f"Seed of the sample: {seed}.")


@cli.command(
    cls=Command, epilog=example("ttt tournament random perfect teacher:0.9 --csv")
)
@click.argument("agents", nargs=-1, required=True)
@takes_ties
@click.option("--csv", "as_csv", is_flag=True, help="Write the table as CSV.")
@wants_json
def tournament(agents, ties, as_csv, as_json):
    """Compare all AGENTS exactly: a cross table of every one against every one.

    The row is first player, the column second. An entry is the first player's mean
    result, +1 for a win, 0 for a draw and -1 for a loss.
    """
    from ttt_lib.console import scores
    from ttt_lib.game import tables

    game, rng = tables(), generator(0)
    entrants = [who_is(game, text, rng, ties) for text in agents]
    must_move(*entrants)
    results = scores.tournament(game, entrants)
    if as_json:
        write_json({"ties": ties, "results": results})
    elif as_csv:
        table = csv.DictWriter(sys.stdout, list(results[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(results)
    else:
        scores.tell_tournament(screen_now(), entrants, results)


# Train


def read_schedule(context, parameter, text):
    """Return a number, or the Schedule a text stands for."""
    if text is None:
        return None
    from ttt_lib import schedules

    kind, *numbers = text.replace(",", ":").split(":")
    try:
        if not numbers:
            return schedules.one_over_n() if kind == "1/n" else float(kind)
        numbers = [float(number) for number in numbers]
        if kind in ("linear", "exponential") and len(numbers) == 3:
            return getattr(schedules, kind)(*numbers)
        if kind == "power" and len(numbers) == 2:
            return schedules.power(*numbers)
    except ValueError as fault:
        if "could not convert" not in str(fault):
            raise click.BadParameter(str(fault)) from None
    raise click.BadParameter(
        f"{text!r} is no schedule: give a number, 1/n, linear:START:END:GAMES, "
        "exponential:START:END:GAMES, or power:START:EXPONENT."
    )


@cli.command(
    cls=Command,
    epilog=example(
        "ttt train q_learning --opponent teacher:0.9 --games 100000 --save mine.json",
        "ttt train --from mine.json --games 50000 --save more.json",
        "ttt train sarsa --epsilon linear:0.5:0:20000 --seed 1 --json",
    ),
)
@click.argument("method", required=False)
@click.option(
    "--opponent",
    help="random, teacher:P, perfect, self, an agent or a file. Default: as before "
    "with --from, self for the methods of self-play, else random.",
)
@click.option(
    "--games", type=Whole(min=0), default=10_000, show_default=True,
    help="Games to learn from.",
)  # fmt: skip
@click.option(
    "--side", type=click.Choice(list(SIDES)), help="The learner's side. Default: both."
)
@click.option("--alpha", callback=read_schedule, help="Step size; see below.")
@click.option("--epsilon", callback=read_schedule, help="Exploration; see below.")
@click.option("--gamma", type=SHARE, help="Discount.")
@click.option("--lambda", "lambda_", type=SHARE, help="Trace decay, of methods td_*.")
@click.option("--n", type=int, help="Steps to bootstrap over, of methods td_*.")
@click.option("--initial", type=REWARD, help="First estimate.")
@click.option("--rewards", type=REWARD, nargs=3, help="Of win, draw and loss.")
@click.option(
    "--behaviour",
    help="Whose play *_prediction judges, by default random; or who moves for another "
    "learner, off its policy.",
)
@click.option(
    "--every",
    type=Whole(min=1),
    help="Games from row to row of the history. Default: a fiftieth.",
)
@click.option(
    "--from",
    "origin",
    metavar="AGENT",
    help="Train this agent further: its name, or its file.",
)
@takes_ties
@takes_seed
@saves
@wants_json
def train(
    method, origin, opponent, games, side, behaviour, every, ties, seed, save, force,
    as_json, **given,
):  # fmt: skip
    """Train a learner by METHOD, and say exactly how good it has become.

    METHOD is one of td_afterstates, td_all_moves, backward_sweep, mc_control, sarsa,
    expected_sarsa, q_learning, double_q_learning, independent_q, minimax_q, menace,
    td_prediction, mc_prediction.

    --alpha and --epsilon are numbers, or schedules: 1/n, linear:START:END:GAMES,
    exponential:START:END:GAMES, power:START:EXPONENT (by visits).

    Ctrl-C stops early, and keeps what is there.
    """
    must_be_new(save, force)
    if (method is None) == (origin is None):
        raise click.UsageError("Give a METHOD to begin with, or --from AGENT to go on.")
    from ttt_lib.agents import learners
    from ttt_lib.console import training
    from ttt_lib.console.screen import patience
    from ttt_lib.game import tables

    if origin is not None and seed is not None:
        raise click.UsageError("--seed is for a new learner: AGENT holds its own.")
    game, screen, seed = tables(), screen_now(), drawn(seed)
    settings = {name: value for name, value in given.items() if value is not None}
    with patience():
        if origin is None:
            method = known_method(method, learners.METHODS)
            course = training.begin(game, method, generator(seed), seed, **settings)
        else:
            course = training.go_on(game, origin, **settings)
        course = training.prepare(
            game, course, games, opponent, side, behaviour, every, ties
        )
    stopped = training.run(game, course, screen, watched=not as_json)
    if save is not None:
        save = keep(training.agent(game, course, save), save, force)
    if as_json:
        write_json(training.summary(game, course, save, stopped))
        return INTERRUPTED if stopped else DONE
    training.tell(game, course, screen, stopped)
    if save is None and (stopped or games):
        place = training.ask_where(screen, refused)
        if place is not None:
            save = keep(training.agent(game, course, place), place, False)
    if save is not None:
        screen.say(f"Saved in {save}.")
    return INTERRUPTED if stopped else DONE


# Solve


@cli.command(
    cls=Command,
    epilog=example(
        "ttt solve value_iteration --gamma 0.9 --against random",
        "ttt solve policy_iteration --side second --rewards 500 0 -3500 --save so.json",
        "ttt solve alpha_beta --order lines",
    ),
)
@click.argument("method")
@click.option(
    "--against",
    metavar="OPPONENT",
    help="The opponent, named as in 'ttt play'. Default: random.",
)
@click.option("--side", type=click.Choice(list(SIDES)), help="Default: both.")
@click.option("--gamma", type=SHARE, help="Discount. Default: 1.")
@click.option(
    "--rewards", type=REWARD, nargs=3, metavar="W D L", help="Default: 1 0 -1."
)
@click.option(
    "--order",
    help="Order of sweeps (synchronous, rising, falling); for "
    "alpha_beta 'lines' tries the cells on most lines first.",
)
@click.option("--evaluations", type=int, help="Of modified_policy_iteration.")
@click.option(
    "--theta", type=Number(0), help="Sweeps stop when no value changes by more."
)
@click.option("--policy", help="Whose play a judge evaluates. Default: random.")
@click.option("--board", help="Where a search starts, as x_x/o_o/___.")
@click.option(
    "--first",
    type=click.Choice(["X", "O"], case_sensitive=False),
    default="X",
    help="Whose mark on --board moves first.",
    show_default=True,
)
@click.option(
    "--ties",
    type=click.Choice(["uniform", "lowest"]),
    help="Which of equally good moves the result takes. Default: uniform.",
)
@saves
@wants_json
def solve(method, first, save, force, as_json, **given):
    """Solve the game by METHOD, and say what it found and at what cost.

    Planning against an opponent who does not change: policy_iteration,
    modified_policy_iteration, value_iteration, prioritised_sweeping,
    backward_induction, linear_programme, best_response; and for a given policy
    policy_evaluation and linear_solve.

    Search against an opponent who thinks: minimax, alpha_beta, minimax_on_tables,
    minimax_with_memory, solve.
    """
    from ttt_lib.console import solving
    from ttt_lib.game import tables

    method = known_method(method, solving.METHODS)
    given = {name: value for name, value in given.items() if value is not None}
    solving.check_options(method, given)
    must_be_new(save, force)
    game, rng = tables(), generator(0)
    gamma, rewards = given.pop("gamma", 1.0), given.pop("rewards", (1.0, 0.0, -1.0))
    against, side = given.pop("against", "random"), SIDES[given.pop("side", "both")]
    if method in solving.SEARCH:
        s = game.find(given.pop("board"), first) if "board" in given else 0
        answers = [solving.look(game, method, s, gamma, **given)]
    else:
        who = who_is(game, against, rng)
        must_move(who)
        if method in solving.JUDGES:
            judged = who_is(game, given.pop("policy", "random"), rng)
            must_move(judged)
            given["policy"] = judged.policy
        answers = [
            solving.plan(game, method, who.on(-each), each, gamma, rewards, **given)
            for each in ((+1, -1) if side == 0 else (side,))
        ]
    if save is not None:
        made = solving.agent(method, answers, against, gamma, rewards, game, save.stem)
        save = keep(made, save, force)
    result = solving.summary(game, method, answers, against, gamma, rewards)
    if as_json:
        write_json(result | {"saved": None if save is None else str(save)})
        return
    screen = screen_now()
    solving.tell(screen, result)
    if save is not None:
        screen.say(f"Saved in {save}.")


# Show, plot, list


@cli.command(
    cls=Command,
    epilog=example(
        "ttt show safe-and-greedy",
        "ttt show perfect x_x/o_o/___",
        "ttt show mine.json --tests",
    ),
)
@click.argument("agent")
@click.argument("board", required=False)
@click.option(
    "--first",
    type=click.Choice(["X", "O"], case_sensitive=False),
    default="X",
    help="Whose mark moves first.",
    show_default=True,
)
@click.option("--tests", is_flag=True, help="Its moves on five well-known boards.")
@takes_ties
@wants_json
def show(agent, board, first, tests, ties, as_json):
    """Show who AGENT is, or what it thinks of BOARD.

    AGENT is named as in 'ttt play'. BOARD has a row for each line, divided by /, with
    x, o, and _ or . for empty cells.
    """
    from ttt_lib.console import scores
    from ttt_lib.game import tables

    if tests and board is not None:
        raise click.UsageError("--tests has boards of its own: give no BOARD.")
    game = tables()
    who = who_is(game, agent, generator(0), ties)
    if who.agent is None:
        must_move(who)
    screen = screen_now()
    if not tests and board is None:
        result = scores.card(game, who)
        if as_json:
            write_json(result)
        else:
            scores.tell_card(screen, result)
        return
    must_move(who)
    boards = BOARDS if tests else {"": board}
    results = [scores.on_board(game, who, each, first) for each in boards.values()]
    if as_json:
        named = [{"name": n, **r} for n, r in zip(boards, results, strict=True)]
        write_json({"agent": who.name, "boards": named})
        return
    for name, result in zip(boards, results, strict=True):
        if name:
            screen.say(f"{name}, {result['board']}:")
        scores.tell_on_board(screen, game, who, result, first)
        if name:
            screen.say()


@cli.command(cls=Command, epilog=example("ttt plot mine.json --output mine.svg"))
@click.argument("file")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file, .png or .svg, instead of a window.",
)
@click.option("--force", is_flag=True, help="Let --output replace a file that exists.")
def plot(file, output, force):
    """Plot how the agent in FILE has learned: its rewards, and its exact score.

    FILE may also be an agent that comes with the library.
    """
    from ttt_lib.console import history
    from ttt_lib.game import tables

    if output is not None and output.suffix.lower() not in (".png", ".svg"):
        raise click.UsageError(f"{output} should end in .png or .svg.")
    must_be_new(output, force)
    who = who_is(tables(), file, generator(0))
    if who.agent is None or len(who.agent.history) < 2:
        raise click.ClickException(f"{who.name} has no history of learning.")
    try:
        history.history(who.agent, output)
    except ValueError as fault:
        raise click.ClickException(str(fault)) from None
    if output is not None:
        screen_now().say(f"Drawn in {output}.")


@cli.command(cls=Command, epilog=example("ttt agents"))
@wants_json
def agents(as_json):
    """List who can play: the agents that come with the library, and other names."""
    from ttt_lib.agents import learners, storage

    known = [storage.load_shipped(name) for name in storage.shipped()]
    if as_json:
        write_json(
            {
                "shipped": [{"name": each.name, "made": each.made} for each in known],
                "methods": list(learners.METHODS),
                "others": ["random", "perfect", "teacher:P", "person"],
            }
        )
        return
    screen = screen_now()
    screen.say("Agents that come with the library:")
    for each in known:
        screen.say(each.name, "bold")
        screen.say(each.made, indent=4)
    screen.say()
    screen.say("Also: random, perfect, teacher:P, and a person in 'ttt play'.")
    screen.say("Methods of learning: " + ", ".join(learners.METHODS) + ".")


@cli.command(cls=Command, epilog=example("ttt book"))
@click.option("--where", is_flag=True, help="Say where it is, and open nothing.")
def book(where):
    """Open the built book in a browser, or say how to build it."""
    page = Path(__file__).parents[2] / "_build" / "html" / "index.html"
    if not page.is_file():
        raise click.ClickException(
            "The book is not built here: run `make book` in a copy of its source."
        )
    click.echo(str(page))
    if not where:
        click.launch(str(page))


# The program


def main(arguments=None):
    """Run the program and return its exit status; whatever goes wrong is a sentence."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a file name, or a slip, may hold any sign
            stream.reconfigure(errors="replace")
    try:
        status = cli.main(arguments, prog_name="ttt", standalone_mode=False)
        sys.stdout.flush()
        return DONE if status is None else status
    except click.UsageError as fault:
        return _wrong_use(fault)
    except click.ClickException as fault:
        return _problem(fault.format_message())
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PROBLEM
    except OSError as fault:
        named = fault.filename is not None
        what = f"{fault.filename}: " if named else ""
        told = fault.strerror is None  # a sentence of the library
        return _problem(str(fault) if told else f"{what}{fault.strerror}.")


def _wrong_use(fault):
    """Say what was wrong in the use of a command, and where help is."""
    name = "ttt" if fault.ctx is None else fault.ctx.command_path
    text = fault.format_message().strip()
    if isinstance(fault, click.exceptions.NoArgsIsHelpError):
        click.echo(text, err=True)
    else:
        stop = "" if text[-1] in ".?" else "."
        click.echo(f"{name}: {text}{stop} Help: {name} --help", err=True)
    return WRONG_USE


def _problem(text):
    click.echo(f"ttt: {text}", err=True)
    return PROBLEM
