"""Help, option types and options that several commands share.

Nothing here takes long to import, because `ttt --help` imports it.
"""

import ast
import inspect
import os
import re
from pathlib import Path

import click

# An argument in a message of the library
ARGUMENT = r"\b(?P<name>[a-z_]+) ?= ?(['\"]?)(?P<value>[^\s:'\"]+)\2"
SIDE_NUMBERS = {"0": "both", "1": "first", "-1": "second"}
MAX_MESSAGE = 600  # characters: a message may repeat long input
DONE, PROBLEM, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
STATUSES = """\b
Exit status: 0 done; 1 a problem, such as a file that cannot be used;
2 a usage error, such as an unknown name; 130 interrupted by Ctrl-C."""


def printable(text):
    """Return a text with unprintable characters escaped, except line breaks."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def message(text, err=False):
    """Write a message as one line of at most about MAX_MESSAGE characters."""
    text = printable(text).replace("\n", "\\n")
    if len(text) > MAX_MESSAGE:  # the reason is at the beginning or the end
        half = MAX_MESSAGE // 2
        text = f"{text[:half]} … {text[-half:]}"
    click.echo(text, err=err)


class Command(click.Command):
    """A command that turns errors of the library into messages and exit statuses.

    A ValueError on a name or setting is a usage error; an AgentFileError is a problem.
    """

    def invoke(self, context):
        """Run the command."""
        try:
            return super().invoke(context)
        except ValueError as fault:
            from ttt_lib.agents import AgentFileError

            # Names in an AgentFileError are keys of a file, not options.
            if isinstance(fault, AgentFileError):
                raise click.ClickException(str(fault)) from None
            raise click.UsageError(self.in_options(str(fault)), context) from None

    def in_options(self, text):
        """Return a message of the library with arguments written as options.

        For example `first='O'` becomes --first O, and `gamma = 2` --gamma 2.
        """
        options = {each.name: each.opts[0] for each in self.params}
        options["reinforcement"] = options.get("rewards")  # their name in `menace`

        def typed(match):
            name, value = match["name"], match["value"]
            if not (options.get(name) or "").startswith("--"):
                return match[0]
            value = SIDE_NUMBERS.get(value, value) if name == "side" else value
            return f"{options[name]} {value}"

        return re.sub(ARGUMENT, typed, text)

    def format_help_text(self, context, formatter):
        """Write the description of the command and its methods."""
        super().format_help_text(context, formatter)
        for kind in (each.type for each in self.params):
            for heading, methods in getattr(kind, "lists", {}).items():
                with formatter.section(heading):
                    formatter.write_dl(list(methods.items()))


def example(*lines):
    """Return the end of a command's help: examples of its use, and exit statuses."""
    return "\n  ".join(["\b\nExample:", *lines]) + f"\n\n{STATUSES}"


def description(function):
    """Return the docstring of a function, from its source if Python drops it (-OO)."""
    if function.__doc__ is not None:
        return function.__doc__
    (tree,) = ast.parse(inspect.getsource(function)).body
    return ast.get_docstring(tree)


def command(*lines):
    """Return a decorator for commands; the lines are examples in the help."""

    def make(function):
        texts = {"epilog": example(*lines), "help": description(function)}
        return click.command(cls=Command, **texts)(function)

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
    """The name of a method; `lists` has heading → {name: description}."""

    name = "method"

    def __init__(self, lists):
        self.lists = lists

    def convert(self, value, parameter, context):
        """Return the name as in the library."""
        from ttt_lib.agents.names import nearest

        methods = [name for methods in self.lists.values() for name in methods]
        name = value.lower().replace("-", "_")
        if name in methods:
            return name
        near = nearest(name, methods)
        hint = f"do you mean {' or '.join(near)}?" if near else "they are in --help."
        shown = value if len(value) <= 60 else f"{value[:60]}..."
        raise click.UsageError(f"There is no method named {shown}: {hint}", context)


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
    help="Seed of the random numbers; the same seed gives the same run. "
    "Default: a new one for each run.",
)
save_option = click.option(
    "--save", type=FILE, metavar="FILE", help="Save the agent to this file."
)
force_option = click.option(
    "--force", is_flag=True, help="Let --save replace a file that exists."
)


def given(options):
    """Return the options that were typed, without those that are None."""
    return {name: value for name, value in options.items() if value is not None}


def seed_or_new(seed):
    """Return the seed that was typed, or a new random one."""
    return int.from_bytes(os.urandom(4), "big") if seed is None else seed


def generator(seed):
    """Return a generator of random numbers with a seed from the command line."""
    from numpy.random import default_rng

    return default_rng(seed)


def entrant(game, text):
    """Return the Agent of a text or Name, for commands that do not train it."""
    from ttt_lib.agents import as_agent

    rng = generator(0)  # a new learner needs one, but draws nothing from it
    return as_agent(game, text, rng)
