"""Fresh matrices: their dot products have the variances that their initialisations promise."""

import pytest
import torch

from attention_book.studies.attention.initial_scores import HEADER, InitialVariance, glorot_blocks, initial_variances


@pytest.fixture(scope="module")
def starts():
    return initial_variances()


def test_every_start_has_the_predicted_variance_within_a_tenth(starts):
    for it in starts:
        assert it.measured == pytest.approx(it.predicted, rel=0.1), it.drawn


def test_predictions_by_hand(starts):
    """2/(rows + columns) times 512: with 512, with 64 and with 3 · 512 columns; torch.nn.Linear draws 1/(3 · 512)."""
    assert [it.component for it in starts] == pytest.approx([1, 1, 1024 / 576, 1024 / 2048, 1 / 3, 25])
    assert starts[5].predicted == 625


def test_a_row_by_hand():
    row = InitialVariance("made up", 1.5, 2.333).row
    assert row == ("made up", "1.50", "2.25", "2.33") and len(HEADER) == len(row)


def test_blocks_have_the_variance_of_their_own_shape():
    torch.manual_seed(0)
    assert glorot_blocks(256, 256).var() == pytest.approx(2 / 512, rel=0.02)
    assert glorot_blocks(256, 32).var() == pytest.approx(2 / 288, rel=0.02)
    assert glorot_blocks(256, 32).shape == (256, 256)
    with pytest.raises(ValueError, match="do not fill"):
        glorot_blocks(256, 100)


def test_torchs_random_numbers_are_left_alone():
    torch.manual_seed(5)
    expected = torch.randn(3)
    torch.manual_seed(5)
    initial_variances(64, 4, 10)
    torch.testing.assert_close(torch.randn(3), expected)
