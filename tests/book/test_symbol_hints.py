r"""Letters of displayed formulas: explained in the words of *Notation* where a page says so, and nowhere else."""

import re
from pathlib import Path

import formulas
import pytest
import symbol_hints
from bs4 import BeautifulSoup

from attention_book.pages.book_page import BookPage

CHAPTERS = Path(__file__).parents[2] / "chapters"
HTML = Path(__file__).parents[2] / "_build" / "html" / "chapters"
NOTATION = r"""
(notation-sizes)=
## Sizes

| In formulas | In code | What it counts |
|---|---|---|
| $n$ | `k_len` | [keys]{.role-key} |
| $d_\text{model}$ | `d_model` | numbers in a vector |

(notation-attention)=
## Attention

| In formulas | In code | Shape | What it is |
|---|---|---|---|
| $\query{Q}$, row $\query{q}_i$ | `q` | $m \times d_k$ | [queries]{.role-query} |
| $S = \query{Q}\key{K}^\top / \sqrt{d_k}$ | `scores` | $m \times n$ | scores < 1 |
| $W^Q$ | | $d_\text{model} \times h d_k$ | a projection |
| $E$ | | | told in {doc}`elsewhere` |
| $z$ | | $\frac{a}{b}$ | logits |

(letters-twice)=
## Letters with two senses

| Letter | On most pages | Elsewhere |
|---|---|---|
| $S$, $n$ | scores | a sum ({doc}`../beyond/sums`); words |

(notation-colours)=
## Colours
"""
ASKED = {"sizes": r"d_\text{model}", "attention": r"\query{Q} \query{q}_i S W^Q"}


def drawn(formula, page="attention/masks", declared=ASKED):
    """The tooltips of a displayed formula, in their order."""
    formulas.typesetter()("begin")
    html = formulas.typeset(formula, True, symbol_hints.hints(NOTATION, page, declared))
    return [one["title"].partition(":")[0] for one in BeautifulSoup(html, "html.parser").select("[data-symbol]")]


def test_a_letter_has_the_words_of_its_row_and_its_shape():
    known = symbol_hints.meanings(NOTATION)
    assert known["sizes"] == {"n": "n: keys", r"d_\text{model}": "d_model: numbers in a vector"}
    assert known["attention"] == {
        **dict.fromkeys([r"\query{Q}", r"\query{q}_i"], "Q, row q_i: queries; m × d_k"),
        "S": "S = QKᵀ / √d_k: scores < 1; m × n",
        "W^Q": "W^Q: a projection; d_model × h d_k",
    }  # a row with a link or with a formula that is not plain explains nothing


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        (r"S = \query{Q}\key{K}^\top", ["S = QKᵀ / √d_k", "Q, row q_i"]),
        (r"\query{Q}^\top S^2 {S} \frac{S}{d_{\text{model}}}", ["Q, row q_i", *["S = QKᵀ / √d_k"] * 3, "d_model"]),
        (r"\begin{aligned} a &= e^{S} \\ &= \query{q}_i \end{aligned}", ["S = QKᵀ / √d_k", "Q, row q_i"]),
        (r"X W^Q \query{X W^Q}", ["W^Q", "W^Q"]),
        # Another letter: without its colour, with another index or power, with a bar, or in the index itself.
        (r"Q + q_i + \query{Q}_1 + \query{q}_j + S_{ij} + \bar{S} + S^W + W^Q_i + x_S + \mathbf{S} + n", []),
        (r"\operatorname{Search} \text{S}", []),
    ],
)
def test_a_letter_is_explained_where_it_is_that_letter(formula, names):
    assert drawn(formula) == names


@pytest.mark.parametrize(
    ("page", "declared", "told"),
    [
        ("attention/masks", {"attention": "T"}, "does not explain"),  # not in the table
        ("attention/masks", {"sizes": "S"}, "does not explain"),  # in another section
        ("attention/masks", {"nothing": "S"}, "does not explain"),
        ("attention/masks", {"attention": "z"}, "does not explain"),
        ("beyond/sums", {"attention": "W^Q S"}, "another sense"),  # the wrong sense, as the table of senses says
        ("beyond/sums", {"sizes": "n"}, "another sense"),
        ("attention/masks", {"attention": "S S"}, "twice"),
    ],
)
def test_a_letter_that_would_be_explained_wrongly_fails_the_build(page, declared, told):
    with pytest.raises(ValueError, match=rf"{page}: symbols names .*{told}"):
        symbol_hints.hints(NOTATION, page, declared)


def test_a_page_that_declares_nothing_and_a_formula_in_a_line_have_no_hints(monkeypatch):
    page = (
        '<html lang="en"><head></head><body><p><span class="math">\\(S\\)</span></p>'
        '<div class="math" id="e"><span class="eqno">(1)</span>\\[S &lt; 1\\]</div><p>After.</p></body></html>'
    )
    assert "symbol" not in formulas.finish(page, "page")
    monkeypatch.setattr(formulas, "hints_of_page", lambda name: {"S": 'scores < "1"'})
    built = BeautifulSoup(formulas.finish(page, "page"), "html.parser")
    [mark] = built.select("[data-symbol]")
    assert mark["title"] == 'scores < "1"' and mark.find_parent("mjx-math")["aria-hidden"] == "true"
    below = built.select_one("div.math").find_next_sibling()
    assert below.name == "details" and [one.get_text() for one in below.select("li")] == ['scores < "1"']
    for spoken in built.select("mjx-assistive-mml"):
        assert "symbol" not in str(spoken) and "title" not in str(spoken)


def declaring():
    for path in sorted(CHAPTERS.rglob("*.md")):
        if re.search(r"^symbols:$", path.read_text(encoding="utf-8"), re.M):
            yield path.relative_to(CHAPTERS).with_suffix("").as_posix()


@pytest.mark.parametrize("page", list(declaring()))
def test_what_a_page_declares_is_in_its_displayed_formulas(page):
    hints = symbol_hints.hints_of_page(f"chapters/{page}")
    displayed = re.findall(r"^\$\$(.*?)^\$\$", BookPage.read(CHAPTERS / f"{page}.md").source, re.M | re.S)
    formulas.typesetter()("begin")
    found = {title for one in displayed for title in re.findall(
        r' data-symbol="" title="([^"]*)"', formulas.typeset(one, True, {letter: letter for letter in hints})
    )}  # fmt: skip
    assert hints and found == set(hints), (
        f"chapters/{page}.md: symbols names {set(hints) - found}, which is in no formula"
    )


@pytest.mark.site
def test_the_built_pages_have_a_list_below_each_formula_with_explained_letters():
    for page in declaring():
        built = BeautifulSoup((HTML / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
        lists = built.select("details.symbols")
        assert lists, page
        for one in lists:
            titles = {mark["title"] for mark in one.find_previous_sibling().select("[data-symbol]")}
            assert titles == {row.get_text() for row in one.select("li")}
