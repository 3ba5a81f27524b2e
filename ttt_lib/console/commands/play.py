"""The command `ttt play`."""

import click

from ttt_lib.console.options import (
    INTERRUPTED,
    MARK,
    REWARD,
    SHARE,
    Whole,
    command,
    generator,
    save_options,
    seed_option,
    seed_or_new,
)


@command(
    "ttt play perfect --mark O --starts lot --numbers values",
    "ttt play new:q_learning --learn --alpha 0.5 --save mine.json",
    "ttt play mine.json --learn",
    "ttt play uct:1000 --size 4 4 4",
)
@click.argument("opponent", default="perfect")
@click.option("--mark", type=MARK, default="X", show_default=True, help="Your mark.")
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
    help="What to show on the cells when the opponent chooses, and, of one with "
    "values, whether its move was greedy (best by them) or exploring.",
)
@click.option(
    "--cells",
    "first_cell",
    type=click.Choice(["0-8", "1-9"]),
    default="0-8",
    show_default=True,
    callback=lambda context, parameter, cells: int(cells[0]),
    help="How cells are numbered; row,column counts from 0 or 1 likewise.",
)
@click.option(
    "--size",
    type=Whole(1),
    nargs=3,
    default=(3, 3, 3),
    metavar="ROWS COLUMNS K",
    help="The board, and how many in a row win. Default: 3 3 3. One that is too big "
    "for tables is played by random, perfect, teacher:P, uct:N and person.",
)
@click.option("--learn", is_flag=True, help="Let the opponent learn from each game.")
@click.option("--alpha", type=SHARE, help="Step size of a new learner.")
@click.option("--epsilon", type=SHARE, help="How often the opponent explores.")
@click.option("--gamma", type=SHARE, help="Discount of a new learner.")
@click.option("--initial", type=REWARD, help="First estimate of a new learner.")
@seed_option
@save_options
def play(opponent, **options):
    """Play against OPPONENT.

    OPPONENT is random, perfect, teacher:P, uct:N (a search of N random playouts at each
    move), person (two of you in turns), an agent that comes with the library, a file,
    or new:METHOD, a learner who knows nothing yet. Of
    equally good moves perfect and teacher take any; with :lowest behind them, as in
    teacher:0.9:lowest, that of the lowest cell.

    With --learn it learns from each game; a file is then kept up to date after each.

    During a game type a cell, or row,column; u takes back, h gives a hint, n changes
    the numbers on the cells, q leaves and ? helps.
    """
    if options["save"] is not None and not options["learn"]:
        raise click.UsageError("--save keeps what is learned: it needs --learn.")
    from ttt_lib.console import keeping
    from ttt_lib.console.screen import Screen, patience
    from ttt_lib.console.sitting import Manner, Sitting
    from ttt_lib.doors import demand_size
    from ttt_lib.game import tables

    screen, rng = Screen(), generator(seed_or_new(options["seed"]))
    size = demand_size(*options["size"])
    try:
        game, sitting, more = tables(*size), Sitting, {}
    except ValueError:  # too big for tables
        from ttt_lib.console import large

        game, sitting = large.computed(*size), large.LargeSitting
        more = {"Q": large.perfect_values(game)}
    with patience():
        who = _opponent(game, opponent, rng, options, **more)
    starts = _who_starts(screen, who, options["starts"])
    keeper = _keeper(game, screen, who, options) if options["learn"] else None
    manner = {name: options[name] for name in Manner._fields if name in options}
    manner = Manner(**manner | {"starts": starts, "keep": keeper})
    stopped = sitting(game, who, screen, rng, manner, **more).run()
    if keeper is not None and keeper.path is None and keeper.games > 0:
        place = keeping.offer(screen, keeper.named)
        if place is not None:
            screen.say(f"Saved in {place}.")
    return INTERRUPTED if stopped else None


def _opponent(game, text, rng, options, **more):
    """Return the Agent of that name; the options have settings of a new learner.

    `more` is what a large board's opponent needs besides.
    """
    from ttt_lib.agents import as_agent, names

    settings = {name: options[name] for name in SETTINGS if options[name] is not None}
    name = names.parse(text)
    if name.kind != "new":
        for setting in sorted(settings.keys() - {"epsilon"}):
            text = f"--{setting} is for a new learner, as new:q_learning."
            raise click.UsageError(text)
        settings = {}
    if more:
        from ttt_lib.console import large

        who = large.opponent(game, name, rng, **more)
    else:
        who = as_agent(game, name, rng, **settings)
    if name.kind != "person":
        who.on(who.side)  # refused if it cannot move
    if options["learn"] and who.learner is None:
        raise click.UsageError(f"{who.name} cannot learn: name a method or its file.")
    return who


def _who_starts(screen, who, starts):
    """Return who begins, as far as the opponent can play that side."""
    only = {+1: "it", -1: "you"}.get(who.side, starts)
    if starts not in (only, "lot"):
        screen.say(f"{who.name} was made for one side only: {only} will begin.")
    return only


def _keeper(game, screen, who, options):
    """Return what keeps the learner after each game, and say where."""
    from ttt_lib.console.keeping import Keeper, must_be_new

    path, force = options["save"], options["force"]
    must_be_new(path, force or path == who.path)
    path = who.path if path is None else path
    where = f"and is kept in {path}" if path else "and is not kept: see --save"
    screen.say(f"{who.name} learns from each game, {where}.")
    return Keeper(game, screen, who, path, force)


SETTINGS = ("alpha", "epsilon", "gamma", "initial")  # of a new learner
