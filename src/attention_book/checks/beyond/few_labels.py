"""Checks for *A task with few labels*: the rule's number by hand and in code, and what no linear layer compares."""

import itertools
import math

import torch

from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

HIDDEN = {"is": 0.6, "are": 0.1, "am": 0.05}
"""Probabilities that a guesser gives to the forms of *be* in a gap; other words have the rest."""


def hidden_forms() -> str:
    """:data:`HIDDEN`, one per line, ready to print."""
    return "\n".join(f"{form:4} {p}" for form, p in HIDDEN.items())


def _number(form: str) -> float:
    return math.log(HIDDEN[form] / max(p for other, p in HIDDEN.items() if other != form))


@checking
def check_rule(predictions: object) -> Report:
    """Are these the rule's numbers for :data:`HIDDEN`, in nats, and what a linear layer makes of them?

    Args:
        predictions: the number for each of ``is``, ``are`` and ``am``, if this form stands in the sentence; and
            ``agree``, for how many of the three a layer with weight 1 and bias 2 says that the sentence agrees.
    """
    table = {}
    for form, p in HIDDEN.items():
        right = _number(form)
        others = {q for other, q in HIDDEN.items() if other != form}
        mistakes = {
            -right: "the form that stands there comes first, its rival is subtracted",
            math.log(p / min(others)): "its rival is the likeliest of the other forms",
            math.log(p / sum(others)): "the rival is one form, and not all other forms together",
            p - max(others): "that is the difference of the probabilities, and not of their logarithms",
            p / max(others): "that is the ratio; the number is its logarithm",
            right / math.log(2): "that is in bits: use the natural logarithm",
            math.log(p): "that is log P of the form alone: subtract that of its best rival",
            0.0: "the form that stands there is no rival of itself",
        }
        table[form] = (right, mistakes)
    table["agree"] = (
        2,
        {
            1: "the bias adds 2 to each number before its sign counts",
            3: "for *am* the number and 2 are below 0 together",
        },
    )
    expect_predictions(predictions, table, 0.005)
    return Report(True, "The labels have to find a weight and a bias, and here the bias 2 is too large.")


@checking
def check_numbers(candidate: object) -> Report:
    """Does ``candidate(logits, forms, stood)`` give the rule's number for each sentence?

    ``logits`` has the shape (sentences, vocab_size), ``forms`` (sentences, 3) with the ids of the forms of the verb,
    the last of which is 0 if there are two, and ``stood`` (sentences,) has the id of the form that stands there.
    """
    generator = torch.Generator().manual_seed(8)
    logits = 3 * torch.randn(6, 12, generator=generator, dtype=torch.float64)
    logits[:, 0] += 9  # the padding is no rival, however likely
    forms = torch.tensor([[1, 2, 0], [3, 4, 5], [6, 7, 0], [3, 4, 5], [8, 9, 0], [3, 4, 5]])
    stood = torch.tensor([2, 3, 6, 5, 8, 4])
    own = logits.gather(1, stood[:, None])[:, 0]
    of_forms = logits.gather(1, forms)
    real, rival = forms != 0, (forms != stood[:, None]) & (forms != 0)

    def best(allowed: torch.Tensor) -> torch.Tensor:
        return of_forms.masked_fill(~allowed, -math.inf).amax(1)

    right = own - best(rival)
    got = expect_array(
        attempt(candidate, logits, forms, stood), (6,), "one number per sentence", like=right, name="the numbers"
    )
    if agrees(got, right):
        return Report(True, "Verbs of two and of three forms are compared, and the padding is no rival.")
    every = torch.ones_like(logits, dtype=torch.bool).scatter(1, stood[:, None], False)
    probs = logits.softmax(1)
    best_prob = probs.gather(1, forms).masked_fill(~rival, 0).amax(1)
    known = {
        "The sign is wrong: the form that stands there comes first.": -right,
        "The form that stands there is among its rivals, so no number is above 0.": own - best(real),
        "The id 0 is taken for a form; it only fills up the row.": own - best(forms != stood[:, None]),
        "The rivals are the other forms of the verb, and not all other words.": own
        - logits.masked_fill(~every, -math.inf).amax(1),
        "Take the best of the rivals, and not their mean.": own - of_forms.masked_fill(~rival, 0).sum(1) / rival.sum(1),
        "Take the best of the rivals, and not the worst.": own - of_forms.masked_fill(~rival, math.inf).amin(1),
        "That is the difference of the probabilities, and not of their logarithms.": probs.gather(1, stood[:, None])[
            :, 0
        ]
        - best_prob,
        "That is the log-probability of the form alone; its best rival is missing.": logits.log_softmax(1).gather(
            1, stood[:, None]
        )[:, 0],
        "That is the sign of each number; give the number.": right.sign(),
    }
    raise NotYet(recognise(got, known) or f"It begins with {got[0]:.4f} and not {right[0]:.4f}.")


def four() -> list[tuple[int, int, bool]]:
    """u, v and whether the sentence agrees, for each of the four sentences of the page."""
    return [(u, v, u == v) for u, v in itertools.product((1, -1), repeat=2)]


@checking
def check_third_feature(feature: object, weights: object) -> Report:
    """Is the linear layer right for all four sentences, once it is given ``feature(u, v)`` beside u and v?

    Args:
        feature: gives one number from u and v, each 1 or −1.
        weights: (a, b, d, c): a u + b v + d · feature(u, v) + c is above 0 where the sentence agrees, and below 0
            where it does not.
    """
    try:
        a, b, d, c = (expect_number(weight, "a weight") for weight in weights)
    except (TypeError, ValueError) as error:
        raise NotYet("Give four weights: those of u, v and the feature, and the bias c.") from error
    extra = {}
    for u, v, _ in four():
        given = attempt(feature, u, v)
        extra[u, v] = expect_number(int(given) if isinstance(given, bool) else given, "the feature")
    if abs(extra[1, 1] + extra[-1, -1] - extra[1, -1] - extra[-1, 1]) < 1e-9:
        raise NotYet("This feature is a sum of something of u and something of v, so nothing is gained by it.")
    for u, v, agree in four():
        score = a * u + b * v + d * extra[u, v] + c
        if abs(score) < 1e-9:
            raise NotYet(f"For u = {u}, v = {v} the score is 0, which says neither.")
        if (score > 0) is not agree:
            raise NotYet(
                f"For u = {u}, v = {v} the score is {score:g}, but the sentence {'agrees' if agree else 'is wrong'}."
            )
    return Report(True, "The feature compares u with v, so a linear layer can read the label from it.")
