"""Addresses of the twelve chapters of version 0.2 lead on to the present pages."""

import re

import old_addresses
import pytest

TABLE = old_addresses.table()
LEFT = [(page, anchor) for page, anchors in TABLE.items() for anchor in anchors]


def new_address(page, anchor):
    """Return where an old address leads, as the table says."""
    there, _, other = TABLE[page][anchor].partition("#")
    return f"book/{there}.html" + (f"#{other or anchor}" if anchor else "")


@pytest.mark.parametrize(("page", "anchor"), LEFT)
def test_new_page_has_the_anchor(page, anchor, site):
    path, _, there = new_address(page, anchor).partition("#")
    text = (site / path).read_text("utf-8")
    if there.startswith("lab="):
        kind = re.match(r"lab=(\w+)-\d", there)[1]
        assert f"{kind}&#34;" in text or f"&quot;{kind}&quot;" in text
    else:
        assert not there or f' id="{there}"' in text


@pytest.mark.parametrize("origin", ["file", "http"])
def test_old_address_leads_on_by_its_anchor(origin, open_page):
    state = "lab=on_off_policy-2&opponent=teacher+0.25&at=0.1"
    for old, new in {
        "05_minimax": "06_minimax",
        "05_minimax#negamax": "06_minimax#negamax",
        "06_monte_carlo": "09_monte_carlo",
        "06_monte_carlo#fig-regret": "07_bandits#fig-regret",
        "04_value_iteration#the-worst-case": "05_rewards#the-worst-case",
        f"09_q_learning#{state}": f"12_sarsa#{state.replace('-2', '-1')}",
    }.items():
        page, _, anchor = old.partition("#")
        path, _, there = new.partition("#")
        tab, _ = open_page(f"book/{page}.html#{anchor}", origin, rest=False)
        address = f"/book/{path}.html" + (f"#{there}" if there else "")
        arrived = "(address) => location.href.endsWith(address)"
        tab.wait_for_function(arrived, arg=address, polling=50)
        tab.close()


def test_old_addresses_are_no_pages_of_the_search(site):
    texts = (site / "_static" / "searchtexts.js").read_text("utf-8")
    for page, anchors in TABLE.items():
        assert (f"book/{page}.html" in texts) == ("" not in anchors), page


def test_page_without_scripts_leads_on(site):
    for page, anchors in TABLE.items():
        if "" in anchors:
            text = (site / "book" / f"{page}.html").read_text("utf-8")
            assert f'<meta http-equiv="refresh" content="0; url={anchors[""]}' in text
