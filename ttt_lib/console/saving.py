"""Where agents are kept: no file is replaced by accident, and nothing is lost."""

import os
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from click import ClickException

from ttt_lib.agents import learners, save
from ttt_lib.interrupts import defer_sigint

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
        with defer_sigint():
            for number in count(1):
                place = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
                with suppress(FileExistsError), written(place):
                    save(agent, place, not force)
                    return place
    except ValueError as fault:  # in what it holds
        raise ClickException(str(fault)) from None


def name_of(path):
    """Return what an agent is called whose file is new: of its name what is printed."""
    return "".join(filter(str.isprintable, path.stem)) or "agent"


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


class Keeper:
    """Keeps the learner after each game, in a file if it has one."""

    def __init__(self, game, screen, who, path=None, force=False):
        self.game, self.screen, self.path = game, screen, path
        self.force = force or path == who.path  # its own file may be replaced
        self.new, self.games, self.agent = not who.made, 0, who
        if self.new:
            learner = learners.of(who.learner)
            self.agent = who._replace(
                made=f"Learned by {learner.method} from games by hand.",
                training={"opponent": "self", "side": 0},
                history=(learner.record(game),),
            )

    def __call__(self, learner):
        """Keep the learner as it is now, and say so if that cannot be done."""
        self.games += 1
        before, made = self.agent, self.agent.made
        if not made.endswith("by hand."):
            made += " Then games by hand."
        rows = (*before.history, learners.of(learner).record(self.game))
        self.agent = learners.to_agent(
            self.game, learner, before.name, made, before.side, rows, before.training
        )
        if self.path is None:
            return
        try:
            place = keep(self.named(self.path), self.path, self.force)
        except ClickException as fault:
            self.screen.say(f"{fault.message} Play goes on.")
            return
        if place != self.path:
            text = f"{self.path} has come meanwhile: this one is kept in {place}."
            self.screen.say(text)
        self.path, self.force = place, True  # from now on it is our own

    def named(self, path):
        """Return the Agent; a new one is called after its file."""
        return self.agent._replace(name=name_of(path)) if self.new else self.agent
