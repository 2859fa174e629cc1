"""Cutting sentences into batches in any order, to see what the order costs; only their lengths matter.

:func:`.batching.token_batches` is what trains: it sorts all pairs. Here they may also stay as drawn, or be sorted in
buckets of a few hundred, which are two sizes of the same thing: buckets of one sentence, and one bucket of all.
"""

from collections.abc import Sequence


def sorted_in_buckets(lengths: Sequence[int | tuple[int, ...]], bucket: int) -> list[int]:
    """The places of the sentences, sorted by length within each bucket; equal lengths keep their order.

    Args:
        lengths: in the order drawn; for pairs, tuples such as (longer side, target), which are sorted as tuples are.
        bucket: how many neighbours are sorted together. 1 leaves the order as drawn, ``len(lengths)`` sorts it whole.

    Raises:
        ValueError: if ``bucket`` is not positive.
    """
    if bucket < 1:
        raise ValueError(f"bucket is {bucket}; it must be at least 1.")
    places = range(len(lengths))
    starts = range(0, len(lengths), bucket)
    return [place for start in starts for place in sorted(places[start : start + bucket], key=lengths.__getitem__)]


def cut_by_tokens(lengths: Sequence[int], order: Sequence[int], budget: int) -> list[list[int]]:
    """Batches of places: each takes the next sentences as long as rows × longest row is at most the budget.

    A sentence that is itself longer than the budget is a batch alone.

    Args:
        lengths: of the sentences, in tokens.
        order: their places in the order in which they are taken.
        budget: cells per batch, at most, padding counted.

    Raises:
        ValueError: if ``budget`` is not positive.
    """
    if budget < 1:
        raise ValueError(f"budget is {budget}; it must be at least 1.")
    groups: list[list[int]] = []
    longest = 0
    for place in order:
        longest = max(longest, lengths[place])
        if not groups or (len(groups[-1]) + 1) * longest > budget:
            groups.append([])
            longest = lengths[place]
        groups[-1].append(place)
    return groups


def cut_by_sentences(order: Sequence[int], count: int) -> list[list[int]]:
    """Batches of ``count`` sentences each; the last has what is left.

    Raises:
        ValueError: if ``count`` is not positive.
    """
    if count < 1:
        raise ValueError(f"count is {count}; it must be at least 1.")
    return [list(order[start : start + count]) for start in range(0, len(order), count)]


def cells(lengths: Sequence[int], group: Sequence[int]) -> int:
    """The cells of a batch: rows × longest row."""
    return len(group) * max(lengths[place] for place in group)


def padding_share(lengths: Sequence[int], groups: Sequence[Sequence[int]]) -> float:
    """The share of all cells that no token fills; 0 if there is no batch."""
    whole = sum(cells(lengths, group) for group in groups)
    filled = sum(lengths[place] for group in groups for place in group)
    return 1 - filled / whole if whole else 0.0
