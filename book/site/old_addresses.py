"""Small pages at addresses of an older version, which lead on to the present ones.

The table is `old_addresses.toml`: for each old page its anchors, and where they lead.
"""

import json
import tomllib
from html import escape
from pathlib import Path

TABLE = Path(__file__).with_suffix(".toml")
LEAD_ON = """\
(() => {
  const to = %s, [first, ...rest] = location.hash.slice(1).split("&");
  const there = to[decodeURIComponent(first)] ?? to[""];
  if (there === undefined) return;
  const [page, anchor = first] = there.split("#");
  const hash = [anchor, ...rest].join("&");
  location.replace(`${page}.html${hash && `#${hash}`}`);
})();
"""
PAGE = """\
<!DOCTYPE html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>{title}</title>
<script>
{script}</script>
<noscript><meta http-equiv="refresh" content="0; url={page}.html"></noscript>
<p>This page is now <a href="{page}.html">{title}</a>.</p>
</html>
"""


def table():
    """Return {old page: {anchor: new page, or new page#anchor}}.

    "" stands for the page without an anchor, and for anchors that are not listed; a
    page that is still there has none. The state of a lab, behind its name, is kept.
    """
    return tomllib.loads(TABLE.read_text("utf-8"))


def script(anchors):
    """Return the script that leads on from one old page."""
    return LEAD_ON % json.dumps(anchors, separators=(",", ":"))


def write_pages(app, exception):
    """Write a page at each old address that has no page of its own."""
    if exception or app.builder.format != "html":
        return
    for old, anchors in table().items():
        if "" not in anchors:
            continue
        new = anchors[""]
        title = escape(app.env.titles[f"book/{new}"].astext())
        text = PAGE.format(title=title, page=new, script=script(anchors))
        path = Path(app.outdir, "book", f"{old}.html")
        if not path.exists() or path.read_text("utf-8") != text:  # a PDF stays fresh
            path.write_text(text, encoding="utf-8")


def lead_on(app, pagename, templatename, context, doctree):
    """Lead on from anchors that have moved from a page to another."""
    anchors = table().get(pagename.removeprefix("book/"), {})
    if anchors and "" not in anchors:
        app.add_js_file(None, body=script(anchors))


def setup(app):
    """Register the handlers."""
    app.connect("html-page-context", lead_on)
    app.connect("build-finished", write_pages, priority=930)  # before the zips
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
