"""The three uses on a pair: shapes, masks, whose memory it is, and what is computed how often."""

import math

import numpy as np
import pytest
import torch
from oracles import close

from attention_book.analysis.attention_by_use import USES, keys_and_values, linked, projections_made, uses_of
from attention_book.attention.masks import causal_mask
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.attention.probability import softmax
from attention_book.models.transformer import Memory
from attention_book.translation.shipped_translator import shipped
from attention_book.translation.translator import InputTooLong

CATS = ("I like cats.", "Me gustan los gatos.")


@pytest.fixture(scope="module")
def translator():
    return shipped()


@pytest.fixture(scope="module")
def cats(translator):
    return uses_of(translator, *CATS)


def test_rows_and_columns_are_the_tokens_that_ask_and_answer(translator, cats):
    source = ["I", "▁like", "▁cats", ".", "</s>"]
    fed = ["<s>", "Me", "▁gustan", "▁los", "▁gatos", "."]
    assert cats.asked == [*fed[1:], "</s>"]
    for use, queries, keys in zip(USES, (source, fed, fed), (source, fed, source), strict=True):
        found = cats.uses[use]
        assert (found.queries, found.keys) == (queries, keys)
        config = translator.model.config
        assert found.weights.shape == (config.n_layers, config.n_heads, len(queries), len(keys))
        assert np.allclose(found.weights.sum(axis=-1), 1, atol=1e-6)
        wanted = causal_mask(6).numpy() if use == "decoder_self" else np.ones((len(queries), len(keys)), bool)
        assert np.array_equal(found.may, wanted)
        assert (found.weights > 0)[:, :, found.may].all() and not found.weights[:, :, ~found.may].any()


def test_the_weights_are_those_of_the_translators_own_account(translator, cats):
    told = translator.translate(CATS[0], return_attention=True)
    assert told.text == CATS[1]
    for use in USES:
        assert np.allclose(getattr(told, use), cats.uses[use].weights, atol=1e-6)
    own = uses_of(translator, " I like\tcats. ")
    assert (own.source, own.target) == CATS
    assert np.array_equal(own.uses["cross"].weights, cats.uses["cross"].weights)


def test_cross_weights_are_softmax_of_decoder_states_on_projected_memory(translator, cats):
    """By the formula, from the states that meet in each decoder layer, and for all layers from one memory."""
    model, subwords = translator.model, translator.subwords
    src = torch.tensor([[*subwords.encode(CATS[0]), subwords.eos_id]])
    tgt = torch.tensor([[subwords.bos_id, *subwords.encode(CATS[1])]])
    met = []
    hooks = [
        layer.cross_attention.register_forward_hook(lambda module, inputs, output: met.append(inputs))
        for layer in model.decoder.layers
    ]
    memory = model.encode(src)
    model.decode(tgt, memory)
    for hook in hooks:
        hook.remove()
    width = model.config.d_model // model.config.n_heads
    for n, (layer, (x, read)) in enumerate(zip(model.decoder.layers, met, strict=True)):
        assert read is memory.states
        attention = layer.cross_attention
        for head in range(model.config.n_heads):
            columns = slice(head * width, (head + 1) * width)
            q = (x[0] @ attention.w_q.weight.T + attention.w_q.bias)[:, columns]
            k = (read[0] @ attention.w_k.weight.T + attention.w_k.bias)[:, columns]
            weights = softmax(q @ k.T / math.sqrt(width))
            assert weights.shape == (6, 5)
            assert np.allclose(cats.uses["cross"].weights[n, head], weights, atol=1e-6)


def test_both_attentions_of_a_decoder_layer_are_multi_head(translator):
    model = translator.model
    for layer in model.decoder.layers:
        parts = [part for part in layer.children() if isinstance(part, MultiHeadAttention)]
        assert len(parts) == 2 and {part.n_heads for part in parts} == {model.config.n_heads}
    for layer in model.encoder.layers:
        assert sum(isinstance(part, MultiHeadAttention) for part in layer.children()) == 1


def test_keys_and_values_are_matrices_of_the_layer_times_the_memory(translator):
    model = translator.model
    memory = torch.randn(1, 3, model.config.d_model, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    made = keys_and_values(model, memory)
    for (k, v), layer in zip(made, model.decoder.layers, strict=True):
        attention = layer.cross_attention
        close(k, memory @ attention.w_k.weight.T + attention.w_k.bias)
        close(v, memory @ attention.w_v.weight.T + attention.w_v.bias)
    every = [memory, *(part for pair in made for part in pair)]
    assert not any(torch.allclose(a, b) for i, a in enumerate(every) for b in every[:i])


def test_the_first_row_has_one_key_and_knows_nothing_of_the_source(translator, cats):
    assert (cats.uses["decoder_self"].weights[:, :, 0, 0] == 1).all()
    model, kept = translator.model, []
    hook = model.decoder.layers[0].cross_attention.register_forward_hook(
        lambda module, inputs, output: kept.append(inputs[0][0, 0])
    )
    for source in CATS:  # one English, one Spanish: any two sources
        ids = [*translator.subwords.encode(source), 2]
        model(torch.tensor([ids]), torch.tensor([[1]]))
    hook.remove()
    assert torch.equal(kept[0], kept[1])


def test_the_order_of_the_memory_does_not_matter_and_that_of_the_words_does(translator):
    model, subwords = translator.model, translator.subwords
    src = torch.tensor([[*subwords.encode(CATS[0]), subwords.eos_id]])
    tgt = torch.tensor([[subwords.bos_id, *subwords.encode(CATS[1])]])
    memory, order = model.encode(src), torch.tensor([3, 0, 4, 2, 1])
    close(model.decode(tgt, Memory(memory.states[:, order], memory.mask[..., order])), model.decode(tgt, memory), 1e-9)
    assert (model(src[:, order], tgt) - model(src, tgt)).abs().max() > 0.1


def test_memory_is_projected_once_and_the_target_once_a_token(translator):
    written, made = projections_made(translator, CATS[0])
    n_layers, source = translator.model.config.n_layers, 5
    assert written == 6
    assert made == {
        "encoder_self": n_layers * source,
        "cross": n_layers * source,
        "decoder_self": n_layers * written,
    }


def test_linked_weights_are_found_by_the_row_that_asks_or_by_the_input(cats):
    cross = cats.uses["cross"].weights
    asked = linked(cats, [("▁gatos", "▁cats"), ("Me", "I")])
    assert np.allclose(asked, (cross[:, :, 3, 2] + cross[:, :, 0, 0]) / 2)
    as_input = linked(cats, [("▁gatos", "▁cats"), ("Me", "I")], by="input")
    assert np.allclose(as_input, (cross[:, :, 4, 2] + cross[:, :, 1, 0]) / 2)
    with pytest.raises(ValueError, match="not by 'row'"):
        linked(cats, [("Me", "I")], by="row")
    with pytest.raises(ValueError, match="not in list"):
        linked(cats, [("▁perros", "▁cats")])


def test_blank_and_overlong_sentences_are_refused(translator):
    with pytest.raises(ValueError, match="no word in ''"):
        uses_of(translator, "  ", "Hola.")
    with pytest.raises(ValueError, match="no word in"):
        uses_of(translator, "Hello.", "")
    longest = translator.model.config.max_len
    with pytest.raises(InputTooLong, match=f"more than the {longest - 1}"):
        uses_of(translator, "cat " * longest, "gato")
