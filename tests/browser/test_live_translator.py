"""The live translator in Chromium: what it shows, what a reader can change, and that what is typed stays text."""

import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from attention_book.pages.explorers.live_translator.answers import Answers
from attention_book.pages.explorers.live_translator.explorer import LiveTranslator, _shown
from attention_book.pages.explorers.live_translator.packing import packed
from attention_book.pages.explorers.translator_engine import files

from .conftest import BOOK
from .explorer_pages import module_call, ready

pytestmark = pytest.mark.browser

FAKE = (Path(__file__).parent / "fake_translator_client.js").read_text(encoding="utf-8")
EXAMPLES = ["I like cats.", "My brother doesn't eat meat."]
HOSTILE = '<img src=x onerror="globalThis.hurt=1">'
HEAD = {"use": "cross", "layer": 2, "head": 0}


class Faked(LiveTranslator):
    """The same front end, with answers that Python computed in place of the engine's."""

    _esm = f"{FAKE}\n{LiveTranslator._esm.replace('new TranslatorClient(', 'new FakeTranslatorClient(')}"
    given = MappingProxyType({})

    def state(self):
        return {**super().state(), "weights": {"bytes": 4_000_000, **self.given}, "engine": ""}


def asked_of(answers, text, beam=1, forced=(), silenced=()):
    """The questions about one text, each with Python's answer."""
    names = [f"{one['use']} {one['layer']} {one['head']}" for one in silenced]
    found = {_key("read", text): answers.read(text)}
    if found[_key("read", text)]["problem"] is None:
        found[_key("begin", text, names)] = answers.begin(silenced)
        found[_key("translate", text, names, beam, [*forced])] = answers.translate(beam, forced=forced)
    return found


def _key(*question):
    return json.dumps(question, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(scope="module")
def explorer(translator):
    return Faked(translator, EXAMPLES)


@pytest.fixture
def opened(page_of, explorer, translator):
    """Opens a page with these traits, whose fake engine knows these questions."""

    def of(*questions, failing=False, weightless=False, settings=None, **traits):
        answers, given = Answers(translator), {}
        for question in questions:
            given |= asked_of(answers, **question)
        one = explorer
        start = {name: getattr(one, name) for name in traits}
        try:
            for name, value in traits.items():
                setattr(one, name, value)
            one.given = {"answers": given, "failing": failing, **({"bytes": 0} if weightless else {})}
            page = ready(page_of(one, **(settings or {})))
        finally:
            for name, value in start.items():
                setattr(one, name, value)
        return page

    return of


def chips(page, row):
    return page.locator(f".live-{row} .live-chip").all_inner_texts()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def load(page, place=""):
    """Take the offer to load; of a place, if there may be several."""
    page.locator(f"{place} .live-offer").get_by_role("button", name="Load the translator").click()
    page.get_by_text("The translator is in this page now").wait_for()


def type_text(page, text):
    page.get_by_label("English", exact=True).fill(text)
    page.get_by_label("English", exact=True).press("Enter")


def result(page):
    """What it has written, once it has played to its end."""
    page.locator(".live-result[data-whole=true]").wait_for()
    return page.locator(".live-result").inner_text()


def to_the_end(page):
    page.locator(".live-slide").press("End")


def test_it_says_what_python_says_in_every_frame(blank, explorer):
    known = explorer.record
    for at in (-1, 0, 2, *range(4, 4 + len(known["ids"])), 50):
        shown = (("cross", 2, -1), ("self", 1, 0), ("encoder", 0, 1), ("cross", -1, -1), ("cross", -1, 3))
        for use, layer, head in shown:
            given = {"record": packed(known), "at": at, "use": use, "layer": layer, "head": head}
            told = module_call(blank, Faked, "module.inWords(module.recorded(given.record), given)", given)
            explorer.set_trait("at", at)
            explorer.use, explorer.layer, explorer.head = use, layer, head
            assert told == explorer.in_words()
    explorer.at, explorer.use, explorer.layer, explorer.head = -1, "cross", 2, -1


def test_what_python_packs_the_script_unpacks_with_the_same_numbers(blank, explorer, translator):
    for known in (*explorer.records, Answers(translator).record(EXAMPLES[0], beam=3)):
        plain = "(key, value) => ArrayBuffer.isView(value) ? Array.from(value) : value"
        told = json.loads(module_call(blank, Faked, f"JSON.stringify(module.recorded(given), {plain})", packed(known)))
        for name in ("source", "text", "score", "n", "encoder", "steps"):
            assert told[name] == known[name]
        assert told["nodes"] == [{**one, "kept": int(one["kept"]), "finished": int(one["finished"])}
                                 for one in known["tree"]["nodes"]]  # fmt: skip
        assert told["keys"] == [piece["text"] for piece in known["pieces"]]
        assert [one["id"] for one in told["asked"]] == known["ids"]


def test_no_chip_is_blank(blank):
    pieces = ["▁", "▁cats", "s", "<s>", "</s>", "▁▁"]
    told = module_call(blank, Faked, "given.map((piece) => module.shownPiece(piece))", pieces)
    assert told == ["␣", "cats", "s", "start", "end", "␣"] == [_shown(piece) for piece in pieces]


def test_the_first_view_is_a_whole_translation_and_nothing_is_fetched(opened, explorer):
    page = opened()
    assert chips(page, "source") == ["I", "like", "cats", ".", "end"]
    assert "".join(chips(page, "target")) == "start" + "".join(explorer.translation.split()) + "end"
    assert page.locator(".live-result").inner_text() == explorer.translation
    assert page.evaluate("globalThis.asked.length") == 0
    assert page.locator(".live-ribbons path").count() > 10


def test_each_ribbon_is_as_wide_as_its_weight(opened, explorer):
    page = opened()
    first = explorer.record["steps"][1]["cross"][2]
    mean = [sum(column) / len(first) for column in zip(*first, strict=True)]
    press(page, "gustan")
    widths = page.locator(".live-ribbons path.live-strong").evaluate_all(
        "all => all.map((one) => [Number(one.dataset.weight), parseFloat(one.style.strokeWidth)])"
    )
    assert sorted(weight for weight, _ in widths) == pytest.approx(sorted(x for x in mean if x >= 0.015), abs=1e-9)
    (scale,) = {round(width / weight) for weight, width in widths if weight > 0.2}
    assert all(abs(width - scale * weight) < 0.01 for weight, width in widths)


def test_a_chip_that_is_pointed_at_tells_its_weights(opened, explorer):
    page = opened()
    rows = np.array([np.array(step["cross"])[2].mean(axis=0) for step in explorer.record["steps"]])
    page.locator(".live-target .live-chip").nth(2).hover()
    assert f"“gustan” looks with weight {rows[1].max():.3f} at “" in page.locator(".live-told").inner_text()
    page.locator(".live-source .live-chip").nth(2).hover()
    assert f"“cats” is looked at with weight {rows[:, 2].max():.3f} by “" in page.locator(".live-told").inner_text()
    page.mouse.move(0, 0)
    assert page.locator(".live-told").inner_text().startswith("Written in 6 steps.")


@pytest.mark.parametrize(
    ("use", "row", "named"), [("encoder", "source", "an English"), ("self", "target", "a Spanish")]
)
def test_it_asks_to_point_at_a_piece_that_looks(opened, use, row, named):
    page = opened(use=use)
    assert f"Point at {named} piece" in page.locator(".live-told").inner_text()
    page.locator(f".live-{row} .live-chip").nth(1).hover()
    assert "looks with weight" in page.locator(".live-told").inner_text()


def test_the_pieces_come_one_by_one_and_a_chip_stays_itself(opened):
    page = opened()
    page.locator(".live-slide").press("Home")
    assert chips(page, "target") == ["start"]
    for _ in range(4):
        press(page, "Forward ▶")
    assert chips(page, "target") == ["start"]  # the first piece is being chosen
    taken = page.locator(".live-taken .live-chip")
    assert taken.inner_text() == "Me"
    same = page.evaluate(
        """async () => {
            const chip = document.querySelector(".live-taken .live-chip");
            [...document.querySelectorAll(".live-player button")].at(-1).click();
            await new Promise((done) => setTimeout(done, 50));
            return [...document.querySelectorAll(".live-target .live-chip")].indexOf(chip);
        }"""
    )
    assert same == 1
    press(page, "◀ Back")
    assert chips(page, "target") == ["start"]


def test_playing_ends_with_the_translation_and_can_be_stopped(opened, explorer):
    page = opened()
    press(page, "Play again")
    page.get_by_role("button", name="Pause").wait_for()
    press(page, "Pause")
    assert page.locator(".live-result").inner_text() == ""
    frame = page.locator(".live-slide").input_value()
    page.wait_for_timeout(1500)
    assert page.locator(".live-slide").input_value() == frame
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Play again").wait_for()
    assert page.locator(".live-result").inner_text() == explorer.translation


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_it_plays_once_by_itself_where_motion_is_welcome(opened, motion):
    page = opened(plays=True, settings={"reduced_motion": motion})
    page.wait_for_timeout(2500)
    playing = page.locator(".live-player .live-main").inner_text()
    assert playing == ("Pause" if motion == "no-preference" else "Play again")


def test_a_sentence_of_ones_own_waits_until_the_translator_is_wanted(opened, translator):
    page = opened({"text": "She sleeps."})
    type_text(page, "She sleeps.")
    told = page.locator(".live-answer .live-offer").inner_text()
    assert "The Spanish of “She sleeps.” comes when the translator is loaded." in told
    assert page.evaluate("document.activeElement.closest('.live-answer') !== null")  # so that Enter takes the offer
    assert page.evaluate("globalThis.asked.length") == 0
    load(page)
    to_the_end(page)
    assert result(page) == translator.translate("She sleeps.", beam_size=1)


def test_a_failed_load_is_told_and_the_examples_go_on(opened, translator):
    page = opened(failing=True)
    page.get_by_role("button", name="Load the translator").click()
    page.locator(".live-offer", has_text="The translator could not be loaded. There is no such file.").wait_for()
    assert page.get_by_role("button", name="Load the translator").is_enabled()  # to try again
    press(page, EXAMPLES[1])
    to_the_end(page)
    assert result(page) == translator.translate(EXAMPLES[1], beam_size=1)


def test_on_paper_stand_both_sentences_and_nothing_that_waits_for_a_hand(opened):
    page = opened()
    assert result(page)
    page.emulate_media(media="print")
    seen = "names => names.filter(name => document.querySelector(name).checkVisibility())"
    left = [".live-result", ".live-source", ".live-target", ".live-ribbons"]
    gone = [".live-player", ".live-slide", ".live-field", ".live-picks", ".live-offer"]
    assert page.evaluate(seen, left + gone) == left
    assert page.locator(".live-choices").evaluate("one => getComputedStyle(one).minHeight") == "0px"


def test_another_piece_is_forced_and_can_be_undone(opened, explorer, translator):
    ids = explorer.record["ids"]
    other = explorer.record["steps"][1]["candidates"][1]
    forced = [ids[0], other["id"]]
    page = opened({"text": "I like cats."}, {"text": "I like cats.", "forced": forced})
    load(page)
    press(page, "gustan")
    page.locator(".live-candidates .live-chip").nth(1).click()
    page.get_by_text("Left alone, the translator writes").wait_for()
    to_the_end(page)
    expected = Answers(translator).record("I like cats.", forced=forced)["text"]
    assert result(page) == expected != explorer.translation
    assert page.locator(".live-forced").count() == 2
    press(page, "Undo")
    page.wait_for_function("document.querySelector('.live-compared').textContent === ''")
    assert result(page) == explorer.translation


def test_a_head_is_switched_off_and_the_translation_is_pythons(opened, explorer, translator):
    page = opened({"text": "I like cats."}, {"text": "I like cats.", "silenced": [HEAD]}, layer=2, head=0)
    load(page)
    page.get_by_text("Every head").click()
    page.get_by_label("Switch this head off").check()
    page.get_by_text("A head is switched off.").wait_for()
    assert ["begin", "I like cats.", ["cross 2 0"]] in page.evaluate("globalThis.asked")
    changed = Answers(translator).record("I like cats.", silenced=[HEAD])["text"]
    assert result(page) == changed
    same = "The translation is the same as without your change."
    assert (same in page.locator(".live-compared").inner_text()) == (changed == explorer.translation)
    page.get_by_role("button", name="layer 2, head 0, switched off").wait_for()
    press(page, "Switch all heads on")
    page.wait_for_function("document.querySelector('.live-compared').textContent === ''")


def test_a_beam_is_drawn_as_a_tree_and_what_ended_is_ranked(opened, translator):
    page = opened({"text": "I like cats.", "beam": 3})
    page.get_by_text("The search:").click()
    load(page)
    page.get_by_label("Beam:").select_option("3")
    record = Answers(translator).record("I like cats.", beam=3)
    kept = [one for one in record["tree"]["nodes"] if one["kept"] or one["finished"]]
    page.wait_for_function(f"document.querySelectorAll('.live-tree text').length === {len(kept)}")
    assert page.locator(".live-tree text.live-won").count() == len(record["ids"])
    tree = page.get_by_role("region", name="The tree of the search")
    heights = tree.evaluate("one => [one.scrollHeight, one.clientHeight, one.tabIndex]")
    assert heights[0] == heights[1] and heights[2] == 0  # all of its height is there, and a key scrolls it sideways
    best = page.locator(".live-ended li").first.inner_text()
    assert best.startswith(record["text"][:-1])
    assert f"score {abs(record['score']):.3f}" in best.replace("−", "")


def test_the_map_has_every_weight_of_the_head_that_is_chosen(opened, explorer):
    page = opened()
    page.get_by_text("Every head").click()
    page.get_by_role("button", name="layer 1, head 2").click()
    rows = page.locator(".live-heat tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.dataset.value)))"
    )
    expected = [step["cross"][1][2] for step in explorer.record["steps"]]
    assert rows == expected
    assert page.get_by_label("head", exact=True).input_value() == "2"


@pytest.mark.parametrize("text", [HOSTILE, "🐈 🐈", "मैं बिल्ली हूँ", "x\u0301\u200d"])
def test_what_is_typed_is_text_and_nothing_else(opened, text):
    page = opened({"text": text})
    load(page)
    type_text(page, text)
    page.get_by_role("button", name="Pause").wait_for()
    to_the_end(page)
    assert page.evaluate("[document.querySelectorAll('.explorer img').length, globalThis.hurt ?? 0]") == [0, 0]
    assert page.locator(".live-result").count() == 1
    if "<" not in text and "x" not in text:
        assert "single byte" in page.locator(".live-notes").inner_text()


@pytest.mark.parametrize("typed", ["word " * 2000, "   "])
def test_what_cannot_be_translated_gets_a_sentence(opened, typed):
    page = opened({"text": typed.strip()})
    load(page)
    type_text(page, typed.strip() if typed.strip() else typed)
    page.wait_for_function("document.querySelector('.live-problem').textContent.endsWith('.')")
    told = page.locator(".live-problem").inner_text()
    assert "pieces" in told if typed.strip() else "Type an English sentence" in told
    assert ("still the translation of the sentence before" in told) == bool(typed.strip())


def test_a_beam_that_is_chosen_before_the_translator_is_there_stays_chosen(opened, translator):
    page = opened({"text": "I like cats.", "beam": 3})
    page.get_by_text("The search:").click()
    page.get_by_label("Beam:").select_option("3")
    place = page.locator("details:has(.live-tree) .live-offer")
    assert "A beam of 3 needs the translator itself." in place.inner_text()
    select, offer = page.get_by_label("Beam:").bounding_box(), place.bounding_box()
    assert 0 <= offer["y"] - select["y"] < 100  # it stands beside what was chosen
    assert page.get_by_label("Beam:").input_value() == "3" and page.evaluate("globalThis.asked.length") == 0
    press(page, EXAMPLES[1])  # another example is another sentence, and the beam still waits
    page.locator(".live-source:has-text('brother')").wait_for()
    assert page.get_by_label("Beam:").input_value() == "3" and place.is_visible()
    press(page, EXAMPLES[0])
    load(page, "details:has(.live-tree)")
    assert page.evaluate("document.activeElement.value") == "3"  # whoever loads it there goes on there
    record = Answers(translator).record("I like cats.", beam=3)
    kept = [one for one in record["tree"]["nodes"] if one["kept"] or one["finished"]]
    page.wait_for_function(f"document.querySelectorAll('.live-tree text').length === {len(kept)}")
    assert page.get_by_label("Beam:").input_value() == "3" and not place.is_visible()


def test_a_choice_that_is_taken_back_before_the_translator_is_there_waits_no_longer(opened):
    page = opened(layer=2, head=0)
    page.get_by_text("The search:").click()
    page.get_by_text("Every head").click()
    switch = page.get_by_label("Switch this head off")
    page.get_by_label("Beam:").select_option("2")
    switch.check()
    assert page.locator(".live-offer.live-urgent").locator("visible=true").count() == 2
    page.get_by_label("Beam:").select_option("1")
    assert switch.is_checked() and page.locator(".live-offer.live-urgent").locator("visible=true").count() == 1
    press(page, "Switch all heads on")
    assert not switch.is_checked() and page.locator(".live-offer.live-urgent").locator("visible=true").count() == 0
    assert page.locator(".live-more .live-offer").is_visible()


def test_a_head_switched_off_before_the_translator_is_there_is_off_once_it_is(opened, translator):
    page = opened({"text": "I like cats."}, {"text": "I like cats.", "silenced": [HEAD]}, layer=2, head=0)
    page.get_by_text("Every head").click()
    page.get_by_label("Switch this head off").check()
    assert "A change of heads needs the translator itself." in page.locator(".live-board .live-offer").inner_text()
    page.get_by_role("button", name="layer 2, head 0, to be switched off").wait_for()
    assert page.get_by_label("Switch this head off").is_checked()
    load(page, ".live-board")
    page.get_by_text("A head is switched off.").wait_for()
    assert page.get_by_label("Switch this head off").is_checked()
    assert result(page) == Answers(translator).record("I like cats.", silenced=[HEAD])["text"]


def test_another_piece_chosen_before_the_translator_is_there_is_followed_once_it_is(opened, explorer, translator):
    other = explorer.record["steps"][1]["candidates"][1]
    forced = [explorer.record["ids"][0], other["id"]]
    page = opened({"text": "I like cats."}, {"text": "I like cats.", "forced": forced})
    press(page, "gustan")
    page.locator(".live-candidates .live-chip").nth(1).click()
    told = page.locator(".live-choices > .live-offer")
    assert f"What follows “{_shown(other['text'])}” needs the translator itself." in told.inner_text()
    assert page.locator(".live-candidates [aria-pressed=true]").inner_text() == _shown(other["text"])
    load(page, ".live-choices >")
    to_the_end(page)
    page.get_by_text("Left alone, the translator writes").wait_for()
    to_the_end(page)
    assert result(page) == Answers(translator).record("I like cats.", forced=forced)["text"]
    assert page.locator("[aria-pressed=true]:is(.live-target *)").count() == 0


def test_what_waits_is_shared_too(opened):
    page = opened()
    page.get_by_text("The search:").click()
    page.get_by_label("Beam:").select_option("3")
    press(page, "Share this translation")
    assert page.evaluate("location.hash") == "#translate=I%20like%20cats.&beam=3"


def test_a_page_without_a_translator_says_where_there_is_one(opened):
    page = opened(weightless=True)
    page.get_by_text("The search:").click()
    page.get_by_label("Beam:").select_option("3")
    assert "A beam of 3 needs Python: open this page as a notebook." in page.locator("details").nth(1).inner_text()
    assert not page.get_by_role("button", name="Load the translator").count()


def test_of_several_sentences_the_others_are_offered(opened, translator):
    page = opened({"text": "I sing. You sleep."}, {"text": "You sleep."})
    load(page)
    type_text(page, "I sing. You sleep.")
    page.get_by_text("This text has 2 sentences.").wait_for()
    press(page, "You sleep.")
    page.wait_for_function("document.querySelectorAll('.live-notes p').length === 0")
    to_the_end(page)
    assert result(page) == translator.translate("You sleep.", beam_size=1)


@pytest.mark.parametrize(
    ("fragment", "shown"),
    [
        ("#translate=I%20am%20a%20%3Cb%3Efish%3C%2Fb%3E.", "I am a <b>fish</b>."),
        ("#translate=" + "%3Cimg%20src%3Dx%20onerror%3D%22globalThis.hurt%3D1%22%3E", HOSTILE),
        ("#translate=%E0%A4%A", "I like cats."),
        ("#translate=", "I like cats."),
        ("#translate=Tom & Jerry&beam=9&off=x", "Tom & Jerry"),
        ("#other", "I like cats."),
    ],
)
def test_the_address_may_hold_a_sentence_and_nothing_but_text(opened, fragment, shown):
    page = opened()
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    page.wait_for_timeout(300)
    assert page.get_by_label("English", exact=True).input_value() == shown
    assert page.evaluate("[document.querySelectorAll('.explorer :is(img, b)').length, globalThis.hurt ?? 0]") == [0, 0]
    assert page.evaluate("globalThis.asked.length") == 0


def test_a_shared_address_leads_back_to_the_sentence(opened):
    page = opened()
    page.get_by_label("English", exact=True).fill('Is 5 < 6 & "so"? #1')
    page.get_by_role("button", name="Share this translation").click()
    told = view_of(page, page.evaluate("location.hash"))
    assert told == {**USUAL, "text": 'Is 5 < 6 & "so"? #1'}


USUAL = {"text": "I like cats.", "beam": 1, "forced": [], "use": "cross", "layer": 2, "head": -1, "silenced": []}


def view_of(page, fragment):
    asked = "JSON.stringify(module.viewIn(given.fragment, given.usual, 3, 4))"
    return json.loads(module_call(page, Faked, asked, {"fragment": fragment, "usual": USUAL}))


VIEW = {
    "text": "Tom & Jerry=1&beam=3, 100 %", "beam": 4, "forced": [12, 5], "use": "self", "layer": -1, "head": 2,
    "silenced": [HEAD, {"use": "encoder", "layer": 0, "head": 3}],
}  # fmt: skip


@pytest.mark.parametrize("changed", [{}, *({name: value} for name, value in VIEW.items()), VIEW])
def test_all_that_is_set_travels_in_the_address(blank, changed):
    view = {**USUAL, **changed}
    address = module_call(blank, Faked, "module.addressOf(given.view, given.usual, 'file:///page.html#old')",
                          {"view": view, "usual": USUAL})  # fmt: skip
    assert address.startswith("file:///page.html#translate=")
    assert address.count("&") == len(changed) - ("text" in changed)
    assert view_of(blank, address.split("html", 1)[1]) == view


MALFORMED = (
    *(
        "beam=6",
        "beam=",
        "beam=1.5",
        "beam=-1",
        "beam=1e1",
        "beam=<b>",
        "use=other",
        "use=__proto__",
        "layer=4",
        "head=5",
    ),
    *("forced=1.x", "forced=0", "forced=9999999", f"forced={'.'.join(['7'] * 201)}", "head=%31", "off=cross"),
    *("off=cross.4.1", "off=cross.0.1", "off=cross.1.1.1", "off=cross.1.1,", f"off={','.join(['cross.1.1'] * 37)}"),
)


def test_what_is_malformed_in_an_address_is_as_usual(blank):
    expected = {**USUAL, "text": "Hello", "layer": 1}
    for wrong in MALFORMED:
        assert view_of(blank, f"#translate=Hello&{wrong}&layer=2") == expected, wrong


def test_a_shared_address_shows_what_is_shared_and_one_button_and_no_other_answer(opened, translator):
    asks = {"text": "She sleeps.", "beam": 3, "silenced": [HEAD]}
    page = opened({**asks, "silenced": []}, asks)
    page.evaluate("location.hash = '#translate=She%20sleeps.&beam=3&off=cross.3.1&layer=1&head=2'")
    wanted = (
        "The Spanish of “She sleeps.” with a beam of 3 and 1 head switched off comes when the translator is loaded."
    )
    assert wanted in page.locator(".live-answer .live-offer").inner_text()
    assert page.get_by_label("English", exact=True).input_value() == "She sleeps."
    assert not page.locator(":is(.live-stage, .live-result, .live-told, details)").locator("visible=true").count()
    assert page.locator(".live-picks button[aria-pressed=true]").count() == 0
    assert "gatos" not in page.locator(".live-translator").inner_text()
    load(page)
    to_the_end(page)
    assert result(page) == Answers(translator).record("She sleeps.", beam=3, silenced=[HEAD])["text"]
    assert page.get_by_label("layer", exact=True).input_value() == "0"
    assert page.get_by_label("head", exact=True).input_value() == "1"
    press(page, "Share this translation")
    assert page.evaluate("location.hash") == "#translate=She%20sleeps.&beam=3&layer=1&head=2&off=cross.3.1"


def test_a_shared_address_is_brought_into_view(page_of, explorer):
    explorer.given = {"answers": {}, "failing": False}
    page = ready(page_of("<p style='height:3000px'>Before.</p>", explorer, "<p style='height:3000px'>After.</p>"))
    page.evaluate("location.hash = '#translate=She%20sleeps.'")
    page.wait_for_function("Math.abs(document.querySelector('.live-field').getBoundingClientRect().top) < 200")
    assert 0 <= page.locator(".live-answer .live-load-button").bounding_box()["y"] < 400


def test_what_a_shared_translation_is_about_is_open(opened):
    asks = {"text": "She sleeps.", "beam": 3, "silenced": [HEAD]}
    page = opened({**asks, "silenced": []}, asks)
    page.evaluate("location.hash = '#translate=She%20sleeps.&beam=3&off=cross.3.1&layer=3&head=1'")
    load(page, ".live-answer")
    page.locator(".live-tree").wait_for()
    assert page.locator("details").evaluate_all("all => all.map((one) => one.open)") == [True, True, False]
    assert page.get_by_label("Switch this head off").is_checked()


def test_a_shared_beam_for_an_example_shows_no_other_search(opened, translator):
    page = opened({"text": "I like cats.", "beam": 3})
    page.evaluate("location.hash = '#translate=I%20like%20cats.&beam=3'")
    told = page.locator(".live-answer .live-offer")
    assert "The Spanish of “I like cats.” with a beam of 3 comes when the translator is loaded." in told.inner_text()
    assert not page.locator(".live-result").is_visible()
    load(page)
    to_the_end(page)
    assert result(page) == Answers(translator).record("I like cats.", beam=3)["text"]


LONG = "My grandmother said that nobody in the village had ever seen such a large and friendly dog."


@pytest.mark.parametrize("width", [375, 1280])
def test_a_long_sentence_is_seen_whole_in_its_field_and_stays_one_line(opened, translator, width):
    page = opened({"text": LONG}, settings={"width": width})
    field = page.get_by_label("English", exact=True)
    low = field.bounding_box()["height"]
    field.fill(LONG)
    sizes = field.evaluate("one => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]")
    assert sizes == [0, 0] and (field.bounding_box()["height"] > low) == (width == 375)
    field.press("Enter")
    load(page, ".live-answer")
    assert field.input_value() == LONG
    to_the_end(page)
    assert result(page) == translator.translate(LONG, beam_size=1)
    press(page, EXAMPLES[0])
    assert field.bounding_box()["height"] == low


def test_lines_that_are_pasted_are_one_sentence(opened, translator):
    page = opened({"text": "She sleeps."})
    type_text(page, " She\n  sleeps. ")
    load(page)
    to_the_end(page)
    assert result(page) == translator.translate("She sleeps.", beam_size=1)


@pytest.mark.parametrize(("width", "below"), [(375, True), (1280, False)])
def test_on_a_phone_the_translation_comes_before_the_examples(opened, width, below):
    page = opened(settings={"width": width})
    stage, examples = (page.locator(name).bounding_box()["y"] for name in (".live-stage", ".live-picks"))
    assert (examples > stage) == below
    last = page.locator(".live-target .live-chip").last.bounding_box()
    if below:
        assert last["y"] + last["height"] - page.locator(".live-translator").bounding_box()["y"] < 350
    page.get_by_role("button", name=EXAMPLES[1]).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == EXAMPLES[1]


@pytest.mark.parametrize("width", [375, 1280])
def test_while_it_plays_nothing_below_it_moves_and_no_place_is_kept_free(opened, width):
    page = opened(settings={"width": width})
    press(page, "Play again")
    page.get_by_role("button", name="Pause").wait_for()
    seen = {}
    for _ in range(200):
        at, height, low, high = page.evaluate(
            """() => {
                const box = (name) => document.querySelector(name).getBoundingClientRect();
                const seen = [...document.querySelectorAll(".live-lower :is(button, select, summary, .live-share)")]
                    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
                    .map((one) => one.getBoundingClientRect());
                return [document.querySelector(".live-slide").value, box(".live-translator").height,
                    Math.min(...seen.map(({ top }) => top)) - box(".live-player").bottom,
                    box(".live-translator").bottom - Math.max(...seen.map(({ bottom }) => bottom))];
            }"""
        )
        seen[int(at)] = (height, low, high)
        if page.locator(".live-player .live-main").inner_text() == "Play again":
            break
        page.wait_for_timeout(100)
    assert len(seen) > 8
    heights, above, _ = zip(*seen.values(), strict=True)
    assert max(heights) - min(heights) < 4  # pixels
    assert max(above) < 60


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_names_of_the_columns_end_above_the_first_row(opened, example):
    page = opened()
    page.get_by_text("Every head").click()
    press(page, example)
    page.wait_for_timeout(100)
    gaps = page.evaluate(
        """() => {
            const top = document.querySelector(".live-heat tbody td").getBoundingClientRect().top;
            const head = document.querySelector(".live-heat caption").getBoundingClientRect().bottom;
            return [...document.querySelectorAll(".live-heat thead th + th")].map((one) => {
                const range = document.createRange();
                range.selectNodeContents(one);
                const box = range.getBoundingClientRect();
                return [top - box.bottom, box.top - head];
            });
        }"""
    )
    assert len(gaps) > 4
    assert all(2 < below < 9 and above >= 0 for below, above in gaps), gaps


def test_who_does_not_load_what_was_shared_picks_an_example(opened, explorer):
    page = opened()
    page.evaluate("location.hash = '#translate=She%20sleeps.'")
    page.locator(".live-answer .live-offer", has_text="The Spanish of “She sleeps.” comes when").wait_for()
    press(page, EXAMPLES[0])
    to_the_end(page)
    assert result(page) == explorer.translation
    assert not page.locator(".live-answer .live-offer").is_visible()
    load(page)  # what was given up is not taken up again
    assert page.locator(".live-source").inner_text().split() == ["I", "like", "cats", ".", "end"]


def test_pieces_that_the_translator_does_not_have_are_left_out_of_what_was_shared(opened, translator):
    page = opened({"text": "She sleeps."})  # nobody asked Python what follows piece 777777
    page.evaluate("location.hash = '#translate=She%20sleeps.&forced=777777'")
    load(page)
    page.get_by_role("button", name="Pause").wait_for()
    to_the_end(page)
    assert result(page) == translator.translate("She sleeps.", beam_size=1)
    assert page.locator(".live-problem").inner_text() == ""


def test_the_translation_grows_under_the_sentence_and_nothing_moves(opened, explorer):
    page = opened()
    press(page, EXAMPLES[1])
    press(page, "Pause")
    page.locator(".live-slide").press("Home")
    shown, top = [], set()
    for _ in range(4 + len(explorer.records[1]["ids"])):
        shown.append(page.locator(".live-result").inner_text())
        top.add(page.locator(".live-stage").bounding_box()["y"])
        press(page, "Forward ▶")
    whole = result(page)
    assert whole == explorer.records[1]["text"] == shown[-1] or shown[-1] == whole[: len(shown[-1])]
    assert shown[:4] == [""] * 4 and len(set(shown)) > 4
    assert all(whole.startswith(text) for text in shown)
    assert [len(text) for text in shown] == sorted(len(text) for text in shown)
    assert len(top) == 1
    answer, stage = page.locator(".live-result").bounding_box(), page.locator(".live-stage").bounding_box()
    assert answer["y"] + answer["height"] <= stage["y"]
    assert page.locator(".live-picks button[aria-pressed=true]").all_inner_texts() == [EXAMPLES[1]]


@pytest.mark.parametrize("use", ["cross", "self", "encoder"])
@pytest.mark.parametrize("width", [1280, 375])
def test_no_ribbon_runs_over_a_chip_of_the_other_row(opened, use, width):
    page = opened(use=use, settings={"width": width})
    press(page, EXAMPLES[1])
    to_the_end(page)
    page.wait_for_timeout(600)
    crossing = """() => {
        const rows = document.querySelector(".live-rows").getBoundingClientRect();
        const chips = [...document.querySelectorAll(".live-rows .live-chip")].map((one) => one.getBoundingClientRect());
        const between = (low, at, high) => low + 2 < at && at < high - 2;
        const inside = ({ x, y }, box) => between(box.left, x, box.right) && between(box.top, y, box.bottom);
        return [...document.querySelectorAll(".live-ribbons path")].filter((path) => {
            const length = path.getTotalLength();
            return Array.from({ length: 41 }, (_, i) => path.getPointAtLength(length * i / 40))
                .some(({ x, y }) => chips.some((box) => inside({ x: x + rows.left, y: y + rows.top }, box)));
        }).length;
    }"""
    assert page.locator(".live-ribbons path").count() > 10
    assert page.evaluate(crossing) == 0


def test_spanish_is_said_to_be_spanish(opened):
    page = opened({"text": "I like cats.", "beam": 3})
    for details in page.locator("details").all():
        details.locator("summary").click()
    load(page)
    page.get_by_label("Beam:").select_option("3")
    page.locator(".live-ended li").nth(1).wait_for()
    languages = """(selector) => [...new Set([...document.querySelectorAll(selector)]
        .map((one) => one.closest("[lang]").getAttribute("lang")))]"""
    for selector in (".live-target .live-chip", ".live-result span", ".live-tree text", ".live-ended li > span"):
        assert page.evaluate(languages, selector) == ["es"]
    assert page.evaluate(languages, ".live-heat tbody th") == ["es"]
    for selector in (".live-source .live-chip", ".live-heat thead th + th", ".live-picks button", ".live-told"):
        assert page.evaluate(languages, selector) == ["en"]


def test_in_a_notebook_python_answers(blank, explorer, translator):
    answers = asked_of(Answers(translator), "She sleeps.")
    told = blank.evaluate(
        """async ([text, state, answers]) => {
            const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
            const { default: widget } = await import(address);
            const [listeners, sent] = [[], []];
            const model = {
                get: (name) => state[name], save_changes() {},
                set(name, value) {
                    state[name] = value;
                    for (const [event, tell] of listeners) if (event === `change:${name}`) tell();
                },
                on: (name, tell) => listeners.push([name, tell]), off() {},
                send({ ask, number, given }) {
                    sent.push(ask);
                    const answer = Object.entries(answers).find(([key]) => JSON.parse(key)[0] === ask)[1];
                    setTimeout(() => listeners.filter(([event]) => event === "msg:custom")
                        .forEach(([, tell]) => tell({ number, answer }, [])));
                },
            };
            const el = document.createElement("div");
            document.body.append(el);
            widget.render({ model, el });
            model.set("text", "She sleeps.");
            const end = performance.now() + 20_000;
            const there = () => el.querySelector(".live-source").textContent.includes("sleeps");
            while (!(there() && el.querySelector("[data-whole=true]")) && performance.now() < end) {
                await new Promise((done) => setTimeout(done, 50));
                const slide = el.querySelector(".live-slide");
                slide.value = slide.max;
                if (sent.includes("translate")) slide.dispatchEvent(new Event("input"));
            }
            const idle = [...el.querySelectorAll(".live-load-button")].every((one) => one.hidden);
            return [sent, el.querySelector(".live-result").textContent, idle];
        }""",
        [Faked._esm, {**explorer.state(), "kernel": True, "at": 0}, answers],
    )
    assert told == [["read", "begin", "translate"], translator.translate("She sleeps.", beam_size=1), True]


def test_the_keyboard_leads_everywhere_and_says_what_happens(opened):
    page = opened()
    page.locator(".live-target .live-chip").nth(1).focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == "end"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert "takes “.”" in page.locator(".explorer-news").inner_text()
    assert page.evaluate("document.activeElement.textContent") == "."
    back = page.get_by_role("button", name="◀ Back")
    back.focus()
    page.keyboard.press("ArrowLeft")
    assert "takes “gatos”" in page.locator(".explorer-news").inner_text()
    all_ = "[...document.querySelectorAll('input, textarea, button, select')]"
    nameless = (
        f"{all_}.filter((one) => !(one.ariaLabel || one.innerText || one.textContent || one.labels?.length)).length"
    )
    assert page.evaluate(nameless) == 0


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("example", [0, 1])
def test_it_fits_a_phone(opened, dark, example):
    page = opened(settings={"dark": dark, "width": 375})
    press(page, EXAMPLES[example])
    page.wait_for_timeout(300)
    for details in page.locator("details").all():
        details.locator("summary").click()
    to_the_end(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    right = "[...document.querySelectorAll('.live-chip')].map((one) => one.getBoundingClientRect().right)"
    assert max(page.evaluate(right)) <= 375


def test_the_engine_itself_translates_a_typed_sentence_in_the_page(translator, open_page, tmp_path):
    """From a typed sentence to its translation, opened as a file, with the network off."""
    explorer = LiveTranslator(sentences=EXAMPLES[:1])
    files.write_weights(tmp_path)
    static = BOOK / "site" / "static"
    page_file = tmp_path / "page.html"
    page_file.write_text(
        '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><link rel="icon" href="data:,">'
        f"<title>One</title><style>{(static / 'roles.css').read_text()}</style>{explorer.static_html()}"
        f"<script>{(static / 'explorers.js').read_text()}</script></html>",
        encoding="utf-8",
    )
    page = ready(open_page(page_file.as_uri()))
    type_text(page, "She is reading a book.")
    load(page)
    page.get_by_role("button", name="Pause").wait_for()
    to_the_end(page)
    assert result(page) == translator.translate("She is reading a book.", beam_size=1)
    record = Answers(translator).record("She is reading a book.")
    weights = page.locator(".live-ribbons path").evaluate_all("all => all.map((one) => Number(one.dataset.weight))")
    mean = np.array([np.array(step["cross"])[2].mean(axis=0) for step in record["steps"]])
    assert sorted(weights)[-5:] == pytest.approx(sorted(mean.flatten())[-5:], abs=0.03)  # eight bits a weight
