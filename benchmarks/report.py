"""A run of the benchmark for the book: its rows as JSON, a chart and a text.

`python benchmarks/report.py` writes chart and text again from the stored rows.
"""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from ttt_lib import plots, theme
from ttt_lib.files import write_atomic
from ttt_lib.plots.style import LIGHT

STORED = Path(__file__).parent / "stored"
RUN, CHART, TEXT = STORED / "run.json", STORED / "chart.svg", STORED / "text.md"
LIMIT = "plain C"
MISSING = {LIMIT: "no C compiler"}  # of the others: "not installed"


# One row


def ratio(row, other):
    """Return ours ÷ plain C, or theirs ÷ ours; None if theirs is missing."""
    if other["seconds"] is None:
        return None
    pair = row["seconds"], other["seconds"]
    return pair[0] / pair[1] if other["name"] == LIMIT else pair[1] / pair[0]


def lateness(row):
    """Return the time of a row as a multiple of its goal, None if it has no goal."""
    if row["goal"]:
        return row["seconds"] / row["goal"]
    for other in row["others"]:
        if other["goal"] and other["seconds"] is not None:
            return ratio(row, other) / other["goal"]
    return None


def number(x):
    """Return a number with about three digits."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def duration(seconds):
    """Return a time with its unit."""
    if seconds < 1e-3:
        return f"{number(seconds * 1e6)} µs"
    return f"{number(seconds * 1e3)} ms" if seconds < 1 else f"{number(seconds)} s"


def verdict(row):
    """Return whether a row met its goal, as text; empty if it has none."""
    late = lateness(row)
    if late is None:
        return ""
    return "met" if late <= 1 else f"missed by {late:.3g} ×"


def missing(run):
    """Return {name: reason} of the implementations missing in a run."""
    names = {
        other["name"]
        for row in run["rows"]
        for other in row["others"]
        if other["seconds"] is None
    }
    return {name: MISSING.get(name, "not installed") for name in sorted(names)}


# The stored files


def machine():
    """Return date, machine and versions of a run, as stored in its JSON."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.exists() else []
    names = [x.partition(": ")[2] for x in lines if x.startswith("model name")]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba")},
    }


def store(rows, **more):
    """Write the rows of a run, its chart and its text for the book."""
    run = {"measured": machine() | more, "rows": rows}
    text = json.dumps(run, indent=1, ensure_ascii=False) + "\n"
    STORED.mkdir(exist_ok=True)
    write_atomic(RUN, text.encode())
    publish(run)


def publish(run):
    """Write the chart and the text of a run."""
    write_atomic(CHART, drawn(run).encode())
    write_atomic(TEXT, text(run).encode())


# Its chart


def drawn(run):
    """Return the chart of a run as SVG."""
    with mpl.rc_context(plots.settings()):
        return plots.drawing(chart(run))


def chart(run):
    """Return the chart of a run.

    On the left our time as a multiple of plain C's, on a bar as long as its goal; on
    the right the others' time as a multiple of ours.
    """
    rows = [row for row in run["rows"] if row["others"] and not row["goal"]][::-1]
    size = theme.values()["figure"]["wide"], 1 + 0.25 * len(rows)
    left, right = Figure(figsize=size).subplots(1, 2, sharey=True, width_ratios=(2, 3))
    for y, row in enumerate(rows):
        ours, theirs = multiples(row)
        for x, goal in ours:
            left.barh(y, goal, height=0.5, color=LIGHT["edge"])
            left.plot(x, y, "o", color=LIGHT["x"])
        if theirs:
            right.plot(list(theirs.values()), [y] * len(theirs), "o", color=LIGHT["o"])
            offset = {"xytext": (6, 0), "textcoords": "offset points"}
            slowest = max(theirs.values()), y
            right.annotate(", ".join(theirs), slowest, va="center", **offset)
    left.set_yticks(range(len(rows)), [row["work"] for row in rows])
    left.set(xlim=(0, 5.2), xticks=range(6), xlabel="our time ÷ plain C's")
    right.set(xscale="log", xlim=(1, 1e10), xlabel="their time ÷ ours")
    ticks = 1, 100, 10_000
    right.set_xticks(ticks, [f"{x:,}" for x in ticks])
    right.minorticks_off()
    for ax in (left, right):
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(-0.7, len(rows) - 0.3)
    return left.figure


def multiples(row):
    """Return [(ours ÷ plain C, goal)] of a row, and {name: theirs ÷ ours}, in order."""
    measured = [other for other in row["others"] if other["seconds"] is not None]
    ours = [(ratio(row, o), o["goal"]) for o in measured if o["name"] == LIMIT]
    theirs = {o["name"]: ratio(row, o) for o in measured if o["name"] != LIMIT}
    return ours, dict(sorted(theirs.items(), key=lambda item: item[1]))


def beside(theirs):
    """Return {name: theirs ÷ ours} as text."""
    return ", ".join(f"{name} {number(x)}" for name, x in theirs.items())


# Its text


def text(run):
    """Return the text of a run for the page, in MyST: chart, table and goals."""
    measured = run["measured"]
    versions = ", ".join(
        f"{name} {measured[key]}"
        for name, key in (("Python", "python"), ("NumPy", "numpy"), ("Numba", "numba"))
    )
    late = [row["work"] for row in run["rows"] if (lateness(row) or 0) > 1]
    goals = f"Goals missed: {'; '.join(late)}." if late else "Every goal is met."
    absent = "; ".join(f"{name} ({reason})" for name, reason in missing(run).items())
    lines = [
        f"```{{figure}} ../benchmarks/stored/{CHART.name}",
        f":alt: {described(run)}",
        f"How long the same work takes, measured on {measured['date']}: "
        f"{measured['processor']}, {measured['cores']} cores, {measured['system']}, "
        f"{versions}, {measured['compiler'] or 'no C compiler'}.",
        "```",
        "",
        "| Work | Our time | Ours ÷ plain C's | Goal | Others' ÷ ours |",
        "|---|---|---|---|---|",
        *map(_line, slowest_labs(run["rows"])),
        "",
        goals,
        f"Missing in this run: {absent}."
        if absent
        else "Nothing is missing in this run.",
    ]
    return "\n".join(lines) + "\n"


def described(run):
    """Return the text alternative of the chart."""
    ratios = [x for row in run["rows"] for x, _ in multiples(row)[0]]
    between = (
        f"between {number(min(ratios))} and {number(max(ratios))}" if ratios else "no"
    )
    return (
        f"Dots, a row for each work. On the left {len(ratios)} of our times as "
        f"multiples of plain C's, {between} times; on the right those of others as "
        "multiples of ours. The table below has every number."
    )


def slowest_labs(rows):
    """Yield the rows; of those that were measured for every lab, only the slowest."""
    kinds = {}
    for row in rows:
        kinds.setdefault(row["work"].partition(", lab ")[0], []).append(row)
    for kind, same in kinds.items():
        row = max(same, key=lambda row: row["seconds"])
        if len(same) > 1:
            lab = row["work"].rpartition(" ")[2]
            row = row | {"work": f"{kind}, slowest of {len(same)} labs: {lab}"}
        yield row


def _line(row):
    ours, theirs = multiples(row)
    goal = f"≤ {duration(row['goal'])}" if row["goal"] else ""
    limit = ""
    for x, most in ours:
        limit, goal = number(x), f"≤ {most} × C"
    cells = row["work"], duration(row["seconds"]), limit, goal, beside(theirs)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    publish(json.loads(RUN.read_text(encoding="utf-8")))
