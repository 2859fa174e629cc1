"""Where a token stands: attention itself does not know, so it is told, by adding a vector or by turning one."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

LONGEST = 10000.0
"""The longest wavelength is nearly this many times the shortest, 2π positions (Vaswani et al. 2017, §3.5)."""


def frequencies(width: int) -> Float[Tensor, " pairs"]:
    r"""The angle in radians by which each pair of coordinates turns from one position to the next.

    .. math:: \omega_i = 10000^{-2i/\text{width}}, \qquad i = 0, \dots, \text{width}/2 - 1

    Vaswani et al. 2017, §3.5, for the sinusoids; Su et al. 2021, §3.2.2, for the rotations.

    Args:
        width: number of coordinates, even.

    Returns:
        One angle a pair in float64, from 1 down to nearly 1 / 10000. The wavelength of pair i is 2π / ω_i positions.

    Raises:
        ValueError: if the width is odd or not positive.
    """
    if width <= 0 or width % 2:
        raise ValueError(f"the width must be even and positive, got {width}")
    return LONGEST ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)


def sinusoidal_positions(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    r"""A fixed vector for each position, made of sines and cosines of geometrically spaced wavelengths.

    .. math:: PE_{(pos,\,2i)} = \sin\!\left(pos / 10000^{2i/d_{\text{model}}}\right), \qquad
        PE_{(pos,\,2i+1)} = \cos\!\left(pos / 10000^{2i/d_{\text{model}}}\right)

    Vaswani et al. 2017, §3.5.

    Args:
        length: number of positions, counted from 0.
        d_model: width, even, because sines and cosines come in pairs.

    Returns:
        One row per position, in torch's default float type. Wavelengths run from 2π to nearly 10000 · 2π positions.

    Raises:
        ValueError: if the width is odd or not positive, or the length is negative.

    Pitfall: some implementations put all sines first and all cosines after them. Both work; weights do not carry over.
    """
    if d_model <= 0 or d_model % 2:
        raise ValueError(f"d_model must be even and positive, got {d_model}")
    if length < 0:
        raise ValueError(f"length must not be negative, got {length}")
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    angle = position * frequencies(d_model)  # (length, pairs)
    interleaved = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (…, pairs, 2)
    return interleaved.reshape(length, d_model).to(torch.get_default_dtype())


def shift_rotation(offset: int, d_model: int) -> Float[Tensor, "d_model d_model"]:
    r"""The matrix that moves every sinusoidal vector by ``offset`` positions: :math:`PE_{pos+offset} = R\,PE_{pos}`.

    Pair i of the vector is :math:`(\sin \omega_i pos, \cos \omega_i pos)`, and the addition theorems make the shift a
    turn by :math:`\omega_i \cdot offset`, whatever the position:

    .. math:: R_i = \begin{pmatrix} \cos \omega_i \Delta & \sin \omega_i \Delta \\
        -\sin \omega_i \Delta & \cos \omega_i \Delta \end{pmatrix}

    Vaswani et al. 2017, §3.5, say that there is such a linear function and do not write it down.

    Args:
        offset: how many positions forward; negative for backward.
        d_model: width of the vectors, even.

    Returns:
        A block-diagonal rotation in float64, to be multiplied from the left with a column.

    Raises:
        ValueError: if the width is odd or not positive.
    """
    angle = offset * frequencies(d_model)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack(
        [
            torch.stack([cos, sin], dim=-1),
            torch.stack([-sin, cos], dim=-1),
        ],
        dim=-2,
    )  # (pairs, 2, 2)
    return torch.block_diag(*blocks)


def learned_positions(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """The vectors from which a table of learned positions starts: N(0, 1 / d_model), as an embedding does.

    Raises:
        ValueError: if the length is negative, or the width not positive.

    Pitfall: a row that no training sentence reaches gets no gradient and stays as it was drawn.
    """
    if length < 0 or d_model < 1:
        raise ValueError(f"length must not be negative and d_model positive, got {length} and {d_model}")
    return torch.randn(length, d_model) / math.sqrt(d_model)


def rotate_by_position(x: Float[Tensor, "*batch length width"], start: int = 0) -> Float[Tensor, "*batch length width"]:
    r"""Rotary positions: turn each pair of coordinates by an angle proportional to the position.

    .. math:: \begin{pmatrix} x'_{2i} \\ x'_{2i+1} \end{pmatrix} =
        \begin{pmatrix} \cos \omega_i m & -\sin \omega_i m \\ \sin \omega_i m & \cos \omega_i m \end{pmatrix}
        \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix} \quad\text{at position } m

    Su et al. 2021, equations 14, 15 and 34. If queries and keys are turned so, then the dot product of a query at
    position m and a key at position n depends on the two vectors and on m − n only.

    Args:
        x: queries or keys of a self-attention after the heads are split; the width is even.
        start: the position of the first row: under a cache, the number of positions cached.

    Returns:
        Vectors as long as they were, in the type of ``x``; half precision is turned in float32.

    Raises:
        ValueError: if the width is odd or not positive, or there is no axis of positions.
        TypeError: if ``x`` holds whole numbers, which a rotation does not give.

    Pitfall: many programs turn coordinate i with coordinate i + width / 2 in place of neighbours. Both work; weights do
    not carry over.
    """
    if x.dim() < 2:
        raise ValueError(f"vectors to be turned need an axis of positions: x is {tuple(x.shape)}")
    if not x.is_floating_point():
        raise TypeError(f"vectors to be turned must hold floating-point numbers, got {x.dtype}")
    length, width = x.shape[-2:]
    position = torch.arange(start, start + length, dtype=torch.float64)[:, None]
    angle = position * frequencies(width)  # (length, pairs)
    dtype = torch.promote_types(x.dtype, torch.float32)
    cos, sin = angle.cos().to(x.device, dtype), angle.sin().to(x.device, dtype)
    first, second = x.to(dtype).unflatten(-1, (width // 2, 2)).unbind(-1)
    turned = torch.stack(
        [
            cos * first - sin * second,
            sin * first + cos * second,
        ],
        dim=-1,
    )  # (…, length, pairs, 2)
    return turned.flatten(-2).to(x.dtype)
