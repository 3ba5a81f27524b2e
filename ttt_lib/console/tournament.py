"""The command `ttt tournament`: a cross table of all agents."""

import csv
import sys

import click

from ttt_lib import evaluation
from ttt_lib.console.match import ENDS, may_meet
from ttt_lib.console.options import command, entrant, json_option
from ttt_lib.console.screen import decimal, not_taught, report
from ttt_lib.game import tables
from ttt_lib.validation import escape_formula


@command("ttt tournament random perfect teacher:0.9 --csv")
@click.argument("agents", nargs=-1, required=True)
@click.option("--csv", "as_csv", is_flag=True, help="Write the table as CSV.")
@json_option
def tournament(agents, as_csv, as_json):
    """Compare all AGENTS exactly, in a cross table of all matches.

    AGENTS are named as in 'ttt play'. The row is first player, the column second. An
    entry is the first player's mean result, +1 for a win, 0 for a draw and -1 for a
    loss. It is left out if an agent was not taught the side.
    """
    game = tables()
    entrants = [entrant(game, text) for text in agents]
    results = []
    for one in entrants:
        for two in filter(lambda two: may_meet(one, two), entrants):
            result = evaluation.result(game, one.on(+1), two.on(-1))
            names = {"first": one.name, "second": two.name}
            results.append(names | result._asdict() | {"mean": result.value})
    if as_csv and not as_json:
        write_csv(sys.stdout, results)
    else:
        data = {"results": results, "not_taught": not_taught(*entrants)}
        report(as_json, data, print_result, entrants)


def print_result(screen, data, entrants):
    """Write the cross table of mean results, split if it is too wide."""
    means = iter(decimal(result["mean"]) for result in data["results"])
    names = heads = [agent.name for agent in entrants]
    cells = [
        [next(means) if may_meet(one, two) else "–" for two in entrants]
        for one in entrants
    ]
    corner, columns = "first \\ second", len(heads)
    if len(corner) + sum(max(len(name), 6) + 3 for name in heads) > screen.width:
        heads = [str(number) for number in range(1, len(heads) + 1)]
        names = [f"{head} {name}" for head, name in zip(heads, names, strict=True)]
        columns = max(1, (screen.width - max(map(len, [corner, *names]))) // 10)
    for start in range(0, len(heads), columns):
        part = slice(start, start + columns)
        rows = [[name, *row[part]] for name, row in zip(names, cells, strict=True)]
        screen.table([corner, *heads[part]], rows)
    screen.say("Mean result of the first player: win +1, draw 0, loss −1.")
    if data["not_taught"]:
        screen.say("–: one of the two was not taught this side.")
    screen.not_taught(data["not_taught"])


def write_csv(file, results):
    """Write the results as CSV."""
    heads = ("first", "second", *ENDS, "mean")
    table = csv.DictWriter(file, heads, lineterminator="\n")
    table.writeheader()
    for row in results:
        names = {head: escape_formula(row[head]) for head in ("first", "second")}
        table.writerow(row | names)
