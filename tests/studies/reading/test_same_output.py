"""Changes of a row that no output shows: as many as linear algebra says, and none of them in the output."""

import pytest
import torch

from attention_book.studies.reading.same_output import changed_row, hidden_changes, two_rows, values_of_last_head
from attention_book.translation.translator import Translator


def drawn(n, d_v, seed=0):
    return torch.randn(n, d_v, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(
    ("values", "number"),
    [
        (torch.tensor([[6.0], [9.0], [12.0]]), 1),
        (torch.ones(4, 3), 3),  # equal values hide every change that keeps the sum
        (drawn(5, 2), 2),
        (drawn(5, 4), 0),
        (drawn(4, 64), 0),
        (drawn(70, 64), 5),
        (torch.cat([drawn(4, 6), drawn(4, 6)]), 4),  # every value twice
        (torch.zeros(3, 2), 2),
        (torch.tensor([[5.0]]), 0),
    ],
)
def test_there_are_as_many_as_keys_beyond_the_rank(values, number):
    found = hidden_changes(values)
    assert found.shape == (number, len(values))
    beside = torch.cat([values, torch.ones(len(values), 1)], dim=1)
    assert number == len(values) - torch.linalg.matrix_rank(beside)
    assert torch.allclose(found @ values.double(), torch.zeros(number, values.shape[1]).double(), atol=1e-9)
    assert torch.allclose(found.sum(dim=1), torch.zeros(number).double(), atol=1e-9)
    assert torch.allclose(found @ found.T, torch.eye(number).double(), atol=1e-9)


def test_the_change_by_hand_is_the_one_of_three_values_in_a_line():
    (change,) = hidden_changes(torch.tensor([[6.0], [9.0], [12.0]]))
    assert torch.allclose(change / change[0], torch.tensor([1.0, -2.0, 1.0]).double())


def test_the_two_rows_by_hand_differ_by_a_hidden_change():
    one, other = two_rows()
    assert one.output == other.output == 9 and one.weights != other.weights
    moved = torch.tensor(other.weights).double() - torch.tensor(one.weights).double()
    values = torch.tensor(one.values).double()[:, None]
    assert one.values == other.values and abs(moved.sum()) < 1e-6 and (moved @ values).abs().max() < 1e-6
    (change,) = hidden_changes(values)
    assert torch.allclose(moved, (moved @ change) * change, atol=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_moved_row_is_a_row_with_the_same_output(share):
    values = drawn(6, 3, seed=2)
    weights = torch.softmax(drawn(1, 6, seed=3)[0], dim=0)
    moved, output = changed_row(weights, values, share)
    assert torch.allclose(output, weights @ values) and moved.sum() == pytest.approx(1)
    assert moved.min() > -1e-12 and (moved.min() < 1e-9) == (share == 1)
    assert torch.equal(moved, weights) == (share == 0)


def test_without_a_hidden_change_there_is_no_other_row():
    with pytest.raises(ValueError, match="hide no change"):
        changed_row(torch.ones(3) / 3, drawn(3, 2), 0.5)


def test_a_short_sentence_hides_nothing_from_a_wide_head():
    translator = Translator.from_pretrained("en-es")
    values = values_of_last_head(translator, "I like cats.")
    config = translator.model.config
    assert values.shape == (len(translator.subwords.encode("I like cats.")) + 1, config.d_model // config.n_heads)
    assert len(hidden_changes(values)) == 0
