"""Run studies and store their results: `python -m studies [NAME …]` in this book."""

import sys
from importlib import import_module
from pathlib import Path

from ttt_lib import runs

STUDIES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if path.stem[0] != "_"
)

for name in sys.argv[1:] or STUDIES:
    print(f"{name} …")
    runs.save_study(import_module(f"studies.{name}"))
