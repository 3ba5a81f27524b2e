"""How notebooks that run as tests are compared, and how their kernels are reached."""

import socket
import tempfile

import nbval.kernel
from jupyter_client.manager import KernelManager


class KernelOfItsOwn(KernelManager):
    """A kernel that works in a folder of its own, and is spoken to through files there.

    So a page runs where nothing of the book lies beside it but the library. Without the
    files, the five ports of a kernel are looked for, let go, and taken by it a second
    later: whoever takes one of them in between, such as a browser, ends the kernel.
    """

    def __init__(self, **settings):
        self._folder = tempfile.TemporaryDirectory(prefix="kernel-")
        if hasattr(socket, "AF_UNIX"):
            settings |= {"transport": "ipc", "ip": f"{self._folder.name}/socket"}
        super().__init__(**settings)

    def start_kernel(self, **settings):
        """Start the kernel in its folder, wherever the notebook lies."""
        return super().start_kernel(**settings | {"cwd": self._folder.name})


nbval.kernel.KernelManager = KernelOfItsOwn


def pytest_collectstart(collector):
    """Leave drawings out: the numbers behind each are asserted on its page."""
    if hasattr(collector, "skip_compare"):  # a notebook, not a folder
        collector.skip_compare += ("image/svg+xml",)
