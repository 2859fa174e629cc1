"""The package's weights in the one file, and how its translations are judged; that they agree: tests/examples."""

import pytest
import torch
from oracles import seeded

from attention_book.examples import translator_in_one_file as one
from attention_book.little_language.language import sample
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.studies.translator.one_file import copied, share_right


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
