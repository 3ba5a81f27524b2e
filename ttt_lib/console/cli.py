"""The console program `ttt`: its group of commands, and its exit statuses."""

import os
import sys
import warnings
from importlib import import_module
from pkgutil import iter_modules

import click

from ttt_lib.console import commands
from ttt_lib.console.options import (
    DONE,
    INTERRUPTED,
    PROBLEM,
    WRONG_USE,
    example,
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog=example(
        "ttt play perfect",
        "ttt train q_learning --opponent teacher:0.9 --save mine.json",
        "ttt match mine.json random",
    ),
)
@click.version_option(package_name="ttt-lib")
def cli():
    """Tic-tac-toe: play it, train and solve agents, keep them, compare them."""


for module in iter_modules(commands.__path__, f"{commands.__name__}."):
    for value in vars(import_module(module.name)).values():
        if isinstance(value, click.Command):
            cli.add_command(value)


def main(arguments=None):
    """Run the program and return its exit status; whatever goes wrong is a sentence."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a file name, or a slip, may hold any sign
            stream.reconfigure(errors="replace")
    # What the library warns of is one more sentence, without the line of its code.
    warnings.showwarning = lambda text, *_: click.echo(f"ttt: {text}", err=True)
    try:
        status = cli.main(arguments, prog_name="ttt", standalone_mode=False)
        sys.stdout.flush()
        return DONE if status is None else status
    except click.UsageError as fault:
        return _wrong_use(fault)
    except click.ClickException as fault:
        return _problem(fault.format_message())
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PROBLEM
    except OSError as fault:
        named = fault.filename is not None
        what = f"{fault.filename}: " if named else ""
        told = fault.strerror is None  # a sentence of the library
        return _problem(str(fault) if told else f"{what}{fault.strerror}.")


def _wrong_use(fault):
    """Say what was wrong in the use of a command, and where help is."""
    name = "ttt" if fault.ctx is None else fault.ctx.command_path
    text = fault.format_message().strip()
    if isinstance(fault, click.exceptions.NoArgsIsHelpError):
        click.echo(text, err=True)
    else:
        stop = "" if text[-1] in ".?" else "."
        click.echo(f"{name}: {text}{stop} Help: {name} --help", err=True)
    return WRONG_USE


def _problem(text):
    click.echo(f"ttt: {text}", err=True)
    return PROBLEM
