"""The stored benchmark run: its chart and its text; nothing is timed here."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCH = ROOT / "benchmarks"
report = runpy.run_path(str(BENCH / "report.py"))


def row(work, seconds, *others, goal=None):
    """Return a row as stored; others are (name, seconds, goal)."""
    others = [dict(zip(("name", "seconds", "goal"), x, strict=True)) for x in others]
    return {"work": work, "seconds": seconds, "goal": goal, "others": others}


@pytest.fixture
def stored():
    return json.loads(report["RUN"].read_text("utf-8"))


@pytest.fixture
def made(stored):
    """A run with known ratios."""
    rows = [
        row("start", 0.5, goal=0.4),
        row("sweep", 3e-3, ("plain C", 2e-3, 2), ("QuantEcon", 6e-2, None)),
        row("search", 4e-3, ("plain C", 1e-3, 2), ("easyAI", None, None)),
    ]
    return {"measured": stored["measured"], "rows": rows}


@pytest.mark.slow  # other versions of Matplotlib may draw differently
def test_stored_text_and_chart_are_of_the_stored_run(stored):
    assert report["TEXT"].read_text("utf-8") == report["text"](stored)
    assert report["CHART"].read_text("utf-8") == report["drawn"](stored)
    path = report["TEXT"].relative_to(ROOT).as_posix()
    assert f"{{include}} ../{path}\n" in (ROOT / "book/testing.md").read_text("utf-8")


def test_text_lists_missed_goals_and_missing_libraries(made):
    labs = [row(f"task, lab {lab}", t) for lab, t in (("tree", 1), ("sum", 2))]
    text = report["text"](made | {"rows": made["rows"] + labs})
    for part in (
        "| sweep | 3 ms | 1.5 | ≤ 2 × C | QuantEcon 20 |",
        "| start | 500 ms |  | ≤ 400 ms |  |",
        "| task, slowest of 2 labs: sum | 2 s |",
        "Goals missed: start; search.",
        "Missing in this run: easyAI (not installed).",
        made["measured"]["date"],
    ):
        assert part in text
    assert "tree" not in text
    assert "Every goal is met." in report["text"](made | {"rows": made["rows"][1:2]})
