"""One numerical check for each labelled equation of the book, keyed by its label.

Each check writes the equation a second time, straight from the page, and compares the
library. A module holds the equations of one topic; a new one is found by itself.
"""

from importlib import import_module
from pkgutil import iter_modules

CHECKS = {}


def equation(label):
    """Register a check under the label of its equation."""

    def register(check):
        assert label not in CHECKS, f"{label} has two checks"
        CHECKS[label] = check
        return check

    return register


for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
