"""Front page and page of labs: lists made from chapters, the skyline, the ladder."""

import html
import json
import re
from pathlib import PurePosixPath

import nbformat
from chapter_skylines import picture
from docutils import nodes
from docutils.parsers.rst import Directive

from ttt_lib.board.runs import CLASSES, letters
from ttt_lib.studies import load

FRONT = "book/index"
MADE_FROM = "chapters"  # in the metadata of a page: chapter → its Chapter
TITLE = re.compile(r"# (.*)")
TIME = re.compile(r"\*\*Time\*\* about (\d+) minutes to read")
LAB = re.compile(r'data-ttt-lab="([^"]*)"')
STAGES = 0, 30, 300, 3_000, 30_000  # games of the learner that readers play against


class ChaptersDirective(Directive):
    """The chapters as a list of questions.

    Each line of the content is `# part` or `file: question`.
    """

    has_content = True

    def run(self):
        """Return the list: question, title, picture and time of each chapter."""
        parts, number = [], 0
        for line in self.content:
            if line.startswith("# "):
                parts.append((line[2:], []))
                continue
            number += 1
            name, question = line.split(": ", 1)
            title, minutes, _ = read_chapter(self, name)
            parts[-1][1].append(
                f'<li><a href="{name}.html"><span class="number">{number}</span>'
                f"<span><strong>{html.escape(question)}</strong>"
                f"<span>{html.escape(title)}</span></span>"
                f"{picture(name)}<small>{minutes} min</small></a></li>"
            )
        sections = (
            f'<div class="part"><h3>{part}</h3><ol>{"".join(items)}</ol></div>'
            for part, items in parts
        )
        element = f'<div class="chapter-list">{"".join(sections)}</div>'
        return [nodes.raw("", element, format="html")]


class LabsDirective(Directive):
    """The labs of some pages, in order; each line of the content is a file."""

    has_content = True

    def run(self):
        """Return a list of the labs, by the question that each answers."""
        items = []
        for name in self.content:
            title, _, labs = read_chapter(self, name)
            place = f"Chapter {int(name[:2])}, " if name[:2].isdigit() else ""
            items += [
                f'<li><a href="{name}.html#lab={lab}"><strong>{html.escape(question)}'
                f"</strong><span>{place}{html.escape(title)}</span></a></li>"
                for question, lab in labs.items()
            ]
        element = f'<ol class="lab-list">{"".join(items)}</ol>'
        return [nodes.raw("", element, format="html")]


def read_chapter(directive, name):
    """Return what `summary` says of a page, and note that this page depends on it."""
    env = directive.state.document.settings.env
    page = str(PurePosixPath(env.docname).with_name(name))
    chapter = summary(env.doc2path(page))
    env.metadata[env.docname].setdefault(MADE_FROM, {})[page] = chapter
    return chapter


def summary(path):
    """Return the title, the reading time ("" if missing) and the labs of a notebook.

    The labs are a dictionary: question → id in links.
    """
    cells = nbformat.read(path, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    matches = TITLE.match(text), TIME.search(text)
    outputs = (
        output.data.get("text/html", "")
        for cell in cells
        for output in cell.get("outputs", ())
        if "data" in output
    )
    setups = [
        json.loads(html.unescape(setup))
        for output in outputs
        for setup in LAB.findall(output)
    ]
    labs = {}
    for n, setup in enumerate(setups, 1):
        labs.setdefault(setup["title"], f"{setup['kind']}-{n}")
    return [*(match[1] if match else "" for match in matches), labs]


def outdated(app, env, added, changed, removed):
    """Return the pages whose lists of chapters or labs are outdated."""
    return [
        name
        for name, data in env.metadata.items()
        for page, chapter in data.get(MADE_FROM, {}).items()
        if page in changed and chapter != summary(env.doc2path(page))
    ]


def learner_data():
    """Return the data of the skyline and of the ladder on the front page."""
    study = load("skyline")
    rows = study.results[0, 0]
    skyline = {
        "games": study.MARKS,
        "values": [letters(row) for row in rows[:, :CLASSES].tolist()],
        "safe": [bool((row[-2:] == 0).all()) for row in rows],
    }
    stages = rows[[study.MARKS.index(games) for games in STAGES], CLASSES:-2]
    cells = ["".join(map(str, row)) for row in stages.tolist()]
    return {"skyline": skyline, "ladder": {"games": STAGES, "cells": cells}}


class LearnerDirective(Directive):
    """A place for the skyline or for the ladder of the study `skyline`."""

    required_arguments = 1  # "skyline" or "ladder"

    def run(self):
        """Return the element, with its data."""
        (kind,) = self.arguments
        data = html.escape(json.dumps(learner_data()[kind], separators=(",", ":")))
        element = (
            f'<div class="learner-{kind}" data-ttt-{kind}="{data}">'
            "<p>This part of the page needs JavaScript.</p></div>"
        )
        return [nodes.raw("", element, format="html")]


def lead_on(app, pagename, templatename, context, doctree):
    """Make chapter 1 the next page of the front page, and load the scripts."""
    if pagename == FRONT:
        chapter = next(
            page for page in app.env.toctree_includes[FRONT] if "/01_" in page
        )
        title = app.env.titles[chapter].astext()
        link = app.builder.get_relative_uri(pagename, chapter)
        context["next"] = {"link": link, "title": title}
    body = context.get("body", "")
    if "data-kept" in body:
        app.add_js_file("kept.js", loading_method="defer")
    if "data-ttt-ladder" in body:
        for script in "ttt/board.js", "ttt/ladder.js", "ttt/tables.js", "front.js":
            app.add_js_file(script, loading_method="defer")
        app.add_css_file("ttt/board.css")


def setup(app):
    """Register the directives and the handlers."""
    app.add_directive("chapters", ChaptersDirective)
    app.add_directive("labs", LabsDirective)
    app.add_directive("learner", LearnerDirective)
    app.connect("env-get-outdated", outdated)
    app.connect("html-page-context", lead_on, priority=400)  # before the theme reads it
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
