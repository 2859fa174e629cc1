"""The explorer *clocks of a position*: hands that turn with the position, and what two positions have to do."""

import math

import numpy as np
import torch
import traitlets

from ...attention.positions import frequencies, rotate_by_position, shift_rotation
from .attention_by_hand import LIMIT
from .base import Explorer, front_end
from .words import fixed, listed

WIDTHS = [2, 4, 8, 16, 32]  # positions.js has the same lists
FARTHEST = 60
_RANDOM = np.random.default_rng(3)
QUERY, KEY = (_RANDOM.normal(size=WIDTHS[-1]).round(1).tolist() for _ in range(2))
ROUNDING = 1e-9  # below this a number is 0 and two numbers are equal; positions.js says the same


class Numbers(traitlets.TraitType):
    """As many finite numbers as the widest vector has, kept as a tuple; lists, arrays and tensors are converted."""

    info_text = f"{WIDTHS[-1]} numbers between −{LIMIT:,.0f} and {LIMIT:,.0f}"

    def validate(self, obj, value):
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            self.error(obj, value)
        if numbers.shape != (WIDTHS[-1],) or not np.all(np.abs(numbers) <= LIMIT):
            self.error(obj, value)
        return tuple(numbers.tolist())


class PositionClocks(Explorer):
    """Two positions, and the pairs of numbers by which sinusoidal or rotary positions tell them apart.

    Attributes:
        kind: ``"sinusoidal"``, the vectors that are added to two words, or ``"rotary"``, a query and a key turned.
        width: numbers in a vector, one of `WIDTHS`; of ``query`` and ``key`` so many are used, from the first.
        position: the earlier position, that of the key.
        distance: how far the later one, that of the query, is from it.
        query, key: what the rotary kind turns.
        contributions: read-only; what each pair adds to the inner product.
        products: read-only; the inner product at the distances 0, 1, …, `FARTHEST`.
    """

    title = "Clocks of a position"
    _esm = front_end("positions.js")

    kind = traitlets.Enum(["sinusoidal", "rotary"], "sinusoidal").tag(sync=True)
    width = traitlets.Enum(WIDTHS, 8).tag(sync=True)
    position = traitlets.Int(5, min=0, max=FARTHEST).tag(sync=True)
    distance = traitlets.Int(7, min=0, max=FARTHEST).tag(sync=True)
    query = Numbers(QUERY).tag(sync=True)
    key = Numbers(KEY).tag(sync=True)
    contributions = traitlets.Tuple((), read_only=True)
    products = traitlets.Tuple((), read_only=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self._compute()

    @traitlets.observe("kind", "width", "position", "distance", "query", "key")
    def _follow(self, change):
        self._compute()

    def _vectors(self, distance: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors at the later and at the earlier position, as pairs."""
        places = self.position + distance, self.position
        if self.kind == "sinusoidal":
            start = torch.tensor([0.0, 1.0], dtype=torch.float64).repeat(self.width // 2)  # the vector of position 0
            later, earlier = (shift_rotation(place, self.width) @ start for place in places)
        else:
            pair = (torch.tensor([x[: self.width]], dtype=torch.float64) for x in (self.query, self.key))
            later, earlier = (rotate_by_position(x, place)[0] for x, place in zip(pair, places, strict=True))
        return later.view(-1, 2), earlier.view(-1, 2)

    def _compute(self):
        later, earlier = self._vectors(self.distance)
        self.set_trait("contributions", tuple(map(_tidy, (later * earlier).sum(-1).tolist())))
        totals = [(a * b).sum().item() for a, b in map(self._vectors, range(FARTHEST + 1))]
        self.set_trait("products", tuple(map(_tidy, totals)))

    def in_words(self) -> str:
        """Both positions, how far the hands turn, what the pairs contribute; positions.js says the same."""
        later, pairs = self.position + self.distance, self.width // 2
        turns = (self.distance * frequencies(self.width) / (2 * math.pi)).tolist()
        hands = f"{pairs} pair{'' if pairs == 1 else 's'} of numbers"
        total, shares = fixed(self.products[self.distance]), listed([*map(fixed, self.contributions)])
        if self.kind == "sinusoidal":
            what = f"Sinusoidal vectors, {hands}, of the positions {self.position} and {later}."
            result = f"The inner product is {total} of at most {fixed(float(pairs))}"
        else:
            what = f"A key at position {self.position} and a query at position {later}, {hands} each, turned."
            result = f"The score, not yet divided, is {total}, and {fixed(self.products[0])} at the same position"
        return (
            f"{what} They are {self.distance} apart. From one to the other the hands make "
            f"{listed([*map(fixed, turns)])} turns, and the pairs contribute {shares}. {result}; it depends on the "
            f"distance alone. {self._course()}"
        )

    def _course(self) -> str:
        rises = (n for n in range(1, FARTHEST + 1) if self.products[n] > self.products[n - 1] + ROUNDING)
        rise = next(rises, None)
        if rise is None:
            return f"With the distance it never rises, up to {FARTHEST}."
        return f"With the distance it first rises from {rise - 1} to {rise}."


def _tidy(x: float) -> float:
    return 0.0 if abs(x) < ROUNDING else x
