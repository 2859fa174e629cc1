"""Chromium for the tests, with the network off: whatever a page asks of another host is a failure."""

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
LOCAL = ("file:", "blob:", "data:", "http://127.0.0.1:")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Opens an address with the network off; at the end, nothing may have gone wrong in any page opened."""
    contexts, faults = [], []

    def only_local(route):
        address = route.request.url
        if address.startswith(LOCAL):
            route.continue_()
        else:
            faults.append(f"asked for {address}")
            route.abort()

    def opened(address, width=1280, colours="light", **settings):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=colours, **settings)
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.route("**/*", only_local)
        page.on("console", lambda m: m.type in {"error", "warning"} and faults.append(f"console: {m.text}"))
        page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
        page.on("response", lambda answer: answer.status >= 400 and faults.append(f"{answer.status}: {answer.url}"))
        page.goto(address)
        return page

    opened.faults = faults
    yield opened
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="session")
def served():
    """The built book over HTTP: its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=HTML))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
