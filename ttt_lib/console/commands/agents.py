"""The command `ttt agents`."""

from ttt_lib.console.options import command, json_option


@command("ttt agents")
@json_option
def agents(as_json):
    """List who can play: the agents that come with the library, and other names."""
    from ttt_lib.console import scores
    from ttt_lib.console.screen import report

    report(as_json, scores.everybody(), scores.tell_everybody)
