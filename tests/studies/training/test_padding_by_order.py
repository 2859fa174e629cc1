"""Padding by order: against the batches that train, by hand on pairs of one length, and what the page says of it."""

from collections import Counter

import pytest

from attention_book.data.batching import padding_waste, token_batches
from attention_book.studies.training.padding_by_order import PaddingByOrder


@pytest.fixture(scope="module")
def study():
    return PaddingByOrder()


@pytest.fixture(scope="module")
def small():
    return PaddingByOrder(drawn=300, budgets=(60, 400))


def test_sorted_whole_it_is_the_waste_of_the_batches_that_train(small):
    shapes = Counter(len(group) for group in small.groups(None, 60))
    trained = token_batches(small.encoded, 60, seed=0, epoch=0)
    assert shapes == Counter(len(batch.src) for batch in trained)
    assert small.share(None, 60) == pytest.approx(padding_waste(trained), abs=0.01)  # ties are shuffled there


def test_one_bucket_of_all_is_the_whole_sort_and_buckets_of_one_are_the_order_drawn(small):
    assert small.groups(300, 60) == small.groups(None, 60)
    assert [place for group in small.groups(1, 60) for place in group] == list(range(300))


def test_pairs_of_one_length_need_no_padding_in_any_order():
    same = PaddingByOrder(drawn=20, budgets=(30,))
    same.__dict__["encoded"] = [([7] * 4, [8] * 4)] * 20
    assert same.lengths == [5] * 20 and all(shares == [0] for shares in same.shares.values())


@pytest.mark.slow
def test_what_the_page_says_of_the_orders_holds(study):
    drawn, bucket, whole = study.shares.values()
    assert drawn == sorted(drawn) and drawn[0] > 1 / 3 and drawn[-1] > 1 / 2
    assert max(whole) < 0.07
    assert bucket[0] < 0.06 and bucket[-1] > 0.3  # many batches per bucket, and two
    assert 500 * study.numbers()["mean_length"] / study.budgets[-1] < 3
    limit = 1 - study.numbers()["mean_length"] / study.numbers()["longest"]
    assert drawn[-1] < limit


@pytest.mark.slow
def test_mean_and_longest_foretell_the_padding_of_the_largest_batches(study):
    told = study.numbers()
    assert abs(int(told["large_foretold"].split()[0].rstrip("%")) - 100 * study.shares["as drawn"][-1]) < 2
    per_batch = study.budgets[-1] / told["large_longest"]
    assert told["large_pairs"] == pytest.approx(per_batch, rel=0.05)  # full batches: rows times longest is the budget


def test_most_of_what_the_whole_sort_leaves_is_on_the_shorter_side_of_a_pair(study):
    groups = study.groups(None, 800)
    longer = sum(max(study.lengths[p] for p in group) * len(group) for group in groups)
    assert 1 - sum(study.lengths) / longer < 0.25 * study.share(None, 800)


def test_counting_sentences_makes_batches_of_very_different_size(study):
    by_sentences, by_tokens = study.rows()
    assert by_sentences[0] == "64 sentences" and by_tokens[0] == "800 tokens"
    assert abs(int(by_sentences[1]) - int(by_tokens[1])) <= 3
    assert study.numbers()["times"] > 5
    fewest, most = map(int, by_tokens[2].split(" to "))
    assert most / fewest < 1.3
    assert int(by_sentences[3].split()[0]) > 2 * int(by_tokens[3].split()[0])


def test_the_lines_are_told_with_their_numbers(small):
    told = small.lines_told()
    for name, shares in small.shares.items():
        assert f"{name.capitalize()}: {100 * shares[0]:.1f} at 60, {100 * shares[1]:.1f} at 400." in told
    assert {name: list(line[1]) for name, line in small.lines().items()} == {
        name: [100 * share for share in shares] for name, shares in small.shares.items()
    }
