"""Playable boards and labs: live in a notebook, and on a page without Python."""

from ttt_lib.board.labs.backup import BackupLab
from ttt_lib.board.labs.bandit import BanditLab
from ttt_lib.board.labs.cross_table import CrossTableLab
from ttt_lib.board.labs.custom_learner import CustomLearnerLab
from ttt_lib.board.labs.learner import LearnerLab
from ttt_lib.board.labs.matchboxes import MatchboxLab
from ttt_lib.board.labs.minimax_map import MinimaxMapLab
from ttt_lib.board.labs.minimax_tree import MinimaxTreeLab
from ttt_lib.board.labs.on_off_policy import OnOffPolicyLab
from ttt_lib.board.labs.sweeps import SweepLab
from ttt_lib.board.labs.uct_search import UctSearchLab
from ttt_lib.board.page import mount
from ttt_lib.board.settings import OPTIONS, settings
from ttt_lib.board.state import OVERLAYS
from ttt_lib.board.widget import Board

__all__ = [
    "OPTIONS",
    "OVERLAYS",
    "BackupLab",
    "BanditLab",
    "Board",
    "CrossTableLab",
    "CustomLearnerLab",
    "LearnerLab",
    "MatchboxLab",
    "MinimaxMapLab",
    "MinimaxTreeLab",
    "OnOffPolicyLab",
    "SweepLab",
    "UctSearchLab",
    "mount",
    "settings",
]
