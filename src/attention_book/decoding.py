"""From a model's next-token probabilities to a whole sentence: greedy search, beam search, and exhaustive search."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int64
from torch import Tensor


class Hypothesis(NamedTuple):
    """One output sentence of a search.

    Attributes:
        tokens: the generated ids, without `<s>`; the last one is `</s>` if the sentence is finished, and some other
            id if the search reached `max_len` first.
        log_prob: log p(tokens | src) in nats, the sum over the generated tokens, `</s>` included.
        score: what the search ranked by: log_prob / lp(len(tokens)) in beam and exhaustive search, log_prob in greedy.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float


@runtime_checkable
class SearchModel(Protocol):
    """What a model family offers to the searches below; the Transformer and the recurrent models both do.

    `step` feeds one token to every row of the state and returns the log-probabilities of the next one; the first step
    feeds `<s>`. `state.reorder(rows)` returns a state that holds the given rows: repeated, dropped or permuted.
    """

    config: Any  # has pad_id, bos_id, eos_id, vocab_size, and max_len: the longest target it accepts, or None

    def encode(self, src: Int64[Tensor, "batch src_len"]) -> Any: ...

    def start(self, memory: Any) -> Any: ...

    def step(self, tokens: Int64[Tensor, " rows"], state: Any) -> tuple[Float[Tensor, "rows vocab"], Any]: ...


@contextmanager
def _inference(model: SearchModel) -> Iterator[None]:
    """Run without gradients and with dropout off, and leave the model in the mode in which it was found."""
    was_training = getattr(model, "training", False)
    if was_training:
        model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        if was_training:
            model.train()


def _length_limits(model: SearchModel, src: Tensor, max_len: int | None) -> list[int]:
    """The most tokens that each row may get, from that row alone, so that a batch decodes as its rows do singly."""
    longest = getattr(model.config, "max_len", None)
    if max_len is None:
        src_lens = (src != model.config.pad_id).sum(dim=1).tolist()
        limits = [2 * src_len + 10 for src_len in src_lens]
        return limits if longest is None else [min(limit, longest) for limit in limits]
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1 (it counts </s>), got {max_len}")
    if longest is not None and max_len > longest:
        raise ValueError(f"max_len={max_len} exceeds the {longest} positions of the model (config.max_len)")
    return [max_len] * src.shape[0]


def _step(model: SearchModel, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
    """One step of the model, with `<pad>` and `<s>` forbidden: minus infinity, the others not renormalised."""
    log_probs, state = model.step(tokens, state)
    if torch.isnan(log_probs).any():
        raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")
    log_probs = log_probs.to(torch.promote_types(log_probs.dtype, torch.float32), copy=True)  # sums need the digits
    log_probs[:, [model.config.pad_id, model.config.bos_id]] = -torch.inf
    return log_probs, state


def greedy_decode(
    model: SearchModel, src: Int64[Tensor, "batch src_len"], max_len: int | None = None
) -> list[Hypothesis]:
    """Take the most probable token at every step, until `</s>`: y_t = argmax_y p(y | y_1 … y_{t-1}, src).

    Args:
        model: any `SearchModel`; it is decoded with dropout off and left in the mode in which it came.
        src: ids (batch, src_len), padded with `config.pad_id`, on the model's device.
        max_len: most tokens a row may get, `</s>` counted. By default twice the row's own source length (pads not
            counted) plus 10, and never more than `config.max_len`.

    Returns:
        One hypothesis a row, in order. Equal probabilities go to the lower id. `<pad>` and `<s>` are never generated;
        `<unk>` is a token like any other. A row that has not ended by `max_len` comes back without `</s>`.

    Raises:
        ValueError: `max_len` is below 1 or above `config.max_len`.
        FloatingPointError: the model gave NaN.

    Pitfall: the best first token need not begin the best sentence; `beam_search` and `exhaustive_search` show it.
    """
    limits = _length_limits(model, src, max_len)
    tokens: list[list[int]] = [[] for _ in limits]
    log_probs = [0.0] * len(limits)
    live = list(range(len(limits)))  # the source row of each row of the state
    if not live:
        return []
    with _inference(model):
        state = model.start(model.encode(src))
        last = torch.full((len(live),), model.config.bos_id, dtype=torch.int64, device=src.device)
        while live:
            step_log_probs, state = _step(model, last, state)
            best, choice = step_log_probs.max(dim=-1)  # the first maximum, so the lower id
            keep = []
            for place, (row, log_prob, token) in enumerate(zip(live, best.tolist(), choice.tolist(), strict=True)):
                if log_prob == -torch.inf:  # nothing can follow: the row stays as it is, unfinished
                    continue
                tokens[row].append(token)
                log_probs[row] += log_prob
                if token != model.config.eos_id and len(tokens[row]) < limits[row]:
                    keep.append(place)
            last = choice
            if 0 < len(keep) < len(live):
                rows = torch.tensor(keep, device=src.device)
                last, state = choice[rows], state.reorder(rows)
            live = [live[place] for place in keep]
    return [Hypothesis(tuple(row), total, total) for row, total in zip(tokens, log_probs, strict=True)]
