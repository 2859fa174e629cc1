"""One head removed at a time: against the weights of the projection, and what the page says of one sentence."""

import math

import numpy as np
import pytest
import torch

from attention_book.counting.hand_linked import linked_pairs
from attention_book.experiments.reading.links_by_hand import forced_words
from attention_book.readers.reading import links_by_hand
from attention_book.studies.reading.one_head_removed import gains, told
from attention_book.translation.token_probabilities import factors
from attention_book.translation.translator import Translator

PAIR, WORDS = linked_pairs()[5], ("She", "yesterday")


@pytest.fixture(scope="module")
def translator():
    return Translator.from_pretrained("en-es")


def test_a_gain_is_that_of_a_model_whose_projection_has_zeros_for_the_head(translator):
    found = gains(translator, PAIR)
    whole = [one.probability for one in factors(translator, PAIR.source, PAIR.target)]
    assert found.shape == (3, 4, len(whole))
    for layer, head in ((0, 3), (1, 1), (2, 2)):
        attention = translator.model.decoder.layers[layer].cross_attention
        weight, d_v = attention.w_o.weight, attention.d_v
        kept = weight.detach().clone()
        with torch.no_grad():
            weight[:, head * d_v : (head + 1) * d_v] = 0
            without = [one.probability for one in factors(translator, PAIR.source, PAIR.target)]
            weight.copy_(kept)
        wanted = [math.log(a / b) for a, b in zip(without, whole, strict=True)]
        assert np.allclose(found[layer, head], wanted, atol=1e-4)
    assert [one.probability for one in factors(translator, PAIR.source, PAIR.target)] == whole  # it is whole again


def test_what_the_page_says_of_the_umbrella(translator):
    said = told(translator, PAIR, links_by_hand.read().best)
    assert PAIR.source.startswith("She lent") and PAIR.target_words[0] == "Ayer"
    layer, head = map(int, said["costly"].split("."))
    found = -gains(translator, PAIR).mean(axis=-1)  # nats per piece that are lost
    assert found[layer, head] == found.max() and found[links_by_hand.read().best] == -said["gained"] < 0
    assert said["first_up"] > 2 and said["first_down"] > 100


def test_ayer_gains_without_each_head_that_looks_at_she_and_loses_without_each_that_looks_at_yesterday(translator):
    looks = forced_words(translator, PAIR)["to come"][:, :, 0].argmax(-1)
    at = {word: {divmod(n, 4) for n in range(12) if PAIR.source_words[looks.flatten()[n]] == word} for word in WORDS}
    first = gains(translator, PAIR)[..., 0]
    assert all(first[head] > 0 for head in at["She"]) and all(first[head] < 0 for head in at["yesterday"])
    record = links_by_hand.read()
    said = told(translator, PAIR, record.best)
    assert (said["n_like_best"], said["n_rightly"]) == (len(at["She"]), len(at["yesterday"])) == (4, 3)
    assert said["rightly"] == "0.0, 0.3, 2.2" and record.worst in at["yesterday"] and record.best in at["She"]


@pytest.mark.parametrize("best", [(2, 2), (0, 0), (0, 1)])
def test_a_best_aligner_that_looks_rightly_or_is_missed_is_refused(translator, best):
    with pytest.raises(AssertionError):
        told(translator, PAIR, best)
