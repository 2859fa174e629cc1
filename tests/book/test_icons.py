"""Icons: the letters of a font with those icons that the rules left over draw, and no others."""

import base64
import json
import re
import shutil
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

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


def test_an_icon_that_only_another_sheet_draws_is_in_the_font(tmp_path):
    """The pencil of an exercise is drawn by a sheet that is not the theme's."""
    shutil.copytree(THEME, tmp_path / "_static")
    (tmp_path / "_static" / "exercise.css").write_text('.exercise::before{content:"\\f303"}', encoding="utf-8")
    (tmp_path / "page.html").write_text('<p class="admonition exercise fa-solid">x</p>', encoding="utf-8")
    icons.lighten(SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=str(tmp_path)), None)
    css = (tmp_path / "_static" / icons.THEME).read_text(encoding="utf-8")
    assert 0xF303 in set().union(*(font.getBestCmap() for font in fonts(css)))


def test_an_icon_that_no_font_has_fails_the_build():
    css = used(SHEET, {"fa-solid", "fa-moon"}) + '.fa-new::before{content:"\\f8fe"}'
    with pytest.raises(ValueError, match=r"U\+F8FE"):
        icons.with_few_icons(css, THEME)


def built(folder, pages, scripts=None):
    """The style sheets of a book of these pages and scripts, after the last hand; by name."""
    static = folder / "_static"
    shutil.copytree(THEME, static)
    (static / "pygments.css").write_text(".k{color:red}.s1{color:green}.nb{color:blue}", encoding="utf-8")
    (static / "scripts").mkdir(exist_ok=True)
    for name, text in (scripts or {}).items():
        (static / "scripts" / name).write_text(text, encoding="utf-8")
    for number, page in enumerate(pages):
        (folder / f"{number}.html").write_text(page, encoding="utf-8")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=str(folder))
    icons.lighten(app, None)

    def sheets():
        return {file.name: file.read_text(encoding="utf-8") for file in static.rglob("*.css")}

    once = sheets()
    icons.lighten(app, None)
    assert sheets() == once, "a build that has nothing to write changes nothing"
    return once


def test_what_scripts_do_to_a_page_keeps_its_rules_and_what_they_only_call_so_does_not(tmp_path):
    page = '<p class="admonition note k">x</p><script>a.className = "topic"</script>'
    esm = json.dumps({"esm": "const s1 = 1; el.classList.add(`versionadded`)", "state": {"x": "danger"}})
    page += f'<script type="application/json">{esm}</script>'
    css = built(tmp_path, [page], {"own.js": 'const danger = 1, s1 = "deprecated"; /* "nb" */'})
    theme = css["pydata-sphinx-theme.css"]
    for name in ("admonition", "note", "topic", "versionadded", "deprecated"):
        assert re.search(rf"\.{name}\b", theme), name
    assert not re.search(r"\.danger\b", theme)
    assert css["pygments.css"] == ".k{color:red}"


def test_what_bootstrap_and_the_theme_do_to_a_page_keeps_its_rules(tmp_path):
    """Their own scripts, and a page with a button, a menu and a dialog: what opens, and how, stays styled."""
    page = '<div class="navbar dropdown btn-group search-button__wrapper"><button class="btn"></button></div>'
    theme = built(tmp_path, [page])["pydata-sphinx-theme.css"]
    for name in ("show", "collapsing", "collapse", "dropdown-menu", "tooltip", "tooltip-inner", "fade", "btn"):
        assert re.search(rf"\.{name}\b", theme), name


def test_no_rule_that_stays_asks_for_a_variable_that_went(tmp_path, monkeypatch):
    """Counted without the parser that cuts."""
    page = '<div class="bd-main admonition note btn"></div>'
    after = built(tmp_path / "after", [page])["pydata-sphinx-theme.css"]
    monkeypatch.setattr(icons, "asked_variables", lambda *_: None)
    before = built(tmp_path / "before", [page])["pydata-sphinx-theme.css"]
    defined, had = (set(re.findall(r"[{;](--[\w-]+):", css)) for css in (after, before))
    asked = set(re.findall(r"var\((--[\w-]+)", after))
    assert len(asked & had) > 50 and asked & had <= defined and len(defined) < 0.7 * len(had)
