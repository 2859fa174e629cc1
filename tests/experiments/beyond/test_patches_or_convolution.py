"""The images of the experiment: what the label says, and what the two classes share."""

from collections import Counter

import torch

from attention_book.experiments.beyond import patches_or_convolution as experiment
from attention_book.models.one_stack.patches import cut_patches

QUIET = experiment.CONFIGURATION | {"noise": 0.0}
SMALL = experiment.CONFIGURATION | {
    "arms": {"patches": [4, 8], "no_positions": [8], "convolution": [4, 8]},
    "steps": 2,
    "batch": 4,
    "tests": 10,
}


def drawn(n=3000):
    return experiment.draw_images(n, QUIET, torch.Generator().manual_seed(0))


def test_the_label_says_whether_the_lying_bar_is_the_higher_one():
    images, labels = drawn(400)
    assert torch.equal(images.sum(dim=(1, 2)), torch.full((400,), 6.0)) and images.max() == 1
    for image, label in zip(images, labels.tolist(), strict=True):
        across, down = image.unfold(1, 3, 1).prod(-1), image.unfold(0, 3, 1).prod(-1)  # three ones in a row
        ((lying, _),), ((standing, _),) = across.nonzero().tolist(), down.nonzero().tolist()
        assert label == (lying < standing) and lying != standing and (lying - standing) % 3 == 0
    assert 150 < int(labels.sum()) < 250


def test_the_patches_themselves_do_not_tell_the_label():
    images, labels = drawn()
    bags = ([], [])
    for rows, label in zip(cut_patches(images, QUIET["patch"]).int().tolist(), labels.tolist(), strict=True):
        assert all(sum(row) <= 3 for row in rows)
        bags[label].append(tuple(sorted(map(tuple, rows))))
    counted = [Counter(bag) for bag in bags]
    assert set(counted[0]) == set(counted[1])
    for bag in counted[0]:
        shares = [counted[label][bag] / len(bags[label]) for label in (0, 1)]
        assert abs(shares[0] - shares[1]) < 0.05


def test_the_models_have_about_equally_many_parameters():
    sizes = [
        sum(p.numel() for p in experiment.model_of(arm, 0, experiment.CONFIGURATION).parameters())
        for arm in ("patches", "convolution")
    ]
    assert max(sizes) < 1.15 * min(sizes)


def test_a_run_reports_every_arm_and_repeats_itself():
    found = experiment.run_seed(0, SMALL)
    for arm, sizes in SMALL["arms"].items():
        for metric in ("right", "seen_right"):
            assert len(found[f"{arm}_{metric}"]) == len(sizes) and all(0 <= x <= 1 for x in found[f"{arm}_{metric}"])
    assert found == experiment.run_seed(0, SMALL)
