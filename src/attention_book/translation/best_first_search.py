"""The most probable sentence of a model, found for certain: what a beam search only approximates."""

import heapq
import math
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from ..models.search_interface import SearchModel, check_count, inference, length_limits, next_log_probs
from .decoding import Hypothesis, greedy_decode

MOST_EXPANSIONS = 100_000  # each leaves what it came to in memory, for the prefixes that may grow from it


class Exact(NamedTuple):
    """What a best-first search came to.

    Attributes:
        hypothesis: the most probable sentence, or None if the search was cut off before it was certain.
        expansions: prefixes that the model was run on.
        bound: no sentence has a larger log-probability than this; that of the hypothesis if there is one.
    """

    hypothesis: Hypothesis | None
    expansions: int
    bound: float


class _Node(NamedTuple):
    """A prefix on the agenda. Its last token has not been fed yet: `state` is the one before it."""

    cost: float  # −log p of the prefix
    order: int  # of equal costs, the prefix found first
    tokens: tuple[int, ...]
    state: Any


def best_first_search(
    model: SearchModel, src: Int[Tensor, "batch src_len"], max_len: int | None = None, max_expansions: int = 2000
) -> Exact:
    r"""Always extend the most probable prefix, until the most probable one ends in ``</s>``.

    A longer prefix is never more probable than the one it extends: each token multiplies by a probability of at most 1.
    So when a finished sentence comes to the top of the agenda, everything still on it, and whatever could grow from
    that, is at most as probable: the sentence is :math:`\arg\max_y P(y \mid x)`. This is Dijkstra's shortest path with
    the costs :math:`-\log P`. (Stahlberg and Byrne 2019, §3, search depth first with the same bound.)

    Args:
        model: any `SearchModel`; it is decoded with dropout off and left in the mode in which it came.
        src: ids of one sentence (1, src_len).
        max_len: most tokens, ``</s>`` counted; sentences that are longer do not take part. As in
            `decoding.beam_search` if None.
        max_expansions: prefixes that the model may be run on before the search gives up; at most `MOST_EXPANSIONS`.

    Returns:
        The sentence, if it is certain, with the number of prefixes that it took. Ranking is by log-probability alone,
        as with ``length_penalty=0``: a length penalty would let a longer prefix score more than a shorter one.

    Raises:
        TypeError: a limit is no whole number.
        ValueError: more than one sentence, or a limit out of range.
        FloatingPointError: the model gave NaN.
    """
    if src.shape[0] != 1:
        raise ValueError(f"best-first search takes one sentence at a time, got {src.shape[0]}")
    check_count("max_expansions", max_expansions, most=MOST_EXPANSIONS)
    (limit,) = length_limits(model, src, max_len)
    found, eos_id = 0, model.config.eos_id
    with inference(model):
        ceiling = -_greedy(model, src, limit)  # what costs more than a sentence that is known need not be kept
        agenda = [_Node(0.0, found, (), model.start(model.encode(src)))]
        for expansions in range(max_expansions + 1):
            while agenda and len(agenda[0].tokens) == limit and agenda[0].tokens[-1] != eos_id:
                heapq.heappop(agenda)  # too long to end in time
            if not agenda:
                return Exact(None, expansions, -math.inf)
            node = heapq.heappop(agenda)
            if node.tokens and node.tokens[-1] == eos_id:
                return Exact(Hypothesis(node.tokens, -node.cost, -node.cost), expansions, -node.cost)
            if expansions == max_expansions:
                return Exact(None, expansions, -node.cost)
            last = torch.tensor([node.tokens[-1] if node.tokens else model.config.bos_id], device=src.device)
            log_probs, state = next_log_probs(model, last, node.state)
            if torch.isnan(log_probs).any():
                raise FloatingPointError("the model gave NaN: its weights or input are not finite")
            costs = node.cost - log_probs[0].double()
            for token in ((costs <= ceiling) & (costs < math.inf)).nonzero()[:, 0].tolist():
                found, cost = found + 1, float(costs[token])
                heapq.heappush(agenda, _Node(cost, found, (*node.tokens, token), state))
                if token == eos_id:
                    ceiling = min(ceiling, cost)
    raise AssertionError("the loop returns")


def _greedy(model: SearchModel, src: Tensor, limit: int) -> float:
    """The log-probability of the greedy sentence, a little less for rounding; −∞ if it does not end in time."""
    (greedy,) = greedy_decode(model, src, limit)
    finished = greedy.tokens and greedy.tokens[-1] == model.config.eos_id
    return greedy.log_prob - 1e-4 if finished else -math.inf
