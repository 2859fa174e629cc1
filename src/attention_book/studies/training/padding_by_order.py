"""How much of a batch is padding, by the order of the pairs and by the size of the batch, in the little language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...analysis.seed_statistics import number
from ...data.batch_cutting import cells, cut_by_sentences, cut_by_tokens, sorted_in_buckets
from ...data.batching import Encoded, padded_batch, padding_waste
from ...little_language.language import sample, word_vocabulary


@dataclass(frozen=True)
class PaddingByOrder:
    """Pairs of the little language, English and Spanish, and how they are cut.

    Attributes:
        drawn: how many pairs.
        seed: of the draw.
        budgets: cells per batch and side, at most, the smallest first.
        buckets: how many neighbours are sorted together, by the name of the line; None sorts all.
        count: sentences per batch, where a batch counts sentences.
    """

    drawn: int = 10_000
    seed: int = 0
    budgets: tuple[int, ...] = (100, 200, 400, 800, 1600, 3200)
    buckets: Mapping[str, int | None] = field(
        default_factory=lambda: {"as drawn": 1, "sorted in buckets of 500": 500, "sorted whole": None}
    )
    count: int = 64

    @cached_property
    def encoded(self) -> list[Encoded]:
        """The ids of the pairs, in the order drawn."""
        words = word_vocabulary("es")
        pairs = sample(self.drawn, self.seed, "es")
        return [(words.encode(pair.source), words.encode(pair.target)) for pair in pairs]

    @cached_property
    def lengths(self) -> list[int]:
        """Tokens of the longer side of each pair, ``</s>`` counted."""
        return [max(map(len, pair)) + 1 for pair in self.encoded]

    def order(self, bucket: int | None) -> list[int]:
        """The places of the pairs, sorted as `token_batches` sorts them, by the longer side and then by the target."""
        keys = [(longest, len(target)) for longest, (_, target) in zip(self.lengths, self.encoded, strict=True)]
        return sorted_in_buckets(keys, bucket or self.drawn)

    def groups(self, bucket: int | None, budget: int) -> list[list[int]]:
        """The batches, as places of pairs."""
        return cut_by_tokens(self.lengths, self.order(bucket), budget)

    def share(self, bucket: int | None, budget: int) -> float:
        """The share of the positions of both sides that hold padding."""
        groups = self.groups(bucket, budget)
        return padding_waste(padded_batch([self.encoded[place] for place in group]) for group in groups)

    @cached_property
    def shares(self) -> dict[str, list[float]]:
        """The same for each order, one number per budget."""
        return {name: [self.share(bucket, one) for one in self.budgets] for name, bucket in self.buckets.items()}

    def lines(self) -> dict[str, tuple[Sequence[int], list[float]]]:
        """Padding in per cent against the budget, a line per order."""
        return {name: (self.budgets, [100 * share for share in shares]) for name, shares in self.shares.items()}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = [f"Padding in per cent against tokens per batch, logarithmic axis, {self.drawn:,} pairs."]
        for name, shares in self.shares.items():
            both = zip(self.budgets, shares, strict=True)
            places = ", ".join(f"{number(100 * share, '.1f')} at {budget:,}" for budget, share in both)
            told.append(f"{name.capitalize()}: {places}.")
        return " ".join(told)

    @cached_property
    def by_count(self) -> list[list[int]]:
        """Batches of equally many sentences, cut from the sorted pairs."""
        return cut_by_sentences(self.order(None), self.count)

    @cached_property
    def like_count(self) -> int:
        """The budget in tokens with which about as many batches are cut as by counting sentences."""
        return 10 * round(sum(cells(self.lengths, group) for group in self.by_count) / len(self.by_count) / 10)

    HEADER = ("a batch has at most", "batches", "target tokens", "largest rectangle")

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Cut by sentences and by tokens, both sorted: batches, target tokens per batch, and cells of the largest."""
        found = {
            f"{self.count} sentences": self.by_count,
            f"{self.like_count} tokens": self.groups(None, self.like_count),
        }
        return [
            (
                name,
                f"{len(groups)}",
                "{} to {}".format(*_ends(self._target_tokens(groups))),
                f"{max(cells(self.lengths, group) for group in groups)} cells",
            )
            for name, groups in found.items()
        ]

    def _target_tokens(self, groups: Sequence[Sequence[int]]) -> list[int]:
        """Of each batch but the last, which is what is left; ``</s>`` counted."""
        return [sum(len(self.encoded[place][1]) + 1 for place in group) for group in groups[:-1]]

    @cached_property
    def longest_as_drawn(self) -> list[int]:
        """The longest side of each batch of the largest budget, in the order drawn."""
        return [max(self.lengths[place] for place in group) for group in self.groups(1, self.budgets[-1])]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        last = self.budgets[-1]
        shares = {name: dict(zip(self.budgets, of, strict=True)) for name, of in self.shares.items()}
        told = {"as drawn": "drawn", "sorted in buckets of 500": "bucket", "sorted whole": "whole"}
        fewest, most = _ends(self._target_tokens(self.by_count))
        mean = sum(self.lengths) / self.drawn
        large = sum(self.longest_as_drawn) / len(self.longest_as_drawn)
        by_pencil = 1 - round(mean, 1) / round(large, 1)  # from the two lengths as the page prints them
        return {
            "n_pairs": self.drawn,
            "shortest": min(self.lengths),
            "longest": max(self.lengths),
            "mean_length": mean,
            "large_pairs": self.drawn / len(self.longest_as_drawn),
            "large_longest": large,
            "large_foretold": number(by_pencil, ".0%"),
            **{f"{told[name]}_small": number(of[self.budgets[0]], ".0%") for name, of in shares.items()},
            **{f"{told[name]}_large": number(of[last], ".0%") for name, of in shares.items()},
            "small_budget": self.budgets[0],
            "large_budget": last,
            "whole_large": number(shares["sorted whole"][last], ".1%"),
            "count": self.count,
            "fewest": fewest,
            "most": most,
            "times": most / fewest,
            "like_count": self.like_count,
        }


def _ends(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)
