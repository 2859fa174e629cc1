"""Which parameter of torch's holds ours: each has one place, and the places are those that `to_torch` copies to."""

from collections import Counter

import pytest
import torch

from attention_book.models.torch_transformer import to_torch
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.studies.translator import matched_parameters as study


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_every_parameter_of_the_stacks_has_a_place_and_none_of_torchs_is_left_over(norm):
    found = study.matched(norm, 3)
    model = Transformer(TransformerConfig.tiny(norm=norm, n_layers=3))
    ours = {name for name, _ in model.named_parameters() if name.startswith(("encoder.", "decoder."))}
    assert set(found) == ours
    assert set(found.values()) == {name for name, _ in to_torch(model).transformer.named_parameters()}
    shared = {place: n for place, n in Counter(found.values()).items() if n > 1}
    assert set(shared.values()) == {3} and all("in_proj" in place for place in shared)


def test_the_last_norm_of_a_decoder_layer_is_the_third():
    assert study.matched()["decoder.layers.1.add_feed_forward.norm.bias"] == "decoder.layers.1.norm3.bias"
    assert study.matched()["encoder.layers.1.add_feed_forward.norm.bias"] == "encoder.layers.1.norm2.bias"
    names = dict(study.layer_names("decoder"))
    assert names["cross_attention.w_v"] == "multihead_attn.in_proj_weight" and names["feed_forward.w_1"] == "linear1"
    assert len(names) == 13


def test_equal_parameters_are_not_guessed_at(monkeypatch):
    def ones(shape, generator):
        return torch.ones(shape)

    monkeypatch.setattr(torch, "randn", ones)
    with pytest.raises(LookupError, match="stands in"):
        study.matched.__wrapped__("post", 1)
