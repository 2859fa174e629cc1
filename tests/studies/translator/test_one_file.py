"""The package's weights in the one file, and how its translations are judged; that they agree: tests/examples."""

import pytest
import torch
from oracles import seeded

from attention_book.examples import translator_in_one_file as one
from attention_book.little_language.language import sample
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.studies.translator.one_file import copied, copies, left_out, share_right


@pytest.mark.parametrize(
    "change", [{"norm": "post"}, {"positions": "rotary"}, {"tie_embeddings": False}, {"d_k": 8}, {"bias": False}]
)
def test_a_model_of_another_kind_is_not_copied(change):
    other = Transformer(TransformerConfig.tiny(**change))
    with pytest.raises(ValueError, match="the file has the book's translator alone"):
        copied(other)


def test_a_copy_shares_nothing_with_the_original():
    original = seeded(lambda: Transformer(TransformerConfig.tiny()))
    before = original.src_embedding.weight.clone()
    with torch.no_grad():
        copied(original).embedding.weight.zero_()
    assert torch.equal(original.src_embedding.weight, before)


def test_any_translation_of_the_language_counts_as_right_and_nothing_else():
    (pair,) = sample(1, 3, clauses=1)
    words = one.Vocabulary([(pair.source, pair.target)])

    class Writes(torch.nn.Module):
        def __init__(self, text):
            super().__init__()
            self.ids = words.encode(text)

        def encode(self, src):
            return src, None

        def decode(self, tgt, memory, mask):
            place = min(tgt.shape[1], len(self.ids)) - 1
            return torch.nn.functional.one_hot(torch.tensor(self.ids[place]), len(words.words)).float()[None, None]

    assert share_right(Writes(pair.target), words, [pair]) == 1
    assert share_right(Writes(pair.source), words, [pair]) == 0


def test_copies_are_rows_of_digits_and_their_own_translations():
    rows = copies(50, 7, seed=3)
    assert rows == copies(50, 7, seed=3) != copies(50, 7, seed=4) and len(set(rows)) == 50
    assert all(a == b and len(a.split()) == 7 and set(a) <= set("0123456789 ") for a, b in rows)


def test_which_digit_was_left_out():
    rows = ["1 2 3", "1 2 3", "1 2 2", "1 2 3", "1 2 3", "1 2 3"]
    written = ["1 2", "1 3", "1 2", "1 2 3", "2 1", "2 3"]
    assert left_out(rows, written) == {3: 2, 2: 1, 1: 1}  # of the two twos the later one; a complete row counts nowhere
    with pytest.raises(ValueError, match="zip"):
        left_out(rows, written[1:])


@pytest.mark.slow
def test_it_learns_to_copy_ten_digits_and_no_other_number_of_them():
    rows = copies(4000, 10, seed=0)
    digits = one.Vocabulary(rows)
    copyist = seeded(lambda: one.Transformer(len(digits.words), dropout=0.0))
    losses = one.train(copyist, rows, digits, steps=300, size=32, peak=4e-3)
    assert sum(losses[-20:]) / 20 < 0.05 < losses[0]

    new = copies(100, 10, seed=1)
    assert sum(one.translate(copyist, digits, a) == b for a, b in new) >= 99
    for length in (9, 11):  # it learned to write ten, whatever it reads
        written = [one.translate(copyist, digits, a) for a, _ in copies(40, length, seed=1)]
        assert sum(len(text.split()) == 10 for text in written) >= 39
    eleven = [a for a, _ in copies(100, 11, seed=1)]
    places = left_out(eleven, [one.translate(copyist, digits, a) for a in eleven])
    assert places[11] + places[10] >= 97 and places[11] > 5 * places[10] > 0  # the tenth, or the last
