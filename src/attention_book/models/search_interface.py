"""What a model offers to a search, and the steps that every search shares."""

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor


@runtime_checkable
class SearchModel(Protocol):
    """What a model family offers to a search; the Transformer, the recurrent models and the decoder-only model do.

    `step` feeds one token to every row of the state and returns the log-probabilities of the next one; the first step
    feeds `<s>`. `state.reorder(rows)` returns a state that holds the given rows: repeated, dropped or permuted.
    """

    config: Any  # has pad_id, bos_id, eos_id, vocab_size, and max_len: the longest target it accepts, or None

    def encode(self, src: Int[Tensor, "batch src_len"]) -> Any:
        """What a search keeps of the sources."""
        ...

    def start(self, memory: Any) -> Any:
        """The state before the first token."""
        ...

    def step(self, tokens: Int[Tensor, " rows"], state: Any) -> tuple[Float[Tensor, "rows vocab"], Any]:
        """Feed one token per row; the log-probabilities of the next one, and the state after it."""
        ...


_SWITCHED = (
    "the model was put into training mode while it was being searched, perhaps by another thread, and dropout may have "
    "changed the result: call model.eval() before several threads share a model"
)


@contextmanager
def inference(model: SearchModel) -> Iterator[None]:
    """Run without gradients and with dropout off, and leave the model in the mode in which it was found.

    Any number of threads may search one model that is in evaluation mode. A model in training mode is searched by one
    thread at a time, since its mode is switched for all; `Translator` has a way around that.

    Raises:
        RuntimeError: somebody else put the model into training mode meanwhile; with dropout, the result is by chance.
    """
    was_training = getattr(model, "training", False)
    if was_training:
        model.eval()
    try:
        with torch.no_grad():
            yield
        if getattr(model, "training", False):
            raise RuntimeError(_SWITCHED)
    finally:
        if was_training:
            model.train()


def check_count(name: str, value: object, least: int = 1, most: int | None = None) -> None:
    """Refuse what is no whole number, or out of range; ``name`` is what the caller knows the value by.

    Raises:
        TypeError: the value is no whole number. True and False are none.
        ValueError: it is below ``least`` or above ``most``.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r:.80}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")


def length_limits(model: SearchModel, src: Tensor, max_len: int | None) -> list[int]:
    """The most tokens that each row may get, from that row alone, so that a batch decodes as its rows do singly."""
    longest = getattr(model.config, "max_len", None)
    if max_len is None:
        src_lens = (src != model.config.pad_id).sum(dim=1).tolist()
        limits = [2 * src_len + 10 for src_len in src_lens]
        return limits if longest is None else [min(limit, longest) for limit in limits]
    check_count("max_len", max_len)
    if longest is not None and max_len > longest:
        raise ValueError(f"max_len={max_len} exceeds the {longest} positions of the model (config.max_len)")
    return [max_len] * src.shape[0]


def next_log_probs(model: SearchModel, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
    """One step of the model, with `<pad>` and `<s>` forbidden: minus infinity, the others not renormalised."""
    log_probs, state = model.step(tokens, state)
    if getattr(model, "training", False):
        raise RuntimeError(_SWITCHED)
    log_probs = log_probs.to(torch.promote_types(log_probs.dtype, torch.float32), copy=True)  # sums need the digits
    log_probs[:, [model.config.pad_id, model.config.bos_id]] = -torch.inf
    return log_probs, state


def largest_first(values: Tensor, count: int) -> tuple[list[list[float]], list[list[int]]]:
    """The `count` largest of each row and where they stand, largest first, equal ones in the order of the row.

    `torch.topk` promises no order among equal values; a maximum is promised to be the first of its equals.
    """
    values = values.clone()
    found = []
    for _ in range(count):
        found.append(values.max(dim=-1))
        values.scatter_(1, found[-1].indices[:, None], -torch.inf)
    best = torch.stack([maximum.values for maximum in found], dim=1)
    if torch.isnan(best).any():  # a maximum over NaN is NaN
        raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")
    return best.tolist(), torch.stack([maximum.indices for maximum in found], dim=1).tolist()
