"""What *Masks elsewhere* says of torch's function and layers, asked again in the torch that is installed."""

import torch

from attention_book.attention.masks import causal_mask
from attention_book.studies.attention import torch_masks
from attention_book.studies.attention.torch_masks import by_function, by_layer, documented, drawn_sequence


def test_two_equal_words_by_hand_through_torchs_function():
    x = torch.zeros(2, 8, dtype=torch.float64)
    x[0, 0], x[1, 0] = 0.0, 6.0  # the scores of query 0 are equal
    assert by_function(x, causal_mask(2))[0, 0] == 0 and by_function(x, ~causal_mask(2))[0, 0] == 6


def test_what_is_documented_holds_and_ones_and_zeros_hide_nothing():
    rows = {name: (said, means) for name, said, *_, means in torch_masks.reading_rows()}
    for name, (said, means) in rows.items():
        ones = name == "the same, 1 and 0"
        assert means == ("nothing" if ones else "keep" if said == "added" else said), name
    assert list(rows) == list(documented()) and {said for said, _ in rows.values()} == {"keep", "drop", "added"}


def test_what_does_not_come_through_is_zero_to_the_last_bit():
    by_name = {name: flows for name, _, *flows, _ in torch_masks.reading_rows()}
    assert by_name["F.scaled_dot_product_attention, attn_mask"][1] == "0"
    assert by_name["nn.MultiheadAttention, attn_mask"][0] == "0"


def test_function_and_layer_disagree_about_the_same_mask():
    found = torch_masks.leaks()
    assert found["function_right"] == found["layer_wrong"] == 0
    assert found["function_wrong"] > 0.1 and found["layer_right"] > 0.01


def test_either_reading_gives_a_finite_output_four_times():
    x, may = drawn_sequence(), causal_mask(5)
    for mask in (may, ~may):
        assert by_function(x, mask).isfinite().all() and by_layer(x, attn_mask=mask).isfinite().all()


def test_an_empty_sentence_is_finite_in_training_and_nan_on_the_fast_path():
    before = torch.backends.mha.get_fastpath_enabled()
    finite = [said for _, said in torch_masks.empty_sentence_rows()]
    assert torch.backends.mha.get_fastpath_enabled() == before
    assert finite[2] == "NaN" and {*finite} == {"finite", "NaN"} and len(finite) == 4


def test_the_layers_leave_the_random_numbers_of_others_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    torch_masks.seeded_layers()
    assert torch.equal(torch.rand(1), expected)
