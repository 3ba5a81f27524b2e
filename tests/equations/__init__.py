"""Numerical checks of the labelled equations of the book, by label.

Each check implements the equation again, as it is on the page, and compares it with the
library. A module has the equations of one topic; new modules are imported by this one.
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
