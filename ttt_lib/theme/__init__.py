"""The look of all that people see: values from `theme.toml`, and as a style sheet.

A style says var(--ttt-x), a figure `light()["x"]`; none has a colour of its own.
"""

import tomllib
from functools import cache
from importlib import resources

SHEET = """:root, [data-theme="light"], [data-jp-theme-light="true"] {{
{light}{rest}}}
@media screen and (prefers-color-scheme: dark) {{
:root:not([data-theme]) {{
{dark}}}
}}
@media screen {{
[data-theme="dark"], [data-jp-theme-light="false"] {{
{dark}}}
}}
@media (prefers-reduced-motion: reduce) {{
:root {{ --ttt-time: 0s; }}
}}
:is([data-theme], .ttt) :focus-visible {{
box-shadow: none !important;
outline: 3px solid var(--ttt-accent) !important;
outline-offset: 2px;
}}
"""


@cache
def values():
    """Return what `theme.toml` says, part by part."""
    file = resources.files("ttt_lib.theme").joinpath("theme.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def light():
    """Return the colours on light paper, name → "#rrggbb", and the largest strength."""
    return values()["light"]


def beads():
    """Return the colours of MENACE's beads, one for each cell, on light and dark."""
    return tuple(values()["beads"].values())


def css():
    """Return the values as custom properties, --ttt-NAME, of light and dark pages.

    Paper is light, whatever the screen is. One rule stands here, because pages and
    boards share it: what has the keyboard has a ring.
    """
    known = values()
    colours = {f"bead-{a}": colour for a, colour in enumerate(beads())}
    colours |= {f"on-bead-{a}": _on(colour) for a, colour in enumerate(beads())}
    sizes = {**known["size"], **known["motion"]}
    types = {f"{name}-type": family for name, family in known["type"].items()}
    tiles = {f"tile-{mark}": known["light"][mark] for mark in "xo"}
    fade = known["dark"]["strength"] / known["light"]["strength"]
    return SHEET.format(
        light=_properties(known["light"] | {"fade": 1}),
        dark=_properties(known["dark"] | {"fade": fade}),
        rest=_properties(sizes | types | tiles | colours),
    )


def _on(colour):
    """Return ink, or white where a colour is too dark for ink to be read on it."""
    red, green, blue = ((int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5))
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.18
    return values()["beads"]["white"] if dark else light()["ink"]


def _properties(named):
    return "".join(f"--ttt-{name}: {value};\n" for name, value in named.items())
