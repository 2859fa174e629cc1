"""The rows on a decoder layer: nothing moves when a later word is changed."""

import math
from itertools import permutations

import pytest
import torch

from attention_book.attention.masks import causal_mask
from attention_book.claims.rows import decoder_layers

from ..verdicts import changed


@pytest.mark.parametrize("which", [0, 1], ids=["pre-norm", "post-norm"])
def test_the_parts_in_their_order_are_the_layer(which):
    layer, x, source = decoder_layers._layers()[which]
    parts = decoder_layers._sublayers(layer, source, causal_mask(5))
    expected = layer(x[None], source, self_mask=causal_mask(5))[0][0]
    torch.testing.assert_close(decoder_layers._chained(parts, x), expected, rtol=0, atol=1e-12)


def test_m01_a_later_word_moves_nothing_behind_a_feed_forward_network(answers):
    value = answers["M01"]["value"]
    assert value["layer"] == value["feed_forward"] == 0
    assert value["layer_without_mask"] > 0.01 and value["with_a_layer_over_all_rows"] > 0.01
    for layer, x, source in decoder_layers._layers():
        other = x.clone()
        other[-1] = 7.0
        outputs = [layer(y[None], source, self_mask=causal_mask(5))[0][0] for y in (x, other)]
        assert torch.equal(outputs[0][:-1], outputs[1][:-1]) and not torch.equal(outputs[0][-1], outputs[1][-1])
    assert answers["M01"]["verdict"] == "wrong"
    assert changed(answers, "M01", layer=0.1) == "right"


def test_m02_in_no_order(answers):
    value = answers["M02"]["value"]
    assert value["orders"] == math.factorial(3)
    assert value["largest_leak"] == 0 < value["smallest_leak_without_mask"]
    layer, x, source = decoder_layers._layers()[1]
    other = x.clone()
    other[-1] = 7.0
    for parts in permutations(decoder_layers._sublayers(layer, source, causal_mask(5))):
        before, after = (decoder_layers._chained(parts, y)[:-1] for y in (x, other))
        assert torch.equal(before, after)
    assert answers["M02"]["verdict"] == "wrong"
    assert changed(answers, "M02", largest_leak=0.2) == "right"
