"""A translator with its memory: the mixture by its definition, and a memory that has all or nothing to say."""

import pytest
import torch
from tiny_pairs import PAIRS

from attention_book.data.batching import encode_pairs
from attention_book.data.subwords import Subwords
from attention_book.models.config import TransformerConfig
from attention_book.models.search_interface import SearchModel
from attention_book.models.transformer import Transformer
from attention_book.training.remembering.datastore import datastore_of
from attention_book.training.remembering.nearest import Neighbourhoods
from attention_book.training.remembering.with_memory import WithMemory
from attention_book.translation.decoding import beam_search, greedy_decode


@pytest.fixture(scope="module")
def parts():
    subwords = Subwords.train((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
    torch.manual_seed(1)
    model = Transformer(TransformerConfig.tiny(len(subwords), dropout=0.0, max_len=32)).double().eval()
    store = datastore_of(model, encode_pairs(PAIRS, subwords, 32))
    return model, subwords, store


def remembering(parts, share, **options):
    model, _, store = parts
    return WithMemory(model, Neighbourhoods(store.keys, 4), store.values, share, probes=4, **options).eval()


def sources(pairs, subwords):
    rows = [torch.tensor([*subwords.encode(pair.source), 2]) for pair in pairs]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


def test_a_step_is_the_mixture_of_its_definition(parts):
    model, subwords, store = parts
    asking = remembering(parts, 0.4, temperature=2.0, neighbours=7)
    assert isinstance(asking, SearchModel)
    src = torch.tensor([[*subwords.encode(PAIRS[0].source), 2]])
    tokens = [1, *subwords.encode(PAIRS[0].target)[:2]]
    state = asking.start(asking.encode(src))
    with torch.no_grad():
        for token in tokens:
            found, state = asking.step(torch.tensor([token]), state)
        own = model(src, torch.tensor([tokens]))[0, -1].softmax(-1)
    key = store.keys[len(tokens) - 1]  # the state after these tokens of the first pair
    apart = (store.keys - key).square().sum(1)
    near = apart.argsort(stable=True)[:7]
    weights = (-apart[near] / 2.0).softmax(0)
    want = 0.6 * own
    for place, weight in zip(near, weights, strict=True):
        want[store.values[place]] += 0.4 * weight
    torch.testing.assert_close(found[0].exp(), want, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(1, dtype=torch.float64))


def test_a_model_that_knows_nothing_translates_by_its_memory_alone(parts):
    _, subwords, _ = parts
    asking = remembering(parts, 1.0, temperature=1e-6)
    for pair in PAIRS:
        (found,) = greedy_decode(asking, sources([pair], subwords))
        assert subwords.decode([token for token in found.tokens if token != 2]) == pair.target


def test_with_no_share_it_is_the_model_and_the_memory_is_not_asked(parts, monkeypatch):
    model, subwords, _ = parts
    asking = remembering(parts, 0.0)
    monkeypatch.setattr(asking.around, "nearest", None)
    src = sources(PAIRS[:4], subwords)
    assert beam_search(asking, src, 3, max_len=6) == beam_search(model, src, 3, max_len=6)
    assert greedy_decode(asking, src, max_len=6) == greedy_decode(model, src, max_len=6)


def test_no_hook_stays_behind(parts):
    model, _, _ = parts
    asking = remembering(parts, 0.5)
    state = asking.start(asking.encode(torch.tensor([[5, 2]])))
    asking.step(torch.tensor([1]), state)
    with pytest.raises(IndexError):
        asking.step(torch.tensor([10_000]), state)
    assert not model.output._forward_pre_hooks
