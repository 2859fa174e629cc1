"""A translator that searches with packed weights."""

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from ...data.subwords import Subwords
from ...models.transformer import Transformer
from ..decoding import Hypothesis
from ..translator import Translator
from .compiled import CompiledTransformer
from .compiling import library
from .packing import PackedTransformer, Weights
from .searching import WIDEST, beam_search, greedy_decode

ROWS = 64
"""Prefixes that are decoded side by side."""


class FastTranslator(Translator):
    """Translates as `Translator` does, sooner, with a copy of the weights as they were at the start.

    A beam wider than `searching.WIDEST` is searched as there.

    Args:
        model, subwords, results: as of `Translator`; the model is a Transformer.
        weights: how the copy is kept, see `packing`. Everything but `"float32"` rounds, and may translate otherwise.

    In float32 on a CPU, where there is a C compiler, its steps are compiled (`compiled`), and it works in as many
    threads as `torch.get_num_threads()` says, on different sentences.

    Raises:
        TypeError: the model is no Transformer.
        ValueError: as `Translator` and `PackedTransformer`.
    """

    def __init__(
        self,
        model: Transformer,
        subwords: Subwords,
        results: dict[str, Any] | None = None,
        weights: Weights = "float32",
    ):
        super().__init__(model, subwords, results)
        self.packed = packed(model, weights)

    @classmethod
    def from_pretrained(
        cls, name: str | Path = "en-es", device: str = "cpu", weights: Weights = "float32"
    ) -> "FastTranslator":
        """As `Translator.from_pretrained`, with the weights kept as `weights` says."""
        read = Translator.from_pretrained(name, device)
        return cls(read.model, read.subwords, read.results, weights)

    def _search(self, sentences: list[list[int]], beam_size: int, length_penalty: float) -> list[Hypothesis]:
        if beam_size > WIDEST:
            return super()._search(sentences, beam_size, length_penalty)
        threads = torch.get_num_threads() if isinstance(self.packed, CompiledTransformer) else 1
        batch_size = max(1, min(ROWS // beam_size, math.ceil(len(sentences) / threads)))
        return search(self.packed, sentences, beam_size, length_penalty, batch_size, threads)


def packed(model: Transformer, weights: Weights = "float32") -> PackedTransformer | CompiledTransformer:
    """The weights as they are decoded soonest.

    Raises:
        TypeError, ValueError: as `PackedTransformer`.
    """
    on_cpu = isinstance(model, Transformer) and model.output.weight.device.type == "cpu"
    if weights == "float32" and on_cpu and library() is not None:
        return CompiledTransformer(model)
    return PackedTransformer(model, weights)


def search(
    model: PackedTransformer | CompiledTransformer,
    sentences: list[list[int]],
    beam_size: int,
    length_penalty: float,
    batch_size: int,
    threads: int = 1,
) -> list[Hypothesis]:
    """Decode sentences in batches of like lengths, longest first; their order is kept.

    Args:
        sentences: ids, each with `</s>`.
        beam_size: 1 for greedy search, whose hypotheses come without log-probabilities.
        batch_size: sentences that are decoded side by side.
        threads: batches that are decoded at the same time. A step of torch has threads of its own.
    """
    order = sorted(range(len(sentences)), key=lambda place: -len(sentences[place]))
    batches = [order[first : first + batch_size] for first in range(0, len(order), batch_size)]

    def decode(batch: list[int]) -> list[Hypothesis]:
        rows = [torch.tensor(sentences[place], device=model.device) for place in batch]
        src = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=model.config.pad_id)
        if beam_size == 1:
            return greedy_decode(model, src, scores=False)
        return beam_search(model, src, beam_size, length_penalty)

    if threads == 1 or len(batches) < 2:
        decoded = [decode(batch) for batch in batches]
    else:
        with ThreadPoolExecutor(min(threads, len(batches))) as pool:
            decoded = list(pool.map(decode, batches))
    found = dict(zip(order, chain.from_iterable(decoded), strict=True))
    return [found[place] for place in range(len(sentences))]
