"""What a head does, in a few numbers: how widely it spreads its weights, how far away it looks, at which neighbours."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor


class Profile(NamedTuple):
    """Means over rows of weights, one number per head; NaN where no row has the statistic.

    Attributes:
        entropy: entropy of a row as a share of the largest possible, log of the number of keys it may attend to. 0 is
            one key, 1 is all alike. Rows with a single allowed key have none and do not count.
        offset: mean of (key position − query position), in tokens; negative looks back.
        spread: standard deviation of the offset within a row, in tokens.
        before, itself, after: share on the key at the position just before, the same, just after.
        first, last: share on the first key and on the last.
        even: what the share on the last key would be if all allowed keys got alike; to compare `last` and `first` with.
    """

    entropy: Float[Tensor, "*heads"]
    offset: Float[Tensor, "*heads"]
    spread: Float[Tensor, "*heads"]
    before: Float[Tensor, "*heads"]
    itself: Float[Tensor, "*heads"]
    after: Float[Tensor, "*heads"]
    first: Float[Tensor, "*heads"]
    last: Float[Tensor, "*heads"]
    even: Float[Tensor, "*heads"]


def normalised_entropy(
    weights: Float[Tensor, "*heads q_len k_len"], allowed: Bool[Tensor, "q_len k_len"] | None = None
) -> Float[Tensor, "*heads q_len"]:
    r"""Entropy of each row as a share of the largest it could have: :math:`H(a_i) / \log n_i`.

    Args:
        weights: attention weights.
        allowed: True where a query may attend; everywhere if None. :math:`n_i` counts them. The weights may be 0
            elsewhere only.

    Returns:
        Numbers between 0 and 1; NaN in rows with fewer than two allowed keys, which have no choice.

    Pitfall: entropies of rows with different numbers of keys are not comparable before this division.
    """
    q_len, k_len = weights.shape[-2:]
    if allowed is None:
        allowed = torch.ones(q_len, k_len, dtype=torch.bool)
    n = allowed.sum(dim=-1).to(weights.dtype)
    largest = torch.where(n > 1, n.clamp(min=1).log(), math.nan)
    return torch.special.entr(weights).sum(dim=-1) / largest


def row_statistics(
    weights: Float[Tensor, "*heads q_len k_len"], allowed: Bool[Tensor, "q_len k_len"] | None = None
) -> Profile:
    """The statistics of `Profile` for every row: each with a further axis, q_len, at its end.

    Args:
        weights: attention weights of one sentence, without padding.
        allowed: True where a query may attend; everywhere if None.
    """
    q_len, k_len = weights.shape[-2:]
    distance = (torch.arange(k_len) - torch.arange(q_len)[:, None]).to(weights.dtype)  # key position − query position
    offset = (weights * distance).sum(dim=-1)
    variance = (weights * (distance - offset[..., None]) ** 2).sum(dim=-1)

    def share(at: int) -> Tensor:
        return (weights * (distance == at)).sum(dim=-1)

    n = torch.full((q_len,), k_len) if allowed is None else allowed.sum(dim=-1)
    return Profile(
        entropy=normalised_entropy(weights, allowed),
        offset=offset,
        spread=variance.sqrt(),
        before=share(-1),
        itself=share(0),
        after=share(1),
        first=weights[..., 0],
        last=weights[..., -1],
        even=(1 / n.to(weights.dtype)).expand(weights.shape[:-1]),
    )


def profile(sentences: Iterable[Float[Tensor, "*heads _ _"]], causal: bool = False) -> Profile:
    """The profile of every head over several sentences, each row counting alike.

    Args:
        sentences: the weights of one sentence each, without padding, all with the same leading axes.
        causal: whether query i may attend to the keys up to i only.

    Returns:
        One number per head in each field.

    Raises:
        ValueError: if there is no sentence.
    """
    found = []
    for weights in sentences:
        q_len, k_len = weights.shape[-2:]
        allowed = torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len) if causal else None
        found.append(row_statistics(weights, allowed))
    if not found:
        raise ValueError("a profile needs at least one sentence")
    return Profile(*(torch.cat(rows, dim=-1).nanmean(dim=-1) for rows in zip(*found, strict=True)))
