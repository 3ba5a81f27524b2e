"""The search of the site, from a file and from a server."""

import gzip
import re

import pdf
import pytest

TEXTS = "_static/searchtexts.js"
PAGES = 1 + sum(map(len, pdf.parts().values()))  # with the front page

# Page that should be the first result → queries.
EXPECTED = {
    "08_menace": ["MENACE", "menance"],
    "06_minimax": ["alpha-beta", "minmax"],
    "04_value_iteration": ["value iteration"],
    "03_policy_iteration": ["policy itration"],
    "07_bandits": ["bandit", "bandits"],
    "09_monte_carlo": ["montecarlo"],
    "10_td": ["TD(0)"],
    "11_q_learning": ["Q-learning", "qlearning"],
    "01_game": ["765", "5,478", "symmetry"],
    # In no heading of a chapter: the glossary first, then pages that use the term.
    "glossary": ["exploitability", "afterstate", "alphabeta", "λ", "exploitabilty",
                 "Markov decision process", "temporal diference"],
    # A name as in code, and an exact heading.
    "api/planning": ["win_draw_loss"],
    "api/learning": ["ttt_lib.menace"],
    "api/agents": ["a learner of your own"],
    "testing": ["How this book is tested"],
    "closer_looks/deadly_triad": ["deadly triad"],
}  # fmt: skip
ABOUT = {f"{page}.html" for page in pdf.parts()["About the book"]}

# Each result: address, title, headings, excerpts, and highlighted words.
FOUND = """() => [...document.querySelectorAll('#search-found > li')].map(page => ({
  address: page.querySelector('h2 a').getAttribute('href'),
  title: page.querySelector('h2').innerText,
  headings: [...page.querySelectorAll('p a, details a')].map(e => e.textContent),
  shown: [...page.querySelectorAll('p:not(.search-part)')].map(e => e.innerText),
  marked: [...page.querySelectorAll('mark')].map(e => e.textContent),
}))"""


@pytest.fixture
def ask(open_page):
    """Search for one thing after another: (what the page says, the pages found)."""
    tab, log = open_page("search.html?q=", rest=False)
    field, status = tab.locator("main input[name=q]"), tab.locator("#search-status")

    def ask(query):
        field.fill(query)  # results are shown while one types
        return status.inner_text(), tab.evaluate(FOUND)

    ask.tab = tab
    yield ask
    log.assert_silent()


def test_expected_page_is_first_result(ask):
    for query, page in [(q, page) for page, asked in EXPECTED.items() for q in asked]:
        said, found = ask(query)
        assert found[0]["address"] == f"book/{page}.html", query
        assert re.match(rf"(One page has|{len(found)} pages have|No page has) “", said)
        assert all(page["title"].strip() for page in found), "a visible title"
        assert len({page["address"] for page in found}) == len(found), "each page once"
        about = [page["address"] in ABOUT for page in found[1:]]
        assert about == sorted(about), (query, "pages about the book come last")
        for other in found[1:]:  # the first may match in its address only
            in_code = other["shown"][0].startswith("In the code of this page.")
            assert other["marked"] or in_code, (query, other)
        text = " ".join(line for page in found for line in page["shown"])
        assert not re.search(r"\\|Contents|Binder", text)


def test_search_from_any_page_leads_to_section(open_page):
    tab, log = open_page("book/index.html")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("menace")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=menace")
    field = tab.locator("main input[name=q]")
    assert field.input_value() == "menace"
    assert field.get_attribute("aria-describedby") == "search-status"
    assert tab.locator("#search-status").get_attribute("role") == "status"
    tab.locator("#search-found p a").first.click()
    tab.wait_for_url("**/book/08_menace.html#*")
    assert tab.evaluate("Boolean(document.querySelector(':target'))")
    log.assert_silent()


def test_all_search_targets_exist(ask, site):
    for page in ask.tab.evaluate("SEARCH_TEXTS"):
        html = (site / page["address"]).read_text(encoding="utf-8")
        anchors = {*re.findall(r'\sid="([^"]*)"', html)}
        assert {anchor for anchor, *_ in page["texts"] if anchor} <= anchors


HTML = "<img src=x onerror=alert(1)>"
ANSWERS = {
    "": "Type a word or a number.",
    "?!": "There is no letter and no digit in “?!” to look for.",
    "zzz": "No page has “zzz”. The glossary lists the terms of this book.",
    "zzz menace": "No page has all of “zzz menace”; N pages have some of its words.",
    '"perfect play"': "N pages have “",
    "menance": "No page has “menance”; N pages have similar words.",
    "é́" * 5000: "No page has “é",
    HTML: f"No page has all of “{HTML}”; N pages have some of its words.",
    "__proto__": "",
}


def test_any_query_gets_a_status_sentence(ask):
    for query, sentence in ANSWERS.items():
        said, _ = ask(query)
        assert re.sub(r"\b\d+ pages", "N pages", said).startswith(sentence)
        assert 0 < len(said) < 160
        assert said.endswith(".")
        assert ask.tab.locator("#search-found img, #search-status img").count() == 0


def test_solutions_and_wrong_answers_are_not_in_search_texts(ask):
    _, found = ask("solution")
    assert found
    assert not [page for page in found for h in page["headings"] if h == "Quiz"]
    _, found = ask('"but they would be if a draw counted"')  # is not so
    assert found == []


def test_search_texts_are_small_and_loaded_only_by_search_page(site):
    users = [page.name for page in site.rglob("*.html") if TEXTS in page.read_text()]
    assert users == ["search.html"]
    assert len(gzip.compress((site / TEXTS).read_bytes())) < 4_800 * PAGES
