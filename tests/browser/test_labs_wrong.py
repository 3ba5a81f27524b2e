"""What a lab is asked that makes no sense: one sentence, and nothing is lost."""

import pytest
from common import thinned
from labs_on_pages import PAGES
from traitlets import TraitError

from ttt_lib import board

# kind → what an address asks for, and words of the answer
ADDRESSES = {
    "learner": [
        ("epsilon=3", "0 and 1"),
        ("at=-5", "at=-5"),
        ("at=99999999999", "2,000,000"),
        ("at=abc", "abc"),
        ("method=magic", "magic"),
        ("opponent=nobody", "nobody"),
        ("look=XXXOOO...", "No game"),
        ("speed=9", "speed"),
        ("seed=1e30", "4,294,967,295"),
        ("rewards=a,b", "3 numbers"),
        ("method=minimax_q&rewards=3,1,-2", "minimax"),
        ("epsilon=%", "schedule"),
    ],
    "matchboxes": [
        ("at=much", "give new"),
        ("at=random:0", "from 1 up"),
        ("at=random:100001", "100,000 games"),
        ("at=me:44", "Cell 4 cannot be taken"),
        ("at=me:40,random:1", "not finished"),
        ("at=somebody:4", "give new"),
        ("beads=0", "from 1 to"),
        ("beads=1,1,1,1,1", "1 to 4 whole"),
        ("reinforcement=1,2", "3 whole"),
        ("reinforcement=a,b,c", "no value"),
        ("step=7", "none of the choices"),
    ],
    "on_and_off": [
        ("at=0.6", "0 to 0.5"),
        ("at=much", "0 to 0.5"),
        ("opponent=menace", "plays first only"),
        ("opponent=somebody", "no player"),
        ("look=XX", "9 cells"),
        ("side=2", "none of the choices"),
    ],
    "step": [
        ("at=9:1", "free cells and a stage"),
        ("at=11:1", "free cells and a stage"),
        ("at=0:1", "free cells and a stage"),
        ("at=1:4", "free cells and a stage"),
        ("gamma=1.1", "0 to 1"),
        ("rewards=1, 0", "3 numbers"),
        ("opponent=menace", "plays first only"),
        ("policy=nobody", "no player"),
        ("look=XXXOO....", "the game is over"),
        ("look=XX", "9 cells"),
    ],
    "bandit": [
        ("at=9", "0 to 8"),
        ("at=4,4", "0 to 8"),
        ("games=2&at=444", "there are 2 games"),
        ("games=1001", "1 to 1,000"),
        ("seed=1e30", "4,294,967,295"),
        ("epsilon=2", "0 to 1"),
        ("tau=0", "0.001 to 100"),
        ("chooser=best", "none of the choices"),
    ],
    "whole": [("at=11", "0 to 10"), ("at=much", "0 to 10"), ("look=XX", "9 cells")],
    "everyone": [
        ("at=99", "moves"),
        ("at=much", "moves"),
        ("first=nobody", "no player"),
        ("second=menace", "other side"),
        ("seed=1e30", "4,294,967,295"),
        ("seed=half", "no value"),
    ],
    "playouts": [
        ("at=100001", "0 to 100,000"),
        ("at=much", "number of playouts"),
        ("board=XX", "9 or 16 cells"),
        ("board=XXX......", "take turns"),
        ("board=XXXOOO...", "No game arrives"),
        ("board=Z........", "no mark"),
        ("c=-1", "0 to 10"),
        ("seed=1e30", "4,294,967,295"),
    ],
    "tree": [
        ("at=23", "0 to 22"),
        ("at=-1", "0 to 22"),
        ("order=5,5", "different cells"),
        ("order=centre", "different cells"),
        ("look=XO.......", "7 free cells"),
        ("look=XXXOO....", "nothing to search"),
        ("search=uct", "none of the choices"),
    ],
    "sweeps": [
        ("gamma=0.99999999&floor=.#E", "too slowly"),
        ("floor=.E|.", "all as long"),
        ("floor=.........E", "at most 8"),
        ("pays=1", "2 numbers"),
        ("gamma=2", "0 to 1"),
        ("at=10001", "10,000"),
        ("at=1:14", "14 states"),
        ("at=1:0", "14 states"),
        ("problem=game&opponent=menace&side=1", "first only"),
        ("order=sideways", "none of the choices"),
    ],
}
STATE = "() => [lab.texts, lab.run.mark]"


@pytest.mark.parametrize("kind", PAGES)
def test_an_address_that_makes_no_sense_is_answered_in_a_sentence(kind, open_lab):
    page = f"book/{PAGES[kind][-1]}.html"
    tab, log = open_lab(kind, page)
    name, state = tab.evaluate("() => lab.id"), tab.evaluate(STATE)
    for address, word in ADDRESSES[kind]:
        tab.evaluate("() => lab.say('')")
        tab.evaluate("(to) => { location.hash = to; }", f"lab={name}&{address}")
        tab.wait_for_function("() => notice() !== '' && !lab.busy")
        assert word in tab.evaluate("() => notice()"), address
        assert tab.evaluate(STATE) == state, address
    log.assert_silent()
    tab.close()
    address, word = ADDRESSES[kind][0]
    tab, log = open_lab(kind, f"{page}#lab={name}&{address}")
    assert word in tab.evaluate("() => notice()")
    assert tab.evaluate(STATE) == state
    log.assert_silent()
    tab.close()


def test_an_address_of_a_lab_that_is_not_there_says_which_are(open_lab):
    page = "book/09_q_learning.html"
    for name in ("constructor", "x" * 50_000):
        tab, log = open_lab("on_and_off", f"{page}#lab={name}&at=3")
        ids = """() => [...document.querySelectorAll('[data-ttt-lab]')]
          .map(({ tttLab }) => tttLab.id)"""
        first, second = tab.evaluate(ids)
        said = tab.locator(".ttt-notice:not(:empty)")
        said.wait_for()
        assert said.count() == 1
        told = said.inner_text()
        assert f"“{name[:60]}" in told
        assert f"{first} and {second}" in told
        assert len(told) < 250
        log.assert_silent()
        tab.close()


@pytest.mark.parametrize("kind", thinned(PAGES, 2))
def test_a_long_address_is_not_repeated_whole(kind, open_lab):
    tab, _ = open_lab(kind, f"book/{PAGES[kind][-1]}.html")
    lab = tab.evaluate("() => lab.id")
    for setting in ("at", "y" * 50_000):
        tab.evaluate("() => lab.say('')")
        long = f"lab={lab}&{setting}=" + "x " * 25_000
        tab.evaluate("(to) => { location.hash = to; }", long)
        tab.wait_for_function("() => notice() !== '' && !lab.busy")
        assert len(tab.evaluate("() => notice()")) < 1000, setting
    tab.close()


@pytest.mark.parametrize(
    ("lab", "setting", "words"),
    [
        ("LearnerLab", {"seed": "2.5"}, "whole number"),
        ("LearnerLab", {"seed": 10**30}, "0 to 4,294,967,295"),
        ("LearnerLab", {"at": "1.5"}, "whole number"),
        ("LearnerLab", {"alpha": "fast"}, "fast"),
        ("LearnerLab", {"rewards": (1, 0)}, "3 numbers"),
        ("LearnerLab", {"initial": "somebody"}, "somebody"),
        ("LearnerLab", {"speed": 9}, "no such setting"),
        ("MatchboxLab", {"at": "random"}, "at"),
        ("MatchboxLab", {"at": "random:x"}, "at"),
        ("MatchboxLab", {"at": "me:44"}, "at"),
        ("MatchboxLab", {"at": "q-learning:5"}, "at"),
        ("MatchboxLab", {"at": "random:100000,self:1"}, "at"),
        ("MatchboxLab", {"beads": "4, 0"}, "beads"),
        ("MatchboxLab", {"beads": "1, 1, 1, 1, 1"}, "beads"),
        ("MatchboxLab", {"reinforcement": "3, 1"}, "reinforcement"),
        ("MatchboxLab", {"reinforcement": "3, 1, a"}, "reinforcement"),
        ("StepLab", {"look": "XXXOO...."}, "look"),
        ("StepLab", {"at": "1:4"}, "at"),
        ("StepLab", {"policy": "nobody"}, "nobody"),
        ("StepLab", {"gamma": "2"}, "gamma"),
        ("BanditLab", {"at": "9"}, "at"),
        ("BanditLab", {"at": "4" * 1001}, "at"),
        ("BanditLab", {"tau": 0}, "tau"),
        ("BanditLab", {"cells": "some"}, "cells"),
        ("WholeGameLab", {"at": "11"}, "at"),
        ("WholeGameLab", {"look": "XX"}, "look"),
        ("EveryoneLab", {"first": "nobody"}, "nobody"),
        ("EveryoneLab", {"at": "10"}, "at"),
        ("SearchLab", {"board": "XX"}, "9 or 16 cells"),
        ("SearchLab", {"board": "O........"}, "board"),
        ("SearchLab", {"c": "11"}, "c"),
        ("SearchLab", {"at": "100001"}, "at"),
        ("TreeLab", {"look": "XO......."}, "look"),
        ("TreeLab", {"look": "XXXOO...."}, "look"),
        ("TreeLab", {"order": "5, 5"}, "order"),
        ("TreeLab", {"at": "x"}, "at"),
    ],
)
def test_a_notebook_refuses_what_a_page_refuses(lab, setting, words):
    with pytest.raises((TraitError, ValueError), match=words):
        getattr(board, lab)("A lab", **setting)
