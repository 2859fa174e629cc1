"""How long a computation has to wait for itself: the longest chain of operations, each needing the one before."""

from collections.abc import Sequence

import torch
from torch import Tensor

from .config import TransformerConfig
from .recurrent import RecurrentConfig, RecurrentEncoderDecoder
from .transformer import Transformer


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
