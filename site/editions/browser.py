"""Chromium, which prints the book and draws its explorers; the network is off, as the book needs none."""

import shutil
from contextlib import contextmanager

from editions.built_pages import EditionError

ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")  # fmt: skip
WAITING = "() => !document.querySelector('.explorer:not([data-explorer=ready]):not([data-explorer=failed])')"


class BrowserError(EditionError):
    """Chromium is missing, or did not do what it was asked for; the message says what to do."""


def chromium():
    """Where Chromium is.

    Raises:
        BrowserError: if it is nowhere.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        raise BrowserError(
            "Chromium prints the book and draws its explorers, and it is not installed; "
            "on Debian and Ubuntu: apt-get install chromium"
        )
    return found


@contextmanager
def opened(**settings):
    """A tab of Chromium, and the list of all that is asked of other machines while it is open.

    Raises:
        BrowserError: if there is no Chromium.
    """
    program = chromium()
    from playwright.sync_api import sync_playwright

    asked = []

    def hear(request):
        if not request.url.startswith(("file:", "blob:", "data:")):
            asked.append(request.url)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        tab = browser.new_page(color_scheme="light", reduced_motion="reduce", **settings)
        tab.on("request", hear)
        yield tab, asked
        browser.close()


def visit(tab, file):
    """Open a file of HTML and wait until its explorers and fonts are there.

    Raises:
        BrowserError: if an explorer does not start.
    """
    tab.goto(file.as_uri(), wait_until="load", timeout=300_000)
    tab.wait_for_function(WAITING, timeout=300_000)
    if failed := tab.locator(".explorer[data-explorer=failed]").all_inner_texts():
        raise BrowserError(f"{file}: an explorer did not start: {failed[0]}")
    tab.evaluate("document.fonts.ready.then(() => true)")
