"""Shelves: every pair stands once in the narrowest table that holds it, and batches read every pair."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_book.data.subwords import Subwords
from attention_book.training.together.shelves import drawn_places, dropped_encodings, shelved

ids = st.lists(st.integers(4, 50), max_size=12)
pairs = st.lists(st.tuples(ids, ids), min_size=1, max_size=30)


def rows_of(shelves):
    """The pairs that stand in the tables, read back."""
    found = []
    for table in shelves.values():
        for src, tgt in zip(table.src.tolist(), table.tgt.tolist(), strict=True):
            source = src[: src.index(Subwords.eos_id)]
            target = tgt[1 : tgt.index(Subwords.eos_id)]
            assert not any(src[len(source) + 1 :]) and not any(tgt[len(target) + 2 :])
            assert tgt[0] == Subwords.bos_id
            found.append((source, target))
    return found


@given(pairs)
def test_every_pair_stands_once_in_the_narrowest_table_that_holds_it(encoded):
    shelves = shelved(encoded, widths=(4, 8, 13))
    assert sorted(rows_of(shelves)) == sorted(encoded)
    for width, table in shelves.items():
        assert table.src.shape[1] == width and table.tgt.shape[1] == width + 1
        narrower = max([0, *(other for other in (4, 8, 13) if other < width)])
        longest = torch.maximum((table.src > 0).sum(1), (table.tgt > 0).sum(1) - 1)
        assert (longest > narrower).all() and (longest <= width).all()


def test_a_pair_wider_than_the_last_table_is_left_out_with_a_warning():
    with pytest.warns(UserWarning, match="1 of 2 pairs are longer than 4 tokens"):
        shelves = shelved([([5], [6]), ([5] * 4, [6])], widths=(4,))
    assert rows_of(shelves) == [([5], [6])]


@given(
    st.dictionaries(st.sampled_from([4, 8, 16]), st.integers(1, 40), min_size=1),
    st.integers(1, 60),
    st.integers(1, 3),
    st.integers(0, 5),
)
def test_every_model_reads_every_pair_and_few_of_them_twice(sizes, budget, models, epoch):
    read = {width: np.zeros((models, size), dtype=int) for width, size in sizes.items()}
    for width, places in drawn_places(sizes, budget, models, 1, epoch):
        rows = max(1, budget // width)
        assert places.shape == (models, rows)
        for model, row in enumerate(places):
            np.add.at(read[width][model], row, 1)
    for width, counts in read.items():
        rows = max(1, budget // width)
        assert counts.min() >= 1
        assert (counts.sum(1) == -(-sizes[width] // rows) * rows).all()
        assert counts.max() - counts.min() <= 1


def test_epochs_and_models_have_orders_of_their_own_and_the_same_each_time():
    def orders(seed, epoch):
        return [(width, places.tolist()) for width, places in drawn_places({8: 50}, 80, 2, seed, epoch)]

    assert orders(1, 0) == orders(1, 0)
    assert orders(1, 0) != orders(1, 1) != orders(2, 1)
    assert all(one != other for _, (one, other) in orders(1, 0))


@pytest.fixture(scope="module")
def subwords():
    return Subwords.train(["the old man lives next door", "the old woman lived there"] * 5, 290)


def test_dropped_merges_spell_the_same_text_in_more_pieces(subwords):
    texts = ["the old man", "the woman lives next door", ""] * 20
    plain, dropped = subwords.encode_batch(texts), dropped_encodings(subwords, texts, 0.5)
    assert [subwords.decode(ids) for ids in dropped] == texts
    assert all(len(more) >= len(few) for more, few in zip(dropped, plain, strict=True))
    assert sum(map(len, dropped)) > 1.2 * sum(map(len, plain))
    assert len({tuple(row) for row, text in zip(dropped, texts, strict=True) if text == texts[1]}) > 1


def test_no_dropping_is_the_encoding_itself_and_leaves_the_vocabulary_as_it_was(subwords):
    texts = ["the old man"]
    before = subwords.encode_batch(texts)
    assert dropped_encodings(subwords, texts, 0.0) == before
    dropped_encodings(subwords, texts, 0.9)
    assert subwords.encode_batch(texts) == before


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_is_none_is_refused(subwords, share):
    with pytest.raises(ValueError, match="share of merges"):
        dropped_encodings(subwords, ["the"], share)
