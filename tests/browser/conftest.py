"""The built site, a server for it, and a browser to read it with."""

import functools
import http.server
import os
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urljoin

import pytest
from chromium import ARGUMENTS, found
from labs_on_pages import PAGES as LAB_PAGES
from lxml import html
from playwright.sync_api import Error, sync_playwright

BUILT = Path(__file__).parents[2] / "_build" / "html"
SITE = Path(os.environ.get("SITE", BUILT))  # or one that was built elsewhere
TIMEOUT = 300_000  # ms; generous, for busy machines


def go_without(reason):
    """Skip, or fail if a browser is required."""
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Report once, not for each test, that the site is not tested."""
    report = yield
    if report.skipped:
        report.longrepr = (__file__, 1, report.longrepr[2])
    return report


@pytest.fixture(scope="module")
def site():
    """The folder of the built site."""
    if not (SITE / "index.html").exists():
        go_without("THE SITE IS NOT TESTED: `make book` has not built it.")
    return SITE


@pytest.fixture(scope="module")
def server(site):
    """The address of the site on a local server, and the list of failed requests."""
    failed = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def send_error(self, code, *args, **kwargs):
            failed.append(f"{code} {self.path}")
            super().send_error(code, *args, **kwargs)

    handler = functools.partial(Handler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/", failed
        running.shutdown()
        thread.join()


# Scope module, because an open browser would disturb the kernels of notebooks.
@pytest.fixture(scope="module")
def browser(site):
    """A Chromium: from PATH, else Playwright's own, downloaded."""
    path = found(windows=False)
    install = [sys.executable, "-m", "playwright", "install", "chromium"]
    with sync_playwright() as playwright:
        launch = functools.partial(
            playwright.chromium.launch, executable_path=path, args=ARGUMENTS
        )
        try:
            browser = launch()
        except Error:
            if path or subprocess.run(install, capture_output=True).returncode:
                go_without(
                    "THE SITE IS NOT TESTED IN A BROWSER: no Chromium starts "
                    "from PATH, and `playwright install chromium` brought none."
                )
            browser = launch()
        yield browser
        browser.close()


@pytest.fixture
def new_tab(browser):
    """Open an empty tab with its own context."""
    tabs = []

    def new_tab():
        tabs.append(browser.new_page())
        tabs[-1].set_default_timeout(TIMEOUT)
        return tabs[-1]

    yield new_tab
    for tab in tabs:
        tab.close()


# Not "networkidle", which once in thousands of pages never comes.
QUIET = """() => new Promise((done) => {
  let timer;
  const wait = () => { clearTimeout(timer); timer = setTimeout(done, 500, true); };
  new PerformanceObserver(wait).observe({ type: 'resource', buffered: true });
  wait();
})"""


@pytest.fixture(scope="session")
def settle():
    """Wait until a page has made no request for half a second."""
    return lambda tab: tab.wait_for_function(QUIET, timeout=TIMEOUT)


class Log:
    """Faults on a page: foreign requests, failed requests, console messages."""

    def __init__(self, tab, *bases):
        self.faults, own = [], (*bases, "data:", "blob:")

        def keep(text, is_fault=True):
            if is_fault:
                self.faults.append(text)

        tab.on("request", lambda asked: keep(asked.url, not asked.url.startswith(own)))
        left = "net::ERR_ABORTED"  # the page was left
        tab.on("requestfailed", lambda asked: keep(asked.url, asked.failure != left))
        tab.on("response", lambda given: keep(given.url, given.status >= 400))
        tab.on("console", lambda said: keep(said.text))
        tab.on("pageerror", lambda error: keep(str(error)))

    def assert_silent(self):
        assert self.faults == []


@pytest.fixture(scope="module")
def open_page(site, server, browser):
    """Open a page in a new tab, and wait for its fonts if `rest`: (tab, log)."""
    bases = {"file": site.as_uri() + "/", "http": server[0]}

    def open_page(page, origin="file", size=(1280, 800), rest=True, folder=None):
        tab = context.new_page()
        log = Log(tab, bases[origin], folder or bases[origin])
        tab.set_viewport_size({"width": size[0], "height": size[1]})
        tab.goto((folder or bases[origin]) + page)
        if rest:
            tab.evaluate("() => document.fonts.ready")
        return tab, log

    context = browser.new_context(reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT)
    open_page.context = context
    yield open_page
    context.close()


@pytest.fixture(autouse=True)
def tabs_closed(request):
    """Close the tabs of a test, because open tabs slow the next one."""
    yield
    if "open_page" in request.fixturenames:
        for tab in request.getfixturevalue("open_page").context.pages:
            tab.close()


FRESH = {"minimax_map": "#lab=minimax_map-1&at=0"}  # its page shows it at its end
READY = """(kind) => {
  const all = [...document.querySelectorAll('[data-ttt-lab]')]
    .filter((each) => each.tttLab?.setup.kind === kind);
  const element = all.find((each) => each.tttLab.setup.runs) ?? all[0];
  if (!element?.tttLab.run || !element.querySelector('.ttt-lab')) return false;
  for (const fold of element.querySelectorAll('.ttt-single')) fold.open = true;
  element.dataset.underTest = '';
  window.lab = element.tttLab;
  window.notice = () => element.querySelector('.ttt-notice').textContent;
  window.faults = () => [...element.querySelectorAll('.ttt-fault')]
    .map((each) => each.textContent).join('');
  lab.pace = '0';
  return true;
}"""


@pytest.fixture(scope="module")
def without_text(site, tmp_path_factory):
    """A folder for pages with labs but without their text, which open faster."""
    folder = tmp_path_factory.mktemp("labs")

    def without_text(page):
        copy = folder / page
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(labs_alone(site / page), encoding="utf-8")
        return folder.as_uri() + "/"

    return without_text


def labs_alone(file):
    """Return a page of the site reduced to its labs, with absolute links."""
    page = html.fromstring(file.read_text(encoding="utf-8"))
    labs = page.xpath("//*[@data-ttt-lab]")
    kept = {each for lab in labs for each in (*lab.iterancestors(), *lab.iter())}
    aside = page.xpath("//footer | //*[contains(@class, 'bd-sidebar')]")
    for element in [*page.xpath("//article//*"), *aside]:
        if element not in kept and element.getparent() is not None:
            element.drop_tree()
    page.rewrite_links(lambda to: to if to[:1] == "#" else urljoin(file.as_uri(), to))
    return "<!DOCTYPE html>\n" + html.tostring(page, encoding="unicode")


@pytest.fixture
def open_lab(open_page, without_text):
    """Open a page with a kind of lab, `lab` in its scripts: (tab, log)."""

    def open_lab(kind, page, **more):
        folder = without_text(page.split("#")[0])
        tab, log = open_page(page, rest=False, folder=folder, **more)
        tab.wait_for_function(READY, arg=kind)
        return tab, log

    return open_lab


@pytest.fixture
def lab(open_lab):
    """Open a kind of lab on its last page, or another: (tab, log)."""

    def lab(kind, page=None, **more):
        last = f"book/{LAB_PAGES[kind][-1]}.html{FRESH.get(kind, '')}"
        return open_lab(kind, page or last, **more)

    return lab
