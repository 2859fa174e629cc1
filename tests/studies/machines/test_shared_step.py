"""A step that ranks share, in one process: joined by tokens it is the step of the whole batch, otherwise it is not."""

import pytest
import torch

from attention_book.data.batching import padded_batch
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.studies.machines import shared_step as study

UNEVEN = padded_batch([([5, 6], [5, 6]), ([7], [7, 8, 9, 4, 5, 6, 7]), ([4, 4, 4], [9]), ([6], [6, 6])])


@pytest.fixture(scope="module")
def model():
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return Transformer(TransformerConfig.tiny(20, d_model=16, n_heads=2, d_ff=32, dropout=0.0)).double()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_by_tokens_it_is_the_gradient_of_the_whole_batch(model, size):
    parts = study.parts_of(model, UNEVEN, size)
    assert sum(part.tokens for part in parts) == UNEVEN.target_tokens == 16
    assert study.error(study.joined(parts), study.gradient_of(model, UNEVEN)) < 1e-12


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_mean_of_means_is_another(model, size):
    parts = study.parts_of(model, UNEVEN, size)
    assert study.error(study.joined(parts, by_tokens=False), study.gradient_of(model, UNEVEN)) > 0.03


def test_both_ways_agree_where_all_ranks_have_as_many_tokens(model):
    even = padded_batch([([5, 6], [5, 6]), ([7], [8, 9])])
    parts = study.parts_of(model, even, 2)
    assert study.error(study.joined(parts, by_tokens=False), study.joined(parts)) < 1e-12


def test_joining_by_hand():
    parts = [study.Part([torch.tensor([4.0])], 3), study.Part([torch.tensor([8.0])], 1)]
    assert study.joined(parts)[0].item() == 5 and study.joined(parts, by_tokens=False)[0].item() == 6


def test_an_error_is_a_share_of_the_length():
    found, wanted = [torch.tensor([3.0, 0.0]), torch.tensor([1.0])], [torch.tensor([3.0, 4.0]), torch.tensor([1.0])]
    assert study.error(found, wanted) == pytest.approx(4 / 26**0.5)


@pytest.mark.slow
def test_what_the_page_prints():
    assert all(len(batch.src) >= study.ROWS for batch in study.batches().values())
    table, numbers = study.rows(), study.numbers()
    assert len(table) == len(study.SIZES) * 2 and {len(row) for row in table} == {len(study.HEADER)}
    assert (numbers["n_drawn"], numbers["n_alike"]) == tuple(len(batch.src) for batch in study.batches().values())
    assert numbers["n_drawn"] == study.ROWS and numbers["rounding"] < 1e-12
    assert numbers["wrong_drawn"] > numbers["wrong_alike"] > 0.1
    model, batch = study.learner().model, study.batches()["of like length"]
    whole = torch.nn.utils.parameters_to_vector(study.gradient_of(model, batch)).norm()
    parts = (torch.nn.utils.parameters_to_vector(part.gradient).norm() for part in study.parts_of(model, batch, 4))
    lengths = sorted(float(part / whole) for part in parts)
    assert [numbers["longer_least"], numbers["longer_most"]] == pytest.approx([lengths[0], lengths[-1]])
    wrong = [float(row[-1].removesuffix(" %")) for row in table]
    assert wrong[1] > wrong[0] and wrong[3] > wrong[2]  # more ranks, more wrong
    assert [numbers[name] for name in ("wrong_drawn", "wrong_alike")] == pytest.approx(wrong[1::2], abs=0.06)
