"""Bets in the page: what a reader answers is repeated where the page settles it, and nowhere else."""

from pathlib import Path

import pytest

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
WINDOWS = f"{HTML.as_uri()}/chapters/attention/windows.html"
MISSING = f"{HTML.as_uri()}/chapters/translator/is-anything-missing.html"  # its bet has three fields
SCRIPT = Path(__file__).resolve().parents[2] / "site" / "static" / "bets.js"
pytestmark = pytest.mark.browser
BLOCK = """<div class="bet" data-bet="{0}"><fieldset class="bet-fields"><legend>Your bet</legend>{1}</fieldset></div>"""
SETTLED = """<div class="settled" data-bet="{0}"><p class="bet-told" hidden></p><p>It is so.</p></div>"""


def labelled(kind, *words):
    return "".join(f'<label><input type="{kind}" name="group {kind}"><span>{word}</span></label>' for word in words)


def blank(told):
    return f'<label>{told}<input type="text" data-told="{told}"></label>'


BETS = {
    "one": labelled("radio", "fewer", "more"),
    "several": labelled("checkbox", "row 1", "row 2", "row 3"),
    "blanks": blank("… times as much") + blank("about … chains"),
}


@pytest.fixture
def asked(page_of):
    """Opens a page with one bet of each kind, each settled once, the first of them twice."""
    pieces = [BLOCK.format(name, inside) + SETTLED.format(name) for name, inside in BETS.items()]
    script = f"<script>{SCRIPT.read_text(encoding='utf-8')}</script>"
    return lambda: page_of(*pieces, SETTLED.format("one"), SETTLED.format("nothing"), script)


def told(page, bet):
    """What stands where a bet is settled: the line if it can be seen, for each place."""
    lines = page.locator(f".settled[data-bet='{bet}'] .bet-told").all()
    return [line.inner_text() if line.is_visible() else None for line in lines]


def test_before_a_bet_nothing_is_told(asked):
    page = asked()
    assert [told(page, bet) for bet in (*BETS, "nothing")] == [[None, None], [None], [None], [None]]


def test_a_choice_is_told_wherever_it_is_settled_and_changed_with_it(asked):
    page = asked()
    page.get_by_label("more").check()
    assert told(page, "one") == ["Your bet: more."] * 2
    page.get_by_label("fewer").check()
    assert told(page, "one") == ["Your bet: fewer."] * 2
    assert told(page, "several") == told(page, "blanks") == [None]


def test_several_choices_are_told_in_their_order(asked):
    page = asked()
    page.get_by_label("row 3").check()
    page.get_by_label("row 1").check()
    assert told(page, "several") == ["Your bet: row 1, row 3."]
    page.get_by_label("row 3").uncheck()
    page.get_by_label("row 1").uncheck()
    assert told(page, "several") == [None]


@pytest.mark.parametrize("written", ["7", "$& $1 <b>7</b>", "…"])
def test_what_is_written_is_told_among_its_words_and_as_it_is(asked, written):
    page = asked()
    page.get_by_label("times as much").fill(f"  {written} ")
    assert told(page, "blanks") == [f"Your bet: {written} times as much."]
    page.get_by_label("chains").fill("2")
    assert told(page, "blanks") == [f"Your bet: {written} times as much, about 2 chains."]
    page.get_by_label("times as much").fill("  ")
    assert told(page, "blanks") == ["Your bet: about 2 chains."]


def test_a_page_that_is_loaded_again_remembers(asked):
    page = asked()
    page.get_by_label("more").check()
    page.get_by_label("row 2").check()
    page.get_by_label("chains").fill("3")
    page.goto("about:blank")
    page.go_back()
    page.reload()
    assert [told(page, bet)[0] for bet in BETS] == [
        "Your bet: more.",
        "Your bet: row 2.",
        "Your bet: about 3 chains.",
    ]


@pytest.mark.parametrize("kept", ["nonsense", "[]", '{"one": 3, "several": [true], "blanks": [1, null]}', "null"])
def test_what_something_else_left_does_no_harm(asked, kept):
    page = asked()
    page.evaluate("kept => sessionStorage.setItem('bets', kept)", kept)
    page.reload()
    page.get_by_label("fewer").check()
    assert told(page, "one") == ["Your bet: fewer."] * 2


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.site
def test_the_keyboard_bets_on_a_page_of_the_book(open_page, width):
    page = open_page(MISSING, width)
    fields = page.locator(".bet").first.locator("input").all()
    for field, number in zip(fields, ["20", "18", "0"], strict=True):
        field.focus()
        page.keyboard.type(number)
    said = "Your bet: ten digits: 20, nine digits: 18, eleven digits: 0."
    assert told(page, page.locator(".bet").first.get_attribute("data-bet")) == [said]


@pytest.mark.site
def test_paper_has_the_question_its_fields_and_the_answer(open_page):
    page = open_page(WINDOWS)
    page.locator(".bet input").first.fill("7")
    page.emulate_media(media="print")
    assert not page.locator(".bet-told").filter(visible=True).count()
    assert all(page.locator(one).first.is_visible() for one in (".bet p", ".bet input", ".settled strong"))
