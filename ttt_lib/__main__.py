"""The console program, as `ttt` and as `python -m ttt_lib`."""

import os
import signal
import sys


def main(arguments=None):
    """Run the program and return its exit status.

    Ctrl-C is heard while the program is still being loaded, too, and no more when all
    is done and Python cleans up.
    """
    words = sys.argv[1:] if arguments is None else []
    many = any(w.strip().lower().startswith(("uct", "--size")) for w in words)
    if words[:1] == ["play"] and not many:
        # A game on 3 × 3 cells is played before a compiler has come: as if none were.
        sys.modules["numba"] = None
    try:
        from ttt_lib.console.cli import main as run
        from ttt_lib.console.terminal import dropped

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
