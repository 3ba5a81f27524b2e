"""The command `ttt export`."""

from pathlib import Path

import click

from ttt_lib.console.options import command, entrant
from ttt_lib.console.terminal import message


@command("ttt export q-learning policy.json", "ttt play policy.json")
@click.argument("agent")
@click.argument(
    "file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def export(agent, file, force):
    """Write the policy of AGENT, and what it expects of each cell, for other programs.

    AGENT is named as in 'ttt play'. FILE is plain JSON: "policy" has the probabilities
    of cells in each position, as {"XO.......": {"2": 0.5, "4": 0.5}, ...}, and "values"
    likewise what the agent expects, if it expects anything.

    FILE may be - for the standard output. An agent that was taught one side only is
    written for that side.

    Another program may write such a file as well: it is an agent wherever one is named.
    """
    from ttt_lib.agents import io
    from ttt_lib.console import keeping
    from ttt_lib.game import tables

    game, aside = tables(), str(file) == "-"
    if not aside:
        keeping.must_be_new(file, force)
    who = entrant(game, agent)._replace(learner=None)
    if aside:
        click.echo(io.to_json(who), nl=False)
    else:
        with keeping.written(file):
            io.save(who, file, anew=not force)
    if who.side == 0 and (untaught := who.untaught()):
        message(f"{untaught} The policy is that of this side.", err=aside)
    if not aside:
        message(f"Written to {file}.")
