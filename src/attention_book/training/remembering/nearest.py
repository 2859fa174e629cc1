"""The nearest of many vectors to each of them, found by looking in a few neighbourhoods instead of everywhere.

The vectors are put into lists, each around a centre; a query is compared with those lists whose centres are nearest
(an inverted file: Jégou et al. 2011, §IV). With as many probes as lists, the search is exact.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int64
from torch import Tensor

CHUNK = 2**26
"""Distances that are computed at once."""


def squared_distances(
    one: Float[Tensor, "m d"], other: Float[Tensor, "n d"], squares: Float[Tensor, " n"] | None = None
) -> Float[Tensor, "m n"]:
    r"""Squared Euclidean distances, :math:`\lVert a\rVert^2 - 2\,a \cdot b + \lVert b\rVert^2`, none below 0.

    Args:
        one, other: rows of vectors.
        squares: the squared lengths of ``other``, if they are known.
    """
    squares = other.square().sum(1) if squares is None else squares
    found = torch.addmm(squares[None] + one.square().sum(1, keepdim=True), one, other.T, alpha=-2)
    return found.clamp_(min=0)


@torch.no_grad()
def nearest(
    keys: Float[Tensor, "n d"],
    owners: Int64[Tensor, " owners"],
    k: int,
    lists: int = 2048,
    probes: int = 24,
    seed: int = 0,
    advance: Callable[[int], None] = lambda count: None,
) -> tuple[Float[Tensor, "n k"], Int64[Tensor, "n k"]]:
    """For each vector the ``k`` nearest that another owner has, the nearest first.

    Args:
        keys: the vectors.
        owners: whose each is; vectors of the same owner are never found for each other.
        k: how many are wanted.
        lists: how many neighbourhoods; their centres are drawn from the vectors.
        probes: how many lists each vector looks into.
        seed: of that draw.
        advance: told how many comparisons of a vector with a list have been made since the last call.

    Returns:
        Squared distances and indices. Where fewer than k are found, the rest have an infinite distance and index 0.

    Raises:
        ValueError: if k, lists or probes is below 1, or the owners do not match the keys.
    """
    if min(k, lists, probes) < 1:
        raise ValueError(f"k, lists and probes must be at least 1, got {k}, {lists} and {probes}")
    if owners.shape != keys.shape[:1]:
        raise ValueError(f"{len(keys)} vectors need as many owners, got {tuple(owners.shape)}")
    count, device = len(keys), keys.device
    found = keys.new_full((count, k), torch.inf), torch.zeros(count, k, dtype=torch.int64, device=device)
    lists, squares = min(lists, count), keys.square().sum(1)
    if not lists:
        return found
    drawn = torch.randperm(count, generator=torch.Generator().manual_seed(seed))[:lists].to(device)
    probed = _nearest_centres(keys, keys[drawn], min(probes, lists))
    members, visitors = _grouped(probed[:, :1], lists), _grouped(probed, lists)
    for inside, asking in zip(members, visitors, strict=True):
        if not len(inside):
            continue
        for queries in asking.split(max(1, CHUNK // len(inside))):
            apart = squared_distances(keys[queries], keys[inside], squares[inside])
            apart.masked_fill_(owners[queries][:, None] == owners[inside][None], torch.inf)
            _merge(found, queries, *apart.topk(min(k, len(inside)), largest=False), inside)
        advance(len(asking))
    return found


def _nearest_centres(keys: Tensor, centres: Tensor, probes: int) -> Int64[Tensor, "n probes"]:
    """The lists that each vector looks into, its own first."""
    squares = centres.square().sum(1)
    parts = keys.split(max(1, CHUNK // len(centres)))
    return torch.cat([squared_distances(p, centres, squares).topk(probes, largest=False).indices for p in parts])


def _grouped(probed: Int64[Tensor, "n probes"], lists: int) -> tuple[Tensor, ...]:
    """For each list, the vectors that name it."""
    order = probed.flatten().argsort(stable=True)
    sizes = torch.bincount(probed.flatten(), minlength=lists)
    return (order // probed.shape[1]).split(sizes.tolist())


def _merge(found: tuple[Tensor, Tensor], queries: Tensor, apart: Tensor, places: Tensor, inside: Tensor) -> None:
    """Keep the nearest of what was found before and of what one list has."""
    distances = torch.cat([found[0][queries], apart], dim=1)
    indices = torch.cat([found[1][queries], inside[places]], dim=1)
    best, which = distances.topk(found[0].shape[1], largest=False)
    found[0][queries] = best
    found[1][queries] = indices.gather(1, which).masked_fill_(best.isinf(), 0)
