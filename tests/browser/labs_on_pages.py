"""Helpers for the tests of the labs."""

# kind of lab → its pages
PAGES = {
    "learner": ["play", "10_td", "11_q_learning"],
    "matchboxes": ["08_menace"],
    "on_off_policy": ["12_sarsa"],
    "backup": ["02_mdp"],
    "bandit": ["07_bandits"],
    "minimax_map": ["01_game"],
    "cross_table": ["14_everyone"],
    "uct_search": ["15_tree_search"],
    "minimax_tree": ["06_minimax"],
    "sweeps": ["04_value_iteration", "03_policy_iteration"],
}
CHOOSE = """async (texts) => {
  for (const [name, text] of Object.entries(texts)) {
    await lab.set(name, text);
    if (faults()) throw Error(faults());
  }
}"""


def number(text):
    """Return the number in a text of a page."""
    return float(text.replace("−", "-"))


def press(tab, name):
    """Press a button of the open lab, and wait while it is busy."""
    tab.locator("[data-under-test]").get_by_role(
        "button", name=name, exact=True
    ).click()
    tab.wait_for_function("() => !lab.busy", polling=10)


def run_cell(text):
    """Run a copied cell; return the value of its last line."""
    *lines, last = text.strip().split("\n")
    names = {}
    exec("\n".join(lines), names)
    return eval(last, names)


def choose(tab, texts, mark=None):
    """Give the open lab these settings, one after another, and go to a mark."""
    tab.evaluate(CHOOSE, texts)
    if mark is not None:
        tab.evaluate("(mark) => lab.go(mark)", mark)
