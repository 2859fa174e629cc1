"""The experiments on attributions: what is known of a sentence, what is examined, and what a run reports."""

import numpy as np
import pytest
import torch

from attention_book.analysis.attribution.exchange_sentences import sentences
from attention_book.analysis.attribution.source_words import METHODS
from attention_book.experiments.reading import attributions as experiment
from attention_book.experiments.reading import attributions_of_en_es as of_translator
from attention_book.little_language.exchanges import exchanges
from attention_book.little_language.language import pair_for

SHORT = experiment.CONFIGURATION | {
    "drawn": 60,
    "examined": 2,
    "steps": 2,
    "training": experiment.CONFIGURATION["training"] | {"tokens": 400},
}


def test_what_is_known_tells_translating_words_from_deciding_ones():
    pair = pair_for("I do not buy the pretty flower.")
    translates, decides = experiment.known(pair, exchanges(pair))
    article, noun = pair.target_words.index("la"), pair.source_words.index("flower")
    assert not translates[article, noun] and decides[article, noun]
    assert translates[article, pair.source_words.index("the")]
    assert translates.sum() == len(pair.alignment)


def test_sentences_are_new_each_once_and_of_the_lengths_asked_for():
    seen = experiment.training_pairs(0, SHORT)
    found = experiment.examined_sentences(0, seen, SHORT | {"examined": 12})
    assert len({pair.source for pair in found}) == 12
    assert not {pair.source for pair in found} & {pair.source for pair in seen}
    assert all(6 <= experiment.length(pair) <= 16 for pair in found)
    assert all(pair.target == pair_for(pair.source).target for pair in found[:2])


@pytest.mark.slow
def test_a_run_reports_every_metric_before_and_after_training():
    state = torch.random.get_rng_state()
    found = experiment.run_seed(0, SHORT)
    assert torch.equal(state, torch.random.get_rng_state())
    assert found["tokens"] >= 400
    for prefix in ("", "untrained_"):
        assert len(found[f"{prefix}agree"]) == 6
        assert set(found[f"{prefix}translated"]) == {*METHODS, "chance"}
        assert all(-1 <= value <= 1 for value in found[f"{prefix}agree"].values())
        assert 0 < found[f"{prefix}translated"]["chance"] < 1
        assert found[f"{prefix}gap"]["mean"] < found[f"{prefix}explained"]["mean"]
    assert found["agree"] != found["untrained_agree"]


def test_a_sentence_of_the_translator_has_a_row_per_piece_and_an_effect_per_exchange(translator):
    given = sentences()[2]
    sentence, numbers = of_translator.examine(translator, given, steps=2)
    assert sentence.columns == [place for place, _ in given.exchanged]
    rows, exchanged = sentence.exchanged.shape
    assert exchanged == len(given.exchanged)
    assert all(values.shape[0] == rows for values in sentence.methods.values())
    assert np.isfinite(numbers["gap"]) and numbers["explained"] > 1
