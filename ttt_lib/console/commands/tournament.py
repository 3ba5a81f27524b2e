"""The command `ttt tournament`."""

import sys

import click

from ttt_lib.console.options import command, entrant, json_option


@command("ttt tournament random perfect teacher:0.9 --csv")
@click.argument("agents", nargs=-1, required=True)
@click.option("--csv", "as_csv", is_flag=True, help="Write the table as CSV.")
@json_option
def tournament(agents, as_csv, as_json):
    """Compare all AGENTS exactly: a cross table of every one against every one.

    AGENTS are named as in 'ttt play'. The row is first player, the column second. An
    entry is the first player's mean result, +1 for a win, 0 for a draw and -1 for a
    loss. There is none for a side that an agent was not taught.
    """
    from ttt_lib.console import scores
    from ttt_lib.console.screen import report
    from ttt_lib.game import tables

    game = tables()
    entrants = [entrant(game, text) for text in agents]
    found = scores.tournament(game, entrants)
    if as_csv and not as_json:
        scores.write_csv(sys.stdout, found)
    else:
        report(as_json, found, scores.tell_tournament, entrants)
