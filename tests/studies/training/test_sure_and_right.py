"""How sure and how right: the loss of the small cases, against torch and against the place where it must be lowest."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy.optimize import minimize_scalar

from attention_book.studies.training import sure_and_right as study


def test_the_loss_is_torchs_of_the_same_distributions():
    first, other = 0.7, 0.3 / 4
    distribution = torch.tensor([first, other, other, other, other]).double()
    targets = torch.tensor([0, 0, 0, 3])  # right in three of four
    wanted = F.nll_loss(distribution.log().repeat(4, 1), targets).item()
    assert study.loss_if(0.75, 0.7, tokens=5) == pytest.approx(wanted)


@pytest.mark.parametrize("right", [0.5, 0.6, 0.85])
@pytest.mark.parametrize("tokens", [5, 568])
def test_the_loss_is_lowest_where_the_model_is_as_sure_as_it_is_right(right, tokens):
    found = minimize_scalar(lambda c: study.loss_if(right, c, tokens), bounds=(1 / tokens, 0.999), method="bounded")
    assert found.x == pytest.approx(right, abs=1e-4)


def test_more_right_tokens_are_a_lower_loss_at_one_confidence():
    assert study.loss_if(0.9, 0.8) < study.loss_if(0.8, 0.8)


def test_what_is_no_first_choice_is_refused():
    for right, confidence in ((1.1, 0.5), (0.5, 1.0), (0.5, 0.1)):
        with pytest.raises(ValueError, match="need 0 ≤ right"):
            study.loss_if(right, confidence)


def test_the_lines_are_told_with_their_lowest_places():
    told, lines = study.loss_told(), study.loss_lines()
    assert list(lines) == ["right in 60%", "right in 85%"]
    for at, loss in lines.values():
        assert f"lowest at {at[np.argmin(loss)]:.0%}" in told
    assert "lowest at 60%" in told and "lowest at 85%" in told


def test_the_two_models_by_hand():
    found = study.two_models()
    assert found["bold"] == pytest.approx((0.0202 * 2 + 4.6052) / 3, abs=1e-4)
    assert found["careful"] == pytest.approx((0.5108 * 2 + 1.2040) / 3, abs=1e-4)
    assert found["bold_perplexity"] == pytest.approx(math.e ** found["bold"]) and found["bold"] > 2 * found["careful"]
