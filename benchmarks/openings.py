"""Loading times of pages: a telephone on a slow network opens each for the first time.

`make bench-pages` prints the table: medians of five openings, each with an empty cache,
a processor slowed down four times, 1.6 Mbit/s, 150 ms to the server and back, gzip.
Arguments of `benchmarks/openings.py` select other pages. Lighthouse adds its scores if
it is installed (`npm install --global lighthouse`).
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from typing import NamedTuple

from chromium import ARGUMENTS, found
from playwright.sync_api import sync_playwright

SITE = Path(__file__).parents[1] / "_build" / "html"
PAGES = ("book/index.html", "book/01_game.html", "book/11_q_learning.html")
TIMES = 5
SLOWDOWN = 4
NETWORK = {
    "offline": False,
    "latency": 150,  # ms
    "downloadThroughput": 1.6e6 / 8,  # bytes a second
    "uploadThroughput": 0.75e6 / 8,
}
TELEPHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
WATCH = """
  window.seen = { shift: 0, text: 0, board: 0 };
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries())
      if (!hadRecentInput) seen.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.text = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  const look = () => {
    if (document.querySelector('.ttt-cell')) seen.board = performance.now();
    else requestAnimationFrame(look);
  };
  look();
"""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")


class Opening(NamedTuple):
    """One opening of a page."""

    board: float  #: seconds until the first board is there, 0 if there is none
    text: float  #: seconds until its largest part is painted
    kilobytes: float  #: transferred until the network is idle
    requests: int
    shift: float  #: the sum of all layout shifts


@cache
def packed(path):
    """Return a file as it is transferred."""
    return gzip.compress(path.read_bytes(), mtime=0)


class Server(SimpleHTTPRequestHandler):
    """Serves the site compressed, as a web host does."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=SITE)

    def do_GET(self):
        """Send a file."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        small = path.suffix in {".html", ".css", ".js", ".svg"}
        content = packed(path) if small else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(content)))
        if small:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Log nothing."""


@contextmanager
def served():
    """Serve the site; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def opening(browser, address, viewport, slow=True):
    """Return the Opening of a page with an empty cache."""
    context = browser.new_context(viewport=viewport)
    page, sizes = context.new_page(), []
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on(
        "Network.loadingFinished", lambda e: sizes.append(e["encodedDataLength"])
    )
    if slow:
        devtools.send("Network.emulateNetworkConditions", NETWORK)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.add_init_script(WATCH)
    page.goto(address, wait_until="load", timeout=120_000)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000)  # late content may shift, too
    seen = page.evaluate("seen")
    context.close()
    return Opening(
        seen["board"] / 1000,
        seen["text"] / 1000,
        sum(sizes) / 1000,
        len(sizes),
        seen["shift"],
    )


def scores(program, address):
    """Return Lighthouse's scores of a page on a telephone, of 100."""
    command = [program, address, "--quiet", "--output=json", "--output-path=stdout"]
    command.append("--chrome-flags=--headless --no-sandbox")
    env = os.environ | ({"CHROME_PATH": found()} if found() else {})
    done = subprocess.run(command, check=True, capture_output=True, env=env)
    categories = json.loads(done.stdout)["categories"]
    return [round(100 * categories[name]["score"]) for name in CATEGORIES]


def main(pages):
    """Print the table."""
    lighthouse = shutil.which("lighthouse")
    titles = "board s", "text s", "kB", "requests", "shift 390", "shift 1280"
    print(
        f"{'':28}", *(f"{title:>10}" for title in titles), " Lighthouse: ", *CATEGORIES
    )
    with sync_playwright() as playwright, served() as address:
        browser = playwright.chromium.launch(executable_path=found(), args=ARGUMENTS)
        for page in pages:
            url = address + page
            slow = [opening(browser, url, TELEPHONE) for _ in range(TIMES)]
            wide = [opening(browser, url, DESKTOP, slow=False) for _ in range(TIMES)]
            medians = Opening(*map(median, zip(*slow, strict=True)))
            shift = median(one.shift for one in wide)
            print(
                f"{page:28} {medians.board:10.1f} {medians.text:10.1f}",
                f"{medians.kilobytes:10.0f} {medians.requests:10.0f}",
                f"{medians.shift:10.3f} {shift:10.3f} ",
                *(scores(lighthouse, url) if lighthouse else ["not installed"]),
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or PAGES)
