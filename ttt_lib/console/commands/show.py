"""The command `ttt show`."""

import click

from ttt_lib.console.options import MARK, command, entrant, json_option


@command(
    "ttt show safe-and-greedy",
    "ttt show perfect x_x/o_o/___",
    "ttt show mine.json --tests",
)
@click.argument("agent")
@click.argument("board", required=False)
@click.option(
    "--first",
    type=MARK,
    default="X",
    help="Whose mark moves first.",
    show_default=True,
)
@click.option("--tests", is_flag=True, help="Its moves on five well-known boards.")
@json_option
def show(agent, board, first, tests, as_json):
    """Show who AGENT is, or what it thinks of BOARD.

    AGENT is named as in 'ttt play'. BOARD has a row for each line, divided by /, with
    x, o, and _ or . for empty cells, or is the name of one of the boards of --tests, as
    draw_6.
    """
    from ttt_lib.console import scores
    from ttt_lib.console.screen import report
    from ttt_lib.game import tables

    if tests and board is not None:
        raise click.UsageError("--tests shows all its boards: give no BOARD.")
    game = tables()
    who = entrant(game, agent)
    if board is None and not tests:
        report(as_json, scores.card(game, who), scores.tell_card)
    else:
        boards = scores.TESTS if tests else scores.named_board(board)
        found = scores.on_boards(game, who, boards, first)
        report(as_json, found, scores.tell_on_boards, first)
