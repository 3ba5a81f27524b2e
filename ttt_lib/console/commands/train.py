"""The command `ttt train`."""

import click

from ttt_lib.console.options import (
    INTERRUPTED,
    REWARD,
    SHARE,
    SIDE,
    Method,
    Schedule,
    Whole,
    command,
    generator,
    json_option,
    save_options,
    seed_option,
    seed_or_new,
)

SCHOOL = ("games", "opponent", "side", "behaviour", "every")  # the others: a learner's


def methods():
    """Return the methods of learning and what each does."""
    from ttt_lib.agents import learners

    return {"Methods": list(learners.METHODS.items())}


@command(
    "ttt train q_learning --opponent teacher:0.9 --games 100000 --save mine.json",
    "ttt train --from mine.json --games 50000 --save more.json",
    "ttt train --from q-learning-teacher-0.9 --opponent perfect",
    "ttt train sarsa --epsilon linear:0.5:0:20000 --seed 1 --json",
)
@click.argument("method", type=Method(methods), required=False)
@click.option(
    "--opponent",
    help="random, teacher:P, perfect, self, an agent or a file. Default: as before "
    "with --from, self for the methods of self-play, else random.",
)
@click.option(
    "--games",
    type=Whole(min=0),
    default=10_000,
    show_default=True,
    help="Games to learn from.",
)
@click.option("--side", type=SIDE, help="The learner's side. Default: both.")
@click.option("--alpha", type=Schedule(), help="Step size; see above.")
@click.option("--epsilon", type=Schedule(), help="Exploration; see above.")
@click.option("--gamma", type=SHARE, help="Discount.")
@click.option("--lambda", "lambda_", type=SHARE, help="Trace decay, of methods td_*.")
@click.option(
    "--n", type=Whole(1, 1000), help="Steps to bootstrap over, of methods td_*."
)
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
    help="Train this agent further: one that comes with the library, or a file.",
)
@seed_option
@save_options
@json_option
def train(method, origin, seed, save, force, as_json, **options):
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
    from ttt_lib.console import keeping, training
    from ttt_lib.console.screen import Screen, patience, report
    from ttt_lib.game import tables
    from ttt_lib.interrupts import held

    keeping.must_be_new(save, force)
    game, screen = tables(), Screen()
    options = {name: value for name, value in options.items() if value is not None}
    school = {name: options.pop(name) for name in SCHOOL if name in options}
    with patience():
        if origin is None:
            rng = generator(seed := seed_or_new(seed))
            course = training.begin(game, method, rng, seed, **options)
        else:
            course = training.go_on(game, origin, **options)
        course = training.prepare(game, course, **school)

    def agent(path):
        return training.agent(game, course, path)

    with held() as pressed:  # from here on something may be lost
        stopped = training.run(game, course, screen, pressed, watched=not as_json)
        if save is not None:
            save = kept(agent(save), save, force, None if as_json else screen)
        found = training.summary(game, course, save, stopped)
        report(as_json, found, training.tell, course)
        if save is not None and not as_json:
            screen.say(f"Saved in {save}.")
        interrupted = bool(pressed)
        pressed.clear()
    if save is None and not as_json and (stopped or course.games):
        save = keeping.offer(screen, agent)
        screen.say(f"Saved in {save}." if save else "Not saved: --save FILE keeps it.")
    return INTERRUPTED if interrupted else None


def kept(agent, save, force, screen):
    """Return where an agent is kept; None if a person may name a better place."""
    from ttt_lib.console import keeping

    try:
        return keeping.keep(agent, save, force)
    except click.ClickException as fault:
        if screen is None or not screen.has_person():
            raise
        screen.say(fault.message)
        return None
