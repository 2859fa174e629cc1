"""Checks for *Residuals and normalisation*: what a norm forgets, the norm itself, Add & Norm, and sizes.

The oracles are torch's own layer norm, a sum written out, and products of sizes.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from ..answers import each_answer, is_one_of
from ..drawn import Normal
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

_CHANGES: dict[str, tuple[str, Callable[[Tensor], Tensor], str]] = {
    "a": (
        "all numbers times 10",
        lambda x: 10 * x,
        "Mean and deviations grow alike, and so does the root of the variance.",
    ),
    "b": ("5 added to all numbers", lambda x: x + 5, "The mean grows by 5 too, and no deviation changes."),
    "c": ("all numbers times −1", lambda x: -x, "Each deviation changes its sign; the variance is made of squares."),
    "d": ("the numbers in reverse order", lambda x: x.flip(-1), "Mean and variance do not depend on the order."),
    "e": (
        "5 added to the last number alone",
        lambda x: x + torch.tensor([0.0, 0, 0, 5]),
        "Mean and variance move too.",
    ),
}
_ANSWERS = ("same", "negated", "reversed", "changed")
_ROW = torch.tensor([1.0, 3.0, 3.0, 9.0], dtype=torch.float64)


def changes() -> str:
    """The changes of a row whose effect is to be predicted, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, _, _) in _CHANGES.items())


def _effect(change: Callable[[Tensor], Tensor]) -> str:
    """What a change of the row does to its layer norm, measured; ε is small enough not to be seen."""
    before, after = (F.layer_norm(row, (4,)) for row in (_ROW, change(_ROW)))
    outcomes = {"same": before, "negated": -before, "reversed": before.flip(-1)}
    return next((name for name, wanted in outcomes.items() if torch.allclose(after, wanted, atol=1e-5)), "changed")


@checking
def check_forgotten(predictions: object) -> Report:
    """Is it predicted rightly what each change of a row does to its layer norm?

    Args:
        predictions: letter of the change to "same", "negated", "reversed" or "changed".
    """
    wanted = "an answer for each of the letters"
    for letter, said in each_answer(predictions, _CHANGES, wanted, open_name="Change {}"):
        text, change, why = _CHANGES[letter]
        if not is_one_of(said, _ANSWERS):
            raise NotYet(f"Answer {letter} with one of {', '.join(map(repr, _ANSWERS))}, not {said!r}.")
        if said != _effect(change):
            raise NotYet(f"Not {said!r} for {letter}, {text}: measured, it is {_effect(change)!r}. {why}")
    return Report(True, "A layer norm forgets the mean and the scale of a row, and nothing else.")


def _norm(
    x: Tensor,
    gain: Tensor | float,
    bias: Tensor | float,
    eps: float,
    *,
    axis: int | tuple = -1,
    unbiased: bool = False,
    centred: bool = True,
) -> Tensor:
    """Layer normalisation, right unless an option says otherwise."""
    deviations = x - x.mean(axis, keepdim=True) if centred else x
    variance = x.var(axis, keepdim=True, unbiased=unbiased)
    return deviations / (variance + eps).sqrt() * gain + bias


@checking
def check_layer_norm(candidate: object) -> Report:
    """Does ``candidate(x, gain, bias, eps)`` normalise each position of x, (batch, length, d_model)?"""
    normal = Normal(7)
    for batch, length, width, size, eps in ((2, 3, 4, 1.0, 1e-5), (1, 5, 8, 3.0, 1e-5), (2, 4, 4, 0.3, 0.5)):
        x, gain, bias = size * normal(batch, length, width) + 2, normal(width), normal(width)
        got = attempt(candidate, x, gain, bias, eps)
        got = expect_array(got, (batch, length, width), "batch, length, d_model", like=got)
        right = F.layer_norm(x, (width,), gain, bias, eps)
        if agrees(got, right, 1e-7):
            continue
        variance, mean = x.var(-1, keepdim=True, unbiased=False), x.mean(-1, keepdim=True)
        known = {
            "The variance divides by n − 1; here it divides by n (`unbiased=False`).": _norm(
                x, gain, bias, eps, unbiased=True
            ),
            "It normalises over the positions: mean and variance are taken over the last axis.": _norm(
                x, gain, bias, eps, axis=-2
            ),
            "It normalises over the batch; mean and variance are taken over the last axis.": _norm(
                x, gain, bias, eps, axis=0
            ),
            "Mean and variance are taken over all positions of a sentence together; each position has its own.": _norm(
                x, gain, bias, eps, axis=(-2, -1)
            ),
            "The mean is not subtracted.": _norm(x, gain, bias, eps, centred=False),
            "The gain is missing.": _norm(x, 1.0, bias, eps),
            "The bias is missing.": _norm(x, gain, 0.0, eps),
            "Gain and bias are missing.": _norm(x, 1.0, 0.0, eps),
            "Gain and bias are exchanged.": _norm(x, bias, gain, eps),
            "The bias is added before the gain multiplies.": (_norm(x, 1.0, 0.0, eps) + bias) * gain,
            "It divides by the variance and not by its root.": (x - mean) / (variance + eps) * gain + bias,
            "ε is added to the root; it belongs to the variance, under the root.": (x - mean)
            / (variance.sqrt() + eps)
            * gain
            + bias,
            "ε is missing.": _norm(x, gain, bias, 0.0),
        }
        where = first_difference(got, right, axes=("sentence", "position", "coordinate"), tolerance=1e-7)
        reason = recognise(got, known, lambda one, other: agrees(one, other, 1e-7))
        raise NotYet(reason or f"Wrong number at {where}.")
    one = torch.ones(4, dtype=torch.float64)
    flat = attempt(candidate, 5 * one.expand(1, 2, 4), one, 0 * one, 1e-5)
    if not agrees(expect_array(flat, (1, 2, 4), "batch, length, d_model", like=flat), torch.zeros(1, 2, 4)):
        raise NotYet("A row whose numbers are all 5 has the variance 0: its norm must be zeros.")
    return Report(True, "It agrees with torch's layer norm, with a large ε and for a row of equal numbers too.")


@checking
def check_add_and_norm(candidate: object) -> Report:
    """Does ``candidate(x, sublayer, norm, pre)`` wrap a sublayer as pre-norm or as post-norm?

    ``sublayer`` and ``norm`` are functions of a tensor; ``pre`` is True or False.
    """
    normal = Normal(11)
    for pre in (True, False):
        x, matrix = normal(2, 3, 4) + 1, normal(4, 4)
        gain, bias = normal(4), normal(4)
        calls = []

        def sublayer(h, matrix=matrix, calls=calls):
            calls.append("sublayer")
            return torch.tanh(h @ matrix)

        def norm(h, gain=gain, bias=bias):
            return F.layer_norm(h, (4,), gain, bias)

        right = x + sublayer(norm(x)) if pre else norm(x + sublayer(x))
        calls.clear()
        got = attempt(candidate, x, sublayer, norm, pre)
        got = expect_array(got, (2, 3, 4), "batch, length, d_model", like=got)
        if agrees(got, right):
            if len(calls) != 1:
                raise NotYet(f"The sublayer is called {len(calls)} times; once is enough, and dropout would differ.")
            continue
        kind, other = ("pre-norm", "post-norm") if pre else ("post-norm", "pre-norm")
        known = {
            f"With pre={pre} it computes {other}: {kind} is asked for.": norm(x + sublayer(x))
            if pre
            else x + sublayer(norm(x)),
            "The residual is missing: x itself must be added.": sublayer(norm(x)) if pre else norm(sublayer(x)),
            "The normalised x is added; in pre-norm the stream itself is not normalised.": norm(x) + sublayer(norm(x)),
            "It normalises what the sublayer gives; neither order does.": x + norm(sublayer(x)),
            "It normalises before and after; each order has one norm.": norm(x + sublayer(norm(x))),
            "The norm is missing.": x + sublayer(x),
            "The sublayer reads x twice added.": norm(x + sublayer(x)) + x,
        }
        where = first_difference(got, right, axes=("sentence", "position", "coordinate"))
        raise NotYet(recognise(got, known) or f"With pre={pre}: wrong number at {where}.")
    return Report(True, "Both orders, with one call of the sublayer each.")


_SIZES = {
    "feed_forward": (
        512 * 2048 + 2048 + 2048 * 512 + 512,
        "two matrices, and a bias as wide as what comes out of each",
    ),
    "layer_norm": (2 * 512, "a gain and a bias for each coordinate"),
    "attention": (4 * 512 * 512 + 4 * 512, "four matrices of 512 × 512, each with its bias"),
    "changed": (5, "with a causal mask, a row sees itself and the rows before it"),
}
_MISCOUNTED = {
    "feed_forward": {
        2 * 512 * 2048: "That leaves out the two biases.",
        512 * 2048: "That is one of the two matrices.",
        512 * 2048 + 2048: "That is the first of the two layers.",
        7 * (2 * 512 * 2048 + 2560): "The seven positions share one network.",
    },
    "layer_norm": {
        512: "That is the gain or the bias; there are both.",
        2: "Each coordinate has its own gain and bias.",
        0: "Mean and variance are not learned, but a gain and a bias are.",
        2 * 512 * 7: "All positions share one gain and one bias.",
    },
    "attention": {
        4 * 512 * 512: "That leaves out the biases.",
        3 * 512 * 512 + 3 * 512: "That leaves out W^O.",
        3 * 512 * 512: "That leaves out W^O and the biases.",
    },
    "changed": {
        7: "That is so without the mask, which hides the third row from the first two.",
        1: "That is so after a feed-forward network. An attention mixes rows.",
        4: "These are the later rows. The third row sees itself, too.",
        3: "These are the rows that the third row sees. Count the rows that see it.",
        2: "These are the rows that do not see it.",
        512: "Count rows, not numbers.",
        0: "The row of the changed position itself changes.",
    },
}


@checking
def check_sizes(answers: object) -> Report:
    """Are these the sizes of the parts of a block of the paper's base model?

    Args:
        answers: a number for each of ``feed_forward``, ``layer_norm``, ``attention`` and ``changed``.
    """
    for name, answer in each_answer(answers, _SIZES, "one number for each of", put="a number"):
        got, (right, reason) = expect_number(answer, f"`{name}`"), _SIZES[name]
        if got != right:
            why = recognise(got, _MISCOUNTED[name], near()) or f"Count: {reason}."
            raise NotYet(f"`{name}` is not {got:,.0f}. {why}")
    return Report(True, "Twice as many parameters think at one position as look at the others.")
