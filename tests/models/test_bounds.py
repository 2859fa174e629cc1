"""What a whole model refuses, and that finite weights give finite numbers whatever is padding.

Type checks are off here, as for a reader.
"""

from functools import cache

import pytest
import torch
from oracles import normal, seeded, unchecked

from attention_book.attention.cache import DecoderCache
from attention_book.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from attention_book.models.transformer import Memory, Transformer, TransformerConfig
from attention_book.training.losses import label_smoothed_cross_entropy
from attention_book.translation.decoding import beam_search, exhaustive_search, greedy_decode

VOCAB, LAYERS = 11, 2
KINDS = ["sinusoidal", "learned", "rotary", "none"]
NORMS = pytest.mark.parametrize("norm", ["pre", "post"])


@pytest.fixture(autouse=True)
def as_for_a_reader():
    with unchecked():
        yield


def transformer(**changes):
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 12, "n_layers": LAYERS, "max_len": 8}
    return seeded(lambda: Transformer(TransformerConfig.tiny(VOCAB, **{**sizes, **changes}))).double().eval()


def recurrent():
    sizes = {"d_embedding": 6, "encoder_width": 5, "decoder_width": 7, "d_attention": 4, "max_len": 8}
    return seeded(lambda: RecurrentEncoderDecoder(RecurrentConfig(VOCAB, score="additive", **sizes))).double().eval()


FAMILIES = {"transformer": cache(transformer), "recurrent": cache(recurrent)}
SRC, TGT = torch.tensor([[4, 5, 2], [6, 2, 0]]), torch.tensor([[1, 7, 8], [1, 9, 0]])
ENTRIES = {
    "encode": lambda m, bad: m.encode(bad),
    "decode": lambda m, bad: m.decode(bad, m.encode(SRC)),
    "forward, source": lambda m, bad: m(bad, TGT),
    "forward, target": lambda m, bad: m(SRC, bad),
    "step": lambda m, bad: m.step(bad[:, 1], m.start(m.encode(SRC))),
    "weights, source": lambda m, bad: m.attention_weights(bad, TGT),
    "weights, target": lambda m, bad: m.attention_weights(SRC, bad),
    "greedy": lambda m, bad: greedy_decode(m, bad),
    "beam": lambda m, bad: beam_search(m, bad),
    "exhaustive": lambda m, bad: exhaustive_search(m, bad, 2),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("bad", [-1, VOCAB, 10**6, -(10**9)])
def test_an_id_outside_the_vocabulary_is_refused_by_every_entry(family, entry, bad):
    model, ids = FAMILIES[family](), SRC.clone()
    ENTRIES[entry](model, ids)
    ids[1, 1] = bad
    with pytest.raises(IndexError, match="out of range"):
        ENTRIES[entry](model, ids)


@pytest.mark.parametrize("entry", ["encode", "decode", "forward, source", "forward, target", "weights, target"])
def test_what_is_not_a_batch_of_ids_is_refused(entry):
    model = transformer()
    for shape in [(), (3,), (1, 2, 3)]:
        with pytest.raises(ValueError, match=r"token ids must be \(batch, length\)"):
            ENTRIES[entry](model, torch.ones(shape, dtype=torch.int64))
    for dtype in (torch.float32, torch.bool, torch.int16, torch.uint8):
        with pytest.raises(TypeError, match="whole numbers of 32 or 64 bits"):
            ENTRIES[entry](model, SRC.to(dtype))
    ENTRIES[entry](model, SRC.int())


def test_target_memory_and_cache_must_be_of_one_batch():
    model, memory = transformer(), transformer().encode(SRC)
    for rows in (0, 1, 3):
        tgt = torch.ones(rows, 2, dtype=torch.int64)
        with pytest.raises(ValueError, match=f"{rows} targets need a memory of as many sources, got 2"):
            model.decode(tgt, memory)
        cached, few = DecoderCache.empty(LAYERS), Memory(memory.states[:1], memory.mask[:1])
        model.decode(TGT[:1, :1], few, cached)
        if rows != 1:
            before = cached.real
            more = Memory(memory.states[:1].expand(rows, -1, -1), memory.mask[:1].expand(rows, -1, -1, -1))
            with pytest.raises(ValueError, match=f"{rows} targets need a cache of as many rows, got 1"):
                model.decode(tgt, more, cached)
            assert cached.real is before and cached.self_attention[0].length == 1
        assert model.decode(TGT[:1, 1:], few, cached).shape == (1, 2, VOCAB)


@pytest.mark.parametrize("counts", [(1, 2), (2, 1), (1, 1), (3, 3), (0, 0)])
def test_a_cache_of_another_number_of_layers_is_refused(counts):
    model, empty = transformer(), DecoderCache.empty(4)
    cached = DecoderCache(empty.self_attention[: counts[0]], empty.cross_attention[: counts[1]])
    said = f"a decoder of 2 layers needs as many caches of each kind, got {counts[0]} and {counts[1]}"
    with pytest.raises(ValueError, match=said):
        model.decode(TGT, model.encode(SRC), cached)


@pytest.mark.parametrize("changes", [{"n_heads": 4}, {"d_k": 3}, {"d_v": 3}])
def test_a_cache_of_another_model_is_refused(changes):
    other, model = transformer(**changes), transformer()
    cached = DecoderCache.empty(LAYERS)
    other.decode(TGT, other.encode(SRC), cached)
    with pytest.raises(ValueError, match="the cache"):
        model.decode(TGT, model.encode(SRC), cached)


def test_a_memory_that_does_not_fit_is_refused():
    model, memory = transformer(), transformer().encode(SRC)
    with pytest.raises(ValueError, match="all must have the width d_model=8"):
        model.decode(TGT, Memory(memory.states[..., :4], memory.mask))
    with pytest.raises(ValueError, match=r"a mask of shape \(2, 1, 1, 2\) does not broadcast"):
        model.decode(TGT, Memory(memory.states, memory.mask[..., :2]))
    with pytest.raises(ValueError, match="not on meta, which holds no numbers"):
        model.decode(TGT, Memory(memory.states.to("meta"), memory.mask))


@NORMS
@pytest.mark.parametrize("positions", KINDS)
@pytest.mark.parametrize("cast", [None, torch.bfloat16])
def test_finite_weights_give_finite_numbers_whatever_is_padding(norm, positions, cast):
    model = transformer(norm=norm, positions=positions, dropout=0.2, attention_dropout=0.2).float()
    with torch.no_grad():
        for i, parameter in enumerate(model.parameters()):  # biases and norms away from where they start
            parameter += normal(*parameter.shape, seed=i, dtype=torch.float32)
    src = torch.tensor([[4, 5, 2], [0, 0, 0], [0, 5, 0], [6, 0, 0]])
    tgt = torch.tensor([[1, 7, 8], [0, 0, 0], [0, 9, 3], [1, 0, 0]])  # an empty row, padding in front and behind
    for mode in (True, False):
        model.train(mode).zero_grad()
        with torch.autocast("cpu", cast, enabled=cast is not None):
            memory = model.encode(src)
            logits = model.decode(tgt, memory)
            weights = model.attention_weights(src, tgt)
        label_smoothed_cross_entropy(logits, tgt).backward()
        assert memory.states.isfinite().all() and logits.isfinite().all()
        assert all(one.isfinite().all() for one in weights.values())
        assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_a_nan_in_the_padding_embedding_reaches_the_rows_with_padding_and_a_search_says_so():
    model = transformer(tie_embeddings=False)
    wanted = model(SRC, TGT)
    with torch.no_grad():
        model.src_embedding.weight[0, 0] = float("nan")
    found = model(SRC, TGT)
    assert torch.equal(found[0], wanted[0]) and found[1].isnan().all()
    with pytest.raises(FloatingPointError, match="its weights or its input are not finite"):
        greedy_decode(model, SRC)
