"""New images are told apart by whether their bars lie where bars lay in training, and the shares add up."""

import pytest
import torch

from attention_book.experiments.beyond import patches_or_convolution as experiment
from attention_book.readers.beyond.patches_or_convolution import read
from attention_book.studies.beyond import unseen_arrangements as study

C = experiment.CONFIGURATION


def test_an_arrangement_is_the_image_without_its_noise():
    images, _ = experiment.draw_images(50, C, torch.Generator().manual_seed(3))
    still = torch.tensor(study.arrangements(50, C, 3)).view(images.shape)
    assert set(still.unique().tolist()) == {0, 1} and (still.flatten(1).sum(1) == 2 * experiment.BAR).all()
    noise = images - still
    assert 0.19 < noise.std() < 0.21 and noise[still == 1].mean().abs() < 0.05


def test_the_shares_are_those_of_the_whole_test_and_as_many_are_seen_as_chance_says():
    found = study.trained_again("convolution", 100, 1, steps=60)
    images, labels = experiment.draw_images(20000, C, torch.Generator().manual_seed(10))
    model, short = experiment.model_of("convolution", 1, C), C | {"steps": 60}
    experiment.train(model, images[:100], labels[:100], 1, short)
    whole = experiment.share_right(model, *experiment.draw_images(C["tests"], C, torch.Generator().manual_seed(11)))
    n = C["tests"]
    assert (found.seen * found.n_seen + found.unseen * (n - found.n_seen)) / n == pytest.approx(100 * whole)
    assert abs(found.n_seen / n - 0.13) < 0.03  # 1 - (1 - 1/720)^100


@pytest.mark.slow
def test_the_encoder_that_gets_less_than_a_list_is_no_list():
    numbers = study.numbers(*read().worst_middle())
    assert numbers["again_unseen"] > 65 and numbers["again_seen"] < 95
