"""Whatever asks the grader to end, ends it as Ctrl-C does."""

import contextlib
import signal
import threading

ASKING = ("SIGINT", "SIGTERM", "SIGHUP")  # SIGHUP: the window of the terminal is closed


@contextlib.contextmanager
def _handled(handler):
    """Let a handler hear what asks to end, but for what is ignored."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ASKING:
            number = getattr(signal, name, None)
            if number and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextlib.contextmanager
def as_interrupts():
    """Raise KeyboardInterrupt whenever asked to end; yield whether that was asked.

    What is yielded is a list, empty until then: other people's code may keep the
    exception to itself.
    """
    asked = []

    def interrupt(number, _):
        asked.append(number)
        raise KeyboardInterrupt

    with _handled(interrupt):
        yield asked


@contextlib.contextmanager
def shielded():
    """Finish what is begun; then raise KeyboardInterrupt if asked to end meanwhile."""
    asked = []
    with _handled(lambda number, _: asked.append(number)):
        yield
    if asked:
        raise KeyboardInterrupt
