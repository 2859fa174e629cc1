"""The rows on heads and shapes, against the bare weights, loops and products of sizes."""

import pytest
import torch

from attention_book.attention.multi_head import merge_heads
from attention_book.translation import shipped_translator

from ..verdicts import changed


def test_f03_keys_are_made_by_a_matrix_of_the_layer(answers):
    value = answers["F03"]["value"]
    model = shipped_translator.model()
    assert value["layers"] == model.config.n_layers and value["keys_and_values"] == 2 * model.config.n_layers
    assert value["different_from_memory_and_each_other"] == value["keys_and_values"]
    memory = model.encode(shipped_translator.ids("I like cats.")).states
    distances = []
    for name, weight in model.named_parameters():
        if "cross_attention.w_k.weight" in name or "cross_attention.w_v.weight" in name:
            made = memory @ weight.T + dict(model.named_parameters())[name.replace("weight", "bias")]
            distances.append(float((made - memory).norm() / memory.norm()))
    assert value["smallest_distance"] == pytest.approx(min(distances))
    assert answers["F03"]["verdict"] == "wrong"
    assert changed(answers, "F03", different_from_memory_and_each_other=0) == "right"


def test_f07_one_mask_for_all(answers):
    value = answers["F07"]["value"]
    assert (value["masks"], value["heads"]) == (1, 4)
    assert value["difference_with_a_copy_for_each"] == 0
    assert value["heads_with_weights_of_their_own"] == 4
    seen = []
    model = shipped_translator.model()
    hook = model.decoder.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[2].shape))
    model(shipped_translator.ids("I like cats."), shipped_translator.ids("Me gustan", start=True))
    hook.remove()
    assert [shape[1] for shape in seen] == [1]  # the translator's own mask, of four heads
    assert answers["F07"]["verdict"] == "wrong"
    assert changed(answers, "F07", masks=4) == "right"


def test_f08_shapes_by_hand(answers):
    value = answers["F08"]["value"]
    assert value == {"source": [2, 5], "target": [2, 4], "encoder": [2, 1, 1, 5], "decoder": [2, 1, 4, 4]}
    assert answers["F08"]["verdict"] == "right"
    assert changed(answers, "F08", decoder=[2, 1, 1, 4]) == "wrong"
    assert changed(answers, "F08", encoder=[2, 1, 5, 5]) == "wrong"


def test_f09_heads_by_loops(answers):
    value = answers["F09"]["value"]
    heads = torch.arange(2 * 4 * 5 * 3).view(2, 4, 5, 3).double()
    joined = torch.zeros(2, 5, 12).double()
    for b in range(2):
        for head in range(4):
            for i in range(5):
                for a in range(3):
                    joined[b, i, 3 * head + a] = heads[b, head, i, a]
    assert torch.equal(merge_heads(heads), joined)
    right = (heads.reshape(2, 5, 12) == joined).all(dim=-1)
    assert value["rows_right_with_a_bare_reshape"] == int(right.sum()) == 0
    assert value["rows_right_after_the_transpose"] == value["rows"] == 10
    assert value["leak_after_the_transpose"] == 0 < value["leak_of_a_bare_reshape"]
    assert answers["F09"]["verdict"] == "misleading"
    assert changed(answers, "F09", rows_right_with_a_bare_reshape=10) == "right"
    assert changed(answers, "F09", rows_right_after_the_transpose=3) == "wrong"


def test_f17_products_of_sizes(answers):
    value = answers["F17"]["value"]
    assert value["d_model"] == 512 and value["heads"] == 8
    assert value["layers"] == [
        {"d_v": 64, "concat": 8 * 64, "w_o": [8 * 64, 512]},
        {"d_v": 5, "concat": 8 * 5, "w_o": [8 * 5, 512]},
    ]
    assert answers["F17"]["verdict"] == "misleading"
    square = {"d_v": 64, "concat": 512, "w_o": [512, 512]}
    assert changed(answers, "F17", layers=[square, square | {"d_v": 5}]) == "right"
    assert changed(answers, "F17", layers=[value["layers"][1]] * 2) == "wrong"
