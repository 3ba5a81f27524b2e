"""Run studies and store their results: `python -m studies [NAME …]` in `book`."""

import sys
from importlib import import_module

from studies import NAMES, run, store

for name in sys.argv[1:] or NAMES:
    print(f"{name} …")
    study = import_module(f"studies.{name}")
    store(study, run(study))
