"""Variances of dot products: enumerated, drawn, and in a model against the weights that it reports."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_book.analysis.score_variance import (
    HeadVariances,
    dot_product_variance,
    dot_products,
    fresh_head_variances,
    head_variance_rows,
    head_variances,
    sentence_ids,
    variance_with_error,
)
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

CHAPTERS = Path(__file__).parents[2] / "chapters"


def identity(d_k):
    return np.zeros(d_k), np.eye(d_k)


@pytest.mark.parametrize("d_k", [1, 2, 3, 5])
def test_signs_have_a_dot_product_of_variance_d_k_counted_over_all_cases(d_k):
    signs = list(itertools.product((-1, 1), repeat=d_k))
    dots = np.array([np.dot(q, k) for q in signs for k in signs])
    assert dots.var() == d_k == dot_product_variance(*identity(d_k), *identity(d_k))


def test_a_made_up_distribution_counted_over_all_cases():
    """Four equally likely vectors each, with means and correlations of all kinds."""
    random = np.random.default_rng(0)
    q, k = random.normal(1, 2, (4, 3)), random.normal(-1, 1, (4, 3))
    moments = [moment for x in (q, k) for moment in (x.mean(axis=0), np.cov(x.T, bias=True))]
    assert (q @ k.T).var() == pytest.approx(dot_product_variance(*moments), rel=1e-12)


@pytest.mark.parametrize("d_k", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("kind", ["normal", "uniform", "signs"])
def test_the_variance_of_drawn_dot_products_is_d_k_within_four_standard_errors(d_k, kind):
    random = np.random.default_rng([d_k, len(kind)])
    draw = {
        "normal": lambda: random.normal(size=(40_000, d_k)),
        "uniform": lambda: random.uniform(-math.sqrt(3), math.sqrt(3), (40_000, d_k)),
        "signs": lambda: random.choice([-1.0, 1.0], (40_000, d_k)),
    }[kind]
    variance, error = variance_with_error((draw() * draw()).sum(axis=1))
    assert abs(variance - d_k) < 4 * error
    assert error < 0.03 * d_k


def test_the_standard_error_is_the_spread_of_repeated_variances():
    """For exponential numbers the short formula v √(2/N) would be wrong by a factor of two."""
    random = np.random.default_rng(1)
    found = [variance_with_error(random.exponential(size=4000)) for _ in range(1000)]
    variances, errors = map(np.array, zip(*found, strict=True))
    assert variances.std() == pytest.approx(errors.mean(), rel=0.1)
    assert variances.std() == pytest.approx(math.sqrt(8 / 4000), rel=0.1)  # fourth moment 9, variance 1


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Transformer(TransformerConfig.tiny(30, n_layers=2, d_k=12)).eval()


def test_dot_products_are_those_behind_the_weights(model):
    src, tgt = torch.randint(3, 30, (1, 7)), torch.randint(3, 30, (1, 5))
    found = dot_products(model, src, tgt)
    weights = model.attention_weights(src, tgt)
    assert found["encoder_self"].shape == (2, 4, 7, 7) and found["cross"].shape == (2, 4, 5, 7)
    for name in found:
        torch.testing.assert_close((found[name] / math.sqrt(12)).softmax(-1), weights[name][:, 0])


def test_no_hook_is_left(model):
    dot_products(model, torch.tensor([[3, 4]]), torch.tensor([[1]]))
    assert not any(module._forward_hooks for module in model.modules())


def test_rotary_positions_are_refused():
    model = Transformer(TransformerConfig.tiny(30, positions="rotary")).eval()
    with pytest.raises(ValueError, match="rotary"):
        dot_products(model, torch.tensor([[3, 4]]), torch.tensor([[1]]))


@pytest.mark.parametrize(("d_model", "heads", "d_k"), [(512, 8, 64), (64, 2, 16), (64, 2, 256)])
def test_glorot_queries_and_keys_have_the_predicted_variance(d_model, heads, d_k):
    """Var(q · k) over the matrices, for rows of mean square 1, as LayerNorm makes them."""
    random = torch.Generator().manual_seed(d_k)
    x = torch.nn.functional.layer_norm(torch.randn(2, 1, d_model, generator=random), [d_model])
    drawn = []
    for _ in range(40):
        w_q, w_k = torch.empty(2, heads * d_k, d_model).unbind()
        for w in (w_q, w_k):
            torch.nn.init.xavier_uniform_(w, generator=random)
        q, k = ((x[i] @ w.T).view(heads, d_k) for i, w in enumerate((w_q, w_k)))
        drawn.append((q * k).sum(-1))
    variance, error = variance_with_error(torch.cat(drawn).double().numpy())
    assert abs(variance - d_k * (2 * d_model / (d_model + heads * d_k)) ** 2) < 4 * error


def test_a_head_of_64_in_a_model_of_512_divides_by_8():
    """The divisor, from the ratio of two weights: 8, where √d_model would be 22.6274."""
    torch.manual_seed(0)
    layer = MultiHeadAttention(512, 8).double()
    x = torch.randn(1, 2, 512, dtype=torch.float64)
    _, weights = layer(x, need_weights=True)
    q, k = (projection(x).view(2, 8, 64) for projection in (layer.w_q, layer.w_k))
    leads = torch.einsum("ihd,hd->hi", q, k[0] - k[1])
    divisors = leads / (weights[0, :, :, 0] / weights[0, :, :, 1]).log()
    torch.testing.assert_close(divisors, torch.full((8, 2), 8.0, dtype=torch.float64))
    assert round(math.sqrt(512), 4) == 22.6274


def test_sentences_end_in_the_source_and_begin_in_the_target(model):
    config = model.config
    ((src, tgt),) = sentence_ids(lambda text: [ord(letter) - ord("a") + 3 for letter in text], config, [("ab", "cde")])
    assert src.tolist() == [[3, 4, config.eos_id]] and tgt.tolist() == [[config.bos_id, 5, 6, 7]]


def test_head_variances_are_those_of_all_scores_and_of_rows(model):
    pairs = [(torch.randint(3, 30, (1, n)), torch.randint(3, 30, (1, m))) for n, m in ((7, 5), (4, 3))]
    found = head_variances(model, pairs)
    drawn = [dot_products(model, *pair)["cross"] for pair in pairs]
    head = [it[1, 2].numpy() for it in drawn]  # the third head of the second of two layers with four heads
    overall = np.concatenate([it.ravel() for it in head]).var(ddof=1)
    rows = [row.var(ddof=1) for it in head for row in it]
    assert found["cross"].overall[6] == pytest.approx(overall / 12, rel=1e-5)
    assert found["cross"].within_row[6] == pytest.approx(np.mean(rows) / 12, rel=1e-5)
    assert len(rows) == 8 and found["encoder_self"].overall.shape == (8,)


def test_fresh_heads_of_all_seeds_stand_side_by_side(model):
    pairs = [(torch.tensor([[3, 4, 5]]), torch.tensor([[1, 6]]))]
    before = torch.get_rng_state()
    found = fresh_head_variances(model.config, pairs, (4, 0))
    assert torch.equal(torch.get_rng_state(), before)
    assert found["cross"].overall.shape == found["cross"].within_row.shape == (16,)
    np.testing.assert_allclose(found["cross"].overall[8:], head_variances(model, pairs)["cross"].overall, rtol=1e-5)


@pytest.mark.slow
def test_before_training_rows_vary_less_than_all_products_and_afterwards_as_much_in_the_cross_attention(translator):
    encode, config = translator.subwords.encode, translator.model.config
    thirty = json.loads((CHAPTERS / "before" / "thirty-sentences.json").read_text(encoding="utf-8"))
    texts = [(one["english"], one["spanish"]) for one in thirty]
    pairs = sentence_ids(encode, config, texts)
    fresh, trained = fresh_head_variances(config, pairs, range(2)), head_variances(translator.model, pairs)
    assert all((found.within_row < found.overall).all() for found in fresh.values())
    assert np.mean(fresh["cross"].within_row / fresh["cross"].overall) < 0.7
    assert 0.95 < np.mean(trained["cross"].within_row / trained["cross"].overall) < 1.05


def test_a_row_of_the_table_by_hand():
    made_up = HeadVariances(np.array([1.0, 4.0, 2.0]), np.array([0.5, 0.25, 0.125]))
    rows = head_variance_rows({"fresh": {"encoder_self": made_up, "cross": made_up}})
    cells = ("fresh", "1.00 to 4.00", "2.00", "0.12 to 0.50")
    assert rows == [("encoder", *cells), ("decoder to encoder", *cells)]
