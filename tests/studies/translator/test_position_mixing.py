"""What mixes positions: every part by finite differences, and the norm that does mix them by hand."""

import pytest
import torch

from attention_book.studies.translator import position_mixing as study

ALONE = (
    "linear layer",
    "layer norm",
    "feed-forward network",
    "residual connection, pre-norm",
    "residual connection, post-norm",
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
    part, x = study.parts()["layer norm"], study.sentence()
    assert part(x).mean(dim=-1).abs().min() > 1e-3


def test_rows_name_every_part_and_write_zero_only_for_zero():
    rows = study.rows()
    assert rows[: len(ALONE)] == [(name, "0", "0") for name in ALONE]
    assert [name for name, *_ in rows[len(ALONE) :]] == ["attention, causal mask", "a norm over the positions"]
    for name, *texts in rows:
        for text, value in zip(texts, study.reach(study.parts()[name], study.sentence()), strict=True):
            assert (text == "0") == (value == 0) and float(text) == pytest.approx(value, abs=0.005)


def test_one_attention_by_hand_is_a_softmax_over_all_words():
    generator = torch.Generator().manual_seed(3)
    shapes = [(n, study.WIDE) for n in (study.LENGTH, *[study.WIDE] * 4)]
    draw = [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in shapes]
    x, (q, k, v, o) = draw[0], [one / 8 for one in draw[1:]]
    weights = torch.softmax((x @ q) @ (x @ k).T / 8, dim=-1)
    for residual in (False, True):
        after = weights @ (x @ v) @ o + (x if residual else 0)
        unit = after / after.norm(dim=1, keepdim=True)
        pairs = torch.combinations(torch.arange(study.LENGTH))
        by_hand = torch.stack([unit[i] @ unit[j] for i, j in pairs])
        found = study.cosines(residual, 3)[1]
        assert torch.allclose(found[pairs[:, 0], pairs[:, 1]], by_hand) and torch.allclose(found, found.T)


def test_attentions_alone_make_all_words_one_and_a_residual_keeps_them_apart():
    others = ~torch.eye(study.LENGTH, dtype=torch.bool)
    alone, added = (one[:, others].mean(dim=1) for one in study.alike().values())
    assert len(alone) == len(added) == study.ATTENTIONS + 1
    assert abs(alone[0]) < 0.02 and 0.98 < alone[2] < 0.995 and alone[3] > 0.995 and alone[6] > 0.995
    assert 0.5 < added[6] < 0.9 and added[2] < 0.5
