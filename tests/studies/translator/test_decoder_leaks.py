"""Derivatives of a decoder stack: against differences, for every row of the table, and for every order."""

from itertools import permutations

import pytest
import torch

from attention_book.attention.masks import causal_mask, leak
from attention_book.models.blocks import Decoder
from attention_book.studies.translator import decoder_leaks as study

BOTH = pytest.mark.parametrize("norm", study.NORMS)


@BOTH
@pytest.mark.parametrize("n_layers", [1, 2, 6])
def test_above_the_diagonal_is_exactly_zero_and_below_it_nothing_is(norm, n_layers):
    flow = study.stack_flow(norm, n_layers)
    assert flow.triu(1).count_nonzero() == 0
    assert (flow[causal_mask(study.LENGTH)] > 0).all()


@BOTH
@pytest.mark.parametrize("change", study.CHANGES)
def test_each_change_in_one_layer_leaks_into_the_first_row(norm, change):
    flow = study.stack_flow(norm, 6, change)
    assert (flow[0, 1:] > 1e-4).all()


def test_the_towers_are_as_small_as_the_page_says():
    assert study.sizes() == {"tower_width": 8} and study.stack_flow().shape == (5, 5)
    assert study.stack("pre", 1).layers[0].add_feed_forward.norm.weight.shape == (8,)


def test_in_post_norm_the_mean_over_positions_alone_leaks_more_than_six_missing_masks_and_less_than_the_norm():
    decoder, draws = study.stack("post"), study._draws()
    without = study.leak_at_once(decoder, draws, masked=False)
    norm = study.leak_at_once(study.changed(decoder, "norm over positions"), draws)
    assert without < study.mean_alone()["mean_alone"] < norm


def test_why_the_norm_over_positions_leaks_so_much():
    told, leaks = study.norm_numbers(), study.stack_leaks()
    assert told["norm_leak"] == leaks["one layer of six: norm over positions"]["post"]
    assert told["norm_times"] == pytest.approx(told["norm_leak"] / leaks[study.EVERY_LAYER]["post"])
    assert told["enlarged"] == pytest.approx(1 / told["least_root"]) and told["enlarged"] > 2


def test_a_norm_over_positions_without_its_division_takes_a_fifth_from_every_other_row():
    taken = study.leak_matrix(lambda x: study.MeanOverTime()(x[None])[0], study._draws()[0])
    ones = torch.ones(study.LENGTH, study.LENGTH, dtype=torch.float64)
    fifth = ones / study.LENGTH
    torch.testing.assert_close(taken, torch.where(torch.eye(study.LENGTH) > 0, 1 - fifth, fifth))


def test_a_change_is_made_in_the_middle_layer_alone_and_of_a_copy():
    before = study.stack("pre")
    after = study.changed(before, "norm over positions")
    kinds = [type(layer.add_feed_forward.norm).__name__ for layer in after.layers]
    assert kinds == ["LayerNorm"] * 3 + ["NormOverTime"] + ["LayerNorm"] * 2
    assert type(before.layers[3].add_feed_forward.norm).__name__ == "LayerNorm"
    with pytest.raises(KeyError):
        study.changed(before, "a hole")


@BOTH
def test_the_derivatives_agree_with_differences(norm):
    decoder, (x, memory) = study.stack(norm, 2), study._draws()
    flow, step = study.stack_flow(norm, 2), 1e-6
    for i in range(study.LENGTH):
        largest = torch.zeros(study.LENGTH, dtype=torch.float64)
        for k in range(study.WIDTH):
            moved = x.clone()
            moved[i, k] += step
            back = x.clone()
            back[i, k] -= step
            up, down = (decoder(one[None], memory, causal_mask(study.LENGTH))[0][0] for one in (moved, back))
            largest = torch.maximum(largest, ((up - down) / (2 * step)).abs().amax(dim=1).detach())
        torch.testing.assert_close(largest, flow[:, i].detach(), rtol=1e-4, atol=1e-7)


@pytest.mark.slow
def test_the_table_has_two_rows_of_zeros_and_four_that_leak():
    leaks = list(study.stack_leaks().values())
    assert all(number == 0 for row in leaks[:2] for number in row.values())
    assert all(number > 1e-3 for row in leaks[2:] for number in row.values())
    without, *spoilt = (list(row.values()) for row in leaks[2:])  # a number before and after the sum
    assert max(spoilt) == spoilt[-1] and spoilt[-1][1] > without[1]
    rows = study.leak_rows()
    assert [len(row) for row in rows] == [len(study.LEAK_HEADER)] * 6
    assert rows[0][1:] == rows[1][1:] == ("0", "0") and all(float(cell) > 0 for row in rows[2:] for cell in row[1:])


@BOTH
@pytest.mark.parametrize("change", ["", *study.CHANGES])
def test_one_pass_finds_the_leak_that_one_number_after_the_other_finds(norm, change):
    decoder, draws = study.stack(norm, 2), study._draws()
    decoder = study.changed(decoder, change) if change else decoder
    assert study.leak_at_once(decoder, draws) == pytest.approx(leak(study._states(decoder), draws[0]), rel=1e-9)
    assert study.leak_at_once(decoder, draws, masked=False) > 0


def test_the_first_draw_is_that_of_the_table_and_every_draw_has_one_first_place():
    for norm, first in (("pre", study.EVERY_LAYER), ("post", "norm over positions")):
        assert study.first_places(norm, draws=1)[first] == 1
        places = study.first_places(norm, draws=3)
        assert list(places) == [study.EVERY_LAYER, *study.CHANGES] and sum(places.values()) == 3


@pytest.mark.slow
def test_in_post_norm_the_norm_over_positions_leaks_most_in_every_draw_as_the_page_says():
    found = study.ranking()
    assert found["n_draws"] == found["post_first"] == 20
    assert 10 < found["pre_first"] < 20


@BOTH
def test_the_usual_order_is_the_decoders_own(norm):
    decoder, (x, memory) = study.stack(norm, 2), study._draws()
    wanted = decoder(x[None], memory, causal_mask(study.LENGTH))[0]
    outputs = []
    for order in permutations(("self", "cross", "feed-forward")):
        other = study.stack(norm, 2)
        other.layers = torch.nn.ModuleList(study.Reordered(layer, order) for layer in other.layers)
        outputs.append(other(x[None], memory, causal_mask(study.LENGTH))[0])
    torch.testing.assert_close(outputs[0], wanted)
    assert all(not torch.allclose(one, wanted) for one in outputs[1:])


@pytest.mark.slow
def test_no_order_leaks_with_the_mask_and_every_order_leaks_without():
    found = study.order_leaks()
    assert found["n_orders"] == 6 and found["order_leak"] == 0 and found["order_unmasked"] > 1e-3


def test_the_words_tell_the_table():
    told = study.flow_told(study.stack_flow())
    assert "the largest is 0;" in told and told.count("row ") >= 5
    assert "the largest is 0;" not in study.flow_told(study.stack_flow(change="norm over positions"))


def test_drawing_moves_no_global_state():
    before = torch.get_rng_state()
    assert isinstance(study.stack("post"), Decoder)
    study.stack_leaks()
    assert torch.equal(torch.get_rng_state(), before)
