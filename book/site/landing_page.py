"""Front page: cards of the chapters, and the animation of a learner."""

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
CARDS = "chapters"
TITLE = re.compile(r"# (.*)")
TIME = re.compile(r"\*\*Time\*\* about (\d+) minutes to read")


class ChaptersDirective(Directive):
    """Cards of chapters; each line of the content is `file: question`."""

    has_content = True

    def run(self):
        """Return the cards, each with its picture, title and time."""
        env = self.state.document.settings.env
        cards_data = env.metadata[env.docname].setdefault(CARDS, {})
        cards = []
        for number, line in enumerate(self.content, start=1):
            name, question = line.split(": ", 1)
            page = str(PurePosixPath(env.docname).with_name(name))
            title, minutes = cards_data[page] = title_and_minutes(env.doc2path(page))
            cards.append(
                f'<a class="card-of-chapter" href="{name}.html">'
                f'<span aria-hidden="true">{card(name)}</span>'
                f"<strong>{number}. {html.escape(title)}</strong>"
                f"<span>{html.escape(question)}</span>"
                f"<small>{minutes} minutes to read</small></a>"
            )
        element = f'<div class="cards">{"".join(cards)}</div>'
        return [nodes.raw("", element, format="html")]


def title_and_minutes(path):
    """Return the title and the reading time of a chapter; "" for what is missing."""
    cells = nbformat.read(path, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    matches = TITLE.match(text), TIME.search(text)
    return [match[1] if match else "" for match in matches]


def outdated(app, env, added, changed, removed):
    """Return the front page if a title or time on its cards is outdated."""
    cards_data = env.metadata[FRONT].get(CARDS, {})
    changes = (
        cards_data[page] != title_and_minutes(env.doc2path(page))
        for page in changed & {*cards_data}
    )
    return [FRONT] if any(changes) else []


class WatchDirective(Directive):
    """Animation of the learner of a study, with a text next to it."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Return the element of the animation, with its stored values, and the text."""
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
        element = (
            f'<div class="watch-place" data-watch="{html.escape(json.dumps(data))}">'
            "<p>Watch a learner learn. This needs JavaScript.</p></div>"
        )
        box = nodes.container(classes=["watch"])
        box += [nodes.raw("", element, format="html"), words]
        return [box]


def lead_on(app, pagename, templatename, context, doctree):
    """Make chapter 1 the next page of the front page."""
    if pagename == FRONT:
        chapter = next(
            page for page in app.env.toctree_includes[FRONT] if "/01_" in page
        )
        title = app.env.titles[chapter].astext()
        link = app.builder.get_relative_uri(pagename, chapter)
        context["next"] = {"link": link, "title": title}


def setup(app):
    """Register the directives and the handlers."""
    app.add_directive("chapters", ChaptersDirective)
    app.add_directive("watch", WatchDirective)
    app.connect("env-get-outdated", outdated)
    app.connect("html-page-context", lead_on, priority=400)  # before the theme reads it
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
