"""The Python side of the explorer *three attributions*: its numbers, its words, typed sentences, what it refuses."""

import json

import numpy as np
import pytest
import torch
import traitlets

from attention_book.analysis.attribution import source_words
from attention_book.pages.explorers.translator.attributions import METHODS, Attributions, attributed


@pytest.fixture(scope="module")
def shown(translator):
    return attributed(translator, "I like cats.", steps=4)


@pytest.fixture
def explorer(translator, shown):
    made = Attributions(translator, sentences=())
    made.sentences = [shown, shown | {"source": "I like dogs."}]
    return made


def test_numbers_are_the_packages(shown, translator):
    subwords, model = translator.subwords, translator.model
    src = torch.tensor([*subwords.encode("I like cats."), subwords.eos_id])
    tgt = torch.tensor([subwords.bos_id, *subwords.encode(shown["target"])])
    assert shown["target"] == str(translator.translate("I like cats."))
    assert shown["words"] == ["I", "like", "cats", ".", "</s>"]
    assert len(shown["written"]) == len(tgt) - 1 == len(shown["probability"])
    left = source_words.leaving_out(model, src, tgt, [[j] for j in range(5)])
    assert np.allclose(shown["leaving out"], left, atol=1e-4)
    assert np.allclose(shown["weights"], source_words.cross_weights(model, src, tgt), atol=1e-4)
    assert np.allclose(shown["gradient"], source_words.gradient_times_input(model, src, tgt), atol=1e-4)
    assert np.allclose(np.sum(shown["weights"], axis=1), 1, atol=1e-3)


def test_words_name_the_piece_and_every_number(explorer, shown):
    explorer.row = 1
    words = explorer.in_words()
    assert words.startswith(f"“I like cats.” became “{shown['target']}” The piece “{shown['written'][1]}” has")
    assert f"Weights: {shown['weights'][1][0]:.3f} for “I”, " in words
    assert words.count("“cats”") == len(METHODS) and "Gradient × input: " in words
    explorer.gradient = "integrated"
    assert "Integrated gradient: " in explorer.in_words()
    assert explorer.columns["gradient"] == shown["integrated"][1]
    explorer.row = 99  # beyond the last: the last
    assert f"The piece “{shown['written'][-1]}”" in explorer.in_words()


def test_a_typed_sentence_is_translated_and_shown_and_nothing_is_told_why(explorer, translator):
    explorer.text = "I see."
    assert explorer.sentence == 2 and explorer.sentences[2]["source"] == "I see."
    assert explorer.sentences[2]["target"] == str(translator.translate("I see."))
    explorer.text = "\u200b"
    assert len(explorer.sentences) in (3, 4)
    explorer.text = "   "
    assert explorer.problem == ""
    with pytest.raises(ValueError, match="no word"):
        attributed(translator, " ")


def test_what_is_not_there_is_refused(explorer):
    for name, bad in (("sentence", 2), ("sentence", -1), ("row", -1), ("gradient", "other")):
        with pytest.raises(traitlets.TraitError):
            setattr(explorer, name, bad)


def test_a_page_says_that_no_kernel_answers_and_stays_small(explorer):
    assert explorer.kernel and explorer.state()["kernel"] is False
    assert len(json.dumps(explorer.state()["sentences"][0])) < 6_000
