"""Signals that end the grader in the same way as Ctrl-C."""

import contextlib
import signal
import threading

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # SIGHUP: the terminal window was closed


@contextlib.contextmanager
def as_interrupts():
    """Raise KeyboardInterrupt on signals to end; yield the list of those received.

    The list is needed because other code may swallow the exception.
    """
    received, before = [], {}

    def interrupt(number, _):
        received.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for name in SIGNALS:
            number = getattr(signal, name, None)
            if number and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, old in before.items():
            signal.signal(number, old)
