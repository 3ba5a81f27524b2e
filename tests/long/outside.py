"""What an empty environment is lent of this one: nothing."""

import os


def environment():
    """Return the variables of this process but those that lead back into it."""
    ours = {"PYTHONPATH", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in ours}


def programs(place):
    """Return where the programs of an environment are."""
    return place / ("Scripts" if os.name == "nt" else "bin")
