"""The checks of *Patches as tokens*: right answers in every form, and wrong ones with their reasons."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_book.checks.beyond import patches as checks

from ..diagnosis import diagnosis

COUNTS = {"patches": 196, "numbers": 768, "ratio": 16}
PLACES = {"patch": 9, "place": 2, "row": 7, "column": 3}


def test_the_counts():
    assert (224 // 16) ** 2 == 196 and 16 * 16 * 3 == 768 and (224 // 8) ** 4 / (224 // 16) ** 4 == 16
    assert checks.check_counts(COUNTS) and checks.check_counts({k: float(x) for k, x in COUNTS.items()})
    for name, wrong, why in (
        ("patches", 14, "one side"),
        ("patches", 784, "of 8 × 8"),
        ("numbers", 256, "three numbers"),
        ("numbers", 192, "of 8 × 8"),
        ("ratio", 4, "a row and"),
        ("ratio", 1 / 16, "other way"),
    ):
        assert why in diagnosis(checks.check_counts(COUNTS | {name: wrong}))
    assert "still to be predicted" in diagnosis(checks.check_counts(dict.fromkeys(COUNTS, ...)))


def test_the_places():
    numbers = torch.arange(64.0).reshape(1, 1, 8, 8)
    patches = F.unfold(numbers, 2, stride=2)[0].mT
    assert (patches == 5 * 8 + 2).nonzero().tolist() == [[9, 2]] and patches[13, 3] == 7 * 8 + 3
    assert checks.check_places(PLACES)
    for name, wrong, why in (("patch", 10, "from 0"), ("place", 1, "lower row"), ("row", 3, "row of patches"),
                             ("row", 8, "from 0"), ("column", 2, "lower right"), ("column", 4, "from 0"),
                             ("column", 7, "that is the row")):  # fmt: skip
        assert why in diagnosis(checks.check_places(PLACES | {name: wrong}))


def by_loops(image, side):
    height, width = image.shape
    return [
        [image[y + i, x + j].item() for i in range(side) for j in range(side)]
        for y in range(0, height, side)
        for x in range(0, width, side)
    ]


def by_numpy(image, side):
    image = image.numpy()
    height, width = image.shape
    cut = image.reshape(height // side, side, width // side, side)
    return cut.swapaxes(1, 2).reshape(-1, side * side)


def by_unfold(image, side):
    return F.unfold(image[None, None], side, stride=side)[0].mT


@pytest.mark.parametrize("right", [by_loops, by_numpy, by_unfold])
def test_right_cuttings_pass(right):
    assert checks.check_cutting(right)


def cut_in_order(*order):
    def cut(image, side):
        height, width = image.shape
        return image.reshape(height // side, side, width // side, side).permute(order).reshape(-1, side * side)

    return cut


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda image, side: image.reshape(-1, side * side), "exchange two axes"),
        (cut_in_order(2, 0, 1, 3), "order of columns: go along each row of patches"),
        (cut_in_order(0, 2, 3, 1), "order of columns: go along each row of pixels"),
        (lambda image, side: by_unfold(image, side) + 1, "wrong number"),
        (lambda image, side: image, "one row per patch"),
    ],
)
def test_wrong_cuttings_are_named(wrong, why):
    assert why in diagnosis(checks.check_cutting(wrong))


def folded(patches, side, width):
    height = patches.numel() // width
    return F.fold(patches.mT[None], (height, width), side, stride=side)[0, 0]


def put_by_loops(patches, side, width):
    image = np.zeros((patches.numel() // width, width))
    for n, patch in enumerate(patches.numpy()):
        y, x = divmod(n, width // side)
        image[y * side : (y + 1) * side, x * side : (x + 1) * side] = patch.reshape(side, side)
    return image


@pytest.mark.parametrize("right", [folded, put_by_loops, lambda *given: put_by_loops(*given).tolist()])
def test_right_images_pass(right):
    assert checks.check_together(right)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda patches, side, width: patches.reshape(-1, width), "exchange two axes"),
        (lambda patches, side, width: folded(patches, side, width).flip(0), "wrong number"),
        (lambda patches, side, width: folded(patches, side, width).T, "exchanged"),
        (lambda patches, side, width: patches.reshape(-1, width // side, side, side).permute(0, 3, 1, 2)
         .reshape(-1, width), "laid in columns: lay them in rows"),
        (lambda patches, side, width: patches.reshape(width // side, -1, side, side).permute(1, 2, 0, 3)
         .reshape(-1, width), "fill the first row of patches"),
        (lambda patches, side, width: patches, "the image"),
    ],
)  # fmt: skip
def test_wrong_images_are_named(wrong, why):
    assert why in diagnosis(checks.check_together(wrong))


def by_conv2d(images, matrix, bias, side):
    kernel = matrix.T.reshape(-1, 1, side, side)
    return F.conv2d(images[:, None], kernel, bias, stride=side).flatten(2).mT


def by_a_layer(images, matrix, bias, side):
    layer = torch.nn.Conv2d(1, len(bias), side, stride=side).double()
    with torch.no_grad():
        layer.weight.copy_(matrix.T.reshape(-1, 1, side, side))
        layer.bias.copy_(bias)
    return layer(images[:, None]).permute(0, 2, 3, 1).flatten(1, 2)


def with_the_bias_after(images, matrix, bias, side):
    kernel = matrix.T.reshape(-1, 1, side, side)
    return torch.stack([F.conv2d(image[None], kernel, stride=side).flatten(1).T + bias for image in images])


@pytest.mark.parametrize("right", [by_conv2d, by_a_layer, with_the_bias_after])
def test_right_convolutions_pass(right):
    assert checks.check_convolution(right)


def convolved(images, kernel, bias, side):
    return F.conv2d(images[:, None], kernel, bias, stride=side)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda i, E, b, s: by_conv2d(i, E, None, s), "bias is missing"),
        (lambda i, E, b, s: convolved(i, E.reshape(-1, 1, s, s), b, s).flatten(2).mT, "transpose E"),
        (lambda i, E, b, s: convolved(i, E.T.reshape(-1, 1, s, s).mT, b, s).flatten(2).mT, "order of columns: E"),
        (lambda i, E, b, s: by_conv2d(i, E, b, s).mT.reshape(len(i), -1, len(b)), "mixes places"),
        (lambda i, E, b, s: convolved(i, E.T.reshape(-1, 1, s, s), b, s).mT.flatten(2).mT, "each row of patches"),
        (lambda i, E, b, s: convolved(i, E.T.reshape(-1, 1, s, s), b, s), "what `conv2d` returns"),
        (lambda i, E, b, s: convolved(i, E.T.reshape(-1, 1, s, s), b, 1).flatten(2).mT, "whole patch"),
        (lambda i, E, b, s: torch.stack([F.unfold(x[None], s, stride=s).T for x in i]) @ E + b, "Now let"),
        (lambda i, E, b, s: by_conv2d(i, E, b, s).mT, "transposed"),
        (lambda i, E, b, s: by_conv2d(i, E, b, s)[:1], "wrong shape"),
        (lambda i, E, b, s: 2 * by_conv2d(i, E, b, s), "wrong number"),
    ],
)
def test_wrong_convolutions_are_named(wrong, why):
    assert why in diagnosis(checks.check_convolution(wrong))


def ones(*places):
    image = np.zeros((4, 4))
    for place in places:
        image[place] = 1
    return image


TOUCHING = ones((0, 1), (0, 2))


@pytest.mark.parametrize(
    "images",
    [
        (TOUCHING, ones((0, 0), (0, 3))),
        [TOUCHING.tolist(), ones((2, 1), (0, 2)).tolist()],
        torch.tensor(np.array([TOUCHING, ones((0, 1), (2, 0))])),
        np.array([ones((1, 3), (2, 3)), ones((3, 3), (0, 3))]),
    ],
)
def test_images_of_the_same_patches_pass(images):
    assert checks.check_same_patches(images)


@pytest.mark.parametrize(
    ("images", "why"),
    [
        ((TOUCHING, ones((0, 0), (3, 3))), "whole patches"),
        ((ones((0, 0), (0, 1)), ones((0, 0), (2, 1))), "across an edge"),
        ((TOUCHING, ones((1, 1), (1, 2))), "The ones of apart touch."),
        ((ones((0, 0), (2, 2)), TOUCHING), "they share no edge"),
        ((ones((0, 1), (1, 2)), TOUCHING), "they share no edge"),
        ((TOUCHING, ones((0, 0))), "two ones"),
        ((TOUCHING, 2 * ones((0, 0))), "two ones"),
        ((TOUCHING, np.zeros((2, 2))), "four rows"),
        ((TOUCHING,), "apart"),
        (..., "Give two images"),
    ],
)
def test_other_images_are_refused_with_the_reason(images, why):
    assert why in diagnosis(checks.check_same_patches(images))
