"""What several commands share: their help, the types of their settings, options.

Nothing here takes long to import: `ttt --help` reads it.
"""

import ast
import inspect
import os
import re
from pathlib import Path

import click

ARGUMENT = r"\b(?P<name>[a-z_]+) ?= ?(['\"]?)(?P<value>[^\s:'\"]+)\2"  # of the library
SIDE_NUMBERS = {"0": "both", "1": "first", "-1": "second"}
MAX_MESSAGE = 600  # characters: a message may repeat what somebody typed
DONE, PROBLEM, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
STATUSES = """\b
Exit status: 0 done; 1 a problem, as a file that cannot be used;
2 wrong use, as an unknown name; 130 interrupted by Ctrl-C."""


def printable(text):
    """Return a text with an escape for each sign that is not printed; breaks stay."""
    shown = str.isprintable
    return "".join(s if shown(s) or s == "\n" else repr(s)[1:-1] for s in text)


def message(text, err=False):
    """Write a message, in one line and not longer than a few."""
    text = printable(text).replace("\n", "\\n")
    if len(text) > MAX_MESSAGE:  # the reason stands before or after what is repeated
        half = MAX_MESSAGE // 2
        text = f"{text[:half]} … {text[-half:]}"
    click.echo(text, err=err)


class Command(click.Command):
    """A command that ends with the right status where the library refuses something.

    The library's sentence on a wrong name or setting is wrong use, that on an agent
    that cannot be used is a problem.
    """

    def invoke(self, context):
        """Run the command."""
        try:
            return super().invoke(context)
        except ValueError as fault:
            from ttt_lib.agents import AgentFileError

            if isinstance(fault, AgentFileError):  # the names in it are those of a file
                raise click.ClickException(str(fault)) from None
            raise click.UsageError(self.in_options(str(fault)), context) from None

    def in_options(self, text):
        """Return a sentence of the library with its arguments as options are typed.

        It has `first='O'` and `gamma = 2`, and here they are --first O and --gamma 2.
        """
        options = {each.name: each.opts[0] for each in self.params}
        options["reinforcement"] = options.get("rewards")  # what matchboxes call them

        def typed(match):
            name, value = match["name"], match["value"]
            if not (options.get(name) or "").startswith("--"):
                return match[0]
            value = SIDE_NUMBERS.get(value, value) if name == "side" else value
            return f"{options[name]} {value}"

        return re.sub(ARGUMENT, typed, text)

    def format_help_text(self, context, formatter):
        """Write what the command does, and the methods it has."""
        super().format_help_text(context, formatter)
        for kind in (each.type for each in self.params):
            for heading, methods in getattr(kind, "lists", {}).items():
                with formatter.section(heading):
                    formatter.write_dl(list(methods.items()))


def example(*lines):
    """Return the end of a command's help: examples of its use, and exit statuses."""
    return "\n  ".join(["\b\nExample:", *lines]) + f"\n\n{STATUSES}"


def description(function):
    """Return the docstring of a function; of its source where Python drops it (-OO)."""
    if function.__doc__ is not None:
        return function.__doc__
    (tree,) = ast.parse(inspect.getsource(function)).body
    return ast.get_docstring(tree)


def command(*lines):
    """Return what makes a function a command, with lines as examples in its help."""

    def make(function):
        more = {"epilog": example(*lines), "help": description(function)}
        return click.command(cls=Command, **more)(function)

    return make


# Types of settings


class Whole(click.IntRange):
    """A whole number."""

    name = "whole number"


class Number(click.FloatRange):
    """A finite number, not NaN."""

    name = "number"

    def convert(self, value, parameter, context):
        """Return the number."""
        number = super().convert(value, parameter, context)
        if number != number:
            self.fail(f"{value!r} is not a valid number.", parameter, context)
        return number


class Method(click.ParamType):
    """The name of a method; `lists` has heading → {name: what it does}."""

    name = "method"

    def __init__(self, lists):
        self.lists = lists

    def convert(self, value, parameter, context):
        """Return the name as the library has it."""
        from ttt_lib.agents.names import nearest

        methods = [name for methods in self.lists.values() for name in methods]
        name = value.lower().replace("-", "_")
        if name in methods:
            return name
        near = nearest(name, methods)
        hint = f"do you mean {' or '.join(near)}?" if near else "they are in --help."
        named = value if len(value) <= 60 else f"{value[:60]}..."
        raise click.UsageError(f"There is no method named {named}: {hint}", context)


SHARE = Number(0, 1)
REWARD = Number(-1e6, 1e6)
MARK = click.Choice(["X", "O"], case_sensitive=False)
SIDE = click.Choice(["first", "second", "both"])
FILE = click.Path(dir_okay=False, path_type=Path)

# Options

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write the result as JSON."
)
seed_option = click.option(
    "--seed",
    type=Whole(min=0),
    help="Start of the random numbers; the same seed gives the same run. "
    "Without it, a new one is drawn.",
)
save_option = click.option(
    "--save", type=FILE, metavar="FILE", help="Keep the agent in this file."
)
force_option = click.option(
    "--force", is_flag=True, help="Let --save replace a file that exists."
)


def given(options):
    """Return the options that somebody has typed."""
    return {name: value for name, value in options.items() if value is not None}


def seed_or_new(seed):
    """Return the seed that was typed, or else one drawn now."""
    return int.from_bytes(os.urandom(4), "big") if seed is None else seed


def generator(seed):
    """Return a generator of random numbers; here a person gives its seed."""
    from numpy.random import default_rng

    return default_rng(seed)


def entrant(game, text):
    """Return the Agent that a text or Name stands for; it does not learn here."""
    from ttt_lib.agents import as_agent

    rng = generator(0)  # a new learner holds it, and is not asked
    return as_agent(game, text, rng)
