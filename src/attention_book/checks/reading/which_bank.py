"""Checks for *Which bank, and who is hungry?*: two vectors of a word, the nearest of a kind, one output twice."""

import math

import torch
from torch import Tensor

from ..answers import as_tensor, each_answer
from ..drawn import Normal
from ..known_mistakes import expect_predictions
from ..report import NotYet, Report, attempt, checking, expect_array, expect_number

_APART = {  # (1, 2), (3, 0) and (1.5, 1); at three quarters (1.5, 1) and (2.5, 0)
    "half": (1 / math.sqrt(5), {
        3.0: "this is the dot product; divide it by both lengths",
        0.0: "these are the vectors of the river and of the money: half of each vector is that of the bank",
        0.2: "divide by the lengths, and not by their squares",
        1.0: "the two companies differ, so the vectors do",
    }),
    "three_quarters": (1.5 / math.sqrt(3.25), {
        3.75: "this is the dot product; divide it by both lengths",
        3 / math.sqrt(90): "three quarters are on the word itself, and one on its company",
        1 / math.sqrt(5): "this is the cosine at one half",
    }),
    "stream": (3.5 / math.sqrt(3.25 * 5), {
        3.5: "this is the dot product; divide it by both lengths",
        1.5 / math.sqrt(3.25): "this is the cosine with the money",
        2 / math.sqrt(5): "this is the cosine of the stream and the river, and not of the two vectors of the bank",
    }),
}  # fmt: skip


@checking
def check_apart(predictions: object) -> Report:
    """Are these the cosines between the vectors of one word in different company?"""
    answers = dict(each_answer(predictions, _APART, "a number for each of", open_name=None))
    expect_predictions(answers, _APART, tolerance=5e-3)
    return Report(True, "The more weight a word has on itself, the less its company sets its vectors apart.")


def _nearest_count(alike: Tensor, kinds: Tensor) -> int:
    return int((kinds[alike.argmax(dim=1)] == kinds).sum())


@checking
def check_nearest(candidate: object) -> Report:
    """Does ``candidate(vectors, kinds)`` count the rows whose nearest other row, by cosine, is of the same kind?

    ``vectors`` is (n, d), ``kinds`` holds n whole numbers.
    """
    normal = Normal(3)
    for n, d in ((16, 2), (20, 3), (12, 4), (30, 2)):
        lengths = torch.rand(n, 1, generator=normal.generator).double() * 9 + 0.5
        vectors = normal(n, d) * lengths + 0.8  # lengths and a shift, so that neither may be forgotten
        kinds = torch.randint(0, 2, (n,), generator=normal.generator)
        itself = torch.eye(n, dtype=torch.bool)
        products = vectors @ vectors.T
        norms = vectors.norm(dim=1, keepdim=True)
        cosines = products / (norms * norms.T)
        right = _nearest_count(cosines.masked_fill(itself, -math.inf), kinds)
        got = expect_number(attempt(candidate, vectors, kinds))
        if got == right:
            continue
        if got == n:
            raise NotYet("Every row is right, because each is nearest to itself: leave out the row itself.")
        if abs(got - right / n) < 1e-9:
            raise NotYet("This is the share of the rows: return their number.")
        if got == n - right:
            raise NotYet("These are the rows whose nearest other row is of another kind.")
        for reason, alike in (
            ("the nearest by the dot product, which prefers long vectors: divide by the lengths", products),
            ("the nearest by distance: take the cosine, which lengths do not change", -torch.cdist(vectors, vectors)),
            ("the rows with the smallest cosine: the nearest has the largest", -cosines),
        ):
            if got == _nearest_count(alike.masked_fill(itself, -math.inf), kinds):
                raise NotYet(f"For {n} rows you count {got:g} and not {right}. These are {reason}.")
        raise NotYet(f"For {n} rows it is {right}, and not {got:g}.")
    return Report(True, "The same count as in the table; what it means, only a control can say.")


@checking
def check_same_output(values: object, first: object, second: object) -> Report:
    """Do two rows of weights that disagree give one output over these values, no two of which are equal?

    ``values`` are three rows of two numbers; ``first`` and ``second`` three weights each.
    """
    values = expect_array(as_tensor(values), (3, 2), "three values of two numbers", name="`values`")
    rows = []
    for name, row in (("first", first), ("second", second)):
        row = expect_array(as_tensor(row), (3,), "a weight per value", name=f"`{name}`")
        if (row < 0).any():
            raise NotYet(f"`{name}` holds a negative weight; softmax gives none.")
        if abs(row.sum() - 1) > 1e-3:
            raise NotYet(f"`{name}` sums to {row.sum():g}, and the weights of a row sum to 1.")
        rows.append(row)
    for n, m in ((0, 1), (0, 2), (1, 2)):
        if torch.allclose(values[n], values[m]):
            raise NotYet(
                f"The values {n} and {m} are equal, so exchanging their weights is no riddle: make them differ."
            )
    if rows[0].argmax() == rows[1].argmax():
        raise NotYet(
            "Both rows give the largest weight to the same token: they tell the same story. Let them disagree."
        )
    outputs = [row @ values for row in rows]
    spread = float((values - values.mean(dim=0)).abs().max())  # a vector added to all values changes no difference
    if not torch.allclose(*outputs, rtol=0, atol=1e-2 * spread):
        told = " and ".join(str(tuple(round(x, 3) for x in output.tolist())) for output in outputs)
        raise NotYet(f"The outputs differ: {told}.")
    for name, row in zip(("first", "second"), rows, strict=True):
        if (row == 0).any():
            raise NotYet(f"`{name}` holds a zero, and softmax gives none: let every token have some weight.")
    return Report(True, "One output, two stories: the weights alone do not say what the layer passed on.")
