"""A growing sentence ends where the sentence is and begins where no word is; its slope at the end is the gradient's."""

import numpy as np
import pytest
import torch

from attention_book.analysis.attribution.source_words import log_probs, without_any_word
from attention_book.pages.explorers.translator.attributions import attributed
from attention_book.studies.reading.explorer_answers import answers, first_word, look_elsewhere
from attention_book.studies.reading.growing_sentence import Growth, growth


@pytest.fixture(scope="module")
def grown(translator):
    return growth(translator, "The red house is old.")


def test_its_ends_are_the_sentence_and_nothing(grown, translator):
    subwords = translator.subwords
    src = torch.tensor([*subwords.encode(grown.source), subwords.eos_id])
    tgt = torch.tensor([subwords.bos_id, *subwords.encode(grown.target)])
    with torch.no_grad():
        whole = log_probs(translator.model, src[None], tgt)[0][: len(grown.pieces)]
    assert np.allclose(grown.log_p[-1], whole, atol=1e-4)
    assert np.allclose(grown.log_p[0], without_any_word(translator.model, src, tgt)[: len(grown.pieces)], atol=1e-4)


def test_the_page_may_call_it_flat_and_the_words_have_every_line(grown):
    numbers = grown.numbers()
    assert numbers["grown_slope"] < numbers["grown_rise"] / 5
    assert all(f"“{piece}”" in grown.told() for piece in grown.pieces)
    assert list(grown.lines()) == grown.pieces


def test_lines_that_are_not_flat_are_refused(grown):
    steep = Growth(grown.source, grown.target, grown.pieces, grown.scales, grown.log_p, grown.slopes + 9)
    with pytest.raises(AssertionError, match="end with a slope"):
        steep.numbers()


def test_scores_that_rise_evenly_are_refused_and_the_translators_do_not(grown):
    assert 0 < grown.numbers()["grown_score_share"] < 25
    evenly = -8 + 14 * grown.scales[:, None]  # ln P is flat at the right end all the same
    log_p = -np.log1p(np.exp(-evenly))
    with pytest.raises(AssertionError, match="50% of the rise of the scores"):
        Growth(grown.source, grown.target, ["La"], grown.scales, log_p, grown.slopes[:1]).numbers()


def test_only_pieces_that_need_another_word_look_elsewhere():
    shown = {
        "words": ["The", "girls", "."],
        "written": ["Las", "niñas"],
        "weights": [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]],
        "leaving out": [[0.2, 1.2, -3.0], [0.0, 4.0, 0.1]],
    }
    assert look_elsewhere(shown) == [("Las", "The", "girls", 1.2)]


@pytest.mark.slow
def test_the_answers_name_words_of_the_sentences(translator):
    found = answers(translator)
    assert (found["las_looks"], found["las_needs"]) == ("The", "girls")
    assert (found["la_looks"], found["la_needs"]) == ("the", "kitchen")
    assert 0.3 < found["la_loss"] < found["las_loss"] < 3
    assert found["verb_most"] in ["I", "like", "cats", ".", "</s>"]
    assert 0 <= found["verb_weight"] <= 1 and found["size_gradient"] < found["size_left"]


def test_la_looks_at_the_and_loses_most_without_house(translator):
    house = attributed(translator, "The red house is old.")
    found = first_word(translator, house)
    assert house["written"][0] == "La" and found["weight_the"] > 5 * found["weight_house"]
    assert found["p_without_house"] < 0.2 < found["p_without_the"] < found["p_whole"]
    assert found["lost_cut"] == pytest.approx(np.log(found["p_whole"] / found["p_without_the"]))
    assert 0 < found["lost_written"] < found["lost_cut"] / 3
    subwords = translator.subwords
    cut = subwords.encode("The red house is old.")[1:]
    assert subwords.encode("red house is old.") != cut and subwords.tokens(cut)[0] == "▁red"
    other = {**house, "weights": [house["weights"][0][::-1]]}
    with pytest.raises(AssertionError):
        first_word(translator, other)
