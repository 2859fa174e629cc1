"""Sphinx extension: carry only the style rules and the icons that the book's pages use.

The theme brings Font Awesome twice, as a script (1.5 MB, see `light_head`) and as fonts with two thousand rules. What
is left, when the pages are written, is a font of the icons that pages and rules name, a few kB within the style sheet
itself, so that an icon is there with the first paint; and of the theme's sheets the rules and variables that a page can
use (`used_rules`). A script can give an element a class that no page has: those stand in its strings.
"""

import base64
import json
import re
from pathlib import Path

from kept_files import place_of
from one_sheet import PLACED
from short_scripts import texts
from subset_fonts import subset_font
from used_rules import asked_variables, used, words

THEME = "styles/pydata-sphinx-theme.css"
SHEETS = (THEME, "styles/sphinx-book-theme.css", "sphinx-design.min.css", "mystnb.*.css", "basic.css", "proof.css",
          "pygments.css", "togglebutton.css", "copybutton.css", "exercise.css", "book.css")  # fmt: skip
FACE = re.compile(r"@font-face\{[^}]*font-family:Font Awesome\\ 6 [A-Za-z]+;[^}]*\}")
FILE = re.compile(r"url\(\.\./(vendor/fontawesome/webfonts/[^)]*\.woff2)\)")
FONT = "data:font/woff2;base64,"
CONTENT = re.compile(r"content:\s*(?:\"([^\"]+)\"|var\((--[\w-]+)\))")
VARIABLE = re.compile(r"(--[\w-]+):\s*(?:\"([^\"]+)\"|var\((--[\w-]+)\))")
# What a script may name and a page not have, of Bootstrap and of Font Awesome: then the rules go all the same.
PARTS = (
    "accordion",
    "carousel",
    "modal",
    "offcanvas",
    "popover",
    "toast",
    "far",
    "fab",
    "fa-regular",
    "fa-brands",
    "github",
)
WRITTEN = ("mystnb.*.css", "pygments.css")  # of pages alone: no script marks a word of code, or a cell
NAMED = re.compile(r"\b(?:class|id)=\"([^\"]*)\"")
INLINE = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.S)
LONGEST = 100_000  # what is longer is no name but what a script brings along, such as the translator's numbers
UNUSED = ("scripts/fontawesome.js", "scripts/*.map", "scripts/fontawesome.js.LICENSE.txt", "styles/*.map")


def drawn(css):
    """The characters that a style sheet draws as icons, by itself or through a variable: those of private use."""
    variables = {name: (text, other) for name, text, other in VARIABLE.findall(css)}
    found = set()
    for text, name in CONTENT.findall(css):
        while name in variables:
            text, name = variables[name]
        code = re.fullmatch(r"\\([0-9a-fA-F]{4,5})", text)
        character = chr(int(code.group(1), 16)) if code else text
        found.update(one for one in character if 0xE000 <= ord(one) <= 0xF8FF)
    return found


def with_few_icons(css, folder, others=(), place=None):
    """The theme's sheet with a font of its icons in place of the three of Font Awesome.

    A sheet that has it already stays as it is: a build that has nothing to write does not copy the theme's anew.

    Args:
        css: the sheet.
        folder: where the fonts that it names lie.
        others: icons that other sheets draw with these fonts.
        place: where fonts that were cut are kept; None for nowhere.

    Raises:
        ValueError: if a rule draws an icon that none of the fonts has.
    """
    if re.search(FONT, css) and not FILE.search(css):
        return css
    wanted, had = drawn(css) | set(others), set()

    def smaller(match):
        face = match.group(0)
        weight = re.search(r"font-weight:(\d+)", face).group(1)
        family = re.search(r"Font Awesome\\ 6 ([A-Za-z]+)", face).group(1)
        used_by = {"900": r"fa-font-solid|\.fas|\.fa-solid", "400": r"var\(--fa-font-regular\)|\.far\b|\.fa-regular\b"}
        rules = FACE.sub("", css)
        if family == "Brands" and not re.search(r"var\(--fa-font-brands\)", rules):
            return ""
        if family == "Free" and not re.search(used_by[weight], rules):
            return ""
        content, has = subset_font(folder / FILE.search(face).group(1), wanted, place=place)
        had.update(has)
        if not has:
            return ""
        address = f"{FONT}{base64.b64encode(content).decode()}"
        return re.sub(r"src:[^;}]*", lambda _: f'src:url("{address}") format("woff2")', face)

    css, faces = FACE.subn(smaller, css)
    if not faces or wanted - had:
        missing = ", ".join(f"U+{ord(one):04X}" for one in sorted(wanted - had))
        raise ValueError(f"{THEME}: of its icons, {missing or 'all'} are in no font that it loads")
    return css


def spoken(pages, scripts):
    """The words in the strings of all scripts, of those that stand in pages and of the explorers' modules, too."""
    codes = set(scripts)
    for kind, text in {one for page in pages for one in INLINE.findall(page)}:
        if "json" not in kind:
            codes.add(text)
        elif "esm" in (data := json.loads(text)):
            codes.add(data["esm"])
    return words(text for code in codes for text in texts(code) if len(text) < LONGEST)


def lighten(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    if not (static / THEME).exists():
        return
    pages = [file.read_text(encoding="utf-8") for file in Path(app.outdir).rglob("*.html")]
    scripts = [file.read_text(encoding="utf-8") for file in static.rglob("*.js") if file.name != "fontawesome.js"]
    written = words({one for page in pages for one in NAMED.findall(page)})
    absent = tuple(part for part in PARTS if not any(name.startswith(part) for name in written))
    known = written | {name for name in spoken(pages, scripts) if not name.startswith(absent)}
    bundles = set(static.glob(PLACED))  # of an earlier build
    sheets = {file: file.read_text(encoding="utf-8") for file in static.rglob("*.css") if file not in bundles}
    to_cut = {file for name in SHEETS for file in static.glob(name)}
    from_pages = {file for name in WRITTEN for file in static.glob(name)}
    place = place_of(app)
    for sheet in to_cut:
        sheets[sheet] = used(sheets[sheet], written if sheet in from_pages else known, place=place)
    asked = asked_variables(sheets.values(), [*pages, *scripts])
    others = drawn("".join(css for sheet, css in sheets.items() if sheet != static / THEME))
    for sheet in to_cut:
        css = used(sheets[sheet], known, asked, place)
        css = with_few_icons(css, static, others, place) if sheet == static / THEME else css
        sheet.write_text(css, encoding="utf-8")
    for file in (file for name in UNUSED for file in static.glob(name)):
        file.unlink()
    fonts = static / "vendor" / "fontawesome"
    for file in sorted(fonts.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()


def setup(app):
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
