"""What *captioned-pictures* measured: how often a drawn picture is right, for captions seen and unseen."""

from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import Measured, over_seeds
from ...experiments.beyond.captioned_pictures import (
    FAULTS,
    Caption,
    captions,
    differs_in,
    is_unseen,
    pictures,
    words,
)
from ..reader import ResultReader

HEADER = ("trained on", "captions", "seen: right, %", "unseen: right, %", "unseen, in the worst and best seed")
DOT_HEADER = ("pixel of the side", "by hand", "3 colours", "12 colours")
WRONG_HEADER = ("trained on", "colour alone", "shape alone", "side alone", "more")
BY_HAND = (1 / 4, 1 / 3, 1 / 2, 1.0)
"""The probability of the dot at each pixel of its side, if the earlier ones are empty."""


@dataclass(frozen=True)
class CaptionedPictures(ResultReader):
    """The result, as its page reads it."""

    def trained_on(self, arm: str) -> int:
        """How many captions the arm was trained on."""
        return sum(not is_unseen(caption) for caption in captions(self.setting["arms"][arm]))

    def right(self, arm: str, name: str) -> Measured:
        """The share of right pictures of the captions ``"seen"`` or ``"unseen"``, in per cent."""
        return over_seeds(100 * self.of(f"{arm}_{name}"))

    @property
    def borrowed(self) -> float:
        """How many per cent are right for unseen captions, if each is drawn like the seen caption that fits it best."""
        shares = [
            max(
                sum(picture in pictures(asked) for picture in pictures(other)) / len(pictures(other))
                for other in captions()
                if not is_unseen(other)
            )
            for asked in captions()
            if is_unseen(asked)
        ]
        return 100 * sum(shares) / len(shares)

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm: what it was trained on, and how many pictures are right."""
        rows = []
        for arm, colours in self.setting["arms"].items():
            unseen = 100 * self.of(f"{arm}_unseen")
            ends = f"{unseen.min():.0f} and {unseen.max():.0f}"
            shares = (f"{self.right(arm, name):.0f}" for name in ("seen", "unseen"))
            rows.append((f"{colours} colours", str(self.trained_on(arm)), *shares, ends))
        return rows

    def wrong_rows(self) -> list[tuple[str, ...]]:
        """A row per arm for :data:`WRONG_HEADER`: what is wrong after unseen captions, in per cent of all pictures.

        Raises:
            AssertionError: if the shape is not the word that is wrong most often.
        """
        rows = []
        for arm, colours in self.setting["arms"].items():
            shares = 100 * self.of(f"{arm}_wrong").mean(0)
            assert shares[:3].argmax() == FAULTS.index("shape"), shares
            rows.append((f"{colours} colours", *(f"{share:.0f}" for share in shares)))
        return rows

    def dot_rows(self) -> list[tuple[str, ...]]:
        """A row per pixel of a side: the probability of a dot there, by hand and as each arm gives it."""
        arms = [self.of(f"{arm}_dots") for arm in self.setting["arms"]]
        return [
            (name, f"{BY_HAND[place]:.2f}", *(f"{over_seeds(dots[:, place]):.2f}" for dots in arms))
            for place, name in enumerate(("first", "second", "third", "last"))
        ]

    def drawn(self, arm: str) -> list[tuple[Caption, str]]:
        """The first picture of each unseen caption, by the first seed."""
        unseen = [caption for caption in captions() if is_unseen(caption)]
        return list(zip(unseen, self.seeds[0][f"{arm}_drawn"], strict=True))

    def drawn_told(self, arm: str) -> str:
        """The pictures of :meth:`drawn` in words."""
        told = [f"{' '.join(words(caption))}: {'wrong' if differs_in(caption, picture) else 'right'}"
                for caption, picture in self.drawn(arm)]  # fmt: skip
        return f"{len(told)} pictures of unseen captions. {'; '.join(told)}."

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name."""
        return {
            "pictures_seeds": self.n_seeds,
            "pictures_steps": self.setting["steps"],
            "pictures_captions": len(captions()),
            "pictures_unseen": sum(is_unseen(caption) for caption in captions()),
            "pictures_drawn": self.setting["drawn"],
            "pictures_borrowed": self.borrowed,
            "colour_most": 100 * max(float(self.of(f"{arm}_wrong")[:, 0].max()) for arm in self.setting["arms"]),
            "least_last": min(float(self.of(f"{arm}_dots")[:, -1].min()) for arm in self.setting["arms"]),
            "pictures_drawn_right": sum(not differs_in(*both) for both in self.drawn("many")),
            **{f"trained_on_{arm}": self.trained_on(arm) for arm in self.setting["arms"]},
            **{f"{arm}_unseen": self.right(arm, "unseen").value for arm in self.setting["arms"]},
        }


def read() -> CaptionedPictures:
    """The committed result."""
    return CaptionedPictures(experiments.read("captioned-pictures"))
