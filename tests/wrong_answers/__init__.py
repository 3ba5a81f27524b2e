"""Wrong answers that students might give, a file of them for each assignment.

In a file each part begins with a line `# question: what is wrong`, and is what stands
in the cell of that question. Of each the visible checks must say something, and none
may earn all points, whatever the secret of the class.
"""

import re
from pathlib import Path


def read():
    """Return (assignment, question, what is wrong, source) of all wrong answers."""
    found = []
    for file in sorted(Path(__file__).parent.glob("*.txt")):
        parts = re.split(r"(?m)^# (\w+): (.+)\n", file.read_text("utf-8"))
        for question, wrong, source in zip(
            *(parts[i::3] for i in (1, 2, 3)), strict=True
        ):
            found.append((f"assignment_{file.stem}", question, wrong, source.strip()))
    return found
