"""Playable boards and labs: live in a notebook, and on a page without Python."""

from ttt_lib.board.labs.bandit import BanditLab
from ttt_lib.board.labs.everyone import EveryoneLab
from ttt_lib.board.labs.learner import LearnerLab
from ttt_lib.board.labs.matchboxes import MatchboxLab
from ttt_lib.board.labs.on_and_off import OnAndOffLab
from ttt_lib.board.labs.own import OwnLab
from ttt_lib.board.labs.search import SearchLab
from ttt_lib.board.labs.step import StepLab
from ttt_lib.board.labs.sweeps import SweepLab
from ttt_lib.board.labs.tree import TreeLab
from ttt_lib.board.labs.whole import WholeGameLab
from ttt_lib.board.page import mount
from ttt_lib.board.settings import OPTIONS, settings
from ttt_lib.board.state import OVERLAYS
from ttt_lib.board.widget import Board

__all__ = [
    "OPTIONS",
    "OVERLAYS",
    "BanditLab",
    "Board",
    "EveryoneLab",
    "LearnerLab",
    "MatchboxLab",
    "OnAndOffLab",
    "OwnLab",
    "SearchLab",
    "StepLab",
    "SweepLab",
    "TreeLab",
    "WholeGameLab",
    "mount",
    "settings",
]
