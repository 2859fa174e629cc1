"""Greedy and beam search over a packed Transformer: what `translation.decoding` finds, sooner."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from ...models.search_interface import length_limits
from ..decoding import Hypothesis, check_beam_size, check_penalty, gnmt_penalty
from .choosing import Scored
from .compiled import CompiledSearch, CompiledTransformer
from .packing import PackedTransformer
from .stepping import start, step

WIDEST = 16
"""The widest beam: each step's work on the keys of earlier steps grows with the square of the width."""


class _TorchSearch:
    """`stepping` for a search that deals in lists: what `compiled.CompiledSearch` is for compiled steps."""

    patience = 24
    """Sources that are done are let go of when one in so many is."""

    def __init__(self, model: PackedTransformer, src: Int[Tensor, "sources src_len"], widest: int = 1):
        self.model, self.state = model, start(model, src, widest)

    def best(self, tokens: Sequence[int], scores: bool) -> tuple[list[float], list[int]]:
        """As `CompiledSearch.best`."""
        scored = self._step([[one] for one in tokens])
        best, chosen = scored.best()
        if scores:
            best -= scored.log_sum_exp()
        return best.tolist(), chosen.tolist()

    def largest(
        self, tokens: Sequence[Sequence[int]], totals: Sequence[Sequence[float]], count: int
    ) -> tuple[list[list[float]], list[list[int]], list[list[int]]]:
        """As `CompiledSearch.largest`."""
        scored = self._step(tokens)
        before = torch.tensor(totals, device=self.model.device)
        return tuple(part.tolist() for part in scored.largest(before - scored.log_sum_exp().view(before.shape), count))

    def choose(self, parents: Sequence[Sequence[int]]) -> None:
        """As `CompiledSearch.choose`."""
        self.state.choose(torch.tensor(parents, device=self.model.device))

    def keep(self, sources: list[int]) -> None:
        """As `CompiledSearch.keep`."""
        self.state.keep(sources)

    def _step(self, tokens: Sequence[Sequence[int]]) -> Scored:
        return Scored(
            step(self.model, torch.tensor(tokens, device=self.model.device), self.state), self.model.forbidden
        )


def _begin(
    model: PackedTransformer | CompiledTransformer, src: Int[Tensor, "sources src_len"], widest: int = 1
) -> _TorchSearch | CompiledSearch:
    """Read the sources. Errors as in `CompiledSearch`, or in `stepping.start`."""
    return (CompiledSearch if isinstance(model, CompiledTransformer) else _TorchSearch)(model, src, widest)


def greedy_decode(
    model: PackedTransformer | CompiledTransformer,
    src: Int[Tensor, "batch src_len"],
    max_len: int | None = None,
    scores: bool = True,
) -> list[Hypothesis]:
    """As `decoding.greedy_decode`, with equal tokens, and log-probabilities that differ by rounding alone.

    Args:
        scores: whether log-probabilities are wanted. Without them each hypothesis has NaN there, and no step sums over
            the vocabulary: the largest logit is the most probable token already.

    Raises:
        ValueError, FloatingPointError: as there.
    """
    limits = length_limits(model.original, src, max_len)
    tokens: list[list[int]] = [[] for _ in limits]
    totals = [0.0 if scores else math.nan] * len(limits)
    if not limits:
        return []
    config = model.config
    with torch.inference_mode():
        found = _begin(model, src)
        live: list[int | None] = list(range(len(limits)))  # the source of each row, None where it is done
        done, last = 0, [config.bos_id] * len(limits)
        while True:
            numbers, last = found.best(last, scores)
            for place, (number, token) in enumerate(zip(numbers, last, strict=True)):
                row = live[place]
                if row is None:
                    continue
                if scores and math.isnan(number):
                    raise FloatingPointError("the model gave NaN log-probabilities: its weights are not finite")
                if number > -math.inf:  # otherwise nothing can follow: the row stays as it is, unfinished
                    tokens[row].append(token)
                    totals[row] += number if scores else 0
                    if token != config.eos_id and len(tokens[row]) < limits[row]:
                        continue
                live[place] = None
                done += 1
            if done == len(live):
                break
            if done and done * found.patience >= len(live):
                kept = _gaps_filled(live)
                found.keep(kept)
                live, last, done = [live[place] for place in kept], [last[place] for place in kept], 0
    return [Hypothesis(tuple(row), total, total) for row, total in zip(tokens, totals, strict=True)]


def beam_search(
    model: PackedTransformer | CompiledTransformer,
    src: Int[Tensor, "batch src_len"],
    beam_size: int = 4,
    length_penalty: float = 0.6,
    max_len: int | None = None,
) -> list[Hypothesis]:
    """As `decoding.beam_search`: equal tokens, scores that differ by rounding alone, the same order among equals.

    Raises:
        TypeError, ValueError, FloatingPointError: as there; ValueError too where the beam is wider than `WIDEST`.
    """
    check_beam_size(beam_size, model.config.vocab_size)
    check_penalty(length_penalty)
    if beam_size > WIDEST:
        raise ValueError(
            f"a fast beam is at most {WIDEST} wide, got {beam_size}: decoding.beam_search takes wider ones"
        )
    config = model.config
    beams = [_Beam(limit, length_penalty, config.eos_id) for limit in length_limits(model.original, src, max_len)]
    if not beams:
        return []
    with torch.inference_mode():
        found = _begin(model, src, beam_size)
        live: list[_Beam | None] = list(beams)  # None where a source is done
        done, width = 0, 1
        last, totals = [[config.bos_id] for _ in beams], [[0.0] for _ in beams]
        while True:
            count = min(beam_size, width * config.vocab_size)
            going = []
            for place, (beam, *best) in enumerate(zip(live, *found.largest(last, totals, count), strict=True)):
                going.append(beam.advance(*best) if beam else [])
                if beam and not going[-1]:
                    live[place] = None
                    done += 1
            if done == len(live):
                break
            if done and done * found.patience >= len(live):
                kept = _gaps_filled(live)
                found.keep(kept)
                live, going, done = [live[place] for place in kept], [going[place] for place in kept], 0
            width = max(map(len, going))
            nothing = (-math.inf, 0, config.eos_id)
            grid = [[*one, *[nothing] * (width - len(one))] for one in going]
            totals, parents, last = ([[one[part] for one in row] for row in grid] for part in range(3))
            found.choose(parents)
    return [beam.best() for beam in beams]


def _gaps_filled(live: list) -> list[int]:
    """The places that hold something, the last of them moved to where the first do not, so that few change theirs."""
    places = [place for place, one in enumerate(live) if one is not None]
    late = [place for place in places if place >= len(places)]
    return [place if live[place] is not None else late.pop() for place in range(len(places))]


class _Beam:
    """The prefixes of one source: where each came from, and the best that has finished.

    A prefix is written down step by step, as its parent's rank and its token, and read backwards when it is wanted.
    """

    def __init__(self, limit: int, length_penalty: float, eos_id: int):
        self.limit, self.length_penalty, self.eos_id = limit, length_penalty, eos_id
        self.steps: list[list[tuple[float, int, int]]] = []  # (log-probability, parent, token) of those that live on
        self.finished: Hypothesis | None = None

    def advance(self, totals: list[float], parents: list[int], tokens: list[int]) -> list[tuple[float, int, int]]:
        """Take up the chosen continuations, best first; give back those that live on, or none if this beam is done."""
        grown = []
        for total, parent, token in zip(totals, parents, tokens, strict=True):
            if total == -math.inf:  # not a continuation: forbidden, impossible, or of no prefix
                break
            if token != self.eos_id:
                grown.append((total, parent, token))
                continue
            hypothesis = self._hypothesis(total, parent, token)
            if self.finished is None or hypothesis.score > self.finished.score:
                self.finished = hypothesis
        if not grown:
            return []
        self.steps.append(grown)
        if len(self.steps) == self.limit or self._is_decided(grown[0][0]):
            return []
        return grown

    def _hypothesis(self, total: float, parent: int, token: int) -> Hypothesis:
        tokens = [token]
        for step_ in reversed(self.steps):
            _, grandparent, earlier = step_[parent]
            tokens.append(earlier)
            parent = grandparent
        return Hypothesis(tuple(reversed(tokens)), total, total / gnmt_penalty(len(tokens), self.length_penalty))

    def _is_decided(self, log_prob: float) -> bool:
        """The stop rule, proved in `decoding.beam_search`."""
        if self.finished is None:
            return False
        return log_prob / gnmt_penalty(self.limit, self.length_penalty) <= self.finished.score

    def best(self) -> Hypothesis:
        """The best finished sentence; without one, the best prefix."""
        if self.finished is not None:
            return self.finished
        if not self.steps:
            return Hypothesis((), 0.0, 0.0)
        (total, parent, token), self.steps = self.steps[-1][0], self.steps[:-1]
        return self._hypothesis(total, parent, token)
