"""What a reader finds with the search, from a file and from a server."""

import gzip
import re
from urllib.parse import quote

import paper
import pytest

TEXTS = "_static/searchtexts.js"
PAGES = 1 + sum(map(len, paper.parts().values()))  # with the front page
every_origin = pytest.mark.parametrize("origin", ["file", "http"])

# The page that should come first, and why.
EXPECTED = {
    "MENACE": "07_menace",  # the chapter that builds it
    "alpha-beta": "05_minimax",  # where it is explained and counted
    "value iteration": "04_value_iteration",  # its chapter, with its box
    "bandit": "06_monte_carlo",  # the section "Nine openings, one bandit"
    "TD(0)": "08_td",  # its box
    "Q-learning": "09_q_learning",  # its chapter
    "765": "01_game",  # where positions are counted
    "5,478": "01_game",
    # In no heading of a chapter: first what the word means, then where it is used.
    "exploitability": "glossary",
    "afterstate": "glossary",
    "alphabeta": "glossary",
    "Markov decision process": "glossary",
    "λ": "glossary",
    "win_draw_loss": "api/planning",  # a name that is written as in code
    "ttt_lib.menace": "api/learning",
    "a learner of your own": "api/agents",  # its heading, word for word
    # The words of a page's title, in whatever part of the book it is.
    "How this book is tested": "testing",
    "deadly triad": "closer_looks/deadly_triad",
    "symmetry": "01_game",
    # Slips of typing.
    "menance": "07_menace",
    "exploitabilty": "glossary",
    "minmax": "05_minimax",
    "qlearning": "09_q_learning",
    "montecarlo": "06_monte_carlo",
    "policy itration": "03_policy_iteration",
    "temporal diference": "glossary",
    "bandits": "06_monte_carlo",
}
ABOUT = {f"{page}.html" for page in paper.parts()["About the book"]}

# Each page that is shown: its address, its title, and its places, with what is marked.
FOUND = """() => [...document.querySelectorAll('#search-found > li')].map(page => ({
  address: page.querySelector('h2 a').getAttribute('href'),
  title: page.querySelector('h2').innerText,
  headings: [...page.querySelectorAll('p a, details a')].map(e => e.textContent),
  shown: [...page.querySelectorAll('p:not(.search-part)')].map(e => e.innerText),
  marked: [...page.querySelectorAll('mark')].map(e => e.textContent),
}))"""


@pytest.fixture(scope="module")
def ask(open_page):
    """Search for something: (what the page says, the pages found, log, tab)."""

    # The icons are by far the longest script of the page.
    icons = "**/fontawesome.js*"
    open_page.context.route(icons, lambda route: route.fulfill(body=""))

    def ask(query, origin="file"):
        tab, log = open_page(f"search.html?q={quote(query)}", origin, rest=False)
        said = tab.locator("#search-status").inner_text()
        return said, tab.evaluate(FOUND), log, tab

    return ask


def test_the_page_one_expects_comes_first(ask):
    _, _, log, tab = ask("")
    field, first = tab.locator("main input[name=q]"), {}
    for query in EXPECTED:
        field.fill(query)  # what is found stands there while one types
        said = tab.locator("#search-status").inner_text()
        found = tab.evaluate(FOUND)
        first[query] = found[0]["address"].removeprefix("book/").removesuffix(".html")
        assert re.match(rf"(One page has|{len(found)} pages have|No page has) “", said)
        assert all(page["title"].strip() for page in found), "a title that one sees"
        assert len({page["address"] for page in found}) == len(found), "each page once"
        about = [page["address"] in ABOUT for page in found[1:]]
        assert about == sorted(about), (query, "what tells of the book comes last")
        for page in found[1:]:  # the first may be called so in its address alone
            in_code = page["shown"][0].startswith("In the code of this page.")
            assert page["marked"] or in_code, (query, page)
        text = " ".join(line for page in found for line in page["shown"])
        assert not re.search(r"\\|Contents|Binder", text)
    assert first == EXPECTED
    log.assert_silent()


@every_origin
def test_search_leads_from_any_page_to_a_place(origin, open_page, server, settle):
    tab, log = open_page("book/index.html", origin)
    tab.keyboard.press("Control+k")
    tab.keyboard.type("menace")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=menace")
    tab.locator("#search-found p a").first.click()
    tab.wait_for_url("**/book/07_menace.html#*")
    assert tab.evaluate("Boolean(document.querySelector(':target'))")
    settle(tab)
    log.assert_silent()
    assert server[1] == []


def test_every_place_that_a_search_can_lead_to_is_there(ask, site):
    _, _, _, tab = ask("")
    for page in tab.evaluate("SEARCH_TEXTS"):
        html = (site / page["address"]).read_text(encoding="utf-8")
        for anchor, _, _ in page["texts"]:
            assert not anchor or f'id="{anchor}"' in html, (page["address"], anchor)


@every_origin
def test_what_is_found_is_the_same_from_a_file_and_a_server(origin, ask):
    _, found, log, tab = ask("MENACE", origin)
    _, other, _, _ = ask("MENACE")
    assert found == other
    assert tab.evaluate("document.activeElement.name") == "q"
    log.assert_silent()


HTML = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "Type a word or a number."),
        ("?!", "There is no letter and no digit in “?!” to look for."),
        ("zzz", "No page has “zzz”. The glossary lists the terms of this book."),
        ("zzz menace", "No page has all of “zzz menace”; N pages have a part of it."),
        ('"perfect play"', "N pages have “"),
        ("menance", "No page has “menance”; N pages have what is spelt much like it."),
        ("é́" * 5000, "No page has “é"),
        (HTML, f"No page has all of “{HTML}”; N pages have a part of it."),
        ("__proto__", ""),
    ],
    ids=lambda value: value[:12],
)
def test_whatever_is_asked_is_answered_by_a_sentence(query, sentence, ask):
    said, _, log, tab = ask(query)
    counted = re.sub(r"\b\d+ pages", "N pages", said)
    assert sentence in (said[: len(sentence)], counted[: len(sentence)])
    assert 0 < len(said) < 160
    assert said.endswith(".")
    assert tab.locator("#search-found img, #search-status img").count() == 0
    log.assert_silent()


def test_who_only_listens_hears_what_was_found(ask):
    _, _, _, tab = ask("minimax")
    assert tab.locator("#search-status").get_attribute("role") == "status"
    field = tab.locator("main input[name=q]")
    assert field.get_attribute("aria-describedby") == "search-status"
    assert field.input_value() == "minimax"
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('#search-found h2') !== null")


def test_only_the_search_page_loads_the_texts_and_they_are_small(site):
    users = [page.name for page in site.rglob("*.html") if TEXTS in page.read_text()]
    assert users == ["search.html"]
    assert len(gzip.compress((site / TEXTS).read_bytes())) < 4_800 * PAGES


def test_solutions_and_wrong_answers_are_not_quoted(ask):
    _, found, _, _ = ask("solution")
    assert found
    assert not [page for page in found for h in page["headings"] if h == "Quiz"]
    _, found, _, _ = ask('"but they would be if a draw counted"')  # is not so
    assert found == []
