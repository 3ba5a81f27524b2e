"""The examples in docstrings print their output (doctest)."""

import doctest
import re
from importlib import import_module

import pytest
from pages import BOOK, ROOT

FIRST = re.search(
    r"```python\n(.*?)```", (BOOK / "api.md").read_text("utf-8"), re.DOTALL
)[1]
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8")
    for path in sorted((ROOT / "ttt_lib").rglob("*.py"))
}
MODULES = [name for name, source in SOURCES.items() if ">>> " in source]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_print_their_output(name):
    runner, module = doctest.DocTestRunner(), import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, globs={}):
        assert "Raises" not in test.docstring.partition("Examples\n")[2], (
            "Examples is the last section"
        )
        exec(FIRST, test.globs)
        runner.run(test)
    failed, tried = runner.summarize()
    assert failed == 0
    assert tried == SOURCES[name].count(">>> "), "an example was not run"
