"""What Python answers to the live translator is what the translator does."""

import math
import re

import numpy as np
import pytest
import torch

from attention_book.analysis.ablation import Head, without_heads
from attention_book.analysis.attention_by_use import uses_of
from attention_book.pages.explorers.live_translator.answers import DIGITS, USES, Answers
from attention_book.translation.decoding import beam_search

TEXT = "My brother doesn't eat meat."
CLOSE = 0.51 * 10**-DIGITS


@pytest.fixture
def answers(translator):
    return Answers(translator)


def test_it_writes_what_the_translator_writes(translator, answers):
    for text in (TEXT, "I like cats."):
        for beam in (1, 4):
            answers.read(text)
            answers.begin()
            assert answers.translate(beam)["text"] == translator.translate(text, beam_size=beam)


def test_its_weights_are_those_of_the_three_uses(translator, answers):
    record = answers.record(TEXT)
    known = uses_of(translator, TEXT, record["text"]).uses
    n = len(record["pieces"])
    encoder = np.array(record["encoder"]).reshape(*known["encoder_self"].weights.shape)
    assert encoder == pytest.approx(known["encoder_self"].weights, abs=CLOSE)
    for t, step in enumerate(record["steps"]):
        assert np.array(step["cross"]) == pytest.approx(known["cross"].weights[:, :, t], abs=CLOSE)
        assert np.array(step["self"]) == pytest.approx(known["decoder_self"].weights[:, :, t, : t + 1], abs=CLOSE)
        assert np.array(step["cross"]).shape[-1] == n == record["n"]


def test_a_step_is_the_step_of_the_whole_translation(answers):
    record = answers.record(TEXT)
    written = record["ids"][:3]
    step = answers.step(written)
    whole = record["steps"][3]
    assert step["candidates"][0]["id"] == whole["candidates"][0]["id"] == record["ids"][3]
    assert step["end"] == pytest.approx(whole["end"], abs=2 * CLOSE)
    assert np.array(step["cross"]) == pytest.approx(np.array(whole["cross"]), abs=2 * CLOSE)
    assert len(answers.step(written, candidates=3)["candidates"]) == 3


def test_the_candidates_are_the_most_probable_and_never_a_start_or_padding(answers):
    for step in answers.record(TEXT)["steps"]:
        shares = [one["probability"] for one in step["candidates"]]
        assert shares == sorted(shares, reverse=True)
        assert all(one["id"] > 1 for one in step["candidates"])
        assert [one["probability"] for one in step["candidates"]] == pytest.approx(
            [math.exp(one["logProbability"]) for one in step["candidates"]], abs=2 * CLOSE
        )


@pytest.mark.parametrize("beam", [1, 3])
def test_a_forced_beginning_is_kept_and_scored_by_the_model(translator, answers, beam):
    record = answers.record("I like cats.")
    other = record["steps"][1]["candidates"][1]["id"]
    forced = [record["ids"][0], other]
    found = answers.record("I like cats.", beam=beam, forced=forced)
    assert found["ids"][:2] == forced
    nodes = [one for one in found["tree"]["nodes"] if one["finished"]]
    told = sum(
        next(one["logProbability"] for one in step["candidates"] if one["id"] == i)
        for i, step in zip(found["ids"], found["steps"], strict=True)
    )
    assert min(abs(one["total"] - told) for one in nodes) < 1e-3


def test_a_silent_head_changes_what_python_says_it_changes(translator, answers):
    plain = answers.record(TEXT)
    quiet = [{"use": "cross", "layer": 2, "head": h} for h in range(3)]
    changed = answers.record(TEXT, beam=2, silenced=quiet)
    src = torch.tensor([[piece["id"] for piece in plain["pieces"]]])
    with without_heads(translator.model, [Head(USES[one["use"]], one["layer"], one["head"]) for one in quiet]):
        (expected,) = beam_search(translator.model, src, beam_size=2)
    assert changed["ids"] == list(expected.tokens)
    assert changed["steps"][0]["candidates"] != plain["steps"][0]["candidates"]
    assert answers.record(TEXT) == plain  # and nothing stays behind


def test_the_tree_leads_to_the_translation(answers):
    record = answers.record(TEXT, beam=4)
    nodes, at = record["tree"]["nodes"], -1
    for i in record["ids"]:
        (at,) = [
            n
            for n, one in enumerate(nodes)
            if one["parent"] == at and one["id"] == i and (one["kept"] or one["finished"])
        ]
    assert nodes[at]["finished"]
    assert nodes[at]["total"] / ((5 + len(record["ids"])) / 6) ** 0.6 == pytest.approx(record["score"], abs=1e-3)


@pytest.mark.parametrize("text", ["", "  \n ", "\ud800", "word " * 300])
def test_what_cannot_be_translated_gets_a_sentence(answers, text):
    read = answers.read(text)
    told = read["problem"]
    assert read["ids"] == read["pieces"] == []
    assert told.endswith(".") and len(told) > 20
    with pytest.raises(ValueError, match="read"):
        answers.begin()
    with pytest.raises(ValueError, match=re.escape(told)):
        answers.record(text)


def test_of_several_sentences_one_is_read_and_all_are_named(answers):
    told = answers.read("I like cats. They sleep.\nAnd you?")
    assert told["sentences"] == ["I like cats.", "They sleep.", "And you?"]
    assert told["text"] == "I like cats."
    assert answers.read("I like cats. They sleep.", sentence=1)["text"] == "They sleep."
    assert answers.read("Hi\x07there")["notes"]


def test_emoji_and_other_scripts_are_pieces_of_bytes(answers):
    for text in ("I like 🐈.", "मैं"):
        record = answers.record(text)
        assert any("⟨" in piece["text"] for piece in record["pieces"])
        assert record["pieces"][-1]["text"] == "</s>"
