"""The command `ttt match`."""

import click

from ttt_lib.console.options import (
    Whole,
    command,
    entrant,
    generator,
    json_option,
    seed_option,
    seed_or_new,
)


@command("ttt match perfect random --games 1000 --seed 1")
@click.argument("a")
@click.argument("b")
@click.option("--games", type=Whole(1, 10**10), help="Sample games as well.")
@seed_option
@json_option
def match(a, b, games, seed, as_json):
    """Compare A and B exactly, each as first and as second player, as it was taught.

    A and B are named as in 'ttt play'.
    """
    from ttt_lib.console import scores
    from ttt_lib.console.screen import report
    from ttt_lib.game import tables

    game, seed = tables(), seed_or_new(seed)
    pair = [entrant(game, text) for text in (a, b)]
    matches = scores.match(game, pair, games, generator(seed))
    found = {"games": games, "seed": seed, "matches": matches}
    found["not_taught"] = scores.not_taught(*pair)
    report(as_json, found, scores.tell_match)
