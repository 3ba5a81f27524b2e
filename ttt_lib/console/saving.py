"""Saving agents: no file is replaced by accident, and no learning is lost."""

import os
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from click import ClickException

from ttt_lib.agents import learners, save
from ttt_lib.interrupts import defer_sigint

# Not a question that can be answered with yes or no
QUESTION = "File name to save it, or Enter to discard it: "


def must_be_new(path, force=False):
    """Raise ClickException if a path is not writable, or exists without force."""
    if path is None:
        return
    folder = path.absolute().parent
    for is_wrong, reason in (
        (str(path) == "-", "- is not a file name: give one such as mine.json."),
        (path.exists() and not force, f"{path} exists: --force replaces it."),
        (
            path.exists() and not path.is_file(),
            f"{path} is not a regular file and cannot be replaced.",
        ),
        (not folder.is_dir(), f"There is no folder {folder}."),
        (
            not os.access(folder, os.W_OK),
            f"The folder {folder} is not writable.",
        ),
    ):
        if is_wrong:
            raise ClickException(reason)


@contextmanager
def written(path):
    """Add the name of the file to errors in writing it."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as fault:
        reason = f"{fault.strerror}." if fault.strerror else fault  # of the library
        raise ClickException(f"{path} was not written: {reason}") from None


def keep(agent, path, force=False):
    """Save an agent and return the path; Ctrl-C is deferred until it is saved.

    Unless forced it replaces no file, not even one that was made in the meantime: it
    then adds a number to the name, so that neither is lost.
    """
    try:
        with defer_sigint():
            for number in count(1):
                new = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
                with suppress(FileExistsError), written(new):
                    save(agent, new, not force)
                    return new
    except ValueError as fault:  # the agent is not valid
        raise ClickException(str(fault)) from None


def name_of(path):
    """Return the name of an agent in a new file, from the name of the file."""
    return "".join(filter(str.isprintable, path.stem)) or "agent"


def offer(screen, agent_of):
    """Ask at a terminal for a file name, save the agent there, and return the path.

    agent_of: function that returns the Agent for a path. Without a terminal, or if the
    person declines, nothing is saved and None is returned.
    """
    while screen.has_person():
        try:
            answer = screen.ask(QUESTION).strip()
        except (EOFError, KeyboardInterrupt):
            screen.say()
            break
        if not answer:
            break
        if answer.lower() in ("y", "yes", "n", "no"):  # not a file name
            screen.say("Type a file name such as mine.json, or only Enter.")
            continue
        try:
            if (path := Path(answer)).exists():
                raise ClickException(f"{path} exists: give another name.")
            must_be_new(path)
            return keep(agent_of(path), path)
        except ClickException as fault:
            screen.say(fault.message)
        except (OSError, ValueError):  # too long, or with an invalid character
            screen.say("That is not a valid file name here.")
    return None


class Keeper:
    """Stores the learner after each game, in a file if it has one."""

    def __init__(self, game, screen, agent, path=None, force=False):
        self.game, self.screen, self.path = game, screen, path
        self.force = force or path == agent.path  # its own file may be replaced
        self.new, self.games, self.agent = not agent.made, 0, agent
        if self.new:
            learner = learners.adapter(agent.learner)
            self.agent = agent._replace(
                made=f"Learned by {learner.method} from games by hand.",
                training={"opponent": "self", "side": 0},
                history=(learner.record(game),),
            )

    def __call__(self, learner):
        """Save the learner as it is now; if that fails, show why and go on."""
        self.games += 1
        before, made = self.agent, self.agent.made
        if not made.endswith("by hand."):
            made += " Then games by hand."
        rows = (*before.history, learners.adapter(learner).record(self.game))
        self.agent = learners.to_agent(
            self.game, learner, before.name, made, before.side, rows, before.training
        )
        if self.path is None:
            return
        try:
            path = keep(self.named(self.path), self.path, self.force)
        except ClickException as fault:
            self.screen.say(f"{fault.message} Play goes on.")
            return
        if path != self.path:
            self.screen.say(f"{self.path} exists by now: the agent is saved in {path}.")
        self.path, self.force = path, True  # from now on the file is its own

    def named(self, path):
        """Return the Agent; a new one gets the name of its file."""
        return self.agent._replace(name=name_of(path)) if self.new else self.agent
