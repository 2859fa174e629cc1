"""Scores side by side: a small run holds what it promises; late links, shifted, are in time."""

import copy

import pytest
import torch

from attention_book.experiments.before import bottleneck, scores_compared
from attention_book.little_language.language import sample, word_vocabulary
from attention_book.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from attention_book.translation.evaluation import alignment_error_rate

WORDS = word_vocabulary("es")


def test_the_pairs_and_the_recipe_are_those_of_the_bottleneck():
    for key in ("target", "drawn", "clauses", "longest", "groups", "examined", "training"):
        assert scores_compared.CONFIGURATION[key] == bottleneck.CONFIGURATION[key]


@pytest.mark.slow
def test_a_small_run_holds_every_setting():
    configuration = copy.deepcopy(scores_compared.CONFIGURATION)
    configuration |= {"drawn": 300, "examined": 4, "widths": [8], "rounds": 2}
    configuration["settings"] = {name: configuration["settings"][name] for name in ("dot", "additive before")}
    for training in ("training", "short_training"):
        configuration[training] |= {"tokens": 400}
    found = scores_compared.run_seed(0, configuration)
    for name in configuration["settings"]:
        assert len(found[f"{name}/loss"]) == len(configuration["groups"])
        assert 0 <= found[f"{name}/error_rate"] <= 1
        assert found[f"{name}/entropy"] > 0
    assert 0 < found["ibm1/error_rate"] < 1
    assert found["wide/dot/8/loss"] > 0
    assert found["wide/additive/8/score_deviation"] > 0


def test_links_that_come_one_word_late_are_in_time_when_shifted():
    pairs = sample(10, 5, "es", 1)

    class Late(RecurrentEncoderDecoder):
        """Looks at the source of target word j when it writes word j + 1."""

        def attention_weights(self, src, tgt):
            (pair,) = [pair for pair in pairs if WORDS.encode(pair.source) == src[0, :-1].tolist()][:1]
            links = dict(sorted(((j, i) for i, j in pair.alignment), reverse=True))
            weights = torch.zeros(1, 1, 1, tgt.shape[1], src.shape[1])
            for j in range(tgt.shape[1]):
                weights[0, 0, 0, j, links.get(j - 1, src.shape[1] - 1)] = 1
            return {"cross": weights}

    model = Late(RecurrentConfig.tiny(len(WORDS)))
    shifted = scores_compared.shifted_error_rate(model, pairs, WORDS)
    late = alignment_error_rate(
        scores_compared.strongest_links(model, pairs, WORDS), [pair.alignment for pair in pairs]
    ).error_rate
    assert shifted < 0.3 < late


def test_counting_finds_links_in_the_pairs():
    pairs = sample(300, 1, "es", 1)
    found = scores_compared.counted_alignments(pairs, pairs[:50], "es", 5)
    assert found["error_rate"] == pytest.approx(1 - 2 / (1 / found["precision"] + 1 / found["recall"]), abs=0.05)
    assert found["error_rate"] < 0.4
