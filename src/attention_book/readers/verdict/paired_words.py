"""What the totals of two translators on the same words allow a paired test to say."""

from dataclasses import dataclass

from scipy.stats import binomtest

LEVEL = 0.05


@dataclass(frozen=True)
class PairedWords:
    """How many of the same words each of two translators found; which ones, nobody recorded.

    A sign test looks only at the words that exactly one of the two found, here called the split words. Their number is
    not on record, but the totals bound it, and the lead is the same whatever it is.

    Attributes:
        one: how many words the first translator found.
        other: how many the second one found.
        words: how many were asked for.
    """

    one: int
    other: int
    words: int

    def __post_init__(self) -> None:
        if not (0 <= self.one <= self.words and 0 <= self.other <= self.words):
            raise ValueError(f"{self.one} and {self.other} found of {self.words} words")

    @property
    def fewest_split(self) -> int:
        """The least possible number of split words: all that one translator found, the better one found too."""
        return abs(self.one - self.other)

    @property
    def most_split(self) -> int:
        """The largest possible number of split words: as few as can be were found by both."""
        return min(self.one + self.other, 2 * self.words - self.one - self.other)

    @property
    def independent_split(self) -> float:
        """The expected number of split words if the two found their words independently of each other."""
        return self.one + self.other - 2 * self.one * self.other / self.words

    def p_value(self, split: int) -> float:
        """The p-value of a sign test (two-sided), if so many words were split.

        Raises:
            ValueError: if the totals do not allow this number.
        """
        if not self.fewest_split <= split <= self.most_split or (split - self.fewest_split) % 2:
            raise ValueError(f"{self.one} and {self.other} found of {self.words} words do not split {split}")
        return float(binomtest((split + self.fewest_split) // 2, split).pvalue) if split else 1.0

    def settled_up_to(self, level: float = LEVEL) -> int | None:
        """The most split words with which the lead is still settled, or None if no number settles it.

        More split words with the same lead are more like a coin, so the lead is settled with each smaller number, too.
        """
        settled = None
        for split in range(self.fewest_split, self.most_split + 1, 2):
            if self.p_value(split) > level:
                break
            settled = split
        return settled
