"""The nearest of many vectors, found by looking in a few neighbourhoods instead of everywhere.

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


class Neighbourhoods:
    """Vectors in lists, each list around one of them.

    Args:
        keys: the vectors.
        lists: how many lists; their centres are drawn from the vectors.
        seed: of that draw.

    Raises:
        ValueError: if lists is below 1.
    """

    @torch.no_grad()
    def __init__(self, keys: Float[Tensor, "n d"], lists: int = 2048, seed: int = 0):
        if lists < 1:
            raise ValueError(f"there must be at least 1 list, got {lists}")
        self.keys, self.squares = keys, keys.square().sum(1)
        drawn = torch.randperm(len(keys), generator=torch.Generator().manual_seed(seed))[:lists]
        self.centres = keys[drawn.to(keys.device)]
        self.members = _grouped(self._probed(keys, 1), len(self.centres)) if len(keys) else ()

    @torch.no_grad()
    def nearest(
        self,
        queries: Float[Tensor, "m d"],
        k: int,
        probes: int = 24,
        owners: Int64[Tensor, " owners"] | None = None,
        askers: Int64[Tensor, " askers"] | None = None,
        advance: Callable[[int], None] = lambda count: None,
    ) -> tuple[Float[Tensor, "m k"], Int64[Tensor, "m k"]]:
        """For each query the ``k`` nearest vectors, the nearest first.

        Args:
            queries: vectors of the same width.
            k: how many are wanted.
            probes: how many lists each query looks into.
            owners, askers: whose each vector and each query is; a query never finds a vector of its own asker.
            advance: told how many comparisons of a query with a list have been made since the last call.

        Returns:
            Squared distances and indices. Where fewer than k are found, the rest have an infinite distance and index 0.

        Raises:
            ValueError: if k or probes is below 1, or owners and askers do not match the vectors and the queries.
        """
        if min(k, probes) < 1:
            raise ValueError(f"k and probes must be at least 1, got {k} and {probes}")
        if (owners is None) != (askers is None):
            raise ValueError("owners and askers are given together or not at all")
        for whose, vectors in ((owners, self.keys), (askers, queries)):
            if whose is not None and len(whose) != len(vectors):
                raise ValueError(f"{len(vectors)} vectors need as many owners, got {len(whose)}")
        found = (
            queries.new_full((len(queries), k), torch.inf),
            torch.zeros(len(queries), k, dtype=torch.int64, device=queries.device),
        )
        if not self.members:
            return found
        probed = self._probed(queries, min(probes, len(self.centres)))
        for inside, asking in zip(self.members, _grouped(probed, len(self.centres)), strict=True):
            if not len(inside) or not len(asking):
                continue
            for rows in asking.split(max(1, CHUNK // len(inside))):
                apart = squared_distances(queries[rows], self.keys[inside], self.squares[inside])
                if owners is not None:
                    apart.masked_fill_(askers[rows][:, None] == owners[inside][None], torch.inf)
                _merge(found, rows, *apart.topk(min(k, len(inside)), largest=False), inside)
            advance(len(asking))
        return found

    def _probed(self, queries: Tensor, probes: int) -> Int64[Tensor, "m probes"]:
        """The lists that each query looks into, the nearest centre's first."""
        squares = self.centres.square().sum(1)
        parts = queries.split(max(1, CHUNK // len(self.centres)))
        looked = [squared_distances(part, self.centres, squares).topk(probes, largest=False).indices for part in parts]
        return torch.cat(looked)


def _grouped(probed: Int64[Tensor, "m probes"], lists: int) -> tuple[Tensor, ...]:
    """For each list, the queries that name it."""
    order = probed.flatten().argsort(stable=True)
    sizes = torch.bincount(probed.flatten(), minlength=lists)
    return (order // probed.shape[1]).split(sizes.tolist())


def _merge(found: tuple[Tensor, Tensor], rows: Tensor, apart: Tensor, places: Tensor, inside: Tensor) -> None:
    """Keep the nearest of what was found before and of what one list has."""
    distances = torch.cat([found[0][rows], apart], dim=1)
    indices = torch.cat([found[1][rows], inside[places]], dim=1)
    best, which = distances.topk(found[0].shape[1], largest=False)
    found[0][rows] = best
    found[1][rows] = indices.gather(1, which).masked_fill_(best.isinf(), 0)
