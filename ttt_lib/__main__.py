"""The console program, as `ttt` and as `python -m ttt_lib`."""

import os
import signal
import sys

QUICK = {"agents", "book", "export", "match", "play", "plot", "show"}  # on 3 × 3 cells
HELP = {"-h", "--help"}


def main(arguments=None):
    """Run the program and return its exit status.

    Ctrl-C is heard while the program is still being loaded, too, and no more when all
    is done and Python cleans up.
    """
    words = [word.lower() for word in sys.argv[1:]] if arguments is None else []
    few = not any(word.startswith(("uct", "--size", "--games")) for word in words)
    if (few and QUICK.intersection(words[:1])) or HELP.intersection(words):
        sys.modules["numba"] = None  # it is done before a compiler would have come
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
