"""The console program, as `ttt` and as `python -m ttt_lib`."""

import os
import signal
import sys


def main(arguments=None):
    """Run the program and return its exit status.

    Ctrl-C is heard while the program is still being loaded, too, and no more when all
    is done and Python cleans up.
    """
    words = [word.lower() for word in sys.argv[1:]] if arguments is None else []
    few = not any(word.startswith(("uct", "--size")) for word in words)
    if (words[:1] == ["play"] and few) or not {"-h", "--help"}.isdisjoint(words):
        # A game on 3 × 3 cells is played, and help is read, before a compiler has come.
        sys.modules["numba"] = None
    try:
        from ttt_lib.console.cli import dropped
        from ttt_lib.console.cli import main as run

        status = run(arguments)
        if dropped.is_set():  # a compiler stopped at work may fail to clean up
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        return status
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if sys.stderr is not None:
            print("Stopped.", file=sys.stderr)
        return 130  # `options.INTERRUPTED`, which is perhaps not loaded
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
