"""Wrong answers that students might give, one file for each assignment.

Each part of a file begins with a line `# question: what is wrong`; the rest is the
source of that question's cell. The visible checks must reject each of them, and none
may earn all points, whatever the secret of the class is.
"""

import re
from pathlib import Path


def read():
    """Return (assignment, question, what is wrong, source) of all wrong answers."""
    rows = []
    for file in sorted(Path(__file__).parent.glob("*.txt")):
        parts = re.split(r"(?m)^# (\w+): (.+)\n", file.read_text("utf-8"))
        for question, wrong, source in zip(
            *(parts[i::3] for i in (1, 2, 3)), strict=True
        ):
            rows.append((f"assignment_{file.stem}", question, wrong, source.strip()))
    return rows
