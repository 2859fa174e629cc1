"""An encoder over patches, trained again: is it right where the arrangement of the bars was in none of its images?"""

from functools import cache
from typing import Any, NamedTuple

import torch

from ...experiments.beyond import patches_or_convolution as experiment

Arrangement = tuple[int, ...]
"""The pixels of an image without its noise."""


class Shares(NamedTuple):
    """Right labels of new images in per cent, and how many of these images have an arrangement of the training."""

    seen: float
    unseen: float
    n_seen: int


def arrangements(n: int, configuration: dict[str, Any], seed: int) -> list[Arrangement]:
    """Where the bars lie in the images that the experiment draws from this seed of a generator."""
    still = configuration | {"noise": 0.0}  # drawn from the same random numbers, which count for nothing
    images, _ = experiment.draw_images(n, still, torch.Generator().manual_seed(seed))
    return [tuple(image) for image in images.flatten(1).int().tolist()]


@cache
def trained_again(arm: str, n: int, seed: int, steps: int | None = None) -> Shares:
    """What a model of the experiment gets right, apart for the arrangements in its training images and for the others.

    Args:
        arm: the model, by the experiment's name.
        n: number of training images.
        seed: of the experiment.
        steps: of training, if not as many as in the experiment.
    """
    c = experiment.CONFIGURATION | ({"steps": steps} if steps else {})
    drawn = max(map(max, c["arms"].values()))
    images, labels = experiment.draw_images(drawn, c, torch.Generator().manual_seed(10 * seed))
    tests, wanted = experiment.draw_images(c["tests"], c, torch.Generator().manual_seed(10 * seed + 1))
    model = experiment.model_of(arm, seed, c)
    experiment.train(model, images[:n], labels[:n], seed, c)
    known = set(arrangements(drawn, c, 10 * seed)[:n])
    seen = torch.tensor([one in known for one in arrangements(c["tests"], c, 10 * seed + 1)])
    shares = (100 * experiment.share_right(model, tests[kind], wanted[kind]) for kind in (seen, ~seen))
    return Shares(*shares, n_seen=int(seen.sum()))


def numbers(images: int, seed: int) -> dict[str, float]:
    """What the page's text is given, by name: an encoder that was worse than a list of its images, once more.

    Args:
        images: how many it was trained on.
        seed: of the experiment.

    Raises:
        AssertionError: if it is hardly better than guessing where the arrangement is new, or knows all others.
    """
    found = trained_again("patches", images, seed)
    assert found.unseen > 65 and found.seen < 95, found
    return {"again_seen": found.seen, "again_unseen": found.unseen}
