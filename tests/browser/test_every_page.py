"""Every page of the built book, from its file and with the network off: loaded once, on a phone, and then widened."""

import pytest

from . import every_page as look

PHONE, WIDE = 375, 1280
pytestmark = [pytest.mark.browser, pytest.mark.site]


@pytest.fixture(scope="module")
def looks():
    """The looks of texts whose contrast is enough: each is looked at on the first page that has it."""
    return set()


def on_a_phone(page, chapter):
    yield "formulas", look.untypeset(page)
    yield "explorers", look.silent_explorers(page, chapter)
    yield "formulas under their numbers", page.evaluate(look.RUN_OVER)
    yield "type in figures below 9 pixels", page.evaluate(look.SMALL_TYPE)
    yield "what scrolls and does not say so", page.evaluate(look.WITHOUT_CUE)
    yield "what is cut and cannot be scrolled to", page.evaluate(look.HIDDEN)
    yield "tables with columns out of sight", page.evaluate(look.TABLES)
    for colours in ("dark", "light"):  # a page is opened in the dark, and each change costs it a second
        look.in_colours(page, colours)
        yield f"wider than the page in the {colours}", look.too_wide(page, PHONE)


def on_a_wide_screen(page, chapter, looks):
    yield "code that is cut", page.evaluate(look.CUT_CODE)
    yield "formulas under their numbers", page.evaluate(look.RUN_OVER)
    yield "Hindi in another font", page.evaluate(look.WITHOUT_FONT)
    seen = {}
    for colours in ("light", "dark"):
        look.in_colours(page, colours)
        seen[colours] = page.evaluate(look.COLOURS)
        yield f"figures in the {colours}", look.unreadable_figures(page, colours)
        yield f"wider than the page in the {colours}", look.too_wide(page, WIDE)
        rules = look.BY_LOOK if colours == "dark" else []  # all others are about what is the same in both
        yield f"not accessible in the {colours}", look.inaccessible(page, chapter, *rules, looks=looks)
        yield f"the keyboard's mark in the {colours}", page.evaluate(look.FAINT_FOCUS)
    yield "colours that are the same in light and dark", set(seen["light"]) & set(seen["dark"])


@pytest.mark.parametrize("chapter", look.CHAPTERS)
def test_a_page(open_page, looks, chapter):
    page = open_page(f"{look.HTML.as_uri()}/{chapter}", width=PHONE, colours="dark")
    look.typeset(page)
    look.drawn(page)
    found = {f"{check}, on a phone": faults for check, faults in on_a_phone(page, chapter)}
    page.set_viewport_size({"width": WIDE, "height": 900})
    look.drawn(page)
    found |= {f"{check}, on a wide screen": faults for check, faults in on_a_wide_screen(page, chapter, looks)}
    assert not look.listed(found), look.listed(found)


def test_tall_brackets_are_no_blocks_in_colours_that_are_forced(open_page):
    """They are put together of pieces, whose clear borders keep the room between them."""
    page = open_page(f"{look.HTML.as_uri()}/chapters/attention/masks.html")
    look.typeset(page)
    page.emulate_media(forced_colors="active")
    borders = "all => all.map(one => getComputedStyle(one).borderTopColor)"
    assert set(page.locator("mjx-stretchy-v > mjx-ext").evaluate_all(borders)) == {"rgba(0, 0, 0, 0)"}
    page.emulate_media(forced_colors="none")


FAINT = {
    "by its colour": '<p style="color: #aaa">faint</p>',
    "by what is behind it": '<div style="background: #444"><p>faint</p></div>',
    "by how much shines through": '<section style="opacity: 0.4"><p>faint</p></section>',
    "by its size": '<p style="color: #777; font-size: 30px">large</p><p style="color: #777">faint</p>',
    "upon another": '<div style="position: absolute; top: 0; width: 9em; height: 9em; background: #444"></div>'
    '<p style="position: absolute; top: 1em">faint</p>',
}


@pytest.mark.parametrize("faint", FAINT.values(), ids=FAINT)
def test_one_faint_text_among_many_is_found(open_page, tmp_path, faint):
    """Of texts that look alike only one is looked at; one that looks otherwise may not hide among them."""
    many = "<p>A sentence.</p>" * 20
    (tmp_path / "page.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Faint</title><link rel="icon" href="data:,">'
        f'<body style="background: #fff; color: #000"><main><h1>Title</h1>{many}{faint}{many}</main></body></html>',
        encoding="utf-8",
    )
    page = open_page((tmp_path / "page.html").as_uri())
    found = look.inaccessible(page, look.WITH_ALL[0])
    page.evaluate("axe.configure({ rules: [{ id: 'color-contrast', selector: '*' }] })")
    everything = page.evaluate(look.AXE, [[], ["color-contrast"]])
    assert [one for one in found if "color-contrast" in one] == everything
    assert "faint" in str(everything)


UNTOLD = {
    "by its line": '<p>Text with <a href="#" style="text-decoration: none; color: #222">a link</a> in it.</p>',
    "by its block": '<p style="color: #00e">Text with <a href="#" class="bare">a link</a> in it.</p>',
    "in a span": '<p>Text, <span><a href="#" style="text-decoration: none; color: #111">a link</a></span>.</p>',
}


@pytest.mark.parametrize("untold", UNTOLD.values(), ids=UNTOLD)
def test_one_link_that_is_not_told_from_its_text_is_found_among_many(open_page, tmp_path, untold):
    many = '<p>Text with <a href="#">a link</a> and with <a href="#" class="bare">another</a>.</p>' * 20
    (tmp_path / "page.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Links</title><link rel="icon" href="data:,">'
        "<style>.bare { text-decoration: none; color: #06c }</style>"
        f'<body style="background: #fff; color: #000"><main><h1>Title</h1>{many}{untold}{many}</main></body></html>',
        encoding="utf-8",
    )
    page, looks = open_page((tmp_path / "page.html").as_uri()), set()
    for _ in range(2):  # where it was found, it is looked at again
        (found,) = look.inaccessible(page, look.WITH_ALL[0], "link-in-text-block", looks=looks)
        assert found.startswith("link-in-text-block (serious)") and "#" in found
    assert page.locator("[data-link-looked-at]").count() < 5 and not looks
    page.evaluate("axe.configure({ rules: [{ id: 'link-in-text-block', selector: 'a[href]' }] })")
    assert page.evaluate(look.AXE, [[], ["link-in-text-block"]]) == [found]


def test_a_look_is_looked_at_once_and_a_faint_one_each_time(open_page, tmp_path):
    looks, wanted = set(), ["color-contrast"]
    for place, (text, faults) in enumerate([("clear", 0), ("clear", 0), (FAINT["by its colour"], 1)] * 2):
        file = tmp_path / f"{place}.html"
        file.write_text(f'<!doctype html><body style="background: #fff; color: #000">{text}</body>', encoding="utf-8")
        page = open_page(file.as_uri())
        before = len(looks)
        assert len(look.inaccessible(page, "", *wanted, looks=looks)) == faults
        assert len(looks) == (1 if place == 0 else before)
        assert page.locator("[data-looked-at]").count() == (faults or place == 0)


def test_what_is_left_out_of_the_look_comes_back_as_it_was(open_page):
    """Formulas, code and menus are emptied while axe looks; a fault beside them is found all the same."""
    chapter, inside = "chapters/attention/masks.html", "all => all.map(one => one.innerHTML)"
    page = look.typeset(open_page(f"{look.HTML.as_uri()}/{chapter}"))
    page.evaluate("document.querySelector('main mjx-container').after(document.createElement('button'))")
    left_out = page.locator("nav, main pre, main mjx-container")
    before = left_out.evaluate_all(inside)
    (found,) = look.inaccessible(page, chapter, "button-name")
    assert "button-name" in found and "<button></button>" in found
    after = left_out.evaluate_all(inside)
    assert [one.replace(' data-looked-at=""', "") for one in after] == before
    assert len(before) > 20


def test_there_are_explorers_to_look_at():
    assert look.explorers("chapters/attention/scaled-dot-product.html")
