"""The whole model: against nn.Transformer, causality, padding, the cache, weight tying, and its edges."""

import copy
import math
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, naive_sinusoids, normal, seeded, torch_stacks, unchecked

from attention_book.attention.cache import DecoderCache
from attention_book.attention.masks import causal_mask
from attention_book.models.transformer import Memory, Transformer, TransformerConfig
from attention_book.training.losses import label_smoothed_cross_entropy

VOCAB, PAD, BOS, EOS = 30, 0, 1, 2
KINDS = ["sinusoidal", "learned", "rotary", "none"]
NORMS = pytest.mark.parametrize("norm", ["pre", "post"])
law = settings(max_examples=15, deadline=None)


def transformer(norm="pre", seed=0, dtype=torch.float64, **changes):
    sizes = {"d_model": 16, "n_heads": 4, "d_ff": 24, "max_len": 24, "norm": norm}
    model = seeded(lambda: Transformer(TransformerConfig.tiny(VOCAB, **{**sizes, **changes})), seed)
    with torch.no_grad():
        for i, parameter in enumerate(model.parameters()):  # biases and norms away from their initial values
            parameter += 0.1 * normal(*parameter.shape, seed=i, dtype=torch.float32)
    return model.to(dtype).eval()


shared = cache(transformer)  # for tests that change nothing in it


def tokens(*lengths, seed=0, width=None):
    """A batch of random sentences of these lengths, padded."""
    generator = torch.Generator().manual_seed(seed)
    batch = torch.full((len(lengths), width or max(lengths)), PAD)
    for row, length in enumerate(lengths):
        batch[row, :length] = torch.randint(3, VOCAB, (length,), generator=generator)
    return batch


SRC, TGT = tokens(6, 3, seed=1), tokens(5, 4, seed=2)


@NORMS
@pytest.mark.parametrize("tie", [True, False])
def test_the_logits_and_gradients_are_those_of_nn_transformer(norm, tie):
    model = transformer(norm, tie_embeddings=tie)
    twin, copied = torch_stacks(model), copy.deepcopy(model)

    def embed(table, ids):
        positions = naive_sinusoids(ids.shape[1], 16).float().double()  # the model keeps them in float32
        return F.embedding(ids, table.weight) * math.sqrt(16) + positions

    states = twin(
        embed(copied.src_embedding, SRC),
        embed(copied.tgt_embedding, TGT),
        tgt_mask=~causal_mask(TGT.shape[1]),
        src_key_padding_mask=SRC == PAD,
        tgt_key_padding_mask=TGT == PAD,
        memory_key_padding_mask=SRC == PAD,
    )
    wanted = states @ copied.output.weight.T
    found = model(SRC, TGT)
    close(found, wanted)
    upstream = normal(*found.shape)
    found.backward(upstream)
    wanted.backward(upstream)
    for name in ("src_embedding", "tgt_embedding", "output"):
        close(getattr(model, name).weight.grad, getattr(copied, name).weight.grad)
    for ours, theirs in [(model.encoder, twin.encoder), (model.decoder, twin.decoder)]:
        for our, their in zip(ours.layers, theirs.layers, strict=True):
            close(our.feed_forward.w_1.weight.grad, their.linear1.weight.grad)
            close(our.self_attention.w_o.weight.grad, their.self_attn.out_proj.weight.grad)


@NORMS
@law
@given(seed=st.integers(0, 10_000), position=st.integers(1, 4))
def test_a_later_target_token_changes_no_earlier_logit_by_a_bit(norm, seed, position):
    model, tgt = shared(norm), tokens(5, 5, seed=seed)
    changed = tgt.clone()
    changed[:, position:] = tokens(5, 5, seed=seed + 1)[:, position:]
    memory = model.encode(SRC)
    before, after = model.decode(tgt, memory), model.decode(changed, memory)
    assert torch.equal(before[:, :position], after[:, :position])
    if not torch.equal(tgt[:, position], changed[:, position]):
        assert not torch.equal(before[:, position], after[:, position])


@NORMS
@law
@given(seed=st.integers(0, 10_000), more_src=st.integers(0, 6), more_tgt=st.integers(0, 6))
def test_more_padding_changes_nothing_real(norm, seed, more_src, more_tgt):
    model, src, tgt = shared(norm), tokens(5, 3, seed=seed), tokens(4, 2, seed=seed + 1)
    wide_src, wide_tgt = F.pad(src, (0, more_src)), F.pad(tgt, (0, more_tgt))
    memory, wide = model.encode(src), model.encode(wide_src)
    close(wide.states[:, :5][src != PAD], memory.states[src != PAD])
    logits, wide_logits = model(src, tgt), model(wide_src, wide_tgt)
    close(wide_logits[:, :4][tgt != PAD], logits[tgt != PAD])
    loss, wide_loss = (label_smoothed_cross_entropy(z, t) for z, t in ((logits, tgt), (wide_logits, wide_tgt)))
    close(wide_loss, loss)


@NORMS
def test_what_the_padding_embedding_holds_changes_nothing_real(norm):
    model = transformer(norm, tie_embeddings=False)
    before = model(SRC, TGT)
    with torch.no_grad():
        model.src_embedding.weight[PAD] += 100
        model.tgt_embedding.weight[PAD] -= 100
    close(model(SRC, TGT)[TGT != PAD], before[TGT != PAD])


@NORMS
def test_rows_of_a_batch_do_not_see_each_other(norm):
    model = transformer(norm)
    together = model(SRC, TGT)
    close(model(SRC[1:, :3], TGT[1:, :4]), together[1:, :4])


@NORMS
@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1], [2, 3], [1, 4], [5]])
def test_decoding_with_a_cache_is_decoding_at_once(norm, chunks):
    model, tgt = transformer(norm), tokens(5, 5, seed=4)
    memory, cache, found, start = model.encode(SRC), DecoderCache.empty(2), [], 0
    for length in chunks:
        found.append(model.decode(tgt[:, start : start + length], memory, cache))
        start += length
    close(torch.cat(found, dim=1), model.decode(tgt, memory))
    assert cache.length == 5


@NORMS
def test_stepping_is_decoding_at_once(norm):
    model, tgt = transformer(norm), tokens(5, 5, seed=4)
    state = model.start(model.encode(SRC))
    wanted = model(SRC, tgt).log_softmax(-1)
    for i in range(5):
        log_probs, state = model.step(tgt[:, i], state)
        close(log_probs, wanted[:, i])


@NORMS
@pytest.mark.parametrize("rows", [[1, 0], [0, 0, 1], [1], []], ids=["swapped", "repeated", "dropped", "none"])
def test_a_reordered_state_goes_on_as_the_chosen_rows_would(norm, rows):
    model, tgt = transformer(norm), tokens(5, 5, seed=4)
    state = model.start(model.encode(SRC))
    for i in range(3):
        _, state = model.step(tgt[:, i], state)
    state = state.reorder(torch.tensor(rows, dtype=torch.int64))
    wanted = model(SRC[rows], tgt[rows]).log_softmax(-1)
    for i in (3, 4):
        log_probs, state = model.step(tgt[rows, i], state)
        close(log_probs, wanted[:, i])


def test_a_state_reordered_before_its_first_step():
    model = transformer()
    start = torch.tensor([BOS, BOS])
    wanted, _ = model.step(start, model.start(model.encode(SRC)))
    found, _ = model.step(start, model.start(model.encode(SRC)).reorder(torch.tensor([1, 0])))
    close(found, wanted.flip(0))


def test_stepping_leaves_the_earlier_state_as_it_was():
    model = transformer()
    _, state = model.step(torch.tensor([BOS, BOS]), model.start(model.encode(SRC)))
    first, _ = model.step(torch.tensor([5, 6]), state)
    model.step(torch.tensor([7, 8]), state)
    again, _ = model.step(torch.tensor([5, 6]), state)
    assert torch.equal(first, again)


def test_the_cross_attention_reads_the_memory_once():
    model, calls = transformer(), []
    model.decoder.layers[0].cross_attention.w_k.register_forward_hook(lambda *args: calls.append(1))
    state = model.start(model.encode(SRC))
    for _ in range(3):
        _, state = model.step(torch.tensor([BOS, BOS]), state)
    assert len(calls) == 1


def test_attention_weights_are_those_that_produced_the_logits():
    model = transformer(n_layers=1)
    found = model.attention_weights(SRC, TGT)
    assert {name: tuple(weights.shape) for name, weights in found.items()} == {
        "encoder_self": (1, 2, 4, 6, 6),
        "decoder_self": (1, 2, 4, 5, 5),
        "cross": (1, 2, 4, 5, 6),
    }
    for weights in found.values():
        assert (weights >= 0).all()
        close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    for name in ("encoder_self", "cross"):
        assert (found[name][0, 1, :, :, 3:] == 0).all()  # the second source has 3 tokens
    assert (found["decoder_self"].triu(1) == 0).all()
    # Mix the values by hand with the cross-attention's weights: the layer must do the same.
    layer, memory = model.decoder.layers[0], model.encode(SRC)
    seen = {}
    layer.cross_attention.register_forward_hook(lambda module, args, out: seen.update(output=out[0]))
    model.decode(TGT, memory)
    attention = layer.cross_attention
    values = attention.w_v(memory.states).unflatten(-1, (4, 4)).transpose(1, 2)
    close(attention.w_o((found["cross"][0] @ values).transpose(1, 2).flatten(2)), seen["output"])


@pytest.mark.parametrize("attention_dropout", [0.0, 0.4])
def test_dropout_is_off_in_evaluation_and_on_in_training(attention_dropout):
    quiet = transformer(dropout=0.0)
    model = transformer(dropout=0.0 if attention_dropout else 0.4, attention_dropout=attention_dropout)
    assert torch.equal(model(SRC, TGT), quiet(SRC, TGT))
    model.train()
    first, second = (seeded(lambda: model(SRC, TGT), seed) for seed in (0, 1))
    assert not torch.equal(first, second)


def test_tied_embeddings_are_one_matrix_also_after_copies_and_conversions():
    for model in (transformer(), copy.deepcopy(transformer()), transformer(dtype=torch.float32)):
        assert model.src_embedding.weight is model.tgt_embedding.weight is model.output.weight
    model = transformer(tie_embeddings=False)
    assert len({id(part.weight) for part in (model.src_embedding, model.tgt_embedding, model.output)}) == 3


def test_weights_carry_over_to_a_model_that_accepts_longer_sequences():
    short, long = transformer(max_len=6), transformer(seed=1, max_len=12)
    long.load_state_dict(short.state_dict())
    close(long(SRC, TGT), short(SRC, TGT))
    assert long(tokens(12), tokens(12)).shape == (1, 12, VOCAB)


def test_embeddings_start_with_variance_one_after_the_scaling_and_logits_small():
    model = seeded(lambda: Transformer(TransformerConfig.tiny(4000)))
    scaled = model.src_embedding.weight.detach() * math.sqrt(64)
    assert abs(float(scaled.std()) - 1) < 0.01
    assert abs(float(scaled.mean())) < 0.01
    uniform = math.sqrt(6 / (64 + 256)) / math.sqrt(3)  # Glorot: the standard deviation of U(-a, a) is a / √3
    assert float(model.encoder.layers[0].feed_forward.w_1.weight.detach().std()) == pytest.approx(uniform, rel=0.02)
    assert all(float(p.detach().abs().max()) == 0 for n, p in model.named_parameters() if n.endswith("w_q.bias"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_batch_with_an_empty_source_and_an_empty_target_stays_finite(dtype):
    model = transformer(dtype=dtype).train()
    src, tgt = tokens(3, 0, width=3), tokens(3, 0, width=3, seed=1)
    logits = model(src, tgt)
    label_smoothed_cross_entropy(logits, tgt).backward()
    assert logits.dtype == dtype
    assert logits.isfinite().all()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


@pytest.mark.parametrize(("batch", "src_len", "tgt_len"), [(0, 3, 2), (2, 0, 2), (2, 3, 0), (2, 0, 0)])
def test_empty_axes(batch, src_len, tgt_len):
    src, tgt = torch.ones(batch, src_len, dtype=torch.int64), torch.ones(batch, tgt_len, dtype=torch.int64)
    assert transformer()(src, tgt).shape == (batch, tgt_len, VOCAB)
    assert transformer().attention_weights(src, tgt)["cross"].shape == (2, batch, 4, tgt_len, src_len)


def test_int32_ids_and_widths_of_heads_of_their_own():
    model = transformer(d_k=3, d_v=5, bias=False)
    close(model(SRC.int(), TGT.int()), model(SRC, TGT))
    state = model.start(model.encode(SRC))
    log_probs, _ = model.step(TGT[:, 0], state)
    close(log_probs, model(SRC, TGT).log_softmax(-1)[:, 0])


def test_sequences_longer_than_the_model_are_refused_and_the_cache_is_unharmed():
    model = transformer(max_len=4)
    long, short = tokens(5), tokens(3)
    for call in (lambda: model.encode(long), lambda: model(short, long)):
        with pytest.raises(ValueError, match="5 tokens are more than the max_len=4 of this model"):
            call()
    memory, cache = model.encode(short), DecoderCache.empty(2)
    first = model.decode(short, memory, cache)
    with pytest.raises(ValueError, match="5 tokens are more than the max_len=4"):
        model.decode(tokens(2), memory, cache)
    assert cache.length == 3
    assert model.decode(tokens(1), memory, cache).shape == (1, 1, VOCAB)
    assert first.shape == (1, 3, VOCAB)


def test_masks_follow_the_configured_padding_id():
    model = transformer(tie_embeddings=False)
    renumbered = transformer(tie_embeddings=False, pad_id=7, bos_id=8, eos_id=9)
    swap = torch.arange(VOCAB)
    swap[[0, 7]] = swap[[7, 0]]
    with torch.no_grad():
        for name in ("src_embedding", "tgt_embedding", "output"):
            getattr(renumbered, name).weight.copy_(getattr(model, name).weight[swap])
    close(renumbered(swap[SRC], swap[TGT])[..., swap], model(SRC, TGT))


def test_a_memory_can_be_reordered():
    memory = transformer().encode(SRC)
    moved = memory.reorder(torch.tensor([1, 1, 0]))
    assert isinstance(moved, Memory)
    assert torch.equal(moved.states, memory.states[[1, 1, 0]])
    assert torch.equal(moved.mask, memory.mask[[1, 1, 0]])


# The kinds of positions.


@pytest.mark.parametrize("positions", KINDS)
@NORMS
@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1], [2, 3]])
def test_with_any_positions_decoding_with_a_cache_is_decoding_at_once(norm, positions, chunks):
    model, tgt = transformer(norm, positions=positions), tokens(5, 4, seed=4)
    memory, cache, found, start = model.encode(SRC), DecoderCache.empty(2), [], 0
    for length in chunks:
        found.append(model.decode(tgt[:, start : start + length], memory, cache))
        start += length
    close(torch.cat(found, dim=1), model.decode(tgt, memory))


@pytest.mark.parametrize("positions", KINDS)
def test_with_any_positions_more_padding_changes_nothing_real_and_no_logit_sees_the_future(positions):
    model = transformer(positions=positions)
    logits, wide = model(SRC, TGT), model(F.pad(SRC, (0, 3)), F.pad(TGT, (0, 2)))
    close(wide[:, :5][TGT != PAD], logits[TGT != PAD])
    changed = TGT.clone()
    changed[:, 3:] = 9
    assert torch.equal(model(SRC, changed)[:, :3], logits[:, :3])


@pytest.mark.parametrize("positions", KINDS)
def test_the_source_order_matters_unless_there_are_no_positions(positions):
    model, order = transformer(positions=positions), torch.tensor([5, 2, 0, 4, 1, 3])
    src = tokens(6, 6, seed=3)
    states, moved = model.encode(src).states, model.encode(src[:, order]).states
    if positions == "none":
        close(moved, states[:, order])
        close(model(src[:, order], TGT), model(src, TGT))  # so the decoder cannot know the order of the source either
        assert (model(src, TGT[:, [1, 0, 2, 3, 4]]) - model(src, TGT))[:, 2:].abs().max() > 1e-3  # but of the target
    else:
        assert (moved - states[:, order]).abs().max() > 1e-3
        assert (model(src[:, order], TGT) - model(src, TGT)).abs().max() > 1e-3


@pytest.mark.parametrize("positions", KINDS)
def test_the_rest_of_a_model_starts_from_the_same_numbers_whatever_the_positions(positions):
    plain, other = (
        seeded(lambda p=p: Transformer(TransformerConfig.tiny(VOCAB, positions=p))) for p in ("sinusoidal", positions)
    )
    ours, theirs = dict(other.named_parameters()), dict(plain.named_parameters())
    assert ours.keys() - theirs.keys() == ({"positions"} if positions == "learned" else set())
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert "positions" not in plain.state_dict()


def test_learned_positions_are_added_on_both_sides_and_only_those_reached_are_trained():
    model = transformer(positions="learned", max_len=10)
    plain = transformer(max_len=10)
    plain.load_state_dict({name: value for name, value in model.state_dict().items() if name != "positions"})
    plain.positions.copy_(model.positions.detach())
    close(model(SRC, TGT), plain(SRC, TGT))
    model(SRC, TGT).square().sum().backward()
    reached = model.positions.grad.abs().sum(-1) > 0
    assert reached.tolist() == [True] * 6 + [False] * 4  # the longest source has 6 tokens, the longest target 5


def test_rotary_positions_shift_with_the_source():
    model = transformer(positions="rotary")
    src = tokens(4, seed=5)
    close(model.encode(F.pad(src, (2, 0), value=PAD)).states[:, 2:], model.encode(src).states)


def test_an_id_outside_the_vocabulary_is_refused():
    with unchecked(), pytest.raises(IndexError):
        transformer()(torch.tensor([[VOCAB]]), TGT[:1])
