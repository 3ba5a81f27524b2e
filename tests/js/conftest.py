"""Fixtures for the scripts that need no DOM, run by Node."""

import json
import os
import shutil
import subprocess

import pytest

from ttt_lib.agents import io
from ttt_lib.board import encode

RUN = """
const { code, argument } = JSON.parse(require("node:fs").readFileSync(0));
Promise.resolve(eval(code)(argument))
  .then((answer) => process.stdout.write(JSON.stringify(answer)));
"""


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Run a function of JavaScript after the scripts that need no DOM."""
    node = shutil.which("node")
    if node is None:
        reason = "JAVASCRIPT IS NOT TESTED: there is no Node (`node`) on PATH."
        if os.environ.get("REQUIRE_NODE") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    pure = encode.SCRIPTS[: encode.SCRIPTS.index("elements.js")]
    scripts = [*map(encode.file, pure), *map(encode.lab_script, encode.PURE), RUN]
    file = tmp_path_factory.mktemp("js") / "pure.cjs"
    file.write_text("\n".join(scripts), encoding="utf-8")

    def run(code, argument=None):
        message = json.dumps({"code": code, "argument": argument})
        ended = subprocess.run(
            [node, file], input=message, capture_output=True, encoding="utf-8"
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


@pytest.fixture(scope="session")
def shared():
    """The data of a page: the tables of the game and of all learners."""
    learners = [name for name in io.builtin_names() if name not in encode.SIMPLE]
    return {
        "shared": encode.shared(),
        "agents": {name: encode.shipped(name) for name in learners},
    }
