"""Benchmark of the library against plain C and other libraries, as ratios in one run.

`make bench` prints the table; arguments of `benchmarks/bench.py` select its rows.
`make bench STORE=1` also stores the run, its chart and its table for the book.
First every implementation runs once, and the results must be equal; this call, in which
Numba compiles or loads its cache, is not timed.
Then ours and the others are timed in turns, so that a machine that slows down slows
all of them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from statistics import median
from timeit import Timer
from typing import NamedTuple

import numpy as np
import page
import peers
import report
from report import LIMIT, MISSING, duration, number, ratio, verdict

from ttt_lib import (
    evaluation,
    experiments,
    learning,
    mdp,
    planning,
    policy,
    sampling,
    search,
)
from ttt_lib.game import _tables, tables
from ttt_lib.large_boards import exact, uct, worst_case

REPETITIONS = 9
METHODS = "from ttt_lib import evaluation, learning, menace, planning, search"
PLAY = "import ttt_lib.console.cli, ttt_lib.console.play"
CHAPTER = Path(__file__).parents[1] / "book" / "01_game.ipynb"
GAMMA, THETA = 0.9, planning.THETA  # QuantEcon needs a discount
GAMES, FEWER, FEWEST = 20_000, 5_000, 1_000  # fewer for slow libraries
PLAYOUTS = 100_000
ALPHA, EPSILON = 0.1, 0.1
COMPILED = """
import numpy as np
from ttt_lib import evaluation, learning, search
from ttt_lib.game import tables
game, rng = tables(), np.random.default_rng(0)
search.solve(game)
for method in {methods}:
    learner = learning.train(game, learning.new_learner(game, method, rng), 1)
    policy = learning.greedy_policy(game, learner)
    evaluation.win_draw_loss(game, policy, policy)
    evaluation.exploitability(game, policy)
"""


class Other(NamedTuple):
    """Another implementation of the same work."""

    name: str
    run: Callable | None  # returns results by name; None if it is not installed
    goal: float | None = None  # limit of ours ÷ theirs; for C alone
    tolerance: float = 1e-12  # absolute, of the results


class Bench:
    """The rows measured so far, each printed when it is measured.

    A row is measured if its name contains all `words`.
    """

    def __init__(self, words):
        self.words, self.rows = words, []

    def wants(self, work):
        """Return whether a row is selected."""
        return all(word in work for word in self.words)

    def row(self, work, run, *others, goal=None):
        """Measure and add a row, if it is selected; `goal` is in seconds."""
        if self.wants(work):
            ours, *theirs = measure(work, run, others)
            self.add(work, ours, goal, zip(others, theirs, strict=True))

    def add(self, work, seconds, goal, others=()):
        """Add and print a row as it is stored in JSON, with rounded times."""
        others = [
            {"name": other.name, "seconds": rounded(taken), "goal": other.goal}
            for other, taken in others
        ]
        row = {
            "work": work,
            "seconds": rounded(seconds),
            "goal": goal,
            "others": others,
        }
        self.rows.append(row)
        print(*lines(row), sep="\n", flush=True)


def main():
    """Print the table; store it with --store."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only rows with all of these words")
    parser.add_argument("--store", action="store_true", help="store all rows")
    options = parser.parse_args()
    if options.store and options.words:
        parser.error("only a whole run can be stored: omit the words or --store")
    bench = Bench(options.words)
    measure_all(bench)
    if options.store:
        report.store(bench.rows, compiler=peers.compiler())


def measure_all(bench):
    """Measure every selected row."""
    row, game = bench.row, tables()
    u = policy.uniform(game.legal)
    mdps = [mdp.from_opponent(game, u, side) for side in (+1, -1)]
    quantecon = partial(peers.quantecon, mdps, GAMMA, THETA)
    in_order, best_first = np.arange(9), search.most_lines_first(game)
    rng, empty = np.random.default_rng(1), np.zeros(9, dtype=np.int8)

    def exact_scores():
        table = evaluation.win_draw_loss(game, u, u)
        return {"table": table, "value": table[0, 0] - table[0, 2]}

    def best_responses():
        return {"V": [planning.optimal_values(m, GAMMA) for m in mdps]}

    def value_iteration():
        solved = [planning.value_iteration(m, GAMMA) for m in mdps]
        return {
            "V": [x.V for x in solved],
            "policy": [x.policy for x in solved],
            "rounds": [x.sweeps for x in solved],
        }

    def policy_iteration(evaluation):
        def solve(m):
            q = planning.q_from_v(m, np.zeros(len(m.position)), GAMMA)
            begin = planning.greedy(m, q, "lowest")
            return planning.policy_iteration(m, GAMMA, begin, "lowest", evaluation)

        return {"V": [solve(m).V for m in mdps]}

    def random_games(games):
        counts = sampling.sample_match(game, u, u, games, rng).counts
        return {"counts": counts, "shares": counts / games}

    def learn(learner, games):
        after = learning.train(game, learner, games)
        return {
            "table": after.V if after.Q is None else after.Q,
            "updates": after.updates,
            "visits": after.visits,
            "mean reward": after.total_reward[0] / games,
        }

    q, td = (
        learning.new_learner(game, method, rng, ALPHA, EPSILON)
        for method in ("q_learning", "td_all_moves")
    )

    print(
        f"Medians of {REPETITIONS}, measured in turns after the results were compared.",
        "Ratio: ours ÷ plain C, or theirs ÷ ours.\n",
    )
    print(f"{'work':<32}{'ours':>9}  {'others':<27}{'ratio':>8}    goal")
    row(
        "import of the methods",
        fresh_python(METHODS),
        Other("Numba alone", fresh_python("import numba")),
        goal=0.4,
    )
    row("import for `ttt play`", fresh_python(PLAY), goal=0.7)
    row("import for chapter 1", fresh_python(imports(CHAPTER)))
    row("tables of 3 × 3", partial(_tables.__wrapped__, 3, 3, 3), goal=0.05)
    row(
        "exact win, draw and loss",
        exact_scores,
        Other(LIMIT, peers.limit_win_draw_loss(game, u, u), 2),
        Other("OpenSpiel", peers.open_spiel_returns()),
    )
    row(
        "both best responses to random",
        best_responses,
        Other(LIMIT, peers.limit_optimal_values(mdps, GAMMA), 2),
        Other("QuantEcon", quantecon("value_iteration")),
    )
    row(
        "value iteration, synchronous",
        value_iteration,
        Other(LIMIT, peers.limit_value_iteration(mdps, GAMMA, THETA), 2),
        Other("QuantEcon", quantecon("value_iteration")),
    )
    row(
        "policy iteration, in place",
        lambda: policy_iteration("falling"),
        Other("QuantEcon", quantecon("policy_iteration")),
    )
    row(
        "policy iteration, linear solves",
        lambda: policy_iteration("solve"),
        Other("QuantEcon", quantecon("policy_iteration")),
    )
    row(
        "full tree on the tables",
        lambda: search.minimax_on_tables(game)._asdict(),
        Other(LIMIT, peers.limit_minimax_on_tables(game), 2),
        Other("OpenSpiel", peers.open_spiel_minimax()),
    )
    row(
        "full tree on a board",
        lambda: search.minimax(game)._asdict(),
        Other(LIMIT, peers.limit_minimax(game), 2),
        Other("OpenSpiel", peers.open_spiel_minimax()),
    )
    row(
        "alpha-beta, cells in order",
        lambda: search.alpha_beta(game)._asdict(),
        Other(LIMIT, peers.limit_alpha_beta(game, in_order), 4),
        Other("OpenSpiel", peers.open_spiel_alpha_beta()),
    )
    row(
        "alpha-beta, most lines first",
        lambda: search.alpha_beta(game, order=best_first)._asdict(),
        Other(LIMIT, peers.limit_alpha_beta(game, best_first), 4),
        Other("OpenSpiel", peers.open_spiel_alpha_beta()),
    )
    row(
        "memoised minimax, plain Python",
        lambda: search.minimax_with_memory(game)._asdict(),
        Other("OpenSpiel", peers.open_spiel_with_memory()),
        Other("easyAI", peers.easyai_with_memory()),
    )
    row(
        "4 × 4, four in a row, solved",
        lambda: {"value": exact.solve(4, 4, 4).value},
        Other(LIMIT, peers.limit_solve(4, 4, 4), 5),
    )
    weights_on_4_by_4(bench)
    row(
        f"UCT, {PLAYOUTS:,} playouts",
        lambda: {"visits": uct.search(empty, PLAYOUTS, deepcopy(rng)).visits[0]},
        Other(LIMIT, peers.limit_uct(empty, PLAYOUTS, rng), 2, 0),
    )
    row(
        f"{GAMES:,} random games",
        partial(random_games, GAMES),
        Other(LIMIT, peers.limit_games(game, u, GAMES, rng), 2),
        Other("OpenSpiel", peers.open_spiel_games(GAMES), tolerance=0.02),
        Other("OpenSpiel's bots", peers.open_spiel_bots(GAMES), tolerance=0.02),
    )
    row(
        f"{FEWEST:,} random games",
        partial(random_games, FEWEST),
        Other("PettingZoo", peers.pettingzoo_games(FEWEST), tolerance=0.1),
    )
    row(
        f"Q-learning, {GAMES:,} games",
        partial(learn, q, GAMES),
        Other(LIMIT, peers.limit_learning(game, "q_learning", q, GAMES), 2, 0),
    )
    row(
        f"Q-learning, {FEWER:,} games",
        partial(learn, q, FEWER),
        Other(
            "OpenSpiel",
            peers.open_spiel_q_learning(FEWER, ALPHA, EPSILON),
            tolerance=0.1,
        ),
    )
    row(
        f"TD(0), {GAMES:,} games",
        partial(learn, td, GAMES),
        Other(LIMIT, peers.limit_learning(game, "td", td, GAMES), 2, 0),
    )
    with page.opened() as tab:
        labs(bench, tab, game, u)
    chapters = {"Q": ("q_learning",), "V": ("td_all_moves",)}
    chapters["Q and V"] = chapters["Q"] + chapters["V"]
    for what, methods in chapters.items():
        program = COMPILED.format(methods=methods)
        row(f"first compile, learners of {what}", first_compile(program), goal=4)


def weights_on_4_by_4(bench):
    """Measure the worst case of eleven weights, whose classes take seconds to make."""
    work = "4 × 4, worst case of weights"
    if not bench.wants(work):
        return
    classes = worst_case.classes(exact.solve(4, 4, 4))
    w = np.random.default_rng(2).normal(size=classes.x.shape[1])

    def evaluate():
        found = worst_case.evaluate(classes, w)
        shares = [found.right.share, found.contested.share]
        return {"worst case": [found.first, found.second], "right": shares}

    bench.row(work, evaluate, Other(LIMIT, peers.limit_evaluate(classes, w), 3))


def labs(bench, tab, game, u):
    """Measure the labs' engine in a page against the library, with one generator."""
    if tab is None:
        print("in a page: Chromium is not installed")
        return
    row = bench.row
    for name, opponent in (("random", u), ("self", None)):
        call = f"() => play('{name}', {GAMES})"

        def in_page(call=call):
            return {"Q of the first cell": tab.evaluate(call)}

        def in_python(opponent=opponent):
            rng = experiments.mt19937(1)
            learner = learning.new_learner(game, "q_learning", rng)
            learner = learner._replace(rng=rng)
            after = learning.train(game, learner, GAMES, opponent)
            return {"Q of the first cell": after.Q[0, 0]}

        row(
            f"Q-learning in a page, {name}",
            in_page,
            Other("the library", in_python),
            goal=GAMES / 300_000,
        )
    tab.evaluate("() => play('random', 1000)")
    row("10 exact scores in a page", lambda: tab.evaluate("() => score(10)"), goal=0.05)
    for kind, setup in page.SETUPS.items():
        row(
            f"first picture, lab {kind}",
            lambda setup=setup: tab.evaluate("(setup) => picture(setup)", setup),
            goal=0.1,
        )
    for kind, setup in page.SETUPS.items():
        work = f"longest task, lab {kind}"
        if bench.wants(work):
            times = [tab.evaluate("(s) => longest(s)", setup) for _ in range(3)]
            bench.add(work, median(times), goal=0.05)


def fresh_python(program):
    """Return a function that runs a program in a new Python."""
    command = [sys.executable, "-c", program]
    return lambda: {"status": subprocess.run(command, check=True).returncode}


def first_compile(program):
    """Return a function that runs a program in a new Python with an empty cache."""

    def run():
        with tempfile.TemporaryDirectory() as folder:
            env = os.environ | {"NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", program]
            return {"status": subprocess.run(command, check=True, env=env).returncode}

    return run


def imports(notebook):
    """Return the imports of a notebook's cells, as a program."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = [
        line for cell in cells if cell["cell_type"] == "code" for line in cell["source"]
    ]
    return "\n".join(x.strip() for x in code if x.startswith(("import ", "from ")))


def lines(row):
    """Yield the lines of a row as printed: one, or one for each of the others."""
    line = f"{row['work']:<32}{duration(row['seconds']):>9}  "
    if row["goal"] or not row["others"]:
        goal = f"≤ {duration(row['goal'])}" if row["goal"] else ""
        yield f"{line}{'':<34}{goal:<9}{verdict(row)}"
        line = " " * len(line)
    for other in row["others"]:
        line += f"{other['name']:<18}"
        if other["seconds"] is None:
            yield line + MISSING.get(other["name"], "not installed")
        else:
            line += f"{duration(other['seconds']):>9}{number(ratio(row, other)):>8} ×"
            if other["goal"]:
                line += f"  {'≤ ' + number(other['goal']) + ' ×':<9}{verdict(row)}"
            yield line
        line = " " * 43


def measure(work, run, others):
    """Return the median seconds of ours and each of the others, None if missing."""
    runs = [run, *(other.run for other in others)]
    ours, *all_theirs = [run and run() for run in runs]
    for other, theirs in zip(others, all_theirs, strict=True):
        if theirs:
            compare(f"{work}, {other.name}", ours, theirs, other.tolerance)
    timers = [run and Timer(run) for run in runs]
    # Each repetition takes 0.05 s or more: a quarter of timeit's own minimum.
    loops = [timer and max(1, timer.autorange()[0] // 4) for timer in timers]
    seconds = [[] for _ in runs]
    for _ in range(REPETITIONS):
        for timer, n, taken in zip(timers, loops, seconds, strict=True):
            if timer:
                taken.append(timer.timeit(n) / n)
    return [median(taken) if taken else None for taken in seconds]


def compare(title, ours, theirs, tolerance):
    """Raise AssertionError unless the results that both have are equal."""

    def flat(result):
        return np.hstack(result if isinstance(result, list) else [result])

    shared = ours.keys() & theirs.keys()
    assert shared, f"{title}: there is no result in common"
    for name in shared:
        np.testing.assert_allclose(
            flat(theirs[name]), flat(ours[name]), 0, tolerance, err_msg=title
        )


def rounded(seconds):
    """Return a time with four digits, None if it is None."""
    return seconds and float(f"{seconds:.4g}")


if __name__ == "__main__":
    main()
