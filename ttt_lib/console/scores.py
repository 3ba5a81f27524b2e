"""What the console shows of agents: cards, moves on a board, matches, tournaments.

For each there is a function that finds out, names and numbers as JSON has them, and
one that tells.
"""

import csv

import numpy as np

from ttt_lib import evaluation, runs, search
from ttt_lib.agents import builtin_names, io, learners
from ttt_lib.console.screen import decimal, exact
from ttt_lib.doors import no_formula
from ttt_lib.game import SIDE_NAMES, tables

ENDS = evaluation.Result._fields  # win, draw, loss
LABELS = {  # how a score's name is written in a table
    **{end: f"{end} against random" for end in ENDS},
    "worst": "value against the worst opponent",
    "exploitability": "exploitability",
}
MOST_AT_ONCE = 100_000  # sampled games between two looks at Ctrl-C
TESTS = {  # the five of a well-known vignette; what it says of them is put right here
    "empty": "___/___/___",
    "win_4_or_5": "x_x/o_o/___",
    "win_1": "_xx/__o/oox",
    "draw_6": "_o_/xox/___",
    "loss": "oo_/xox/x__",
}


def may_meet(first, second):
    """Return whether two were taught these sides."""
    return first.taught != -1 and second.taught != +1


def not_taught(*players):
    """Return the side, in words, on which each of them was not taught, by name."""
    return {who.name: SIDE_NAMES[-who.taught] for who in players if who.taught}


def tell_not_taught(screen, found):
    """Tell what `not_taught` found."""
    for name, place in found["not_taught"].items():
        screen.say(f"As {place} player {name} was not taught.")


# Matches


def match(game, pair, games, rng):
    """Return the exact results of two against each other, and sampled ones if asked.

    Raises ValueError if they cannot meet.
    """
    ways = [way for way in (pair, pair[::-1]) if may_meet(*way)]
    if not ways:
        one, two = pair
        place = SIDE_NAMES[one.taught]
        raise ValueError(
            f"{one.name} and {two.name} were both taught as {place} player only: a "
            "match would say nothing of them."
        )
    results = []
    for one, two in ways:
        policies = one.on(+1), two.on(-1)
        exact = evaluation.result(game, *policies)._asdict()
        results.append({"first": one.name, "second": two.name, "exact": exact})
        if games:
            results[-1]["sampled"] = _sampled(game, *policies, games, rng)
    return results


def _sampled(game, first, second, games, rng):
    """Return how many of the games end how, and the interval of each end."""
    counts = np.zeros(3, dtype=np.int64)
    for start in range(0, games, MOST_AT_ONCE):
        piece = min(MOST_AT_ONCE, games - start)
        counts += runs.sample_match(game, first, second, piece, rng).counts
    intervals = zip(*runs.wilson_interval(counts, games), strict=True)
    return {
        end: {"games": int(count), "low": float(low), "high": float(high)}
        for end, count, (low, high) in zip(ENDS, counts, intervals, strict=True)
    }


def tell_match(screen, found):
    """Tell what `match` found, how many games are sampled, and their seed."""
    games = found["games"]
    heads = ["", "exact", "sampled", "95 % interval"]
    labels = {"win": "first wins", "draw": "draw", "loss": "second wins"}
    for result in found["matches"]:
        screen.say(f"{result['first']} as first, {result['second']} as second player:")
        rows = [[labels[end], exact(result["exact"][end])] for end in ENDS]
        for row, sample in zip(rows, result.get("sampled", {}).values(), strict=False):
            row.append(f"{sample['games']} of {games}")
            row.append(f"{decimal(sample['low'])}–{decimal(sample['high'])}")
        screen.table(heads[: len(rows[0])], rows)
        screen.say()
    tell_not_taught(screen, found)
    if games:
        screen.say(f"Seed of the sample: {found['seed']}.")


def tournament(game, entrants):
    """Return the exact results of each against each, where both were taught."""
    results = []
    for one in entrants:
        for two in entrants:
            if may_meet(one, two):
                result = evaluation.result(game, one.on(+1), two.on(-1))
                names = {"first": one.name, "second": two.name}
                results.append(names | result._asdict() | {"mean": result.value})
    return {"results": results, "not_taught": not_taught(*entrants)}


def tell_tournament(screen, found, entrants):
    """Tell what `tournament` found: a cross table, in pieces if it is too wide."""
    means = iter(decimal(result["mean"]) for result in found["results"])
    names, heads = [who.name for who in entrants], [who.name for who in entrants]
    cells = [
        [next(means) if may_meet(one, two) else "–" for two in entrants]
        for one in entrants
    ]
    corner = "first \\ second"
    if len(corner) + sum(max(len(name), 6) + 3 for name in heads) > screen.width:
        heads = [str(number) for number in range(1, len(heads) + 1)]
        names = [f"{head} {name}" for head, name in zip(heads, names, strict=True)]
    room = screen.width - max(map(len, [corner, *names]))
    piece = max(1, room // 10) if names[0] != heads[0] else len(heads)
    for start in range(0, len(heads), piece):
        part = slice(start, start + piece)
        rows = [[name, *row[part]] for name, row in zip(names, cells, strict=True)]
        screen.table([corner, *heads[part]], rows)
    screen.say("Mean result of the first player: win +1, draw 0, loss −1.")
    if found["not_taught"]:
        screen.say("–: one of the two was not taught this side.")
    tell_not_taught(screen, found)


def write_csv(file, found):
    """Write what `tournament` found as CSV."""
    heads = ("first", "second", *ENDS, "mean")
    table = csv.DictWriter(file, heads, lineterminator="\n")
    table.writeheader()
    for row in found["results"]:
        names = {head: no_formula(row[head]) for head in ("first", "second")}
        table.writerow(row | names)


# All agents


def everybody():
    """Return who can play, by name."""
    return {
        "shipped": [
            {"name": who.name, "made": who.made, "taught": who.taught}
            for who in map(io.read_builtin, builtin_names())
        ],
        "methods": list(learners.METHODS),
        "others": ["random", "perfect", "teacher:P", "uct:N", "person"],
    }


def tell_everybody(screen, found):
    """Tell what `everybody` found."""
    *others, person = found["others"]
    screen.say("Agents that come with the library:")
    for agent in found["shipped"]:
        taught = agent["taught"]
        only = f" ({SIDE_NAMES[taught]} player only)" if taught else ""
        screen.say(f"{agent['name']}{only}", "bold")
        screen.say(agent["made"], indent=4)
    screen.say()
    screen.say(f"Also: {', '.join(others)}, and a {person} in 'ttt play'.")
    screen.say(f"Methods of learning: {', '.join(found['methods'])}.")


# One agent


def card(game, who):
    """Return who somebody is, and what it is worth on the sides it was taught."""
    result = {"name": who.name}
    if who.made:
        result |= {
            "made": who.made,
            "side": who.side,
            "taught": who.taught,
            "rewards": list(who.rewards),
            "file": None if who.path is None else str(who.path),
            "settings": dict(who.training),
            "rows_of_history": len(who.history),
        }
    if who.learner is not None:
        pupil = learners.of(who.learner)
        settings = result.get("settings", {}) | pupil.settings()
        result |= {"games": pupil.games, "settings": settings}
    if who.policy is None and who.learner is not None:  # it judges
        return result
    result |= evaluation.scores(game, who.on(who.side), who.taught)
    if who.taught == 0:
        each = evaluation.exploitability(game, who.policy)
        result["exploitability"] = each._asdict()
    return result


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
        tell_scores(screen, found)


def tell_scores(screen, found):
    """Tell the scores against random moves and the worst opponent."""
    places = [place for place in SIDE_NAMES.values() if f"win_{place}" in found]
    numbers = dict(found)
    for place, number in found.get("exploitability", {}).items():
        numbers[f"exploitability_{place}"] = number
    rows = [
        [label, *(exact(numbers[f"{name}_{place}"]) for place in places)]
        for name, label in LABELS.items()
        if f"{name}_{places[0]}" in numbers
    ]
    screen.table(["", *(f"as {place} player" for place in places)], rows)
    for place in SIDE_NAMES.values():
        if place not in places and "games" in found:  # else it did not learn
            screen.say(f"As {place} player: not taught.")


# Its moves


def named_board(text):
    """Return {name: board} of a text, which is the name of one of TESTS or a board."""
    name = text.strip().lower().replace("-", "_")
    return {name: TESTS[name]} if name in TESTS else {"": text}


def on_boards(game, who, boards, first):
    """Return what somebody does on boards, given by name."""
    who.on(who.side)  # refused if it cannot move
    found = [{"name": name, **_on(game, who, boards[name], first)} for name in boards]
    return {"agent": who.name, "boards": found}


def _on(game, who, board, first):
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
    result["taught"] = who.taught in (0, mover)
    if len(chosen):
        result["probability"] = {int(a): float(who.policy[s, a]) for a in legal}
        if who.Q is not None and result["taught"]:
            result["value"] = {int(a): float(who.Q[s, a]) for a in legal}
    return result


def tell_on_boards(screen, found, first):
    """Tell what `on_boards` found."""
    for result in found["boards"]:
        if result["name"]:
            screen.say(f"{result['name']}, {result['board']}:")
        _tell_on(screen, found["agent"], result, first)
        if result["name"]:
            screen.say()


def _tell_on(screen, name, result, first):
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
    known = {
        "won": f"{mark}, to move, wins",
        "drawn": "this is a draw",
        "lost": f"{mark}, to move, loses",
    }
    screen.say(f"Under perfect play {known[result['perfect']]}.")
