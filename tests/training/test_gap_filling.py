"""Gaps are made as the recipe says, counted over many; the loss is that of the chosen positions, by hand."""

import math

import pytest
import torch

from attention_book.training.gap_filling import GapRecipe, gap_loss, make_gaps

RECIPE = GapRecipe(gap_id=4, words=(5, 55))


def drawn(n=4000, length=20, recipe=RECIPE):
    ids = torch.randint(100, 150, (n, length), generator=torch.Generator().manual_seed(1))  # no word of the recipe
    return ids, *make_gaps(ids, recipe, torch.Generator().manual_seed(2))


def near(count, total, share):
    """Whether a count is within five standard deviations of its mean."""
    return abs(count - share * total) < 5 * math.sqrt(total * share * (1 - share))


def test_gaps_are_made_as_the_recipe_says():
    ids, shown, wanted = drawn()
    chosen = wanted > 0
    assert (chosen.sum(dim=1) == 3).all() and torch.equal(wanted[chosen], ids[chosen])
    assert torch.equal(shown[~chosen], ids[~chosen])
    hidden, kept = shown[chosen] == 4, shown[chosen] == ids[chosen]
    replaced = (shown[chosen] >= 5) & (shown[chosen] < 55)
    assert (hidden.long() + kept.long() + replaced.long() == 1).all()
    total = int(chosen.sum())
    assert near(int(hidden.sum()), total, 0.8)
    assert near(int(replaced.sum()), total, 0.1) and near(int(kept.sum()), total, 0.1)
    words = shown[chosen][replaced]
    assert set(words.tolist()) == set(range(5, 55))
    for position in range(20):  # every place is chosen equally often
        assert near(int(chosen[:, position].sum()), 4000, 0.15)


def test_with_marks_alone_every_chosen_position_shows_the_mark():
    _, shown, wanted = drawn(recipe=GapRecipe(gap_id=4, words=(5, 55), hidden=1.0, replaced=0.0))
    assert torch.equal(shown == 4, wanted > 0)


def test_padding_is_never_chosen_and_a_short_sentence_has_one_gap():
    ids = torch.tensor([[7, 8, 0, 0, 0, 0, 0, 0], [7, 0, 0, 0, 0, 0, 0, 0], [7, 8, 9, 7, 8, 9, 7, 8]])
    for seed in range(50):
        shown, wanted = make_gaps(ids, RECIPE, torch.Generator().manual_seed(seed))
        assert torch.equal((wanted > 0).sum(dim=1), torch.tensor([1, 1, 1]))
        assert (shown[ids == 0] == 0).all()


def test_one_seed_makes_the_same_gaps():
    assert all(torch.equal(a, b) for a, b in zip(drawn(), drawn(), strict=True))


def test_the_loss_is_the_mean_over_the_gaps_by_hand():
    logits = torch.log(torch.tensor([[[0.1, 0.2, 0.7], [0.25, 0.25, 0.5], [0.6, 0.2, 0.2]]]))
    wanted = torch.tensor([[2, 0, 1]])
    assert gap_loss(logits, wanted).item() == pytest.approx(-(math.log(0.7) + math.log(0.2)) / 2)
    assert gap_loss(logits, torch.tensor([[0, 1, 0]])).item() == pytest.approx(math.log(4))


@pytest.mark.parametrize(
    "shares", [{"share": 1.5}, {"share": -0.1}, {"hidden": 0.8, "replaced": 0.3}, {"replaced": -0.1}]
)
def test_shares_that_are_no_parts_of_a_whole_are_refused(shares):
    with pytest.raises(ValueError, match="from 0 to 1"):
        drawn(n=1, recipe=GapRecipe(gap_id=4, words=(5, 55), **shares))
