"""The masks under which the book's layer is compared with torch's."""

import torch
from jaxtyping import Bool
from torch import Tensor

from ...attention.masks import causal_mask, combine_masks, lengths_mask

HEADER = ("mask", "output", "gradient of x", "gradient of W")


def masks(drawn: Bool[Tensor, "1 heads 5 5"]) -> dict[str, Tensor | None]:
    """Masks for two sentences of 5 and 3 tokens, by name; True where a query may attend.

    Args:
        drawn: one mask for each head, anything; its first key is allowed to all, because torch's layer gives NaN to a
            query that sees nothing.
    """
    causal, padding = causal_mask(5), lengths_mask(torch.tensor([5, 3]), 5)
    own = drawn.clone()
    own[..., 0] = True
    both = combine_masks(causal, padding)
    named = {"none": None, "causal": causal, "padding": padding, "causal and padding": both}
    return named | {"one for each head": own}
