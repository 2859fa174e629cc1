"""Checks for *Multi-head attention*: counts, the split and the merge, the whole layer, and torch's packed weights.

The oracles are a loop over heads in which nothing is reshaped, torch's own layer, and sums of products of sizes.
"""

import math

import torch
from torch import Tensor, nn

from ..answers import each_answer
from ..drawn import Normal, seeded
from ..known_mistakes import recognise
from ..report import (
    NotYet,
    Report,
    agrees,
    attempt,
    checking,
    expect_array,
    expect_number,
    expect_parts,
    first_difference,
)

_COUNTS = {
    "one_head": (4 * 512 * 512, "four matrices of 512 × 512"),
    "eight_heads": (4 * 512 * 512, "each of the eight heads has 512 × 64 numbers in three matrices and 64 rows of W^O"),
    "with_biases": (4 * 512 * 512 + 4 * 512, "each of the four matrices has a bias as wide as what comes out of it"),
    "other_widths": (
        2 * 32 * 24 + 32 * 20 + 20 * 32,
        "W^Q and W^K are d_model × h·d_k, W^V is d_model × h·d_v, and W^O is h·d_v × d_model",
    ),
}


@checking
def check_counts(answers: object) -> Report:
    """Are these the numbers of parameters of four attentions?

    Args:
        answers: a number for each of ``one_head``, ``eight_heads``, ``with_biases`` and ``other_widths``.
    """
    for name, answer in each_answer(answers, _COUNTS, "one number for each of", open_name=None, put="a number"):
        got, (right, reason) = expect_number(answer, f"`{name}`"), _COUNTS[name]
        if got == right:
            continue
        if name == "eight_heads" and got == 8 * right:
            raise NotYet("`eight_heads`: eight times too many. A head is 512 / 8 = 64 wide, not 512.")
        if name == "other_widths" and got in {4 * 32 * 32, 4 * 32 * 24, 2 * 32 * 24 + 32 * 20 + 32 * 32}:
            raise NotYet(f"`{name}`: the widths are not d_model here: {reason}.")
        raise NotYet(f"`{name}` is not {got:,.0f}: {reason}.")
    return Report(True, "The number of heads is in none of the counts as long as h·d_k and h·d_v stay the same.")


def _numbered(batch: int, length: int, width: int) -> Tensor:
    """Numbers that are all different, so that each tells where it comes from."""
    return torch.arange(batch * length * width, dtype=torch.float64).reshape(batch, length, width)


def _loop_split(x: Tensor, n_heads: int) -> Tensor:
    d = x.shape[-1] // n_heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(n_heads)], dim=1)


@checking
def check_split(candidate: object) -> Report:
    """Does ``candidate(x, n_heads)`` cut (batch, length, h·d) into (batch, h, length, d), head 0 first?"""
    for batch, length, n_heads, d in ((2, 5, 3, 4), (1, 4, 4, 2), (2, 1, 2, 3)):
        x = _numbered(batch, length, n_heads * d)
        meaning = "batch, heads, length, width of a head"
        got = expect_array(attempt(candidate, x, n_heads), (batch, n_heads, length, d), meaning, name="the heads")
        if agrees(got, _loop_split(x, n_heads)):
            continue
        if agrees(got, x.reshape(batch, n_heads, length, d)):
            raise NotYet(
                f"The shape is right and the numbers are not: head 0 holds the first {length * d} numbers of the "
                f"sentence, which are the first positions with all their heads. `view` cannot move an axis: cut the "
                "width first, (batch, length, h, d), then transpose."
            )
        if agrees(got, x.reshape(batch, length, d, n_heads).permute(0, 3, 1, 2)):
            raise NotYet(f"Head 0 holds one number in {n_heads}: it must hold the first {d} in a row.")
        where = first_difference(got, _loop_split(x, n_heads), axes=("batch", "head", "position", "coordinate"))
        raise NotYet(f"Wrong number at {where}.")
    return Report(True, "Each head holds its own slice of every position.")


@checking
def check_merge(candidate: object) -> Report:
    """Does ``candidate(heads)`` lay (batch, h, length, d) side by side as (batch, length, h·d), head 0 first?"""
    for batch, n_heads, length, d in ((2, 3, 5, 4), (1, 4, 4, 2), (2, 2, 1, 3)):
        heads = _numbered(batch, n_heads * length, d).reshape(batch, n_heads, length, d)
        wanted = torch.cat([heads[:, h] for h in range(n_heads)], dim=-1)
        got = expect_array(
            attempt(candidate, heads), (batch, length, n_heads * d), "batch, length, heads × width", name="the result"
        )
        if agrees(got, wanted):
            continue
        if agrees(got, heads.reshape(batch, length, n_heads * d)):
            raise NotYet(_unmoved(length, n_heads))
        if agrees(got, heads.permute(0, 2, 3, 1).reshape(batch, length, n_heads * d)):
            raise NotYet("The heads are interleaved: the first number of each, then the second. Lay them end to end.")
        where = first_difference(got, wanted, axes=("batch", "position", "coordinate"))
        raise NotYet(f"Wrong number at {where}.")
    return Report(True, "Each position holds its own pieces, one head after the other.")


def _unmoved(length: int, n_heads: int) -> str:
    holds = ", ".join(str(n) for n in range(min(n_heads, length)))
    more = " of head 0" if n_heads <= length else " of head 0 and then some of head 1"
    return (
        f"The heads are merged without the transpose: position 0 holds positions {holds}{more}. The shape is right. "
        "Move the heads beside their width first: `.transpose(1, 2)`."
    )


def _loop_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None, *, scale=None, axis=-1, merged=None):
    """One head and one sentence at a time. The keywords make it wrong in known ways."""
    d_k, d_v = w_q.shape[1] // n_heads, w_v.shape[1] // n_heads
    heads = []
    for h in range(n_heads):
        keys, values = slice(h * d_k, (h + 1) * d_k), slice(h * d_v, (h + 1) * d_v)
        q, k, v = x @ w_q[:, keys], x @ w_k[:, keys], x @ w_v[:, values]
        scores = q @ k.transpose(-2, -1) / (scale or math.sqrt(d_k))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        heads.append(torch.softmax(scores, dim=axis) @ v)
    stacked = torch.stack(heads, dim=1)
    joined = torch.cat(heads, dim=-1) if merged is None else merged(stacked)
    return joined @ w_o


def _wrong_split_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None, *, merge_too=False):
    batch, length = x.shape[:2]
    q, k, v = ((x @ w).reshape(batch, n_heads, length, -1) for w in (w_q, w_k, w_v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    heads = torch.softmax(scores, dim=-1) @ v
    heads = heads if merge_too else heads.transpose(1, 2)
    return heads.reshape(batch, length, -1) @ w_o


@checking
def check_multi_head(candidate: object) -> Report:
    """Is ``candidate(x, w_q, w_k, w_v, w_o, n_heads, mask)`` multi-head self-attention?

    ``x`` is (batch, length, d_model), the matrices multiply from the right, ``mask`` is True where a query may attend,
    or None. The output is (batch, length, d_model).
    """
    normal = Normal(3)
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    # With 12 as length and as width, and no padding of sizes, a multiplication from the left has the right shape too.
    for batch, length, d_model, n_heads, d_k, d_v, mask in (
        (2, 12, 12, 3, 4, 4, None),
        (2, 4, 12, 3, 2, 5, None),
        (2, 4, 12, 3, 2, 5, causal),
    ):
        x = normal(batch, length, d_model)
        w_q, w_k = normal(2, d_model, n_heads * d_k) / math.sqrt(d_model)
        w_v, w_o = normal(d_model, n_heads * d_v) / 3, normal(n_heads * d_v, d_model) / 3
        given = (x, w_q, w_k, w_v, w_o, n_heads, mask)
        got = attempt(candidate, *given)
        got = expect_array(got, (batch, length, d_model), "batch, length, d_model", name="the output")
        wanted = _loop_attention(*given)
        if agrees(got, wanted):
            continue
        fault = _diagnosis(got, given)
        where = first_difference(got, wanted, axes=("batch", "position", "coordinate"))
        raise NotYet(fault or f"Wrong number at {where}.")
    return Report(True, "It agrees with a loop over the heads, with d_k unlike d_v, with a mask and without.")


def _diagnosis(got: Tensor, given: tuple) -> str | None:
    """Which known mistake gives this output."""
    x, w_q, w_k, w_v, w_o, n_heads, mask = given
    (_, length, d_model), d_k = x.shape, w_q.shape[1] // n_heads
    whole = w_q.shape[1]
    one_weight = "The heads share one set of weights: split before the scores, so that each head has its own."
    known = {
        f"The scores are divided by √d_model = √{d_model}, not by √d_k = √{d_k}.": {"scale": math.sqrt(d_model)},
        f"The scores are divided by √(h·d_k) = √{whole}, not by √d_k = √{d_k}.": {"scale": math.sqrt(whole)},
        f"The scores are divided by d_k = {d_k}, not by its square root.": {"scale": d_k},
        "The scores are not divided by √d_k.": {"scale": 1.0},
        "The softmax runs over the queries: each row of weights must sum to 1 over the keys, the last axis.": {
            "axis": -2
        },
        _unmoved(length, n_heads): {"merged": lambda heads: heads.reshape(len(x), length, -1)},
        "The heads are averaged, or added up, and not laid side by side.": {
            "merged": lambda heads: heads.mean(dim=1).repeat(1, 1, n_heads)
        },
    }
    if fault := recognise(got, known, lambda got, changes: agrees(got, _loop_attention(*given, **changes))):
        return fault
    if agrees(got, _loop_attention(x, w_q, w_k, w_v, w_o, 1, mask)):
        return one_weight
    split_fault = (
        "The split mixes positions and heads: `view(batch, h, length, d)` has the right shape and cuts the sentence, "
        "not the width. Cut the width, (batch, length, h, d), then transpose."
    )
    for merge_too in (False, True):
        if agrees(got, _wrong_split_attention(*given, merge_too=merge_too)):
            return split_fault
    identity = torch.eye(w_o.shape[0], dtype=w_o.dtype)
    joined = _loop_attention(x, w_q, w_k, w_v, identity, n_heads, mask)
    if joined.shape == got.shape and agrees(got, joined):
        return "W_O is missing: what comes back is the heads side by side."
    if w_o.shape == (length, length) and agrees(got, w_o @ joined):
        return "W_O is applied from the left: it mixes the positions, and the coordinates stay apart."
    if w_o.shape[0] == w_o.shape[1] and agrees(got, joined @ w_o.T):
        return "W_O is transposed: `nn.Linear` stores it that way, these matrices multiply from the right."
    if mask is not None and agrees(got, _loop_attention(x, w_q, w_k, w_v, w_o, n_heads, None)):
        return "The mask has no effect."
    if mask is not None and agrees(got, _loop_attention(x, w_q, w_k, w_v, w_o, n_heads, mask.T)):
        return "The mask is transposed."
    return None


@checking
def check_unpacked(candidate: object) -> Report:
    """Does ``candidate(layer)`` give (w_q, w_k, w_v, w_o) of torch's ``layer``, to be multiplied from the right?

    The layer is an ``nn.MultiheadAttention`` without biases.
    """
    with seeded(5):
        layer = nn.MultiheadAttention(6, 2, bias=False, batch_first=True).double()
    got = expect_parts(attempt(candidate, layer), ("w_q", "w_k", "w_v", "w_o"))
    packed, w_o = layer.in_proj_weight.detach(), layer.out_proj.weight.detach()
    right = (*(packed[n * 6 : (n + 1) * 6].T for n in range(3)), w_o.T)
    for name, matrix in zip(("w_q", "w_k", "w_v", "w_o"), got, strict=True):
        expect_array(matrix, (6, 6), "d_model × d_model", name=f"`{name}`")
    if all(agrees(mine, wanted) for mine, wanted in zip(got, right, strict=True)):
        return Report(True, "These four matrices compute what the layer computes.")
    if all(agrees(mine, wanted.T) for mine, wanted in zip(got, right, strict=True)):
        raise NotYet("All four are transposed: torch keeps each matrix as (out, in), one row for each output.")
    for name, mine, wanted in zip(("w_q", "w_k", "w_v", "w_o"), got, right, strict=True):
        if agrees(mine, wanted):
            continue
        if agrees(mine, wanted.T):
            raise NotYet(f"`{name}` is transposed and others are not.")
        others = [other for other, matrix in zip(("w_q", "w_k", "w_v"), right, strict=False) if agrees(mine, matrix)]
        others += [other for other, matrix in zip(("w_q", "w_k", "w_v"), right, strict=False) if agrees(mine, matrix.T)]
        if others and name != "w_o":
            raise NotYet(f"What you call `{name}` is `{others[0]}`: `in_proj_weight` holds queries, keys, values.")
        if name != "w_o" and any(agrees(mine, packed.reshape(6, 3, 6)[:, n].T) for n in range(3)):
            raise NotYet("`in_proj_weight` is cut into every third row: queries, keys and values are blocks of 6 rows.")
        raise NotYet(f"`{name}` is wrong at {first_difference(mine, wanted)}.")
    raise AssertionError("one of the matrices differs")


@checking
def check_equal_rows(rows: object) -> Report:
    """Are these the weights of the scores (0.1, 0.2, 0.3) and (0.4, 0.5, 0.6) with d_model = 512 and eight heads?

    ``rows`` is a 2 × 3 list, array or tensor, right to three decimals.
    """
    try:
        got = torch.as_tensor(rows, dtype=torch.float64)
    except (TypeError, ValueError) as error:
        raise NotYet("Give two rows of three numbers.") from error
    got = expect_array(got, (2, 3), "a row for each query", name="the weights")
    scores = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], dtype=torch.float64)
    right, by_model = (torch.softmax(scores / math.sqrt(width), dim=-1) for width in (64, 512))
    for n, row in enumerate(got):
        if abs(float(row.sum()) - 1) > 2e-3:
            raise NotYet(f"Row {n} sums to {float(row.sum()):.3f}, not to 1.")
        if row[0] > row[1] or row[1] > row[2]:
            raise NotYet(f"Row {n} falls where its scores rise: the largest score must have the largest weight.")
    if (got[0] - got[1]).abs().max() > 1e-3:
        raise NotYet("The rows differ. The second row of scores is the first plus 0.3, which softmax does not see.")
    if (got - right).abs().max() < 6e-4:
        return Report(
            True, "Equal rows, rising, and nearly even: divided by 8, the scores of a row differ by 1/40 at most."
        )
    if (got - by_model).abs().max() < 6e-4:
        raise NotYet("These are divided by √512. The divisor is the root of d_k = 512 / 8.")
    if (got - torch.softmax(scores, dim=-1)).abs().max() < 6e-4:
        raise NotYet("These are not divided at all.")
    raise NotYet(f"Row 0 should begin with {right[0, 0]:.3f}.")
