"""The explorer *the softmax Jacobian*: choose n, d_k and C; weights, J, its spectrum and the dead share follow."""

import math

import numpy as np
import traitlets

from ...attention.probability import entropy, softmax, softmax_jacobian
from ..significant_digits import compact
from .base import Explorer, front_end

MOST_KEYS = 16  # more cells do not fit a phone
WIDTHS = [2**power for power in range(10)]
DIVISORS = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
DEAD = 1e-6  # entries below this in size count as dead; jacobian.js says the same
DRAWS = np.random.default_rng(0).standard_normal((12, MOST_KEYS)).round(3).tolist()


class SoftmaxJacobian(Explorer):
    """The Jacobian of one softmax, from the scores to its spectrum.

    The scores are √d_k times standard normal numbers from a fixed list, as dot products of such queries and keys would
    be spread; the next draw is the next row of the list. To see the Jacobian of scores of your own, set ``draws`` to a
    list with them as its one row, and ``d_k`` to 1.

    Attributes:
        n: number of keys, from 2 to the width of ``draws``.
        d_k: width of a key, one of `WIDTHS`; only the size of the scores depends on it.
        divisor: what C is: ``"one"`` (no division), ``"root"`` (√d_k) or ``"free"`` (``c``).
        c: C if it is free, one of `DIVISORS`.
        draws: lists of numbers, one per draw, all equally long (2 to 16); the first n of the current one are used.
        draw: which of them, counted from 0.
        own_scale: whether the colours of J go up to its own largest entry rather than to ¼.
    """

    title = "The softmax Jacobian"
    _esm = front_end("jacobian.js")

    n = traitlets.Int(6, min=2, max=MOST_KEYS).tag(sync=True)
    d_k = traitlets.Enum(WIDTHS, 64).tag(sync=True)
    divisor = traitlets.Enum(["one", "root", "free"], "root").tag(sync=True)
    c = traitlets.Enum(DIVISORS, 4.0).tag(sync=True)
    draws = traitlets.List(traitlets.List(traitlets.Float()), DRAWS).tag(sync=True)
    draw = traitlets.Int(0, min=0).tag(sync=True)
    own_scale = traitlets.Bool(False).tag(sync=True)

    @traitlets.validate("n", "draws", "draw")
    def _fit(self, proposal):
        known = {name: getattr(self, name) for name in ("n", "draws", "draw")} | {proposal.trait.name: proposal.value}
        widths = {len(row) for row in known["draws"]}
        if len(widths) != 1 or not 2 <= min(widths) <= MOST_KEYS or not np.isfinite(known["draws"]).all():
            raise traitlets.TraitError(f"draws must be rows of one length, 2 to {MOST_KEYS} finite numbers each")
        if known["n"] > min(widths) or known["draw"] >= len(known["draws"]):
            raise traitlets.TraitError(
                f"there are {len(known['draws'])} draws of {min(widths)} numbers: draw {known['draw']} (counted from "
                f"0) with n = {known['n']} is not among them. To change several, use "
                "`with explorer.hold_trait_notifications():`."
            )
        return proposal.value

    @property
    def temperature(self) -> float:
        """C, which the scores are divided by."""
        return {"one": 1.0, "root": math.sqrt(self.d_k), "free": self.c}[self.divisor]

    @property
    def scores(self) -> np.ndarray:
        """The undivided scores, n numbers."""
        return math.sqrt(self.d_k) * np.array(self.draws[self.draw][: self.n])

    @property
    def weights(self) -> np.ndarray:
        """p = softmax(scores / C), n numbers."""
        return softmax(self.scores / self.temperature)

    @property
    def jacobian(self) -> np.ndarray:
        """J, n × n, its factor 1/C included."""
        return softmax_jacobian(self.scores, self.temperature)

    @property
    def eigenvalues(self) -> np.ndarray:
        """Those of J, the largest first; the last is 0."""
        return np.linalg.eigvalsh(self.jacobian)[::-1]

    def in_words(self) -> str:
        """Sizes of p and J; jacobian.js says the same after each change."""
        p, j, size = self.weights, self.jacobian, self.n**2
        c = compact(self.temperature)
        divided = {"one": "not divided", "root": f"divided by √{self.d_k} = {c}", "free": f"divided by C = {c}"}
        norm, dead = float(np.linalg.norm(j)), int((np.abs(j) < DEAD).sum())
        return (
            f"{self.n} scores, √{self.d_k} times normal numbers, {divided[self.divisor]}. The weights are "
            f"{', '.join(map(compact, p))}; their entropy is {compact(float(entropy(p)))} of at most "
            f"{compact(math.log(self.n))} nats. The largest entry of J is {compact(float(j.max()))}, its Frobenius "
            f"norm {compact(norm)}, so its {size} entries have the standard deviation {compact(norm / self.n)} and the "
            f"mean 0; {dead} of them are dead, below 10⁻⁶ in size. The largest eigenvalue is "
            f"{compact(float(self.eigenvalues[0]))}; all {self.n} eigenvalues add up to the trace, "
            f"{compact(float(np.trace(j)))}."
        )
