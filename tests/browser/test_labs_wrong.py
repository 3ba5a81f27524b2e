"""What a lab is asked that makes no sense: one sentence, and nothing is lost."""

import pytest
from labs_on_pages import PAGES, choose, press
from traitlets import TraitError

from ttt_lib import board

# kind → what an address asks for, and words of the answer
ADDRESSES = {
    "learner": [
        ("epsilon=3", "0 and 1"),
        ("epsilon=%", "schedule"),
        ("at=-5", "at=-5"),
        ("at=99999999999", "2,000,000"),
        ("opponent=nobody", "nobody"),
        ("look=XXXOOO...", "No game"),
        ("speed=9", "speed"),
        ("seed=1e30", "4,294,967,295"),
        ("rewards=a,b", "3 numbers"),
        ("method=minimax_q&rewards=3,1,-2", "minimax"),
    ],
    "matchboxes": [
        ("at=much", "give new"),
        ("at=random:100001", "100,000 games"),
        ("at=me:44", "Cell 4 cannot be taken"),
        ("at=me:40,random:1", "not finished"),
        ("beads=1,1,1,1,1", "1 to 4 whole"),
        ("reinforcement=a,b,c", "no value"),
        ("step=7", "none of the choices"),
    ],
    "on_and_off": [("at=0.6", "0 to 0.5"), ("opponent=menace", "plays first only")],
    "step": [
        ("at=9:1", "free cells and a stage"),
        ("at=1:4", "free cells and a stage"),
        ("look=XXXOO....", "the game is over"),
        ("look=XX", "9 cells"),
    ],
    "bandit": [
        ("at=9", "0 to 8"),
        ("games=2&at=444", "there are 2 games"),
        ("games=1001", "1 to 1,000"),
        ("tau=0", "0.001 to 100"),
    ],
    "whole": [("at=11", "0 to 10"), ("look=XX", "9 cells")],
    "everyone": [("at=99", "moves"), ("second=menace", "other side")],
    "playouts": [
        ("at=100001", "0 to 100,000"),
        ("board=XX", "9 or 16 cells"),
        ("board=XXXOOO...", "No game arrives"),
        ("c=-1", "0 to 10"),
    ],
    "tree": [
        ("at=23", "0 to 22"),
        ("order=5,5", "different cells"),
        ("look=XO.......", "7 free cells"),
        ("look=XXXOO....", "nothing to search"),
    ],
    "sweeps": [
        ("gamma=0.99999999&floor=.#E", "too slowly"),
        ("floor=.E|.", "all as long"),
        ("floor=.........E", "at most 8"),
        ("at=10001", "10,000"),
        ("at=1:14", "14 states"),
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
    address, word = ADDRESSES[kind][0]
    tab, log = open_lab(kind, f"{page}#lab={name}&{address}")
    assert word in tab.evaluate("() => notice()")
    assert tab.evaluate(STATE) == state
    log.assert_silent()


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


# A field of each kind of text, and what is written into it.
FIELDS = [("alpha", "3", "between 0 and 1"), ("rewards", "1, 0", "3 numbers"),
          ("opponent", "menace", "other side"), ("seed", "1.5", "whole"),
          ("initial", "menace", "no values of moves"), ("look", "XX", "9 cells"),
          ("by", "<img src=x>", "schedule")]  # fmt: skip


def test_a_wrong_setting_is_told_beside_it_and_nothing_is_lost(lab):
    tab, log = lab("learner")
    tab.evaluate("() => lab.set('differs', 'epsilon')")
    tab.locator("[data-under-test] summary").first.click()
    for name, text, word in FIELDS:
        tab.evaluate("() => lab.go('50')")
        before = tab.evaluate("() => lab.state")
        label = tab.evaluate("(name) => lab.kind.settings[name].label", name)
        field = tab.locator("[data-under-test]").get_by_label(label, exact=True)
        field.fill(text)
        field.press("Enter")
        beside = field.locator("xpath=ancestor::*[@class='ttt-setting']")
        beside.locator(".ttt-fault", has_text=word).wait_for()
        assert tab.evaluate("() => notice()") == ""  # it is told once
        assert tab.evaluate("() => lab.state") == before
        press(tab, "Step")
        assert tab.evaluate("() => lab.run.games") == 51
    log.assert_silent()


# kind → settings in which p4, which was taught to move first only, plays second
UNTAUGHT = {
    "step": {"opponent": "p4", "look": "........."},
    "learner": {"opponent": "p4", "side": "1"},
}


@pytest.mark.parametrize("kind", UNTAUGHT)
def test_a_lab_says_who_plays_a_side_that_it_was_not_taught(kind, lab):
    tab, _ = lab(kind)
    told = "p4 was taught to move first only"
    choose(tab, UNTAUGHT[kind])
    assert tab.evaluate("() => notice()").count(told) == 1
    press(tab, "Step")
    assert told in tab.evaluate("() => notice()")
    choose(tab, {"look": "X........"} if kind == "step" else {"side": "-1"})
    assert told not in tab.evaluate("() => notice()")


@pytest.mark.parametrize(
    ("lab", "setting", "words"),
    [
        ("LearnerLab", {"seed": "2.5"}, "whole number"),
        ("LearnerLab", {"at": "1.5"}, "whole number"),
        ("LearnerLab", {"alpha": "fast"}, "fast"),
        ("LearnerLab", {"rewards": (1, 0)}, "3 numbers"),
        ("LearnerLab", {"initial": "somebody"}, "somebody"),
        ("LearnerLab", {"speed": 9}, "no such setting"),
        ("MatchboxLab", {"at": "random:x"}, "at"),
        ("MatchboxLab", {"at": "me:44"}, "at"),
        ("MatchboxLab", {"at": "random:100000,self:1"}, "at"),
        ("MatchboxLab", {"beads": "1, 1, 1, 1, 1"}, "beads"),
        ("MatchboxLab", {"reinforcement": "3, 1, a"}, "reinforcement"),
        ("StepLab", {"look": "XXXOO...."}, "look"),
        ("StepLab", {"at": "1:4"}, "at"),
        ("BanditLab", {"at": "4" * 1001}, "at"),
        ("BanditLab", {"tau": 0}, "tau"),
        ("WholeGameLab", {"at": "11"}, "at"),
        ("EveryoneLab", {"first": "nobody"}, "nobody"),
        ("SearchLab", {"board": "XX"}, "9 or 16 cells"),
        ("SearchLab", {"c": "11"}, "c"),
        ("TreeLab", {"look": "XO......."}, "look"),
        ("TreeLab", {"order": "5, 5"}, "order"),
    ],
)
def test_a_notebook_refuses_what_a_page_refuses(lab, setting, words):
    with pytest.raises((TraitError, ValueError), match=words):
        getattr(board, lab)("A lab", **setting)
