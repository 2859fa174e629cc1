"""Which parameter of torch's holds ours: each has one place, and the places are those that `to_torch` copies to."""

from collections import Counter

import pytest
import torch
from global_state import unchanged_state

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


def test_each_test_notices_what_the_one_before_it_does_and_dropout_escapes_all():
    with unchanged_state():
        found = study.noticed.__wrapped__()
    assert list(found) == list(study.FAULTS)
    assert list(found.values()) == [
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, True),
        (False, False, False),
    ]
    told = study.fault_answers()
    assert [told[f"fault_2_{test}"] for test in ("count", "names", "outputs")] == ["no", "yes", "yes"]
    assert len(told) == 15 and told["fault_5_outputs"] == "no"


@pytest.mark.parametrize("name", study.FAULTS)
def test_a_fault_is_really_planted(name):
    with torch.no_grad():
        copied = to_torch(Transformer(TransformerConfig.tiny(norm="pre", dropout=0.1)).double())
        for norm in (copied.transformer.decoder.layers[0].norm1, copied.transformer.decoder.layers[0].norm2):
            norm.weight += torch.randn_like(norm.weight)  # as they are made, both are alike
        before = repr(copied), {key: one.clone() for key, one in copied.state_dict().items()}
        study.FAULTS[name](copied)
    after = copied.state_dict()
    same = before[1].keys() == after.keys() and all(torch.equal(before[1][key], after[key]) for key in after)
    assert repr(copied) != before[0] or not same


def test_two_copies_agree_to_the_last_digit_and_part_at_their_first_step_if_one_has_more_dropout():
    def nothing(copied):
        pass

    with unchanged_state():
        before, after = study.parted()
        assert study.parted(nothing) == (0, 0)
    assert before == 0 and after > 0.01


def test_a_function_written_in_other_numbers_is_the_same_until_it_learns():
    """The page stretches a feed-forward network; its solution turns the order of the inner numbers round."""

    def stretched(copied):
        layer = copied.transformer.decoder.layers[0]
        for parameter, factor in ((layer.linear1.weight, 2), (layer.linear1.bias, 2), (layer.linear2.weight, 0.5)):
            parameter *= factor

    def turned_round(copied):
        layer = copied.transformer.decoder.layers[0]
        for parameter, axis in ((layer.linear1.weight, 0), (layer.linear1.bias, 0), (layer.linear2.weight, 1)):
            parameter.copy_(parameter.flip(axis))

    before, after = study.parted(stretched)
    assert before == 0 and after > 0.01
    assert max(study.parted(turned_round)) < 1e-12
