"""Removing heads: against W^O with the head's rows set to zero, and against a model put back as it was."""

import copy

import pytest
import torch
from oracles import close, seeded

from attention_book.analysis.ablation import KINDS, Head, attentions, heads_of, without_heads
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.translation.shipped_translator import shipped

SRC, TGT = torch.tensor([[5, 9, 4, 2], [7, 2, 0, 0]]), torch.tensor([[1, 6, 8], [1, 5, 0]])


@pytest.fixture
def model():
    config = TransformerConfig.tiny(n_heads=4, d_v=5, n_layers=2)
    made = seeded(lambda: Transformer(config)).double().eval()
    with torch.no_grad():
        for attention in attentions(made).values():
            attention.w_o.bias.normal_(generator=torch.Generator().manual_seed(3))  # not 0: it must stay
    return made


def with_rows_of_zero(model, heads):
    """A copy whose W^O ignores the heads; nn.Linear stores W^O transposed, so a head has d_v columns."""
    twin = copy.deepcopy(model)
    with torch.no_grad():
        for kind, layer, head in heads:
            attention = attentions(twin)[kind, layer]
            attention.w_o.weight[:, head * 5 : (head + 1) * 5] = 0
    return twin(SRC, TGT)


@pytest.mark.parametrize(
    "heads",
    [
        [Head("encoder_self", 0, 0)],
        [Head("decoder_self", 1, 3)],
        [Head("cross", 0, 2), Head("cross", 0, 1), Head("encoder_self", 1, 0)],
        [],
    ],
)
def test_a_removed_head_is_one_whose_rows_of_w_o_are_zero(model, heads):
    whole = model(SRC, TGT)
    with without_heads(model, heads):
        removed = model(SRC, TGT)
    close(removed, with_rows_of_zero(model, heads))
    assert torch.equal(removed, whole) == (not heads)
    assert torch.equal(model(SRC, TGT), whole)  # and afterwards it is there again


def test_it_is_put_back_after_an_error_too(model):
    whole = model(SRC, TGT)
    with pytest.raises(RuntimeError, match="stop"), without_heads(model, heads_of(model)):
        raise RuntimeError("stop")
    assert torch.equal(model(SRC, TGT), whole)


def test_every_head_is_named_once(model):
    heads = heads_of(model)
    assert len(set(heads)) == len(heads) == 3 * 2 * 4
    assert {head.kind for head in heads} == set(KINDS)
    assert attentions(model)["cross", 1] is model.decoder.layers[1].cross_attention
    assert attentions(model)["decoder_self", 0] is model.decoder.layers[0].self_attention
    assert attentions(model)["encoder_self", 1] is model.encoder.layers[1].self_attention


@pytest.mark.parametrize("head", [Head("cross", 2, 0), Head("self", 0, 0), Head("cross", 0, 4), Head("cross", 0, -1)])
def test_a_head_that_is_not_there_is_refused(model, head):
    with pytest.raises(ValueError, match="there is no Head"), without_heads(model, [head]):
        pass


def test_one_head_of_the_last_cross_attention_loses_a_word_that_all_four_bring_back():
    translator, asked, written = shipped(), "She gave him a red apple.", []
    for gone in (1, 4):
        with without_heads(translator.model, [Head("cross", 2, n) for n in range(gone)]):
            written.append(translator.translate(asked))
    assert ["Ella" in text for text in (*written, translator.translate(asked))] == [False, True, True]
