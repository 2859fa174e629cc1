"""The rows on heads, against the weights that the translator shows with a translation."""

import math

import numpy as np
import pytest
from scipy import stats

from attention_book import experiments
from attention_book.experiments.reading import pronoun_sentences
from attention_book.translation import shipped_translator

from ..verdicts import changed


@pytest.fixture(scope="module")
def shown(translator):
    texts = list(shipped_translator.SENTENCES)
    return dict(zip(texts, translator.translate(texts, 1, return_attention=True), strict=True))


def test_m12_entropies_and_distances_by_loops(answers, shown):
    value = answers["M12"]["value"]
    weights = [
        shown[text].encoder_self.reshape(12, *[len(shown[text].source_tokens)] * 2)
        for text in shipped_translator.SENTENCES
    ]
    rows = sum(w.shape[1] for w in weights)
    shares = sum(stats.entropy(w, axis=2).sum(axis=1) / math.log(w.shape[2]) for w in weights) / rows
    np.testing.assert_allclose(value["entropy_share"], shares, atol=1e-4)
    for head, (distance, found) in enumerate(
        zip(value["distance"], value["largest_weight_at_one_distance"], strict=True)
    ):

        def at(distance, head=head):
            length = [w.shape[1] for w in weights]
            pairs = [(w, i) for w, n in zip(weights, length, strict=True) for i in range(n) if 0 <= i + distance < n]
            return sum(w[head, i, i + distance] for w, i in pairs) / rows

        assert found == pytest.approx(at(distance), abs=1e-4)
        assert all(at(other) <= found + 1e-4 for other in range(-4, 5))
    assert answers["M12"]["verdict"] == "unsupported"


def test_m12_other_heads_would_say_otherwise(answers):
    assert changed(answers, "M12", entropy_share=[0.5] * 12) == "wrong"
    assert changed(answers, "M12", largest_weight_at_one_distance=[0.9] * 12) == "misleading"


def test_m17_the_row_of_it(answers):
    value = answers["M17"]["value"]
    (found,) = experiments.read("pronoun-sentences")["seeds"].values()
    assert value.items() <= found.items() and value["sentences"] >= 50
    assert answers["M17"]["verdict"] == "wrong"
    assert changed(answers, "M17", both=0.99) == "right"
    assert changed(answers, "M17", on_nouns_interval=[0.3, 0.4]) == "misleading"
    assert changed(answers, "M17", on_nouns_interval=[0.1, 0.4]) == "unsupported"


def test_m17_weights_on_the_nouns_by_the_translators_own_record(answers, translator):
    two = pronoun_sentences.CONFIGURATION["twos"][4]
    texts, nouns = pronoun_sentences.sentences(two)
    for text in texts:
        told = translator.translate([text], 1, return_attention=True)[0]
        rows = np.concatenate(told.encoder_self)[:, told.source_tokens.index("▁it")]
        for column, noun in enumerate(nouns):
            wanted = rows[:, told.source_tokens.index(f"▁{noun}")]
            np.testing.assert_allclose(pronoun_sentences.weights_of_it(text, nouns)[:, column], wanted, atol=1e-4)
