"""Chromium for the tests, with the network off: whatever a page asks of another host is a failure."""

import shutil
from collections import defaultdict
from pathlib import Path

import light_scripts
import pytest
import serving

BOOK = Path(__file__).resolve().parents[2]
HTML = BOOK / "_build" / "html"
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
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",  # the network is off
]

FORGET = "() => { try { localStorage.clear(); sessionStorage.clear(); } catch { /* a page without a place for it */ } }"


def chromium_path():
    return shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
        yield browser
        browser.close()


def watch(page, faults):
    """Note whatever goes wrong in a page: requests to other hosts, which fail, and complaints of its scripts."""
    page.on("request", lambda one: one.url.startswith(LOCAL) or faults.append(f"asked for {one.url}"))
    page.on("console", lambda m: m.type in {"error", "warning"} and faults.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
    page.on("response", lambda answer: answer.status >= 400 and faults.append(f"{answer.status}: {answer.url}"))
    return page


@pytest.fixture(scope="session")
def free_tabs(chromium):
    """Tabs that no test has, by the settings of their contexts: opening one anew takes four times as long as a page."""
    return defaultdict(list)


class Tab:
    """A tab in a context of its own, which is lent to one test after another: it comes back empty."""

    def __init__(self, chromium, settings):
        self.context = chromium.new_context(**settings)
        self.context.set_default_timeout(60_000)  # a busy machine
        self.faults = []
        self.page = watch(self.context.new_page(), self.faults)

    def open(self, address, width, colours, motion):
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(media="null", color_scheme=colours, reduced_motion=motion)
        self.page.goto(address)
        return self.page

    def emptied(self):
        """Leave the page, and what it has stored; returns what went wrong until then."""
        self.page.evaluate(FORGET)
        self.page.goto("about:blank")
        self.context.clear_cookies()
        faults = self.faults[:]
        self.faults.clear()
        return faults


@pytest.fixture
def open_page(chromium, free_tabs):
    """Opens an address with the network off; at the end, nothing may have gone wrong in any page opened."""
    taken = []

    def opened(address, width=1280, colours="light", reduced_motion="no-preference", **settings):
        free = free_tabs[tuple(sorted(settings.items()))]
        tab = free.pop() if free else Tab(chromium, settings)
        taken.append((tab, free))
        return tab.open(address, width, colours, reduced_motion)

    yield opened
    faults = []
    for tab, free in taken:
        faults += tab.emptied()
        free.append(tab)
    assert faults == []


@pytest.fixture(scope="session")
def served():
    """The built book over HTTP: its address."""
    with serving.served(HTML) as address:
        yield address


@pytest.fixture
def page_of(open_page, tmp_path):
    """Opens a page of these explorers, as light as in the book, or pieces of HTML, with its script and colours."""

    def opened(*explorers, dark=False, **settings):
        pieces = [one if isinstance(one, str) else light_scripts.finish(one.static_html(), "page") for one in explorers]
        script = (BOOK / "site/static/explorers.js").read_text(encoding="utf-8")
        roles = (BOOK / "site/static/roles.css").read_text(encoding="utf-8")
        file = tmp_path / "page.html"
        file.write_text(
            f'<!doctype html><html lang="en" data-theme="{"dark" if dark else "light"}"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Explorers</title>'
            f"<style>{roles}</style>{''.join(pieces)}<script>{script}</script></html>",
            encoding="utf-8",
        )
        return open_page(file.as_uri(), **settings)

    return opened


@pytest.fixture(scope="module")
def blank(chromium):
    """An empty page, for calling functions of the module."""
    page = chromium.new_page()
    yield page
    page.close()
