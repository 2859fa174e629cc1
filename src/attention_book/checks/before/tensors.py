"""Checks for *Tensors, gradients, and a training loop*: shapes, dot products, a gradient by hand, the first losses."""

import math
from operator import add, matmul

import torch

from ..answers import each_answer
from ..drawn import Normal
from ..known_mistakes import near, recognise
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
from ..torch_calls import TorchCalls

# The expressions of the exercise: left shape, operation, right shape. The page prints them with `expressions()`.
_EXPRESSIONS = {
    "a": ((4, 1), "+", (3,)),
    "b": ((3,), "+", (3, 1)),
    "c": ((2, 5, 3), "@", (3, 4)),
    "d": ((2, 1, 5, 3), "@", (7, 3, 6)),
    "e": ((4,), "+", (3,)),
    "f": ((2, 5, 3), "@", (2, 5, 3)),
}
_OPERATIONS = {"+": add, "@": matmul}
_RULES = {
    "+": "Write the two shapes below each other, aligned at the right. In each column the numbers must be equal, or "
    "one of them 1 or missing; the result has the larger.",
    "@": "The last two axes are matrices: (rows, n) times (n, columns) gives (rows, columns). The axes before them are "
    "broadcast.",
}


def expressions() -> str:
    """The expressions whose shapes are to be predicted, one line each, ready to print."""
    lines = []
    for letter, (left, sign, right) in _EXPRESSIONS.items():
        lines.append(
            f"{letter}: torch.zeros{str(left).replace(',)', ')')} {sign} torch.zeros{str(right).replace(',)', ')')}"
        )
    return "\n".join(lines)


def _true_shape(letter: str) -> tuple[int, ...] | None:
    left, sign, right = _EXPRESSIONS[letter]
    try:
        return tuple(_OPERATIONS[sign](torch.zeros(left), torch.zeros(right)).shape)
    except RuntimeError:
        return None


@checking
def check_shapes(predictions: object) -> Report:
    """Are the predicted shapes those that torch gives?

    Args:
        predictions: letter of the expression to its shape as a tuple, or to None where torch raises an error.
    """
    wanted = "a shape, or None, for each of the letters"
    for letter, said in each_answer(predictions, _EXPRESSIONS, wanted, open_name="Expression {}"):
        (_, sign, _), true = _EXPRESSIONS[letter], _true_shape(letter)
        if said is not None and not (isinstance(said, (tuple, list, torch.Size))):
            raise NotYet(f"Write the shape of {letter} as a tuple, such as (4, 3) or (4,), or None for an error.")
        if (None if said is None else tuple(said)) != true:
            said = "an error" if said is None else tuple(said)
            raise NotYet(f"Expression {letter} does not give {said}. {_RULES[sign]}")
    return Report(True, "All six are what torch gives, the two errors included.")


@checking
def check_first_losses(english: object, spanish: object, mean: object) -> Report:
    """Are the losses of a model right whose scores are 0 for English and log 3 for Spanish, whatever the word?

    Args:
        english: the predicted loss of an English word, in nats.
        spanish: that of a Spanish word.
        mean: the mean loss over words of which three in four are Spanish.
    """
    right = {"an English word": math.log(4), "a Spanish word": math.log(4 / 3)}
    right["the mean"] = (math.log(4) + 3 * math.log(4 / 3)) / 4
    one, other = right["an English word"], right["a Spanish word"]
    for (what, loss), said in zip(right.items(), (english, spanish, mean), strict=True):
        if said is ...:
            raise NotYet(f"The loss for {what} is still open.")
        said = expect_number(said, f"the loss for {what}")
        if math.isclose(said, loss, abs_tol=0.005):
            continue
        known = {
            math.exp(-loss): "That is a probability; the loss is its surprise.",
            -loss: "The sign: a surprise is not negative.",
            loss / math.log(2): "That is in bits; torch and this book take the natural logarithm.",
            loss / math.log(10): "That is the logarithm to base ten; torch and this book take the natural one.",
            math.log(2): "That would be right if both scores were equal.",
            math.log(3): "That is the score itself: softmax comes first.",
            (one + other) / 2: "Three of four words are Spanish, so the two losses do not count alike.",
            (3 * one + other) / 4: "The two losses are exchanged in the mean.",
            one: "That is the loss for an English word.",
            other: "That is the loss for a Spanish word.",
        }
        why = recognise(said, known, near(rel_tol=0.005, abs_tol=1e-6))
        raise NotYet(f"For {what} it is not {said:g}. {why or 'What does softmax make of 0 and log 3?'}")
    return Report(True, "A bias that fits how common the answers are lowers the loss before anything else is learned.")


@checking
def check_all_dots(candidate: object) -> Report:
    """Does ``candidate(q, k)`` give the dot product of every row of q with every row of k, for any leading axes?"""
    normal = Normal(7)
    for leading in ((), (2,), (2, 3)):
        for q_len, k_len, d_k in ((4, 3, 5), (4, 4, 4)):
            q, k = normal(*leading, q_len, d_k), normal(*leading, k_len, d_k)
            got = attempt(candidate, q, k)
            wanted = torch.einsum("...qd,...kd->...qk", q, k)
            meaning = "one row per row of q, one column per row of k" + (", the leading axes kept" if leading else "")
            expect_array(got, wanted.shape, meaning, name="the dot products")
            difference = first_difference(got, wanted)
            if difference is None:
                continue
            inputs = f"For q {tuple(q.shape)} and k {tuple(k.shape)}"
            if agrees(got, wanted.transpose(-2, -1)):
                raise NotYet(f"{inputs} the result is transposed: row i must belong to row i of q.")
            if q_len == d_k and agrees(got, q @ k):
                raise NotYet(f"{inputs} it computes q @ k, rows of q with columns of k. Transpose k's last two axes.")
            raise NotYet(f"{inputs} it is wrong at {difference}.")
    return Report(True, "Every row of q meets every row of k, with no leading axes, with one and with two.")


@checking
def check_gradient(candidate: object) -> Report:
    """Does ``candidate(x, w, b, y) -> (dw, db)`` give the gradient of the mean cross-entropy, without autograd?"""
    normal = Normal(11)
    n, n_features, n_classes = 6, 4, 3
    x, w, b = normal(n, n_features), normal(n_features, n_classes), normal(n_classes)
    y = torch.randint(n_classes, (n,), generator=normal.generator)
    with TorchCalls() as calls:
        got = attempt(candidate, x, w, b, y)
    if calls.names & {"backward", "grad", "_make_dual"}:  # the last one is how torch differentiates forwards
        raise NotYet("It asks autograd. Compute dw and db from x, the probabilities and y, as the formula says.")
    parts = expect_parts(got, ("dw", "db"))
    leaves = w.clone().requires_grad_(), b.clone().requires_grad_()
    true = torch.autograd.grad(torch.nn.functional.cross_entropy(x @ leaves[0] + leaves[1], y), leaves)
    p = torch.softmax(x @ w + b, dim=-1)
    for name, got, wanted, without_y in zip(("dw", "db"), parts, true, (x.T @ p, p.sum(0)), strict=True):
        meaning = "as w: one row per feature, one column per class" if name == "dw" else "as b: one number per class"
        expect_array(got, wanted.shape, meaning, name=name)
        difference = first_difference(got, wanted)
        if difference is None:
            continue
        known = {
            "has the wrong sign: the gradient points uphill; the step subtracts it.": -wanted,
            "is the gradient of the summed loss: divide by the number of rows.": n * wanted,
            "is divided by the number of classes; the mean is over the rows.": n * wanted / n_classes,
            "leaves out the right answers: subtract 1 from the probability of each.": without_y / n,
        }
        if fault := recognise(got, known):
            raise NotYet(f"{name} {fault}")
        raise NotYet(f"{name} differs from autograd's at {difference}.")
    return Report(True, "Both agree with autograd, in every number.")
