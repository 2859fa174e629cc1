"""Makes the README's screenshots from the built book: `make screenshots`, into docs/."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BOOK = Path(__file__).resolve().parents[1]
HTML = BOOK / "_build" / "html"
TARGET = BOOK / "docs"
# name: page, where to scroll to, colours, width and height
SHOTS = {
    "front-light": ("chapters/index.html", ".explorer", "light", 1280, 900),
    "attention-dark": ("chapters/attention/scaled-dot-product.html", ".explorer", "dark", 1280, 800),
    "tour-phone": ("chapters/before/tour.html", ".book-figure", "light", 375, 720),
}
SENTENCE = "My brother doesn't eat meat."  # what the live translator is asked for on the first page


def take(browser, name, page, place, colours, width, height):
    """One screenshot, once the page is typeset and at rest."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=colours, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.goto((HTML / page).as_uri())
    tab.evaluate("document.fonts.ready.then(() => true)")
    if place and tab.locator(place).count():
        tab.locator(place).first.evaluate("one => one.scrollIntoView({block: 'center'})")
    if (example := tab.get_by_role("button", name=SENTENCE, exact=True)).count():
        example.first.click()
        tab.locator(".live-slide").press("End")
        tab.locator(".live-result[data-whole=true]").wait_for()
        tab.locator(place).first.evaluate("one => one.scrollIntoView({block: 'start'})")
    tab.wait_for_timeout(300)
    tab.screenshot(path=TARGET / f"{name}.png")
    context.close()


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("Chromium is not installed; on Debian and Ubuntu: apt-get install chromium")
    TARGET.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        for name, shot in SHOTS.items():
            if (HTML / shot[0]).exists():
                take(browser, name, *shot)
                print(f"docs/{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
