"""The commands of `ttt`, one in each module: its options, and which worker runs it."""
