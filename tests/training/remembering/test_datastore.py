"""The memory of a translator: one state and one token for each target token, whatever the batches are."""

import pytest
import torch

from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.remembering.datastore import datastore_of

PAIRS = [([5, 6, 7], [8, 9]), ([5], []), ([10, 11, 12, 13, 14], [15, 16, 17, 18])]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Transformer(TransformerConfig.tiny(20)).double().eval()


def test_a_token_and_its_pair_stand_beside_each_state(model):
    store = datastore_of(model, PAIRS)
    assert store.values.tolist() == [8, 9, 2, 2, 15, 16, 17, 18, 2]
    assert store.owners.tolist() == [0, 0, 0, 1, 2, 2, 2, 2, 2]
    assert store.starts.tolist() == [0, 3, 4] and store.keys.shape == (9, model.config.d_model)


@pytest.mark.parametrize("size", [1, 12, 1000])
def test_the_output_layer_makes_the_model_s_own_scores_of_a_state(model, size):
    store = datastore_of(model, PAIRS, tokens_per_batch=size)
    for (source, target), start in zip(PAIRS, store.starts.tolist(), strict=True):
        with torch.no_grad():
            want = model(torch.tensor([[*source, 2]]), torch.tensor([[1, *target]]))[0]
        found = store.keys[start : start + len(target) + 1] @ model.output.weight.detach().T
        torch.testing.assert_close(found, want, rtol=1e-9, atol=1e-9)
