"""Kneser–Ney smoothing: what a shorter context knows is counted in the contexts it stood in, not in its words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from .ngrams import START, NGramModel

Context = tuple[str, ...]


class KneserNeyModel(NGramModel):
    r"""A language model that counts what followed the last n − 1 words, smoothed as Kneser and Ney did.

    .. math:: P(w \mid h) = \frac{\max(c(h\,w) - D, 0)}{c(h)} + \frac{D\,T(h)}{c(h)}\,P(w \mid h')

    The same amount D is taken from every n-gram that was seen, and the shorter context h' shares out what was taken.
    :math:`T(h)` is the number of different words after h. What is new is c. For the longest contexts it counts
    occurrences; for every shorter one c(h w) is the number of *different words* that stood before h w. A word that is
    frequent after one word only counts once, since a shorter context is asked where the longer one was never seen.
    (Kneser and Ney 1995; in this interpolated form Chen and Goodman 1999, §2, under their names.)

    A context that begins with ``<s>`` keeps its occurrences, because nothing can stand before the beginning. After the
    empty context comes the uniform distribution over the vocabulary, so nothing has the probability 0.

    Args:
        sentences: tokens of each training sentence, without start and end.
        order: n, the number of words in an n-gram; 1 ignores the context.
        least_count: words seen less often count as ``<unk>``.

    Attributes:
        vocabulary: the words that may come next, sorted: those of the training sentences, ``</s>`` and ``<unk>``.
        kept: c, by context.
        discounts: D, by the number of words in the context.

    Raises:
        ValueError: no sentences, an order below 1, or a reserved token in a sentence.

    Pitfall: after a context shorter than n − 1 words, `prob` tells how many words a word can follow, not how often it
    comes. For the bigrams of a trigram model, count anew with ``order=2``.
    """

    def __init__(self, sentences: Iterable[Sequence[str]], order: int = 3, least_count: int = 1):
        super().__init__(sentences, order, least_count=least_count)
        self.smoothing = "kneser-ney"
        self.kept = _kept(self.counts, order)
        self.discounts = [_discount(self.kept, length) for length in range(order)]
        self._sums = {context: following.total() for context, following in self.kept.items()}

    def probs(self, words: Sequence[str], context: Sequence[str] = ()) -> list[float]:
        """P(word | context) of several words, as :meth:`prob` one by one."""
        words = [self._as_known(word) for word in words]
        context = tuple(self._as_known(before) for before in context[max(0, len(context) - self.order + 1) :])
        p = [1 / len(self.vocabulary)] * len(words)
        for length in range(len(context) + 1):
            shorter = context[len(context) - length :]
            following = self.kept.get(shorter)
            if following:
                total, discount = self._sums[shorter], self.discounts[length]
                taken = discount * len(following) / total
                p = [
                    max(following[word] - discount, 0) / total + taken * lower
                    for word, lower in zip(words, p, strict=True)
                ]
        return p


def _kept(counts: Mapping[Context, Counter[str]], order: int) -> dict[Context, Counter[str]]:
    """Occurrences after contexts of n − 1 words and after beginnings, different words before for all others."""
    kept = {h: Counter(after) for h, after in counts.items() if len(h) == order - 1 or h[:1] == (START,)}
    for context, following in counts.items():
        shorter = context[1:]
        if context and shorter[:1] != (START,):
            kept.setdefault(shorter, Counter()).update(following.keys())
    return kept


def _discount(kept: Mapping[Context, Counter[str]], length: int) -> float:
    r"""D for contexts of one length, :math:`n_1 / (n_1 + 2 n_2)` where n-grams counted once and twice are n₁ and n₂.

    It is what leaving each n-gram out in turn would find best (Ney, Essen and Kneser 1994). Where one of the two is 0,
    it would be 0 or 1, and then the shorter context would get nothing, or all: such a D is ½.
    """
    often = Counter(count for h, after in kept.items() if len(h) == length for count in after.values())
    once, twice = often[1], often[2]
    return once / (once + 2 * twice) if once and twice else 0.5
