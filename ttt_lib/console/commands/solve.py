"""The command `ttt solve`."""

import click

from ttt_lib.console.options import (
    MARK,
    REWARD,
    SHARE,
    SIDE,
    Method,
    Number,
    Whole,
    command,
    json_option,
    save_options,
)


def methods():
    """Return the methods and what each does, by kind."""
    from ttt_lib.console import solving

    return solving.headings()


@command(
    "ttt solve value_iteration --gamma 0.9 --against random",
    "ttt solve policy_iteration --side second --rewards 500 0 -3500 --save so.json",
    "ttt solve alpha_beta --order lines",
    "ttt solve count_down --size 4 4 3",
)
@click.argument("method", type=Method(methods))
@click.option(
    "--against",
    metavar="OPPONENT",
    help="The opponent, named as in 'ttt play'. Default: random.",
)
@click.option("--side", type=SIDE, help="Default: both.")
@click.option("--gamma", type=SHARE, help="Discount. Default: 1.")
@click.option(
    "--rewards", type=REWARD, nargs=3, metavar="W D L", help="Default: 1 0 -1."
)
@click.option(
    "--order",
    help="Order of sweeps (synchronous, rising, falling); for "
    "alpha_beta 'lines' tries the cells on most lines first.",
)
@click.option(
    "--evaluations", type=Whole(0, 99_999), help="Of modified_policy_iteration."
)
@click.option(
    "--theta",
    type=Number(0),
    help="Sweeps stop when no value changes by more, as a share of the largest.",
)
@click.option("--policy", help="Whose play is judged. Default: random.")
@click.option("--board", help="Where a search starts, as x_x/o_o/___.")
@click.option(
    "--first", type=MARK, help="Whose mark on --board moves first. Default: X."
)
@click.option(
    "--size",
    type=Whole(1),
    nargs=3,
    metavar="ROWS COLUMNS K",
    help="Of count_down: the board, and how many in a row win. Default: 4 4 4.",
)
@click.option(
    "--most-bytes",
    type=Whole(1),
    help="Of count_down: a board that takes more is refused. Default: 45000000.",
)
@click.option(
    "--ties",
    type=click.Choice(["uniform", "lowest"]),
    help="Which of equally good moves the result takes. Default: uniform.",
)
@save_options
@json_option
def solve(method, save, force, as_json, **options):
    """Solve the game by METHOD, and say what it found and at what cost."""
    from ttt_lib.console import keeping, solving
    from ttt_lib.console.screen import report
    from ttt_lib.game import tables

    options = {name: value for name, value in options.items() if value is not None}
    settings = solving.settings_of(method, options)
    keeping.must_be_new(save, force)
    game = tables()
    answers = solving.run(game, method, settings)
    summary = solving.summary(game, method, answers, settings)
    if save is not None:
        agent = solving.agent(game, method, answers, settings, save)
        save = str(keeping.keep(agent, save, force))
    report(as_json, summary | {"saved": save}, solving.tell)
