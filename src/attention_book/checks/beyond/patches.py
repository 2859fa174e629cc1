"""Checks for *Patches as tokens*: counts, places, a cut in three ways, and two images of the same patches."""

import numpy as np
import torch
import torch.nn.functional as F

from ...models.one_stack.patches import cut_patches
from ..answers import from_list
from ..known_mistakes import diagnose, predictions_check
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_parts
from ..torch_calls import TorchCalls

_COUNTS = {
    "patches": (196, {
        14: "that is one side; the image has two",
        784: "so many there are with patches of 8 × 8",
        28: "that is one side, with patches of 8 × 8; the image has two",
        50176: "those are the pixels of the image",
        256: "those are the pixels of one patch"}),
    "numbers": (768, {
        256: "each pixel has three numbers",
        192: "so many has a patch of 8 × 8",
        48: "a patch has 16 rows of 16 pixels"}),
    "ratio": (16, {
        4: "there are four times as many patches; the table has a row and a column for each",
        2: "half the side gives four times as many patches",
        8: "four times the rows, and four times the columns",
        1 / 16: "the other way round: with smaller patches the table is larger"}),
}  # fmt: skip
check_counts = predictions_check(
    _COUNTS,
    1e-6,
    "Are these the patches of a photograph, the numbers per patch, and the growth of the table of weights?",
    "768 is also the width of the smallest model in the paper that the page follows.",
)

_PLACES = {
    "patch": (9, {
        6: "rows first: two rows of patches lie above, each with four patches",
        10: "patches are counted from 0; a reshape alone would put it there, too",
        5: "each row of patches has four patches"}),
    "place": (2, {
        1: "the pixel is in the lower row of its patch",
        3: "places are counted from 0, and column 2 is the left column of its patch",
        0: "row 5 is the lower row of its patch"}),
    "row": (7, {
        6: "place 3 is the lower right pixel",
        8: "rows are counted from 0",
        3: "that is the row of patches; each has two rows of pixels"}),
    "column": (3, {
        2: "place 3 is the lower right pixel",
        4: "columns are counted from 0",
        7: "that is the row; 13 = 3 · 4 + 1, so the patch is in column 1 of the patches",
        1: "that is the column of patches; each has two columns of pixels"}),
}  # fmt: skip
check_places = predictions_check(
    _PLACES,
    1e-6,
    "Are these the patch and the place of one pixel, and the row and the column of another?",
    "Whole quotients say which patch, remainders say where in it.",
)

_SHAPES = ((8, 8, 2), (6, 6, 3), (4, 8, 2), (9, 6, 3), (4, 4, 4), (3, 2, 1))


def _image(height: int, width: int) -> torch.Tensor:
    return torch.arange(height * width, dtype=torch.float64).reshape(height, width) + 1


@checking
def check_cutting(candidate: object) -> Report:
    """Does ``candidate(image, side)`` give one row of pixels per patch, for a torch tensor of height × width?"""
    for height, width, side in _SHAPES:
        image = _image(height, width)
        wanted = cut_patches(image[None], side)[0]
        got = from_list(attempt(candidate, image, side))
        like = wanted.numpy() if isinstance(got, np.ndarray) else wanted
        got = expect_array(got, tuple(wanted.shape), "one row per patch, one column per pixel of it", like=like)
        if agrees(got, wanted):
            continue
        cut = image.reshape(height // side, side, width // side, side)
        mistakes = {
            "A reshape alone takes pixels that follow each other in one row of the image: exchange two axes first.": (
                image.reshape(-1, side * side)
            ),
            "The patches are in the order of columns: go along each row of patches first.": (
                cut.permute(2, 0, 1, 3).reshape(-1, side * side)
            ),
            "The pixels in a patch are in the order of columns: go along each row of pixels first.": (
                cut.permute(0, 2, 3, 1).reshape(-1, side * side)
            ),
        }
        diagnose(torch.as_tensor(got), wanted, mistakes)
    return Report(True, "Each patch is one row, in reading order outside and inside.")


@checking
def check_together(candidate: object) -> Report:
    """Does ``candidate(patches, side, width)`` give back the image of that width, for a torch tensor of patches?"""
    for height, width, side in _SHAPES:
        image = _image(height, width)
        patches = cut_patches(image[None], side)[0]
        got = from_list(attempt(candidate, patches, side, width))
        like = image.numpy() if isinstance(got, np.ndarray) else image
        got = expect_array(got, (height, width), "the image", like=like)
        if agrees(got, image):
            continue
        named = patches.reshape(height // side, width // side, side, side)
        by_columns = patches.reshape(width // side, height // side, side, side)
        mistakes = {
            "That lays the patches one after another: exchange two axes before the last reshape.": (
                patches.reshape(height, width)
            ),
            "The pixels of each patch are laid in columns: lay them in rows.": (
                named.permute(0, 3, 1, 2).reshape(height, width)
            ),
            "The patches are laid in columns: fill the first row of patches, then the next.": (
                by_columns.permute(1, 2, 0, 3).reshape(height, width)
            ),
        }
        if height == width:
            mistakes["Rows and columns of the image are exchanged."] = image.T
        diagnose(torch.as_tensor(got), image, mistakes)
    return Report(True, "Nothing was lost: the patches are the image, in another order.")


@checking
def check_convolution(candidate: object) -> Report:
    """Does ``candidate(images, E, b, side)`` give x E + b for every patch x, with a convolution of torch?"""
    generator = torch.Generator().manual_seed(0)
    for height, width, side, d in ((4, 6, 2, 4), (6, 9, 3, 5), (8, 8, 2, 3), (6, 6, 3, 9)):
        pixels, n_patches = side * side, height * width // side**2
        images, matrix, bias = (
            torch.randn(shape, generator=generator, dtype=torch.float64)
            for shape in ((2, height, width), (pixels, d), (d,))
        )
        wanted = cut_patches(images, side) @ matrix + bias
        with TorchCalls() as calls:
            got = attempt(candidate, images, matrix, bias, side)
        got = expect_array(got, None, like=wanted)
        if got.shape[1:2] == (d,) and got.ndim == 4:
            raise NotYet(
                "That is what `conv2d` returns: join its last two axes, and exchange them with the one before."
            )
        if got.ndim == 3 and (height - side + 1) * (width - side + 1) in got.shape[1:]:
            raise NotYet("The window moves by one pixel at a time: let it move by a whole patch.")
        got = expect_array(got, tuple(wanted.shape), "image, patch, number of the vector", like=wanted)
        if not agrees(got, wanted):
            kernel, mixed = matrix.T.reshape(d, 1, side, side), matrix.reshape(d, 1, side, side)
            plain = F.conv2d(images[:, None], kernel, bias, stride=side)
            mistakes = {
                "The bias is missing.": wanted - bias,
                "A kernel is a column of E: transpose E before you reshape it.": (
                    F.conv2d(images[:, None], mixed, bias, stride=side).flatten(2).mT
                ),
                "The pixels of each window are in the order of columns: E has them in reading order.": (
                    F.conv2d(images[:, None], kernel.mT, bias, stride=side).flatten(2).mT
                ),
                "A reshape alone mixes places and numbers: join the last two axes, then exchange them.": (
                    plain.reshape(2, n_patches, d)
                ),
                "The patches are in the order of columns: go along each row of patches first.": (
                    plain.mT.flatten(2).mT
                ),
            }
            diagnose(got, wanted, mistakes)
        if not any("conv" in name for name in calls.names):
            raise NotYet("The numbers are right. Now let `torch.nn.functional.conv2d` cut the images.")
    return Report(True, "The cut and its matrix are one convolution, whose window moves by a whole patch.")


@checking
def check_same_patches(images: object) -> Report:
    """Do two images of 4 × 4 pixels have the same patches of 2 × 2, and two ones each: touching, and apart?

    Args:
        images: the image whose ones touch, one beside or above the other, then that in which they do not; lists of
            rows or arrays.
    """
    names = ("touching", "apart")
    if images is ...:
        raise NotYet("Give two images, each with four rows of four numbers.")
    found = list(images) if isinstance(images, np.ndarray | torch.Tensor) and images.ndim else images
    bags = []
    for name, image in zip(names, expect_parts(found, names), strict=True):
        got = from_list(image)
        like = got if isinstance(got, np.ndarray) else torch.zeros(4, 4)
        got = torch.as_tensor(expect_array(got, (4, 4), "four rows of four pixels", like=like, name=name)).double()
        if not (((got == 0) | (got == 1)).all() and got.sum() == 2):
            raise NotYet(f"{name} has to hold two ones, and zeros elsewhere.")
        (row, column), (other_row, other_column) = got.nonzero().tolist()
        touch = abs(row - other_row) + abs(column - other_column) == 1
        if touch != (name == "touching"):
            raise NotYet(f"The ones of {name} {'touch' if touch else 'do not touch: they share no edge'}.")
        bags.append(sorted(cut_patches(got[None], 2)[0].tolist()))
        if name == "touching" and sum(1 for patch in bags[0] if any(patch)) == 1:
            raise NotYet(
                "Both ones of touching are in one patch, so they touch wherever it lies: let them touch across an edge."
            )
    if bags[0] != bags[1]:
        raise NotYet(
            "The two images do not have the same patches: move whole patches, and leave the ones in their corners."
        )
    return Report(True, "A model without positions gives both the same logits, so it is wrong about one of them.")
