"""Environments isolated from this one, and a copy of the source."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def clone(folder):
    """Copy the files of a clone, with uncommitted changes, into a folder; return it."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def environment():
    """Return the environment variables without those that point to this environment."""
    excluded = {"PYTHONPATH", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in excluded}


def run(command, cwd, env=None, typed=""):
    """Return the output of a program, with its errors; it must succeed."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=env or environment(),
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stdout[-5000:]
    return done.stdout


def programs(environment):
    """Return the folder of the programs of a virtual environment."""
    return environment / ("Scripts" if os.name == "nt" else "bin")
