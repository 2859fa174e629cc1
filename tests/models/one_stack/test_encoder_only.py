"""The encoder alone: it is torch's encoder, it sees both sides, and padding changes nothing."""

import pytest
import torch
from torch import nn

from attention_book.analysis.information_flow import leak_matrix
from attention_book.attention.masks import causal_mask
from attention_book.models.config import TransformerConfig
from attention_book.models.one_stack.encoder_only import EncoderOnly, SentenceLabeller


@pytest.fixture
def model():
    torch.manual_seed(1)
    return EncoderOnly(TransformerConfig.tiny(20, dropout=0.0, max_len=16)).double().eval()


IDS = torch.tensor([[5, 6, 7, 8, 9], [10, 11, 12, 0, 0]])


def torchs_states(model, ids):
    """The same stack put together from torch's layers, with the same parameters."""
    config = model.config
    rows = []
    for row in ids:
        x = model.embedding(row[row > 0]) * config.d_model**0.5 + model.positions[: int((row > 0).sum())]
        for layer in model.encoder.layers:
            attention = layer.self_attention
            own = nn.MultiheadAttention(config.d_model, config.n_heads, batch_first=True).double()
            projections = (attention.w_q, attention.w_k, attention.w_v)
            with torch.no_grad():
                own.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
                own.in_proj_bias.copy_(torch.cat([p.bias for p in projections]))
                own.out_proj.weight.copy_(attention.w_o.weight)
                own.out_proj.bias.copy_(attention.w_o.bias)
            h = layer.add_attention.norm(x)[None]
            x = x + own(h, h, h)[0][0]
            x = x + layer.feed_forward(layer.add_feed_forward.norm(x))
        rows.append(model.encoder.norm(x))
    return rows


def test_its_states_are_those_of_torchs_attention_one_sentence_at_a_time(model):
    states = model.states(IDS)
    for row, wanted in zip(states, torchs_states(model, IDS), strict=True):
        torch.testing.assert_close(row[: len(wanted)], wanted)


def test_the_logits_read_the_states_through_the_embedding(model):
    with torch.no_grad():
        model.bias.copy_(torch.arange(20.0))
    wanted = torch.einsum("bld,vd->blv", model.states(IDS), model.embedding.weight) + torch.arange(20.0)
    torch.testing.assert_close(model(IDS), wanted)


def test_every_state_feels_every_word_and_under_the_causal_mask_the_earlier_ones_alone(model):
    x = model.embed(IDS[:1])[0].detach()
    full = leak_matrix(lambda rows: model.encoder(rows[None])[0][0], x)
    triangle = leak_matrix(lambda rows: model.encoder(rows[None], causal_mask(5))[0][0], x)
    assert full.min() > 1e-4
    assert torch.equal(triangle > 0, causal_mask(5))
    torch.testing.assert_close(model.states(IDS[:1], causal_mask(5))[0, :1], model.states(IDS[:1, :1])[0])


def test_padding_changes_no_state_and_no_label(model):
    alone = IDS[1:, :3]
    torch.testing.assert_close(model.states(IDS)[1, :3], model.states(alone)[0])
    labeller = SentenceLabeller(model).double().eval()
    nn.init.normal_(labeller.head.weight)
    torch.testing.assert_close(labeller(IDS)[1:], labeller(alone))


def test_a_label_is_read_from_the_mean_of_the_states(model):
    labeller = SentenceLabeller(model, n_labels=3).double().eval()
    nn.init.normal_(labeller.head.weight)
    wanted = labeller.head(model.states(IDS[1:, :3])[0].mean(dim=0))
    torch.testing.assert_close(labeller(IDS)[1], wanted)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_frozen_encoder_gets_no_gradient_and_no_dropout(frozen):
    torch.manual_seed(1)
    encoder = EncoderOnly(TransformerConfig.tiny(20, dropout=0.5, max_len=16))
    labeller = SentenceLabeller(encoder, frozen=frozen).train()
    nn.init.normal_(labeller.head.weight)
    assert torch.equal(labeller(IDS), labeller(IDS)) is frozen
    labeller(IDS).sum().backward()
    assert labeller.head.weight.grad is not None
    assert all((parameter.grad is None) is frozen for name, parameter in encoder.named_parameters() if name != "bias")


def test_it_refuses_what_it_cannot_be():
    with pytest.raises(ValueError, match="tied"):
        EncoderOnly(TransformerConfig.tiny(20, tie_embeddings=False))
    with pytest.raises(ValueError, match="sinusoidal"):
        EncoderOnly(TransformerConfig.tiny(20, positions="learned"))
    with pytest.raises(ValueError, match="more than the max_len=4"):
        EncoderOnly(TransformerConfig.tiny(20, max_len=4)).states(IDS)
