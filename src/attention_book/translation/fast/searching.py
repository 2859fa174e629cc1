"""Greedy and beam search over a packed Transformer: what `translation.decoding` finds, sooner."""

import math

import torch
from jaxtyping import Int
from torch import Tensor

from ...models.search_interface import length_limits
from ..decoding import Hypothesis, check_beam_size, check_penalty, gnmt_penalty
from .choosing import Scored
from .large_pages import PagedTransformer
from .one_sentence import OneSource, best, largest
from .packing import PackedTransformer
from .stepping import start, step

WIDEST = 16
"""The widest beam: each step's work on the keys of earlier steps grows with the square of the width."""
_DEAD = 24  # sources that are done are let go of when one in so many is


def greedy_decode(
    model: PackedTransformer, src: Int[Tensor, "batch src_len"], max_len: int | None = None, scores: bool = True
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
    if len(limits) == 1 and isinstance(model, PagedTransformer):
        with torch.inference_mode():
            return [_greedy_of_one(model, src, limits[0], scores)]
    config = model.config
    with torch.inference_mode():
        state = start(model, src)
        live: list[int | None] = list(range(len(limits)))  # the source of each row, None where it is done
        done = 0
        last = torch.full((len(live), 1), config.bos_id, device=src.device)
        while True:
            scored = Scored(step(model, last, state), model.forbidden)
            best, chosen = scored.best()
            if scores:
                best -= scored.log_sum_exp()
            for place, (number, token) in enumerate(zip(best.tolist(), chosen.tolist(), strict=True)):
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
            last = chosen[:, None]
            if done * _DEAD >= len(live):
                kept = _gaps_filled(live)
                state.keep(kept)
                live, done = [live[place] for place in kept], 0
                last = last[kept]
    return [Hypothesis(tuple(row), total, total) for row, total in zip(tokens, totals, strict=True)]


def _greedy_of_one(model: PagedTransformer, src: Tensor, limit: int, scores: bool) -> Hypothesis:
    source, tokens, total = OneSource(model, src), [model.config.bos_id], 0.0
    while len(tokens) <= limit:
        number, token = best(model, source.step(torch.tensor(tokens[-1:]), None), scores)
        if number == -math.inf:  # nothing can follow
            break
        tokens.append(token)
        total += number
        if token == model.config.eos_id:
            break
    total = total if scores else math.nan
    return Hypothesis(tuple(tokens[1:]), total, total)


def beam_search(
    model: PackedTransformer,
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
    if len(beams) == 1 and isinstance(model, PagedTransformer):
        with torch.inference_mode():
            return [_beam_of_one(model, src, beams[0], beam_size)]
    with torch.inference_mode():
        state = start(model, src, beam_size)
        live: list[_Beam | None] = list(beams)  # None where a source is done
        done, width = 0, 1
        last = torch.full((len(live), 1), config.bos_id, device=src.device)
        totals = torch.zeros(len(live), 1, device=src.device)
        while True:
            scored = Scored(step(model, last, state), model.forbidden)
            added = totals - scored.log_sum_exp().view(totals.shape)
            count = min(beam_size, width * config.vocab_size)
            found = [part.tolist() for part in scored.largest(added, count)]
            going = []
            for place, (beam, *continuations) in enumerate(zip(live, *found, strict=True)):
                going.append(beam.advance(*continuations) if beam else [])
                if beam and not going[-1]:
                    live[place] = None
                    done += 1
            if done == len(live):
                break
            kept = None
            if done * _DEAD >= len(live):
                kept = _gaps_filled(live)
                live, going, done = [live[place] for place in kept], [going[place] for place in kept], 0
            width = max(map(len, going))
            nothing = (-math.inf, 0, config.eos_id)
            grid = [[*one, *[nothing] * (width - len(one))] for one in going]
            if kept is not None:
                state.keep(kept)
            totals, parents, last = (
                torch.tensor([[one[part] for one in row] for row in grid], device=src.device) for part in range(3)
            )
            state.choose(parents)
    return [beam.best() for beam in beams]


def _beam_of_one(model: PagedTransformer, src: Tensor, beam: "_Beam", beam_size: int) -> Hypothesis:
    source = OneSource(model, src, beam_size)
    totals, parents, tokens = (0.0,), None, (model.config.bos_id,)
    while True:
        states = source.step(torch.tensor(tokens), None if parents is None else torch.tensor(parents))
        going = beam.advance(*largest(model, states, torch.tensor(totals), beam_size))
        if not going:
            return beam.best()
        totals, parents, tokens = zip(*going, strict=True)


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
