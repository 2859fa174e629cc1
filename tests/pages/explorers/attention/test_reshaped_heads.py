"""The Python side of *heads, split and joined*: where numbers stand, what is said, and what the two tests notice."""

import numpy as np
import pytest
import torch
import traitlets
from oracles import normal

from attention_book.examples.wrong_heads import BOTH, WRONG, multi_head, symptoms
from attention_book.pages.explorers.attention.reshaped_heads import D_MODEL, HEADS, WORDS, ReshapedHeads, verdict

LENGTHS = range(2, len(WORDS) + 1)
MATRICES = list(normal(4, D_MODEL, D_MODEL, seed=1) / D_MODEL**0.5)


def mistakes(split, merge):
    missing = [name for name, there in (("split", split), ("merge", merge)) if not there]
    return {key: value for name in missing for key, value in WRONG[f"{name} without transpose"].items()}


@pytest.mark.parametrize("n_heads", HEADS)
@pytest.mark.parametrize(("split", "merge"), [(True, True), (True, False), (False, True), (False, False)])
def test_the_verdict_is_what_the_two_tests_measure(n_heads, split, merge):
    for length in LENGTHS:
        numbers = symptoms(normal(length, D_MODEL), MATRICES, n_heads, **mistakes(split, merge))
        assert all(number < 1e-12 or number > 1e-3 for number in numbers)  # rounding, or noticed
        leaks, disorders = (number > 1e-3 for number in numbers)
        wanted = {
            (False, False): "Right." if split and merge else "Wrong, and neither test notices.",
            (False, True): "Wrong, and only the order notices.",
            (True, True): "Wrong, and both tests notice.",
        }
        assert verdict(length, n_heads, split, merge) == wanted[leaks, disorders]


@pytest.mark.parametrize("n_heads", HEADS)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_head_is_a_slice_of_the_columns_or_without_its_transpose_a_slice_of_memory(length, n_heads):
    rows = np.arange(length * D_MODEL).reshape(length, D_MODEL)
    right, wrong = (ReshapedHeads(length=length, n_heads=n_heads, split=split) for split in (True, False))
    assert all((head == part).all() for head, part in zip(right.heads, np.split(rows, n_heads, axis=1), strict=True))
    assert (right.joined == rows).all()
    parts = np.split(rows.flatten(), n_heads)
    assert all((head.flatten() == part).all() for head, part in zip(wrong.heads, parts, strict=True))
    assert (ReshapedHeads(length=length, n_heads=n_heads, split=False, merge=False).joined == rows).all()
    assert sorted(wrong.joined.flatten()) == list(range(length * D_MODEL)) and not (wrong.joined == rows).all()


def test_the_words_of_two_cases_by_hand():
    assert ReshapedHeads(length=2).in_words() == (
        "2 words of 8 numbers, 2 heads. Split with transpose: head 0 holds columns 0–3 of every word; head 1 holds "
        "columns 4–7 of every word. Joined with transpose: each word has its own numbers back. Right. "
        "The numbers of like are marked."
    )
    assert ReshapedHeads(length=3, split=False, word=7).in_words() == (
        "3 words of 8 numbers, 2 heads. Split with no transpose: head 0 holds I 0–7 and like 0–3; head 1 holds "
        "like 4–7 and old 0–7. Joined with transpose: I has I 0–3 and like 4–7; like has I 4–7 and old 0–3; "
        "old has like 0–3 and old 4–7. Wrong, and both tests notice. The numbers of old are marked."
    )


def test_what_the_solutions_say_of_four_heads():
    """Neither test notices 2, 4 and 8 words; of these, with 2 and 4 no word meets another in a "head"."""
    assert verdict(3, 2, False, False) == "Wrong, and only the order notices."  # on the page
    silent = [length for length in LENGTHS if "neither" in verdict(length, 4, False, False)]
    assert silent == [2, 4, 8]
    apart = []
    for length in LENGTHS:
        heads = ReshapedHeads(length=length, n_heads=4, split=False).heads
        if all(len(set((head // D_MODEL).flatten())) == 1 for head in heads):
            apart.append(length)
    assert apart == [2, 4]


@pytest.mark.parametrize(("length", "meets"), [(2, False), (4, False), (8, True)])
def test_where_no_words_meet_an_output_depends_on_its_own_word_alone(length, meets):
    x = normal(length, D_MODEL)
    jacobian = torch.autograd.functional.jacobian(lambda y: multi_head(y, *MATRICES, 4, **BOTH), x)
    between = jacobian.abs().amax(dim=(1, 3)) * (1 - torch.eye(length))
    assert bool(between.max() > 0) == meets


@pytest.mark.parametrize("bad", [{"length": 1}, {"length": 9}, {"n_heads": 3}, {"word": 8}, {"word": -1}])
def test_what_does_not_fit_is_refused(bad):
    with pytest.raises(traitlets.TraitError):
        ReshapedHeads(**bad)
