"""Runs and positions of a decoder, against what they are by hand."""

import pytest
import torch

from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.attention.decoder_work import counted
from attention_book.translation.forced_decoding import cached_steps, one_pass, prefix_passes


@pytest.fixture(scope="module")
def model():
    return Transformer(TransformerConfig.tiny(max_len=301, n_layers=1)).eval()


def test_three_words_by_hand(model):
    assert counted(model, prefix_passes, 3) == (4, 1 + 2 + 3 + 4)


@pytest.mark.parametrize("n", [3, 300])
def test_a_cache_saves_the_work_of_the_prefixes_and_not_the_runs(model, n):
    runs = n + 1
    assert counted(model, cached_steps, n) == (runs, runs)
    assert counted(model, one_pass, n) == (1, runs)


def test_a_batch_takes_as_many_runs(model):
    assert counted(model, cached_steps, 30, rows=16) == (31, 31)


def test_the_model_is_left_without_a_hook(model):
    def fails(*args):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        counted(model, fails, 3)
    assert not model.decoder._forward_hooks and torch.is_grad_enabled()
