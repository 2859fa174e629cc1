"""Every page of the built book, from its file and with the network off: loaded once, on a phone, and then widened."""

import pytest

from . import every_page as look

PHONE, WIDE = 375, 1280
pytestmark = [pytest.mark.browser, pytest.mark.site]


def on_a_phone(page, chapter):
    yield "formulas", look.untypeset(page)
    yield "explorers", look.silent_explorers(page, chapter)
    yield "formulas under their numbers", page.evaluate(look.RUN_OVER)
    yield "type in figures below 9 pixels", page.evaluate(look.SMALL_TYPE)
    yield "what scrolls and does not say so", page.evaluate(look.WITHOUT_CUE)
    yield "what is cut and cannot be scrolled to", page.evaluate(look.HIDDEN)
    yield "tables with columns out of sight", page.evaluate(look.TABLES)
    for colours in ("dark", "light"):
        look.in_colours(page, colours)
        yield f"wider than the page in the {colours}", look.too_wide(page, PHONE)


def on_a_wide_screen(page, chapter):
    yield "code that is cut", page.evaluate(look.CUT_CODE)
    yield "formulas under their numbers", page.evaluate(look.RUN_OVER)
    yield "Hindi in another font", page.evaluate(look.WITHOUT_FONT)
    seen = {}
    for colours in ("light", "dark"):
        look.in_colours(page, colours)
        seen[colours] = page.evaluate(look.COLOURS)
        yield f"figures in the {colours}", look.unreadable_figures(page, colours)
        yield f"wider than the page in the {colours}", look.too_wide(page, WIDE)
        rules = ["color-contrast"] if colours == "dark" else []  # all others are about what is the same in both
        yield f"not accessible in the {colours}", look.inaccessible(page, chapter, *rules)
    yield "colours that are the same in light and dark", set(seen["light"]) & set(seen["dark"])


@pytest.mark.parametrize("chapter", look.CHAPTERS)
def test_a_page(open_page, chapter):
    page = open_page(f"{look.HTML.as_uri()}/{chapter}", width=PHONE, colours="dark")
    look.typeset(page)
    look.drawn(page)
    found = {f"{check}, on a phone": faults for check, faults in on_a_phone(page, chapter)}
    page.set_viewport_size({"width": WIDE, "height": 900})
    look.drawn(page)
    found |= {f"{check}, on a wide screen": faults for check, faults in on_a_wide_screen(page, chapter)}
    assert not look.listed(found), look.listed(found)


def test_there_are_explorers_to_look_at():
    assert look.explorers("chapters/attention/scaled-dot-product.html")
