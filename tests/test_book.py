"""The pages as they are written: order, hygiene, words, numbers, equations."""

import ast
import re
import sys
from functools import cache

import pytest
from common import each, game
from equations import CHECKS
from pages import (
    BOOK,
    NOTEBOOKS,
    PAGES,
    ROOT,
    code,
    equations,
    figures,
    legends,
    main_line,
    markdown,
    minutes,
    notebook,
    prose,
    toc,
)

from ttt_lib import agents, evaluation, theme
from ttt_lib.board import encode as board_tables
from ttt_lib.policy import uniform

pytestmark = pytest.mark.slow

CHAPTERS = [path for path in NOTEBOOKS if re.match(r"\d\d_", path.name)]
TEXTS = [path for path in PAGES if path.suffix == ".md"]
REMEMBER = ":::{admonition} What you should remember"

notebooks, chapters, pages = each(NOTEBOOKS), each(CHAPTERS), each(PAGES)


def outputs(path):
    """Yield each output of a page with its cell, and what it holds by its kind."""
    for cell in code(path):
        for output in cell.outputs:
            yield cell, output, output.get("data", {})


@cache
def nodes(path):
    """Return all nodes of the program that the cells of a page make."""
    source = "\n".join(cell.source for cell in code(path))
    return [*ast.walk(ast.parse(re.sub(r"(?m)^%.*", "", source)))]


def test_the_table_of_contents_lists_each_page_once():
    pages_ = (path.relative_to(ROOT).with_suffix("") for path in PAGES)
    assert sorted(toc()) == sorted(path.as_posix() for path in pages_)


@notebooks
def test_executed_in_order_from_a_fresh_kernel(path):
    cells = [cell for cell in code(path) if cell.source.strip()]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    metadata = notebook(path).metadata
    assert metadata.kernelspec.name == "python3"
    assert metadata.kernelspec.display_name == "Python 3"
    assert set(metadata) <= {"kernelspec", "language_info"}, "no state of widgets"
    assert not [cell for cell in code(path) if "execution" in cell.metadata]


@notebooks
def test_no_warning_no_error_and_nothing_heavy_in_the_outputs(path):
    for cell, output, data in outputs(path):
        assert output.output_type != "error", cell.source
        assert output.get("name") != "stderr", cell.source
        assert max(map(len, [output.get("text", ""), *data.values()])) < 100_000


def numbers_that_depend_on_the_processor(text):
    """Return the numbers in an output whose digits are a processor's rounding.

    These are numbers that are nearly 0, zeros with a sign, and numbers with more digits
    than sums in another order would share.
    """
    number = r"(?<![\w.-])-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w]|\.\d)"
    return [
        found
        for found in re.findall(number, text)
        if 0 < abs(float(found)) < 1e-9
        or (float(found) == 0 and found.startswith("-"))
        or (
            len(re.sub(r"e.*|[-.]", "", found).lstrip("0")) > 12
            and not found.lstrip("-").isdigit()
        )
    ]


@notebooks
def test_no_output_depends_on_the_processor_or_the_place(path):
    folder = r"(?<![\w.:/])/(home|work|root|tmp|usr|Users)/\w|[A-Z]:\\\\"
    place = rf"{folder}|\bat 0x[0-9a-f]+"
    for cell in notebook(path).cells:
        assert not re.search(place, cell.source)
    for cell, output, data in outputs(path):
        seen = [data.get(f"text/{kind}", "") for kind in ("plain", "markdown", "latex")]
        seen += [re.sub(r"<[^>]*>", " ", data.get("text/html", ""))]
        seen += [output.get("text", "")]
        text = "\n".join(seen).replace("−", "-")
        assert not numbers_that_depend_on_the_processor(text), cell.source
        assert not re.search(place, text), cell.source


@notebooks
def test_figures_are_drawings_that_follow_the_theme_and_fit_the_page(path):
    own = {*theme.light().values(), *theme.beads()}
    for cell, _, data in outputs(path):
        assert not {"image/png", "image/jpeg"} & set(data)
        drawn = data.get("image/svg+xml")
        if drawn is None:
            continue
        used = set(re.findall(r"#[0-9a-f]{6}\b", drawn))
        assert used <= own, "a colour that would be the same in the dark"
        width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', drawn)[1]) / 72
        assert width <= theme.values()["figure"]["wide"], cell.source
        sizes = re.findall(r"font(?:-size)?: ?([\d.]+)px", drawn)
        exponents = {6.3, 7}
        assert {float(size) for size in sizes} - exponents <= {9, 10}, cell.source
        settings = cell.metadata.get("mystnb", {})
        assert len(settings.get("image", {}).get("alt", "")) > 40, cell.source
        assert len(settings.get("figure", {}).get("caption", "")) > 20, cell.source


@notebooks
def test_a_page_runs_as_one_file_beside_the_library(path):
    taken = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            taken |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            taken.add((node.module or ".").partition(".")[0])
    brought = {"ttt_lib", "numpy", "matplotlib", "ipywidgets", "traitlets"}
    assert taken <= brought | sys.stdlib_module_names
    assert not taken & {"urllib", "http", "subprocess"}, "nothing is fetched"


@cache
def private_functions():
    """Return the names of all functions of the library that begin with `_`."""
    modules = (ROOT / "ttt_lib").rglob("*.py")
    trees = [ast.parse(module.read_text(encoding="utf-8")) for module in modules]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {name for name in defined if re.match(r"_[a-z]", name)}


@notebooks
def test_a_page_shows_and_calls_no_private_function(path):
    shown = [cell.source for cell in notebook(path).cells]
    for _, output, data in outputs(path):
        shown += [output.get("text", ""), data.get("text/markdown", "")]
    words = set(re.findall(r"\w+", "\n".join(shown)))
    assert not words & private_functions()


@notebooks
def test_cells_are_short(path):
    for cell in code(path):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        assert len(lines) <= 14, cell.source
        assert all(len(line) <= 88 for line in lines), "too wide for the page"


@pages
def test_every_picture_of_the_text_has_alt_text(path):
    text = markdown(path)
    assert not re.findall(r"!\[\s*\]\(", text)
    fence = r"(?:`{3,}|:{3,})"
    picture = rf"(?ms)^{fence}\{{(?:image|figure)}}.*?^{fence}\s*$"
    for block in re.findall(picture, text):
        assert re.search(r"^:alt: .{20,}", block, re.MULTILINE), block


def test_pictures_of_the_text_are_small_and_all_are_shown():
    named = {
        (path.parent / name).resolve()
        for path in PAGES
        for name in re.findall(r"\{(?:image|figure)\} (\S+)", markdown(path))
    }
    kept = {*(BOOK / "pictures").iterdir()}
    assert kept == {path for path in named if path.parent == BOOK / "pictures"}
    assert [path for path in kept if path.stat().st_size > 60_000] == []


AMERICAN = (
    "behavior|color|favor|honor|labor|neighbor|center|meter|analyze|generalize|initialize|maximize|"
    "minimize|normalize|optimize|organize|realize|recognize|summarize|visualize|modeling|traveled|"
    "defense|license|gray"
)


HURTFUL = r"\b(?:obvious|obviously|simply|just|trivial|trivially|clearly)\b"


@pages
def test_british_spelling_and_no_word_that_hurts_a_beginner(path):
    american = rf"\b(?:{AMERICAN})(?:s|d|ed|ing|al)?\b"
    for words in (HURTFUL, american):
        assert not re.findall(words, prose(path), re.IGNORECASE)


@chapters
def test_the_anatomy_of_a_chapter(path):
    text, cells = markdown(path), notebook(path).cells
    assert text.startswith("# ")
    assert len(cells[0].source.splitlines()) <= 5
    assert cells[1].source.startswith(("from", "import"))
    is_text = [cell.cell_type == "markdown" for cell in cells]
    box = is_text.index(True, 1)
    assert cells[box].source.startswith(":::{admonition} This chapter")
    picture = cells[box - 1]
    assert "figure" in picture.metadata.get("mystnb", {}) or "Board" in picture.source
    for part in "You will learn", "You need", "Time", "Predict", "Further reading":
        assert f"**{part}" in text
    places = [text.index(part) for part in (REMEMBER, "## Quiz\n", "## Exercises\n")]
    assert places == sorted(places)
    points = re.search(rf"(?s){re.escape(REMEMBER)}.*?\n:::", text).group()
    assert 3 <= len(re.findall("(?m)^- ", points)) <= 6
    checks = ["assert" in cell.source for cell in cells if cell.cell_type == "code"]
    assert checks == sorted(checks), "all tests stand at the end"
    exercises, solutions = (
        len(re.findall(rf"(?m)^`{{3,}}\{{{kind}(?:-start)?}}", text))
        for kind in ("exercise", "solution")
    )
    assert 3 <= exercises == solutions <= 5


@chapters
def test_a_main_line_is_short_and_its_time_is_what_it_takes(path):
    assert main_line(path) <= 3500
    read, work = minutes(path)
    said = re.search(r"\*\*Time\*\* (.*)", markdown(path)).group(1)
    assert list(map(int, re.findall(r"\d+", said))) == [read, work]
    assert "estimate" in said


@chapters
def test_every_option_of_a_quiz_has_its_reason(path):
    quiz = re.search(r"(?ms)^## Quiz$(.*?)^## ", markdown(path)).group(1)
    option = r"(?ms)^:::\{dropdown\} .*?\n:class: quiz\n\n(.*?)\n:::$"
    reasons = re.findall(option, quiz)
    assert len(reasons) == quiz.count("{dropdown}") >= 4
    assert all(len(reason) > 20 for reason in reasons)
    for question in re.split(r"\n(?=\*\*\d\.)", quiz)[1:]:
        right = re.findall(r":class: quiz\n\nYes\b", question)
        assert len(right) == 1, "the page ticks the option whose reason begins so"


@notebooks
def test_a_notebook_refers_by_its_label_to_nothing_that_stands_elsewhere(path):
    """JupyterLab shows `{eq}` and `{numref}` as open: it has one notebook's text."""
    roles = re.findall(r"\{(eq|numref|ref|doc)\}`([^`]*)`", markdown(path))
    own = {("eq", label) for label in equations(path)}
    assert set(roles) <= own, "write [words](page.ipynb#label), and the site the number"


@notebooks
def test_a_link_to_an_equation_or_a_figure_names_the_page_where_it_stands(path):
    """The site finds a label on any page; a notebook opens the page that is named."""
    link = r"\]\(([^)#]*)#((?:eq|fig)-[^)]*)\)"
    for page, label in re.findall(link, markdown(path)):
        there = path.parent / page
        assert label in equations(there) + figures(there)


@notebooks
def test_a_fold_that_ends_in_its_cell_is_no_html(path):
    """JupyterLab draws no formula in HTML, and opens folds that stand together."""
    for cell in notebook(path).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"(?s)<details.*</details>", cell.source), cell.source


@pages
def test_what_folds_or_stands_apart_ends_as_it_began_and_where(path):
    """The build passes over an end that is of another kind, and all that follows."""
    ends = {"<details": "</details>"}
    waiting = []
    piece = r"(?m)^(?:(:{3,})\{|(<details)|(:{3,}\s*?$|</details>))"
    for fence, begin, end in re.findall(piece, markdown(path)):
        if end:
            assert waiting, end
            assert end.strip() == waiting.pop()
        else:
            waiting.append(fence or ends[begin])
    assert not waiting


@cache
def asserted_numbers(path):
    """Return every number in an `assert` of a notebook; fractions as (p, q)."""
    found = set()
    asserts = (node for node in nodes(path) if isinstance(node, ast.Assert))
    for node in (inner for statement in asserts for inner in ast.walk(statement)):
        match node:
            case ast.Constant(value=int() | float() as value):
                found.add(abs(float(value)))
            case ast.Call(func=ast.Name(id="Fraction")):
                found.add(tuple(float(ast.literal_eval(arg)) for arg in node.args))
            case ast.BinOp(ast.Constant(p), ast.Div(), ast.Constant(q)):
                found.add((float(p), float(q)))
    return found


def numbers_of(text):
    """Yield (as written, value) of fractions, decimals and numbers above 20 in text."""
    text = text.replace("{,}", ",")
    fraction = r"(?<![\w.^_/-])(\d[\d,]*)/(\d+)(?![\w/])"
    number = r"(?<![\w^_.,-])(\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+)(?![\w^])"
    for match in re.finditer(f"{fraction}|{number}", text):
        p, q, number = match.groups()
        if p:
            yield match.group(), (float(p.replace(",", "")), float(q))
        else:
            value = float(number.replace(",", ""))
            if value > 20 or "." in number:
                yield match.group(), value


def is_checked(value, checked):
    """Tell whether a number is asserted: itself, or as a percentage of one asserted."""
    if isinstance(value, tuple):
        return value in checked
    numbers = [each for each in checked if not isinstance(each, tuple)]
    return any(abs(x - value) < 1e-12 or abs(x * 100 - value) < 1e-9 for x in numbers)


def numbers_from_outside(path):
    """Return the numbers that a comment of the page lists: years, sections, stories."""
    comments = re.findall(r"<!-- Numbers from outside: (.*?) -->", markdown(path))
    numbers = re.findall(r"\d{1,3}(?:,\d{3})+|\d*\.?\d+", " ".join(comments))
    return {float(number.replace(",", "")) for number in numbers}


def assert_checked(text, asserted, outside):
    """Assert that each number of a text is asserted, or named as from outside."""
    numbers, checked = dict(numbers_of(text)), asserted | outside
    missing = [text for text in numbers if not is_checked(numbers[text], checked)]
    assert not missing, "not asserted, nor named as from outside"
    assert outside <= set(numbers.values()), "named as from outside, and nowhere used"


@notebooks
def test_every_number_in_prose_and_captions_is_asserted_on_the_page(path):
    words = re.sub(r"(?m)^\*\*Time\*\*.*$", "", prose(path))  # a test counts these
    text = words + "\n" + legends(path).replace("−", "-")
    assert_checked(text, asserted_numbers(path), numbers_from_outside(path))


@each(TEXTS)
def test_every_number_on_another_page_is_asserted_on_a_page_with_code(path):
    asserted = set().union(*(asserted_numbers(path) for path in NOTEBOOKS))
    asserted.add(len(board_tables.names()))  # opponents
    assert_checked(prose(path), asserted, numbers_from_outside(path))


def test_every_equation_has_a_check_and_every_check_an_equation():
    labels = [label for path in PAGES for label in equations(path)]
    assert len(labels) == len(set(labels))
    assert set(labels) == set(CHECKS)


@pages
def test_every_display_equation_has_a_label(path):
    assert markdown(path).count("$$") == 2 * len(equations(path))


@pytest.mark.parametrize("label", CHECKS)
def test_the_equation_says_what_the_code_does(label):
    CHECKS[label]()


@notebooks
def test_what_a_page_takes_from_the_library_keeps_its_name(path):
    taken, defined = set(), set()
    for node in nodes(path):
        match node:
            case ast.ImportFrom() if node.module.startswith("ttt_lib"):
                taken |= {each.asname or each.name for each in node.names}
            case ast.Import():
                names = [each.name for each in node.names]
                assert not [name for name in names if name.startswith("ttt_lib")]
            case ast.arg():
                defined.add(node.arg)
            case ast.FunctionDef() | ast.ClassDef():
                defined.add(node.name)
            case ast.Name(ctx=ast.Store()):
                defined.add(node.id)
    assert not taken & defined, "the links to the library would be wrong"


def test_a_learner_of_ones_own_does_what_the_page_says(tmp_path, monkeypatch, capsys):
    page = markdown(BOOK / "api" / "agents.md")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    assert capsys.readouterr().out == printed
    kept = agents.load("tenth.json").policy
    assert f"{evaluation.result(game, kept, uniform(game.legal)).win:.3f}" in printed
