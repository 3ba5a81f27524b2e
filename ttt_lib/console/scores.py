"""What the console shows of agents: cards, moves on a board, matches, tournaments.

For each there is a function that finds out, names and numbers as JSON has them, and
one that tells.
"""

import numpy as np

from ttt_lib import evaluation, policy, search
from ttt_lib.agents import learners
from ttt_lib.console.screen import decimal, exact

ENDS = ("win", "draw", "loss")
MOST_AT_ONCE = 100_000  # sampled games between two looks at Ctrl-C


def ends(chances):
    """Return win, draw and loss by name."""
    return dict(zip(ENDS, map(float, chances), strict=True))


def may_meet(first, second):
    """Return whether two were made for these sides."""
    return first.side != -1 and second.side != +1


# Matches


def match(game, pair, games, rng):
    """Return the exact results of two against each other, and sampled ones if asked.

    Raises ValueError if they cannot meet.
    """
    ways = [way for way in (pair, pair[::-1]) if may_meet(*way)]
    if not ways:
        raise ValueError(f"{pair[0].name} and {pair[1].name} play the same side only.")
    results = []
    for one, two in ways:
        policies = one.policy, two.policy
        chances = evaluation.win_draw_loss(game, *policies)[0]
        result = {"first": one.name, "second": two.name, "exact": ends(chances)}
        if games:
            counts = np.zeros(3, dtype=int)
            for start in range(0, games, MOST_AT_ONCE):
                piece = min(MOST_AT_ONCE, games - start)
                counts += evaluation.sample_match(game, *policies, piece, rng).counts
            intervals = zip(*evaluation.wilson_interval(counts, games), strict=True)
            result["sampled"] = {
                end: {"games": int(count), "low": float(low), "high": float(high)}
                for end, count, (low, high) in zip(ENDS, counts, intervals, strict=True)
            }
        results.append(result)
    return results


def tell_match(screen, results, games):
    """Tell what `match` found."""
    for result in results:
        screen.say(f"{result['first']} as first, {result['second']} as second player:")
        rows = []
        for end, chance in result["exact"].items():
            label = {"win": "first wins", "loss": "second wins"}.get(end, end)
            row = [label, exact(chance)]
            if games:
                sample = result["sampled"][end]
                row.append(f"{sample['games']} of {games}")
                row.append(f"{decimal(sample['low'])}–{decimal(sample['high'])}")
            rows.append(row)
        heads = ["", "exact", "sampled", "95 % interval"]
        screen.table(heads[: len(rows[0])], rows)
        screen.say()


def tournament(game, entrants):
    """Return the exact result of each against each, the first player's first."""
    results = []
    for one in entrants:
        for two in entrants:
            if may_meet(one, two):
                chances = evaluation.win_draw_loss(game, one.policy, two.policy)[0]
                result = {"first": one.name, "second": two.name, **ends(chances)}
                results.append(result | {"mean": result["win"] - result["loss"]})
    return results


def tell_tournament(screen, entrants, results):
    """Tell what `tournament` found: a cross table."""
    names, left = [who.name for who in entrants], iter(results)
    rows = [
        [
            one.name,
            *(
                decimal(next(left)["mean"]) if may_meet(one, two) else ""
                for two in entrants
            ),
        ]
        for one in entrants
    ]
    screen.table(["first \\ second", *names], rows)
    screen.say("Mean result of the first player: win +1, draw 0, loss −1.")


# One agent


def card(game, who):
    """Return who somebody is, and what it is worth on the sides it plays."""
    result, agent = {"name": who.name}, who.agent
    if agent is not None:
        result |= {
            "made": agent.made,
            "side": agent.side,
            "rewards": list(agent.rewards),
            "gamma": agent.gamma,
            "file": None if who.path is None else str(who.path),
            "settings": learners.training(agent),
            "rows_of_history": len(agent.history),
        }
        if who.learner is not None:
            result["games"] = learners.of(who.learner).games
    if who.policy is None:
        return result
    if who.side == 0:
        result |= evaluation.scores(game, who.policy)
        each = evaluation.exploitability(game, who.policy)
        result["exploitability"] = each._asdict()
    else:
        # What the other side would do is not asked, but has to be something.
        moves = np.where(
            (game.to_move == who.side)[:, np.newaxis],
            who.policy,
            policy.uniform(game.legal),
        )
        place = {1: "first", -1: "second"}[who.side]
        found = evaluation.scores(game, moves)
        result |= {name: found[name] for name in found if name.endswith(place)}
    return result


def tell_card(screen, result):
    """Tell what `card` found."""
    scored = not {"win_first", "win_second"}.isdisjoint(result)
    screen.say(result["name"], "bold")
    if "made" in result:
        screen.say(result["made"])
        plays = {1: "the first player", -1: "the second player", 0: "both sides"}
        where = f"kept in {result['file']}" if result["file"] else "with the library"
        does = (
            f"plays {plays[result['side']]}" if scored else "judges and does not play"
        )
        screen.say(f"It {does}, and is {where}.")
    if scored:
        tell_scores(screen, result)


def tell_scores(screen, result):
    """Tell the scores against random moves and the worst opponent."""
    places = [place for place in ("first", "second") if f"win_{place}" in result]
    rows = [
        [
            f"{end} against random",
            *(exact(result[f"{end}_{place}"]) for place in places),
        ]
        for end in ENDS
    ]
    worst = [exact(result[f"worst_{place}"]) for place in places]
    rows.append(["value against the worst opponent", *worst])
    if "exploitability" in result:
        each = result["exploitability"]
        rows.append(["exploitability", *(exact(each[place]) for place in places)])
    screen.table(["", *(f"as {place} player" for place in places)], rows)


# Its moves


def on_board(game, who, board, first):
    """Return what somebody does on a board."""
    s = game.find(board, first)
    result = {"board": board, "position": s}
    if game.terminal[s]:
        return result | {"over": True}
    legal = np.flatnonzero(game.legal[s])
    mover = int(game.to_move[s])
    chosen = legal[who.policy[s, legal] > 0]
    result["to_move"] = "X" if (mover == 1) == (first == "X") else "O"
    result["chooses"] = chosen.tolist()
    value = round(float(search.solve(game).V[s])) * mover
    result["perfect"] = {1: "won", 0: "drawn", -1: "lost"}[value]
    if len(chosen):
        result["probability"] = {int(a): float(who.policy[s, a]) for a in legal}
        if who.Q is not None:
            result["value"] = {int(a): float(who.Q[s, a]) for a in legal}
    return result


def tell_on_board(screen, game, who, result, first):
    """Tell what `on_board` found."""
    s = result["position"]
    if "over" in result:
        screen.board(game, s, first)
        screen.say("The game is over.")
        return
    mark, chosen = result["to_move"], result["chooses"]
    cells = ", ".join(map(str, chosen))
    if not chosen:
        screen.say(f"{who.name} was not made for {mark}, who is to move.")
        screen.board(game, s, first)
    elif len(chosen) == 1 and who.Q is not None:
        screen.say(f"{who.name} puts {mark} on {cells}.")
    else:
        screen.say(f"{who.name} puts {mark} on {cells}, with probabilities:")
        screen.board(game, s, first, 0, who.policy[s])
    if "value" in result:
        screen.say("What it expects of each cell:")
        screen.board(game, s, first, 0, who.Q[s])
    known = {
        "won": f"{mark}, to move, wins",
        "drawn": "this is a draw",
        "lost": f"{mark}, to move, loses",
    }
    screen.say(f"Under perfect play {known[result['perfect']]}.")
