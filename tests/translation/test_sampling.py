"""Sentences drawn by chance, counted against the probabilities of a language that can be listed."""

import collections
import math

import pytest
import torch
from scipy.stats import chisquare

from attention_book.examples.small_bigram import SmallBigram
from attention_book.translation.decoding import greedy_decode
from attention_book.translation.sampling import COLDEST, MOST_DRAWN, sample_sentences

from .test_decoding import tiny_transformer  # isort: skip

MODEL = SmallBigram()
DRAWS = 4000


def counted(seed, temperature=1.0, draws=DRAWS):
    found = sample_sentences(MODEL, MODEL.source, draws, torch.Generator().manual_seed(seed), temperature)
    return collections.Counter(MODEL.spelt(one.tokens) for one in found)


def by_temperature(temperature):
    """The distribution over sentences when each row of the table is raised to 1/τ and divided by its sum."""
    table = {
        last: {
            word: p ** (1 / temperature) / sum(q ** (1 / temperature) for q in row.values()) for word, p in row.items()
        }
        for last, row in MODEL.table.items()
    }
    return {" ".join([*s.words, "</s>"]): s.probability for s in SmallBigram(table).sentences()}


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_sentences_come_as_often_as_their_probability_says(temperature):
    counts, expected = counted(0, temperature), by_temperature(temperature)
    assert set(counts) <= set(expected)
    names = list(expected)
    test = chisquare([counts[name] for name in names], [DRAWS * expected[name] for name in names])
    assert test.pvalue > 0.001
    other = by_temperature(1.0 if temperature != 1 else 1.3)
    assert chisquare([counts[name] for name in names], [DRAWS * other[name] for name in names]).pvalue < 1e-6


def test_log_probs_are_those_of_the_model_whatever_the_temperature():
    known = {" ".join([*s.words, "</s>"]): s.probability for s in MODEL.sentences()}
    for one in sample_sentences(MODEL, MODEL.source, 50, torch.Generator().manual_seed(1), temperature=3.0):
        assert math.exp(one.log_prob) == pytest.approx(known[MODEL.spelt(one.tokens)])


def test_cold_it_is_greedy_and_a_generator_repeats_itself():
    (greedy,) = greedy_decode(MODEL, MODEL.source)
    assert counted(0, 0.01, 20) == {MODEL.spelt(greedy.tokens): 20}
    assert counted(5) == counted(5) != counted(6)


def test_at_the_coldest_a_transformer_is_greedy():
    model, src = tiny_transformer(), torch.tensor([[5, 7, 2]])
    (greedy,) = greedy_decode(model, src)
    drawn = sample_sentences(model, src, 10, torch.Generator().manual_seed(0), COLDEST)
    assert {one.tokens for one in drawn} == {greedy.tokens}


def test_each_sentence_goes_on_from_its_own_state_when_others_have_ended():
    """The bigrams above remember one word; a Transformer remembers all, and must not take those of another sentence."""
    model, src = tiny_transformer(), torch.tensor([[5, 7, 2]])
    found = sample_sentences(model, src, 30, torch.Generator().manual_seed(0), temperature=3.0, max_len=8)
    assert len({len(one.tokens) for one in found}) > 2
    for one in found:
        tokens = torch.tensor([one.tokens])
        tgt = torch.cat([torch.tensor([[model.config.bos_id]]), tokens[:, :-1]], dim=1)
        log_probs = model(src, tgt).log_softmax(-1).gather(2, tokens[..., None])
        assert one.log_prob == pytest.approx(log_probs.sum().item(), abs=1e-9)


def test_what_has_not_ended_in_time_lacks_its_end():
    found = sample_sentences(MODEL, MODEL.source, 200, torch.Generator().manual_seed(0), max_len=2)
    assert {len(one.tokens) for one in found} == {2}
    assert {one.tokens[-1] == MODEL.config.eos_id for one in found} == {True, False}


@pytest.mark.parametrize(
    ("count", "temperature", "rows", "said"),
    [
        (0, 1.0, 1, "count must be at least 1"),
        (MOST_DRAWN + 1, 1.0, 1, f"count must be at most {MOST_DRAWN}"),
        (1, 0.0, 1, "temperature must be a finite number of at least 1e-06, got 0.0"),
        (1, -1.0, 1, "temperature must be"),
        (1, math.nan, 1, "temperature must be"),
        (1, math.inf, 1, "temperature must be"),
        (1, 1.0, 2, "one source at a time, got 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused(count, temperature, rows, said):
    src = torch.zeros(rows, 1, dtype=torch.int64)
    with pytest.raises(ValueError, match=said):
        sample_sentences(MODEL, src, count, torch.Generator(), temperature)
