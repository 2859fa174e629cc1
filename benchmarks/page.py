"""How heavy each page of the built book is, and how soon something of it is seen. Needs Chromium and playwright.

Every page is opened once, with nothing cached, at 1280 pixels, over a network of 10 Mbit/s with 40 ms from the question
to the answer, from a server that compresses what it sends as hosts of static sites do, on a processor slowed down four
times. What is printed, for each page, and then the median and the worst:

- **kB**, what was fetched for the first view, uncompressed, and **gzipped**, as a server would send it (fonts and
  pictures as they are);
- **HTML**, kB of the page itself;
- **paint**, ms until the first text is drawn, and **shift**, how much of what is drawn moves afterwards (cumulative
  layout shift).
"""

import argparse
import gzip
import io
import shutil
import statistics
import threading
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

HTML = Path(__file__).resolve().parents[1] / "_build" / "html"
NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
COLUMNS = ("kB", "gzipped", "HTML", "requests", "paint", "shift")
LIMITS = {"kB": 600, "gzipped": 300, "HTML": 500, "paint": 1000, "shift": 0.05}
COMPRESSED = (".woff", ".woff2", ".png", ".jpg")
SEEN = """() => new Promise(done => {
    let shift = 0;
    new PerformanceObserver(list => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) shift += one.value;
    }).observe({ type: "layout-shift", buffered: true });
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    setTimeout(() => done([paint ? paint.startTime : NaN, shift]), 100);
})"""


@cache
def compressed(path):
    """What a server sends of a file, which it has compressed beforehand."""
    return gzip.compress(Path(path).read_bytes(), 6)


class Quiet(SimpleHTTPRequestHandler):
    """Serves the files of a folder, compressed where that makes them smaller: every browser takes it."""

    def log_message(self, *_):
        pass

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file() or path.name.endswith(COMPRESSED):
            return super().send_head()
        sent = compressed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        return io.BytesIO(sent)


def measured(browser, address, slow=4):
    """One view of the page at `address`: the numbers of COLUMNS by name."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(120_000)
    tools = context.new_cdp_session(page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", NETWORK)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": slow})
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(address, wait_until="networkidle")
    page.evaluate("window.MathJax?.startup?.promise")
    page.evaluate("document.fonts.ready.then(() => true)")
    paint, shift = page.evaluate(SEEN)
    bodies = [(one.url.partition("?")[0], one.body()) for one in answers if one.url.startswith("http") and one.ok]
    context.close()
    sizes = [len(body) for _, body in bodies]
    sent = [len(body) if url.endswith(COMPRESSED) else len(gzip.compress(body, 6)) for url, body in bodies]
    return dict(
        zip(COLUMNS, (sum(sizes) / 1000, sum(sent) / 1000, sizes[0] / 1000, len(sizes), paint, shift), strict=True)
    )


def leads_elsewhere(path):
    """Whether a page is an old address that leads to where the page is now."""
    return 'http-equiv="refresh"' in path.read_text(encoding="utf-8")


def row(name, numbers):
    cells = [f"{numbers[one]:>9.3f}" if one == "shift" else f"{numbers[one]:>9.0f}" for one in COLUMNS]
    return f"{name:56}{''.join(cells)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="such as chapters/attention/masks.html (default: every page)")
    parser.add_argument("--html", type=Path, default=HTML, help="the folder of the built book")
    parser.add_argument("--slow", type=float, default=4, help="how many times slower the processor is")
    arguments = parser.parse_args()
    if not (arguments.html / "chapters").is_dir():
        parser.error(f"no built book in {arguments.html}: run `make book` first")
    every = [path for path in sorted(arguments.html.rglob("chapters/**/*.html")) if not leads_elsewhere(path)]
    every = [path.relative_to(arguments.html).as_posix() for path in every]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=arguments.html))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    print(f"{'':56}" + "".join(f"{name:>9}" for name in COLUMNS))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        found = {}
        for page in arguments.pages or every:
            found[page] = measured(browser, f"http://127.0.0.1:{server.server_port}/{page}", arguments.slow)
            print(row(page, found[page]), flush=True)
        browser.close()
    for what, of in (("median", statistics.median), ("worst", max)):
        print(row(what, {one: of(numbers[one] for numbers in found.values()) for one in COLUMNS}))
    for name, limit in LIMITS.items():
        over = [page for page, numbers in found.items() if numbers[name] > limit]
        print(f"{name} over {limit}: {', '.join(over) or 'no page'}")


if __name__ == "__main__":
    main()
