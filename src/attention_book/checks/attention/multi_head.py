"""Checks for *Multi-head attention* and *How many heads?*: two heads with other words and queries, sums, mixtures.

The oracles are the weights e⁴ : 1 : 1 of the example, a loop over heads of unequal widths, softmax itself, tables of
symbols whose names are known, and the correlation of a mixture with what is mixed.
"""

import itertools
import math

import numpy as np
import torch
from torch import Tensor

from ...examples.two_heads_by_hand import W_K, W_Q, X
from ..answers import from_list
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_predictions
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

_STRONG, _WEAK = math.exp(4) / (math.exp(4) + 2), 1 / (math.exp(4) + 2)
_MUSIC = {
    "a": (
        _STRONG,
        {
            1.0: "the other two words have scores of 0, and softmax gives each of them something too",
            0.5: "that is about what a single head would give it: head 0 asks for a pronoun and nothing else",
            _WEAK: "that is a word with the score 0: head 0 asks for a pronoun, and We is one",
        },
    ),
    "b": (
        _STRONG + 3 * _WEAK,
        {
            1.0: "the small weight of the noun brings a little of its third person along",
            2.0: "head 0 looks at the pronoun, and We is the first person",
        },
    ),
    "c": (
        _STRONG + 2 * _WEAK,
        {
            2 * _STRONG + _WEAK: "that is the number of cats: music is one",
            2.0: "that is the number of We: head 1 looks at the noun",
            1.5: "that is the mean of both numbers, what a single head would find",
        },
    ),
}


@checking
def check_music(predictions: object) -> Report:
    """Are these what *like* finds in *We like music*: (a) head 0's weight on *We*, (b) who?, (c) how many?"""
    expect_predictions(predictions, _MUSIC, tolerance=5e-3)
    return Report(True, "The weights are those of I like cats: they follow the kinds of words, and the values changed.")


_FLOORS = {
    "a": (2 / 3, {1 / 3: "that is what one mixture explains: asked is what is left", 0.5: "that is for two rows"}),
    "b": (1 / 3, {2 / 3: "two heads give two mixtures, and each of them explains shares that sum to 1"}),
    "c": (1 / 2, {1 / 4: "two of four rows are explained on average, not three"}),
    "d": (0.0, {-5 / 3: "more mixtures than rows explain everything, and no more than that"}),
}


@checking
def check_floors(predictions: object) -> Report:
    """Are these the least shares left over: (a) 1 head, 3 rows, (b) 2 heads, 3 rows, (c) 2, 4 rows, (d) 8, 3 rows?"""
    expect_predictions(predictions, _FLOORS, tolerance=6e-3)
    return Report(
        True, "With h heads and m rows the share left over is at least 1 − h/m, and nothing once h reaches m."
    )


@checking
def check_two_symbols(weights: object, names: object) -> Report:
    """Do ``weights(first, second, n)`` and ``names(mixture)`` carry two symbols through one mixture?

    ``weights`` gives n weights; ``names`` gets the mixture, a number per symbol, and returns both symbols in order.
    """
    normal = Normal(5)
    for n in (3, 4, 7):
        for first, second in itertools.permutations(range(n), 2):
            row = _row_of_weights(attempt(weights, first, second, n), first, second, n)
            symbols = normal(n).argsort().numpy()
            mixture = np.zeros(n)
            mixture[symbols] = row
            got = attempt(names, mixture)
            wanted = (int(symbols[first]), int(symbols[second]))
            if not isinstance(got, tuple | list) or len(got) != 2:
                raise NotYet(f"Expected two symbols from `names`, got {got!r}.")
            got = tuple(int(expect_number(one, "a symbol")) for one in got)
            if got == wanted:
                continue
            said = f"The mixture {np.round(mixture, 3).tolist()} came from the symbols {wanted}, and it names {got}."
            if got == wanted[::-1]:
                raise NotYet(f"{said} They are the right two, in the wrong order.")
            raise NotYet(said)
    return Report(
        True,
        "One mixture, two symbols, in order: the bound is about a factor times the mixture, and comparing its numbers "
        "is another kind of guess.",
    )


def _row_of_weights(row: object, first: int, second: int, n: int) -> np.ndarray:
    """The weights as an array, if they are weights and tell both rows from all others."""
    where = f"first = {first}, second = {second}, n = {n}"
    got = from_list(row)
    got = expect_array(got, (n,), "a weight for each row", like=got, name="the weights")
    got = np.asarray(got.detach() if isinstance(got, Tensor) else got, dtype=float)
    if got.min() < 0:
        raise NotYet(f"For {where} a weight is negative: softmax gives none.")
    if abs(got.sum() - 1) > 1e-5:
        raise NotYet(f"For {where} the weights sum to {got.sum():.3f}, not to 1.")
    if abs(got[first] - got[second]) < 1e-6:
        raise NotYet(f"For {where} both rows get {got[first]:.3f}: nothing in the mixture tells which comes first.")
    for name, asked in (("first", first), ("second", second)):
        for other in set(range(n)) - {first, second}:
            if abs(got[asked] - got[other]) < 1e-6:
                raise NotYet(
                    f"For {where} row {other} gets {got[other]:.3f}, as much as `{name}`: the mixture cannot tell "
                    "their symbols apart."
                )
    return got


@checking
def check_dependent(contents: object, weights: object) -> Report:
    """Does one mixture with these weights leave next to nothing of Ann's and Bob's numbers in these tables?

    ``contents`` has a pair of numbers for each of four tables or more, and ``weights`` is a pair that sums to 1.
    """
    if contents is ... or weights is ...:
        raise NotYet("Put at least four tables, as pairs of numbers, and two weights in place of the `...`.")
    got = from_list(contents)
    if np.ndim(got) != 2 or len(got) < 4:
        raise NotYet("Give at least four tables, each a pair of numbers: Ann's and Bob's.")
    got = expect_array(got, (len(got), 2), "a pair for each table", like=got, name="the tables")
    got = np.asarray(got, dtype=float)
    a = from_list(weights)
    a = np.asarray(expect_array(a, (2,), "Ann's weight and Bob's", like=a, name="the weights"), dtype=float)
    if a.min() < 0 or abs(a.sum() - 1) > 1e-6:
        raise NotYet("Weights are not negative and sum to 1.")
    for name, column in zip(("Ann", "Bob"), got.T, strict=True):
        if np.ptp(column) < 1e-6:
            raise NotYet(f"{name}'s number is always {column[0]:g}: what never changes need not be fetched.")
    mixture = got @ a
    if np.ptp(mixture) < 1e-6:
        raise NotYet(f"The mixture is always {mixture[0]:g}, so it tells nothing: the two numbers cancel.")
    left = [1 - np.corrcoef(mixture, column)[0, 1] ** 2 for column in got.T]
    if max(left) < 0.01:
        return Report(True, "Less than 0.01 is left of each: the bound of one half needs contents that do not depend.")
    hint = "What if Bob's number follows from Ann's?"
    if max(left) < 0.45:
        hint = "Bob's number follows from Ann's in part: let it be a fixed multiple of hers."
    raise NotYet(f"The mixture leaves {left[0]:.2f} of Ann's numbers and {left[1]:.2f} of Bob's. {hint}")


def _weights(w_q: np.ndarray) -> np.ndarray:
    """Weights of both heads of the example, (2, 3, 3), with another matrix of queries; one number at a time."""
    found = np.zeros((2, 3, 3))
    for head in (0, 1):
        columns = slice(4 * head, 4 * head + 4)
        q, k = X @ w_q[:, columns], X @ W_K[:, columns]
        shares = np.exp(q @ k.T / 2)
        found[head] = shares / shares.sum(axis=1, keepdims=True)
    return found


@checking
def check_query(w_q: object) -> Report:
    """Does *like* look at itself in head 1 with this matrix of queries, and is head 0 what it was?

    ``w_q`` is an (8, 8) array, tensor or list, in place of the W^Q of the example.
    """
    got = from_list(w_q)
    got = expect_array(got, (8, 8), "a row for each feature, a column for each number", like=got, name="the matrix")
    got = np.asarray(got.detach() if isinstance(got, Tensor) else got, dtype=float)
    if np.array_equal(got, W_Q):
        raise NotYet("This is the W^Q of the page: head 1 of `like` still asks for a noun.")
    if np.abs(got).max() > 100:
        raise NotYet("Use numbers up to 100: softmax is saturated long before.")
    weights, before = _weights(got), _weights(W_Q)
    if not agrees(weights[0], before[0]):
        raise NotYet("Head 0 changes: its queries are the first four columns, and they stay as they are.")
    for word, name in ((0, "I"), (2, "cats")):
        if not agrees(weights[1, word], before[1, word]):
            raise NotYet(f"Head 1 of `{name}` changes too: `like` is a verb, so only the verbs' row of W^Q may differ.")
    itself, noun = weights[1, 1, 1], weights[1, 1, 2]
    if itself <= 0.9 and got[1, 6] > 0:
        raise NotYet(f"Head 1 of `like` still gives `cats` {noun:.3f}: take back the 8 that asks for a noun.")
    if itself <= 0.9:
        raise NotYet(
            f"Head 1 of `like` gives itself {itself:.3f}: the number of the query that meets the key `verb` must be "
            "large, as the 8 of the page is."
        )
    return Report(
        True, f"Head 1 of `like` gives itself {itself:.3f}: a query says which key it wants, number by number."
    )


def _each_head(x: Tensor, heads, scale=None, axis: int = -1) -> list[Tensor]:
    """What each head adds to the output. The keywords make it wrong in known ways."""
    terms = []
    for w_q, w_k, w_v, w_o in heads:
        scores = (x @ w_q) @ (x @ w_k).T / math.sqrt(w_q.shape[1] if scale is None else scale)
        terms.append(torch.softmax(scores, dim=axis) @ (x @ w_v) @ w_o)
    return terms


@checking
def check_sum_of_heads(candidate: object) -> Report:
    """Does ``candidate(x, heads)`` give multi-head attention from heads that may be of unequal widths?

    ``x`` is (length, d_model). ``heads`` is a list with a tuple (w_q, w_k, w_v, w_o) for each head: two matrices
    d_model × d_k, one d_model × d_v, and its rows of W^O, d_v × d_model. Each head has its own d_k and d_v.
    """
    normal = Normal(9)
    for length, d_model, widths in ((5, 6, [(2, 3), (4, 1), (3, 5)]), (4, 7, [(3, 3), (5, 2)]), (3, 4, [(4, 4)])):
        x = normal(length, d_model)
        heads = [
            (normal(d_model, d_k), normal(d_model, d_k), normal(d_model, d_v), normal(d_v, d_model))
            for d_k, d_v in widths
        ]
        got = attempt(candidate, x, heads)
        got = expect_array(got, (length, d_model), "one row per position, d_model wide", like=got, name="the output")
        terms, d_ks = _each_head(x, heads), [d_k for d_k, _ in widths]
        right = sum(terms)
        if agrees(got, right):
            continue
        scaled = {
            "The scores are not divided: each head divides by the root of its own d_k.": 1,
            f"All scores are divided by √{d_model}, the root of d_model: each head divides by its own √d_k.": d_model,
            f"All scores are divided by √{d_ks[0]}: that is √d_k of the first head, and each has its own.": d_ks[0],
            f"All scores are divided by √{sum(d_ks)}, the root of all widths together: each has its own.": sum(d_ks),
        }
        known = {said: sum(_each_head(x, heads, scale)) for said, scale in scaled.items()} | {
            "This is the mean of what the heads add: the product with W^O adds it up.": right / len(heads),
            "This is what the first head adds, alone.": terms[0],
            "This is what the last head adds, alone: is the sum started anew for each head?": terms[-1],
            "The scores are divided by d_k and not by its root.": sum(
                _each_head(x, [head], head[0].shape[1] ** 2)[0] for head in heads
            ),
            "The softmax runs over the queries: each row of weights must sum to 1 over the keys.": sum(
                _each_head(x, heads, axis=0)
            ),
        }
        diagnose(got, right, known)
    return Report(True, "Each head adds its own term, so nothing asks the heads to be equally wide.")


@checking
def check_equal_rows(rows: object) -> Report:
    """Are these the weights of the scores (0.1, 0.2, 0.3) and (0.4, 0.5, 0.6) with d_model = 512 and eight heads?

    ``rows`` is a 2 × 3 list, array or tensor, right to three decimals.
    """
    got = from_list(rows)
    got = expect_array(got, (2, 3), "two rows of three numbers, one row for each query", like=got, name="the weights")
    got = torch.as_tensor(got, dtype=torch.float64)
    scores = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], dtype=torch.float64)
    right = torch.softmax(scores / 8, dim=-1)
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
    if (got - 1 / 3).abs().max() < 4e-4:
        raise NotYet("Even rows belong to equal scores; these scores differ by 0.1, divided by 8.")
    divided = {
        "These are divided by √512. The divisor is the root of d_k = 512 / 8.": math.sqrt(512),
        "These are divided by d_k = 64 and not by its root.": 64,
        "These are divided by √8, the root of the number of heads. The divisor is the root of d_k = 512 / 8.": 8**0.5,
        "These are not divided at all.": 1,
    }
    for said, divisor in divided.items():
        if (got - torch.softmax(scores / divisor, dim=-1)).abs().max() < 6e-4:
            raise NotYet(said)
    raise NotYet(f"Row 0 should begin with {right[0, 0]:.3f}.")
