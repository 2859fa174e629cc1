"""The experiment on width and sharpness: its draws have the moments that the chapter's argument is about."""

import pytest
import torch

from attention_book.experiments.attention import width_and_sharpness as experiment


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(3)


@pytest.mark.parametrize("shared", [0.0, 0.3])
def test_components_have_mean_0_variance_1_and_the_correlation_asked_for(generator, shared):
    x = experiment.vectors(40_000, 3, shared, generator)
    assert torch.allclose(x.mean(0), torch.zeros(3), atol=0.02)
    assert torch.allclose(x.T.cov(), torch.full((3, 3), shared).fill_diagonal_(1), atol=0.03)


@pytest.mark.parametrize("shared", [0.0, 0.3])
def test_the_variance_of_scores_is_the_one_derived(generator, shared):
    """d for independent components, d + ρ²d(d − 1) for correlated ones."""
    width = 16
    s = experiment.scores(20_000, 4, width, shared, generator)
    assert s.shape == (20_000, 4)
    assert float(s.var()) == pytest.approx(width + shared**2 * width * (width - 1), rel=0.05)


def test_a_seed_measures_every_width_both_ways_and_repeats_exactly():
    small = experiment.CONFIGURATION | {"widths": [1, 64], "draws": 500}
    metrics = experiment.run_seed(1, small)
    assert metrics == experiment.run_seed(1, small) != experiment.run_seed(2, small)
    assert len(metrics) == 1 + 2 * 2 * 3
    assert metrics["independent_undivided/64"] > metrics["independent_divided/64"] > 1 / small["keys"]
    assert metrics["independent_undivided/1"] == metrics["independent_divided/1"]
