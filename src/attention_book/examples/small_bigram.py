"""A language of a few words, small enough to list every sentence: what a search can be checked against by hand."""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

PAD, START, END = "<pad>", "<s>", "</s>"

# Every row sums to 1, and no word can come twice: the sentences can be listed, and they sum to 1 as well.
ANIMALS = {
    START: {"dogs": 0.45, "cats": 0.35, "hide": 0.2},
    "dogs": {"bark": 0.5, "sleep": 0.35, "hide": 0.15},
    "cats": {"sleep": 0.8, "hide": 0.2},
    "bark": {"loudly": 0.6, END: 0.4},
    "sleep": {END: 0.55, "today": 0.45},
    "hide": {END: 0.9, "today": 0.1},
    "loudly": {"today": 0.9, END: 0.1},
    "today": {END: 1.0},
}


class Sentence(NamedTuple):
    """A sentence of the language.

    Attributes:
        words: its words, without the end token.
        probability: the product of its bigrams, that of the end token included.
    """

    words: tuple[str, ...]
    probability: float


class _Rows(NamedTuple):
    """The state of a search: how many rows there are. A bigram needs nothing but the last token, which is fed."""

    count: int

    def reorder(self, rows: Int[Tensor, " rows"]) -> "_Rows":
        return _Rows(len(rows))


class SmallBigram:
    r"""P(next word | last word) from a table, as a `search_interface.SearchModel`. The source is ignored.

    .. math:: P(y_1 \dots y_T) = \prod_{t=1}^{T} P(y_t \mid y_{t-1}), \qquad y_0 = \texttt{<s>},\ y_T = \texttt{</s>}

    Args:
        table: for ``<s>`` and each word the words that can follow, with their probabilities; ``</s>`` ends a sentence.

    Attributes:
        names: the spelling of each id; ``<pad>``, ``<s>`` and ``</s>`` have the ids 0, 1 and 2.
        config: what a search wants to know: ``pad_id``, ``bos_id``, ``eos_id``, ``vocab_size``, ``max_len``.

    Raises:
        ValueError: a row does not sum to 1, has a probability that is not positive, or names a word without a row.
    """

    def __init__(self, table: Mapping[str, Mapping[str, float]] = ANIMALS):
        self.table = {last: dict(row) for last, row in table.items()}
        for last, row in self.table.items():
            if min(row.values(), default=0) <= 0 or not math.isclose(math.fsum(row.values()), 1):
                raise ValueError(f"what follows {last!r} must have positive probabilities that sum to 1: {row}")
            if missing := set(row) - set(self.table) - {END}:
                raise ValueError(f"{sorted(missing)} can follow {last!r}, and have no row of their own")
        words = [word for word in self.table if word != START]
        self.names = (PAD, START, END, *words)
        self.config = SimpleNamespace(pad_id=0, bos_id=1, eos_id=2, vocab_size=len(self.names), max_len=None)
        self._log_probs = torch.full((len(self.names),) * 2, -torch.inf, dtype=torch.float64)
        for last, row in self.table.items():
            for following, p in row.items():
                self._log_probs[self.names.index(last), self.names.index(following)] = math.log(p)

    def encode(self, src: Int[Tensor, "batch src_len"]) -> int:
        """The number of rows: what stands in them does not matter."""
        return len(src)

    def start(self, memory: int) -> _Rows:
        """The state before the first word."""
        return _Rows(memory)

    def step(self, tokens: Int[Tensor, " rows"], state: _Rows) -> tuple[Float[Tensor, "rows vocab"], _Rows]:
        """The log-probabilities of the next token of each row, given the last one."""
        return self._log_probs[tokens], state

    @property
    def source(self) -> Int[Tensor, "1 1"]:
        """Something to call a search with: one row."""
        return torch.zeros(1, 1, dtype=torch.int64)

    def following(self, words: Sequence[str]) -> dict[str, float]:
        """What can come after these words, with its probability."""
        return dict(self.table[words[-1] if words else START])

    def spelt(self, tokens: Sequence[int]) -> str:
        """Ids as words: ``spelt((3, 6, 2))`` is ``"dogs bark </s>"``."""
        return " ".join(self.names[token] for token in tokens)

    def sentences(self, longest: int = 10) -> list[Sentence]:
        """Every sentence of at most `longest` tokens, ``</s>`` counted, the most probable first."""

        def grown(words: tuple[str, ...], p: float) -> Iterator[Sentence]:
            for following, factor in self.table[words[-1] if words else START].items():
                if following == END:
                    yield Sentence(words, p * factor)
                elif len(words) + 1 < longest:
                    yield from grown((*words, following), p * factor)

        return sorted(grown((), 1.0), key=lambda sentence: -sentence.probability)
