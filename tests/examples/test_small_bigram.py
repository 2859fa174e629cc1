"""The small language against products worked out here, and as a model that can be searched."""

import math

import pytest
import torch

from attention_book.examples.small_bigram import ANIMALS, SmallBigram
from attention_book.models.search_interface import SearchModel
from attention_book.translation.decoding import beam_search, exhaustive_search, greedy_decode

LONGEST = 5  # tokens of its longest sentence


@pytest.fixture(scope="module")
def model():
    return SmallBigram()


def test_the_sentences_are_all_there_are_and_sum_to_one(model):
    sentences = model.sentences()
    assert len({sentence.words for sentence in sentences}) == len(sentences) == 13
    assert math.fsum(sentence.probability for sentence in sentences) == pytest.approx(1)
    assert max(len(sentence.words) + 1 for sentence in sentences) == LONGEST
    assert [sentence.probability for sentence in sentences] == sorted((s.probability for s in sentences), reverse=True)
    assert len(model.sentences(longest=2)) == 1  # "hide </s>"


def test_products_by_hand(model):
    by_words = {" ".join(sentence.words): sentence.probability for sentence in model.sentences()}
    assert by_words["hide"] == pytest.approx(0.2 * 0.9)
    assert by_words["cats sleep"] == pytest.approx(0.35 * 0.8 * 0.55)
    assert by_words["dogs bark loudly today"] == pytest.approx(0.45 * 0.5 * 0.6 * 0.9 * 1)


def test_it_is_a_model_to_search_and_three_beams_find_three_sentences(model):
    assert isinstance(model, SearchModel)
    found = [beam_search(model, model.source, size, 0.0, LONGEST)[0] for size in (1, 2, 3)]
    assert [model.spelt(one.tokens) for one in found] == [
        "dogs bark loudly today </s>", "cats sleep </s>", "hide </s>",
    ]  # fmt: skip
    assert greedy_decode(model, model.source)[0].tokens == found[0].tokens
    best = model.sentences()[0]
    (exact,) = exhaustive_search(model, model.source, LONGEST, 0.0)
    assert model.spelt(exact.tokens) == " ".join([*best.words, "</s>"])
    assert exact.log_prob == pytest.approx(math.log(best.probability))


def test_three_words_take_four_steps(model):
    words = ("dogs", "bark", "loudly")
    tokens = [model.names.index(word) for word in words]
    path, state = [model.config.bos_id, *tokens], model.start(model.encode(model.source))
    steps, total = 0, 0.0
    for last, following in zip(path, [*tokens, model.config.eos_id], strict=True):
        log_probs, state = model.step(torch.tensor([last]), state)
        total, steps = total + float(log_probs[0, following]), steps + 1
    assert steps == len(words) + 1 == 4
    assert math.exp(total) == pytest.approx(0.45 * 0.5 * 0.6 * 0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"today": {"</s>": 0.9}}, "sum to 1"),
        ({"today": {"</s>": 1.5, "dogs": -0.5}}, "positive"),
        ({"today": {"birds": 1.0}}, "birds.*no row"),
        ({"today": {}}, "sum to 1"),
    ],
)
def test_a_table_that_is_no_language_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        SmallBigram({**ANIMALS, **change})
