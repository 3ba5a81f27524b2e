"""Invalid links and settings of labs: one error message, and no change of state."""

import pytest
from common import each
from labs_on_pages import PAGES, choose, press
from traitlets import TraitError

from ttt_lib import board

# kind → (part of a link, words of the error)
ADDRESSES = {
    "learner": [
        ("epsilon=%", "schedule"),
        ("at=99999999999", "2,000,000"),
        ("opponent=nobody", "nobody"),
        ("look=XXXOOO...", "No game"),
        ("speed=9", "speed"),
        ("seed=1e30", "4,294,967,295"),
        ("method=minimax_q&rewards=3,1,-2", "minimax"),
    ],
    "matchboxes": [
        ("at=random:100001", "100,000 games"),
        ("at=me:44", "Cell 4 cannot be taken"),
        ("at=me:40,random:1", "not finished"),
        ("beads=1,1,1,1,1", "1 to 4 whole"),
        ("reinforcement=a,b,c", "not a valid value"),
        ("opponent=q-learning", "not one of the choices"),
    ],
    "on_off_policy": [
        ("at=0.6", "0 to 0.5"),
        ("opponent=menace", "can only move first"),
    ],
    "backup": [("at=9:1", "free cells and a stage"), ("look=XXXOO....", "is over")],
    "bandit": [
        ("at=9", "0 to 8"),
        ("games=2&at=444", "2 games"),
        ("at=4:9", "30 games"),
        ("tau=0", "0.001"),
    ],
    "minimax_map": [("at=11", "0 to 10"), ("look=XX", "9 cells")],
    "cross_table": [("at=99", "moves"), ("second=menace", "other side")],
    "uct_search": [
        ("at=10001", "0 to 10,000"),
        ("board=XX", "9 or 16 cells"),
        ("board=XXXOOO...", "No game can reach"),
        ("c=-1", "0 to 10"),
    ],
    "minimax_tree": [
        ("at=23", "0 to 22"),
        ("order=5,5", "different cells"),
        ("look=XO.......", "7 free cells"),
        ("look=XXXOO....", "nothing to search"),
    ],
    "sweeps": [
        ("gamma=0.99999999&floor=.#E", "too slowly"),
        ("floor=.E|.", "equally long"),
        ("floor=.........E", "at most 8"),
        ("at=1:14", "14 states"),
    ],
}
STATE = "() => [lab.texts, lab.run.mark]"


@pytest.mark.parametrize("kind", PAGES)
def test_invalid_link_shows_one_error_and_changes_nothing(kind, lab):
    tab, log = lab(kind)
    name, state = tab.evaluate("() => lab.id"), tab.evaluate(STATE)
    for address, word in ADDRESSES[kind]:
        tab.evaluate("() => lab.say('')")
        tab.evaluate("(to) => { location.hash = to; }", f"lab={name}&{address}")
        tab.wait_for_function("() => notice() !== '' && !lab.busy", polling=10)
        assert word in tab.evaluate("() => notice()"), address
        assert tab.evaluate(STATE) == state, address
    log.assert_silent()


def test_page_opened_with_invalid_link_shows_error(open_lab):
    page = "book/09_q_learning.html"
    tab, _ = open_lab("learner", page)
    known = tab.evaluate("() => lab.id"), tab.evaluate(STATE)
    tab, log = open_lab("learner", f"{page}#lab={known[0]}&epsilon=3")
    assert "0 and 1" in tab.evaluate("() => notice()")
    assert (tab.evaluate("() => lab.id"), tab.evaluate(STATE)) == known
    log.assert_silent()
    for name in ("constructor", "x" * 50_000):  # no such lab
        tab, log = open_lab("on_off_policy", f"{page}#lab={name}&at=3")
        (message,) = tab.locator(".ttt-notice:not(:empty)").all_inner_texts()
        assert f"“{name[:60]}" in message
        assert known[0] in message
        assert len(message) < 250
        log.assert_silent()


# A field of each kind, an invalid text, and a word of the error.
FIELDS = [("alpha", "3", "between 0 and 1"), ("rewards", "1, 0", "3 numbers"),
          ("opponent", "menace", "other side"), ("seed", "1.5", "whole"),
          ("initial", "menace", "no values of moves"), ("look", "XX", "9 cells"),
          ("by", "<img src=x>", "schedule")]  # fmt: skip


def test_invalid_setting_shows_error_beside_field_and_keeps_state(lab):
    tab, log = lab("learner")
    tab.evaluate("() => lab.set('differs', 'epsilon')")
    tab.locator("[data-under-test] .ttt-more > summary").first.click()
    tab.evaluate("() => lab.go('50')")
    for games, (name, text, word) in enumerate(FIELDS, start=51):
        before = tab.evaluate("() => lab.state")
        label = tab.evaluate("(name) => lab.kind.settings[name].label", name)
        field = tab.locator("[data-under-test]").get_by_label(label, exact=True)
        field.fill(text)
        field.press("Enter")
        beside = field.locator("xpath=ancestor::*[@class='ttt-setting']")
        beside.locator(".ttt-fault", has_text=word).wait_for()
        assert tab.evaluate("() => notice()") == ""  # the message is shown only once
        assert tab.evaluate("() => lab.state") == before
        tab.evaluate("(mark) => lab.go(mark)", str(games))
        assert tab.evaluate("() => lab.run.games") == games
    log.assert_silent()


def test_lab_warns_about_agent_on_untrained_side(lab):
    tab, _ = lab("learner")
    warning = "p4 was trained only as first player"
    choose(tab, {"opponent": "p4", "side": "1"})
    assert tab.evaluate("() => notice()").count(warning) == 1
    press(tab, "Step")
    assert warning in tab.evaluate("() => notice()")
    choose(tab, {"side": "-1"})
    assert warning not in tab.evaluate("() => notice()")


INVALID = [  # class, setting, words
    ("LearnerLab", {"at": "1.5"}, "whole number"),
    ("LearnerLab", {"alpha": "fast"}, "fast"),
    ("LearnerLab", {"rewards": (1, 0)}, "3 numbers"),
    ("LearnerLab", {"speed": 9}, "no such setting"),
    ("MatchboxLab", {"at": "me:44"}, "at"),
    ("MatchboxLab", {"beads": "1, 1, 1, 1, 1"}, "beads"),
    ("BackupLab", {"at": "1:4"}, "at"),
    ("BanditLab", {"tau": 0}, "tau"),
    ("MinimaxMapLab", {"at": "11"}, "at"),
    ("CrossTableLab", {"first": "nobody"}, "nobody"),
    ("UctSearchLab", {"board": "XX"}, "9 or 16 cells"),
    ("MinimaxTreeLab", {"look": "XO......."}, "look"),
]


@each(INVALID)
def test_notebook_rejects_invalid_settings(case):
    kind, setting, words = case
    with pytest.raises((TraitError, ValueError), match=words):
        getattr(board, kind)("A lab", **setting)
