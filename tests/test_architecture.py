"""Architecture: layers and imports, the wheel, dependencies, vendored files."""

import ast
import hashlib
import os
import pkgutil
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from functools import cache
from pathlib import Path

import pytest
from common import each

import ttt_lib
from ttt_lib import theme
from ttt_lib.agents import io
from ttt_lib.board import encode as board_tables
from ttt_lib.game import tables

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "ttt_lib").rglob("*.py"))
SOURCES = sorted(
    file
    for folder in ("ttt_lib", "assignments", "book")
    for file in (ROOT / folder).rglob("*.py")
)
# A locked requirement: version, marker and hashes of its files, but no path or URL.
PINNED = r"[\w.-]+==[\w.]+( ; .*?)?( --hash=sha256:[0-9a-f]{64})+"

# A module may import modules of its own layer and of those below it.
LAYERS = (
    ("interrupts", "compiled", "validation", "files", "theme"),
    ("rules", "notation", "game"),
    ("policy", "mdp", "schedules", "problems"),
    (
        "planning",
        "learning",
        "search",
        "menace",
        "evaluation",
        "sampling",
        "importance_sampling",
        "ratings",
        "regret",
        "tabular",
    ),
    ("large_boards", "approximation", "studies"),
    ("agents", "dyna"),
    ("plots", "experiments", "board", "check", "console", "envs"),
    ("__main__",),
)
LAYER = {name: layer for layer, names in enumerate(LAYERS) for name in names}


@cache
def tree_of(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def package(module):
    """Return the package of a module: its folder in ttt_lib, or the module itself."""
    return module.relative_to(ROOT / "ttt_lib").parts[0].removesuffix(".py")


def imported(tree):
    """Yield the modules that a syntax tree imports, and the names taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_module_has_a_layer():
    assert {package(module) for module in MODULES} - {"__init__"} == set(LAYER)


@each(MODULES)
def test_modules_import_their_own_or_lower_layers(module):
    for name in imported(tree_of(module)):
        parts = name.split(".")
        if parts[0] == "ttt_lib":
            assert LAYER.get(parts[1], 0) <= LAYER[package(module)], f"imports {name}"


@each([m for m in MODULES if LAYER.get(package(m), 0) < LAYER["plots"]])
def test_only_top_layers_print_ask_draw_or_time(module):
    tree = tree_of(module)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    assert not {ast.unparse(call.func) for call in calls} & {"print", "input"}
    draw_or_time = {"matplotlib", "time", "tqdm", "IPython"}
    assert not {name.split(".")[0] for name in imported(tree)} & draw_or_time


@each(MODULES)
def test_random_generators_are_passed_as_arguments(module):
    nodes = ast.walk(tree_of(module))
    attributes = {
        ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)
    }
    random = "np.random", "numpy.random", "random."
    # The type may be named, but the module may neither draw nor seed random numbers.
    # Two functions may make a generator, from a seed that their caller gives.
    allowed = {"experiments.py": {"np.random.MT19937"}, "common.py": {"random.Random"}}
    used = {name for name in attributes if name.startswith(random)}
    named = {"np.random", "np.random.Generator"}
    assert used <= named | allowed.get(module.name, set())


@each(SOURCES)
def test_imported_names_exist(source):
    # Imports inside functions count, too: perhaps no test runs them.
    for name in imported(tree_of(source)):
        pkgutil.resolve_name(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "without", ["sys.modules['numba'] = None", "os.environ['NUMBA_DISABLE_JIT'] = '1'"]
)
def test_plain_python_runs_if_numba_is_missing_or_disabled(without):
    program = (
        f"import os, sys; {without}\n"
        "import numpy as np\n"
        "from ttt_lib import search\n"
        "loop, board = search.minimax_value, np.array([1, 1, 0, -1, -1, 0, 0, 0, 0])\n"
        "print(loop(board, 1, np.arange(9).reshape(3, 3))[0])\n"
        "assert loop is loop.py_func"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert float(done.stdout) == pytest.approx(1), done.stderr


@pytest.mark.slow
def test_wheel_works_outside_the_checkout(tmp_path):
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path]
    subprocess.run([*build, ROOT], check=True, capture_output=True)
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as packed:
        folders = {Path(name).parts[1] for name in packed.getnames() if "/" in name}
    assert not folders & {"tests", "assignments", "book"}
    # Half a megabyte of it are the files of the agents.
    assert wheel.stat().st_size < 2.7e6 > source.stat().st_size
    home = tmp_path / "installed"  # pip, too, unpacks a wheel without scripts
    with zipfile.ZipFile(wheel) as packed:
        members = packed.namelist()
        packed.extractall(home)
    assert {"ttt_lib/check/minimax.json", "ttt_lib/py.typed"} <= {*members}
    licences = {name.rpartition("/licenses/")[2] for name in members}
    assert licences > {"LICENSE", "LICENSE-TEXT"}
    dist_info = f"ttt_lib-{ttt_lib.__version__}.dist-info"
    assert {Path(name).parts[0] for name in members} == {"ttt_lib", dist_info}
    program = (
        "import ttt_lib\n"
        "from ttt_lib import check, evaluation, game, planning, plots, policy\n"
        "from ttt_lib.agents import io\n"
        "from ttt_lib.board import encode\n"
        "from ttt_lib.console import cli\n"
        "assert cli.cli.get_command(None, 'train').name == 'train'\n"
        "u = policy.uniform(game.tables().legal)\n"
        "agents = [io.read_builtin(name) for name in io.builtin_names()]\n"
        "win = evaluation.win_draw_loss(game.tables(), u, u)[0, 0]\n"
        "print(ttt_lib.__file__, win, len(agents), len(encode.scripts()))\n"
        "check.winner(lambda b: 0)"
    )
    path = {"PYTHONPATH": str(home)}  # before the checkout
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path, env=os.environ | path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    facts, checked, *_ = done.stdout.splitlines()
    assert "visible checks passed" in checked
    file, win, agents, scripts = facts.split()
    assert Path(file).is_relative_to(home)
    assert float(win) == pytest.approx(737 / 1260)
    assert int(agents) == len(io.builtin_names()) > 0
    assert int(scripts) == len(board_tables.scripts())


RELEASE = runpy.run_path(str(ROOT / ".ci" / "release.py"))


def test_version_changelog_citation_and_changes_page_agree():
    texts = [*map(RELEASE["read"], ("CHANGELOG.md", "CITATION.cff", "book/changes.md"))]
    assert RELEASE["version"]() == ttt_lib.__version__
    assert [*RELEASE["disagreements"](ttt_lib.__version__, *texts)] == []
    assert len([*RELEASE["disagreements"]("0.0.1", *texts)]) == 2
    assert len([*RELEASE["disagreements"](ttt_lib.__version__, *texts[:2], "")]) == 1


@pytest.mark.parametrize(
    "document", ["README.md", "ttt_lib/README.md", "book/api/agents.md"]
)
def test_program_in_document_prints_the_output_below_it(
    document, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / document).read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    exec(program, {})
    assert capsys.readouterr().out == printed


def test_readme_of_the_wheel_names_the_positions_and_modules():
    text = (ROOT / "ttt_lib" / "README.md").read_text(encoding="utf-8")
    assert "5,478 positions" in text
    assert len(tables().code) == 5_478
    rows = re.findall(r"^\| (`[a-z`, ]*) \|", text, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named <= set(LAYER)


def lines_of(file):
    """Return the lines of a file without comments and empty lines."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return [text for line in lines if (text := line.split("#")[0].strip())]


def names(requirements):
    return [re.match(r"[\w.-]*", line)[0] for line in requirements]


def locked():
    """Return the requirements of the lock file, each as one line."""
    whole = " ".join(lines_of("requirements.lock")).replace(" \\ ", " ")
    return re.split(r" (?=[\w.-]+==)", whole)


DOCUMENTS = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
DOCUMENTS += sorted((ROOT / "docs").glob("adding-*.md"))


@each(DOCUMENTS)
def test_names_and_files_in_documents_exist(document):
    folders = "assignments", "benchmarks", "book", "docs", "tests", "tools", "ttt_lib"
    files = [file for name in folders for file in (ROOT / name).rglob("*.*")]
    files += ROOT.glob("*.*")
    named = r"(?:`(\w+)` (?:in|of) )?`([\w./-]+\.(?:py|js|md|toml|yml|css))`"
    for name, path in re.findall(named, document.read_text("utf-8")):
        if re.search("NAME|TOPIC|shaping|game_length", path):  # new files, as examples
            continue
        places = [file for file in files if f"/{file.as_posix()}".endswith(f"/{path}")]
        assert places, f"it names {path}, which does not exist"
        texts = [file.read_text("utf-8") for file in places] if name else []
        is_there = not name or any(re.search(rf"\b{name}\b", text) for text in texts)
        assert is_there, f"{name} is not in {path}"


def test_make_installs_locked_versions_with_hashes():
    assert [pin for pin in locked() if not re.fullmatch(PINNED, pin)] == []
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    locked_options = (
        "--require-hashes -r requirements.lock",
        "--no-deps --no-build-isolation",
    )
    others = [
        line
        for line in lines
        if "pip install" in line and not any(kind in line for kind in locked_options)
    ]
    commands = [line.partition(" || ")[0] for line in others]
    packages = [line.split()[-1] for line in commands]  # of make play, dist and lock
    assert packages == [".", "'twine>=7,<8'", "uv"]


def test_readme_shows_the_commands_that_make_runs():
    for command in ("jupyter-book build", "pytest tests book"):
        (recipe,) = (line for line in lines_of("Makefile") if command in line)
        options = recipe.partition(command)[2].removesuffix(" --quiet")
        assert f".venv/bin/{command}{options}" in lines_of("README.md")


def test_no_module_unpickles_or_evaluates_files():
    unsafe = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
    for module in (*MODULES, *(ROOT / "assignments" / "grader").glob("*.py")):
        tree = tree_of(module)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not {name.split(".")[0] for name in imported(tree)} & unsafe
        assert not names & {"eval", "exec"}, module
        assert "allow_pickle" not in ast.dump(tree), module


def test_security_claims_cite_existing_tests():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    claims = re.findall(r"`([\w/]+\.py)::(test_\w+)`", text)
    assert len(claims) == text.count("::") > 20
    for file, name in claims:
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")


def is_vendored(file):
    """Return whether a file is third-party: a font, minified, or next to a LICENSE."""
    fonts = {".woff", ".woff2", ".ttf", ".otf", ".eot"}
    parents = file.relative_to(ROOT).parents[:-1]  # the last is the repository itself
    if file.suffix in fonts or any((ROOT / f / "LICENSE").exists() for f in parents):
        return True
    if file.suffix not in {".js", ".css"}:
        return False
    lines = file.read_text(encoding="utf-8").splitlines()
    return max(map(len, lines), default=0) > 1000  # minified


def test_vendored_files_are_listed_with_checksums():
    text = (ROOT / "book" / "site" / "vendored.toml").read_text(encoding="utf-8")
    packages = tomllib.loads(text).values()
    listed = {
        file: sha for package in packages for file, sha in package["files"].items()
    }
    for file, checksum in listed.items():
        assert hashlib.sha256((ROOT / file).read_bytes()).hexdigest() == checksum, file
    folders = "assignments", "benchmarks", "book", "tests", "tools", "ttt_lib"
    files = (file for folder in folders for file in (ROOT / folder).rglob("*"))
    vendored = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if file.is_file() and is_vendored(file)
    }
    assert vendored == listed.keys()
    page = (ROOT / "book" / "licences.md").read_text(encoding="utf-8")
    for package in packages:
        named = f"[{package['name']}]("
        (row,) = (line for line in page.splitlines() if named in line)
        assert f") {package['version']}" in row
        assert row.endswith(f"| {package['licence']} |")


def test_direct_dependencies_are_named_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    library = names(project["project"]["dependencies"])
    extras = project["project"]["optional-dependencies"]
    others = [name for group in extras.values() for name in names(group)]
    direct = library + [n for n in others if n != project["project"]["name"]]
    assert len(direct) == len(set(direct)), "named twice"
    assert lines_of("requirements.txt") == ["-e .[book]"]
    assert not set(names(lines_of(".binder/requirements.txt"))) & set(direct)

    assert set(direct) <= set(names(locked())), "run `make lock`"

    # IPython and matplotlib_inline come with ipywidgets, and run every notebook.
    known = {*sys.stdlib_module_names, "ttt_lib", "IPython", "matplotlib_inline"}
    for module in MODULES:
        foreign = {name.split(".")[0] for name in imported(tree_of(module))} - known
        extra = names(extras["envs"]) if package(module) == "envs" else []
        assert {name.lower() for name in foreign} <= {*library, *extra}, module


def test_colours_are_defined_in_one_file():
    folders = ("ttt_lib", "assignments", "book/site", "book")
    kinds = {".py", ".js", ".css", ".html", ".toml", ".md"}
    files = {f for path in folders for f in (ROOT / path).rglob("*") if f.is_file()}
    texts = {f for f in files if f.suffix in kinds and "katex" not in f.parts}
    with_colours = {
        file.relative_to(ROOT).as_posix()
        for file in texts
        if re.search(r"[\"' :(]#[0-9a-fA-F]{6}\b", file.read_text(encoding="utf-8"))
    }
    assert with_colours == {"ttt_lib/theme/theme.toml"}
    for style in (file for file in texts if file.suffix == ".css"):
        others = r"#[0-9a-fA-F]{3,8}\b(?![^{}]*\{)|\b(rgb|hsl|oklch|lab)a?\("
        assert not re.search(others, style.read_text(encoding="utf-8")), style


def test_pictures_of_the_site_have_colours_of_the_theme():
    known = {*theme.values()["light"].values(), *theme.values()["dark"].values()}
    for file in (ROOT / "book" / "site" / "static").glob("*.svg"):
        used = set(re.findall(r"#\w+", file.read_text(encoding="utf-8")))
        assert used
        assert used <= known, file


def test_custom_properties_that_are_used_are_defined():
    folders = (ROOT / "ttt_lib" / "board" / "static", ROOT / "book" / "site" / "static")
    files = [f for folder in folders for f in folder.rglob("*") if not is_vendored(f)]
    texts = [f.read_text("utf-8") for f in files if f.suffix in {".css", ".js"}]
    every = "\n".join([theme.css(), *texts])
    defined = set(re.findall(r"(--ttt-[\w-]+)[\"']?\s*[:,]", every))
    defined |= set(re.findall(r"(--ttt-[\w-]+)", theme.css()))
    used = set(re.findall(r"var\((--ttt-[\w-]*\w)\s*[,)]", every))
    assert used <= defined
    lines = set(re.findall(r'\bline: "(\w+)"', every))  # colours of curves
    assert lines
    assert lines <= theme.light().keys()


def test_template_literals_are_not_nested():
    # rjsmin, which minifies the site's scripts, removes blanks from the inner one.
    nested = r"\$\{[^}`]*`"
    assert re.search(nested, "`a ${`b`} c`")
    for folder in ("ttt_lib/board/static", "book/site/static"):
        for file in (ROOT / folder).rglob("*.js"):
            if not is_vendored(file):
                assert not re.search(nested, file.read_text(encoding="utf-8")), file
