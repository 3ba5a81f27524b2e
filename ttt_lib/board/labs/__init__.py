"""The labs: methods that move under the reader's hand, in a page and in a notebook."""

from ttt_lib.board.labs.bandit import BanditLab
from ttt_lib.board.labs.learner import LearnerLab
from ttt_lib.board.labs.matchboxes import MatchboxLab
from ttt_lib.board.labs.on_and_off import OnAndOffLab
from ttt_lib.board.labs.own import OwnLab
from ttt_lib.board.labs.step import StepLab
from ttt_lib.board.labs.sweeps import SweepLab
from ttt_lib.board.labs.tree import TreeLab
from ttt_lib.board.labs.whole import WholeGameLab

__all__ = [
    "BanditLab",
    "LearnerLab",
    "MatchboxLab",
    "OnAndOffLab",
    "OwnLab",
    "StepLab",
    "SweepLab",
    "TreeLab",
    "WholeGameLab",
]
