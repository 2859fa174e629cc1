"""Our weights in ``nn.Transformer``: equal logits and gradients, what is dropped, and what cannot be copied."""

import pytest
import torch
import torch.nn.functional as F
from oracles import close, normal, seeded
from torch import nn

from attention_book.models.torch_transformer import to_torch
from attention_book.models.transformer import Transformer, TransformerConfig

PAD = 0
SRC = torch.tensor([[5, 9, 11, 4, 7, 2], [8, 3, 2, PAD, PAD, PAD]])
TGT = torch.tensor([[1, 6, 12, 9, 5], [1, 4, 7, PAD, PAD]])
NORMS = pytest.mark.parametrize("norm", ["pre", "post"])


def transformer(norm="pre", **changes):
    sizes = {"d_model": 16, "n_heads": 4, "d_ff": 24, "n_layers": 3, "max_len": 24, "norm": norm}
    model = seeded(lambda: Transformer(TransformerConfig.tiny(30, **{**sizes, **changes})))
    with torch.no_grad():
        for i, parameter in enumerate(model.parameters()):  # biases and norms away from their initial values
            parameter += 0.1 * normal(*parameter.shape, seed=i, dtype=torch.float32)
    return model.double().eval()


@NORMS
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tie_embeddings": False},
        {"bias": False},
        {"positions": "learned"},
        {"positions": "none"},
        {"d_k": 4, "d_v": 4},
    ],
)
def test_the_logits_are_ours(norm, changes):
    model = transformer(norm, **changes)
    wanted, found = model(SRC, TGT), to_torch(model)(SRC, TGT)
    close(found[TGT != PAD], wanted[TGT != PAD])


@NORMS
def test_they_are_ours_without_gradients_too_where_torch_takes_a_faster_path(norm):
    model = transformer(norm).requires_grad_(False)
    twin = to_torch(model).requires_grad_(False)
    with torch.inference_mode():
        close(twin(SRC, TGT)[TGT != PAD], model(SRC, TGT)[TGT != PAD])


@NORMS
def test_the_padding_is_hidden_from_every_attention_and_the_future_from_the_decoder(norm):
    model = transformer(norm, tie_embeddings=False)
    twin = to_torch(model)
    before = twin(SRC, TGT)
    with torch.no_grad():
        twin.src_embedding.weight[PAD] += 100
        twin.tgt_embedding.weight[PAD] -= 100
    close(twin(SRC, TGT)[TGT != PAD], before[TGT != PAD])
    later = TGT.clone()
    later[0, 3:] = 20
    close(twin(SRC, later)[0, :3], before[0, :3])
    assert not torch.allclose(twin(SRC, later)[0, 3], before[0, 3])


@NORMS
def test_the_gradients_are_ours(norm):
    model = transformer(norm)
    twin = to_torch(model)
    upstream = normal(*TGT.shape, 30) * (TGT != PAD)[..., None]
    model(SRC, TGT).backward(upstream)
    twin(SRC, TGT).backward(upstream)
    close(twin.output.weight.grad, model.output.weight.grad)
    ours, theirs = model.decoder.layers[1], twin.transformer.decoder.layers[1]
    close(theirs.multihead_attn.out_proj.weight.grad, ours.cross_attention.w_o.weight.grad)
    close(theirs.linear1.weight.grad, ours.feed_forward.w_1.weight.grad)
    close(theirs.norm2.weight.grad, ours.add_cross.norm.weight.grad)


@NORMS
def test_nothing_is_shared_and_tied_matrices_stay_tied(norm):
    model = transformer(norm)
    twin, before = to_torch(model), model(SRC, TGT)
    assert twin.output.weight is twin.src_embedding.weight is twin.tgt_embedding.weight
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(1.0)
    assert torch.equal(model(SRC, TGT), before)


def test_it_has_as_many_parameters_and_the_stacks_of_post_norm_end_without_a_norm():
    for norm in ("pre", "post"):
        model = transformer(norm)
        twin = to_torch(model)
        assert sum(p.numel() for p in twin.parameters()) == sum(p.numel() for p in model.parameters())
    assert twin.transformer.encoder.norm is None and twin.transformer.decoder.norm is None


@pytest.mark.parametrize("rates", [(0.3, 0.0), (0.1, 0.4)])
def test_in_training_the_same_things_are_dropped_with_the_same_probabilities(rates, monkeypatch):
    model = transformer(dropout=rates[0], attention_dropout=rates[1]).train()
    twin, dropped = to_torch(model), []
    assert twin.training
    plain, fused = F.dropout, F.scaled_dot_product_attention

    def noted(x, p=0.5, training=True, inplace=False):
        if training and p > 0:
            dropped.append((tuple(x.shape), p))
        return plain(x, 0.0, training, inplace)

    def noted_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False):
        dropped.append((tuple(q.shape), dropout_p))
        return fused(q, k, v, attn_mask, 0.0, is_causal)

    monkeypatch.setattr(F, "dropout", noted)
    monkeypatch.setattr(F, "scaled_dot_product_attention", noted_attention)
    found = []
    for one in (model, twin):
        dropped.clear()
        one(SRC, TGT)
        found.append(sorted(dropped))
    assert found[0] == found[1] and len(found[0]) > 20


def test_the_type_of_the_numbers_is_kept():
    assert to_torch(transformer().float())(SRC, TGT).dtype == torch.float32


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"positions": "rotary"}, "no rotary positions"), ({"d_k": 8}, "d_k=8"), ({"d_v": 2}, "d_v=2")],
)
def test_what_torch_cannot_do_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        to_torch(transformer(**changes))


def test_the_shipped_translator_is_copied(translator):
    model = translator.model.eval()
    with torch.no_grad():
        twin = to_torch(model)
        wanted, found = model(SRC, TGT), twin(SRC, TGT)
    torch.testing.assert_close(found[TGT != PAD], wanted[TGT != PAD], rtol=1e-4, atol=1e-4)
    assert isinstance(twin.transformer, nn.Transformer)
