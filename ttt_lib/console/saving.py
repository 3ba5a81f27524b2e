"""Where agents are kept: no file is replaced by accident, and nothing is lost."""

import os
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from click import ClickException

from ttt_lib.agents import save
from ttt_lib.interrupts import held

QUESTION = "A file name keeps it, Enter lets it go: "  # no yes or no is suggested


def must_be_new(path, force=False):
    """Refuse a path where a file cannot be made, or stands already, unless forced."""
    if path is None:
        return
    folder = path.absolute().parent
    for wrong, why in (
        (str(path) == "-", "- is no file name: give one, as mine.json."),
        (path.exists() and not force, f"{path} exists: --force replaces it."),
        (
            path.exists() and not path.is_file(),
            f"{path} is no file that could be replaced.",
        ),
        (not folder.is_dir(), f"There is no folder {folder}."),
        (
            not os.access(folder, os.W_OK),
            f"The folder {folder} may not be written to.",
        ),
    ):
        if wrong:
            raise ClickException(why)


@contextmanager
def written(path):
    """Name the file in the sentence on why it cannot be written."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as fault:
        why = f"{fault.strerror}." if fault.strerror else fault  # or our own sentence
        raise ClickException(f"{path} was not written: {why}") from None


def keep(agent, path, force=False):
    """Save an agent, and return where; Ctrl-C is heard afterwards.

    Unless forced it replaces no file, not even one that has come while it was made: it
    then takes a name beside it, so that neither is lost.
    """
    try:
        with held():
            for number in count(1):
                place = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
                with suppress(FileExistsError), written(place):
                    save(agent, place, not force)
                    return place
    except ValueError as fault:  # in what it holds
        raise ClickException(str(fault)) from None


def offer(screen, agent_of):
    """Ask at a terminal for a file to keep what has been learned, and return where.

    `agent_of` gives the Agent for a path. Where nobody is there to be asked, or does
    not want it, nothing is kept: None.
    """
    while screen.has_person():
        try:
            answer = screen.ask(QUESTION).strip()
        except (EOFError, KeyboardInterrupt):
            screen.say()
            break
        if not answer:
            break
        if answer.lower() in ("y", "yes", "n", "no"):  # to no question: no file's name
            screen.say("Give a file name, as mine.json, or Enter alone.")
            continue
        try:
            if (path := Path(answer)).exists():
                raise ClickException(f"{path} exists: give another name.")
            must_be_new(path)
            return keep(agent_of(path), path)
        except ClickException as fault:
            screen.say(fault.message)
        except (OSError, ValueError):  # too long, say, or with a sign that no name has
            screen.say("No file can be called so here.")
    return None
