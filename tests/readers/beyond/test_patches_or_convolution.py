"""What the page says of the patches holds in the committed result."""

import re

import pytest
import torch

from attention_book.experiments.beyond import patches_or_convolution as experiment
from attention_book.readers.beyond import patches_or_convolution


@pytest.fixture(scope="module")
def runs():
    return patches_or_convolution.read()


def test_the_lead_of_the_convolution_shrinks_in_every_seed(runs):
    lead = {n: runs.right("convolution", n) - runs.right("patches", n) for n in runs.sizes}
    assert (lead[runs.few] > 20).all() and (lead[runs.many] < lead[runs.few] / 10).all()
    assert (lead[runs.sizes[1]] < lead[runs.few]).all()


def test_with_many_images_the_encoder_reads_them_and_with_few_it_learns_by_heart(runs):
    assert runs.right("patches", runs.many).min() > 95
    assert runs.right("patches", runs.few, "seen_right").min() > 95 and runs.right("patches", runs.few).max() < 70


def test_ten_times_as_many_images_do_not_bring_the_encoder_past_the_convolution(runs):
    numbers = runs.numbers()
    assert numbers["patch_middle"] == 10 * numbers["patch_few"]
    assert abs(runs.at("patches", runs.sizes[1]).value - runs.at("convolution", runs.few).value) < 8


def test_with_the_most_images_the_encoder_is_level_with_the_convolution_with_the_middle_number(runs):
    numbers = runs.numbers()
    assert numbers["patch_many"] == 20 * numbers["patch_middle"]
    assert numbers["patch_times_first"] == 10
    with_fewer = runs.right("convolution", runs.sizes[1]) - runs.right("patches", runs.many)
    assert abs(with_fewer).max() < 0.6 and abs(with_fewer.mean()) < 0.1


def test_without_positions_every_seed_guesses(runs):
    # 2000 images: a guess is within 4 standard errors, 4 · 50 / √2000 = 4.5 points
    assert abs(runs.right("no_positions", runs.many) - 50).max() < 4.5


def test_the_models_have_about_equally_many_parameters(runs):
    sizes = [runs.shared(f"{arm}_parameters") for arm in ("patches", "convolution")]
    assert max(sizes) < 1.15 * min(sizes)


def test_without_noise_there_are_as_many_images_as_arrangements(runs):
    generator = torch.Generator().manual_seed(0)
    images, _ = experiment.draw_images(12000, experiment.CONFIGURATION | {"noise": 0.0}, generator)
    assert len(images.flatten(1).unique(dim=0)) == runs.arrangements == 720


def test_a_list_of_the_seen_gets_what_drawing_lists_gives(runs):
    generator, mean = torch.Generator().manual_seed(0), {}
    for n in runs.sizes:
        shares = []
        for _ in range(20):
            seen = torch.zeros(runs.arrangements, dtype=torch.bool)
            seen[torch.randint(runs.arrangements, (n,), generator=generator)] = True
            shares.append(torch.where(seen, 1.0, 0.5).mean().item())
        mean[n] = 100 * sum(shares) / len(shares)
        assert runs.by_heart(n) == pytest.approx(mean[n], abs=0.5)
        assert runs.met(n) == pytest.approx(2 * mean[n] - 100, abs=1)
    assert runs.rows()[-1][2:] == ("56.5", "87.5", "100.0")


def test_the_encoder_is_not_clearly_above_the_list_and_the_convolution_is(runs):
    for n in runs.sizes:
        encoder = runs.at("patches", n)
        assert encoder.value - runs.by_heart(n) < max(encoder.spread, 0.1)
    middle = runs.sizes[1]
    # a list's share of seen arrangements, and its guesses, have a spread of about 1 point together
    assert runs.right("patches", middle).min() < runs.by_heart(middle) - 3
    assert runs.right("patches", middle).max() > runs.by_heart(middle) + 6
    assert runs.right("convolution", runs.few).min() > runs.by_heart(runs.few) + 30


def test_the_table_has_every_model_and_number_of_images(runs):
    rows = runs.rows()
    assert len(rows) == 4 and {len(row) for row in rows} == {len(runs.header)} and rows[1][2] == "–"
    for row, arm in ((rows[0], "patches"), (rows[2], "convolution")):
        for n, cell in zip(runs.sizes, row[2:], strict=True):
            values = [100 * seed[f"{arm}_right"][runs.sizes.index(n)] for seed in runs.seeds]
            assert re.match(r"[\d.]+", cell).group() == f"{sum(values) / len(values):.1f}"


def test_the_worst_encoder_of_the_middle_size_is_the_one_whose_share_the_page_prints(runs):
    images, seed = runs.worst_middle()
    place = list(map(int, runs.result["seeds"])).index(seed)
    assert images == sorted(runs.sizes)[1]
    assert runs.right("patches", images)[place] == runs.numbers()["patch_worst_middle"]
