"""Two words by hand: torch's gradients, sums and direct losses say the same."""

import pytest
import torch

from attention_book.studies.reading import two_words


def test_every_method_agrees_with_torch():
    x = torch.tensor([4.0, 1.0], dtype=torch.float64, requires_grad=True)
    log_p = torch.log_softmax(torch.stack([x.sum(), torch.zeros((), dtype=torch.float64)]), 0)[0]
    (slope,) = torch.autograd.grad(log_p, x)
    found = two_words.of_log_p(two_words.PARTS)
    assert list(found["gradient × input"].values()) == pytest.approx((slope * x).tolist())
    mean = sum(torch.sigmoid(-5 * (torch.tensor(k, dtype=torch.float64) + 0.5) / 4000) for k in range(4000)) / 4000
    assert list(found["integrated"].values()) == pytest.approx((mean * x).tolist(), rel=1e-5)
    assert found["leaving out"]["girls"] == pytest.approx(log_p.item() - two_words.log_p(1.0))


def test_the_integrated_ones_sum_to_all_that_was_gained():
    found = two_words.of_log_p({"a": 3.0, "b": -1.0, "c": 0.5})["integrated"]
    assert sum(found.values()) == pytest.approx(two_words.log_p(2.5) - two_words.log_p(0))


def test_what_the_page_prints():
    assert two_words.rows()[0] == ("the score", "all three", "4", "1")
    assert two_words.rows()[1] == ("ln P", "gradient × input", "0.027", "0.007")
    assert two_words.rows()[3] == ("ln P", "leaving out", "0.307", "0.011")
    numbers = two_words.numbers()
    assert (numbers["hand_log_p"], numbers["hand_left"]) == ("−0.0067", "−0.3133")
    assert f"{numbers['twice_one']:.4f}" == "0.0025" and f"{numbers['twice_both']:.2f}" == "0.69"
    assert numbers["twice_half"] == pytest.approx(numbers["twice_both"] / 2, abs=1e-6)
    assert two_words.log_p(-900.0) == -900 and two_words.log_p(900.0) == 0


def test_the_line_that_is_drawn_rises_from_an_even_choice_to_the_whole_and_its_slopes_are_those_printed():
    strengths, values = two_words.growing()
    assert values[0] == pytest.approx(-0.6931, abs=1e-4) and strengths[-1] == 1
    assert values[-1] == two_words.log_p(5.0) and sorted(set(values)) == values
    numbers, step = two_words.numbers(), 1e-5
    for strength, name in ((0.0, "hand_slope_none"), (0.5, "hand_slope_half"), (1.0, "hand_gradient")):
        rise = two_words.log_p(5 * strength + 4 * step) - two_words.log_p(5 * strength)  # girls alone grows
        assert rise / step == pytest.approx(numbers[name], rel=1e-3)
    assert "ln P of las is −0.69 at 0, " in two_words.told() and two_words.told().endswith("−0.01 at 1.")
