"""Checks for *Past one machine*: three ranks by hand, what a rank may do alone, gradients joined."""

import numpy as np
import torch

from ..answers import judge_statements
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_predictions
from ..report import Report, agrees, attempt, checking, expect_array

RANKS = ((6, 1.0), (3, 2.0), (1, 10.0))
"""Target tokens of three ranks, and the gradient of the mean loss of each, for a model of one parameter."""


def three_ranks() -> str:
    """:data:`RANKS`, one per line, ready to print."""
    lines = [f"rank {n}: target tokens {tokens}, gradient {g:g}" for n, (tokens, g) in enumerate(RANKS)]
    return "\n".join(lines)


_THREE = {
    "gradient": (
        2.2,
        {
            13 / 3: "that is the mean of the means; each *token* counts alike",
            22.0: "that is the sum over tokens; the loss is their mean",
            13.0: "that adds the means of the ranks, whatever their tokens",
            2.2 / 3: "the shares 6/10, 3/10 and 1/10 already sum to 1, so do not divide by the ranks again",
        },
    ),
    "mean_of_means": (
        13 / 3,
        {
            2.2: "that is the gradient of the batch; here all ranks count alike",
            13.0: "that is their sum",
            2.0: "that is the middle one of the three",
            1.3: "there are three means, whatever the number of tokens",
        },
    ),
    "factor": (
        0.3,
        {
            0.1: "torch divides the sum by three afterwards, so this rank would count a third of what it should",
            1 / 3: "that is what torch does by itself; rank 2 has fewer tokens than a third of them",
            3.0: "that undoes torch's division, but the rank has only 1 of 10 tokens",
            10.0: "that is the number of tokens; rank 2 must count less than the others, not more",
            10 / 3: "it is the other way round: few tokens, small factor",
        },
    ),
}


@checking
def check_three_ranks(predictions: object) -> Report:
    """Are these the gradient of the step, the mean of the means, and the factor of rank 2's loss, for `RANKS`?"""
    expect_predictions(predictions, _THREE, tolerance=0.006)
    return Report(True, "Rank 2 has the largest gradient and the fewest tokens, so the mean of means is far off.")


STATEMENTS = {
    "a": "Each rank clips its own gradient to the norm 1. Then the gradients are added, weighted by tokens.",
    "b": "The gradients are added, weighted by tokens. Then each rank clips the sum to the norm 1.",
    "c": "Each rank takes a step of Adam with its own gradient. Then the parameters are averaged, weighted by tokens.",
    "d": "One rank is given all short sentences of the batch, and the other all long ones.",
    "e": "The layer norms are replaced by norms that take their means over all rows that a rank has.",
    "f": "Each rank divides the summed loss of its tokens by the tokens of the whole batch. The gradients are added.",
}
_TRUE = {"a": False, "b": True, "c": False, "d": True, "e": False, "f": True}
_WHY = {
    "a": "a clipped gradient is no longer a share of the sum; a rank whose gradient is long counts for less",
    "b": "the sum is the gradient of the whole batch, and one process clips that too",
    "c": "Adam divides by the root of a mean of squares, so the mean of two steps is not the step of the mean",
    "d": "the sum does not depend on who adds which part; the weights take care of the tokens",
    "e": "the output of a row then depends on the other rows of its rank, so other rows give another loss",
    "f": "the sum over tokens is cut into parts, and N is the same for all",
}


@checking
def check_alone(answers: object) -> Report:
    """Is it said rightly of each of `STATEMENTS` whether the step is that of one process, rounding aside?"""
    judge_statements(answers, _TRUE, _WHY, "the same step", "another step", put="True or False")
    return Report(True, "All six. What is linear in the gradient may wait or go first; clipping and Adam must wait.")


@checking
def check_joined(candidate: object) -> Report:
    """Does ``candidate(gradients, tokens)`` join gradients of sums to that of the batch's mean, idle ranks left out?"""
    normal = Normal(6)
    for tokens, shape in (([3, 1], (4,)), ([2, 5, 3], (2, 3)), ([4, 0, 4, 2], (3,)), ([7], (2,))):
        gradients = [normal(*shape) for _ in tokens]
        n, size = sum(tokens), len(tokens)
        busy = [(g, t) for g, t in zip(gradients, tokens, strict=True) if t]
        right = sum(g for g, _ in busy) / n
        got = attempt(candidate, gradients, tokens)
        got = torch.as_tensor(got) if isinstance(got, np.ndarray) else got
        got = expect_array(got, shape, "as one gradient")
        if agrees(got, right):
            continue
        weighted, means = sum(t * g for g, t in busy), sum(g / t for g, t in busy)
        mistakes = {
            "A rank with 0 tokens computed a row of another rank, so its gradient must not count.": sum(gradients) / n,
            "Each token counts once in a sum already: do not weigh the sums by tokens again.": weighted / n,
            "The sums are weighed by tokens once more, and not divided.": weighted,
            "It is the gradient of the summed loss. Divide by the number of all tokens.": right * n,
            "It is the mean over the ranks. Divide by the number of all tokens, not of ranks.": sum(gradients) / size,
            "The sums are divided by the number of ranks that have tokens, not of all tokens.": right * n / len(busy),
            "Divide by the number of all tokens alone, and not by the number of ranks.": right / size,
            "It adds the means. Add the sums, and divide by the number of all tokens.": means,
            "It is the mean of the ranks' means. Add the sums, and divide by all tokens.": means / len(busy),
            "It is the gradient of one rank.": gradients[0],
        }
        diagnose(got, right, mistakes)
    return Report(True, "Right for one to four ranks, one of them without any token of its own.")
