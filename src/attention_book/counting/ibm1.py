"""IBM Model 1: which word translates which, learned from pairs of sentences by expectation–maximisation."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

NOTHING = "<null>"
Sentences = tuple[Sequence[str], Sequence[str]]


class IBMModel1:
    r"""Each word of a sentence comes from one word of the other, or from nothing, and all choices are equally likely.

    .. math:: P(y_1 \dots y_m \mid x_1 \dots x_l) = \frac{1}{(l + 1)^m} \prod_{j=1}^{m} \sum_{i=0}^{l} t(y_j \mid x_i)

    :math:`x_0` is the empty word ``<null>``, and t(y | x) is a table of probabilities, of which each column x sums to 1
    over y. The length m is taken as given. (Brown et al. 1993, §4.1, equation 5 without ε.)

    Expectation–maximisation finds t: with the table of the last round, word :math:`y_j` is shared out among the x that
    may have generated it, in proportion to t; the shares are counted; the counts, divided by their sums, are the new
    table. The likelihood of the training pairs never falls, and for this model every start leads to the same likelihood
    (Brown et al. 1993, §4.1), unless an entry starts at 0.

    Args:
        pairs: (x, y), the tokens of the given sentence and of the generated one. `fit` learns from them.

    Attributes:
        log_likelihoods: ln P of all training pairs under the table before each round, and after the last: n + 1 numbers
            after n rounds.

    Raises:
        ValueError: no pairs, or a sentence that holds ``<null>``.

    Pitfall: the direction. ``t("gatos", "cats")`` of a model of (English, Spanish) pairs is P(gatos | cats); its shares
    are over Spanish words.
    """

    def __init__(self, pairs: Iterable[Sentences]):
        pairs = [(tuple(x), tuple(y)) for x, y in pairs]
        if not pairs:
            raise ValueError("IBM Model 1 needs at least one pair of sentences")
        if any(NOTHING in x or NOTHING in y for x, y in pairs):
            raise ValueError(f"{NOTHING} must not stand in a sentence: the model puts it there")
        self._given: dict[str, int] = {NOTHING: 0}
        self._generated: dict[str, int] = {}
        cells, slots, slot, constant = [], [], 0, 0.0
        for x, y in pairs:
            given = [0, *(self._given.setdefault(word, len(self._given)) for word in x)]
            for word in y:
                made = self._generated.setdefault(word, len(self._generated))
                cells += [(g, made) for g in given]
                slots += [slot] * len(given)
                slot += 1
            constant += len(y) * math.log(len(x) + 1)
        # The table is kept as its cells that ever occur together; each occurrence of a cell belongs to one slot, a
        # generated word in its place.
        both = np.array(cells, dtype=np.int64).reshape(-1, 2)
        keys, self._occurrence = np.unique(both[:, 0] * len(self._generated) + both[:, 1], return_inverse=True)
        self._cell_given = keys // max(1, len(self._generated))
        self._slot, self._slots, self._constant = np.array(slots, dtype=np.int64), slot, constant
        words, others = list(self._generated), list(self._given)
        self._cell = {(others[key // len(words)], words[key % len(words)]): i for i, key in enumerate(keys.tolist())}
        each = np.bincount(self._cell_given, minlength=len(self._given))
        self._t: Float[np.ndarray, " cells"] = 1.0 / each[self._cell_given]
        self.log_likelihoods: list[float] = []
        self._ranked: dict[str, list[tuple[str, float]]] | None = None

    def fit(self, rounds: int = 10) -> "IBMModel1":
        """Run rounds of expectation–maximisation; more can follow. At first each word x has a uniform column.

        Returns:
            The model itself.

        Raises:
            ValueError: fewer than one round.
        """
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {rounds}")
        del self.log_likelihoods[-1:]  # that of the present table: the first round finds it again
        for _ in range(rounds):
            likelihood, counts = self._expected_counts()
            self.log_likelihoods.append(likelihood)
            totals = np.bincount(self._cell_given, weights=counts, minlength=len(self._given))
            self._t = counts / totals[self._cell_given]
        self.log_likelihoods.append(self._expected_counts()[0])
        self._ranked = None
        return self

    def _expected_counts(self) -> tuple[float, np.ndarray]:
        """The likelihood of the pairs, and how often each cell was used, as expected under the present table."""
        occurring = self._t[self._occurrence]
        sums = np.bincount(self._slot, weights=occurring, minlength=self._slots)
        counts = np.bincount(self._occurrence, weights=occurring / sums[self._slot], minlength=len(self._t))
        return float(np.log(sums).sum()) - self._constant, counts

    def t(self, generated: str, given: str = NOTHING) -> float:
        """t(generated | given); 0 for words that never stood in one pair."""
        cell = self._cell.get((given, generated))
        return 0.0 if cell is None else float(self._t[cell])

    def best(self, given: str, count: int = 5) -> list[tuple[str, float]]:
        """The most probable words for a given word with their probabilities, the best first; empty for unknown ones."""
        if self._ranked is None:
            self._ranked = {}
            for (other, word), cell in self._cell.items():
                self._ranked.setdefault(other, []).append((word, float(self._t[cell])))
            for column in self._ranked.values():
                column.sort(key=lambda entry: (-entry[1], entry[0]))
        return self._ranked.get(given, [])[:count]

    def log_prob(self, x: Sequence[str], y: Sequence[str]) -> float:
        """ln P(y | x), given the length of y; −∞ if some word of y goes with no word of x, nor with the empty one."""
        total = -len(y) * math.log(len(x) + 1)
        for word in y:
            likelihood = sum(self.t(word, other) for other in (NOTHING, *x))
            if not likelihood:
                return -math.inf
            total += math.log(likelihood)
        return total

    def align(self, x: Sequence[str], y: Sequence[str]) -> frozenset[tuple[int, int]]:
        """The most probable alignment: each word of y with the word of x that generated it most probably.

        Returns:
            Pairs (position in x, position in y), counted from 0. A word of y that the empty word generates best, or
            that no word of x can generate, is in no pair. Of equally good words of x the first is taken.
        """
        links = set()
        for j, word in enumerate(y):
            best = max(range(len(x)), key=lambda i: (self.t(word, x[i]), -i), default=None)
            if best is not None and self.t(word, x[best]) > self.t(word):
                links.add((best, j))
        return frozenset(links)
