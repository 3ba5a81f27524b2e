"""The command `ttt match`: two agents compared exactly and in sampled games."""

import click
import numpy as np

from ttt_lib import evaluation, sampling
from ttt_lib.console import options
from ttt_lib.console.screen import decimal, exact, not_taught, report
from ttt_lib.game import SIDE_NAMES, tables

CHUNK_SIZE = 100_000  # sampled games between two checks for Ctrl-C
ENDS = {"win": "first wins", "draw": "draw", "loss": "second wins"}


@options.command("ttt match perfect random --games 1000 --seed 1")
@click.argument("a")
@click.argument("b")
@click.option("--games", type=options.Whole(1, 10**10), help="Sample games as well.")
@options.seed_option
@options.json_option
def match(a, b, games, seed, as_json):
    """Compare A and B exactly, each as first and as second player, as it was taught.

    A and B are named as in 'ttt play'.
    """
    game, seed = tables(), options.seed_or_new(seed)
    pair = [options.entrant(game, text) for text in (a, b)]
    data = {
        "games": games,
        "seed": seed,
        "matches": compare(game, pair, games, options.generator(seed)),
        "not_taught": not_taught(*pair),
    }
    report(as_json, data, print_result)


def may_meet(first, second):
    """Return whether two agents were both trained on these sides."""
    return first.taught != -1 and second.taught != +1


def compare(game, pair, games, rng):
    """Return the exact results of two agents, and sampled ones if games is positive.

    Raises ValueError if they were trained on the same side only.
    """
    results = []
    for one, two in filter(lambda seats: may_meet(*seats), (pair, pair[::-1])):
        policies = one.on(+1), two.on(-1)
        result = evaluation.result(game, *policies)._asdict()
        results.append({"first": one.name, "second": two.name, "exact": result})
        if games:
            results[-1]["sampled"] = sample(game, *policies, games, rng)
    if not results:
        one, two = pair
        raise ValueError(
            f"{one.name} and {two.name} were both taught as {SIDE_NAMES[one.taught]} "
            "player only, so they cannot play each other."
        )
    return results


def sample(game, first, second, games, rng):
    """Return the number of wins, draws and losses, each with its Wilson interval."""
    counts = np.zeros(3, dtype=np.int64)
    for start in range(0, games, CHUNK_SIZE):
        chunk = min(CHUNK_SIZE, games - start)
        counts += sampling.sample_match(game, first, second, chunk, rng).counts
    low, high = sampling.wilson_interval(counts, games)
    return {
        end: {"games": int(counts[i]), "low": float(low[i]), "high": float(high[i])}
        for i, end in enumerate(ENDS)
    }


def print_result(screen, data):
    """Write the results of the matches, and the seed of the sample."""
    games, heads = data["games"], ["", "exact"]
    heads += ["sampled", "95 % interval"] if games else []
    for result in data["matches"]:
        screen.say(f"{result['first']} as first, {result['second']} as second player:")
        rows = [[label, exact(result["exact"][end])] for end, label in ENDS.items()]
        for row, end in zip(rows, result.get("sampled", {}).values(), strict=False):
            row.append(f"{end['games']} of {games}")
            row.append(f"{decimal(end['low'])}–{decimal(end['high'])}")
        screen.table(heads, rows)
        screen.say()
    screen.not_taught(data["not_taught"])
    if games:
        screen.say(f"Seed of the sample: {data['seed']}.")
