"""Rounding by rows, by matrix and to a type, against the quantisation of the book and by hand."""

import pytest
import torch
from translation.fast.models import random_model

from attention_book.data import corpora
from attention_book.experiments.translator import rounded_weights as experiment
from attention_book.models.quantisation import dequantise, quantise


def test_eight_bits_by_rows_are_those_of_the_book():
    torch.manual_seed(0)
    matrix = torch.randn(5, 7) * torch.tensor([0.001, 1, 10, 0, 100])[:, None]
    assert torch.allclose(experiment.rounded(matrix, 8, True), dequantise(quantise(matrix)), rtol=1e-6)


def test_one_scale_and_few_bits_by_hand():
    matrix = torch.tensor([[0.5, -1.27, 0.333], [12.7, 0, 6.4]])
    whole = torch.tensor([[0.5, -1.3, 0.3], [12.7, 0, 6.4]])
    assert torch.allclose(experiment.rounded(matrix, 8, False), whole)
    four = torch.tensor([[3, -7, 2.0], [7, 0, 4]]) * torch.tensor([[1.27], [12.7]]) / 7
    assert torch.allclose(experiment.rounded(matrix, 4, True), four)
    assert not experiment.rounded(torch.zeros(2, 2), 4, True).any()


@pytest.mark.parametrize("how", ["bfloat16", [8, True]])
def test_a_rounded_model_is_a_copy_whose_matrices_are_rounded(how):
    model = random_model()
    before = [p.detach().clone() for p in model.parameters()]
    after = experiment.with_rounded_weights(model, how)
    assert all(torch.equal(p, old) for p, old in zip(model.parameters(), before, strict=True))
    assert after.output.weight is after.src_embedding.weight
    for new, old in zip(after.parameters(), before, strict=True):
        if how == "bfloat16":
            assert torch.equal(new, old.bfloat16().float())
        else:
            assert torch.equal(new, experiment.rounded(old, 8, True) if old.dim() == 2 else old)


@pytest.mark.slow
@pytest.mark.corpora
def test_a_run_compares_with_the_first_kind():
    corpora.load("tatoeba-en-es")
    small = {"sentences": 20, "beam_size": 1, "bootstrap": 10,
             "kept": {"float32": ["float32", "float32"], "int2": [[2, False], "float32"]}}  # fmt: skip
    found = experiment.run_seed(0, experiment.CONFIGURATION | small)
    kept = found["kept"]
    assert found["sentences"] == 20 and kept["float32"]["equal"] == 1 and kept["float32"]["error"] == 0
    assert (
        kept["int2"]["equal"] < 0.5 and kept["int2"]["error"] > 0.5 and kept["int2"]["bleu"] < kept["float32"]["bleu"]
    )
    assert "bleu_p" in kept["int2"] and "bleu_p" not in kept["float32"]
