"""The Python side of the live translator: its traits, its words, and its page without a kernel."""

import json
import re

import pytest
import traitlets

from attention_book.pages.explorers.live_translator.explorer import LONGEST, SENTENCES, LiveTranslator
from attention_book.pages.explorers.live_translator.packing import unpacked
from attention_book.translation.translator import Translator

HEAD = {"use": "cross", "layer": 2, "head": 0}


@pytest.fixture(scope="module")
def explorer(translator):
    return LiveTranslator(translator, SENTENCES[:2])


@pytest.fixture
def fresh(explorer):
    start = {
        name: getattr(explorer, name) for name in ("text", "at", "use", "layer", "head", "beam", "forced", "silenced")
    }
    yield explorer
    explorer.set_trait("text", start["text"])
    for name, value in start.items():
        setattr(explorer, name, value)


def test_its_words_follow_the_frame_and_the_choices(fresh):
    whole = fresh.in_words()
    assert whole.startswith("“I like cats.” is cut into 4 pieces and an end mark: “I”, “like”, “cats”, “.” and “end”.")
    assert fresh.translation in whole and "Step" not in whole
    fresh.at = 1 + len(fresh.record["encoder"])  # the first step
    first = fresh.in_words()
    assert "Step 1: it has written nothing" in first and "layer 2, the mean of its heads" in first
    fresh.use, fresh.layer, fresh.head = "self", -1, 1
    assert "Spanish looks at Spanish, head 1, the mean of the layers: 1.000 on “start”." in fresh.in_words()
    fresh.use = "encoder"
    assert "Spanish looks" not in fresh.in_words()


def test_the_words_give_the_largest_weights_of_the_row(fresh):
    fresh.at = 3 + len(fresh.record["encoder"])
    fresh.layer, fresh.head = 1, 2
    row = fresh.record["steps"][2]["cross"][1][2]
    largest = max(range(len(row)), key=lambda j: row[j])
    piece = fresh.record["pieces"][largest]["text"].replace("▁", "").replace("</s>", "end")
    assert re.search(rf"head 2: \d\.\d\d\d on “{re.escape(piece)}”", fresh.in_words())


def test_a_text_of_yours_is_translated_with_what_is_set(fresh, translator):
    fresh.text = "She sleeps."
    assert fresh.translation == translator.translate("She sleeps.", beam_size=1)
    fresh.beam = 3
    assert fresh.translation == translator.translate("She sleeps.", beam_size=3)
    fresh.beam, fresh.silenced = 1, [HEAD]
    assert fresh.record["steps"][0]["cross"] != []


@pytest.mark.parametrize(
    "bad",
    [
        {"text": "x" * (LONGEST + 1)},
        {"layer": 3},
        {"head": 4},
        {"head": -2},
        {"layer": -2},
        {"beam": 0},
        {"beam": 6},
        {"use": "other"},
        {"silenced": [{"use": "cross", "layer": 3, "head": 0}]},
        {"silenced": [{"use": "decoder", "layer": 0, "head": 0}]},
        {"silenced": [{"layer": 0, "head": 0}]},
    ],
)
def test_what_is_not_there_is_refused(fresh, bad):
    ((name, value),) = bad.items()
    with pytest.raises(traitlets.TraitError):
        setattr(fresh, name, value)


def test_python_answers_the_questions_of_the_front_end(fresh, monkeypatch):
    sent = []
    monkeypatch.setattr(fresh, "send", sent.append)
    fresh._asked(None, {"ask": "read", "number": 1, "given": {"text": "I like cats."}}, [])
    fresh._asked(None, {"ask": "begin", "number": 2, "given": {"silenced": []}}, [])
    fresh._asked(None, {"ask": "translate", "number": 3, "given": {"beamSize": 1, "forced": [], "candidates": 4}}, [])
    fresh._asked(None, {"ask": "record", "number": 4, "given": {"text": "no question of the front end"}}, [])
    fresh._asked(None, {"ask": "read", "number": 5, "given": {"words": 1}}, [])
    assert [one["number"] for one in sent] == [1, 2, 3, 5]
    assert sent[2]["answer"]["text"] == fresh.translation
    assert len(sent[2]["answer"]["steps"][0]["candidates"]) == 4
    assert "argument" in sent[3]["error"]
    json.dumps(sent, allow_nan=False)


def test_the_page_runs_without_a_kernel_and_its_markup_is_text(translator):
    html = LiveTranslator(translator, ["<img onerror=alert(1)> & cats."]).static_html()
    assert "<img" not in html
    state = json.loads(re.search(r'<script type="application/json">(.*)</script>', html)[1])["state"]
    assert state["kernel"] is False
    assert state["records"][0]["source"] == "<img onerror=alert(1)> & cats."


@pytest.mark.parametrize("name", ["get_state", "state"])
def test_the_front_end_gets_the_records_packed(fresh, name):
    state = getattr(fresh, name)()
    assert [unpacked(one) for one in state["records"]] == fresh.records
    json.dumps(state["records"], allow_nan=False)


def test_a_page_of_the_shipped_translator_stays_small():
    explorer = LiveTranslator()
    assert len(explorer.static_html().encode()) < 250_000
    assert len(json.dumps(explorer.state()["records"])) < 70_000


def test_a_page_asks_for_the_weights_of_the_translator_that_it_names():
    explorer = LiveTranslator(sentences=SENTENCES[:1], name="en-es-taught")
    assert "_static/translator/en-es-taught.bin" in explorer.static_html()
    shipped = Translator.from_pretrained("en-es-taught")
    assert explorer.translation == shipped.translate([SENTENCES[0]], beam_size=1)[0]
    assert "_static/translator/en-es.bin" in LiveTranslator(sentences=SENTENCES[:1]).static_html()
