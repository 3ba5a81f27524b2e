"""Pages in browsers that block storage: everything on them works."""

import pytest
from common import sample_params

PAGES = "book/index", "book/play", "search"
THROWS = """for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { configurable: true,
    get() { throw new DOMException('Access is denied', 'SecurityError'); } });
}"""
FRAME = '<iframe sandbox="allow-scripts" src="{}" width="{}" height="{}"></iframe>'
HOW = "sandboxed frame", "throws"
MODE = "() => document.documentElement.dataset.mode"
BUTTON = ":is(.search-button__button, .search-button):visible"
COLOUR = ".theme-switch-button:visible"


@pytest.fixture
def blocked(new_tab, server):
    """Open a page without storage: (the page or frame, the list of errors)."""

    def blocked(page, how, width):
        tab, wrong = new_tab(), []
        tab.emulate_media(reduced_motion="reduce")
        tab.set_viewport_size({"width": width, "height": 800})
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        address = f"{server[0]}{page}.html"
        if how == "sandboxed frame":
            tab.set_content(FRAME.format(address, width - 20, 760))
            frame = tab.locator("iframe").element_handle().content_frame()
            frame.wait_for_url(address)
            return frame, wrong
        tab.add_init_script(THROWS)
        tab.goto(address)
        return tab, wrong

    return blocked


@pytest.mark.parametrize(
    ("page", "how"), sample_params([(page, how) for how in HOW for page in PAGES], 2)
)
def test_menus_work_without_storage(page, how, blocked):
    tab, wrong = blocked(page, how, 1280)
    if page != "search":  # the search page has no search button
        dialog = tab.locator("#pst-search-dialog")
        tab.locator(BUTTON).first.click()
        dialog.wait_for(state="visible")
        tab.locator("body").press("Escape")
        dialog.wait_for(state="hidden")
    modes = set()
    for _ in range(3):
        tab.locator(COLOUR).click()
        modes.add(tab.evaluate(MODE))
    assert modes == {"light", "dark", "auto"}
    assert wrong == []


@pytest.mark.parametrize("how", sample_params(HOW, 1))
def test_chapter_works_on_phone_without_storage(how, blocked):
    tab, wrong = blocked("book/01_game", how, 390)
    for side in "primary", "secondary":
        tab.locator(f".{side}-toggle").click()
        tab.locator(f"#pst-{side}-sidebar-modal a").first.wait_for()
        tab.locator("body").press("Escape")
    guess = tab.locator(".predict-form input[type=number]").first
    guess.fill("5000")
    guess.press("Enter")
    tab.get_by_text("You said 5,000.").wait_for()
    lab = tab.locator(".ttt-lab")
    lab.locator(".ttt-first").click()  # start again
    lab.get_by_role("button", name="Step").click()
    tab.wait_for_function(
        "() => document.querySelector('[data-ttt-lab]').tttLab.run.mark === '1'"
    )
    lab.get_by_text("More: go back").click()
    lab.get_by_role("button", name="Keep").click()
    assert "keeps nothing" in lab.locator(".ttt-notice").inner_text()
    cell = tab.locator("[data-ttt-board] [role=gridcell]").first
    cell.click()
    cell.locator("svg").wait_for()
    assert wrong == []


def test_search_works_where_forms_are_blocked(blocked):
    tab, wrong = blocked("book/play", "sandboxed frame", 1280)
    tab.locator(BUTTON).first.click()
    for field, words in ("#pst-search-dialog", "menace"), ("main", "bandit"):
        tab.locator(f"{field} input[name=q]").fill(words)
        tab.locator(f"{field} input[name=q]").press("Enter")
        tab.wait_for_url(f"**/search.html?q={words}")
        tab.locator("#search-found li").first.wait_for()
    assert wrong == []
