"""The command `ttt show`: an agent and its scores, or its moves on a board."""

import click
import numpy as np

from ttt_lib import evaluation, search
from ttt_lib.agents import learners
from ttt_lib.console.options import MARK, command, entrant, json_option
from ttt_lib.console.screen import report
from ttt_lib.game import SIDE_NAMES, tables

TESTS = {  # five boards of a well-known vignette, with its names, some of them wrong
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
    "--first", type=MARK, default="X", help="Mark that moves first.", show_default=True
)
@click.option("--tests", is_flag=True, help="Show its moves on five well-known boards.")
@json_option
def show(agent, board, first, tests, as_json):
    """Show how AGENT was made and its scores, or its moves on BOARD.

    AGENT is named as in 'ttt play'. BOARD has three rows divided by /, with x, o, and _
    or . for empty cells, or is the name of one of the boards of --tests, such as
    draw_6.
    """
    if tests and board is not None:
        raise click.UsageError("--tests shows all its boards: give no BOARD.")
    game = tables()
    shown = entrant(game, agent)
    if board is None and not tests:
        report(as_json, card(game, shown), print_card)
        return
    boards = TESTS if tests else named_board(board)
    shown.on(shown.side)  # raises if it cannot move
    results = [{"name": name} | on(game, shown, boards[name], first) for name in boards]
    report(as_json, {"agent": shown.name, "boards": results}, print_boards, first)


def card(game, agent):
    """Return the metadata of an agent, and its scores on the sides of its training."""
    data = {"name": agent.name}
    if agent.made:
        data |= {
            "made": agent.made,
            "side": agent.side,
            "taught": agent.taught,
            "rewards": list(agent.rewards),
            "file": None if agent.path is None else str(agent.path),
            "settings": dict(agent.training),
            "rows_of_history": len(agent.history),
        }
    if agent.learner is not None:
        learner = learners.adapter(agent.learner)
        settings = data.get("settings", {}) | learner.settings()
        data |= {"games": learner.games, "settings": settings}
    if agent.policy is None and agent.learner is not None:  # a method of prediction
        return data
    data |= evaluation.scores(game, agent.on(agent.side), agent.taught)
    if agent.taught == 0:
        exploitability = evaluation.exploitability(game, agent.policy)
        data["exploitability"] = exploitability._asdict()
    return data


def print_card(screen, data):
    """Write the result of `card`."""
    scored = not {"win_first", "win_second"}.isdisjoint(data)
    screen.say(data["name"], "bold")
    if "made" in data:
        screen.say(data["made"])
        plays = {1: "the first player", -1: "the second player", 0: "both sides"}
        source = (
            f"is saved in {data['file']}" if data["file"] else "is a built-in agent"
        )
        does = f"plays {plays[data['side']]}" if scored else "judges and does not play"
        if data["side"] != data["taught"]:
            does += f", was taught as {SIDE_NAMES[data['taught']]} player only"
        screen.say(f"It {does}, and {source}.")
    if scored:
        screen.scores(data)


def named_board(text):
    """Return {name: board} of a text, the name of one of TESTS or a board."""
    name = text.strip().lower().replace("-", "_")
    return {name: TESTS[name]} if name in TESTS else {"": text}


def on(game, agent, board, first):
    """Return the moves of an agent on a board, and its values there."""
    s = game.find(board, first)
    data = {"board": board, "position": s}
    if game.terminal[s]:
        return data | {"over": True}
    legal = np.flatnonzero(game.legal[s])
    mover = int(game.to_move[s])
    chosen = legal[agent.policy[s, legal] > 0]
    value = round(float(search.solve(game).V[s])) * mover
    data |= {
        "to_move": "X" if (mover == 1) == (first == "X") else "O",
        "chooses": chosen.tolist(),
        "perfect": {1: "won", 0: "drawn", -1: "lost"}[value],
        "taught": agent.taught in (0, mover),
    }
    if len(chosen):
        data["probability"] = {int(a): float(agent.policy[s, a]) for a in legal}
        if agent.Q is not None and data["taught"]:
            data["value"] = {int(a): float(agent.Q[s, a]) for a in legal}
    return data


def print_boards(screen, data, first):
    """Write the moves of an agent on each board."""
    for result in data["boards"]:
        if result["name"]:
            screen.say(f"{result['name']}, {result['board']}:")
        _print_board(screen, data["agent"], result, first)
        if result["name"]:
            screen.say()


def _print_board(screen, name, result, first):
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
