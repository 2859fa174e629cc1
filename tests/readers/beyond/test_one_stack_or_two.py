"""What *Decoder only* says of one stack and two holds in the result on record."""

import numpy as np
import pytest

from attention_book.readers.beyond.one_stack_or_two import HEADER, LABELS, OneStackOrTwo
from attention_book.studies.beyond.three_families import EVEN_LENGTH, even_share

LOSSES = {"two-stacks": (0.5, 0.7), "causal": (0.8, 0.9), "prefix": (0.6, 0.6), "both": (1.0, 0.8)}


def made_up():
    """Two seeds of losses that are easy to subtract from."""
    seeds = {}
    for n in (0, 1):
        found = {"grammar": 0.2 + 0.1 * n, "pairs": 990, "tokens": 5}
        for arm, losses in LOSSES.items():
            found |= {f"{arm}_loss": losses[n], f"{arm}_right": 0.5 + 0.2 * n, f"{arm}_parameters": 1000 - len(arm)}
            if arm != "two-stacks":
                found[f"{arm}_shares"] = [0.5, 0.7 + 0.1 * n]
        seeds[str(n)] = found
    setting = {"arms": dict.fromkeys(LOSSES), "training": {"tokens": 7}, "examined": 9, "sizes": {"d_model": 48}}
    return OneStackOrTwo({"configuration": setting, "seeds": seeds})


def test_made_up_losses_are_read_by_hand():
    read = made_up()
    assert read.excesses("two-stacks").tolist() == pytest.approx([0.3, 0.4])
    assert read.excess("causal").value == pytest.approx(0.6) and read.right("both").value == pytest.approx(0.6)
    assert read.lower("two-stacks", "causal") == 2 and read.lower("two-stacks", "prefix") == 1
    assert read.lower("both", "causal") == 1 and read.shares("prefix").tolist() == pytest.approx([0.5, 0.75])
    rows = read.rows({2: "42 d²", 1: "84 d²"})
    assert all(len(row) == len(HEADER) for row in rows) and rows[0][:3] == ("encoder–decoder", "990", "42 d²")
    assert [row[2] for row in rows[1:]] == ["84 d²"] * 3
    assert list(read.dots()) == ["encoder–decoder", "causal", "prefix mask", "causal, trained on both"]
    assert "Prefix mask: 0.400, 0.300." in read.dots_told()
    numbers = read.numbers()
    assert numbers["width"] == 48 and numbers["right_both"] == pytest.approx(60)
    assert numbers["mean_share"] == pytest.approx(62.5)


def test_the_arms_are_those_that_the_page_names(runs):
    assert runs.arms == list(LABELS) and runs.n_seeds >= 3
    sizes = [runs.parameters(arm) for arm in runs.arms]
    assert max(sizes) / min(sizes) < 1.003


def test_every_model_translates(runs):
    assert all((runs.of(f"{arm}_right") > (0.1 if arm == "both" else 0.4)).all() for arm in runs.arms)
    assert all((runs.excesses(arm) > 0).all() for arm in runs.arms)


def test_two_stacks_learn_sooner_in_every_seed_and_both_sides_cost(runs):
    assert all(runs.lower("two-stacks", arm) == runs.n_seeds for arm in runs.arms[1:])
    assert runs.lower("causal", "both") == runs.n_seeds
    assert (runs.of("two-stacks_right") > runs.of("causal_right")).all()


def test_the_prefix_mask_makes_less_difference_than_the_second_stack(runs):
    apart = abs(runs.excesses("prefix") - runs.excesses("causal")).max()
    assert apart < (runs.excesses("causal") - runs.excesses("two-stacks")).min()


def test_no_layer_reads_the_source_alone(runs):
    assert 0.4 < runs.shares("prefix").min() < runs.shares("prefix").max() < 0.9


def test_the_shares_are_those_of_even_weights(runs):
    even = even_share(EVEN_LENGTH, EVEN_LENGTH)
    assert np.abs(runs.shares("prefix") - even).max() < 0.05
    assert np.abs(runs.of("prefix_shares").mean(axis=1) - runs.shares("prefix").mean()).max() < 0.005
    assert (runs.of("two-stacks_right") > runs.of("prefix_right")).all()
