"""The mutants and slips of `tools`, and the page's sentence on their results."""

import ast
import json
import tomllib

import mutants
import pytest
from pages import BOOK, ROOT

CODE = b'''\
def f(x, y=1):
    """Return something."""
    if x < y and g(x, y):
        raise ValueError(f"{x + 1}")
    return x + y
'''


def test_mutants_are_single_changes_outside_messages():
    changes = {
        "def f(x, y=1):": ["def f(x, y=(2)):"],
        "if x < y and g(x, y):": [
            "if (x < y or g(x, y)):",
            "if (not (x < y and g(x, y))):",
            "if (x <= y) and g(x, y):",
            "if (x >= y) and g(x, y):",
            "if x < y and (g(y, x)):",
        ],
        'raise ValueError(f"{x + 1}")': ["pass"],
        "return x + y": ["return (x - y)"],
    }
    keys = [f"f: {old} → {new}" for old, news in changes.items() for new in news]
    assert sorted(each.key for each in mutants.mutants_of("", CODE)) == sorted(keys)


@pytest.mark.parametrize("module", mutants.alike())
def test_equivalent_mutants_exist_in_current_code(module):
    source = mutants.modules()[module].read_bytes()
    by_key = {each.key: each for each in mutants.mutants_of(module, source)}
    for key, reason in mutants.alike()[module].items():
        assert key in by_key, f"{module}: this mutant no longer exists: {key}"
        assert reason
        place, code = by_key[key].place, by_key[key].code.encode()
        ast.parse(source[: place.start] + code + source[place.stop :])


def test_page_reports_last_mutation_run():
    results = json.loads(mutants.RESULTS.read_text())
    assert results.keys() <= mutants.modules().keys()
    for row in results.values():
        assert row["killed"] + row["alike"] <= row["drawn"] <= mutants.SAMPLE
    page = (BOOK / "testing.md").read_text("utf-8")
    assert mutants.sentence(results) in page


SLIPS = ROOT / "tools" / "slips.toml"


def test_slips_apply_to_current_code():
    """Each slip changes the text of its file."""
    slips = tomllib.loads(SLIPS.read_text(encoding="utf-8"))["slip"]
    for slip in slips:
        text = (ROOT / "ttt_lib" / slip["file"]).read_text(encoding="utf-8")
        assert slip["old"] in text, f"{slip['file']}: adapt slips.toml"
        assert slip["new"] != slip["old"]
    assert len({(s["file"], s["old"], s["new"]) for s in slips}) == len(slips)
