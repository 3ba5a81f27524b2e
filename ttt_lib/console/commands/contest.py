"""The command `ttt contest`."""

from pathlib import Path

import click

from ttt_lib.console.options import command


@command("ttt contest handed-in --to results --title 'Class 5'")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "place",
    type=click.Path(path_type=Path),
    default="contest",
    show_default=True,
    help="The folder that gets contest.html, standings.csv and matches.csv.",
)
@click.option("--title", default="Contest", show_default=True, help="Of the page.")
@click.option("--force", is_flag=True, help="Replace the files of an earlier contest.")
def contest(folder, place, title, force):
    """Let all agents in FOLDER meet all others, exactly, and write who is best.

    Each JSON file of FOLDER is an agent, as 'ttt train --save' or 'ttt export' writes
    it, and is called after its file. A folder in FOLDER, as 'make collect' lays them
    out, stands for the one JSON file in it, which is called after the folder. Nothing
    in a file is run. What cannot take part is named with the reason.

    Ranks go by the total: the exact values of all matches, on both seats, added up.
    Ties are broken by the sum of both worst cases; who is still equal shares a rank.
    """
    from ttt_lib import evaluation
    from ttt_lib.console import contest, contest_page, keeping
    from ttt_lib.console.screen import Screen
    from ttt_lib.console.terminal import message, printable
    from ttt_lib.doors import demand, write_whole
    from ttt_lib.game import tables

    game, screen = tables(), Screen()
    policies, faults = contest.entries(game, folder)
    if len(policies) < 2:  # each in a line of its own
        for fault in faults:
            message(f"{fault.file} takes no part: {fault.why}", err=True)
    agents = f"{len(policies)} agent{'s' * (len(policies) != 1)}"
    demand(
        len(policies) > 1,
        f"{folder} holds {agents} that can take part, and a contest needs two",
    )
    paths = contest.files(place)
    for path in paths if place.exists() else ():
        keeping.must_be_new(path, force)
    agents = list(policies.values())
    table = evaluation.cross_table(game, agents, agents)
    found, names = contest.standings(game, policies, table), list(policies)
    texts = (
        contest_page.page(game, printable(title), found, names, table, faults),
        contest.standings_csv(game, found),
        contest.matches_csv(names, table),
    )
    if not place.exists():
        with keeping.written(place):
            place.mkdir(parents=True)
    for path, text in zip(paths, texts, strict=True):
        with keeping.written(path):
            write_whole(path, text.encode("utf-8"))
    totals = [f"{one.total:+.3f}".replace("-", "−") for one in found]
    rows = [
        (one.name, str(one.rank), total)
        for one, total in zip(found, totals, strict=True)
    ]
    screen.table(["agent", "rank", "total"], rows)
    for fault in faults:
        screen.say(f"{fault.file} takes no part: {fault.why}")
    screen.say(f"The page is {paths[0]}.")
