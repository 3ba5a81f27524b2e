"""How notebooks are compared when they run as tests."""


def pytest_collectstart(collector):
    """Leave drawings out: the numbers behind each are asserted on its page."""
    if hasattr(collector, "skip_compare"):  # a notebook, not a folder
        collector.skip_compare += ("image/svg+xml",)
