"""The M row about search: does beam search find the most probable sequence?"""

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from ...models.search_interface import SearchModel, inference, next_log_probs
from ...translation.decoding import beam_search, exhaustive_search
from ...translation.shipped_translator import SENTENCES, ids, model
from ..claim import Claim, Verdict

NAMES = ("<pad>", "<s>", "</s>", "we", "they", "nobody", "sing", "dance", "sings")
FIRST = {"we": 0.40, "they": 0.35, "nobody": 0.25}
SECOND = {"we": {"sing": 0.5, "dance": 0.5}, "they": {"sing": 0.5, "dance": 0.5}, "nobody": {"sings": 1.0}}
SEARCHED = 5  # of our sentences, those that are searched exactly


@dataclass(frozen=True)
class _Written:
    """The words written so far, a row each."""

    rows: tuple[tuple[str, ...], ...]

    def reorder(self, rows: Int[Tensor, " rows"]) -> "_Written":
        return _Written(tuple(self.rows[i] for i in rows.tolist()))


class TwoWords:
    """A language of sentences of two words, by its probabilities: the first word, then the second given the first."""

    config = SimpleNamespace(pad_id=0, bos_id=1, eos_id=2, vocab_size=len(NAMES), max_len=None)

    def encode(self, src: Int[Tensor, "batch src_len"]) -> int:
        """The number of rows; what stands in them does not matter."""
        return len(src)

    def start(self, memory: int) -> _Written:
        """Nothing written."""
        return _Written(((),) * memory)

    def step(self, tokens: Int[Tensor, " rows"], state: _Written) -> tuple[Tensor, _Written]:
        """The next word's log-probabilities after one more word."""
        rows = tuple((*row, NAMES[token]) for row, token in zip(state.rows, tokens.tolist(), strict=True))
        log_probs = torch.full((len(rows), len(NAMES)), -torch.inf, dtype=torch.float64)
        for i, (_, *words) in enumerate(rows):
            following = FIRST if not words else SECOND[words[0]] if len(words) == 1 else {"</s>": 1.0}
            for word, probability in following.items():
                log_probs[i, NAMES.index(word)] = math.log(probability)
        return log_probs, _Written(rows)


def most_probable(
    searched: SearchModel, src: Int[Tensor, "1 src_len"], bound: float, max_len: int = 256
) -> tuple[tuple[int, ...], float] | None:
    """The most probable sentence of all that end in ``</s>``, if its log-probability is above ``bound``.

    Exact: a sentence is at most as probable as each of its prefixes, so a prefix at or below the bound can be dropped,
    and the bound rises with every better sentence found. Of one length, fewer than exp(-bound) prefixes lie above it.

    Args:
        searched: the model.
        src: one source.
        bound: a log-probability below 0, such as that of a sentence already found, in nats.
        max_len: most tokens, ``</s>`` counted.

    Returns:
        ``(tokens, log_prob)``, the tokens ending in ``</s>``; None if nothing is more probable than the bound.
    """
    best, prefixes, totals = None, [()], torch.zeros(1, dtype=torch.float64)
    with inference(searched):
        state = searched.start(searched.encode(src))
        while prefixes and len(prefixes[0]) < max_len:
            last = torch.tensor([prefix[-1] if prefix else searched.config.bos_id for prefix in prefixes])
            log_probs, state = next_log_probs(searched, last, state)
            longer = totals[:, None] + log_probs  # (prefixes, vocab_size)
            ended = longer[:, searched.config.eos_id].clone()
            if (top := float(ended.max())) > bound:
                bound, best = top, ((*prefixes[int(ended.argmax())], searched.config.eos_id), top)
            longer[:, searched.config.eos_id] = -torch.inf
            rows, tokens = (longer > bound).nonzero(as_tuple=True)
            prefixes = [(*prefixes[row], token) for row, token in zip(rows.tolist(), tokens.tolist(), strict=True)]
            totals, state = longer[rows, tokens], state.reorder(rows) if prefixes else state
    return best


def search_errors() -> dict[str, Any]:
    """M10: a language with five sentences, by beam and by listing all; and the translator, by beam and exactly."""
    language, source = TwoWords(), torch.zeros(1, 1, dtype=torch.int64)
    (by_beam,) = beam_search(language, source, beam_size=2, length_penalty=0.0, max_len=3)
    (best,) = exhaustive_search(language, source, max_len=3, length_penalty=0.0)
    missed = {size: 0 for size in (1, 4)}
    for sentence in SENTENCES[:SEARCHED]:
        src = ids(sentence)
        found = {size: beam_search(model(), src, size, length_penalty=0.0)[0].log_prob for size in missed}
        truth = most_probable(model(), src, max(found.values()) - 1e-9)
        for size, log_prob in found.items():
            missed[size] += bool(truth and truth[1] > log_prob + 1e-9)
    return {
        "beam_of_2": [NAMES[token] for token in by_beam.tokens],
        "beam_of_2_probability": math.exp(by_beam.log_prob),
        "most_probable": [NAMES[token] for token in best.tokens],
        "most_probable_probability": math.exp(best.log_prob),
        "sentences": SEARCHED,
        "missed_by_a_beam_of_1": missed[1],
        "missed_by_a_beam_of_4": missed[4],
    }


def decide_search_errors(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M10: one counterexample is enough."""
    found, best = value["beam_of_2_probability"], value["most_probable_probability"]
    if math.isclose(found, best) and not value["missed_by_a_beam_of_1"] + value["missed_by_a_beam_of_4"]:
        return "right", f"In {value['sentences']} sentences and a small language it was found each time."
    why = (
        f"In a language of two-word sentences a beam of 2 returns {' '.join(value['beam_of_2'][:-1])}, of probability "
        f"{found:.2f}, and loses {' '.join(value['most_probable'][:-1])}, of {best:.2f}, whose first word ranks third. "
        f"It may find it: an exact search for {value['sentences']} sentences shows that the translator's greedy search "
        f"missed the most probable translation in {value['missed_by_a_beam_of_1']} and a beam of 4 in "
        f"{value['missed_by_a_beam_of_4']}. With a penalty on length it does not even look for it."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "M10",
        "What beam search returns is the most probable sequence.",
        search_errors,
        decide_search_errors,
        "before/search-errors#decoding-search-errors",
    ),
)
