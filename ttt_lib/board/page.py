"""HTML of a board: its element on a page, and a page of its own."""

import html

from ttt_lib.board import encode

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
{css}body {{
  background: var(--ttt-paper);
  color: var(--ttt-ink);
  font: 1.0625rem/1.55 var(--ttt-prose-type);
  margin: 1rem auto;
  max-width: 50rem;
}}
main {{ padding: 0 1rem; }}
h1 {{ font: 700 var(--ttt-h1)/1.15 var(--ttt-title-type); }}
a {{ color: inherit; }}
form :is(input, button) {{
  background: var(--ttt-paper);
  border: 1px solid var(--ttt-edge);
  border-radius: 0.4rem;
  color: inherit;
  font: inherit;
  padding: 0.25rem 0.6rem;
}}
</style>
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
    """Return the HTML element of a board, with a text for readers without scripts."""
    return (
        f'<div data-ttt-board="{html.escape(encode.to_json(setup))}">'
        "<p>A playable board stands here. It needs JavaScript; in a notebook, run this "
        "cell.</p></div>"
    )


def page(setup):
    """Return an HTML page with one board and all the scripts and data it needs."""
    choices = setup.get("choices")
    agents = [
        encode.agent_script(key)
        for entry in encode.entries()
        if choices is None or entry["name"] in choices
        for key in encode.keys(entry)
        if key not in encode.SIMPLE
    ]
    return PAGE.format(
        title=html.escape(setup["title"]),
        css=encode.styles(),
        mount=mount(setup),
        js="\n".join([encode.engine(setup), *agents, encode.shared_script()]),
    )
