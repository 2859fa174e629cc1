"""What the study of the residual stream measures: held against a pass that is written out by hand."""

import itertools

import pytest
import torch

from attention_book.checks.drawn import seeded
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.translator import residual_stream

PAIRS = [
    (torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9]])),
    (torch.tensor([[10, 11, 2]]), torch.tensor([[1, 12, 13, 14, 15]])),
]


@pytest.fixture(scope="module")
def model():
    with seeded(0):
        return Transformer(TransformerConfig.tiny(dropout=0.0)).eval()


@torch.no_grad()
def test_the_first_encoder_layer_by_hand(model):
    found = residual_stream.passages(model, PAIRS)
    assert [(one.stack, one.layer, one.sublayer) for one in found][:3] == [
        ("encoder", 0, "self-attention"),
        ("encoder", 0, "feed-forward"),
        ("encoder", 1, "self-attention"),
    ]
    assert len(found) == 2 * 2 + 2 * 3
    layer, x, added, later = model.encoder.layers[0], [], [], []
    for src, _ in PAIRS:
        row = model._embed(model.src_embedding, src)
        attended = layer.self_attention(layer.add_attention.norm(row))[0]
        x.append(row[0])
        added.append(attended[0])
        later.append(layer.feed_forward(layer.add_feed_forward.norm(row + attended))[0])
    x, added, later = torch.cat(x), torch.cat(added), torch.cat(later)
    first, second = found[:2]
    assert first.before == pytest.approx(x.norm(dim=-1).mean().item(), rel=1e-5)
    assert first.added == pytest.approx(added.norm(dim=-1).mean().item(), rel=1e-4)
    assert first.after == pytest.approx((x + added).norm(dim=-1).mean().item(), rel=1e-5)
    assert first.share == pytest.approx(first.added / first.before)
    assert second.added == pytest.approx(later.norm(dim=-1).mean().item(), rel=1e-4)
    angles = ((x * added).sum(-1) / x.norm(dim=-1) / added.norm(dim=-1)).mean().item()
    assert first.cosine == pytest.approx(angles, abs=1e-5)


def test_one_sublayer_begins_where_the_one_before_ended(model):
    found = residual_stream.passages(model, PAIRS)
    for one, following in itertools.pairwise(found):
        if one.stack == following.stack:
            assert following.before == pytest.approx(one.after, rel=1e-5)


def test_a_zeroed_sublayer_adds_nothing(model):
    with seeded(1):
        silent = Transformer(TransformerConfig.tiny(dropout=0.0)).eval()
    for parameter in silent.decoder.layers[1].cross_attention.w_o.parameters():
        torch.nn.init.zeros_(parameter)
    by_name = {(one.stack, one.layer, one.sublayer): one for one in residual_stream.passages(silent, PAIRS)}
    assert by_name["decoder", 1, "cross-attention"].added == 0
    assert by_name["decoder", 0, "cross-attention"].added > 0


def test_a_post_norm_model_is_refused():
    with seeded(0):
        model = Transformer(TransformerConfig.tiny(norm="post", dropout=0.0)).eval()
    with pytest.raises(ValueError, match="post-norm sublayer is normalised"):
        residual_stream.passages(model, PAIRS)


def test_right_angles_are_pythagoras_and_a_row_has_the_cosine():
    one = residual_stream.Passage("encoder", 0, "feed-forward", before=3.0, added=4.0, after=7.0, cosine=1.0)
    assert one.at_right_angles == 5
    assert residual_stream.rows([one], "encoder") == [("layer 0, feed-forward", "3.0", "4.0", "1.33", "1.00")]


@pytest.mark.slow
def test_in_the_shipped_translator_every_addition_points_along_and_the_feed_forward_networks_most():
    found = [one for one in residual_stream.shipped_passages() if one.stack == "encoder"]
    attentions, networks = found[::2], found[1::2]
    assert min(one.cosine for one in attentions) > 0
    assert min(one.cosine for one in networks) > max(one.cosine for one in attentions)
    assert min(one.added for one in networks) > max(one.added for one in attentions)
    assert all(one.after > one.at_right_angles for one in found)
    assert networks[2].added > 0.9 * networks[0].added


@pytest.mark.slow
def test_the_shipped_translators_vectors_grow_in_both_stacks():
    found = residual_stream.shipped_passages()
    for stack, sublayers in (("encoder", 2), ("decoder", 3)):
        after = [one.after for one in found if one.stack == stack]
        assert len(after) == 3 * sublayers and after == sorted(after)
        shown = residual_stream.rows(found, stack)
        assert len(shown) == len(after) and all(len(row) == len(residual_stream.HEADER) for row in shown)
