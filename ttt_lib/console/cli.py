"""The console program `ttt`: its commands, exit statuses and handling of Ctrl-C."""

import os
import sys
import time
import warnings
from _thread import interrupt_main
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Event, Timer

import click

from ttt_lib import __version__
from ttt_lib.console.options import (
    DONE,
    INTERRUPTED,
    PROBLEM,
    WRONG_USE,
    description,
    example,
    message,
)
from ttt_lib.interrupts import defer_sigint

COMMANDS = {  # their modules are imported lazily
    "agents": "List the agents and the methods of learning.",
    "book": "Open the built book in a browser.",
    "contest": "Let all agents in a folder play each other, and rank them.",
    "export": "Write a policy and its values for other programs.",
    "match": "Compare two agents exactly, each as first and as second player.",
    "play": "Play against an opponent.",
    "plot": "Plot how an agent has learned.",
    "show": "Show an agent, or its moves on a board.",
    "solve": "Solve the game by planning or search, and count the work.",
    "tournament": "Compare any number of agents with each other, exactly.",
    "train": "Train a learner, and score it exactly.",
}
RESEND_DELAY = 0.1  # seconds
dropped = Event()  # set when Ctrl-C came where the compiler drops it


class Commands(click.Group):
    """The group of commands, each of which is imported when it is called."""

    def list_commands(self, context):
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, context, name):
        """Return the command of that name, or None."""
        if name not in COMMANDS:
            return None
        return getattr(import_module(f"ttt_lib.console.{name}"), name)

    def format_commands(self, context, formatter):
        """Write the descriptions of the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog=example(
        "ttt play perfect",
        "ttt train q_learning --opponent teacher:0.9 --save mine.json",
        "ttt match mine.json random",
    ),
)
@click.version_option(__version__)
def cli():
    """Tic-tac-toe: play it, train and solve agents, save them, compare them."""


cli.help = description(cli.callback)


def main(arguments=None):
    """Run the program and return its exit status; errors are one-line messages."""
    with prepared():
        try:
            status = cli.main(arguments, prog_name="ttt", standalone_mode=False)
            sys.stdout.flush()
            return DONE if status is None else status
        except click.UsageError as fault:
            return _usage_error(fault)
        except click.ClickException as fault:
            return _problem(fault.format_message())
        except (click.Abort, KeyboardInterrupt):
            return _stopped()
        except BrokenPipeError:  # the reader of the output has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return PROBLEM
        except MemoryError:
            return _problem("There is not enough memory for this.")
        except OSError as fault:
            if fault.strerror is None:  # a message of the library
                return _problem(str(fault))
            file = "" if fault.filename is None else f"{fault.filename}: "
            return _problem(f"{file}{fault.strerror}.")
        except Exception:
            if not dropped.is_set():
                raise
            with suppress(KeyboardInterrupt):  # it is about to be resent
                time.sleep(2 * RESEND_DELAY)
            return _stopped()  # the compiler fails where it was interrupted


def _usage_error(fault):
    """Write the message of a usage error, and where help is."""
    name = "ttt" if fault.ctx is None else fault.ctx.command_path
    text = fault.format_message().strip()
    if isinstance(fault, click.exceptions.NoArgsIsHelpError):
        click.echo(text, err=True)
    else:
        stop = "" if text[-1] in ".?" else "."
        message(f"{name}: {text}{stop} Help: {name} --help", err=True)
    return WRONG_USE


def _problem(text):
    message(f"ttt: {text}", err=True)
    return PROBLEM


def _stopped():
    """Write that Ctrl-C has stopped the program; another Ctrl-C is ignored."""
    with defer_sigint() as more:
        message("Stopped.", err=True)
        more.clear()
    return INTERRUPTED


@contextmanager
def prepared():
    """Replace closed streams, write any character, and show warnings as messages."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the calling process
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, nothing)
        if hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")
    dropped.clear()
    before = warnings.showwarning, sys.unraisablehook
    warnings.showwarning = lambda text, *_: message(f"ttt: {text}", err=True)
    sys.unraisablehook = lambda fault: _resend(fault, before[1])
    try:
        yield
    finally:
        warnings.showwarning, sys.unraisablehook = before


def _resend(fault, otherwise):
    """Send Ctrl-C again, because the compiler cannot raise it and Python drops it.

    It is sent by another thread after RESEND_DELAY, when the compiler has finished.
    """
    if not issubclass(fault.exc_type, KeyboardInterrupt):
        otherwise(fault)
        return
    dropped.set()
    timer = Timer(RESEND_DELAY, interrupt_main)
    timer.daemon = True
    timer.start()
