"""Every page of the built book, from a file on a phone: one load of each, dark and then light."""

import pytest

from . import every_page as look
from .conftest import watch


@pytest.fixture(scope="module")
def phone(chromium):
    context = chromium.new_context(viewport={"width": 375, "height": 900}, color_scheme="dark")
    context.set_default_timeout(60_000)
    yield context
    context.close()


@pytest.mark.browser
@pytest.mark.site
@pytest.mark.parametrize("chapter", look.CHAPTERS)
def test_a_page_on_a_phone(phone, chapter):
    faults = []
    page = watch(phone.new_page(), faults)
    page.goto(f"{look.HTML.as_uri()}/{chapter}")
    look.typeset(page)
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")  # the cues follow the formulas
    found = {
        "formulas": look.untypeset(page),
        "formulas under their numbers": page.evaluate(look.RUN_OVER),
        "type in figures below 9 pixels": page.evaluate(look.SMALL_TYPE),
        "what scrolls and does not say so": page.evaluate(look.WITHOUT_CUE),
        "what is cut and cannot be scrolled to": page.evaluate(look.HIDDEN),
        "tables with columns out of sight": page.evaluate(look.TABLES),
    }
    for colours in ("dark", "light"):
        look.in_colours(page, colours)
        found[f"wider than the page in the {colours}"] = page.evaluate(look.WIDER_THAN_THE_PAGE)
        width = page.evaluate("document.scrollingElement.scrollWidth")
        found[f"the page scrolls sideways in the {colours}"] = [f"{width} pixels"] if width > 375 else []
    page.close()
    found["what went wrong"] = faults
    assert not look.listed(found), look.listed(found)
