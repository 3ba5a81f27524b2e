"""How notebooks that run as tests are compared, and how their kernels are reached."""

import socket
import tempfile

import nbval.kernel
from jupyter_client.manager import KernelManager


class KernelOfItsOwn(KernelManager):
    """A kernel that is spoken to through files in a folder of its own.

    The five ports of a kernel are looked for, let go, and taken by it a second later.
    Whoever takes one of them in between, such as a browser, ends the kernel.
    """

    def __init__(self, **settings):
        self._folder = tempfile.TemporaryDirectory(prefix="kernel-")
        super().__init__(transport="ipc", ip=f"{self._folder.name}/socket", **settings)


if hasattr(socket, "AF_UNIX"):
    nbval.kernel.KernelManager = KernelOfItsOwn


def pytest_collectstart(collector):
    """Leave drawings out: the numbers behind each are asserted on its page."""
    if hasattr(collector, "skip_compare"):  # a notebook, not a folder
        collector.skip_compare += ("image/svg+xml",)
