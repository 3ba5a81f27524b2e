"""The command `ttt export`: a policy as JSON for other programs."""

from pathlib import Path

import click

from ttt_lib.agents import io
from ttt_lib.console import saving
from ttt_lib.console.options import command, entrant, message
from ttt_lib.game import tables


@command("ttt export q-learning policy.json", "ttt play policy.json")
@click.argument("agent")
@click.argument(
    "file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def export(agent, file, force):
    """Write the policy of AGENT, and its values of cells, for other programs.

    AGENT is named as in 'ttt play'. FILE is plain JSON: "policy" has the probabilities
    of cells in each position, as {"XO.......": {"2": 0.5, "4": 0.5}, ...}, and "values"
    has the value of each cell in the same form, if the agent has values.

    FILE may be - for the standard output. An agent that was taught one side only is
    written for that side.

    Another program may write such a file: every command takes it as an agent.
    """
    game, to_stdout = tables(), str(file) == "-"
    if not to_stdout:
        saving.must_be_new(file, force)
    exported = entrant(game, agent)
    exported.on(exported.side)  # raises if it cannot move
    exported = exported._replace(learner=None)
    if to_stdout:
        click.echo(io.to_json(exported), nl=False)
    else:
        with saving.written(file):
            io.save(exported, file, exclusive=not force)
    if exported.side == 0 and (untaught := exported.untaught()):
        message(f"{untaught} Only this side is written.", err=to_stdout)
    if not to_stdout:
        message(f"Written to {file}.")
