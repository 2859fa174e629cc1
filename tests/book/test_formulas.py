"""Formulas that are set when the book is built: drawn, spoken, and with their source."""

import re
from io import BytesIO
from types import SimpleNamespace

import formulas
import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

PAGE = '<html lang="en" data-content_root="../"><head></head><body><article>{}</article></body></html>'
INLINE = r'<span class="math notranslate nohighlight">\({}\)</span>'


def finished(content):
    return BeautifulSoup(formulas.finish(PAGE.format(content), "page"), "html.parser")


def letters(drawn):
    """The code points that a formula draws, from the classes of its letters."""
    codes = [re.search(r"mjx-c([0-9A-F]+)", " ".join(one["class"])).group(1) for one in drawn.select("mjx-c")]
    return "".join(chr(int(code, 16)) for code in codes)


def test_a_formula_is_drawn_and_spoken_and_keeps_its_source():
    page = finished(INLINE.format(r"a &lt; \frac{b}{2}"))
    [formula] = page.select("span.math > mjx-container")
    assert letters(formula.select_one("mjx-math")) == "𝑎<𝑏2"
    assert formula.select_one("mjx-math")["aria-hidden"] == "true"
    spoken = formula.select_one("mjx-assistive-mml math")
    assert spoken.annotation.extract().get_text() == r"a < \frac{b}{2}"
    assert [one.name for one in spoken.mfrac.find_all(recursive=False)] == ["mi", "mn"]
    assert spoken.get_text() == "a<b2"


def test_no_line_begins_with_the_stop_behind_a_formula():
    page = finished(f"So ({INLINE.format('a')}), {INLINE.format('b')} and {INLINE.format('c')}. End.")
    assert [one.get_text()[0] + one.get_text()[-1] for one in page.select(".math-stop")] == ["(,", "c."]
    assert len(page.select("span.math")) == 3 and page.article.get_text().endswith(". End.")
    assert ".math-stop{white-space:nowrap}" in page.select_one("style").get_text()


@pytest.mark.parametrize("role", ["query", "key", "val", "weight", "mask", "out"])
def test_the_roles_of_the_book_are_classes_in_what_is_drawn(role):
    name = {"val": "value", "out": "output"}.get(role, role)
    drawn = finished(INLINE.format(rf"\{role}{{Q}}")).select_one(f"mjx-math .role-{name}")
    assert letters(drawn) == "𝑄"


@pytest.mark.parametrize(
    "formula",
    [
        r"\begin{split} a &amp;= b \\ &amp;= c \end{split}",
        r"x = \begin{cases} 1 &amp; \text{if } i \le j, \\ 0 &amp; \text{else} \end{cases}",
        r"\begin{pmatrix} 1 &amp; 2 \\ 3 &amp; 4 \end{pmatrix}",
    ],
)
def test_what_has_rows_is_set_in_rows(formula):
    page = finished(
        rf'<div class="math notranslate nohighlight" id="equation-a"><span class="eqno">(1)</span>\[{formula}\]</div>'
    )
    assert page.select_one(".eqno").get_text() == "(1)"
    drawn = page.select_one('div.math > mjx-container[display="true"]')
    assert len(drawn.select("mjx-math mjx-mtr")) == 2


def test_every_letter_has_a_rule_that_draws_it_and_a_font():
    page = finished(
        INLINE.format(r"\mathbf{x}^\top \sum_{i=1}^n \sqrt{\left(\frac{\frac{a}{b}}{c}\right)} \in \mathbb{R}")
    )
    [style] = page.select("head > style.formulas")
    rules = style.get_text()
    for one in page.select("mjx-math mjx-c"):
        own = ".".join(["mjx-c", *one["class"]]) + "::before{"
        assert own in rules or one.find_parent(re.compile("mjx-stretchy")), own
    faces = set(
        re.findall(r"@font-face\{font-family:([\w-]+);src:url\(\"\.\./_static/vendor/mathjax/[\w-]+\.woff2", rules)
    )
    named = {
        f"MJX{name}" for one in page.select("[class*=TEX-]") for name in re.findall(r"TEX-\w+", " ".join(one["class"]))
    }
    assert {"MJXTEX", "MJXZERO", "MJXTEX-B", "MJXTEX-A"} <= named | {"MJXTEX", "MJXZERO"} <= faces
    assert '.woff"' not in rules and len(rules) < 14_000


def test_what_one_page_uses_is_not_in_the_rules_of_the_next():
    finished(INLINE.format(r"\sum"))
    assert 'content:"\\2211"' not in finished(INLINE.format("a")).style.get_text().replace(" ", "")


def test_a_formula_in_an_output_is_set_and_code_is_not():
    output = (
        r'<div class="output text_html"><figcaption>so \(x\) is</figcaption><pre>\(y\)</pre><code>\(z\)</code></div>'
    )
    page = finished(output + r"<p>\(w\)</p><script>const a = '\\(v\\)';</script>")
    assert [letters(one.select_one("mjx-math")) for one in page.select("mjx-container")] == ["𝑥"]
    assert [one.get_text() for one in page.select("pre, code, article > p")] == [r"\(y\)", r"\(z\)", r"\(w\)"]


@pytest.mark.parametrize("formula", [r"\nosuch{x}", "{x", r"\frac{a}", r"\begin{cases} x"])
def test_a_formula_that_is_not_understood_fails_the_build_and_is_named(formula):
    with pytest.raises(ValueError, match=r"^chapters/masks: MathJax does not understand") as raised:
        formulas.finish(PAGE.format(INLINE.format(formula)), "chapters/masks")
    assert formula in str(raised.value).replace("\\\\", "\\")


def test_a_page_without_a_formula_carries_nothing_of_mathjax():
    scripts = (
        '<script>window.MathJax = {"tex": {}}</script>\n<script defer="defer" src="x/mathjax/tex-chtml.js"></script>'
    )
    page = PAGE.format("<p>x</p>")
    assert formulas.finish(page.replace("</head>", scripts + "</head>"), "page") == page


def test_the_fonts_that_are_written_are_those_that_pages_name_with_their_letters(tmp_path):
    (tmp_path / "page.html").write_text(
        formulas.finish(PAGE.format(INLINE.format(r"Q_1 + \top")), "page"), encoding="utf-8"
    )
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    formulas.write_fonts(app, None)
    written = {file.stem: TTFont(BytesIO(file.read_bytes())) for file in (tmp_path / formulas.FONTS).glob("*.woff2")}
    assert {"MathJax_Main-Regular", "MathJax_Math-Italic", "MathJax_Zero"} <= set(written)
    assert set(written["MathJax_Main-Regular"].getBestCmap()) == {ord(one) for one in "Q1+⊤"}
    assert ord("Q") in written["MathJax_Math-Italic"].getBestCmap()


def test_a_letter_that_the_fonts_lack_is_as_wide_as_the_readers_font_has_it():
    letter = finished(INLINE.format(r"\text{jardín}")).select_one("mjx-utext")
    assert letter.get_text() == "í" and "width" not in letter["style"] and "font-size" in letter["style"]


def test_a_brace_is_drawn_and_so_is_what_comes_after_it():
    formula = r"x = \begin{cases} 1 &amp; \text{if } i \le 0, \\ 2 &amp; \text{else} \end{cases} \{ a / b \}"
    page = finished(INLINE.format(formula))
    rules = page.style.get_text()
    missing = [
        one["class"]
        for one in page.select("mjx-math mjx-c")
        if "mjx-c" + "." + ".".join(one["class"]) + "::before{" not in rules
    ]
    assert missing == [] and "MJXTEX-S3" in rules


def test_what_no_rule_asks_for_goes_from_a_formula_and_what_a_rule_asks_for_stays():
    page = finished(INLINE.format(r"\query{Q} = \left(\frac{a}{b}\right)^2 \lVert x \rVert") + "<p>mjx-i</p>")
    rules = page.style.get_text()
    drawn = page.select_one("mjx-container")
    asked = set(re.findall(r"\.([A-Za-z][\w-]*)", rules))
    classes = {name for one in drawn.find_all(class_=True) for name in one["class"]}
    assert {"role-query", "TEX-I", "MJX-TEX"} <= classes
    assert {name for name in classes if name.startswith("mjx-")} <= asked
    assert not drawn.find_all(texclass=True) and not drawn.find_all(unselectable=True)
    # Each attribute that a rule asks for is in a formula, and those that formulas have kept their rules.
    marks = set(re.findall(r"\[(\w+)=\"(\w+)\"\]", re.sub(r":not\([^()]*\)", "", rules.partition("mjx-assistive")[0])))
    assert marks and all(page.find_all(attrs={name: value}) for name, value in marks)
    assert {value for one in drawn.find_all(size=True) for value in [one["size"]]} <= {
        value for name, value in marks if name == "size"
    }


def test_an_attribute_of_one_formula_brings_its_rule_and_no_other():
    narrow = finished(INLINE.format("a"))
    wide = finished(INLINE.format(r"a \quad = b_i"))
    rule = 'mjx-container [space="4"]{margin-left:'
    assert rule in wide.style.get_text() and rule not in narrow.style.get_text()
    assert wide.find_all(attrs={"space": "4"}) and "mjx-container {" not in wide.style.get_text()
