"""Where a token stands: attention itself does not know, so the position is added to what it sees."""

import torch
from jaxtyping import Float
from torch import Tensor


def sinusoidal_positions(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    r"""A fixed vector for each position, made of sines and cosines of geometrically spaced wavelengths.

    .. math:: PE_{(pos,\,2i)} = \sin\!\left(pos / 10000^{2i/d_{\text{model}}}\right), \qquad
        PE_{(pos,\,2i+1)} = \cos\!\left(pos / 10000^{2i/d_{\text{model}}}\right)

    Vaswani et al. 2017, §3.5.

    Args:
        length: number of positions, counted from 0.
        d_model: width, even, because sines and cosines come in pairs.

    Returns:
        One row a position, in torch's default float type. Wavelengths run from 2π to nearly 10000 · 2π positions.

    Raises:
        ValueError: if the width is odd or not positive, or the length is negative.

    Pitfall: some implementations put all sines first and all cosines after them. Both work; weights do not carry over.
    """
    if d_model <= 0 or d_model % 2:
        raise ValueError(f"d_model must be even and positive, got {d_model}")
    if length < 0:
        raise ValueError(f"length must not be negative, got {length}")
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    frequency = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (d_model / 2,)
    angle = position * frequency  # (length, d_model / 2)
    interleaved = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (length, d_model / 2, 2)
    return interleaved.reshape(length, d_model).to(torch.get_default_dtype())
