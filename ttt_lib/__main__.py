"""The console program, as `python -m ttt_lib`."""

import sys

from ttt_lib.console.cli import main

if __name__ == "__main__":
    sys.exit(main())
