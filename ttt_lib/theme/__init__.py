"""The theme: colours and sizes from `theme.toml`, as Python values and as CSS.

Style sheets use var(--ttt-x), figures `light()["x"]`; neither defines colours itself.
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
    """Return the tables of `theme.toml` as dictionaries, by name."""
    file = resources.files("ttt_lib.theme").joinpath("theme.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def light():
    """Return the colours of the light theme, name → "#rrggbb", and its `strength`."""
    return values()["light"]


def beads():
    """Return the colours of MENACE's beads, one for each cell, in both themes."""
    return tuple(values()["beads"].values())


def css():
    """Return the style sheet with custom properties, --ttt-NAME, light and dark.

    Print always uses the light theme. The sheet also has the focus ring, which pages
    and boards share.
    """
    theme = values()
    colours = {f"bead-{a}": colour for a, colour in enumerate(beads())}
    colours |= {f"on-bead-{a}": _on(colour) for a, colour in enumerate(beads())}
    sizes = {**theme["size"], **theme["motion"]}
    types = {f"{name}-type": family for name, family in theme["type"].items()}
    tiles = {f"tile-{name}": theme["light"][name] for name in ("x", "o", "violet")}
    fade = theme["dark"]["strength"] / theme["light"]["strength"]
    return SHEET.format(
        light=_properties(theme["light"] | {"fade": 1}),
        dark=_properties(theme["dark"] | {"fade": fade}),
        rest=_properties(sizes | types | tiles | colours),
    )


def _on(colour):
    """Return the colour of text on a bead: ink, or white on dark colours."""
    red, green, blue = ((int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5))
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.18
    return values()["beads"]["white"] if dark else light()["ink"]


def _properties(by_name):
    return "".join(f"--ttt-{name}: {value};\n" for name, value in by_name.items())
