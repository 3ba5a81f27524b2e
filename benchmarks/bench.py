"""Our speed beside plain C and other libraries, as ratios within one run.

`make bench` prints the table; words behind `benchmarks/bench.py` choose its rows.
`make bench STORE=1` also stores the run, its chart and its table for the book.
First everybody answers once, and the answers must be equal; this call, in which Numba
compiles or loads what it compiled, is not timed.
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
from ttt_lib.large_boards import exact, uct

REPETITIONS = 9
METHODS = "from ttt_lib import evaluation, learning, menace, planning, search"
PLAY = "import ttt_lib.console.cli, ttt_lib.console.play"
CHAPTER = Path(__file__).parents[1] / "book" / "01_game.ipynb"
GAMMA, THETA = 0.9, planning.THETA  # QuantEcon solves nothing without discount
GAMES, FEWER, FEWEST = 20_000, 5_000, 1_000  # the slow play fewer
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
    """Somebody who does the same work."""

    name: str
    run: Callable | None  # returns answers by name; None where it is missing
    goal: float | None = None  # ours takes at most so many × as long; beside C alone
    tolerance: float = 1e-12  # of the answers


class Bench:
    """The rows measured so far, each printed as it comes.

    `words` choose: a row is measured if its name has all of them.
    """

    def __init__(self, words):
        self.words, self.rows = words, []

    def wants(self, work):
        """Return whether a piece of work is chosen."""
        return all(word in work for word in self.words)

    def row(self, work, run, *others, goal=None):
        """Measure one piece of work, if it is chosen; `goal` is in seconds."""
        if self.wants(work):
            ours, *theirs = measure(work, run, others)
            self.add(work, ours, goal, zip(others, theirs, strict=True))

    def add(self, work, seconds, goal, others=()):
        """Keep and print a row, as JSON has it, rounded as nobody would notice."""
        told = [
            {"name": other.name, "seconds": rounded(taken), "goal": other.goal}
            for other, taken in others
        ]
        row = {"work": work, "seconds": rounded(seconds), "goal": goal, "others": told}
        self.rows.append(row)
        print(*lines(row), sep="\n", flush=True)


def main():
    """Print the table, and store it if asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only rows with all of these words")
    parser.add_argument("--store", action="store_true", help="store all rows")
    asked = parser.parse_args()
    if asked.store and asked.words:
        parser.error("only a whole run is stored: leave the words out, or --store")
    bench = Bench(asked.words)
    measure_all(bench)
    if asked.store:
        report.store(bench.rows, compiler=peers.compiler())


def measure_all(bench):
    """Measure every piece of work that is chosen."""
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
        found = [planning.value_iteration(m, GAMMA) for m in mdps]
        return {
            "V": [x.V for x in found],
            "policy": [x.policy for x in found],
            "rounds": [x.sweeps for x in found],
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
        f"Medians of {REPETITIONS}, taken in turns after the answers were compared.",
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


def labs(bench, tab, game, u):
    """Measure the labs' engine in a page, beside the library with the same luck."""
    if tab is None:
        print("in a page: there is no Chromium")
        return
    row = bench.row
    for name, opponent in (("random", u), ("self", None)):
        call = f"() => play('{name}', {GAMES})"

        def in_page(call=call):
            return {"Q of the first cell": tab.evaluate(call)}

        def in_python(opponent=opponent):
            luck = experiments.mt19937(1)
            learner = learning.new_learner(game, "q_learning", luck)
            learner = learner._replace(rng=luck)
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
    """Return the run of a program in a Python of its own."""
    command = [sys.executable, "-c", program]
    return lambda: {"status": subprocess.run(command, check=True).returncode}


def first_compile(program):
    """Return the run of a program in a Python that has compiled nothing yet."""

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
    """Yield a row as it is printed: a line for itself or for each of the others."""
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
    """Return the median seconds of ours and of each of the others, None if missing."""
    runs = [run, *(other.run for other in others)]
    answers, *their_answers = [run and run() for run in runs]
    for other, theirs in zip(others, their_answers, strict=True):
        if theirs:
            compare(f"{work}, {other.name}", answers, theirs, other.tolerance)
    timers = [run and Timer(run) for run in runs]
    # Each repetition takes 0.05 s or more: a quarter of what timeit finds long enough.
    loops = [timer and max(1, timer.autorange()[0] // 4) for timer in timers]
    seconds = [[] for _ in runs]
    for _ in range(REPETITIONS):
        for timer, n, taken in zip(timers, loops, seconds, strict=True):
            if timer:
                taken.append(timer.timeit(n) / n)
    return [median(taken) if taken else None for taken in seconds]


def compare(who, ours, theirs, tolerance):
    """Raise AssertionError unless the answers that both give are equal."""

    def flat(answer):
        return np.hstack(answer if isinstance(answer, list) else [answer])

    shared = ours.keys() & theirs.keys()
    assert shared, f"{who}: there is no answer in common"
    for name in shared:
        np.testing.assert_allclose(
            flat(theirs[name]), flat(ours[name]), 0, tolerance, err_msg=who
        )


def rounded(seconds):
    """Return a time with four digits, None if nobody took it."""
    return seconds and float(f"{seconds:.4g}")


if __name__ == "__main__":
    main()
