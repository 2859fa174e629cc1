"""A beam search written down: at every step what was kept, what ended, and the best of what was dropped."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from ..models.search_interface import SearchModel, check_count, inference, largest_first, length_limits, next_log_probs
from .decoding import MOST_CONTINUATIONS, Hypothesis, check_beam_size, check_penalty, gnmt_penalty

KEPT, FINISHED, DROPPED = "kept", "finished", "dropped"


class Candidate(NamedTuple):
    """A live prefix with one more token, and what became of it.

    Attributes:
        parent: the rank of the prefix among those kept by the step before; 0 for the empty one.
        tokens: the ids, the new one last.
        log_prob: log p(tokens | src), in nats.
        fate: "kept": it lives on; "finished": it ended in ``</s>`` within the beam; "dropped": it was not in the beam.
    """

    parent: int
    tokens: tuple[int, ...]
    log_prob: float
    fate: str


class Step(NamedTuple):
    """One step of the search: its candidates, the most probable first. The first `beam_size` of them are the beam."""

    candidates: tuple[Candidate, ...]

    def of(self, fate: str) -> list[Candidate]:
        """Those with this fate, the most probable first."""
        return [candidate for candidate in self.candidates if candidate.fate == fate]


class BeamTree(NamedTuple):
    """A whole search.

    Attributes:
        steps: step t holds prefixes of t tokens, from 1.
        limit: the most tokens that a sentence may have, ``</s>`` counted.
    """

    steps: tuple[Step, ...]
    limit: int

    def finished(self, alpha: float, after: int | None = None) -> list[Hypothesis]:
        """What had ended by step `after` (the last if None), the best score first."""
        found = [
            Hypothesis(one.tokens, one.log_prob, one.log_prob / gnmt_penalty(len(one.tokens), alpha))
            for step in self.steps[:after]
            for one in step.of(FINISHED)
        ]
        return sorted(found, key=lambda hypothesis: -hypothesis.score)

    def reach(self, alpha: float, after: int) -> float:
        """The most that the score of a sentence still to be found can be after that step; −∞ if nothing lives.

        The largest log-probability of a live prefix, over the largest lp: the bound proved in `decoding.beam_search`.
        """
        live = self.steps[after - 1].of(KEPT)
        if not live or after == self.limit:
            return -math.inf
        return live[0].log_prob / gnmt_penalty(self.limit, alpha)

    def decided_at(self, alpha: float) -> int:
        """The first step after which nothing better can be found, or the last one."""
        for after in range(1, len(self.steps) + 1):
            finished = self.finished(alpha, after)
            if finished and self.reach(alpha, after) <= finished[0].score:
                return after
        return len(self.steps)


def grow(
    model: SearchModel,
    src: Int[Tensor, "batch src_len"],
    beam_size: int,
    alphas: Sequence[float] = (),
    max_len: int | None = None,
    dropped: int = 3,
) -> BeamTree:
    """Run the search of `decoding.beam_search` on one sentence and keep everything that it looked at.

    What the beam holds does not depend on the length penalty, which ranks finished sentences only. So one tree serves
    all penalties; they differ in which finished sentence is best and in when the search may stop.

    Args:
        model: any `SearchModel`; it is decoded with dropout off and left in the mode in which it came.
        src: ids of one sentence (1, src_len).
        beam_size: prefixes kept a step, those that end among them.
        alphas: the search goes on until the stop rule holds for each of these penalties; to the end if there are none.
        max_len: most tokens, ``</s>`` counted; as in `decoding.beam_search` if None.
        dropped: how many of the best candidates outside the beam are written down at each step, 0 or more.

    Returns:
        The tree. For each alpha in `alphas`, ``finished(alpha)[0]`` is what `beam_search` returns, if anything ended.

    Raises:
        TypeError: as in `decoding.beam_search`; or `dropped` is no whole number.
        ValueError: more than one sentence, or as in `decoding.beam_search`, for `beam_size` and `dropped` together.
        FloatingPointError: the model gave NaN.
    """
    if src.shape[0] != 1:
        raise ValueError(f"a tree is grown for one source at a time, got {src.shape[0]}")
    check_beam_size(beam_size, model.config.vocab_size)
    check_count("dropped", dropped, least=0, most=MOST_CONTINUATIONS // model.config.vocab_size - beam_size)
    for alpha in alphas:
        check_penalty(alpha)
    (limit,) = length_limits(model, src, max_len)
    tree = BeamTree((), limit)
    live: list[Candidate] = [Candidate(0, (), 0.0, KEPT)]
    with inference(model):
        state = model.start(model.encode(src))
        while live and len(tree.steps) < limit:
            last = [prefix.tokens[-1] if prefix.tokens else model.config.bos_id for prefix in live]
            log_probs, state = next_log_probs(model, torch.tensor(last, device=src.device), state)
            log_probs += log_probs.new_tensor([prefix.log_prob for prefix in live])[:, None]
            vocab = log_probs.shape[1]
            best = largest_first(log_probs.flatten()[None], min(beam_size + dropped, log_probs.numel()))
            candidates = []
            for rank, (total, index) in enumerate(zip(best[0][0], best[1][0], strict=True)):
                if total == -math.inf:  # not a continuation
                    break
                parent, token = divmod(index, vocab)
                fate = DROPPED if rank >= beam_size else FINISHED if token == model.config.eos_id else KEPT
                candidates.append(Candidate(parent, (*live[parent].tokens, token), total, fate))
            if not candidates:
                break
            tree = tree._replace(steps=(*tree.steps, Step(tuple(candidates))))
            live = tree.steps[-1].of(KEPT)
            if alphas and all(_decided(tree, alpha) for alpha in alphas):
                break
            if live:
                state = state.reorder(torch.tensor([prefix.parent for prefix in live], device=src.device))
    return tree


def _decided(tree: BeamTree, alpha: float) -> bool:
    finished = tree.finished(alpha)
    return bool(finished) and tree.reach(alpha, len(tree.steps)) <= finished[0].score


def first_finished(tree: BeamTree, alpha: float) -> Hypothesis:
    """What a search returns that stops with the first step in which a sentence ends."""
    return _stopped_when(tree, alpha, 1)


def as_many_as_the_beam(tree: BeamTree, alpha: float, beam_size: int) -> Hypothesis:
    """What a search returns that stops once as many sentences have ended as the beam is wide."""
    return _stopped_when(tree, alpha, beam_size)


def _stopped_when(tree: BeamTree, alpha: float, count: int) -> Hypothesis:
    steps = range(1, len(tree.steps) + 1)
    enough = next((after for after in steps if len(tree.finished(alpha, after)) >= count), None)
    return tree.finished(alpha, enough)[0]
