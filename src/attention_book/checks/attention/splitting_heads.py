"""Checks for *Splitting and merging heads* and *What do heads cost?*: the split and the merge, the whole layer, counts.

The oracles are a loop over heads in which nothing is reshaped, torch's own layer, and sums of products of sizes.
"""

import itertools
import math

import torch
from torch import Tensor, nn

from ..answers import each_answer
from ..drawn import Normal, seeded
from ..known_mistakes import near, refuse_number
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
    "more_heads": (8 * 512 * 512, "each of sixteen heads has 512 × 64 numbers in three matrices and 64 rows of W^O"),
    "with_biases": (8 * 512 * 512 + 3 * 1024 + 512, "each matrix has a bias as wide as its output: 1,024, of W^O 512"),
    "other_widths": (
        2 * 32 * 24 + 32 * 20 + 20 * 32,
        "W^Q and W^K are d_model × h·d_k, W^V is d_model × h·d_v, and W^O is h·d_v × d_model",
    ),
}


@checking
def check_counts(answers: object) -> Report:
    """Are these the numbers of parameters of four attentions?

    Args:
        answers: a number for each of ``one_head``, ``more_heads``, ``with_biases`` and ``other_widths``.
    """
    for name, answer in each_answer(answers, _COUNTS, "one number for each of", put="a number"):
        got, (right, reason) = expect_number(answer, f"`{name}`"), _COUNTS[name]
        if got == right:
            continue
        if name == "more_heads" and got == right / 2:
            raise NotYet("`more_heads`: that is eight heads of 64. Sixteen are 1,024 wide together, not 512.")
        if name == "other_widths" and got in {4 * 32 * 32, 4 * 32 * 24, 2 * 32 * 24 + 32 * 20 + 32 * 32}:
            raise NotYet(f"`{name}`: the widths are not d_model here: {reason}.")
        raise NotYet(f"`{name}` is not {got:,.0f}: {reason}.")
    return Report(True, "The number of heads counts only in h·d_k and h·d_v, how wide all heads are together.")


_QUANTITIES = ("the parameters", "the multiply-adds of the scores", "the weights")
_PAIRS = "each position is compared with each, so the pairs grow with the square of the length"
_FACTORS: dict[str, tuple[tuple[int | float, str], ...]] = {
    "longer": ((1, "no matrix is as long as the sentence"), (9, _PAIRS), (9, _PAIRS)),
    "more": (
        (3, "each further head brings columns of W^Q, W^K and W^V and rows of W^O"),
        (3, "each head makes scores of its own, and each score takes 64 products as before"),
        (3, "each head has its own table of weights"),
    ),
    "narrower": (
        (1, "h·d_k and h·d_v are 512 as before"),
        (1, "there are four times as many scores, and each takes a quarter of the products"),
        (4, "each head has a table of weights, however wide it is"),
    ),
    "wider_keys": (
        (1.5, "W^Q and W^K are twice as wide, and W^V and W^O stay"),
        (2, "each score is a dot product of twice the length"),
        (1, "there are as many pairs and as many heads as before"),
    ),
}


@checking
def check_factors(answers: object) -> Report:
    """Are these the factors by which three counts of a layer change?

    Args:
        answers: three factors per change: of the parameters, the multiply-adds of the scores, and the weights.
    """
    for name, answer in each_answer(answers, _FACTORS, "three factors for each of", put="three factors"):
        parts = expect_parts(answer, _QUANTITIES)
        for given, (right, reason), what in zip(parts, _FACTORS[name], _QUANTITIES, strict=True):
            if given is ...:
                raise NotYet(f"`{name}`: the factor of {what} is still open.")
            got = expect_number(given, f"`{name}`, the factor of {what},")
            if not math.isclose(got, right, rel_tol=1e-9):
                raise NotYet(f"`{name}`: {what} do not become {got:g} times as many: {reason}.")
    return Report(True, "Only h·d_k, h·d_v and the lengths count, and for the weights h itself.")


@checking
def check_products(candidate: object) -> Report:
    """Does ``candidate(m, n, d_model, h, d_k, d_v)`` count the multiply-adds of cross-attention?"""
    sizes = ((3, 5, 8, 3, 4, 2), (7, 2, 12, 4, 5, 2), (4, 4, 16, 4, 3, 6), (1, 9, 10, 5, 7, 1))
    for m, n, d_model, h, d_k, d_v in sizes:  # in the first, each mistake has a number of its own
        asked, read, pairs = m * d_model, n * d_model, m * n
        k, v, wide = h * d_k, h * d_v, h * (d_k + d_v)
        right = (asked + read + pairs) * wide
        known = {
            "That is self-attention over the n source positions.": (2 * read + n * n) * wide,
            "That is self-attention over the m target positions.": (2 * asked + m * m) * wide,
            "There are m · n pairs: each target position asks each source position.": (asked + read + n * n) * wide,
            "Queries and W^O act on the m rows of the target, not on those of the source.": (2 * read + pairs) * wide,
            "Keys and values are made of the n rows of the source, not of the target's.": (2 * asked + pairs) * wide,
            "W^O acts on the rows of the target, of which there are m.": right + (read - asked) * v,
            "The last product, by W^O, is missing.": right - asked * v,
            "The mixing of the values is missing.": right - pairs * v,
            "The scores are missing.": right - pairs * k,
            "That counts multiplications and additions apart. Count a multiply-add once.": 2 * right,
            "That is h times too many: h·d_k and h·d_v hold all heads already.": h * right,
            "That is one head. There are h of them.": right // h,
        }
        got = expect_number(attempt(candidate, m, n, d_model, h, d_k, d_v), "the number of multiply-adds")
        if got != right:
            where = f"For m = {m}, n = {n}, d_model = {d_model}, h = {h}, d_k = {d_k} and d_v = {d_v}"
            refuse_number(where, got, float(right), known, near(), ",.0f")
    return Report(True, "Right for four layers. With m = n it is the count of self-attention.")


def _numbered(batch: int, length: int, width: int) -> Tensor:
    """Numbers that are all different, so that each tells where it comes from."""
    return torch.arange(batch * length * width, dtype=torch.float64).reshape(batch, length, width)


def _loop_split(x: Tensor, n_heads: int) -> Tensor:
    d = x.shape[-1] // n_heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(n_heads)], dim=1)


def _dealt(x: Tensor, n_heads: int) -> Tensor:
    """Columns dealt out like cards: column c belongs to head c mod h."""
    return torch.stack([x[..., h::n_heads] for h in range(n_heads)], dim=1)


@checking
def check_split(candidate: object) -> Report:
    """Does ``candidate(x, n_heads)`` deal the columns of (batch, length, h·d) out to (batch, h, length, d)?"""
    for batch, length, n_heads, d in ((2, 5, 3, 4), (1, 4, 4, 2), (2, 1, 2, 3)):
        x = _numbered(batch, length, n_heads * d)
        meaning, got = "batch, heads, length, width of a head", attempt(candidate, x, n_heads)
        got = expect_array(got, (batch, n_heads, length, d), meaning, like=got, name="the heads")
        wanted = _dealt(x, n_heads)
        if agrees(got, wanted):
            continue
        if agrees(got, _loop_split(x, n_heads)):
            raise NotYet(
                f"Head 0 holds the first {d} columns, as in this book. Here the columns are dealt out: head 0 holds "
                f"one column in {n_heads}, the columns 0, {n_heads}, …"
            )
        if agrees(got, x.reshape(batch, n_heads, length, d)) or agrees(got, x.reshape(batch, n_heads, d, length).mT):
            raise NotYet(
                f"The shape is right and the numbers are not: head 0 holds the first {length * d} numbers of the "
                "sentence, which are the first positions with all their heads. `view` cannot move an axis: cut the "
                "width in two first, then move the axis of the heads."
            )
        if agrees(got, wanted.flip(1)):
            raise NotYet("The heads stand in the opposite order: head 0 must hold column 0.")
        where = first_difference(got, wanted, axes=("batch", "head", "position", "coordinate"))
        raise NotYet(f"Wrong number at {where}.")
    return Report(True, "Each head holds its own columns of every position.")


@checking
def check_merge(candidate: object) -> Report:
    """Does ``candidate(heads)`` put (batch, h, length, d) back as (batch, length, h·d), undoing what deals it out?"""
    for batch, n_heads, length, d in ((2, 3, 5, 4), (1, 4, 4, 2), (2, 2, 1, 3)):
        heads = _numbered(batch, n_heads * length, d).reshape(batch, n_heads, length, d)
        wanted = torch.empty(batch, length, n_heads * d, dtype=heads.dtype)
        for h in range(n_heads):
            wanted[..., h::n_heads] = heads[:, h]
        meaning, got = "batch, length, heads × width", attempt(candidate, heads)
        got = expect_array(got, (batch, length, n_heads * d), meaning, like=got)
        if agrees(got, wanted):
            continue
        if agrees(got, heads.reshape(batch, length, n_heads * d)):
            raise NotYet(_unmoved(length, n_heads))
        if agrees(got, torch.cat([heads[:, h] for h in range(n_heads)], dim=-1)):
            raise NotYet(
                "The heads lie end to end, as in this book. Here the first number of each head comes first, then the "
                "second of each: the merge must undo the split."
            )
        where = first_difference(got, wanted, axes=("batch", "position", "coordinate"))
        raise NotYet(f"Wrong number at {where}.")
    return Report(True, "Each position holds its own pieces, dealt back into their columns.")


def _unmoved(length: int, n_heads: int) -> str:
    holds = ", ".join(str(n) for n in range(min(n_heads, length)))
    more = " of head 0" if n_heads <= length else " of head 0 and then some of head 1"
    return (
        f"The heads are merged without the transpose: position 0 holds positions {holds}{more}. The shape is right. "
        "Move the heads beside their width first: `.transpose(1, 2)`."
    )


def _attention(given: tuple, **faults: object) -> Tensor:
    """Multi-head attention with known faults; without any it is right, and every head is computed by itself.

    Args:
        given: what `check_multi_head` gives to the reader's function.
        faults: ``order``, ``scale``, ``axis``, ``split``, ``merge``, ``left`` (names of matrices), ``out`` and
            ``mask``, as in `_faults`.

    Raises:
        RuntimeError: torch's own, if a fault does not fit these sizes.
    """
    x, w_q, w_k, w_v, w_o, n_heads, mask = given
    left = faults.get("left", "")
    q, k, v = (w @ x if name in left else x @ w for name, w in (("q", w_q), ("k", w_k), ("v", w_v)))
    q, k, v = (faults.get("split", _loop_split)(y, n_heads) for y in (q, k, v))
    asking, answering = faults.get("order", lambda q, k: (q, k))(q, k)
    scores = asking @ answering.transpose(-2, -1) / faults.get("scale", math.sqrt(q.shape[-1]))
    if mask is not None and (hide := faults.get("mask", lambda mask: mask)(mask)) is not None:
        scores = scores.masked_fill(~hide, -math.inf)
    heads = torch.softmax(scores, dim=faults.get("axis", -1)) @ v
    joined = faults.get("merge", lambda heads: torch.cat(list(heads.unbind(1)), dim=-1))(heads)
    return faults.get("out", lambda joined, w_o: joined @ w_o)(joined, w_o)


def _viewed(x: Tensor, n_heads: int) -> Tensor:
    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


def _faults(given: tuple) -> dict[str, dict[str, object]]:
    """Known faults in the order of the computation: what is said of each, and what it changes in `_attention`."""
    x, w_q, _, _, w_o, n_heads, _ = given
    (_, length, d_model), whole = x.shape, w_q.shape[1]
    d_k, share = whole // n_heads, d_model / n_heads
    by_root = f"not by √d_k = √{d_k}"
    known: dict[str, dict[str, object]] = {
        "The split mixes positions and heads: `view(batch, h, length, d)` has the right shape and cuts the sentence, "
        "not the width. Cut the width, (batch, length, h, d), then transpose.": {"split": _viewed},
        "Queries and keys are exchanged: row i of the scores must hold the products of query i with all keys.": {
            "order": lambda q, k: (k, q)
        },
        f"The scores are divided by √d_model = √{d_model}, {by_root}.": {"scale": math.sqrt(d_model)},
        f"The scores are divided by √(h·d_k) = √{whole}, {by_root}.": {"scale": math.sqrt(whole)},
        f"The scores are divided by √(d_model / h) = √{share:.4g}, {by_root}. The two are the same only where h·d_k = "
        "d_model: take the width of the queries that you have.": {"scale": math.sqrt(share)},
        f"The scores are divided by √{d_model // n_heads}, the root of d_model // h, {by_root}. Take the width of the "
        "queries that you have.": {"scale": math.sqrt(d_model // n_heads)},
        f"The scores are divided by d_k = {d_k}, not by its square root.": {"scale": d_k},
        "The scores are not divided by √d_k.": {"scale": 1.0},
        "The mask has no effect.": {"mask": lambda mask: None},
        "The mask is transposed.": {"mask": lambda mask: mask.transpose(-2, -1)},
        "The softmax runs over the queries: each row of weights must sum to 1 over the keys, the last axis.": {
            "axis": -2
        },
        _unmoved(length, n_heads): {"merge": lambda heads: heads.reshape(len(x), length, -1)},
        "The heads are averaged, or added up, and not laid side by side.": {
            "merge": lambda heads: heads.mean(dim=1).repeat(1, 1, n_heads)
        },
        "W_O is missing: what comes back is the heads side by side.": {"out": lambda joined, w_o: joined},
    }
    if whole == length == w_o.shape[0] == d_model:  # the matrices are square, and a product from the left fits too
        for name in "qkv":
            known[f"W_{name.upper()} is applied from the left: it mixes the positions."] = {"left": name}
        known["W_Q, W_K and W_V are applied from the left: they mix the positions."] = {"left": "qkv"}
        known["W_O is applied from the left: it mixes the positions, and the coordinates stay apart."] = {
            "out": lambda joined, w_o: w_o @ joined
        }
        known["W_O is transposed: `nn.Linear` stores it that way, these matrices multiply from the right."] = {
            "out": lambda joined, w_o: joined @ w_o.T
        }
    return known


@checking
def check_multi_head(candidate: object) -> Report:
    """Is ``candidate(x, w_q, w_k, w_v, w_o, n_heads, mask)`` multi-head self-attention?

    ``x`` is (batch, length, d_model), the matrices multiply from the right, ``mask`` is True where a query may attend,
    or None. The output is (batch, length, d_model).
    """
    normal = Normal(3)
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    # With 12 as length and as width, and no padding of sizes, a multiplication from the left has the right shape too.
    # In the other sizes no two of the roots that may be mistaken for √d_k are equal.
    for batch, length, d_model, n_heads, d_k, d_v, mask in (
        (2, 12, 12, 3, 4, 4, None),
        (2, 4, 10, 3, 2, 5, None),
        (2, 4, 10, 3, 2, 5, causal),
    ):
        x = normal(batch, length, d_model)
        w_q, w_k = normal(2, d_model, n_heads * d_k) / math.sqrt(d_model)
        w_v, w_o = normal(d_model, n_heads * d_v) / 3, normal(n_heads * d_v, d_model) / 3
        given = (x, w_q, w_k, w_v, w_o, n_heads, mask)
        got = attempt(candidate, *given)
        got = expect_array(got, (batch, length, d_model), "batch, length, d_model", like=got, name="the output")
        wanted = _attention(given)
        if agrees(got, wanted):
            continue
        where = first_difference(got, wanted, axes=("batch", "position", "coordinate"))
        raise NotYet(_diagnosis(got, given) or f"Wrong number at {where}.")
    return Report(True, "It agrees with a loop over the heads, with d_k unlike d_v, with a mask and without.")


def _diagnosis(got: Tensor, given: tuple) -> str | None:
    """Which known fault gives this output, or which two or three together; only the first of them is named."""
    if agrees(got, _attention((*given[:5], 1, given[6]))):
        return "The heads share one set of weights: split before the scores, so that each head has its own."
    known = _faults(given)
    for count in (1, 2, 3):
        for chosen in itertools.combinations(known, count):
            changed = [name for said in chosen for name in known[said]]
            if len(set(changed)) < len(changed):  # two divisors, or two ways to merge
                continue
            if agrees(got, _attention(given, **{k: change for said in chosen for k, change in known[said].items()})):
                return chosen[0] + ("" if count == 1 else " When that is mended, run the check again: there is more.")
    return None


@checking
def check_unpacked(candidate: object) -> Report:
    """Does ``candidate(layer)`` give (w_q, w_k, w_v, w_o) of torch's ``layer``, to be multiplied from the right?

    The layer is an ``nn.MultiheadAttention`` without biases.
    """
    for seed, (d_model, n_heads) in enumerate(((6, 2), (8, 4), (3, 1)), start=5):
        with seeded(seed):
            layer = nn.MultiheadAttention(d_model, n_heads, bias=False, batch_first=True).double()
        got = expect_parts(attempt(candidate, layer), _UNPACKED)
        for name, matrix in zip(_UNPACKED, got, strict=True):
            expect_array(matrix, (d_model, d_model), "d_model × d_model", like=matrix, name=f"`{name}`")
        packed = layer.in_proj_weight.detach()
        right = (*(block.T for block in packed.chunk(3)), layer.out_proj.weight.detach().T)
        if not all(agrees(mine, wanted) for mine, wanted in zip(got, right, strict=True)):
            _refuse_unpacked(got, right, packed)
    return Report(True, "These four matrices compute what the layer computes.")


_UNPACKED = ("w_q", "w_k", "w_v", "w_o")


def _refuse_unpacked(got: tuple, right: tuple, packed: Tensor) -> None:
    """Say which of the four matrices is wrong, and what it is instead; raises NotYet."""
    if all(agrees(mine, wanted.T) for mine, wanted in zip(got, right, strict=True)):
        raise NotYet("All four are transposed: torch keeps each matrix as (out, in), one row for each output.")
    d_model = len(right[0])
    for name, mine, wanted in zip(_UNPACKED, got, right, strict=True):
        if agrees(mine, wanted):
            continue
        if agrees(mine, wanted.T):
            raise NotYet(f"`{name}` is transposed and others are not.")
        known = dict(zip(_UNPACKED, right, strict=True))
        for other, matrix in known.items():
            if agrees(mine, matrix) or agrees(mine, matrix.T):
                order = "`in_proj_weight` holds queries, keys, values; `out_proj` is apart"
                raise NotYet(f"What you call `{name}` is `{other}`: {order}.")
        if name != "w_o" and any(agrees(mine, packed.reshape(d_model, 3, d_model)[:, n].T) for n in range(3)):
            raise NotYet(
                f"`in_proj_weight` is cut into every third row: queries, keys and values are blocks of {d_model} rows."
            )
        raise NotYet(f"`{name}` is wrong at {first_difference(mine, wanted)}.")


_PLACES = {
    "viewed": ({2, 3}, "the first 12 of a sentence's 36 numbers go to head 0, the next 12 to head 1, whole rows of 6"),
    "split": ({0, 1, 2, 3, 4, 5}, "every head holds its own columns of every position"),
    "merged": ({0, 1, 2}, "row 0 is filled with the first 6 numbers of head 0, which are 2 from each position"),
}


@checking
def check_places(answers: object) -> Report:
    """Which positions do these hold: head 1 when ``viewed``, head 1 when ``split``, row 0 when ``merged`` without move?

    Args:
        answers: a list or set of positions, counted from 0, for each; six positions, three heads, each 2 wide.
    """
    for name, answer in each_answer(answers, _PLACES, "the positions for each of", put="a set of positions"):
        right, reason = _PLACES[name]
        got = _positions(answer, name)
        if got == right:
            continue
        if got == {n + 1 for n in right}:
            raise NotYet(f"`{name}`: count the positions from 0.")
        if name == "viewed" and got == _PLACES["split"][0]:
            raise NotYet("`viewed`: that is the right split. Without the transpose no number moves in memory.")
        if name == "merged" and got == {0}:
            raise NotYet("`merged`: that is the right merge. Here the heads were not moved behind the positions.")
        raise NotYet(f"`{name}` is not {sorted(got)}: {reason}.")
    return Report(True, "The right split moves; `view` and `reshape` alone take the numbers in the order they lie in.")


def _positions(answer: object, name: str) -> set[int]:
    try:
        items = set(answer.tolist() if hasattr(answer, "tolist") else answer)
    except TypeError as error:
        raise NotYet(f"`{name}`: give the positions as a list or a set, such as [0, 5].") from error
    if not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        raise NotYet(f"`{name}`: positions are whole numbers from 0 to 5.")
    return items
