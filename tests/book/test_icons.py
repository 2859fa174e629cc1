"""Icons: the letters of a font with those icons that the rules left over draw, and no others."""

import base64
import re
from io import BytesIO
from pathlib import Path

import icons
import pydata_sphinx_theme
import pytest
from fontTools.ttLib import TTFont
from used_rules import used

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
SHEET = (THEME / icons.THEME).read_text(encoding="utf-8")
DATA = re.compile(r"base64,([^\"]+)\"")


def fonts(css):
    return [TTFont(BytesIO(base64.b64decode(data))) for data in DATA.findall(css) if data.startswith("d09GMg")]  # wOF2


def test_a_page_with_one_icon_gets_its_drawing_and_not_all():
    css = icons.with_few_icons(used(SHEET, {"fa-solid", "fa-moon"}), THEME)
    drawings = set().union(*(font.getBestCmap() for font in fonts(css)))
    assert 0xF186 in drawings and len(drawings) < 40  # the moon, and the marks of admonitions
    assert "woff2)" not in css and len(css) < 0.6 * len(SHEET)


def test_a_sheet_that_has_its_small_font_stays_as_it_is():
    """A build that writes no page finds the sheet as the build before it left it, and no large font beside it."""
    small = icons.with_few_icons(used(SHEET, {"fa-solid", "fa-moon"}), THEME)
    assert icons.with_few_icons(small, THEME / "nowhere") == small


def test_a_mark_that_a_rule_takes_from_a_variable_of_a_variable_is_drawn():
    css = '--a:var(--b);--b:"\uf05a"} .x{content:var(--a)} .y{content:"\\f186"} .z{content:"→"}'
    assert icons.drawn(css) == {"\uf05a", "\uf186"}
    assert icons.drawn('--b:"\uf05a"}') == set()


def test_an_icon_that_no_font_has_fails_the_build():
    css = used(SHEET, {"fa-solid", "fa-moon"}) + '.fa-new::before{content:"\\f8fe"}'
    with pytest.raises(ValueError, match=r"U\+F8FE"):
        icons.with_few_icons(css, THEME)
