"""Profiles of heads: against sums written out, on weights whose answer is known, and on laws."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracles import close, normal

from attention_book.analysis.head_profiles import Profile, normalised_entropy, profile, row_statistics
from attention_book.attention.masks import causal_mask
from attention_book.attention.probability import softmax


def weights_of(heads, q_len, k_len, seed=0, allowed=None):
    scores = normal(heads, q_len, k_len, seed=seed)
    return softmax(scores if allowed is None else scores.masked_fill(~allowed, -math.inf))


def naive(weights, allowed):
    """One number at a time, in plain Python."""
    rows = []
    for i, row in enumerate(weights.tolist()):
        seen = [j for j in range(len(row)) if allowed[i][j]]
        entropy = -sum(row[j] * math.log(row[j]) for j in seen if row[j] > 0)
        mean = sum(row[j] * (j - i) for j in seen)
        variance = sum(row[j] * (j - i - mean) ** 2 for j in seen)
        at = lambda j, row=row: row[j] if 0 <= j < len(row) else 0.0  # noqa: E731
        rows.append(
            Profile(
                entropy / math.log(len(seen)) if len(seen) > 1 else math.nan,
                mean, math.sqrt(variance), at(i - 1), at(i), at(i + 1), row[0], row[-1], 1 / len(seen),
            )
        )  # fmt: skip
    return Profile(*(torch.tensor(field, dtype=torch.float64) for field in zip(*rows, strict=True)))


@pytest.mark.parametrize(("q_len", "k_len"), [(5, 5), (3, 6), (6, 3), (1, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_rows_are_the_sums_written_out(q_len, k_len, causal):
    if causal and q_len != k_len:
        q_len = k_len
    allowed = causal_mask(q_len) if causal else torch.ones(q_len, k_len, dtype=torch.bool)
    weights = weights_of(2, q_len, k_len, allowed=allowed)
    found = row_statistics(weights, allowed if causal else None)
    for head in range(2):
        for name, wanted in naive(weights[head], allowed.tolist())._asdict().items():
            torch.testing.assert_close(getattr(found, name)[head], wanted, rtol=0, atol=1e-12, equal_nan=True)


def test_one_row_by_pencil():
    row = torch.tensor([[0, 0, 0, 1.0], [0.5, 0.25, 0.25, 0]], dtype=torch.float64)[None]
    seen = row_statistics(row)
    found = [float(getattr(seen, name)[0, 1]) for name in ("entropy", "offset", "spread", "before")]
    assert found == pytest.approx([0.75, -0.25, math.sqrt(11 / 16), 0.5])


def test_heads_whose_profile_is_known():
    n = 6
    before = torch.eye(n, dtype=torch.float64).roll(-1, dims=1)  # row i looks at i − 1; row 0 at the last
    before[0] = torch.eye(n, dtype=torch.float64)[0]
    even = torch.full((n, n), 1 / n, dtype=torch.float64)
    end = torch.zeros(n, n, dtype=torch.float64)
    end[:, -1] = 1
    found = profile([torch.stack([before, even, end])])
    close(found.entropy, torch.tensor([0.0, 1, 0], dtype=torch.float64))
    close(found.before, torch.tensor([5 / 6, 5 / 36, 1 / 6], dtype=torch.float64) * torch.tensor([1, 1, 0]))
    close(found.last, torch.tensor([0, 1 / 6, 1], dtype=torch.float64))
    close(found.offset, torch.tensor([-5 / 6, 0, 2.5], dtype=torch.float64))
    close(found.spread, torch.tensor([0, math.sqrt(35 / 12), 0], dtype=torch.float64))
    close(found.even, torch.full((3,), 1 / 6, dtype=torch.float64))


@given(seed=st.integers(0, 1000), n=st.integers(2, 8))
def test_entropy_lies_between_0_and_1_and_forgets_the_number_of_keys(seed, n):
    weights = weights_of(1, 4, n, seed)
    found = normalised_entropy(weights)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    twice = torch.cat([weights, torch.zeros_like(weights)], dim=-1)
    allowed = (torch.arange(2 * n) < n).expand(4, -1)
    close(normalised_entropy(twice, allowed), found)


def test_rows_without_a_choice_do_not_count_and_every_row_counts_alike():
    short, long = torch.ones(1, 1, 1, dtype=torch.float64), weights_of(1, 4, 4, allowed=causal_mask(4))
    both = profile([short, long], causal=True)
    rows = [row_statistics(w, causal_mask(w.shape[-1])) for w in (short, long)]
    close(both.entropy[0], rows[1].entropy[0, 1:].mean())
    close(both.itself[0], (1 + rows[1].itself[0].sum()) / 5)
    assert profile([short]).entropy.isnan().all()
    with pytest.raises(ValueError, match="at least one sentence"):
        profile([])
