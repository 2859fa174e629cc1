"""What a computation costs: multiply-adds, the longest chain of operations, numbers kept, and processor time."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from ..attention.scores import additive_scores, dot_scores, general_scores
from ..models.config import TransformerConfig
from ..models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from ..models.transformer import Transformer


def of_attention(n: int, d_model: int, n_heads: int, d_k: int | None = None, d_v: int | None = None) -> dict[str, int]:
    """Multiply-adds of multi-head self-attention over n positions, by part (orders: Vaswani et al. 2017, Table 1).

    Args:
        n: positions.
        d_model: width.
        n_heads: number of heads h.
        d_k, d_v: widths in a head; ``d_model / n_heads`` if left out.

    Returns:
        ``projections`` (of queries, keys, values and the joined heads: order n d²), ``scores`` and ``mixing`` (order
        n² d), and ``exponentials``, which are no multiply-adds: h n² of them, the one count that depends on h if h·d_k
        and h·d_v do not.
    """
    d_k = d_model // n_heads if d_k is None else d_k
    d_v = d_k if d_v is None else d_v
    return {
        "projections": 2 * n * d_model * n_heads * d_k + 2 * n * d_model * n_heads * d_v,
        "scores": n_heads * n * n * d_k,
        "mixing": n_heads * n * n * d_v,
        "exponentials": n_heads * n * n,
    }


def of_recurrence(n: int, d_model: int) -> int:
    """Multiply-adds of a plain recurrent layer, h_t = tanh(x_t W + h_{t−1} U): one step after the other, 2 n d²."""
    return 2 * n * d_model * d_model


def counted(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """Multiply-adds in the matrix products of one call, as torch counts them; it calls one of them two operations."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        fn(*args, **kwargs)
    return counter.get_total_flops() // 2


def longest_chain(output: Tensor) -> int:
    """The operations on the longest way from any parameter or input that learns to an output.

    Operations that do not need each other can run at the same time; those on one chain cannot, however many processors
    there are. Vaswani et al. 2017, Table 1, call the order of this number "sequential operations": O(n) for a recurrent
    layer over n positions, O(1) for self-attention.

    Args:
        output: computed with gradients on, so that torch has recorded how.

    Returns:
        The number of recorded operations on the chain. A product of two matrices counts as one, whatever their sizes.

    Raises:
        ValueError: nothing was recorded.

    Pitfall: a fused layer such as ``nn.GRU`` is recorded as one operation and hides its steps.
    """
    if output.grad_fn is None:
        raise ValueError("nothing was recorded for this tensor: compute it with gradients on")
    longest, open_nodes = {}, [output.grad_fn]
    while open_nodes:
        node = open_nodes[-1]
        before = [function for function, _ in node.next_functions if function is not None]
        if missing := [function for function in before if function not in longest]:
            open_nodes += missing
        else:
            is_operation = bool(before)  # what is left is a leaf: a parameter or an input
            longest[open_nodes.pop()] = is_operation + max((longest[function] for function in before), default=0)
    return longest[output.grad_fn]


def translator_chains(sizes: Sequence[int]) -> dict[str, list[int]]:
    """The longest chain of three small translators of one layer, for n source and n target tokens.

    Args:
        sizes: the numbers n.

    Returns:
        By translator, a number for each n.
    """
    with torch.random.fork_rng():
        torch.manual_seed(0)
        models = {
            "recurrent, asks before": RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False)),
            "recurrent, asks after": RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks="after")),
            "Transformer": Transformer(TransformerConfig.tiny(50, n_layers=1)),
        }
        return {
            name: [longest_chain(model(torch.full((1, n), 5), torch.full((1, n), 6))) for n in sizes]
            for name, model in models.items()
        }


def numbers_kept(fn: Callable[..., object], *tensors: Tensor) -> int:
    """How many numbers torch keeps for the backward pass of ``fn(*tensors)``, the inputs that it needs among them.

    Each storage counts once, however many operations need it. An input that is kept is counted whole.

    Pitfall: this is what stays, not the most that is in memory at a time.
    """
    found: dict[int, tuple[Tensor, int]] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        size = storage.nbytes() // tensor.element_size()
        found[storage.data_ptr()] = (tensor, size)  # held, so that no address is used twice
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        result = fn(*tensors)  # held until all has been counted
    kept = sum(size for _, size in found.values())
    del result
    return kept


def processor_ms(fn: Callable[..., object], *tensors: Tensor, repeats: int = 12) -> float:
    """The least processor time of several calls without gradients, in milliseconds: other work counts little in it."""
    times = []
    with torch.no_grad():
        for _ in range(repeats):
            began = time.process_time()
            fn(*tensors)
            times.append(time.process_time() - began)
    return 1000 * min(times)


@dataclass(frozen=True)
class ScoreCosts:
    """What scores of n queries and n keys cost.

    Attributes:
        width: of queries and keys.
        kept: by score, what :func:`numbers_kept` counts for each n.
        spent: by score, what :func:`processor_ms` measures for each n.
        sizes: the numbers n, rising.
    """

    width: int
    kept: Mapping[str, list[int]]
    spent: Mapping[str, list[float]]
    sizes: Sequence[int]

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name; all is of the largest n."""
        n = self.sizes[-1]
        return {
            "cost_width": self.width,
            "cost_n": n,
            "kept_ratio": self.kept["additive"][-1] / self.kept["general"][-1],
            "time_ratio": self.spent["additive"][-1] / self.spent["general"][-1],
        }


def score_costs(sizes: Sequence[int], width: int = 256) -> ScoreCosts:
    """What additive, general and dot scores cost on one thread, between random vectors of double precision.

    Args:
        sizes: numbers of queries, and as many keys, rising.
        width: of queries, keys and the additive score's hidden units.
    """
    kept, spent = ({kind: [] for kind in ("additive", "general", "dot")} for _ in range(2))
    random = partial(torch.randn, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        w_q, w_k = (random(width, width).div_(width**0.5).requires_grad_() for _ in range(2))
        v = random(width).requires_grad_()
        for n in sizes:
            q, k = (random(n, width).requires_grad_() for _ in range(2))
            calls = {
                "additive": (additive_scores, q, k, w_q, w_k, v),
                "general": (general_scores, q, k, w_q),
                "dot": (dot_scores, q, k),
            }
            for kind, call in calls.items():
                kept[kind].append(numbers_kept(*call))
                spent[kind].append(processor_ms(*call))
    finally:
        torch.set_num_threads(threads)
    return ScoreCosts(width, kept, spent, sizes)
