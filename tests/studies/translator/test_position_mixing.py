"""What mixes positions: every part by finite differences, and the norm that does mix them by hand."""

import pytest
import torch

from attention_book.studies.translator import position_mixing as study

ALONE = (
    "linear layer",
    "LayerNorm",
    "feed-forward",
    "feed-forward in pre-norm Add & Norm",
    "feed-forward in post-norm Add & Norm",
)


@pytest.mark.parametrize("name", study.parts())
@pytest.mark.parametrize("seed", [0, 1])
def test_whose_rows_change_when_one_row_does(name, seed):
    part, x = study.parts(seed)[name], study.sentence(seed)
    moved = x.clone()
    moved[2] += torch.linspace(-1, 2, study.WIDTH, dtype=torch.float64)
    changed = (part(moved) - part(x)).abs().amax(dim=1) > 0
    if name in ALONE:
        assert changed.tolist() == [False, False, True, False, False]
    elif name == "attention, causal mask":
        assert changed.tolist() == [False, False, True, True, True]
    else:
        assert changed.all()


def test_the_derivatives_say_the_same():
    for name, part in study.parts().items():
        earlier, later = study.reach(part, study.sentence())
        assert (earlier == 0) == (name in ALONE)
        assert (later > 0) == (name == "a norm over the positions")


def test_reach_tells_earlier_from_later():
    x = study.sentence()
    assert study.reach(lambda x: x.roll(1, 0) * torch.tensor([[0.0], [2], [2], [2], [2]]), x) == (2.0, 0.0)
    assert study.reach(lambda x: x.flip(0), x) == (1.0, 1.0)


def test_the_norm_over_positions_gives_each_coordinate_mean_0_and_variance_1():
    found = study.norm_over_positions(study.sentence())
    torch.testing.assert_close(found.mean(dim=0), torch.zeros(study.WIDTH, dtype=torch.float64), atol=1e-12, rtol=0)
    assert found.var(dim=0, unbiased=False).sub(1).abs().max() < 1e-3
    layer = torch.nn.functional.layer_norm(study.sentence(), (study.WIDTH,))
    assert not torch.allclose(found, layer)


def test_the_gains_and_biases_are_not_the_usual_ones():
    part, x = study.parts()["LayerNorm"], study.sentence()
    assert part(x).mean(dim=-1).abs().min() > 1e-3


def test_rows_name_every_part_and_write_zero_only_for_zero():
    for (name, earlier, later), (part_name, part) in zip(study.rows(), study.parts().items(), strict=True):
        assert name == part_name
        for text, value in zip((earlier, later), study.reach(part, study.sentence()), strict=True):
            assert (text == "0") == (value == 0) and float(text) == pytest.approx(value, abs=0.005)
