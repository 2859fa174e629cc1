"""The reach of a window: by hand, and by all draws of the page."""

import pytest
import torch

from attention_book.analysis.information_flow import reachable
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
    assert numbers["times"] == pictured[3] / pictured[6] > 2 * 7  # more than the chains account for
    assert 6 < numbers["bare_times"] < 8  # which is what the chains account for
    places, sizes = reach.lines()["4 layers"]
    assert sizes[8] < sizes[4] < sizes[0]
    assert all(min(reach.sizes(n)) == reach.sizes(n)[-1] for n in reach.layers if n > 1)  # what the caption says
    assert reach.sizes(1)[1] < reach.sizes(1)[2]  # and of one layer it would be wrong
    assert len(places) == len(sizes) == 9 and sizes == reach.sizes(4)
    assert f"4 layers: {sizes[0]:.2f} at distance 0, {sizes[-1]:.3f} at 8, then 0." in reach.told()


def test_sizes_are_medians_along_a_diagonal():
    small = WindowReach(length=5, width=2, depth=1, draws=1)
    found = small.derivatives[0, 0]
    assert small.sizes(1)[1] == sorted(found[i + 1, i].item() for i in range(4))[1]  # torch takes the lower middle
    assert small.derivatives.shape == (1, 1, 5, 5)
