"""Sources of the pages: order, metadata, spelling, numbers, equations."""

import ast
import html
import re
import sys
from functools import cache

import pytest
from common import each
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

from ttt_lib import plots, theme
from ttt_lib.board import encode

pytestmark = pytest.mark.slow

CHAPTERS = [path for path in NOTEBOOKS if re.match(r"\d\d_", path.name)]
EXECUTE = "run `make execute PAGE=…`"
TEXTS = [path for path in PAGES if path.suffix == ".md"]
REMEMBER = ":::{admonition} What you should remember"

TEMPLATE = ROOT / "docs" / "template.ipynb"  # every new page begins as its copy

notebooks, chapters = each([*NOTEBOOKS, TEMPLATE]), each(CHAPTERS)
pages = each([*PAGES, TEMPLATE])


def outputs(path):
    """Yield (cell, output, data by MIME type) for each output of a page."""
    for cell in code(path):
        for output in cell.outputs:
            yield cell, output, output.get("data", {})


@cache
def nodes(path):
    """Return the nodes of the syntax tree of a page's cells."""
    source = "\n".join(cell.source for cell in code(path))
    return [*ast.walk(ast.parse(re.sub(r"(?m)^%.*", "", source)))]


def test_table_of_contents_has_each_page_once():
    pages = [path.relative_to(ROOT).with_suffix("").as_posix() for path in PAGES]
    assert sorted(toc()) == sorted(pages), "compare _toc.yml with the files"


@notebooks
def test_notebook_was_executed_in_order_and_has_usual_metadata(path):
    cells = [cell for cell in code(path) if cell.source.strip()]
    for number, cell in enumerate(cells, start=1):
        in_order = cell.execution_count == number
        assert in_order, f"code cell {number} was not executed in order: {EXECUTE}"
        assert "execution" not in cell.metadata, f"it stores times: {EXECUTE}"
    metadata = notebook(path).metadata
    kernel = metadata.get("kernelspec", {})
    kernel_names = kernel.get("name"), kernel.get("display_name")
    is_usual = kernel_names == ("python3", "Python 3")
    assert is_usual, f'its metadata names no kernel "Python 3": {EXECUTE}'
    others = {*metadata} - {"kernelspec", "language_info"}
    assert not others, f"its metadata holds {', '.join(others)}: {EXECUTE}"


@notebooks
def test_outputs_have_no_warning_or_error_and_are_small(path):
    for cell, output, data in outputs(path):
        assert output.output_type != "error", cell.source
        assert output.get("name") != "stderr", cell.source
        assert max(map(len, [output.get("text", ""), *data.values()])) < 100_000


def numbers_that_depend_on_the_processor(output):
    """Return the numbers in an output that may differ between processors.

    These are numbers that are nearly 0, zeros with a sign, and numbers with more digits
    than sums in another order would share.
    """
    number = r"(?<![\w.-])-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w]|\.\d)"
    return [
        text
        for text in re.findall(number, output)
        if 0 < abs(float(text)) < 1e-9
        or (float(text) == 0 and text.startswith("-"))
        or (
            len(re.sub(r"e.*|[-.]", "", text).lstrip("0")) > 12
            and not text.lstrip("-").isdigit()
        )
    ]


@notebooks
def test_outputs_do_not_depend_on_processor_or_folder(path):
    folder = r"(?<![\w.:/])/(home|work|root|tmp|usr|Users)/\w|[A-Z]:\\\\"
    local = rf"{folder}|\bat 0x[0-9a-f]+"
    for cell in notebook(path).cells:
        assert not re.search(local, cell.source)
    for cell, output, data in outputs(path):
        texts = [
            data.get(f"text/{kind}", "") for kind in ("plain", "markdown", "latex")
        ]
        texts += [re.sub(r"<[^>]*>", " ", data.get("text/html", ""))]
        texts += [output.get("text", "")]
        text = "\n".join(texts).replace("−", "-")
        exact = numbers_that_depend_on_the_processor(text)
        assert not exact, f"an output has {', '.join(exact)}: round what you print"
        assert not re.search(local, text), cell.source


@notebooks
def test_figures_follow_the_theme_and_have_caption_and_description(path):
    colours = {*theme.light().values(), *theme.beads()}
    for cell, _, data in outputs(path):
        assert not {"image/png", "image/jpeg"} & set(data)
        svg = data.get("image/svg+xml")
        if svg is None:
            continue
        used = set(re.findall(r"#[0-9a-f]{6}\b", svg))
        assert used <= colours, "a figure has a colour that dark mode does not change"
        width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1]) / 72
        assert width <= theme.values()["figure"]["wide"], cell.source
        sizes = re.findall(r"font(?:-size)?: ?([\d.]+)px", svg)
        exponents = {6.3, 7}
        assert {float(size) for size in sizes} - exponents <= {9, 10}, cell.source
        settings = cell.metadata.get("mystnb", {})
        figure, image = settings.get("figure", {}), settings.get("image", {})
        which = f"the figure of code cell {cell.execution_count}"
        assert figure.get("name"), f"{which} has no name in the cell's metadata"
        assert len(figure.get("caption", "")) > 20, f"{which} has no caption"
        assert len(image.get("alt", "")) > 40, f"{which} has no description (alt)"


TEXT = re.compile(
    r'<text style="font-size: (?P<size>[\d.]+)px;(?P<style>[^"]*)" x="(?P<x>[-\d.]+)"'
    r" [^>]*rotate\(-0 [^>]*>(?P<text>[^<]+)</text>"
)


@cache
def width_of(words):
    """Return the width of words in the typeface of the site, for the size 1."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    face = FontProperties(family=plots.settings()["font.family"], size=100)
    width, *_ = text_to_path.get_text_width_height_descent(words, face, ismath=False)
    return width / 100


def left_and_right(text):
    """Return where a TEXT begins and ends, in the typeface of the site."""
    width = float(text["size"]) * width_of(html.unescape(text["text"]))
    anchor = re.search(r"text-anchor: (\w+)", text["style"])
    share = {"start": 0, "middle": 0.5, "end": 1}[anchor[1] if anchor else "start"]
    return float(text["x"]) - share * width, float(text["x"]) + (1 - share) * width


@notebooks
def test_texts_of_figures_are_not_cut_off(path):
    for cell, _, data in outputs(path):
        svg = data.get("image/svg+xml", "")
        for text in TEXT.finditer(svg):
            left, right = left_and_right(text)
            width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1])
            inside = left > -1 and right < width + 1
            assert inside, f"code cell {cell.execution_count}: {text['text']} is cut"


# What draws in the colours of the players: boards and their values, and what asks.
OF_PLAYERS = re.compile(
    r"\bplots\.(board|position|numbers|matchbox|backup_diagram|game_tree|skyline)\b"
)
ASKED = re.compile(r"\bgood_for\b|\bMARK_COLOURS\b")


@notebooks
def test_colours_of_players_are_used_for_players_only(path):
    cells = [cell.source for cell in code(path)]
    functions = {
        name: source
        for source in cells
        for name in re.findall(r"(?m)^def (\w+)", source)
    }
    known = theme.light()
    for cell, _, data in outputs(path):
        used = set(re.findall(r"#[0-9a-f]{6}\b", data.get("image/svg+xml", "")))
        called = set(re.findall(r"\b(\w+)\(", cell.source)) & functions.keys()
        source = "\n".join([cell.source, *(functions[name] for name in called)])
        which = f"the figure of code cell {cell.execution_count}"
        if used & {known["x"], known["o"]} and not OF_PLAYERS.search(source):
            assert ASKED.search(source), f"{which} has the colour of a player"
            settings = cell.metadata["mystnb"]
            words = settings["figure"]["caption"] + settings["image"]["alt"]
            assert re.search(r"\b[XO]\b", words), f"{which} does not say who X or O is"
        if known["good"] in used:
            assert re.search(r"\bring\b", source), f"{which} has green without a ring"
        assert known["warning"] not in used, which


@notebooks
def test_page_imports_only_installed_packages(path):
    imported = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or ".").partition(".")[0])
    installed = {"ttt_lib", "numpy", "matplotlib", "ipywidgets", "traitlets"}
    foreign = imported - installed - sys.stdlib_module_names
    assert not foreign, f"it imports {', '.join(foreign)}, which readers may not have"
    network = imported & {"urllib", "http", "subprocess"}
    assert not network, f"it imports {', '.join(network)}: pages fetch nothing"


@cache
def private_functions():
    """Return the names of all functions of the library that begin with `_`."""
    modules = (ROOT / "ttt_lib").rglob("*.py")
    trees = [ast.parse(module.read_text(encoding="utf-8")) for module in modules]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {name for name in defined if re.match(r"_[a-z]", name)}


@notebooks
def test_page_uses_no_private_function(path):
    shown = [cell.source for cell in notebook(path).cells]
    for _, output, data in outputs(path):
        shown += [output.get("text", ""), data.get("text/markdown", "")]
    words = set(re.findall(r"\w+", "\n".join(shown)))
    private = words & private_functions()
    assert not private, f"it uses private functions: {', '.join(private)}"


@notebooks
def test_cells_are_short(path):
    for cell in code(path):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        which = f"code cell {cell.execution_count}"
        assert len(lines) <= 14, f"{which} has {len(lines)} lines, at most 14 fit"
        for line in lines:
            assert len(line) <= 88, f"{which} has a line of over 88 characters"


@pages
def test_pictures_in_text_have_alt_text(path):
    text = markdown(path)
    assert not re.findall(r"!\[\s*\]\(", text)
    fence = r"(?:`{3,}|:{3,})"
    picture = rf"(?ms)^{fence}\{{(?:image|figure)}}.*?^{fence}\s*$"
    for block in re.findall(picture, text):
        assert re.search(r"^:alt: .{20,}", block, re.MULTILINE), block


def test_pictures_in_text_are_small_and_used():
    used = {
        (path.parent / name).resolve()
        for path in PAGES
        for name in re.findall(r"\{(?:image|figure)\} (\S+)", markdown(path))
    }
    stored = {*(BOOK / "pictures").iterdir()}
    assert stored == {path for path in used if path.parent == BOOK / "pictures"}
    assert [path for path in stored if path.stat().st_size > 60_000] == []


AMERICAN = (
    "behavior|color|favor|honor|labor|neighbor|center|meter|analyze|generalize|initialize|maximize|"
    "minimize|normalize|optimize|organize|realize|recognize|summarize|visualize|modeling|traveled|"
    "defense|license|gray"
)


DISCOURAGING = r"\b(?:obvious|obviously|simply|just|trivial|trivially|clearly)\b"


@pages
def test_spelling_is_british_and_no_word_discourages_beginners(path):
    american = rf"\b(?:{AMERICAN})(?:s|d|ed|ing|al)?\b"
    for words, why in ((DISCOURAGING, "may discourage a beginner"),
                       (american, "is American spelling")):  # fmt: skip
        for word in re.findall(words, prose(path), re.IGNORECASE):
            raise AssertionError(f'"{word}" {why}')


# Chapters that were cut out of others and have too few exercises so far.
FEW_EXERCISES = {
    "04_value_iteration": 2,
    "05_rewards": 2,
    "09_monte_carlo": 1,
    "11_q_learning": 1,
    "12_sarsa": 2,
    "13_belief": 2,
    "17_policy_gradient": 1,
}


@chapters
def test_chapter_has_its_parts_in_order(path):
    text, cells = markdown(path), notebook(path).cells
    assert text.startswith("# ")
    assert len(cells[0].source.splitlines()) <= 5
    assert cells[1].source.startswith(("from", "import"))
    is_text = [cell.cell_type == "markdown" for cell in cells]
    box = is_text.index(True, 1)
    assert cells[box].source.startswith(":::{admonition} This chapter")
    picture = cells[box - 1]
    is_live = re.match(r"\w*(Board|Lab)\(", picture.source)
    assert is_live or "figure" in picture.metadata.get("mystnb", {})
    for part in "You will learn", "You need", "Time", "Predict", "Further reading":
        assert f"**{part}" in text
    order = [text.index(part) for part in (REMEMBER, "## Quiz\n", "## Exercises\n")]
    assert order == sorted(order)
    points = re.search(rf"(?s){re.escape(REMEMBER)}.*?\n:::", text).group()
    assert 3 <= len(re.findall("(?m)^- ", points)) <= 6
    checks = ["assert" in cell.source for cell in cells if cell.cell_type == "code"]
    assert checks == sorted(checks), "a cell with checks is not at the end"
    exercises, solutions = (
        len(re.findall(rf"(?m)^`{{3,}}\{{{kind}(?:-start)?}}", text))
        for kind in ("exercise", "solution")
    )
    assert exercises == solutions
    assert exercises == FEW_EXERCISES.get(path.stem) or 3 <= exercises <= 5


@chapters
def test_chapter_is_short_and_states_its_time(path):
    assert main_line(path) <= 3500, f"{main_line(path)} words, at most 3,500 are meant"
    read, work = minutes(path)
    time = re.search(r"\*\*Time\*\* (.*)", markdown(path)).group(1)
    stated = [*map(int, re.findall(r"\d+", time))]
    assert stated == [read, work], f"it takes {read} and {work} minutes, not {stated}"
    assert "estimate" in time


@chapters
def test_quiz_options_have_reasons_and_one_is_right(path):
    quiz = re.search(r"(?ms)^## Quiz$(.*?)^## ", markdown(path)).group(1)
    option = r"(?ms)^:::\{dropdown\} .*?\n:class: quiz\n\n(.*?)\n:::$"
    reasons = re.findall(option, quiz)
    assert len(reasons) == quiz.count("{dropdown}") >= 4
    assert all(len(reason) > 20 for reason in reasons)
    for question in re.split(r"\n(?=\*\*\d\.)", quiz)[1:]:
        right = re.findall(r":class: quiz\n\nYes\b", question)
        assert len(right) == 1, "the page ticks the option whose reason begins so"


@notebooks
def test_notebook_uses_no_role_that_jupyterlab_cannot_show(path):
    """JupyterLab resolves `{eq}` and `{numref}` only within one notebook."""
    roles = re.findall(r"\{(eq|numref|ref|doc)\}`([^`]*)`", markdown(path))
    same_page = {("eq", label) for label in equations(path)}
    why = "write [words](page.ipynb#label); the site adds the number"
    assert set(roles) <= same_page, why


@notebooks
def test_link_to_equation_or_figure_names_its_page(path):
    """The site finds a label on any page; a notebook opens the page that is named."""
    link = r"\]\(([^)#]*)#((?:eq|fig)-[^)]*)\)"
    for page, label in re.findall(link, markdown(path)):
        target = path.parent / page
        is_there = label in equations(target) + figures(target)
        assert is_there, f"{label} is not on {page or 'this page'}"


@notebooks
def test_fold_within_one_cell_is_not_html(path):
    """JupyterLab draws no formulas in HTML."""
    for cell in notebook(path).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"(?s)<details.*</details>", cell.source), cell.source


@pages
def test_directives_and_folds_are_closed(path):
    """The build ignores an end of another kind, and all text after it."""
    ends = {"<details": "</details>"}
    open_blocks = []
    piece = r"(?m)^(?:(:{3,})\{|(<details)|(:{3,}\s*?$|</details>))"
    for fence, begin, end in re.findall(piece, markdown(path)):
        if end:
            assert open_blocks, end
            assert end.strip() == open_blocks.pop()
        else:
            open_blocks.append(fence or ends[begin])
    assert not open_blocks


@cache
def asserted_numbers(path):
    """Return every number in an `assert` of a notebook; fractions as (p, q)."""
    numbers = set()
    asserts = (node for node in nodes(path) if isinstance(node, ast.Assert))
    for node in (inner for statement in asserts for inner in ast.walk(statement)):
        match node:
            case ast.Constant(value=int() | float() as value):
                numbers.add(abs(float(value)))
            case ast.Call(func=ast.Name(id="Fraction")):
                numbers.add(tuple(float(ast.literal_eval(arg)) for arg in node.args))
            case ast.BinOp(ast.Constant(p), ast.Div(), ast.Constant(q)):
                numbers.add((float(p), float(q)))
    return numbers


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
    """Return whether a number is asserted, itself or as a percentage of one."""
    if isinstance(value, tuple):
        return value in checked
    numbers = [number for number in checked if not isinstance(number, tuple)]
    return any(abs(x - value) < 1e-12 or abs(x * 100 - value) < 1e-9 for x in numbers)


def numbers_from_outside(path):
    """Return the numbers in the comments *Numbers from outside*: years, sections …"""
    comments = re.findall(r"<!-- Numbers from outside: (.*?) -->", markdown(path))
    numbers = re.findall(r"\d{1,3}(?:,\d{3})+|\d*\.?\d+", " ".join(comments))
    return {float(number.replace(",", "")) for number in numbers}


def assert_checked(text, asserted, outside):
    """Assert that each number of a text is asserted or listed as from outside."""
    numbers, checked = dict(numbers_of(text)), asserted | outside
    missing = [text for text in numbers if not is_checked(numbers[text], checked)]
    where = 'add an assert, or list it in "Numbers from outside"'
    assert not missing, f"{', '.join(missing)} not asserted on the page: {where}"
    unused = ", ".join(f"{number:g}" for number in outside - set(numbers.values()))
    assert not unused, f'{unused} in "Numbers from outside" but not in the text'


@cache
def glossary():
    """Return the terms of the glossary, in small letters."""
    text = (BOOK / "glossary.md").read_text("utf-8")
    (block,) = re.findall(r"(?ms)^```\{glossary\}\n(.*?)^```$", text)
    return {line.strip().lower() for line in block.splitlines() if line[:1].strip()}


@pages
def test_terms_are_in_the_glossary(path):
    for term in re.findall(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`", markdown(path)):
        is_there = " ".join(term.lower().split()) in glossary()
        assert is_there, f'"{term}" is not in the glossary'


@notebooks
def test_numbers_in_text_and_captions_are_asserted(path):
    words = re.sub(r"(?m)^\*\*Time\*\*.*$", "", prose(path))  # has its own test
    text = words + "\n" + legends(path).replace("−", "-")
    assert_checked(text, asserted_numbers(path), numbers_from_outside(path))


@each(TEXTS)
def test_numbers_on_markdown_pages_are_asserted_in_a_notebook(path):
    asserted = set().union(*(asserted_numbers(path) for path in NOTEBOOKS))
    asserted.add(len(encode.names()))  # opponents
    assert_checked(prose(path), asserted, numbers_from_outside(path))


def test_every_equation_has_a_check():
    labels = [label for path in PAGES for label in equations(path)]
    assert len(labels) == len(set(labels)), "a label is used twice"
    missing, unused = set(labels) - set(CHECKS), set(CHECKS) - set(labels)
    assert not missing, f"no check in tests/equations: {', '.join(missing)}"
    assert not unused, f"no equation for the check: {', '.join(unused)}"


@pages
def test_every_displayed_equation_has_a_label(path):
    assert markdown(path).count("$$") == 2 * len(equations(path))


@pytest.mark.parametrize("label", CHECKS)
def test_equation_agrees_with_code(label):
    CHECKS[label]()


@notebooks
def test_page_does_not_redefine_imported_names(path):
    imported, defined = set(), set()
    for node in nodes(path):
        match node:
            case ast.ImportFrom() if node.module.startswith("ttt_lib"):
                imported |= {alias.asname or alias.name for alias in node.names}
            case ast.Import():
                names = [alias.name for alias in node.names]
                assert not [name for name in names if name.startswith("ttt_lib")]
            case ast.arg():
                defined.add(node.arg)
            case ast.FunctionDef() | ast.ClassDef():
                defined.add(node.name)
            case ast.Name(ctx=ast.Store()):
                defined.add(node.id)
    both = imported & defined
    assert not both, f"it imports and redefines {', '.join(both)}: links would be wrong"
