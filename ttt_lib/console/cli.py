"""The console program `ttt`: its group of commands, and its exit statuses."""

import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules

import click

from ttt_lib import __version__
from ttt_lib.console import commands
from ttt_lib.console.options import (
    DONE,
    INTERRUPTED,
    PROBLEM,
    WRONG_USE,
    description,
    example,
)
from ttt_lib.console.terminal import A_MOMENT, dropped, message, prepared
from ttt_lib.interrupts import held


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog=example(
        "ttt play perfect",
        "ttt train q_learning --opponent teacher:0.9 --save mine.json",
        "ttt match mine.json random",
    ),
)
@click.version_option(__version__)
def cli():
    """Tic-tac-toe: play it, train and solve agents, keep them, compare them."""


cli.help = description(cli.callback)
for module in iter_modules(commands.__path__, f"{commands.__name__}."):
    for value in vars(import_module(module.name)).values():
        if isinstance(value, click.Command):
            cli.add_command(value)


def main(arguments=None):
    """Run the program and return its exit status; whatever goes wrong is a sentence."""
    with prepared():
        try:
            status = cli.main(arguments, prog_name="ttt", standalone_mode=False)
            sys.stdout.flush()
            return DONE if status is None else status
        except click.UsageError as fault:
            return _wrong_use(fault)
        except click.ClickException as fault:
            return _problem(fault.format_message())
        except (click.Abort, KeyboardInterrupt):
            return _stopped()
        except BrokenPipeError:  # whoever read the output has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return PROBLEM
        except MemoryError:
            return _problem("There is not enough memory for this.")
        except OSError as fault:
            named = fault.filename is not None
            what = f"{fault.filename}: " if named else ""
            told = fault.strerror is None  # a sentence of the library
            return _problem(str(fault) if told else f"{what}{fault.strerror}.")
        except Exception:
            if not dropped.is_set():
                raise
            with suppress(KeyboardInterrupt):  # which is about to come once more
                time.sleep(2 * A_MOMENT)
            return _stopped()  # the compiler fails where it was stopped at work


def _wrong_use(fault):
    """Say what was wrong in the use of a command, and where help is."""
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
    """Say that Ctrl-C has stopped the program; one more does nothing meanwhile."""
    with held() as more:
        message("Stopped.", err=True)
        more.clear()
    return INTERRUPTED
