"""A board on a page: its place there, and one page that holds nothing else."""

import html

from ttt_lib.board import tables

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font-family: system-ui, sans-serif; margin: 1rem auto; max-width: 50rem; }}
main {{ padding: 0 1rem; }}
{css}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{mount}
</main>
<script>
{js}
</script>
</body>
</html>
"""


def mount(setup):
    """Return the place of a board on a page, with words for where no script runs."""
    return (
        f'<div data-ttt-board="{html.escape(tables.to_json(setup))}">'
        "<p>A playable board stands here. It needs JavaScript; in a notebook, run this "
        "cell.</p></div>"
    )


def page(setup):
    """Return one page that holds a board and all that it needs."""
    choices = setup.get("choices")
    agents = [
        tables.agent_script(key)
        for entry in tables.entries()
        if choices is None or entry["name"] in choices
        for key in tables.keys(entry)
        if key not in tables.SIMPLE
    ]
    return PAGE.format(
        title=html.escape(setup["title"]),
        css=tables.styles(),
        mount=mount(setup),
        js="\n".join([tables.engine(setup), *agents, tables.shared_script()]),
    )
