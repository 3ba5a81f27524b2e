"""The command `ttt agents`: a list of agents and methods."""

from ttt_lib.agents import builtin_names, io, learners
from ttt_lib.console.options import command, json_option
from ttt_lib.console.screen import report
from ttt_lib.game import SIDE_NAMES


@command("ttt agents")
@json_option
def agents(as_json):
    """List the agents that come with the library, and other names of players."""
    report(as_json, list_agents(), print_result)


def list_agents():
    """Return the names of agents, methods and other players."""
    return {
        "shipped": [
            {"name": agent.name, "made": agent.made, "taught": agent.taught}
            for agent in map(io.read_builtin, builtin_names())
        ],
        "methods": list(learners.METHODS),
        "others": ["random", "perfect", "teacher:P", "uct:N", "person"],
    }


def print_result(screen, data):
    """Write the result of `list_agents`."""
    *others, person = data["others"]
    screen.say("Agents that come with the library:")
    for agent in data["shipped"]:
        taught = agent["taught"]
        only = f" ({SIDE_NAMES[taught]} player only)" if taught else ""
        screen.say(f"{agent['name']}{only}", "bold")
        screen.say(agent["made"], indent=4)
    screen.say()
    screen.say(f"Also: {', '.join(others)}, and a {person} in 'ttt play'.")
    screen.say(f"Methods of learning: {', '.join(data['methods'])}.")
