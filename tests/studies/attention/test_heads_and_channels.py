"""Two heads follow their words when the sentence is turned round; a channel stays where it is."""

import numpy as np

from attention_book.examples import two_heads_by_hand as two_heads
from attention_book.studies.attention.heads_and_channels import CHANNEL, maps_of_like, maps_told, weights_of


def test_forwards_the_maps_are_those_of_the_example():
    np.testing.assert_allclose(weights_of(two_heads.X), two_heads.steps(2)["weights"], atol=1e-12)
    assert maps_of_like()["head 1, I like cats"] == tuple(two_heads.steps(2)["weights"][1, 1])


def test_backwards_each_head_looks_to_the_other_side_and_the_channel_to_the_same():
    maps = maps_of_like()
    assert len(maps) == 6
    for head in ("head 0", "head 1"):
        np.testing.assert_allclose(maps[f"{head}, I like cats"], maps[f"{head}, cats like I"][::-1], atol=1e-12)
    assert np.argmax(maps["head 0, I like cats"]) == 0 and np.argmax(maps["head 1, I like cats"]) == 2
    assert maps["channel, I like cats"] == maps["channel, cats like I"] == CHANNEL


def test_the_maps_are_told_in_words():
    strong, weak = 0.965, 0.018  # e⁴/(e⁴ + 2) and 1/(e⁴ + 2)
    assert f"head 0, I like cats: {strong:.2f}, {weak:.2f}, {weak:.2f}." in maps_told()
    assert maps_told().endswith("channel, cats like I: 0.90, 0.05, 0.05.")
