"""Bets: their fields, what is wrong with one, and how pages settle them."""

import re

import bets
import nbformat
import pytest
from bets import Bet, Settled, WrongBet, faults_of, fields, line
from doctrees import page
from editions import xhtml
from lxml import html

ARRIVAL = {"blanks": "… chains to input 5 | about … times as much"}


def drawn(options, group="a bet"):
    return html.fromstring(fields(group, options))


def test_of_choices_one_is_taken():
    box = drawn({"choices": "fewer | as many | more"})
    assert [one.text_content() for one in box.iter("label")] == ["fewer", "as many", "more"]
    assert [(one.get("type"), one.get("name")) for one in box.iter("input")] == [("radio", "a bet")] * 3
    assert box.findtext("legend") == "Your bet"


def test_of_several_each_may_be_taken():
    box = drawn({"choices": "row 1 | row 2", "several": None})
    assert [one.get("type") for one in box.iter("input")] == ["checkbox"] * 2


def test_a_blank_stands_among_its_words_and_knows_them():
    box = drawn(ARRIVAL)
    assert [one.text_content().strip() for one in box.iter("label")] == ["chains to input 5", "about  times as much"]
    assert [one.get("data-told") for one in box.iter("input")] == ["… chains to input 5", "about … times as much"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"choices": "fewer | as many | more"}, "Your bet: fewer / as many / more"),
        (ARRIVAL, "Your bet: ____ chains to input 5 / about ____ times as much"),
    ],
)
def test_without_fields_the_bet_is_a_line_of_text_in_a_notebook_and_in_an_e_book(options, said):
    assert line(options) == said
    box = html.fromstring(f"<div>{fields('a bet', options)}<p>after</p></div>")
    xhtml.as_line(box[0])
    assert [(one.tag, one.text_content()) for one in box] == [("p", said), ("p", "after")]


def test_what_is_written_is_no_markup():
    box = drawn({"choices": 'a < b | "a" & <b>c</b>'}, group='"> <script>')
    assert [one.text_content() for one in box.iter("label")] == ["a < b", '"a" & <b>c</b>']
    assert {one.get("name") for one in box.iter("input")} == {'"> <script>'}
    assert drawn({"blanks": 'x" onfocus="…'}).find(".//input").get("data-told") == 'x" onfocus="…'


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({}, "either ':choices:"),
        ({"choices": "a | b", "blanks": "…"}, "either ':choices:"),
        ({"choices": "a"}, "one of two at least"),
        ({"choices": "a | | b"}, "is empty"),
        ({"choices": "a | b | a"}, "'a' stands twice"),
        ({"choices": " | ".join("abcdefghi")}, "9 parts are more than the 8"),
        ({"blanks": "times as much"}, "needs one '…'"),
        ({"blanks": "… of …"}, "needs one '…'"),
        ({"blanks": "…", "several": None}, "':several:' goes with ':choices:'"),
    ],
)
def test_a_bet_that_cannot_be_answered_says_why(options, fault):
    with pytest.raises(WrongBet, match=re.escape(fault)):
        fields("a bet", options)


def of(*named):
    """A page with bets ("?name") and what settles them ("name")."""
    return page(*(Bet("", name=one[1:], fields="") if one[0] == "?" else Settled("", name=one) for one in named))


@pytest.mark.parametrize(
    ("named", "faults"),
    [
        (["?a", "a"], []),
        (["?a", "?b", "b", "a", "a"], []),
        (["?a"], ["the bet 'a' is not settled"]),
        (["a", "?a"], ["no bet 'a' stands above", "the bet 'a' is not settled"]),
        (["?a", "b", "a"], ["no bet 'b' stands above"]),
        (["?a", "?a", "a"], ["the bet 'a' stands twice"]),
    ],
)
def test_each_bet_is_settled_below_it(named, faults):
    found = [text for _, text in faults_of(of(*named))]
    assert len(found) == len(faults) and all(text.startswith(fault) for text, fault in zip(found, faults, strict=True))


def test_a_fault_is_a_warning_of_the_build(monkeypatch):
    warned = []
    monkeypatch.setattr(bets.logger, "warning", lambda text, fault, **_: warned.append(text % fault))
    bets.check_bets(None, of("?a"))
    assert len(warned) == 1 and "':::{settled} a'" in warned[0]


@pytest.mark.slow
def test_a_page_has_the_fields_and_a_notebook_what_stands_around_them(tiny_book):
    built = html.parse(str(tiny_book.html / "chapters" / "everything.html"))
    (asked,), (answer,) = built.xpath("//div[@class='bet']"), built.xpath("//div[@class='settled']")
    assert asked.get("data-bet") == answer.get("data-bet") == "chapters/everything boxes"
    assert [one.text_content() for one in asked.iter("label")] == ["one <box>", "two boxes"]
    assert answer[0].get("class") == "bet-told" and answer[0].get("hidden") is not None
    notebook = nbformat.read(tiny_book.html / "_sources" / "chapters" / "everything.ipynb", as_version=4)
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    asked_there = text.index("How many boxes hold $")
    assert asked_there < text.index(r"Your bet: one \<box> / two boxes") < text.index("**Two boxes** hold it.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":::{bet} Two words\n:blanks: …\nHow many?\n:::", "a name has small letters and digits"),
        (":::{bet} many\n:choices: one\nHow many?\n:::\n\n:::{settled} many\nTwo.\n:::", "one of two at least"),
        (":::{bet} many\n:choices: one | two\nHow many?\n:::", "is not settled"),
    ],
)
def test_a_wrong_bet_fails_the_build(tiny_book, tmp_path, text, said):
    book = tiny_book.copy(tmp_path / "book")
    path = book.folder / "chapters" / "other.md"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")
    status, log = book.build()
    assert status != 0 and said in " ".join(log.split()), log[-2000:]
