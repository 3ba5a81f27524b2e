"""What an empty environment is lent of this one: nothing; and a copy of the source."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def clone(place):
    """Copy the files that a clone would have, with changes not yet committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    return place


def environment():
    """Return the variables of this process but those that lead back into it."""
    ours = {"PYTHONPATH", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in ours}


def programs(place):
    """Return where the programs of an environment are."""
    return place / ("Scripts" if os.name == "nt" else "bin")
