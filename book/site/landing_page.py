"""The front page: the chapters as cards, and a learner that grows as one watches."""

import html
import json
import re
from pathlib import PurePosixPath

import nbformat
from cards import card
from docutils import nodes
from docutils.parsers.rst import Directive

from ttt_lib.studies import load

FRONT = "book/index"
TOLD = "chapters"
TITLE = re.compile(r"# (.*)")
TIME = re.compile(r"\*\*Time\*\* about (\d+) minutes to read")


class ChaptersDirective(Directive):
    """Cards that lead to chapters: a line each, its file and the question it asks."""

    has_content = True

    def run(self):
        """Return the cards, each with its picture, title and time."""
        env = self.state.document.settings.env
        known = env.metadata[env.docname].setdefault(TOLD, {})
        cards = []
        for number, line in enumerate(self.content, start=1):
            name, question = line.split(": ", 1)
            page = str(PurePosixPath(env.docname).with_name(name))
            title, minutes = known[page] = title_and_minutes(env.doc2path(page))
            cards.append(
                f'<a class="card-of-chapter" href="{name}.html">'
                f'<span aria-hidden="true">{card(name)}</span>'
                f"<strong>{number}. {html.escape(title)}</strong>"
                f"<span>{html.escape(question)}</span>"
                f"<small>{minutes} minutes to read</small></a>"
            )
        place = f'<div class="cards">{"".join(cards)}</div>'
        return [nodes.raw("", place, format="html")]


def title_and_minutes(path):
    """Return what the card of a chapter says of it, "" for what it has not."""
    cells = nbformat.read(path, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    found = TITLE.match(text), TIME.search(text)
    return [each[1] if each else "" for each in found]


def outdated(app, env, added, changed, removed):
    """Return the front page, to be read again, if what it says of a chapter is old."""
    known = env.metadata[FRONT].get(TOLD, {})
    old = (
        known[page] != title_and_minutes(env.doc2path(page))
        for page in changed & {*known}
    )
    return [FRONT] if any(old) else []


class WatchDirective(Directive):
    """A study whose one learner is watched as it grows, and words on what one sees."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Return the place of the learner, with its stored values, and the words."""
        study = load(self.arguments[0])
        ((rows,),) = study.results.tolist()
        data = {
            "board": study.BOARD,
            "frames": [
                [mark, row[:-1], row[-1]]
                for mark, row in zip(study.MARKS, rows, strict=True)
            ],
        }
        words = nodes.container(classes=["watch-words"])
        self.state.nested_parse(self.content, self.content_offset, words)
        place = (
            f'<div class="watch-place" data-watch="{html.escape(json.dumps(data))}">'
            "<p>A learner that grows stands here. It needs JavaScript.</p></div>"
        )
        whole = nodes.container(classes=["watch"])
        whole += [nodes.raw("", place, format="html"), words]
        return [whole]


def lead_on(app, pagename, templatename, context, doctree):
    """Let the front page lead on to chapter 1, not to what is beside the book."""
    if pagename == FRONT:
        chapter = next(
            page for page in app.env.toctree_includes[FRONT] if "/01_" in page
        )
        title = app.env.titles[chapter].astext()
        link = app.builder.get_relative_uri(pagename, chapter)
        context["next"] = {"link": link, "title": title}


def setup(app):
    """Connect the front page to Sphinx."""
    app.add_directive("chapters", ChaptersDirective)
    app.add_directive("watch", WatchDirective)
    app.connect("env-get-outdated", outdated)
    app.connect("html-page-context", lead_on, priority=400)  # before the theme reads it
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
