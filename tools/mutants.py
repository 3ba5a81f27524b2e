"""Mutation testing of the library and the grader: does a test fail for each fault?

A fault, a *mutant*, is one changed operator, number, condition or argument, or one
removed statement. Each is written into a copy of the tree, and the tests that run its
line are run, quickest first, until one fails. Modules with loops are run without the
compiler, which would compile each mutant again; the others (`INTERFACES`) with it.

    python tools/mutants.py                     all modules, 40 mutants of each
    python tools/mutants.py policy agents/custom   two of them
    python tools/mutants.py policy --sample 0   every mutant of one
    python tools/mutants.py policy --tests policy   against test_policy.py alone

The sample is drawn by a hash of each mutant's own lines: an edit elsewhere leaves it.
Equivalent mutants, which change no behaviour, are in `mutants.toml` with the reason.
The exit status is 1 if any other survives. The results are stored in `mutants.json`, a
row for each module, and the page "How this book is tested" reports them.
"""

import argparse
import ast
import contextlib
import copy
import gc
import hashlib
import importlib
import itertools
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import coverage
import pytest
from hypothesis import HealthCheck, Phase, settings

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "mutants"
RUN = BUILD / f"run-{os.getpid()}"  # the copies of this run; its processes are forked
ALIKE = ROOT / "tools" / "mutants.toml"
RESULTS = ROOT / "tools" / "mutants.json"
FOLDERS = "ttt_lib", "assignments/grader"
# Packages without compiled loops: with the compiler their tests are quicker.
INTERFACES = "agents", "board", "check", "console", "envs", "grader", "plots"
NOT_COPIED = (".*", "_build", "build", "course", "dist", "node_modules", "*.egg-info")
FILES = sorted(f"tests/{path.name}" for path in ROOT.glob("tests/test_*.py"))
COVERAGE = str(Path(coverage.__file__).parent)
SAMPLE = 40  # mutants of each module, or all if it has fewer
MAX_TEST_SECONDS = 5  # a test that takes longer is left out
MAX_SECONDS = 10  # for all tests of one mutant together, approximately
CLOCKS = (  # limits of a test: its processor time, and five times as much real time
    (signal.ITIMER_PROF, signal.SIGPROF, 1),
    (signal.ITIMER_REAL, signal.SIGALRM, 5),
)
MAX_MEMORY = 6 << 30  # bytes: a mutant that needs more gets a MemoryError
THIRD_PARTY = (  # loaded once, before processes are forked
    *("anywidget", "click", "hypothesis", "ipywidgets", "joblib", "matplotlib.pyplot"),
    *("nbformat", "nbgrader.apps", "numpy", "rich.console", "scipy.optimize", "tqdm"),
    *("scipy.sparse.linalg", "rich.progress", "rich.table", "nbconvert"),
)
settings.register_profile(  # the same few examples each time, and no shrinking
    "mutants",
    max_examples=15,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
SYMMETRIC = "max", "min", "maximum", "minimum"  # in their arguments
TABLE = """
    Lt LtE GtE, LtE Lt Gt, Gt GtE LtE, GtE Gt Lt, Eq NotEq, NotEq Eq,
    Is IsNot, IsNot Is, In NotIn, NotIn In, And Or, Or And, Add Sub, Sub Add,
    Mult Div, Div Mult, FloorDiv Mult, Mod FloorDiv, Pow Mult, MatMult Mult,
    LShift RShift, RShift LShift, BitAnd BitOr, BitOr BitAnd, BitXor BitAnd
"""
SWAPS = {  # operator → its replacements
    getattr(ast, name): [getattr(ast, other) for other in others]
    for name, *others in map(str.split, TABLE.split(","))
}


# ---------------------------------------------------------------- mutants


class Mutant(NamedTuple):
    """One change of one module: its place, and the code before and after."""

    module: str
    lines: range  # line numbers of the changed statement
    function: str  # the function or class, "" at the level of the module
    before: str
    after: str
    place: slice  # of the bytes of the source
    code: str  # the replacement

    @property
    def key(self):
        return f"{self.function}: {self.before} → {self.after}".removeprefix(": ")

    def rank(self, seed):
        """Return a pseudorandom key; the mutants with the smallest are the sample."""
        return hashlib.sha256(f"{seed} {self.module} {self.key}".encode()).hexdigest()


def replacements(node):
    """Yield pairs of this node or a part of it, and its replacement."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in SWAPS[type(operator)]:
                changed = copy.deepcopy(node)
                changed.ops[i] = other()
                yield node, changed
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        for other in SWAPS[type(node.op)]:
            changed = copy.deepcopy(node)
            changed.op = other()
            yield node, changed
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield node, node.operand
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield node, ast.Constant(not node.value)
        elif isinstance(node.value, int | float):
            yield node, ast.Constant(node.value + 1)
    elif isinstance(node, ast.Call) and name_of(node.func) not in SYMMETRIC:
        for i in range(len(node.args) - 1):
            pair = node.args[i : i + 2]
            if not any(isinstance(each, ast.Starred) for each in pair):
                changed = copy.deepcopy(node)
                changed.args[i : i + 2] = reversed(changed.args[i : i + 2])
                yield node, changed
    for test in conditions(node):
        if not isinstance(test, ast.Compare | ast.UnaryOp | ast.Constant):
            yield test, ast.UnaryOp(ast.Not(), test)
    if removable(node):
        yield node, ast.Pass()


def name_of(function):
    return ast.unparse(function).split(".")[-1]


def conditions(node):
    """Return the conditions of a statement or an expression that branches."""
    if isinstance(node, ast.comprehension):
        return node.ifs
    return [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []


def removable(node):
    """Return whether the module can still run without this statement."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, ast.Assign):
        return not any(isinstance(n, ast.Name | ast.Tuple) for n in node.targets)
    if isinstance(node, ast.Return):
        return node.value is None
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Break | ast.Continue)


def parts(node):
    """Yield the children of a node that can change the behaviour of the program."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert):
        return  # messages
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue  # an assertion, too: that all iterables have one length
        if name not in ("annotation", "returns", "decorator_list", "pattern"):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield part


def walk(node, function=(), statement=None):
    """Yield each node with the name of its function and its statement."""
    if isinstance(node, ast.stmt):
        statement = node
    yield node, ".".join(function), statement
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        function = (*function, node.name)
    for part in parts(node):
        yield from walk(part, function, statement)


def mutants_of(module, source):
    """Return every Mutant of a module's source, given as bytes."""
    lines = source.splitlines(keepends=True)
    starts = list(itertools.accumulate(map(len, lines), initial=0))
    mutants = []
    for node, function, statement in walk(ast.parse(source)):
        for old, new in replacements(node):
            if ast.dump(old) == ast.dump(new):
                continue
            code = ast.unparse(ast.fix_missing_locations(new))
            code = f"({code})" if isinstance(old, ast.expr) else code
            start = starts[old.lineno - 1] + old.col_offset
            end = starts[old.end_lineno - 1] + old.end_col_offset
            head = source[starts[old.lineno - 1] : start]
            tail = source[end : starts[old.end_lineno]]
            before, after = (
                " ".join((head + middle + tail).decode().split())
                for middle in (source[start:end], code.encode())
            )
            body = getattr(statement, "body", None)
            until = body[0].lineno if body else statement.end_lineno + 1
            span = range(statement.lineno, max(until, statement.lineno + 1))
            place = slice(start, end)
            mutants.append(Mutant(module, span, function, before, after, place, code))
    return mutants


def modules():
    """Return {name: path} of all modules: `policy`, `agents/io`, `grader/course`."""
    paths = {}
    for folder in FOLDERS:
        root = ROOT / (folder if folder == "ttt_lib" else Path(folder).parent)
        for path in sorted((ROOT / folder).rglob("*.py")):
            paths[path.relative_to(root).with_suffix("").as_posix()] = path
    return paths


def alike():
    """Return {module: {mutant: reason}} of the equivalent mutants."""
    return tomllib.loads(ALIKE.read_text("utf-8"))


# ---------------------------------------------------------------- running tests


class TooSlow(BaseException):
    """A test has exceeded its time limit."""


class Chosen:
    """A plugin of pytest: run the given tests in their order, with time limits.

    With `cover`, the coverage of each test is recorded under its name.
    """

    def __init__(self, seconds=None, cover=None):
        self.seconds, self.cover = seconds, cover
        self.took, self.failed = {}, {}

    def pytest_collection_modifyitems(self, items):
        if self.seconds is not None:
            order = {name: i for i, name in enumerate(self.seconds)}
            selected = [item for item in items if item.nodeid in order]
            items[:] = sorted(selected, key=lambda item: order[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        if self.cover:
            self.cover.switch_context(item.nodeid)
        start = sum(os.times()[:4])
        yield
        self.took[item.nodeid] = sum(os.times()[:4]) - start
        if self.cover:
            self.cover.switch_context("")
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        limit = (self.seconds or {}).get(item.nodeid, MAX_TEST_SECONDS)
        for clock, alarm, times in CLOCKS:
            signal.signal(alarm, too_slow)
            signal.setitimer(clock, times * limit, 1)
        try:
            return (yield)
        except TooSlow:
            self.failed[item.nodeid] = "too slow"
            pytest.fail("too slow", pytrace=False)
        finally:
            for clock, _, _ in CLOCKS:
                signal.setitimer(clock, 0)

    pytest_runtest_setup = pytest_runtest_call

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.setdefault(report.nodeid, "fails")


def too_slow(alarm, frame):
    """Stop a test, unless that would leave a lock of coverage locked for ever."""
    while frame:
        if frame.f_code.co_filename.startswith(COVERAGE):
            return  # the alarm repeats every second
        frame = frame.f_back
    raise TooSlow


def run_tests(tree, files, plugin, *options):
    """Run tests of a tree in this process; return pytest's status."""
    os.setsid()  # so that all of its processes can be ended
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(f"{tree}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    os.environ["PYTHONPATH"] = str(tree)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins take time to load
    use = ["hypothesispytest", "no:cacheprovider", "no:unraisableexception"]
    options = [*options, "--hypothesis-profile=mutants", f"--basetemp={tree}.tmp"]
    options = ["-q", "--assert=plain", *options, *(f"-p{name}" for name in use)]
    return pytest.main([*options, *files], plugins=[plugin])


def forked(work, seconds, *arguments):
    """Return the result of work(*arguments) in its own process, None if it fails."""
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def child():
        theirs.send(work(*arguments))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else None
    except EOFError:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()


def copied(name, with_compiler):
    """Return a fresh copy of this tree, with Numba or without."""
    tree = RUN / name
    without = NOT_COPIED if with_compiler else (*NOT_COPIED, "__pycache__")
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*without))
    if not with_compiler:
        (tree / "numba.py").write_text('raise ImportError("no compiler here")\n')
    return tree


def keeps_compiler(module):
    """Return whether the compiler stays where a module is changed."""
    return module.split("/")[0] in INTERFACES


# ---------------------------------------------------------------- coverage of tests


def cover(tree, file):
    """Run a file of tests; return times, failures, and which tests run which line."""
    recorder = coverage.Coverage(
        data_file=None, source=[str(tree / p) for p in FOLDERS]
    )
    plugin = Chosen(cover=recorder)
    recorder.start()
    run_tests(tree, [file], plugin)
    recorder.stop()
    data = recorder.get_data()
    lines = {}
    for path in data.measured_files():
        lines[str(Path(path).relative_to(tree))] = data.contexts_by_lineno(path)
    return {"took": plugin.took, "failed": plugin.failed, "lines": lines}


def covered(file, with_compiler):
    """Return the result of `cover`, which is stored until the files it runs change."""
    kind = "compiled" if with_compiler else "plain"
    stored = BUILD / kind / f"{Path(file).stem}.json"
    if stored.exists():
        result = json.loads(stored.read_text())
        if result["of"] == {path: digest(ROOT / path) for path in result["of"]}:
            return result
    tree = copied(f"{kind}-{Path(file).stem}", with_compiler)
    result = forked(cover, 3600, tree, file)
    if result is None:
        raise RuntimeError(f"{file}:\n{Path(f'{tree}.log').read_text()[-5000:]}")
    used = [path for path, lines in result["lines"].items() if lines]
    shared = ROOT.glob("tests/**/[!t]*.py")
    used += [file, *(path.relative_to(ROOT).as_posix() for path in shared)]
    result["of"] = {path: digest(tree / path) for path in used}
    shutil.rmtree(tree)
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(result))
    return result


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


class Tests:
    """Which tests run which line, and how long each takes, without the slow ones."""

    def __init__(self, maps):
        self.took, self.failed, self.of = {}, {}, {}
        for each in maps:
            self.took |= each["took"]
            self.failed |= each["failed"]
            for path, lines in each["lines"].items():
                tests_of = self.of.setdefault(path, {})
                for line, names in lines.items():
                    tests_of.setdefault(int(line), set()).update(names)

    def of_mutant(self, mutant):
        """Return {test: seconds} of the tests that may find a mutant, in their order.

        They are those that run its lines. The name "" means that a line runs when its
        module is imported: then all tests of the module may find it, and after them
        those of its package. If no test runs a line, another process may: then it is
        the tests of the package.
        """
        path = modules()[mutant.module].relative_to(ROOT).as_posix()
        tests_of = self.of.get(path, {})
        names = set().union(*(tests_of.get(line, set()) for line in mutant.lines))
        if "" in names:
            names = names.union(*tests_of.values())
        run_it = names
        if "" in names or not names:
            names = names | {name for name in self.took if in_package(mutant, name)}

        def turn(name):
            return name not in run_it, not in_package(mutant, name), self.took[name]

        chosen, total = {}, 0
        for name in sorted(names - {"", *self.failed}, key=turn):
            total += self.took[name]
            if chosen and total > MAX_SECONDS:
                break
            chosen[name] = 5 + 10 * self.took[name]
        return chosen


def in_package(mutant, test):
    """Return whether a test belongs to the package of a mutant's module."""
    return f"/test_{mutant.module.split('/')[0]}" in test


def failure(tree, chosen):
    """Return the first of the chosen tests that fails, "" if all pass."""
    plugin = Chosen(seconds=chosen)
    files = list(dict.fromkeys(name.split("::")[0] for name in chosen))
    status = run_tests(tree, files, plugin, "-x")
    if plugin.failed:
        return next(iter(plugin.failed))
    none = pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED
    return "" if status in none else "cannot be imported"


def own_tree(with_compiler):
    """Return the copy of the tree that belongs to this process."""
    tree = RUN / f"tree-{os.getpid()}-{with_compiler}"
    return tree if tree.exists() else copied(tree.name, with_compiler)


@contextlib.contextmanager
def planted(mutant):
    """Write a mutant, if any, into this process's copy of the tree, and undo it."""
    if mutant is None:
        yield
        return
    tree = own_tree(keeps_compiler(mutant.module))
    file = tree / modules()[mutant.module].relative_to(ROOT)
    original, when = file.read_bytes(), file.stat().st_mtime
    place, code = mutant.place, mutant.code.encode()
    file.write_bytes(original[: place.start] + code + original[place.stop :])
    changed = int(time.monotonic() * 100) % 10**9  # unlike that of stored bytecode
    os.utime(file, (changed, changed))
    try:
        yield
    finally:
        file.write_bytes(original)
        os.utime(file, (when, when))


def judge(mutant, chosen, with_compiler):
    """Return how a mutant was killed, "" if it survives, and the seconds it took."""
    start, end, tree = time.perf_counter(), "", own_tree(with_compiler)
    with planted(mutant):
        for names in in_turn(mutant, chosen):
            if not end:
                end = forked(failure, 30 + sum(names.values()), tree, names)
                end = "hangs, or ends the process" if end is None else end
    return end, time.perf_counter() - start


def in_turn(mutant, chosen):
    """Return the tests of the module's own package, and then all others.

    Most mutants are killed by the first, and the files of the others are not loaded.
    """
    own = {n: s for n, s in chosen.items() if mutant and in_package(mutant, n)}
    others = {n: s for n, s in chosen.items() if n not in own}
    return [names for names in (own, others) if names]


def judged(pool, drawn, tests, with_compiler):
    """Return how the mutants `drawn` were killed, and the seconds that all took.

    A test that has killed one is run once more without any mutant. If it fails there
    too, it is unreliable, and all are judged again without it.
    """
    while True:
        chosen = [tests.of_mutant(mutant) for mutant in drawn]
        results = list(pool.map(judge, drawn, chosen, itertools.repeat(with_compiler)))
        ends = [end for end, _ in results]
        witnesses = {}
        for names, end in zip(chosen, ends, strict=True):
            witnesses |= {name: names[name] for name in names if name == end}
        false, _ = pool.submit(judge, None, witnesses, with_compiler).result()
        if not false:
            return ends, sum(seconds for _, seconds in results)
        tests.failed[false] = "fails without a mutant"


# ---------------------------------------------------------------- report


def sentence(results):
    """Return the sentence of the page on some results."""
    # Imported here, so that no process is forked with the library loaded.
    from ttt_lib.sampling import wilson_interval

    names = "drawn", "killed", "alike"
    drawn, killed, alike = (sum(row[n] for row in results.values()) for n in names)
    others = drawn - alike
    low, high = wilson_interval(killed, others)
    return (
        f"Of {drawn:,} changes in {len(results)} modules {alike} change nothing. "
        f"Of the other {others:,} the tests find {killed:,}: "
        f"{100 * killed / others:.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f} %)."
    )


def report(module, row, seconds, survivors, tests):
    """Print the results of a module, and what survived without a reason."""
    numbers = ", ".join(f"{number} {name}" for name, number in row.items())
    print(f"{module}: {numbers}; {seconds:.0f} s", flush=True)
    for mutant in survivors:
        where = f"line {mutant.lines[0]}, {len(tests.of_mutant(mutant))} tests"
        print(f"  {mutant.key}  ({where})", flush=True)


def left_out(tests, with_compiler):
    """Print how many tests are not used, and why."""
    slow = sum(why == "too slow" for why in tests.failed.values())
    how = "With" if with_compiler else "Without"
    print(
        f"{len(tests.took)} tests. {how} the compiler "
        f"{slow} take longer than {MAX_TEST_SECONDS} s and "
        f"{len(tests.failed) - slow} fail: these are left out.",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="by default all of them")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="of each; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--tests", default="", help="only of files with this in the name"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    everything = modules()
    for name in set(options.modules) - everything.keys():
        parser.error(f"there is no module {name}; choose from {', '.join(everything)}")
    for name in THIRD_PARTY:
        importlib.import_module(name)
    gc.freeze()  # no process collects garbage among the loaded modules
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    survived = 0
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
        files, maps = [file for file in FILES if options.tests in file], {}
        for module in sorted(options.modules or everything, key=keeps_compiler):
            kind = keeps_compiler(module)
            if kind not in maps:
                maps[kind] = Tests(pool.map(covered, files, itertools.repeat(kind)))
                left_out(maps[kind], kind)
            tests = maps[kind]
            all_ = mutants_of(module, everything[module].read_bytes())
            drawn = sorted(all_, key=lambda mutant: mutant.rank(options.seed))
            drawn = drawn[: options.sample or None]
            ends, seconds = judged(pool, drawn, tests, kind)
            lives = [m for m, end in zip(drawn, ends, strict=True) if not end]
            reasons = alike().get(module, {})
            survivors = [mutant for mutant in lives if mutant.key not in reasons]
            survived += len(survivors)
            row = {
                "drawn": len(drawn),
                "killed": len(drawn) - len(lives),
                "alike": len(lives) - len(survivors),
            }
            report(module, row, seconds, survivors, tests)
            if (options.sample, options.seed, options.tests) == (SAMPLE, 0, ""):
                results[module] = row
                results = {n: results[n] for n in everything if n in results}
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    if results:
        print(sentence(results))
    return survived > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(RUN, ignore_errors=True)
