"""What is looked at in a trained recurrent model, on models whose answers are known."""

import math

import pytest
import torch
from oracles import seeded

from attention_book.data.batching import token_batches
from attention_book.experiments.little_language_study import encoded
from attention_book.experiments.recurrent_study import (
    alignment_metrics,
    by_length,
    parameters,
    shape,
    strongest_links,
    train,
    weights_and_scores,
)
from attention_book.little_language.language import sample, word_vocabulary
from attention_book.models.recurrent import RecurrentEncoderDecoder

WORDS = word_vocabulary("es")
PAIRS = sample(12, 3, "es", 1)


def model_of(**setting):
    return seeded(lambda: RecurrentEncoderDecoder(shape(setting, len(WORDS)))).eval()


class Pointing(RecurrentEncoderDecoder):
    """A model whose weights are put on a given source place for each target place."""

    def point(self, places):
        self.places = places
        return self

    def attention_weights(self, src, tgt):
        weights = torch.full((1, 1, 1, tgt.shape[1], src.shape[1]), 0.1 / src.shape[1])
        for j, i in enumerate(self.places(src.shape[1], tgt.shape[1])):
            weights[0, 0, 0, j, i] += 0.9
        return {"cross": weights}


def pointing(places):
    return seeded(lambda: Pointing(shape({"width": 8, "score": "dot"}, len(WORDS)))).point(places)


def test_a_width_stands_for_all_widths_with_one_direction_and_with_two():
    both, one = shape({"width": 64}, 50), shape({"width": 64, "bidirectional": False, "score": "dot"}, 50)
    assert (both.decoder_width, both.encoder_width, both.memory_width, both.d_attention) == (64, 32, 64, 64)
    assert (one.decoder_width, one.encoder_width, one.memory_width) == (64, 64, 64)


def test_the_strongest_weight_is_a_link_and_the_end_of_the_source_is_none():
    (pair,) = PAIRS[:1]
    tgt_len = len(WORDS.encode(pair.target))
    first = pointing(lambda src, tgt: [0] * tgt)
    assert strongest_links(first, [pair], WORDS) == [frozenset((0, j) for j in range(tgt_len))]
    end = pointing(lambda src, tgt: [src - 1] * tgt)
    assert strongest_links(end, [pair], WORDS) == [frozenset()]


def test_weights_on_the_gold_links_make_no_error_of_precision():
    def gold(pair):
        links = dict(sorted(((j, i) for i, j in pair.alignment), reverse=True))
        end = len(WORDS.encode(pair.source))
        return pointing(lambda src, tgt: [links.get(j, end) for j in range(tgt)])

    for pair in PAIRS:
        found = alignment_metrics(gold(pair), [pair], WORDS)
        linked = {j for _, j in pair.alignment}
        assert found["precision"] == 1
        assert found["recall"] == pytest.approx(len(linked) / len(pair.alignment))


def test_flat_weights_have_the_entropy_of_their_number_and_a_deviation_of_zero():
    model = model_of(width=8, score="general")
    with torch.no_grad():
        model.score.w.zero_()
    found = weights_and_scores(model, PAIRS, WORDS)
    rows = [(len(WORDS.encode(pair.source)) + 1, len(WORDS.encode(pair.target)) + 1) for pair in PAIRS]
    total = sum(count for _, count in rows)
    assert found["score_deviation"] == pytest.approx(0, abs=1e-6)
    assert found["entropy"] == pytest.approx(sum(math.log(n) * count for n, count in rows) / total, abs=1e-4)
    assert found["largest"] == pytest.approx(sum(count / n for n, count in rows) / total, abs=1e-4)


@pytest.mark.parametrize("asks", ["before", "after"])
def test_scores_are_seen_at_every_step(asks):
    model = model_of(width=8, score="dot", asks=asks)
    found = weights_and_scores(model, PAIRS, WORDS)
    with torch.no_grad():
        deviations = []
        for batch in token_batches(encoded(PAIRS, WORDS), 2000, seed=0, epoch=0):
            memory = model.encode(batch.src)
            states = model._advance(model._embed(batch.tgt_in), memory, memory.first)[0]
            asked = torch.cat([memory.first[0][-1][:, None], states[:, :-1]], dim=1) if asks == "before" else states
            for row in range(batch.src.shape[0]):
                real, written = int((batch.src[row] != 0).sum()), int((batch.tgt_out[row] != 0).sum())
                scores = asked[row, :written] @ memory.states[row, :real].T
                deviations += scores.std(-1, correction=0).tolist()
    assert found["score_deviation"] == pytest.approx(sum(deviations) / len(deviations), rel=1e-4)


def test_training_is_repeatable_and_the_seed_counts():
    recipe = {"tokens": 300, "tokens_per_batch": 100, "peak_rate": 1e-3, "smoothing": 0.0}
    setting = {"width": 8, "score": None, "bidirectional": False}
    one, trainer = train(setting, PAIRS, 1, "es", recipe)
    again, _ = train(setting, PAIRS, 1, "es", recipe)
    other, _ = train(setting, PAIRS, 2, "es", recipe)
    assert trainer.tokens >= 300
    assert not one.training
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), again.parameters(), strict=True))
    assert not torch.equal(one.embedding.weight, other.embedding.weight)


def test_examination_has_one_number_a_group():
    model = model_of(width=8, score=None, bidirectional=False)
    found = by_length(model, {"a": PAIRS[:6], "b": PAIRS[6:]}, WORDS)
    assert len(found["loss"]) == len(found["right"]) == 2
    assert all(4 < loss < 9 for loss in found["loss"])  # untrained: about the logarithm of the vocabulary's size


def test_parameters_are_counted_by_hand():
    """A GRU has three gates, each with weights of its input and of its state and two biases (Cho et al. 2014)."""
    d, width, n_words = 64, 8, len(WORDS)
    gru = 3 * (width * d + width * width + 2 * width)
    bridge, readout = width * width + width, (width + d) * d + d
    model = model_of(width=width, score=None, bidirectional=False)
    assert parameters(model) == n_words * d + 2 * gru + bridge + readout
    fed = 3 * width * width  # attention: the decoder also reads a context as wide as the encoder's states
    attention = 2 * width * width + width  # W_q, W_k and v
    with_attention = model_of(width=width, score="additive", bidirectional=False)
    assert parameters(with_attention) == parameters(model) + fed + attention + width * d
