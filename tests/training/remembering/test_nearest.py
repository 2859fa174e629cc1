"""The nearest vectors of other owners: exact where all lists are looked into, and mostly right where few are."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from attention_book.training.remembering.nearest import Neighbourhoods, squared_distances


def nearest(keys, owners, k, lists=2048, probes=24, seed=0, **told):
    """For each vector the nearest that another owner has."""
    return Neighbourhoods(keys, lists, seed).nearest(keys, k, probes, owners, owners, **told)


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


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 5), st.integers(0, 99))
def test_queries_need_not_be_keys_and_need_no_owner(count, lists, k, seed):
    keys, queries = vectors(count, 3, seed), vectors(6, 3, seed + 1)
    apart, near = Neighbourhoods(keys, lists, seed).nearest(queries, k, probes=lists)
    want, which = cKDTree(keys.numpy()).query(queries.numpy(), k=list(range(1, k + 1)))
    there = np.isfinite(want)
    np.testing.assert_allclose(apart.numpy()[there], want[there] ** 2, rtol=1e-9, atol=1e-12)
    assert near.numpy()[there].tolist() == which[there].tolist()
    assert (apart.isinf().numpy() == ~there).all()


def test_nobody_has_no_neighbour_and_finds_none():
    nobody = torch.empty(0, 3)
    apart, near = Neighbourhoods(nobody).nearest(torch.ones(2, 3), 2)
    assert apart.isinf().all() and near.tolist() == [[0, 0], [0, 0]]
    apart, near = Neighbourhoods(torch.ones(4, 3)).nearest(nobody, 2)
    assert apart.shape == near.shape == (0, 2)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": 1, "probes": 0}])
def test_numbers_below_one_are_refused(wrong):
    with pytest.raises(ValueError, match="k and probes must be at least 1"):
        Neighbourhoods(vectors(4, 2)).nearest(vectors(4, 2), **wrong)
    with pytest.raises(ValueError, match="at least 1 list"):
        Neighbourhoods(vectors(4, 2), lists=0)


def test_owners_and_askers_belong_together():
    keys, four, three = vectors(4, 2), torch.arange(4), torch.arange(3)
    with pytest.raises(ValueError, match="4 vectors need as many owners, got 3"):
        Neighbourhoods(keys).nearest(keys, 1, owners=three, askers=four)
    with pytest.raises(ValueError, match="4 vectors need as many owners, got 3"):
        Neighbourhoods(keys).nearest(keys, 1, owners=four, askers=three)
    with pytest.raises(ValueError, match="together or not at all"):
        Neighbourhoods(keys).nearest(keys, 1, owners=four)


def test_squared_distances_are_those_of_torch_and_never_negative():
    one, other = vectors(5, 3), vectors(7, 3, seed=1)
    torch.testing.assert_close(squared_distances(one, other), torch.cdist(one, other).square())
    far = torch.full((2, 3), 1e4)
    assert (squared_distances(far, far) >= 0).all()
