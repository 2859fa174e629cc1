"""One small translator per vocabulary: words counted by hand, and a tiny run in which the sums are made again."""

import math
from collections import Counter

import pytest

from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords
from attention_book.experiments.translator import vocabulary_sizes as experiment

CLASSES = experiment.CONFIGURATION["classes"]


def test_words_of_a_reference_are_found_or_not_by_how_often_they_were_seen():
    pairs = [Pair("", "El erizo come, el erizo duerme.", ()), Pair("", "No.", ())]
    counts = Counter({"el": 60, "come": 5, "duerme": 6})
    found = experiment.word_recall(["EL gato duerme", "no sé"], pairs, counts, CLASSES)
    assert found == {
        "never": {"words": 2, "found": 1},  # erizo, once though it stands twice, and no
        "1–5": {"words": 1, "found": 0},
        "6–50": {"words": 1, "found": 1},
        "more": {"words": 1, "found": 1},
    }


def test_translations_and_references_must_be_equally_many():
    with pytest.raises(ValueError, match="zip"):
        experiment.word_recall(["one"], [], Counter(), CLASSES)


TRAIN = tuple(Pair(f"I see {n} cats.", f"Veo {n} gatos.", ("",)) for n in range(40))
TEST = (Pair("I see dogs.", "Veo perros.", ("Veo perros.",)), Pair("I see 3.", "Veo 3.", ("Veo 3.", "Los veo.")))


@pytest.fixture(scope="module")
def tiny():
    """A tiny configuration, and what a run of it found, twice."""
    configuration = experiment.CONFIGURATION | {
        "sizes": [260, 270],
        "model": {"d_model": 8, "n_heads": 2, "n_layers": 1, "d_ff": 8, "dropout": 0.1, "max_len": 40},
        "training": {"tokens": 900, "tokens_per_batch": 200, "peak_rate": 1e-3, "smoothing": 0.1},
        "examined": 2,
        "bootstrap": 5,
    }
    with pytest.MonkeyPatch.context() as patch:
        corpus = corpora.Corpus("made-up", TRAIN, (), TEST, "en", "es", "")
        patch.setattr(corpora, "load", lambda name: corpus)
        return configuration, experiment.run_seed(1, configuration), experiment.run_seed(1, configuration)


def test_a_run_repeats_itself_and_keeps_the_budget(tiny):
    configuration, found, again = tiny
    assert found == again and list(found["models"]) == ["260", "270"]
    assert found["tokens"] == sum(model["tokens"] for model in found["models"].values())
    for model in found["models"].values():
        assert 900 <= model["tokens"] < 900 + configuration["training"]["tokens_per_batch"]
        assert model["pairs"] == len(TRAIN)


def test_models_differ_by_their_tables_alone_and_longer_pieces_read_more_text(tiny):
    _, found, _ = tiny
    small, large = found["models"].values()
    assert small["table"] == 260 * 8 and large["table"] == 270 * 8
    assert large["parameters"] - small["parameters"] == large["table"] - small["table"]
    targets = {size: sum(len(pieces) + 1 for pieces in encoded(size)) for size in (260, 270)}
    for size, model in zip(targets, found["models"].values(), strict=True):
        assert model["passes"] == pytest.approx(model["tokens"] / targets[size], rel=0.15)
        assert model["characters"] == pytest.approx(model["passes"] * sum(len(pair.target) for pair in TRAIN), abs=1)
    assert large["passes"] > small["passes"]


def encoded(size, pairs=TRAIN):
    texts = [text for pair in TRAIN for text in (pair.source, pair.target)]
    return Subwords.train(texts, size).encode_batch(pair.target for pair in pairs)


def test_bits_per_character_are_the_same_loss_in_another_unit(tiny):
    _, found, _ = tiny
    characters = sum(len(pair.target) + 1 for pair in TEST)
    for size, model in found["models"].items():
        pieces = sum(len(ids) + 1 for ids in encoded(int(size), TEST))
        bits = model["loss_per_piece"] * pieces / math.log(2)
        assert model["bits_per_character"] == pytest.approx(bits / characters, abs=1e-4)
        assert model["recall"]["more"]["words"] == 0 and model["recall"]["never"]["words"] == 1
        assert set(model["bleu_interval"]) == {"mean", "half_width"}
