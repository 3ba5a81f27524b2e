"""The console program, as `ttt` and as `python -m ttt_lib`."""

import os
import signal
import sys

# Commands that on 3 × 3 cells finish before Numba would be loaded.
QUICK = {"agents", "book", "export", "match", "play", "plot", "show"}
HELP = {"-h", "--help"}


def main(arguments=None):
    """Run the program and return its exit status.

    Ctrl-C also works while the program is being imported; it is ignored once the
    program has ended and Python cleans up.
    """
    words = [word.lower() for word in sys.argv[1:]] if arguments is None else []
    small = not any(word.startswith(("uct", "--size", "--games")) for word in words)
    if (small and QUICK.intersection(words[:1])) or HELP.intersection(words):
        sys.modules["numba"] = None  # plain Python is faster than importing Numba
    try:
        from ttt_lib.console.cli import dropped
        from ttt_lib.console.cli import main as run

        status = run(arguments)
        if dropped.is_set():  # an interrupted compiler may fail to clean up
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        return status
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if sys.stderr is not None:
            print("Stopped.", file=sys.stderr)
        return 130  # `options.INTERRUPTED`, which may not be imported yet
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
