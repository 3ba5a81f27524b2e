"""Deferring Ctrl-C (SIGINT) while code that must not be interrupted runs."""

import signal
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def defer_sigint():
    """Defer Ctrl-C. Yield the list of pending interrupts, to which each one is added.

    If any is left at the end, the previous handler is called once. Nothing changes
    where Ctrl-C is ignored, as in a background job, or outside the main thread.
    """
    handler, pressed = signal.getsignal(signal.SIGINT), []
    if not callable(handler) or current_thread() is not main_thread():
        yield pressed
        return
    signal.signal(signal.SIGINT, lambda *args: pressed.append(args))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, handler)
    if pressed:
        handler(*pressed[0])
