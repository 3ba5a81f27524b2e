"""Chromium, which prints the book, tests the site and measures its pages."""

import shutil

WINDOWLESS = "chromium-headless-shell"  # the same engine, faster to start
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A request to any other host fails at once instead of waiting.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def found(*, windows=True):
    """Return the path of a Chromium or Chrome on PATH, or None.

    With `windows=False` a headless shell is preferred, if there is one.
    """
    names = NAMES if windows else (WINDOWLESS, *NAMES)
    return next(filter(None, map(shutil.which, names)), None)
