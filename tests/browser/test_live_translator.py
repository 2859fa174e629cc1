"""The live translator in Chromium: what it shows, what a reader can change, and that what is typed stays text."""

import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from attention_book.pages.explorers.live_translator.answers import Answers
from attention_book.pages.explorers.live_translator.explorer import LiveTranslator, _shown
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

    def of(*questions, failing=False, again=None, settings=None, **traits):
        answers, given = Answers(translator), {}
        for question in questions:
            given |= asked_of(answers, **question)
        one = explorer
        start = {name: getattr(one, name) for name in traits}
        try:
            for name, value in traits.items():
                setattr(one, name, value)
            one.given = {"answers": given, "failing": failing}
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


def load(page):
    page.get_by_role("button", name="Load the translator").click()
    page.get_by_text("The translator is in this page now").wait_for()


def type_text(page, text):
    page.get_by_label("English", exact=True).fill(text)
    page.get_by_label("English", exact=True).press("Enter")


def result(page):
    """What it has written, once it has played to its end."""
    page.locator(".live-result:not(:empty)").wait_for()
    return page.locator(".live-result").inner_text()


def to_the_end(page):
    page.locator(".live-slide").press("End")


def test_it_says_what_python_says_in_every_frame(blank, explorer):
    known = explorer.record
    for at in (-1, 0, 2, *range(4, 4 + len(known["ids"])), 50):
        for use, layer, head in (("cross", 3, 0), ("self", 2, 1), ("encoder", 1, 2), ("cross", 0, 0), ("cross", 0, 4)):
            given = {"record": known, "at": at, "use": use, "layer": layer, "head": head}
            told = module_call(blank, Faked, "module.inWords(module.recorded(given.record), given)", given)
            explorer.set_trait("at", at)
            explorer.use, explorer.layer, explorer.head = use, layer, head
            assert told == explorer.in_words()
    explorer.at, explorer.use, explorer.layer, explorer.head = -1, "cross", 3, 0


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
    told = page.locator(".live-offer").inner_text()
    assert "To translate “She sleeps.”, the page needs the translator itself" in told
    assert page.evaluate("globalThis.asked.length") == 0
    load(page)
    to_the_end(page)
    assert result(page) == translator.translate("She sleeps.", beam_size=1)


def test_a_failed_load_is_told_and_the_examples_go_on(opened, translator):
    page = opened(failing=True)
    page.get_by_role("button", name="Load the translator").click()
    page.get_by_text("The translator could not be loaded. There is no such file.").wait_for()
    press(page, EXAMPLES[1])
    to_the_end(page)
    assert result(page) == translator.translate(EXAMPLES[1], beam_size=1)


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
    page = opened({"text": "I like cats."}, {"text": "I like cats.", "silenced": [HEAD]}, layer=3, head=1)
    load(page)
    page.get_by_text("Every head").click()
    page.get_by_label("Switch this head off").check()
    page.get_by_text("A head is switched off.").wait_for()
    assert ["begin", "I like cats.", ["cross 2 0"]] in page.evaluate("globalThis.asked")
    changed = Answers(translator).record("I like cats.", silenced=[HEAD])["text"]
    assert result(page) == changed
    same = "The translation is the same as without your change."
    assert (same in page.locator(".live-compared").inner_text()) == (changed == explorer.translation)
    page.get_by_role("button", name="layer 3, head 1, switched off").wait_for()
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
    best = page.locator(".live-ended li").first.inner_text()
    assert best.startswith(record["text"][:-1])
    assert f"score {abs(record['score']):.3f}" in best.replace("−", "")


def test_the_map_has_every_weight_of_the_head_that_is_chosen(opened, explorer):
    page = opened()
    page.get_by_text("Every head").click()
    page.get_by_role("button", name="layer 2, head 3").click()
    rows = page.locator(".live-heat tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.dataset.value)))"
    )
    expected = [step["cross"][1][2] for step in explorer.record["steps"]]
    assert rows == expected
    assert page.get_by_label("head", exact=True).input_value() == "3"


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
    page.get_by_role("button", name="Share this sentence").click()
    told = module_call(page, Faked, "module.sentenceIn(given)", page.evaluate("location.hash"))
    assert told == 'Is 5 < 6 & "so"? #1'


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
            while (!el.querySelector(".live-result").textContent && performance.now() < end) {
                await new Promise((done) => setTimeout(done, 50));
                const slide = el.querySelector(".live-slide");
                slide.value = slide.max;
                if (sent.includes("translate")) slide.dispatchEvent(new Event("input"));
            }
            return [sent, el.querySelector(".live-result").textContent, el.querySelector(".live-load-button").hidden];
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
    all_ = "[...document.querySelectorAll('input, button, select')]"
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
