"""Settings for all tests."""

from hypothesis import settings

# The first example of a property may have to wait for a compiled function: no deadline.
settings.register_profile("book", deadline=None)
settings.load_profile("book")
