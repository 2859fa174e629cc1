"""Patches against torch's own unfolding, and what an encoder over them can and cannot tell."""

import pytest
import torch
import torch.nn.functional as F

from attention_book.models.config import TransformerConfig
from attention_book.models.one_stack.patches import PatchClassifier, cut_patches


def classifier(positions="learned", side=2, n_patches=12):
    config = TransformerConfig.tiny(n_layers=2, dropout=0.0, positions=positions, max_len=n_patches)
    torch.manual_seed(0)
    return PatchClassifier(config, side, n_labels=3).double()


@pytest.mark.parametrize(("height", "width", "side"), [(8, 8, 2), (6, 8, 2), (12, 9, 3), (4, 4, 4), (3, 5, 1)])
def test_patches_are_those_of_torchs_unfold(height, width, side):
    images = torch.randn(5, height, width)
    expected = F.unfold(images[:, None], side, stride=side).mT
    assert torch.equal(cut_patches(images, side), expected)


def test_patches_that_do_not_fill_the_image_are_refused():
    for shape in ((1, 8, 9), (1, 9, 8)):
        with pytest.raises(ValueError, match="do not fill"):
            cut_patches(torch.zeros(shape), 2)


def test_a_patch_vector_is_a_convolution_with_a_stride_plus_its_place():
    model, images = classifier(), torch.randn(4, 6, 8, dtype=torch.float64)
    kernel = model.embedding.weight.reshape(-1, 1, 2, 2)
    convolved = F.conv2d(images[:, None], kernel, model.embedding.bias, stride=2).flatten(2).mT
    torch.testing.assert_close(model.embed(images), convolved + model.positions)


def shuffled(images, order):
    """The images with their patches in another order."""
    folded = F.unfold(images[:, None], 2, stride=2)[:, :, order]
    return F.fold(folded, images.shape[1:], 2, stride=2)[:, 0]


def test_without_positions_the_order_of_the_patches_is_not_seen_and_with_them_it_is():
    images, order = torch.randn(4, 6, 8, dtype=torch.float64), torch.randperm(12)
    blind, seeing = classifier("none"), classifier()
    torch.testing.assert_close(blind(shuffled(images, order)), blind(images))
    assert not torch.allclose(seeing(shuffled(images, order)), seeing(images), atol=1e-3)


def test_the_label_is_read_from_the_mean_of_all_states():
    model, images = classifier(), torch.randn(4, 6, 8, dtype=torch.float64)
    states, _ = model.encoder(model.embed(images))
    expected = states.sum(1) / 12 @ model.head.weight.T + model.head.bias
    assert expected.shape == (4, 3)
    torch.testing.assert_close(model(images), expected)


def test_other_positions_are_refused():
    with pytest.raises(ValueError, match="learned"):
        classifier("sinusoidal")


@pytest.mark.parametrize("n_patches", [1, 9])
def test_images_of_more_patches_than_positions_are_refused(n_patches):
    with pytest.raises(ValueError, match=f"12 patches for {n_patches} positions"):
        classifier(n_patches=n_patches)(torch.zeros(4, 6, 8, dtype=torch.float64))
