"""The checks of the page on training without the root: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.probability import softmax_jacobian
from attention_book.checks.attention import does_it_matter as checks
from attention_book.experiments.attention import with_and_without_the_root as experiment
from attention_book.experiments.attention.with_and_without_the_root import multiply_queries
from attention_book.models.config import TransformerConfig

from ..diagnosis import diagnosis

RIGHT = {"divided": 16, "undivided": 4096, "glorot_divided": 0.79, "glorot_undivided": 202.3}


def test_starts_pass():
    assert checks.check_starts(RIGHT)
    assert checks.check_starts(RIGHT | {"glorot_divided": Fraction(64, 81), "glorot_undivided": torch.tensor(202)})


@pytest.mark.parametrize(("arm", "right"), sorted((RIGHT | {"folded": 16}).items()))
def test_the_models_of_the_experiment_begin_as_the_check_says(arm, right):
    """Measured in first layers of drawn models, on rows of mean square 4."""
    x, y = 2 * torch.nn.functional.layer_norm(torch.randn(2, 500, 64, generator=torch.Generator().manual_seed(1)), [64])
    found = []
    for seed in range(4):
        model = experiment.model_for(
            arm, 256, TransformerConfig.tiny(20, d_k=256, **experiment.CONFIGURATION["model"]), seed
        )
        for attention in experiment.attentions(model):
            q, k = (w(a).view(500, 2, 256) for w, a in ((attention.w_q, x), (attention.w_k, y)))
            found.append(((q * k).sum(-1) / math.sqrt(256)).var().item())
    assert sum(found) / len(found) == pytest.approx(right, rel=0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"undivided": 64}, "`undivided`: 64 is the standard deviation"),
        ({"divided": 1}, "`divided`: 1 is for rows of mean square 1"),
        ({"undivided": 256}, "for rows of mean square 1"),
        ({"glorot_undivided": 12.64}, "for rows of mean square 1"),
        ({"undivided": 1024}, "`undivided`: not 1024"),
        ({"glorot_divided": 0.8889}, "or one of two equal factors"),
        ({"glorot_divided": 2.56}, "side by side and are drawn as one"),
        ({"glorot_undivided": 655.36}, "side by side and are drawn as one"),
        ({"divided": 0}, "`divided`: not 0"),
        ({"divided": ...}, "still open"),
        ({"other": 1}, "a number for each of divided"),
    ],
)
def test_starts_name_the_fault(change, message):
    assert message in diagnosis(checks.check_starts(RIGHT | change))


def scaled(power, names=("w_q",), bias=True):
    def change(attention):
        with torch.no_grad():
            for name in names:
                layer = getattr(attention, name)
                layer.weight *= attention.d_k**power
                if bias:
                    layer.bias *= attention.d_k**power
        return attention

    return change


def by_hook(attention):
    multiply_queries(attention)
    return attention


def only_with_weights(attention):
    before = attention.forward

    def forward(x, need_weights=False):
        if not need_weights:
            return before(x)
        copied = scaled(0.5)(attention)
        found = before(x, need_weights=True)
        scaled(-0.5)(copied)
        return found

    attention.forward = forward
    return attention


def test_undo_passes():
    assert checks.check_undo(by_hook)
    assert checks.check_undo(scaled(0.5))
    assert checks.check_undo(scaled(0.5, ("w_k",)))
    assert checks.check_undo(scaled(0.25, ("w_q", "w_k")))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (checks.undo_by_weight, "The bias was forgotten"),
        (lambda attention: attention, "Nothing has changed"),
        (scaled(1), "√d_k times too large"),
        (scaled(0.5, ("w_q", "w_k")), "√d_k times too large"),
        (scaled(-0.5), "divided once more"),
        (scaled(0.5, ("w_q", "w_v")), "values and W^O should stay"),
        (scaled(2), "not softmax(q · k)"),
        (only_with_weights, "the fused path"),
        (lambda attention: attention.w_q, "Expected a MultiHeadAttention back, got Linear"),
        (lambda attention: None, "Is the `return` missing?"),
    ],
)
def test_undo_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_undo(wrong))


def share(weights, mask):
    allowed = mask.sum(-1)
    entropy = torch.special.entr(weights).sum(-1)[:, allowed > 1]
    return (entropy / allowed[allowed > 1].log()).mean()


def test_mean_normalised_entropy_passes():
    assert checks.check_mean_normalised_entropy(share)
    assert checks.check_mean_normalised_entropy(lambda weights, mask: share(weights, mask).item())
    assert checks.check_mean_normalised_entropy(by_loops)
    assert checks.check_mean_normalised_entropy(by_numpy)


def by_loops(weights, mask):
    shares = []
    for head in weights:
        for row, allowed in zip(head, mask, strict=True):
            if (n := int(allowed.sum())) > 1:
                shares.append(sum(-float(w) * math.log(w) for w in row if w > 0) / math.log(n))
    return sum(shares) / len(shares)


def by_numpy(weights, mask):
    p, n = weights.numpy(), mask.numpy().sum(-1)
    entropy = -(p * np.log(np.where(p > 0, p, 1))).sum(-1)
    return (entropy[:, n > 1] / np.log(n[n > 1])).mean()


def by_living_weights(weights, mask):
    n = (weights > 0).sum(-1)
    return (torch.special.entr(weights).sum(-1)[n > 1] / n[n > 1].log()).mean()


def by_place(weights, mask):
    """As if every mask were causal: the mask is not read."""
    n = torch.arange(1, weights.shape[-1] + 1)
    return (torch.special.entr(weights).sum(-1)[:, 1:] / n[1:].log()).mean()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda w, m: (-(w * w.log()).sum(-1)).mean(), "0 · log 0"),
        (lambda w, m: (torch.special.entr(w).sum(-1) / m.sum(-1).log()).mean(), "0 / 0"),
        (lambda w, m: torch.special.entr(w).sum(-1).mean() / math.log(len(m)), "allows in the row; a row with one key"),
        (lambda w, m: torch.special.entr(w).sum(-1)[:, 1:].mean() / math.log(len(m)), "not of how many there are"),
        (by_living_weights, "It counts the weights above 0"),
        (by_place, "It takes row i to have i + 1 keys"),
        (lambda w, m: share(w, m) / math.log(2), "in bits and the most in nats"),
        (lambda w, m: share(w, m) * (len(m) - 1) / len(m), "do not count it as 0"),
        (lambda w, m: (share(w, m) * (len(m) - 1) + 1) / len(m), "do not count it as 1"),
        (lambda w, m: 1 - share(w, m), "how decided the rows are"),
        (lambda w, m: torch.special.entr(w).sum(-1).mean(), "Those are nats"),
        (lambda w, m: torch.special.entr(w).sum() / (len(w) * m.sum(-1).log().sum()), "the share of each row first"),
        (lambda w, m: 0.5, "it gives 0.5000 and not"),
        (lambda w, m: w, "one number"),
    ],
)
def test_mean_normalised_entropy_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_mean_normalised_entropy(wrong))


def test_unfair_passes():
    assert checks.check_unfair({2, 4, 6})
    assert checks.check_unfair([6, 4, 2])


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({1, 2}, "Line 1 is as it should be"),
        ({2, 3, 4, 6}, "Line 3 is as it should be"),
        ({5}, "Line 5 is as it should be"),
        ({2}, "2 more. Is every run counted"),
        ({4, 6}, "1 more. Was everything that was chosen chosen for both"),
        ({2, 4}, "1 more. Does a number that is compared"),
        (set(), "3 more"),
        ({2.5, 4}, "There is no line 2.5"),
        ([[2], [4]], "Give a set of numbers"),
        ({0, 2}, "There is no line 0"),
        ("246", "Give a set of numbers"),
        (..., "Give a set of numbers"),
    ],
)
def test_unfair_names_the_fault(chosen, message):
    assert message in diagnosis(checks.check_unfair(chosen))


def test_flat_passes():
    assert checks.check_flat(d_model=64, n_heads=16, d_k=256)
    assert checks.check_flat(16, 1, 1024)
    assert checks.check_flat(np.int64(2), 1, 100)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((512, 8, 64), "Predicted 1,"),
        ((64, 2, 256), "not below 0.01"),
        ((4096, 64, 64), "more than 8 million"),
        ((1, 1, 64), "A row with one number"),
        ((1, 16, 256), "A row with one number"),
        (("64", 2, 256), "`d_model` should be a whole number"),
        ((64, True, 256), "`n_heads` should be"),
        ((0, 2, 256), "`d_model` should be a whole number"),
        ((64, 2.0, 256), "`n_heads` should be"),
        ((64, 2, ...), "`d_k` should be"),
    ],
)
def test_flat_names_the_fault(sizes, message):
    assert message in diagnosis(checks.check_flat(*sizes))


THREE = {"norm": 2**0.5 / 3, "sd": 2**0.5 / 36, "median": 0, "dead": 135}


def test_three_of_twelve_passes_and_is_what_the_matrix_says():
    assert checks.check_three_of_twelve(THREE)
    assert checks.check_three_of_twelve({"norm": 0.471, "sd": 0.0393, "median": 0.0, "dead": 135})
    j = softmax_jacobian(np.array([0.0] * 3 + [-800.0] * 9))
    found = {"norm": np.linalg.norm(j), "sd": j.std(), "median": np.median(j), "dead": (abs(j) < 1e-6).sum()}
    assert found == pytest.approx(THREE)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"norm": 2 / 9}, "That is its square"),
        ({"norm": 12**0.5 / 9}, "the diagonal alone"),
        ({"norm": 0.5}, "`norm` is not 0.5. That is the norm for two keys."),
        ({"norm": 1.0}, "`norm` is not 1."),
        ({"sd": 2**0.5 / 9}, "A zero is an entry, too"),
        ({"sd": 2**0.5 / 432}, "The root of the number of entries"),
        ({"sd": 0}, "0 is the mean"),
        ({"median": 1 / 108}, "the mean size"),
        ({"median": -1 / 9}, "the middle one of nine"),
        ({"dead": 9}, "that are alive"),
        ({"dead": 93.75}, "share in per cent"),
        ({"dead": 81}, "if one of its two keys"),
        ({"sd": ...}, "open"),
        ({"norm": "x"}, "number"),
        ({"range": 1}, "norm"),
    ],
)
def test_three_of_twelve_names_the_slip(change, told):
    assert told in diagnosis(checks.check_three_of_twelve(THREE | change))
