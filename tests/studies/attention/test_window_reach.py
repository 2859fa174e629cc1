"""The reach of a window: by hand, and by all draws of the page."""

import pytest
import torch

from attention_book.analysis.information_flow import leak_matrix, reachable
from attention_book.studies.attention.window_reach import WindowReach, attend_in_layers


@pytest.fixture(scope="module")
def reach():
    return WindowReach()


def test_one_layer_with_equal_scores_adds_the_mean_of_the_window():
    x = torch.tensor([[6.0], [0.0], [3.0]])
    nothing, value = torch.zeros(1, 1), torch.ones(1, 1)
    layer, window = torch.stack([nothing, nothing, value])[None], WindowReach(length=3, width=2).window
    once = attend_in_layers(x, layer, window)
    assert once.flatten().tolist() == [12.0, 3.0, 4.5]
    mean = attend_in_layers(x, layer, window, residual=False)
    assert mean.flatten().tolist() == [6.0, 3.0, 1.5]


def test_the_formula_holds_in_every_draw(reach):
    for n in reach.layers:
        assert {reach.by_formula(n)} == {reach.by_powers(n)} == reach.by_derivatives(n)
        for draw in reach.derivatives:
            assert torch.equal(draw[n - 1] > 0, reachable(reach.window, n))
    assert reach.by_formula(2) == 5


def test_what_comes_from_far_is_small(reach):
    numbers = reach.numbers()
    _, pictured = reach.lines()["3 layers"]  # seven chains lead to distance 3, and one to distance 6
    assert (numbers["middle"], numbers["end"]) == (pictured[3], pictured[6])
    assert numbers["times"] == pictured[3] / pictured[6]
    assert 2 * 7 < numbers["times_low"] < numbers["times"] < numbers["times_high"]  # more than the chains account for
    assert 7 < numbers["bare_times"] < 7 + 0.2 * (numbers["times"] - 7)  # much nearer to what they account for
    places, sizes = reach.lines()["4 layers"]
    assert sizes[8] < sizes[4] < sizes[0]
    assert all(min(reach.sizes(n)) == reach.sizes(n)[-1] for n in reach.layers if n > 1)  # what the caption says
    assert reach.sizes(1)[2] == pytest.approx(reach.sizes(1)[1], rel=0.1)  # and of one layer it would say too much
    assert len(places) == len(sizes) == 9 and sizes == reach.sizes(4)
    assert f"4 layers: {sizes[0]:.2f} at distance 0, {sizes[-1]:.3f} at 8, then 0." in reach.told()


def test_chains_are_counted_and_without_additions_the_most_arrives_where_the_most_lead(reach):
    assert reach.chains(1) == [1, 1, 1] and reach.chains(3) == [1, 3, 6, 7, 6, 3, 1]
    assert reach.chains(4)[6] == 10 and reach.chains(4)[-1] == 1  # what the page says of a fourth layer
    rows, sizes = reach.chain_rows(3), reach.bare.sizes(3)
    assert rows[3] == ("3", "7", f"{sizes[3]:.2f}") and len(rows) == 7
    assert max(reach.sizes(3)) == reach.sizes(3)[0]
    assert max(sizes) == sizes[3] and sum(size > sizes[0] for size in sizes[1:]) == 5  # as the page says


def test_sizes_are_medians_along_a_diagonal():
    small = WindowReach(length=5, width=2, depth=1, draws=1)
    found = small.derivatives[0, 0]
    assert small.sizes(1)[1] == sorted(found[i + 1, i].item() for i in range(4))[1]  # torch takes the lower middle
    assert small.derivatives.shape == (1, 1, 5, 5)


def test_derivatives_are_those_of_each_stack_by_itself():
    small = WindowReach(length=5, width=2, depth=2, draws=3)
    for draw, (x, matrices) in enumerate(zip(*small.drawn, strict=True)):
        for n in small.layers:
            alone = leak_matrix(lambda y, n=n: attend_in_layers(y, matrices[:n], small.window), x)  # noqa: B023
            torch.testing.assert_close(small.derivatives[draw, n - 1], alone)


def test_more_draws_leave_the_first_ones_as_they_are():
    few, more = (WindowReach(length=3, width=2, depth=1, draws=draws) for draws in (2, 5))
    assert torch.equal(few.drawn[1], more.drawn[1][:2]) and not torch.equal(more.drawn[0][0], more.drawn[0][1])


def test_resampling_one_draw_gives_that_draw_and_other_draws_a_range():
    one, ten = (WindowReach(length=5, width=3, depth=2, draws=draws) for draws in (1, 10))
    assert one.times_resampled(2) == (one.times(2), one.times(2))
    narrow, wide = (ten.times_resampled(2, share) for share in (0.5, 0.95))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_six_draws_cannot_tell_the_factor(reach):
    """Why there are 600: sets of six of them give anything from less than 15 to more than 40."""
    found = reach.derivatives[:, 2]
    ratios = [float(s.diagonal(-3, 1, 2).median() / s.diagonal(-6, 1, 2).median()) for s in found.split(6)]
    assert ratios[0] == pytest.approx(WindowReach(draws=6).times(3))
    assert min(ratios) < 15 and max(ratios) > 40
