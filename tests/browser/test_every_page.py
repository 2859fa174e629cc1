"""Every page of the built book, over HTTP on a wide screen: one load of each, light and then dark."""

import pytest

from . import every_page as look
from .conftest import watch


@pytest.fixture(scope="module")
def window(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    context.set_default_timeout(60_000)
    yield context
    context.close()


@pytest.mark.browser
@pytest.mark.site
@pytest.mark.parametrize("chapter", look.CHAPTERS)
def test_a_page_on_a_wide_screen(window, served, chapter):
    faults = []
    page = watch(window.new_page(), faults)
    page.goto(f"{served}/{chapter}")
    look.typeset(page)
    found = {
        "formulas": look.untypeset(page),
        "code that is cut": page.evaluate(look.CUT_CODE),
        "formulas under their numbers": page.evaluate(look.RUN_OVER),
        "Hindi in another font": page.evaluate(look.WITHOUT_FONT),
    }
    seen = {}
    for colours in ("light", "dark"):
        look.in_colours(page, colours)
        seen[colours] = page.evaluate(look.COLOURS)
        found[f"figures in the {colours}"] = look.unreadable_figures(page, colours)
    found["colours that are the same in light and dark"] = set(seen["light"]) & set(seen["dark"])
    page.close()
    found["what went wrong"] = faults
    assert not look.listed(found), look.listed(found)
