"""Playable boards and labs: live in a notebook, and on a page without Python."""

from ttt_lib.board.labs import (
    BanditLab,
    LearnerLab,
    MatchboxLab,
    OnAndOffLab,
    OwnLab,
    StepLab,
    SweepLab,
    TreeLab,
    WholeGameLab,
)
from ttt_lib.board.page import mount
from ttt_lib.board.settings import OPTIONS, settings
from ttt_lib.board.state import OVERLAYS
from ttt_lib.board.widget import Board

__all__ = [
    "OPTIONS",
    "OVERLAYS",
    "BanditLab",
    "Board",
    "LearnerLab",
    "MatchboxLab",
    "OnAndOffLab",
    "OwnLab",
    "StepLab",
    "SweepLab",
    "TreeLab",
    "WholeGameLab",
    "mount",
    "settings",
]
