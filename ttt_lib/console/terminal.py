"""The terminal as it may be: closed streams, signs that do harm, Ctrl-C at any time.

What the program writes to be read by a person goes through `printable`.
"""

import os
import sys
import warnings
from _thread import interrupt_main
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer

import click

MOST_SIGNS = 600  # of a message, which may repeat what somebody typed
A_MOMENT = 0.1  # seconds
dropped = Event()  # set when Ctrl-C came where the compiler cannot pass it on


def printable(text):
    """Return a text with an escape for each sign that is not printed; breaks stay."""
    if text.isprintable():
        return text
    shown = str.isprintable
    return "".join(s if shown(s) or s == "\n" else repr(s)[1:-1] for s in text)


def message(text, err=False):
    """Write a message, in one line and not longer than a few."""
    text = printable(text).replace("\n", "\\n")
    if len(text) > MOST_SIGNS:  # the reason stands before or after what is repeated
        half = MOST_SIGNS // 2
        text = f"{text[:half]} … {text[-half:]}"
    click.echo(text, err=err)


@contextmanager
def prepared():
    """Let every stream be one, any sign be written, and warnings be messages."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started the program
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, nothing)
        if hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")
    dropped.clear()
    before = warnings.showwarning, sys.unraisablehook
    warnings.showwarning = lambda text, *_: message(f"ttt: {text}", err=True)
    sys.unraisablehook = lambda fault: _unheard(fault, before[1])
    try:
        yield
    finally:
        warnings.showwarning, sys.unraisablehook = before


def _unheard(fault, otherwise):
    """Send Ctrl-C again: the compiler of loops cannot pass it on, and Python drops it.

    It comes from another thread, a moment later, when the compiler has gone on.
    """
    if not issubclass(fault.exc_type, KeyboardInterrupt):
        otherwise(fault)
        return
    dropped.set()
    timer = Timer(A_MOMENT, interrupt_main)
    timer.daemon = True
    timer.start()
