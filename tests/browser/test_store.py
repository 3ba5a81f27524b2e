"""What the book keeps in a browser: one key, saved, loaded and forgotten."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = "book/take_away.html"


@pytest.fixture
def kept(open_page):
    """Open the page that lists what is kept: (tab, place, log)."""

    def kept():
        tab, log = open_page(PAGE)
        tab.on("dialog", lambda dialog: dialog.accept())
        return tab, tab.locator("[data-kept]"), log

    return kept


def test_only_the_store_touches_storage():
    scripts = [
        path
        for folder in ("ttt_lib/board/static", "book/site/static")
        for path in (ROOT / folder).rglob("*.js")
        if "minisearch" not in path.parts and path.name != "store.js"
    ]
    assert len(scripts) > 30
    touching = [p.name for p in scripts if "Storage" in p.read_text(encoding="utf-8")]
    assert touching == []


def test_entries_are_saved_forgotten_and_loaded(kept, tmp_path):
    tab, place, log = kept()
    tab.evaluate("() => bookStore.set('guess book/01_game 0', 5000)")
    tab.reload()
    assert "1 guess" in place.inner_text()
    with tab.expect_download() as download:
        place.get_by_role("button", name="Save to a file").click()
    file = tmp_path / "mine.json"
    download.value.save_as(file)
    place.get_by_role("button", name="Forget everything").click()
    assert "Nothing is kept" in place.inner_text()
    assert tab.evaluate("() => localStorage.getItem('three-in-a-row')") is None
    place.locator("input").set_input_files(file)
    place.get_by_text("Loaded 1 entry").wait_for()
    assert tab.evaluate("() => bookStore.get('guess book/01_game 0')") == 5000
    log.assert_silent()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no JSON", "does not come from this book"),
        ('{"book": "another"}', "does not come from this book"),
        ('{"book": "three-in-a-row", "version": 9, "items": {}}', "format 9"),
    ],
)
def test_foreign_file_changes_nothing(text, says, kept, tmp_path):
    tab, place, _ = kept()
    tab.evaluate("() => bookStore.set('switch code', 'open')")
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    place.locator("input").set_input_files(file)
    place.get_by_text(says).wait_for()
    assert tab.evaluate("() => bookStore.get('switch code')") == "open"


def test_entries_of_a_newer_format_are_not_overwritten(kept):
    tab, _, _ = kept()
    newer = json.dumps({"version": 2, "items": {"a": 1}})
    tab.evaluate("(text) => localStorage.setItem('three-in-a-row', text)", newer)
    assert tab.evaluate("() => bookStore.set('b', 2)") is False
    assert tab.evaluate("() => localStorage.getItem('three-in-a-row')") == newer
    tab.evaluate("() => bookStore.forget()")


def test_switches_stay_and_open_code_and_answers(open_page):
    tab, log = open_page("book/01_game.html")
    tab.evaluate("() => bookStore.forget()")
    tab.reload()
    folds = (
        "() => [...document.querySelectorAll('details.%s')].map((fold) => fold.open)"
    )
    assert not any(tab.evaluate(folds % "predict") + tab.evaluate(folds % "ttt-plain"))
    tab.get_by_label("Guess first").uncheck()
    tab.get_by_label("All code").check()
    for _ in range(2):  # … and after a reload
        assert all(tab.evaluate(folds % "predict"))
        assert all(tab.evaluate(folds % "ttt-plain"))
        assert tab.locator(".predict-form").filter(visible=True).count() == 0
        tab.reload()
    tab.evaluate("() => bookStore.forget()")
    log.assert_silent()


def test_quiz_counts_first_tries_and_reading_to_the_end_is_marked(open_page):
    tab, log = open_page("book/01_game.html")
    tab.evaluate("() => bookStore.forget()")
    options = tab.locator("details.quiz")
    options.first.locator("summary").click()
    score = tab.locator(".quiz-score")
    assert re.match(
        r"Right at the first try: [01] of 1; \d still open\.", score.inner_text()
    )
    tab.locator(".prev-next-footer").scroll_into_view_if_needed()
    tab.locator(".bd-sidebar-primary a.was-read").wait_for(state="attached")
    assert tab.evaluate("() => bookStore.get('read')") == ["01_game"]
    tab.evaluate("() => bookStore.forget()")
    log.assert_silent()
