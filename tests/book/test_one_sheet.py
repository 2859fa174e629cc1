"""One style sheet for a page: which, in what order, and what it holds."""

import re

import one_sheet
import pytest

LINK = '<link rel="stylesheet" type="text/css" href="{}" />'
THEME = '<link href="../_static/styles/theme.css?digest=12" rel="stylesheet" />'
BOOK = LINK.format("../_static/book.css?v=34")


class App:
    """As much of Sphinx as the extension asks: the builder's format, and where it writes."""

    format = "html"

    def __init__(self, outdir):
        self.builder, self.outdir = self, str(outdir)


@pytest.fixture
def built(tmp_path):
    """Write sheets by name, and pages that link to them in this order; returns the pages' sheets by their names."""

    def build(sheets, *pages):
        for name, css in sheets.items():
            (tmp_path / "_static" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "_static" / name).write_text(css, encoding="utf-8")
        for number, names in enumerate(pages):
            links = "".join(LINK.format(f"_static/{name}") for name in names)
            html = one_sheet.finish(f"<head>{links}</head>", "page")
            (tmp_path / f"{number}.html").write_text(html, encoding="utf-8")
        one_sheet.write(App(tmp_path), None)
        return {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "_static").glob("all-*.css")}

    return build


def test_a_page_has_one_link_where_the_first_stood_and_it_names_the_sheets_in_order():
    page = one_sheet.finish(f"<head><title>x</title>{THEME}<meta>{BOOK}<meta></head>{BOOK}", "page")
    assert re.sub(r"[0-9a-f]{8}", "#", page) == (
        '<head><title>x</title>\n<link rel="stylesheet" href="../_static/all-#.css?v=#" '
        f'data-sheets="styles/theme.css book.css" /><meta><meta></head>{BOOK}'
    )


def test_the_address_changes_with_the_content_of_a_sheet_and_the_file_with_their_names():
    def address(*links):
        return re.search(
            r"all-(\w+)\.css\?v=(\w+)", one_sheet.finish(f"<head>{''.join(links)}</head>", "page")
        ).groups()

    first, newer, turned = address(THEME, BOOK), address(THEME, BOOK.replace("34", "35")), address(BOOK, THEME)
    assert first[0] == newer[0] != turned[0] and first[1] != newer[1]


def test_one_sheet_stays_as_it_is_and_what_nothing_uses_goes():
    assert one_sheet.finish(f"<head>{BOOK}</head>", "page") == f"<head>{BOOK}</head>"
    thebe = LINK.format("../_static/sphinx-thebe.css?v=1")
    assert 'data-sheets="styles/theme.css book.css"' in one_sheet.finish(f"<head>{THEME}{thebe}{BOOK}</head>", "page")


@pytest.mark.parametrize(
    "other",
    [
        LINK.format("https://example.org/a.css"),
        LINK.format("../../_static/a.css"),
        LINK.format("../_static/a.css").replace(" type=", ' media="print" type='),
    ],
    ids=["from elsewhere", "from another folder", "for paper alone"],
)
def test_a_sheet_that_cannot_be_joined_is_an_error(other):
    with pytest.raises(ValueError, match="chapters/masks: its style sheets"):
        one_sheet.finish(f"<head>{THEME}{other}</head>", "chapters/masks")


def test_the_sheets_stand_in_their_order(built):
    [css] = built({"a.css": "a{b:c}", "b.css": '@charset "utf-8";\nd{e:f}'}, ["b.css", "a.css"]).values()
    assert css == "d{e:f}\na{b:c}"


def test_what_a_sheet_imports_stands_in_its_place(built):
    sheets = {
        "basic.css": "p{x:url(file.png)}",
        "styles/t.css": '/* of the theme */\n@import "../basic.css";',
        "z.css": "z{}",
    }
    [css] = built(sheets, ["styles/t.css", "z.css"]).values()
    assert css == '/* of the theme */\np{x:url("file.png")}\nz{}'


def test_a_sheet_that_imports_itself_is_an_error(built):
    with pytest.raises(ValueError, match="imports itself"):
        built({"a.css": '@import "b.css";', "b.css": "@import url('a.css');"}, ["a.css", "b.css"])


@pytest.mark.parametrize(
    ("address", "placed"),
    [
        ("url(../images/a.png)", 'url("images/a.png")'),
        ("url('b.png')", 'url("styles/b.png")'),
        ('url( "c.png" )', 'url("styles/c.png")'),
        ("url(data:font/woff2;base64,d09G)", "url(data:font/woff2;base64,d09G)"),
        ('url("data:font/woff2;base64,d09G")', 'url("data:font/woff2;base64,d09G")'),
        ("url(#gradient)", "url(#gradient)"),
        ("url(/a.png)", "url(/a.png)"),
    ],
)
def test_addresses_lead_where_they_led(built, address, placed):
    [css] = built({"styles/a.css": f"p{{b:{address}}}", "b.css": ""}, ["styles/a.css", "b.css"]).values()
    assert css.strip() == f"p{{b:{placed}}}"


def test_pages_with_the_same_sheets_share_a_file_and_one_that_no_page_names_goes(built):
    sheets = {"a.css": "a{}", "b.css": "b{}"}
    assert len(built(sheets, ["a.css", "b.css"], ["a.css", "b.css"], ["b.css", "a.css"])) == 2
    [css] = built({"a.css": "a{new:1}"}, ["a.css", "b.css"], ["a.css", "b.css"], ["a.css", "b.css"]).values()
    assert css == "a{new:1}\nb{}"
