"""The caches of the translator on its page: what they hold, what they save, and a beam that forgets to reorder them."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from ...attention.cache import DecoderCache
from ...models.config import TransformerConfig
from ...models.transformer import DecoderState, Memory, Transformer
from ...translation.decoding import Hypothesis, beam_search
from ...translation.fast.step_costs import (
    cached_numbers,
    numbers_per_position,
    sentence_multiply_adds,
    weights_of_a_step,
)
from ...translation.translator import Translator

WAYS = {"nothing": (False, False), "source": (False, True), "own": (True, False), "both": (True, True)}
"""What is kept from step to step: keys and values of the target so far, and those of the source."""
NAMES = {"nothing": "nothing", "source": "those of the source", "own": "those of the target", "both": "both"}
"""The ways as the page calls them."""
HELD_HEADER = ("step", "growing, bytes", "by the formula", "fixed, bytes", "by the formula")
WORK_HEADER = ("keys and values kept", "positions computed", "millions of multiply-adds")


def held_bytes(cache: DecoderCache) -> tuple[int, int]:
    """The bytes of keys and values in the growing and in the fixed caches."""

    def of(part: list) -> int:
        return sum(one.keys.nbytes + one.values.nbytes for one in part if one.keys is not None)

    return of(cache.self_attention), of(cache.cross_attention)


def held_rows(translator: Translator, sentence: str) -> list[tuple[str, ...]]:
    """A row for each step of a translation, for :data:`HELD_HEADER`: what the caches hold, and the formula."""
    model, config = translator.model.eval(), translator.model.config
    src, tgt = written(translator, sentence)
    rows = []
    with torch.inference_mode():
        state = model.start(model.encode(src))
        for number, token in enumerate(tgt[0].tolist(), start=1):
            _, state = model.step(torch.tensor([token]), state)
            told = [4 * n for n in cached_numbers(config, number, src.shape[1])]
            cells = zip(held_bytes(state.cache), told, strict=True)
            rows.append((str(number), *(f"{n:,}" for pair in cells for n in pair)))
    return rows


def written(translator: Translator, sentence: str) -> tuple[Tensor, Tensor]:
    """The ids of a sentence, and those that the decoder is fed while it writes the translation, ``<s>`` first."""
    subwords = translator.subwords
    src = torch.tensor([[*subwords.encode(sentence), subwords.eos_id]])
    (found,) = beam_search(translator.model, src)
    return src, torch.tensor([[subwords.bos_id, *found.tokens[:-1]]])


def positions(length: int, src_len: int, own: bool, source: bool) -> int:
    """For how many positions a layer computes keys and values, its own and the source's, over all steps."""
    return (length if own else length * (length + 1) // 2) + (src_len if source else src_len * length)


def work_rows(config: TransformerConfig, length: int, src_len: int) -> list[tuple[str, ...]]:
    """A row for each of :data:`WAYS`, for :data:`WORK_HEADER`."""
    return [
        (NAMES[way], f"{positions(length, src_len, *kept):,}",
         f"{sentence_multiply_adds(config, length, src_len, *kept) / 1e6:,.0f}")
        for way, kept in WAYS.items()
    ]  # fmt: skip


def work_numbers(config: TransformerConfig, length: int, src_len: int) -> dict[str, int | float]:
    """What the page's text is given, by name."""
    work = {way: sentence_multiply_adds(config, length, src_len, *kept) for way, kept in WAYS.items()}
    return {
        "n_fed": length,
        "n_source": src_len,
        "work_saved": work["nothing"] / work["both"],
        "step_weights": weights_of_a_step(config),
        "per_position": numbers_per_position(config),
        "bytes_per_position": 4 * numbers_per_position(config),
        "even_positions": weights_of_a_step(config) / numbers_per_position(config),
    }


@dataclass(frozen=True)
class ForgetfulState(DecoderState):
    """A state whose caches stay in their places when the beam is reordered. All rows are of one source."""

    def reorder(self, rows: Tensor) -> "ForgetfulState":
        """As many rows as are asked for; each has the cache that stood at its own place, or the last one."""
        places = torch.arange(len(rows)).clamp(max=self.cache.real.shape[0] - 1)
        return ForgetfulState(self.memory.reorder(places), self.cache.reorder(places))


class Forgetful:
    """A Transformer, for a search of one source, that forgets to reorder its caches."""

    def __init__(self, model: Transformer):
        self.model, self.config = model.eval(), model.config
        self.encode = model.encode

    def start(self, memory: Memory) -> ForgetfulState:
        """The state before the first token."""
        return ForgetfulState(memory, self.model.start(memory).cache)

    def step(self, tokens: Tensor, state: ForgetfulState) -> tuple[Tensor, ForgetfulState]:
        """Feed one token per row."""
        log_probs, after = self.model.step(tokens, state)
        return log_probs, ForgetfulState(after.memory, after.cache)


@dataclass(frozen=True)
class Forgotten:
    """What a beam finds with its caches reordered, and with the reordering left out.

    Attributes:
        translator: that is searched.
        sentences: that are translated, one at a time.
        beam_size: of both searches.
    """

    translator: Translator
    sentences: tuple[str, ...]
    beam_size: int = 4

    @cached_property
    def _found(self) -> list[list[tuple[str, bool]]]:
        """For each sentence and both searches the translation, and whether one pass gives it the same probability."""
        subwords, model = self.translator.subwords, self.translator.model.eval()
        found = []
        for sentence in self.sentences:
            src = torch.tensor([[*subwords.encode(sentence), subwords.eos_id]])
            both = [beam_search(searched, src, self.beam_size)[0] for searched in (model, Forgetful(model))]
            found.append([(subwords.decode(one.tokens), _is_right(model, src, one)) for one in both])
        return found

    @property
    def texts(self) -> list[tuple[str, str]]:
        """For each sentence the right translation and the other one."""
        return [(right[0], other[0]) for right, other in self._found]

    def wrong_scores(self) -> tuple[int, int]:
        """For how many sentences each search reports a log-probability that one pass does not give."""
        right, other = (sum(not both[n][1] for both in self._found) for n in (0, 1))
        return right, other

    def changed(self) -> list[tuple[str, str, str]]:
        """Each sentence whose translation changes, with both."""
        return [(s, *both) for s, both in zip(self.sentences, self.texts, strict=True) if both[0] != both[1]]

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name."""
        return {
            "n_sentences": len(self.sentences),
            "n_changed": len(self.changed()),
            "n_wrong_scores": self.wrong_scores()[1],
            "forgotten_beam": self.beam_size,
        }


def _is_right(model: Transformer, src: Tensor, found: Hypothesis) -> bool:
    """Whether one pass over the finished sentence gives the log-probability that a search reported."""
    tgt = torch.tensor([[model.config.bos_id, *found.tokens[:-1]]])
    with torch.inference_mode():
        log_probs = model(src, tgt).log_softmax(dim=-1)[0]
    total = log_probs.gather(1, torch.tensor(found.tokens)[:, None]).sum()
    return bool(abs(total - found.log_prob) < 1e-3)
