"""Whatever asks the grader to end, ends it as Ctrl-C does."""

import contextlib
import signal
import threading

ASKING = ("SIGINT", "SIGTERM", "SIGHUP")  # SIGHUP: the window of the terminal is closed


@contextlib.contextmanager
def as_interrupts():
    """Raise KeyboardInterrupt whenever asked to end; yield whether that was asked.

    What is yielded is a list, empty until then: other people's code may keep the
    exception to itself.
    """
    asked, before = [], {}

    def interrupt(number, _):
        asked.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for name in ASKING:
            number = getattr(signal, name, None)
            if number and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, interrupt)
    try:
        yield asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)
