"""Search index: the texts of all pages in one script, which `search.js` reads.

Sphinx's own search knows only which page has a word, and fetches that page to show the
sentence. A page that was opened as a file may not fetch others.
"""

import html
import json
import re
from pathlib import Path

from docutils import nodes
from formulas_extension import render
from sphinx import addnodes
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node

TEXTS = "searchtexts.js"
# Not prose, or (solutions) to be read later. Quizzes, with wrong answers, are skipped
# by their id.
SKIPPED = (
    addnodes.index,
    addnodes.toctree,
    nodes.comment,
    nodes.image,
    nodes.label,
    nodes.literal_block,
    nodes.math_block,
    nodes.raw,
    nodes.system_message,
    solution_node,
)
QUIZ = "quiz"
BOXES = (nodes.admonition, exercise_enumerable_node)
LINES = (nodes.paragraph, nodes.row, nodes.caption, nodes.rubric)
WORD = re.compile(r"[^\W\d]\w+")  # in code: neither numbers nor single letters
MATHML = re.compile(r"<math.*?</math>", re.DOTALL)
TEX = re.compile(r"<annotation.*?</annotation>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
# Formulas that cannot be written in a line: ½ would become 12, and 3² would become 32.
STACKED = re.compile(r"<m(frac|over|root|sqrt|sub|sup|table|under)")
SIMPLE = re.compile(r"<(msu[bp])><mi>(\w)</mi><m[io][^>]*>(\w+|[∗′])</m[io]></\1>")


def keep_texts(app, tree, page):
    """Store the texts of a page, because the next build may not write this page."""
    if app.builder.format != "html":
        return
    places = [["", "", []]]
    _collect(tree, places)
    (_, title, lines), *places = _merged(places[1:])
    texts = [[*place, "\n".join(lines)] for *place, lines in [("", "", lines), *places]]
    prose = {*WORD.findall(json.dumps(texts, ensure_ascii=False))}
    code = {*WORD.findall("\n".join(_code(tree)))} - prose
    entry = {"title": title, "texts": texts, "code": " ".join(sorted(code))}
    _texts_file(app, page).write_text(json.dumps(entry), encoding="utf-8")


def _texts_file(app, page):
    return Path(app.doctreedir, f"{page}.search.json")


def _collect(node, places):
    """Add the texts of a node to the places of its page: [anchor, heading, lines]."""
    for part in node.children:
        if isinstance(part, SKIPPED) or _is_code(part):
            continue
        if isinstance(part, nodes.section) and QUIZ in part["ids"]:
            continue
        if isinstance(part, nodes.title):
            continue  # it is the heading of its section
        if isinstance(part, LINES):
            if line := read(part):
                places[-1][2].append(line)
            continue
        heading = _heading(part, places)
        if heading is None:
            _collect(part, places)
            continue
        enclosing = places[-1]
        places.append(place := [*heading, []])
        _collect(part, places)
        if isinstance(part, addnodes.desc):  # the summary alone
            place[2] = [text.partition("\n")[0] for text in place[2][:1]]
        if not isinstance(part, nodes.section):
            # Text after a box belongs to the section before it.
            places.append([*enclosing[:2], []])


def _merged(places):
    """Return the places with the parts of each section joined: boxes divide them."""
    merged = {}
    for anchor, heading, lines in places:
        merged.setdefault((anchor, heading), []).extend(lines)
    return [[*place, lines] for place, lines in merged.items()]


def _code(tree):
    """Yield the code of a page that is not folded, without outputs."""
    for block in tree.findall(nodes.literal_block):
        box = block.parent
        folded = box.parent is not None and isinstance(
            box.previous_sibling(), nodes.raw
        )
        if box.get("nb_element") != "cell_code_output" and not folded:
            yield block.astext()


def _is_code(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _heading(node, places):
    """Return the anchor and the heading of a node, or None if it has none."""
    if isinstance(node, (nodes.section, *BOXES)):
        title = node.next_node(nodes.title)
        if title is None or title.parent is not node:
            return None
        if isinstance(node, nodes.admonition) and not node["ids"]:
            name = nodes.make_id(title.astext())
            node["ids"].append(f"box-{name}")  # a target for links of the search
        kind = "Exercise" if isinstance(node, exercise_enumerable_node) else ""
        return [node["ids"][0], kind + read(title)]
    if isinstance(node, addnodes.desc) and node[0]["ids"]:
        return [node[0]["ids"][0], ""]  # the anchor is the name
    if isinstance(node, nodes.definition_list_item):
        terms = [term for term in node.children if isinstance(term, nodes.term)]
        if not terms[0]["ids"]:
            return None
        return [terms[0]["ids"][0], ", ".join(map(read, terms))]
    return None


def read(node):
    """Return a node as text; line breaks in the source stay."""
    if isinstance(node, nodes.row):
        return " · ".join(filter(None, (read(cell).strip() for cell in node)))
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return linear(node.astext()) + node.get("after", "")
    if isinstance(node, SKIPPED) or "viewcode-link" in node.get("classes", ""):
        return ""
    return "".join(map(read, node.children))


def linear(tex):
    """Return a formula as plain text, or … if it cannot be written in one line."""
    formula = TEX.sub("", MATHML.search(render(tex.strip(), False))[0])
    formula = SIMPLE.sub(r"\2\3", formula)
    return "…" if STACKED.search(formula) else html.unescape(TAG.sub("", formula))


def write_texts(app):
    """Write the texts of all pages, in the order of the book."""
    env, book = app.env, []
    for page, part in _pages(env):
        entry = json.loads(_texts_file(app, page).read_text(encoding="utf-8"))
        number = env.toc_secnumbers.get(page, {}).get("", ())
        title = ". ".join([*map(str, number), entry["title"]])
        address = app.builder.get_target_uri(page)
        book.append({**entry, "address": address, "title": title, "part": part})
    text = json.dumps(book, ensure_ascii=False, separators=(",", ":"))
    file = Path(app.outdir, "_static", TEXTS)
    file.write_text(f"const SEARCH_TEXTS = {text};\n", encoding="utf-8")
    return [("search", {}, "search.html")]


def _pages(env):
    """Yield the pages in the order of the book, each with the name of its part."""
    root = env.config.root_doc
    yield root, ""
    for tree in env.get_doctree(root).findall(addnodes.toctree):
        for page in tree["includefiles"]:
            yield page, tree["caption"] or ""


def search_here(app):
    """Turn off Sphinx's own search."""
    app.builder.search = False


def add_scripts(app, pagename, templatename, context, doctree):
    """Load the index and the search on the search page only."""
    if pagename == "search":
        for script in ("minisearch/index.js", TEXTS, "search.js"):
            app.add_js_file(script, loading_method="defer")


def setup(app):
    """Register the handlers."""
    app.connect("builder-inited", search_here)
    app.connect("doctree-resolved", keep_texts, priority=900)  # the page is complete
    app.connect("html-collect-pages", write_texts)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
