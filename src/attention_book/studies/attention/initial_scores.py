"""How large dot products are before training, by how the matrices of queries and keys are drawn."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

Rows = Float[Tensor, "rows d_model"]
Matrix = Float[Tensor, "d_model width"]


HEADER = (
    "how the two matrices are drawn",
    "variance of a component of q",
    "variance of q·k over d_k, predicted",
    "measured",
)


@dataclass(frozen=True)
class InitialVariance:
    """Variances of one way to begin.

    Attributes:
        drawn: how the two matrices are drawn.
        component: the variance of a component of q and of k by derivation, σ² |x|².
        measured: the variance of q · k over d_k.
    """

    drawn: str
    component: float
    measured: float

    @property
    def predicted(self) -> float:
        """The variance of q · k over d_k by derivation."""
        return self.component**2

    @property
    def row(self) -> tuple[str, ...]:
        """A row of a table, under `HEADER`."""
        return self.drawn, *(f"{number:.2f}" for number in (self.component, self.predicted, self.measured))


def initial_variances(d_model: int = 512, n_heads: int = 8, rows: int = 2000) -> list[InitialVariance]:
    r"""The variance of q · k for fresh matrices of several kinds and rows that come out of a LayerNorm.

    For one fixed x, over the draw of a matrix whose entries have the variance σ², a component of x W has the variance
    σ² |x|², and :math:`|x|^2 = d_\text{model}` after LayerNorm. So

    .. math:: \operatorname{Var}(q \cdot k) = d_k\, (\sigma^2 d_\text{model})^2 .

    Args:
        d_model: width of the rows.
        n_heads: heads of width d_k = d_model / n_heads.
        rows: how many pairs of rows are drawn; every head of every pair gives a dot product.

    Returns:
        Six ways to begin. The state of torch's random numbers is left as it was.
    """
    d_k = d_model // n_heads
    x, y = F.layer_norm(torch.randn(2, rows, d_model, generator=torch.Generator().manual_seed(1)), [d_model])

    def per_width(w_q: Matrix, w_k: Matrix, x: Rows = x, y: Rows = y) -> float:
        q, k = ((a @ w).view(len(a), n_heads, d_k) for a, w in ((x, w_q), (y, w_k)))
        return float((q * k).sum(-1).var()) / d_k

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        packed = torch.nn.MultiheadAttention(d_model, n_heads).in_proj_weight.detach().T.split(d_model, dim=1)
        linear = [torch.nn.Linear(d_model, d_model).weight.detach().T for _ in "qk"]
        unit = [torch.randn(d_model, d_model) / math.sqrt(d_model) for _ in "qk"]
        whole = [glorot_blocks(d_model, d_model) for _ in "qk"]
        by_head = [glorot_blocks(d_model, d_k) for _ in "qk"]
    return [
        InitialVariance("normal, variance 1/d_model", 1.0, per_width(*unit)),
        InitialVariance("Glorot, all heads in one matrix (this book)", 1.0, per_width(*whole)),
        InitialVariance("Glorot, a matrix for each head", 2 * d_model / (d_model + d_k), per_width(*by_head)),
        InitialVariance(
            "Glorot, queries, keys and values in one matrix (torch.nn.MultiheadAttention)",
            2 * d_model / (4 * d_model),
            per_width(*packed[:2]),
        ),
        InitialVariance("the default of torch.nn.Linear", 1 / 3, per_width(*linear)),
        InitialVariance(
            "normal, variance 1/d_model, but no layer norm and x five times as long",
            25.0,
            per_width(*unit, 5 * x, 5 * y),
        ),
    ]


def glorot_blocks(d_model: int, columns: int) -> Matrix:
    """Matrices side by side, each of ``columns`` columns and drawn Glorot-uniform by its own shape.

    Args:
        d_model: rows, and columns of all blocks together.
        columns: of one block; must divide ``d_model``.

    Raises:
        ValueError: if it does not.
    """
    if d_model % columns:
        raise ValueError(f"blocks of {columns} columns do not fill a matrix of {d_model}")
    blocks = [torch.nn.init.xavier_uniform_(torch.empty(d_model, columns)) for _ in range(d_model // columns)]
    return torch.cat(blocks, dim=1)
