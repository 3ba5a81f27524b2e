"""The command `ttt export`."""

import click

from ttt_lib.console.options import FILE, command, entrant
from ttt_lib.console.terminal import message


@command("ttt export q-learning policy.json", "ttt play policy.json")
@click.argument("agent")
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def export(agent, file, force):
    """Write the policy of AGENT, and what it expects of each cell, for other programs.

    AGENT is named as in 'ttt play'. FILE is plain JSON: "policy" has the probabilities
    of cells in each position, as {"XO.......": {"2": 0.5, "4": 0.5}, ...}, and "values"
    likewise what the agent expects, if it expects anything.

    Another program may write such a file as well: it is an agent wherever one is named.
    """
    from ttt_lib.agents.players import write_policy
    from ttt_lib.console import keeping
    from ttt_lib.game import tables

    keeping.must_be_new(file, force)
    game = tables()
    with keeping.written(file):
        write_policy(game, entrant(game, agent), file, anew=not force)
    message(f"Written to {file}.")
