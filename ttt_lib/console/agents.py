"""The command `ttt agents`: who can play."""

from ttt_lib.agents import builtin_names, io, learners
from ttt_lib.console.options import command, json_option
from ttt_lib.console.screen import report
from ttt_lib.game import SIDE_NAMES


@command("ttt agents")
@json_option
def agents(as_json):
    """List who can play: the agents that come with the library, and other names."""
    report(as_json, list_agents(), tell)


def list_agents():
    """Return who can play, by name."""
    return {
        "shipped": [
            {"name": who.name, "made": who.made, "taught": who.taught}
            for who in map(io.read_builtin, builtin_names())
        ],
        "methods": list(learners.METHODS),
        "others": ["random", "perfect", "teacher:P", "uct:N", "person"],
    }


def tell(screen, found):
    """Tell what `list_agents` found."""
    *others, person = found["others"]
    screen.say("Agents that come with the library:")
    for agent in found["shipped"]:
        taught = agent["taught"]
        only = f" ({SIDE_NAMES[taught]} player only)" if taught else ""
        screen.say(f"{agent['name']}{only}", "bold")
        screen.say(agent["made"], indent=4)
    screen.say()
    screen.say(f"Also: {', '.join(others)}, and a {person} in 'ttt play'.")
    screen.say(f"Methods of learning: {', '.join(found['methods'])}.")
