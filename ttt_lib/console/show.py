"""The command `ttt show`: who an agent is, and what it does on a board."""

import click
import numpy as np

from ttt_lib import evaluation, search
from ttt_lib.agents import learners
from ttt_lib.console.options import MARK, command, entrant, json_option
from ttt_lib.console.screen import report
from ttt_lib.game import SIDE_NAMES, tables

TESTS = {  # the five of a well-known vignette; what it says of them is put right here
    "empty": "___/___/___",
    "win_4_or_5": "x_x/o_o/___",
    "win_1": "_xx/__o/oox",
    "draw_6": "_o_/xox/___",
    "loss": "oo_/xox/x__",
}


@command(
    "ttt show safe-and-greedy",
    "ttt show perfect x_x/o_o/___",
    "ttt show mine.json --tests",
)
@click.argument("agent")
@click.argument("board", required=False)
@click.option(
    "--first", type=MARK, default="X", help="Whose mark moves first.", show_default=True
)
@click.option("--tests", is_flag=True, help="Its moves on five well-known boards.")
@json_option
def show(agent, board, first, tests, as_json):
    """Show who AGENT is, or what it thinks of BOARD.

    AGENT is named as in 'ttt play'. BOARD has a row for each line, divided by /, with
    x, o, and _ or . for empty cells, or is the name of one of the boards of --tests, as
    draw_6.
    """
    if tests and board is not None:
        raise click.UsageError("--tests shows all its boards: give no BOARD.")
    game = tables()
    who = entrant(game, agent)
    if board is None and not tests:
        report(as_json, card(game, who), tell_card)
        return
    boards = TESTS if tests else named_board(board)
    who.on(who.side)  # refused if it cannot move
    found = [{"name": name} | on(game, who, boards[name], first) for name in boards]
    report(as_json, {"agent": who.name, "boards": found}, tell_boards, first)


def card(game, who):
    """Return who somebody is, and what it is worth on the sides it was taught."""
    found = {"name": who.name}
    if who.made:
        found |= {
            "made": who.made,
            "side": who.side,
            "taught": who.taught,
            "rewards": list(who.rewards),
            "file": None if who.path is None else str(who.path),
            "settings": dict(who.training),
            "rows_of_history": len(who.history),
        }
    if who.learner is not None:
        learner = learners.of(who.learner)
        settings = found.get("settings", {}) | learner.settings()
        found |= {"games": learner.games, "settings": settings}
    if who.policy is None and who.learner is not None:  # it is a prediction
        return found
    found |= evaluation.scores(game, who.on(who.side), who.taught)
    if who.taught == 0:
        each = evaluation.exploitability(game, who.policy)
        found["exploitability"] = each._asdict()
    return found


def tell_card(screen, found):
    """Tell what `card` found."""
    scored = not {"win_first", "win_second"}.isdisjoint(found)
    screen.say(found["name"], "bold")
    if "made" in found:
        screen.say(found["made"])
        plays = {1: "the first player", -1: "the second player", 0: "both sides"}
        where = f"kept in {found['file']}" if found["file"] else "with the library"
        does = f"plays {plays[found['side']]}" if scored else "judges and does not play"
        if found["side"] != found["taught"]:
            does += f", was taught as {SIDE_NAMES[found['taught']]} player only"
        screen.say(f"It {does}, and is {where}.")
    if scored:
        screen.scores(found)


def named_board(text):
    """Return {name: board} of a text, which is the name of one of TESTS or a board."""
    name = text.strip().lower().replace("-", "_")
    return {name: TESTS[name]} if name in TESTS else {"": text}


def on(game, who, board, first):
    """Return what somebody does on a board, and what it expects there."""
    s = game.find(board, first)
    found = {"board": board, "position": s}
    if game.terminal[s]:
        return found | {"over": True}
    legal = np.flatnonzero(game.legal[s])
    mover = int(game.to_move[s])
    chosen = legal[who.policy[s, legal] > 0]
    value = round(float(search.solve(game).V[s])) * mover
    found |= {
        "to_move": "X" if (mover == 1) == (first == "X") else "O",
        "chooses": chosen.tolist(),
        "perfect": {1: "won", 0: "drawn", -1: "lost"}[value],
        "taught": who.taught in (0, mover),
    }
    if len(chosen):
        found["probability"] = {int(a): float(who.policy[s, a]) for a in legal}
        if who.Q is not None and found["taught"]:
            found["value"] = {int(a): float(who.Q[s, a]) for a in legal}
    return found


def tell_boards(screen, found, first):
    """Tell what somebody does on each of the boards."""
    for result in found["boards"]:
        if result["name"]:
            screen.say(f"{result['name']}, {result['board']}:")
        _tell_board(screen, found["agent"], result, first)
        if result["name"]:
            screen.say()


def _tell_board(screen, name, result, first):
    game, s = tables(), result["position"]
    if "over" in result:
        screen.board(game, s, first)
        screen.say("The game is over.")
        return
    mark, chosen = result["to_move"], result["chooses"]
    cells = ", ".join(map(str, chosen))
    if chosen and not result["taught"]:
        screen.say(f"{name} was not taught as {SIDE_NAMES[game.to_move[s]]} player.")
    if not chosen:
        screen.say(f"{name} was not made for {mark}, who is to move.")
        screen.board(game, s, first)
    elif len(chosen) == 1 and "value" in result:
        screen.say(f"{name} puts {mark} on {cells}.")
    else:
        screen.say(f"{name} puts {mark} on {cells}, with probabilities:")
        screen.board(game, s, first, numbers=result["probability"])
    if "value" in result:
        screen.say("What it expects of each cell:")
        screen.board(game, s, first, numbers=result["value"])
    ends = {
        "won": f"{mark}, to move, wins",
        "drawn": "this is a draw",
        "lost": f"{mark}, to move, loses",
    }
    screen.say(f"Under perfect play {ends[result['perfect']]}.")
