"""What arguments may be, and what makes no sense, by their names: for the fuzzer.

A name may be told apart by its function or room: "search.order" is before "order".
"""

from typing import NamedTuple


class Pool(NamedTuple):
    """What an argument may be, as texts."""

    good: tuple  #: the first one is the usual
    wrong: tuple  #: what makes no sense
    odd: tuple = ()  #: the usual one, held in an unusual way


def pools(target, good, wrong=(), odd=()):
    return {target: Pool(tuple(good), tuple(wrong), tuple(odd))}


NEVER = ("{}", "object()", "b'7'", "lambda x: x", "1j", "[[1], [1, 2]]", "set()")
NO_NUMBER = (*NEVER, "None", "'text'", "'1'", "[]", "[1, 2]", "nan", "np.array('x')")
NO_TABLE = (*NEVER, "'text'", "7", "nan", "[]", "np.array(None)", "np.zeros((2, 2, 2))")
NO_THING = (*NEVER, "None", "'text'", "7", "nan", "True", "np.zeros(3)")


def whole(name, good, low, high=None, odd=True):
    """Return the Pool of a whole number from `low` to `high`, both texts or None."""
    wrong = [*NO_NUMBER, "inf", "-inf", "1.5", f"{low} - 1", "-10**30", "True"]
    if high is not None:
        wrong += [f"{high} + 1", "10**30", "2**63"]
    odd = [f"np.int16({good[0]})", f"np.uint64({good[0]})", f"np.float64({good[0]})"]
    return pools(name, good, wrong, [*odd, f"np.array({good[0]})"])


def number(name, good, *wrong):
    """Return the Pool of a finite number."""
    odd = [f"np.{kind}({good[0]})" for kind in ("float32", "longdouble", "float64")]
    most = ("inf", "-inf", *wrong)
    return pools(name, good, (*NO_NUMBER, *most), [*odd, f"np.array({good[0]})"])


def word(name, good, *wrong):
    """Return the Pool of one of some words."""
    wrong = (*NEVER, "None", "7", "nan", "True", "''", "'nobody'", "['x']", *wrong)
    return pools(name, good, wrong, [f"np.str_({good[0]})"])


HELD = ("single", "long", "swapped", "fortran", "spread", "backwards", "frozen",
        "listed", "objects")  # fmt: skip


def array(name, good, *wrong, held=HELD, place=1, parts=True):
    """Return the Pool of an array of numbers (…); its usual value is good[0].

    At `place`, counted along its rows, it may not be NaN or infinite; a part of it is
    wrong as well if `parts`.
    """
    one = good[0]
    most = (f"{one}[None]", f"{one} * 1j", f"{one}.astype(str)")
    if parts:
        most += f"{one}[:-1]", f"{one}[:0]"
    if place is not None:
        most += tuple(f"put({one}, {place}, {bad})" for bad in ("nan", "inf"))
    wrong = (*NO_TABLE, *most, *wrong)
    return pools(name, good, wrong, [f"{form}({one})" for form in held])


def policy(name, good=("p", "other"), *wrong):
    """Return the Pool of a policy (S, A)."""
    one = good[0]
    most = (f"{one}[:, :5]", f"{one} / 2", f"-{one}", f"{one}.T", "u9", "w", "None",
            "np.ones((S, 6)) / 6", f"{one}.ravel()", f"{one} + 0.25",
            "'random'")  # fmt: skip
    return array(name, good, *most, *wrong, place="slice(None)")  # one side may move


READ = ("'XO....'", "w.board[3]", "0", "'XO./...'")
UNREAD = ("-1", "3**6", "10**30", "'XX....'", "'XOX/'", "1.5", "'XO......'", "True")
FLAGS = ("fortran", "spread", "backwards", "frozen", "listed")
ONE = ("object()", "None", "'text'", "7", "nan", "True", "1j", "lambda x: x")
TABLES = ("p[:, :5]", "p.T", "u9", "w", "p.ravel()", "None")
BOARDS = ("cells[:5]", "cells + 5", "'XO'", "None", "put(cells, 0, 0.5)")
SHAPES = ("lines", "lines.tolist()")
NO_LINES = (*NEVER, "None", "'text'", "7", "lines + 5", "lines * 1.5", "-lines",
            "lines[0]", "[]", "nan")  # fmt: skip
ACTIONS = (*NO_THING, "[0, 0]", "[9]", "[-1]", "[1.5]", "[0, None]", "'012'", "nan",
           "whole[:-1]", "whole + [0]", "[10**30]", "[nan]", "[True]",
           "whole[:1] * 5")  # fmt: skip
GENERATORS = ("None", "7", "'0'", "np.random", "np.random.default_rng", "{}", "nan",
              "np.random.RandomState(0)")  # fmt: skip
SCHEDULES = (*NO_NUMBER, "inf", "-1", "1.5", "2", "Schedule(9, 0.5, 0.5, 0.0)",
             "Schedule(0, nan, nan, 0.0)", "Schedule(1, 0.5, inf, 0.1)",
             "Schedule(2, 0.5, 0.0, 0.1)", "Schedule(3, 0.5, 0.0, nan)",
             "Schedule(4, 0.5, 0.0, -1.0)", "Schedule('x', 0.5, 0.0, 1.0)",
             "Schedule(0, None, None, None)", "(0, 0.5, 0.5)")  # fmt: skip
REWARDS = (*(x for x in NO_THING if x != "np.zeros(3)"), "(1, 0)", "(1, 0, -1, 5)",
           "(1, nan, -1)", "(inf, 0, -1)",
           "(1, None, -1)", "[]", "('a', 'b', 'c')", "[[1], [0], [-1]]")  # fmt: skip
SIDES = (*NO_NUMBER, "2", "-2", "0.5", "10**30", "inf", "'first'")
SIDE_ODD = ("np.int8(1)", "1.0", "np.float64(1)", "np.array(1)", "True")
LEARNERS = (*NO_THING, "L9", "LJ", "B", "B9", "w", "L.Q")
MATCHBOXES = (*NO_THING, "B9", "L", "L9", "w", "B.beads")

MINE = ("single", "long", "swapped", "spread", "backwards", "frozen", "listed")
WHOLES = ("swapped", "spread", "backwards", "frozen", "listed")

POOLS = (
    # Games and what is in them
    pools("game", ["w"], [*NO_THING, "(2, 3, 3)", "m", "w.legal"])
    | whole("rows", ["2"], "1", "39")
    | whole("columns", ["3"], "1", "39")
    | whole("k", ["3"], "1", "39")
    | whole("lines.rows", ["2"], "1") | whole("lines.columns", ["3"], "1")
    | whole("cells", ["6"], "0")
    | whole("symmetries.rows", ["2"], "1") | whole("symmetries.columns", ["3"], "1")
    | pools("lines", SHAPES, NO_LINES)
    | pools("rules.lines", ["g.lines", "g.lines.tolist()"], [*NO_LINES, "g.lines + 5"])
    | pools("rules.board", ["cells9", "g.board[:20]"],
            [*NO_TABLE, *BOARDS, "cells9 + 5", "put(cells9, 0, 0.5)", "cells9[:8]",
             "put(cells9, 1, nan)", "cells9 * 1j", "cells9.astype(str)"],
            [f"{form}(cells9)" for form in MINE])
    | pools("codes.board", ["cells", "w.board[:20]"],
            [*NEVER, "'text'", "nan", "7", "None", "cells + 5", "cells * 1j",
             "cells.astype(str)", "put(cells, 0, nan)"],
            [f"{form}(cells)" for form in MINE])
    | pools("side_to_move.board", ["cells9", "g.board[:20]"],
            [*NEVER, "'text'", "nan", "7", "None", "cells9 + 5", "cells9 * 1j",
             "cells9.astype(str)", "put(cells9, 0, 0.5)", "put(cells9, 1, nan)"],
            [f"{form}(cells9)" for form in MINE])
    | pools("play.board", ["g.board[0]", "g.board[:3]"], [*NO_TABLE, *BOARDS])
    | whole("play.action", ["3"], "0", "8")
    | pools("find.board", READ, [*NEVER, "'text'", "nan", "[]", *BOARDS, *UNREAD])
    | array("write.cells", ["cells"], "None", "put(cells, 0, 0.5)", "cells + 5",
            held=MINE, parts=False)
    | pools("player", ["1", "-1"], [*SIDES, "0"], SIDE_ODD)
    | word("first", ["'X'", "'O'"], "'x'", "'XO'")
    | whole("s", ["5", "0"], "0", "S - 1")
    | whole("position", ["5", "0"], "0", "S - 1")
    | whole("start", ["0", "5"], "0", "S - 1")
    | pools("actions", ["whole"], ACTIONS, ["np.array(whole)", "tuple(whole)"])
    | pools("positions.actions", ["whole", "[0, 1]"],
            [a for a in ACTIONS if a not in ("whole[:-1]", "{}", "set()")],
            ["np.array(whole)"])
    # Policies and values by position
    | policy("policy") | policy("opponent") | policy("behaviour")
    | pools("firsts", ["[p, other]"], ["None", "7", "[]", "[7]", "p[0]", "'random'"])
    | pools("seconds", ["(p,)"], ["None", "7", "[]", "[7]", "'random'"])
    | policy("evaluation.first") | policy("second") | policy("runs.first")
    | array("Boxes.train.opponent", ["p"], "p / 2", "u9", held=())
    | array("Boxes.train.behaviour", ["p"], "p", held=())
    | array("join.first", ["p"], *TABLES, place=None)
    | array("join.second", ["p"], *TABLES, place=None)
    | array("mixture.policy", ["p", "mp"], *TABLES, "-p")
    | array("mixture.other", ["other"], *TABLES, "-p")
    | array("expected_q.policy", ["p"], *TABLES, "-p")
    | array("action_discrepancy.policy", ["p"], *TABLES, "-p")
    | array("Q", ["Q"], *TABLES)
    | array("legal", ["legal"], "None", "legal[0]", "Q", held=FLAGS)
    | array("uniform.legal", ["legal"], "None", "legal[0]", "Q", place=None, held=FLAGS,
            parts=False)
    | array("among", ["among"], "~among", "among[:, :5]", held=FLAGS)
    | array("share_optimal.among", ["some"], "legal", held=FLAGS[1:])
    | array("deterministic.action", ["action"], "action + 9", "None", "action[:5]",
            "action * 1.5", held=WHOLES)
    | array("to_move", ["to_move"], "None", "to_move * 2", "legal", held=WHOLES)
    | word("ties", ["'uniform'", "'lowest'"], "'first'", "'highest'")
    | number("tie", ["1e-9", "0"], "-1")
    | number("epsilon", ["0.25"], "-0.1", "1.5", "10**30")
    | number("temperature", ["0.5"], "0", "-1")
    | number("p", ["0.5", "0", "1"], "-0.1", "1.5")
    | array("greedy_pairs.first", ["first"], "first + 5", "first[::-1]", "None",
            "put(first, 1, -1)", held=WHOLES)
    | array("greedy_pairs.q", ["mq"], "None", "mq[:3]", "Q", "put(mq, 1, nan)",
            place=None)
    # Schedules
    | number("value", ["0.5"])
    | pools("as_schedule.name", ["'alpha'"])
    | pools("as_schedule.value", ["0.5", "schedules.linear(1, 0, 5)"],
            [*NO_NUMBER, "inf", "Schedule(9, 0.5, 0.5, 0.0)"])
    | pools("read_schedule.text", ["'0.1'", "'linear:1:0:5'"],
            [*NEVER, "None", "nan", "'text'", "'1e'", "''"])
    | number("linear.start", ["0.5"]) | number("linear.end", ["0.25"])
    | number("exponential.start", ["0.5"], "0", "-1")
    | number("exponential.end", ["0.25"], "0", "-1")
    | number("power.start", ["0.5"])
    | number("exponent", ["0.5"], "-1")
    | word("by", ["'visits'", "'games'"], "'weeks'")
    | whole("games", ["3", "10"], "0")
    | whole("seed", ["3", "10"], "0")
    | whole("linear.games", ["3"], "1") | whole("exponential.games", ["3"], "1")
    # Decision problems; V is (n,), q and policies (N,)
    | pools("mdp", ["m"], [*NO_THING, "w", "p"])
    | pools("side", ["1", "-1"], [*SIDES, "0"], SIDE_ODD)
    | pools("rewards", ["(1, 0, -1)", "(5, 0.5, -2)"], REWARDS,
            ["[1, 0, -1]", "np.array([1, 0, -1])", "np.float32([1, 0, -1])"])
    | array("probability", ["P"], "P * 3", "-P", "P[:, :, :3]", "None", "P[:, :, :1]",
            "np.concatenate([P, P], axis=2)")
    | array("reward", ["R"], "None", "R.T", "R[:, :1]", "R[:, :, None]")
    | array("from_arrays.legal", ["(R > -1)"], "R > 5", "(R > -1)[:3]", held=FLAGS)
    | array("from_arrays.start", ["start"], "start * 3", "-start", "start[:2]", "R",
            "np.zeros(4)")
    | pools("squares", ["'E..|.#.|..E'", "'.'"],
            [*NO_THING, "''", "'EE'", "'..|.'", "'.x'"], ["np.str_('E..|.#.|..E')"])
    | number("gridworld.step", ["-1"]) | number("gridworld.end", ["0.5"])
    | array("V", ["mV"], "V", "mV[:3]")
    | array("mdp.V", ["mV"], "None", "V", "mV[:3]")
    | array("table", ["p", "Q"], *TABLES, place=None, parts=False)
    | array("q", ["mq"], "None", "p", "mq[:3]")
    | array("planning.policy", ["mp"], "mp / 2", "-mp", "p", "mp[:3]", "mp + 1")
    | number("gamma", ["0.5", "1"], "-0.1", "1.1", "10**30")
    | number("search.gamma", ["0.5", "1"], "-0.1", "1.1", "0", "10**30")
    | number("theta", ["1e-9"], "-1", "-1e-9")
    | word("order", ["'synchronous'", "'rising'"], "'up'")
    | word("evaluation", ["'solve'", "'falling'"], "'up'")
    | whole("evaluations", ["3", "0"], "0")
    | array("search.order", ["order"], "order + 5", "[0] * 6", "[9]", "order[:3]",
            "order * 1.5", "-order", held=WHOLES)
    | array("tree.order", ["order"], "order + 5", "[0] * 6", "[9]", "order[:3]",
            "order * 1.5", "-order", held=WHOLES)
    # Learners
    | word("method", ["'td_afterstates'"], "'nonsense'", "'Q_learning'")
    | pools("rng", ["rng()"], GENERATORS)
    | pools("alpha", ["0.5", "schedules.linear(1, 0.1, 5)"], [*SCHEDULES, "0"],
            ["np.float32(0.5)", "np.array(0.5)"])
    | pools("new_learner.epsilon", ["0.5", "schedules.linear(1, 0, 5)"], SCHEDULES,
            ["np.float32(0.5)", "np.array(0.5)"])
    | number("initial", ["0.5"])
    | number("lambda_", ["0.5"], "-0.1", "1.5")
    | whole("n", ["2"], "1")
    | pools("learner", ["L", "LV", "LD"], LEARNERS)
    | pools("learning.learn_game.learner", ["L", "LV", "LD", "LJ"],
            [x for x in LEARNERS if x != "LJ"])
    | pools("action_values.learner", ["L", "LV", "LD"], [*LEARNERS, "LJ"])
    | pools("greedy_policy.learner", ["L", "LV", "LD"], [*LEARNERS, "LJ"])
    | pools("scores.side", ["0", "1"], SIDES, ["0.0", "np.int8(0)"])
    | pools("OwnLearner.train.side", ["0"], SIDES, ["0.0", "np.int8(0)"])
    | pools("OwnLearner.train_one.side", ["0"], SIDES, ["0.0", "np.int8(0)"])
    | pools("players.side", ["0", "1"], SIDES, ["0.0", "np.int8(0)"])
    | pools("learning.side", ["0"], SIDES, ["0.0", "np.int8(0)", "False"])
    | pools("at", ["[25, 30]"], [*ONE, "[30, 25]", "[-5]", "[nan]", "['x']", "[40.5]"])
    | pools("boxes", ["B"], MATCHBOXES)
    | pools("beads", ["(4, 3, 2, 1)"], [*NO_THING, "(0, 1)", "(-1,)", "()", "(1.5,)",
            "(nan,)", "('x',)", "(inf,)", "(10**30,)"], ["[4, 3, 2, 1]"])
    | pools("reinforcement", ["(3, 1, -1)"],
            [*REWARDS, "(1.5, 0, 0)",
             "(10**30, 0, 0)"],
            ["[3, 1, -1]", "np.array([3, 1, -1])"])
    | pools("menace.learn_game.side", ["0", "1", "-1"], SIDES,
            ["0.0", "np.int8(0)"])
    # What chance gives
    | whole("sample_match.games", ["3"], "1")
    | pools("successes", ["3", "counts", "[1, 2]"],
            [*(x for x in NO_NUMBER if x != "[1, 2]"), "-1", "7", "counts + 50"])
    | whole("wilson_interval.n", ["5"], "1")
    | number("z", ["1.5"], "-1")
    | pools("trial", ["lambda setting, rng: setting"],
            [x for x in NO_THING if "lam" not in x])
    | pools("settings", ["[1, 2]"], ["[]", "None", "7", "nan"])
    | whole("seeds", ["2"], "1")
    | pools("jobs", ["1"], ["0", "None", "'x'", "1.5", "nan"])
    # Who plays, and what is kept
    | word("name", ["'perfect'"], "'../mine'", "'mine.json'")
    | word("studies.name", ["'td_limits'"], "'../games'")
    | pools("text", ["'perfect'", "'teacher 0.5'"],
            [*NO_THING, "''", "'teacher 2'", "'teacher nan'", "'teacher 0.5 first'",
             "'new nonsense'", "'x' * 5000", "'a\\nb'", "'a\\0b'", "'perfect 1'"])
    | pools("who",
            ["'random'", "p", "L", "agent", "player", "name", "own", "'new sarsa'"],
            [*NO_THING, "p / 2", "put(p, 3, nan)", "u9", "'nobody'", "L9", "agent9",
             "''", "'gone.json'", "p.T", "-p", "'x' * 5000"])
    | pools("player.rng", ["rng()"])
    | pools("agent", ["agent"], [*NO_THING, "L", "'perfect'"])
    | pools("must_fit.agent", ["agent"], [*NO_THING, "L", "'perfect'", "agent9"])
    | pools("save.agent", ["agent", "agent9"],
            [*NO_THING, "L", "'perfect'", "agent._replace(policy=p / 2)",
             "agent._replace(side=2)", "agent._replace(gamma=nan)",
             "agent._replace(Q=u9)", "agent._replace(name=7)",
             "agent._replace(rows=9, columns=9)",
             "agent._replace(rewards=(1, 0))", "agent._replace(rewards='abc')",
             "agent._replace(tables={'x': 'y'})", "agent._replace(history=[7])",
             "agent._replace(hyperparameters=7)", "agent._replace(side='first')"])
    | pools("path", ["'out.json'", "path('out.json')"],
            [*NEVER, "None", "nan", "7.5", "'gone/x.json'", "''", "'.'", "'a\\0b'"])
    | pools("load.path", ["'mine.json'", "path('mine.json')"],
            [*NEVER, "None", "nan", "7.5", "'gone/x.json'", "''", "'.'", "'a\\0b'"])
    | pools("make.games", ["3"], ["-1", "nan", "1.5", "'x'", "{}"])
    | pools("anew", ["True", "False"])
    | pools("made", ["'By hand.'"], ["7", "{}", "nan", "b'x'"])
    | pools("learners.name", ["'mine'"], ["7", "{}", "nan", "None", "b'x'"])
    | pools("learners.learner", ["L", "B", "own"], NO_THING)
    | pools("learners.side", ["0", "1"], SIDES, ["0.0", "np.int8(0)"])
    | pools("history", ["()", "[{'games': 3}]"], ["7", "nan", "[7]", "'text'"])
    | pools("training", ["{}", "{'opponent': 'random'}"], ["7", "nan", "[7]", "'text'"])
    | pools("thing", ["L", "7", "None"], [])
    | pools("schedule", ["schedules.linear(1, 0, 5)", "schedules.power()"], NO_THING)
    | pools("whom.opponent", ["name"], NO_THING)
    | pools("how_made.opponent", ["name"], NO_THING)
    | pools("changed.settings", ["{'alpha': 0.5}"],
            ["{'initial': 1}", "{'x': 1}", "{'alpha': nan}", "{'gamma': 2}", "7",
             "None"])
    # Boards
    | pools("Board.agent", ["u9", "L9", "'perfect'", "{1: u9}"],
            [x for x in NO_THING if x != "None"] + ["p", "L", "{1: p}", "u9 / 2"])
    | pools("Board.name", ["'agent'"])
    | word("x", ["'person'", "'perfect'"])
    | pools("o", ["'random'", "'teacher 0.5'"], [*NEVER, "7", "nan", "True", "'x'"])
    | pools("settings.agent", ["u9", "L9", "'perfect'", "{1: u9}"],
            [x for x in NO_THING if x != "None"] + ["p", "L", "{1: p}", "u9 / 2"])
    | pools("settings.name", ["'agent'"])
    | pools("settings.position", ["'XO.......'", "None", "5"],
            [*NEVER, "'XX'", "1.5", "nan", "10**30", "-1", "True", "'XXX......'"])
    | pools("starts", ["'X'", "'lot'"], [*NEVER, "7", "nan", "True", "'x'", "'nobody'"])
    | word("overlay", ["'value'", "'none'"])
    | pools("choices", ["['perfect']", "'random, perfect'", "None"],
            ["7", "[7]", "['nobody']", "nan", "object()"])
    | pools("arena", ["True", "False"], [])
    | pools("settings.title", ["'title'"], ["7", "None", "{}", "nan"])
    | pools("slider", ["'Trained'"])
)  # fmt: skip


WORDS = {  # of commands: type of an argument, or its name → good, and what is wrong
    "whole number": ("3", "x", "", "1.5", "-1", "nan", "-10**30"),
    "integer": ("3", "x", "", "1.5", "nan"),
    "number": ("0.5", "x", "", "nan", "inf", "-inf", "1e400", "0x1"),
    "schedule": ("0.5", "x", "", "nan", "-1", "2", "linear:1:2", "linear:nan:0:5",
                 "linear:0.5:0:0", "exponential:0.5:0:5", "power:1:nan", "1/0"),
    "method": ("sarsa", "nonsense", "", "x" * 5000),
    "choice": ("uniform", "nonsense", ""),
    "file": ("out.json", "", ".", "gone/x.json"),
    "text": ("random", "nobody", "", "teacher:2", "gone.json", "x" * 5000, "a\nb",
             "new:nonsense", "teacher:nan", "\x1b[31m"),
    "board": ("x_x/o_o/___", "xx", "", "q" * 5000, "xxx/xxx/xxx", "xxx______"),
    "order": ("rising", "x", "", "x" * 5000),
}  # fmt: skip
FIRST = {"solve.method": "value_iteration", "plot.file": "q-learning",
         "plot.output": "out.svg", "export.file": "made.json"}  # fmt: skip
