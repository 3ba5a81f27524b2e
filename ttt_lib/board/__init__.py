"""The playable board: live in a notebook, and on a page without Python."""

from ttt_lib.board.widget import OVERLAYS, Board, Move, mount, settings

__all__ = ["OVERLAYS", "Board", "Move", "mount", "settings"]
