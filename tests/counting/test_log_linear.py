"""The log-linear model: its gradient against finite differences and autograd, and what it must come to."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from attention_book.counting.log_linear import LogLinearModel, last_two_words, with_ending
from attention_book.counting.ngrams import END, START, UNKNOWN, NGramModel

SENTENCES = [["a", "cat", "sleeps"], ["a", "dog", "sleeps"], ["the", "cat", "eats", "a", "dog"], []]


def word_before(context):
    return [context[-1]]


@pytest.fixture
def trained_a_little():
    model = LogLinearModel(SENTENCES)
    model.weights = np.random.default_rng(0).normal(size=model.weights.shape)
    return model


def test_the_gradient_is_that_of_finite_differences(trained_a_little):
    model, events = trained_a_little, trained_a_little.encode(SENTENCES)
    _, gradient = model.loss_and_gradient(*events)
    for place in np.ndindex(*model.weights.shape):
        ends = []
        for step in (1e-6, -1e-6):
            model.weights[place] += step
            ends.append(model.loss_and_gradient(*events)[0])
            model.weights[place] -= step
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-8)


def test_loss_and_gradient_are_torchs(trained_a_little):
    """Every feature as a column of zeros and ones, a bias, and torch's own cross-entropy."""
    model = trained_a_little
    rows, came = model.encode(SENTENCES)
    indicators = torch.zeros(len(came), len(model.weights), dtype=torch.float64)
    indicators[:, 0] = 1
    for event, active in enumerate(rows):
        for row in active[active > 0]:
            indicators[event, row] += 1
    weights = torch.tensor(model.weights, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(indicators @ weights, torch.tensor(came))
    loss.backward()
    got, gradient = model.loss_and_gradient(rows, came)
    assert got == pytest.approx(loss.item(), abs=1e-12)
    assert np.allclose(gradient, weights.grad.numpy(), rtol=0, atol=1e-12)


def test_at_first_all_words_are_equally_likely():
    model = LogLinearModel(SENTENCES)
    assert list(model.distribution(["a"]).values()) == pytest.approx([1 / len(model.vocabulary)] * 8)
    assert model.cross_entropy(SENTENCES) == pytest.approx(math.log(len(model.vocabulary)))


def test_with_the_word_before_as_its_only_feature_it_comes_to_the_shares_of_counts():
    """At the optimum the expected count of each feature with each word is the observed one, so P is c(h w) / c(h)."""
    model = LogLinearModel(SENTENCES, features=word_before)
    losses = model.fit(SENTENCES, epochs=3000, rate=0.5, batch=100)
    assert losses[0] > losses[-1]
    followed = [zip([START, *sentence], [*sentence, END], strict=True) for sentence in SENTENCES]
    after = Counter(b for sentence in followed for a, b in sentence if a == "a")
    for word, count in after.items():
        assert model.prob(word, ["a"]) == pytest.approx(count / sum(after.values()), abs=0.02)
    bare = NGramModel(SENTENCES, 2, smoothing="none")
    assert model.cross_entropy(SENTENCES) == pytest.approx(bare.cross_entropy(SENTENCES), abs=0.02)


def test_a_shared_feature_speaks_about_a_word_never_seen_before():
    sentences = [["you", word, "it"] for word in ("toman", "coman", "usan")]
    sentences += [["you", word, "go"] for word in ("dos", "los")]
    model = LogLinearModel(sentences, features=with_ending)
    model.fit(sentences, epochs=200)
    rows = [model._feature_id[f"ends in: {ending}"] for ending in ("an", "os")]
    it = model._word_id["it"]
    assert model.weights[rows[0], it] > model.weights[rows[1], it] + 1


def test_features_and_unknown_words():
    assert last_two_words([START, START]) == ["1 before: <s>", "2 before: <s>"]
    model = LogLinearModel(SENTENCES, least_count=2)
    assert model.prob("zebra", ["a"]) == model.prob(UNKNOWN, ["a"])
    assert sum(model.distribution(["zebra", "the"]).values()) == pytest.approx(1)


def test_features_never_seen_add_nothing(trained_a_little):
    """Nothing was seen two words after "sleeps", always the last one: the row of that event is filled up."""
    model, sentence = trained_a_little, ["sleeps", "a"]
    rows, _ = model.encode([sentence])
    assert (rows == 0).any() and (rows > 0).any(axis=1).all()
    told = [model.prob(word, sentence[:i]) for i, word in enumerate([*sentence, END])]
    assert model.cross_entropy([sentence]) == pytest.approx(-sum(map(math.log, told)) / 3)


def test_training_repeats():
    losses = [LogLinearModel(SENTENCES).fit(SENTENCES, seed=seed, batch=3) for seed in (1, 1, 2)]
    assert losses[0] == losses[1] != losses[2]


def test_nothing_to_learn_from_is_named():
    with pytest.raises(ValueError, match="at least one sentence"):
        LogLinearModel([])
    with pytest.raises(ValueError, match="nothing to predict"):
        LogLinearModel(SENTENCES).loss_and_gradient(np.zeros((0, 2), int), np.zeros(0, int))
    with pytest.raises(ValueError, match="at least one sentence"):
        LogLinearModel(SENTENCES).cross_entropy([])
