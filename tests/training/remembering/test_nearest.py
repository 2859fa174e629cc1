"""The nearest vectors of other owners: exact where all lists are looked into, and mostly right where few are."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from attention_book.training.remembering.nearest import nearest, squared_distances


def vectors(count, width, seed=0):
    return torch.randn(count, width, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 60), st.integers(1, 5), st.integers(1, 12), st.integers(1, 8), st.integers(0, 99))
def test_with_all_lists_it_finds_what_a_tree_finds(count, width, lists, k, seed):
    keys, owners = vectors(count, width, seed), torch.arange(count) // 2
    apart, near = nearest(keys, owners, k, lists=lists, probes=lists, seed=seed)
    for row in range(count):
        others = np.flatnonzero(owners.numpy() != int(owners[row]))
        want, which = cKDTree(keys[others].numpy()).query(keys[row].numpy(), k=list(range(1, k + 1)))
        there = np.isfinite(want)
        np.testing.assert_allclose(apart[row].numpy()[there], want[there] ** 2, rtol=1e-9, atol=1e-12)
        assert near[row].numpy()[there].tolist() == others[which[there]].tolist()
        assert (
            apart[row].isinf().numpy().tolist() == (~there).tolist() and not near[row][~torch.from_numpy(there)].any()
        )


def test_nothing_is_found_in_a_list_that_is_not_looked_into():
    """Two far groups around two centres: with one probe, a vector that is alone in its group finds nobody."""
    keys = torch.tensor([[0.0], [100.0], [100.5]], dtype=torch.float64)
    for seed in range(20):
        drawn = torch.randperm(3, generator=torch.Generator().manual_seed(seed))[:2]
        if 0 not in drawn:
            continue
        apart, _ = nearest(keys, torch.arange(3), 1, lists=2, probes=1, seed=seed)
        assert apart[:, 0].tolist() == [torch.inf, 0.25, 0.25]


def test_few_lists_find_most_of_it_and_more_lists_more():
    keys, owners = vectors(3000, 12, 4), torch.arange(3000)
    exact = nearest(keys, owners, 10, lists=1, probes=1)[1]
    found = [nearest(keys, owners, 10, lists=60, probes=probes)[1] for probes in (2, 12)]
    shares = [(one[:, :, None] == exact[:, None]).any(2).double().mean() for one in found]
    assert 0.1 < shares[0] < shares[1] < 1 and shares[1] > 0.7


def test_chunks_change_nothing(monkeypatch):
    keys, owners = vectors(200, 4), torch.arange(200) % 50
    whole = nearest(keys, owners, 5, lists=8, probes=3)
    monkeypatch.setattr("attention_book.training.remembering.nearest.CHUNK", 40)
    parts = nearest(keys, owners, 5, lists=8, probes=3)
    torch.testing.assert_close(parts[0], whole[0], rtol=1e-12, atol=1e-12)
    assert torch.equal(parts[1], whole[1])


def test_every_look_is_told():
    looks = []
    nearest(vectors(50, 3), torch.arange(50), 2, lists=7, probes=3, advance=looks.append)
    assert sum(looks) == 150


def test_nobody_has_no_neighbour():
    apart, near = nearest(torch.empty(0, 3), torch.empty(0, dtype=torch.int64), 2)
    assert apart.shape == near.shape == (0, 2)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": 1, "lists": 0}, {"k": 1, "probes": 0}])
def test_numbers_below_one_are_refused(wrong):
    with pytest.raises(ValueError, match="must be at least 1"):
        nearest(vectors(4, 2), torch.arange(4), **wrong)


def test_every_vector_needs_an_owner():
    with pytest.raises(ValueError, match="4 vectors need as many owners"):
        nearest(vectors(4, 2), torch.arange(3), 1)


def test_squared_distances_are_those_of_torch_and_never_negative():
    one, other = vectors(5, 3), vectors(7, 3, seed=1)
    torch.testing.assert_close(squared_distances(one, other), torch.cdist(one, other).square())
    far = torch.full((2, 3), 1e4)
    assert (squared_distances(far, far) >= 0).all()
