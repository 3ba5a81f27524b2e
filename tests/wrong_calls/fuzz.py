"""Random wrong calls of everything public; `make fuzz` has thousands of them.

Each function is found where it stands, so a new one is called at once; what its
arguments may be is told by their names in POOLS. A call gets one or two arguments that
make no sense and should say so in one sentence that names one of them, or one that is
held in an unusual way, and should answer as it does to the usual one, or say that it
does not take it.
"""

import inspect
import re
import sys
from collections import Counter
from importlib import import_module
from typing import NamedTuple

import numpy as np
from arguments import FIRST, POOLS, WORDS, Pool
from calls import MOST_SIGNS, Child

ROOMS = (  # not studies.parts: it stands on pages, and calls what is checked
    "rules", "doors.notation", "game", "policy", "schedules", "mdp", "planning",
    "search", "evaluation", "learning", "menace", "runs", "studies",
    "agents.learners", "agents.names", "agents.players",
    "agents.recipes", "agents.storage", "board.settings",
)  # fmt: skip
OBJECTS = {  # class → what stands for one
    "game.Game": "w",
    "agents.players.Player": "player",
    "agents.learners.Tables": "learners.of(L)",
    "agents.learners.Boxes": "learners.of(B)",
    "agents.own.OwnLearner": "own",
}
MADE = {  # classes that a reader calls
    "agents.own.OwnLearner": "Mine",
    "board.widget.Board": "board.Board",
}
CALLED = {"board.settings": "board.settings"}  # rooms as `world` has them
EXEMPT = {
    "commands.contest": "takes a folder of files: test_console_contest.py",
    "runs.watched": "takes nothing",
    "agents.storage.shipped": "takes nothing",
    "agents.names.known": "takes nothing",
    "schedules.one_over_n": "takes nothing",
    "agents.recipes.write": "makes the files that come with the book",
    "agents.own.OwnLearner.move": "is asked in the loops of `train`",
    "agents.own.OwnLearner.learn": "is the reader's to write",
    "agents.own.OwnLearner.taught": "is asked by console and board",
    "agents.players.Player.untaught": "is asked by console and board",
    "board.settings.playing": "takes what `settings` gives",
    "board.settings.player": "takes what `tables.entries` gives",
    "doors.notation.read": "is asked by `Game.find`, which knows its board",
    "agents.learners.whom": "is asked by console and board, as those below",
    "agents.learners.in_words": "",
    "agents.learners.is_learned": "",
    "agents.learners.training": "",
    **{
        f"agents.learners.{kind}.{name}": ""
        for kind in ("Tables", "Boxes")
        for name in ("how_made", "kept", "record", "exploring", "resigns", "taught")
    },
    "planning.unsettled": "makes an error",
    "agents.storage.within_bounds": "is given what learners have become",
    "agents.names.nearest": "seeks the words of a text",
    "agents.learners.generator": "takes what a file holds",
    "commands.book": "opens a browser",
}  # compiled functions, too: loops of readers call them, and they say what is trusted
SHOWN = {  # by their contents, or by the name of what they are used for
    "board", "who", "text", "path", "agent", "name", "x", "o", "learner", "value",
    "settings", "rows", "columns", "k", "firsts", "seconds",
}  # fmt: skip


class Target(NamedTuple):
    """Something to call."""

    name: str  #: as EXEMPT has it
    call: str  #: what stands before its arguments
    pools: dict  #: name of an argument → its Pool
    optional: frozenset  #: names of arguments that may be left out
    by_name: bool = True  #: whether its arguments are written with their names


class Call(NamedTuple):
    """One call of a Target, and what should come of it."""

    target: Target
    text: str
    usual: str  #: the same call, all arguments as usual
    wrong: tuple  #: names of the wrong arguments; none if it is only unusual


def targets():
    """Return all Targets, and the names of arguments that have no Pool."""
    found, missing = [], []
    for room in ROOMS:
        module = import_module(f"ttt_lib.{room}")
        for name, thing in vars(module).items():
            known = inspect.isfunction(thing) and thing.__module__ == module.__name__
            if known and not name.startswith("_") and not hasattr(thing, "py_func"):
                call = CALLED.get(room, room.rpartition(".")[2])
                call = call if call.endswith(name) else f"{call}.{name}"
                found.append((f"{room}.{name}", call, thing))
    for path, stands in OBJECTS.items():
        room, _, name = path.rpartition(".")
        cls = getattr(import_module(f"ttt_lib.{room}"), name)
        for method, thing in vars(cls).items():
            if inspect.isfunction(thing) and not method.startswith("_"):
                found.append((f"{path}.{method}", f"{stands}.{method}", thing))
    for path, call in MADE.items():
        room, _, name = path.rpartition(".")
        cls = getattr(import_module(f"ttt_lib.{room}"), name)
        found.append((f"{path}.new", call, cls.__init__))
    known = []
    for name, call, thing in found:
        if name in EXEMPT:
            continue
        parameters = inspect.signature(thing).parameters.values()
        named = [p for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD]
        own = {p.name: _but(_pool(name, p.name), p.default) for p in named}
        missing += [f"{name}.{argument}" for argument in own if own[argument] is None]
        own = {argument: pool for argument, pool in own.items() if pool}
        optional = frozenset(p.name for p in named if p.default is not p.empty)
        if own:
            known.append(Target(name, f"{call}(", own, optional))
    return [*known, *_commands()], missing


def _but(pool, default):
    """Return a Pool, if there is one, in which the argument's default is not wrong."""
    right = repr(default)
    return pool and pool._replace(wrong=tuple(x for x in pool.wrong if x != right))


def _commands():
    from ttt_lib.console.cli import COMMANDS, cli

    for name in COMMANDS:
        if f"commands.{name}" in EXEMPT:
            continue
        own, optional = {}, set()
        for each in cli.get_command(None, name).params:
            if getattr(each, "is_flag", False):
                continue
            kind = each.name if each.name in WORDS else each.type.name
            good, *wrong = WORDS[kind]
            good = FIRST.get(f"{name}.{each.name}", good)
            texts = [_words(each, word) for word in (good, *wrong)]
            own[each.name] = Pool(tuple(texts[:1]), tuple(texts[1:]))
            if not each.required:
                optional.add(each.name)
        optional -= {"method", "output"}
        force = "'--force', " if "output" in own or "file" in own else ""
        if own:
            call = f"ttt('{name}', {force}"
            yield Target(f"commands.{name}", call, own, optional, False)


def _words(parameter, word):
    """Return the words of a parameter, as they stand in the text of a call."""
    count = max(parameter.nargs, 1)
    option = [parameter.opts[-1]] if parameter.opts[0].startswith("-") else []
    return ", ".join(map(repr, [*option, *[word] * count]))


def _pool(function, argument):
    """Return the Pool of an argument: of this function, of its room, or of the name."""
    *rooms, name = function.split(".")
    tails = [f"{room}.{name}.{argument}" for room in rooms]
    tails += [f"{name}.{argument}", *(f"{room}.{argument}" for room in rooms), argument]
    return next((POOLS[tail] for tail in tails if tail in POOLS), None)


def drawn(known, count, rng):
    """Yield Calls drawn by chance: an argument's place first, then what it is."""
    places = [(target, name) for target in known for name in target.pools]
    while count > 0:
        target, name = places[rng.integers(len(places))]
        unlike = target.pools[name].wrong + target.pools[name].odd
        if not unlike:
            continue
        count -= 1
        chosen = {name: _one(unlike, rng)}
        wrong = (name,) if chosen[name] in target.pools[name].wrong else ()
        needed = [each for each in target.pools if each not in target.optional]
        usual = {each: target.pools[each].good[0] for each in needed}
        if not wrong:
            usual[name] = target.pools[name].good[0]
        others = {}
        for other, pool in target.pools.items():
            if wrong and other != name:
                if len(wrong) == 1 and pool.wrong and rng.random() < 0.15:
                    chosen[other], wrong = _one(pool.wrong, rng), (*wrong, other)
                elif other in needed:
                    others[other] = _one(pool.good, rng)
        text = written(target, usual | others | chosen)
        yield Call(target, text, written(target, usual), wrong)


def _one(texts, rng):
    return texts[rng.integers(len(texts))]


def written(target, arguments):
    """Return the text of a call, arguments by name as they stand in the signature."""
    given = [name for name in target.pools if name in arguments]
    told = [f"{n}={arguments[n]}" if target.by_name else arguments[n] for n in given]
    return f"{target.call}{', '.join(told)})"


def fault_of(call, child, known):
    """Return what is wrong with what comes of a call, as (kind, what came), or None.

    `known` keeps what came of usual calls: text → Came.
    """
    if call.usual not in known:  # the first may have to be compiled: no limit
        known[call.usual] = child.ask(call.usual, seconds=0)
    usual = known[call.usual]
    if usual.kind != "answer":
        return "the usual is refused", f"{call.usual}: {usual.text}"
    came = child.ask(call.text)
    if came.kind in ("crash", "hang", "raw"):
        return came.kind, came.text
    if came.kind == "answer":
        if call.wrong:  # two may fit together, as tables of another board
            one = len(call.wrong) == 1
            return ("accepted", f"wrong: {call.wrong[0]}") if one else None
        if came.text != usual.text:
            return "another answer", f"than to {call.usual}"
        return None
    said = came.text.partition(": ")[2]
    good = len(said) <= MOST_SIGNS and "\n" not in said
    good = good and said.endswith((".", "?", "--help"))
    if not good:
        return "no sentence", came.text
    if call.target.by_name and not SHOWN.intersection(call.wrong):
        named = (
            re.search(rf"\b{name}\b", said, re.IGNORECASE) for name in call.target.pools
        )
        return None if any(named) else ("no name", came.text)
    return None


def main(count="5000", seed="0", *rooms):
    """Tell the faults of so many calls as they come; return whether there are some."""
    known, missing = targets()
    known = [t for t in known if not rooms or t.name.startswith(rooms)]
    child, usual, seen = Child(bounds=True), {}, Counter()
    for call in drawn(known, int(count), np.random.default_rng(int(seed))):
        kind, what = fault_of(call, child, usual) or ("right", "")
        seen[kind] += 1
        if what:
            print(f"{call.text[:200]}\n    {kind}: {what[:200]}", flush=True)
    child.close()
    print(f"{int(count):,} calls: {dict(seen)}; arguments without a Pool: {missing}")
    return bool(missing or seen.keys() - {"right"})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
