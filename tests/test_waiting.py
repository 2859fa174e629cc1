"""The longest chain of operations: counted by hand, and constant or growing where theory says so."""

import pytest
import torch

from attention_book.cells import GRU, RNN
from attention_book.config import TransformerConfig
from attention_book.recurrent import RecurrentEncoderDecoder
from attention_book.recurrent_config import RecurrentConfig
from attention_book.transformer import Transformer
from attention_book.waiting import longest_chain, translator_chains


def test_a_chain_by_hand():
    x = torch.randn(3, requires_grad=True)
    assert longest_chain(x.tanh()) == 1
    assert longest_chain(x.tanh().exp().sum()) == 3
    y = x.tanh().exp().sin() + x.cos()  # the longer of two ways, and the sum
    assert longest_chain(y) == 4


def test_a_long_chain_needs_no_deep_stack():
    x = torch.ones(1, requires_grad=True)
    for _ in range(5000):
        x = x * 1.0
    assert longest_chain(x) == 5000


def test_work_side_by_side_does_not_count():
    x = torch.randn(4, requires_grad=True)
    one = longest_chain(x.tanh())
    assert longest_chain(torch.stack([x.tanh() for _ in range(7)])) == one + 1


def test_nothing_recorded_is_told():
    with pytest.raises(ValueError, match="gradients on"):
        longest_chain(torch.ones(2))


@pytest.mark.parametrize("layers", [RNN(2, 3), GRU(2, 3), GRU(2, 3, bidirectional=True)])
def test_a_recurrent_layer_adds_the_same_for_every_position(layers):
    chains = [longest_chain(layers(torch.randn(1, n, 2))[0]) for n in (4, 8, 12)]
    assert chains[1] - chains[0] == chains[2] - chains[1] > 0


def lengths(model, src_len, tgt_len):
    src, tgt = torch.full((1, src_len), 5), torch.full((1, tgt_len), 6)
    return longest_chain(model(src, tgt))


def test_a_transformer_waits_as_long_for_forty_tokens_as_for_four():
    model = Transformer(TransformerConfig.tiny(50))
    assert lengths(model, 4, 4) == lengths(model, 40, 40)


@pytest.mark.parametrize("asks", ["before", "after"])
def test_a_recurrent_translator_waits_for_source_and_target(asks):
    model = RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks=asks))
    short, long_source, long_target = lengths(model, 4, 4), lengths(model, 14, 4), lengths(model, 4, 14)
    assert long_source > short < long_target
    assert lengths(model, 14, 14) - long_source == long_target - short


def test_asking_before_puts_the_attention_on_the_chain():
    chains = {}
    for asks in ("before", "after"):
        model = RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks=asks))
        chains[asks] = lengths(model, 4, 14) - lengths(model, 4, 4)
    assert chains["before"] > chains["after"]


def test_the_chains_of_the_page_grow_by_the_token_or_not_at_all():
    before, after, transformer = translator_chains((3, 5, 9)).values()
    assert len(set(transformer)) == 1
    for chain in (before, after):
        first, second, third = chain
        assert third - second == 2 * (second - first) > 0 and (second - first) % 2 == 0
    assert before[1] - before[0] > after[1] - after[0]
    model = RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks="after"))
    assert after == [lengths(model, n, n) for n in (3, 5, 9)]
