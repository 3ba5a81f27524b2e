"""Ctrl-C, held back where it would do harm."""

import signal
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def defer_sigint():
    """Hold Ctrl-C back, and yield a list that has an entry for each.

    Those that are left in it in the end are passed on, as one. Where Ctrl-C is ignored,
    as in a job in the background, it stays so.
    """
    before, pressed = signal.getsignal(signal.SIGINT), []
    if not callable(before) or current_thread() is not main_thread():
        yield pressed
        return
    signal.signal(signal.SIGINT, lambda *signs: pressed.append(signs))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        before(*pressed[0])
