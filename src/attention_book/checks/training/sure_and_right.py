"""Checks for *Sure and right*: loss, confidence and right tokens by hand and as a function, tables, statements."""

import math

import torch

from ..answers import each_answer, judge_statements
from ..drawn import Normal
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_number, expect_parts

TRUE = [0.9, 0.9, 0.9, 0.1]
LARGEST = [0.9, 0.9, 0.9, 0.8]
"""Of four tokens: the probability of the true one, and the largest probability."""
_LOSS = -sum(math.log(p) for p in TRUE) / 4
_MEASURES = {
    "loss": (
        _LOSS,
        {
            4 * _LOSS: "that is the sum; the loss is the mean per token",
            -math.log(sum(TRUE) / 4): "take the logarithms first, and then the mean",
            -sum(math.log(p) for p in LARGEST) / 4: "the loss looks at the true tokens, not at the first choices",
            _LOSS / math.log(2): "that is in bits; nats take the natural logarithm",
        },
    ),
    "perplexity": (
        math.exp(_LOSS),
        {
            math.exp(4 * _LOSS): "take e to the power of the mean, not of the sum",
            2**_LOSS: "the loss is in nats, so the base is e",
            sum(1 / p for p in TRUE) / 4: "take the mean of the logarithms first, and then e to its power",
        },
    ),
    "confidence": (
        0.875,
        {
            0.7: "that is the mean probability of the true tokens; confidence is of the first choices",
            0.9: "the last token counts too: its first choice has 0.8",
            0.75: "that is the share of right tokens",
        },
    ),
    "right": (
        0.75,
        {
            1.0: "in the last token the true one is not the first choice",
            3.0: "give the share of the tokens, and not their number",
            0.875: "that is the confidence",
            0.7: "count the tokens whose true one is the first choice",
        },
    ),
}


@checking
def check_measures(predictions: object) -> Report:
    """Are these the loss, the perplexity, the confidence and the share of right tokens of `TRUE` and `LARGEST`?"""
    answers = dict(each_answer(predictions, _MEASURES, "a number for each of", open_name=None))
    expect_predictions(answers, _MEASURES, tolerance=6e-3)
    return Report(True, "This model is surer than right: 0.875 against 0.75.")


@checking
def check_sure_and_right(candidate: object) -> Report:
    """Does ``candidate(logits, targets)`` give the confidence and the share of right tokens, without padding, id 0?"""
    normal = Normal(5)
    for shape, vocabulary, size in (((2, 4), 6, 1.0), ((3, 5), 9, 3.0), ((4, 6), 5, 40.0)):
        logits = size * normal(*shape, vocabulary)
        targets = logits.argmax(-1).clamp(min=1)
        swap = torch.rand(shape, generator=normal.generator) < 0.5
        targets[swap] = torch.randint(1, vocabulary, shape, generator=normal.generator)[swap]
        targets[0, -2:] = 0
        real = targets != 0
        top, first = logits.softmax(-1).max(-1)
        hit = (first == targets).double()
        of_true = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]
        parts = expect_parts(attempt(candidate, logits, targets), ("confidence", "right"))
        sure = expect_number(parts[0], "the confidence")
        right = expect_number(parts[1], "the share of right tokens")
        if not agrees(sure, top[real].mean(), tolerance=1e-5):
            mistakes = {
                "The padding is counted in the confidence.": top.mean(),
                "The confidence is of the first choices, not of the true tokens.": of_true[real].mean(),
                "Put the logits through softmax first: a confidence is a probability.": logits.max(-1)[0][real].mean(),
                "It divides by the number of all places; divide by those that are not padding.": (
                    top[real].sum() / real.numel()
                ),
                "Those two are the wrong way round.": hit[real].mean(),
            }
            raise NotYet(recognise(sure, mistakes) or f"The confidence is {top[real].mean():.4f}, not {sure:.4f}.")
        if not agrees(right, hit[real].mean(), tolerance=1e-5):
            mistakes = {
                "The padding is counted among the tokens; leave it out.": hit.mean(),
                "Give the share and not the number of right tokens.": hit[real].sum(),
                "Those are the wrong tokens.": 1 - hit[real].mean(),
                "A token is right or wrong: count the first choices that are true.": of_true[real].mean(),
            }
            told = recognise(right, mistakes)
            raise NotYet(told or f"The share of right tokens is {hit[real].mean():.4f}, not {right:.4f}.")
    return Report(True, "Right for three shapes, with padding left out.")


_TIED, _SAVED = 63_082_496, 2 * 37_000 * 512
_PERCENT = 100 * _SAVED / (_TIED + _SAVED)
_TABLES = {
    "table": (
        18_944_000,
        {37_000 + 512: "a table has a row of 512 numbers for each of 37,000 pieces"},
    ),
    "saved": (
        37_888_000,
        {
            18_944_000: "there are three places, and one table is left: two are saved",
            56_832_000: "three tables become one, so two are saved and not three",
        },
    ),
    "percent": (
        _PERCENT,
        {
            100 * _SAVED / _TIED: "that is the share of the tied model; the untied total has the two tables too",
            100 * _SAVED / 2 / (_TIED + _SAVED): "there are two additional tables, not one",
            100 * 1.5 * _SAVED / (_TIED + _SAVED): "one of the three tables is in the tied model too",
            _PERCENT / 100: "that is the share; give it in percent",
        },
    ),
}


@checking
def check_tables(predictions: object) -> Report:
    """Are these the parameters of one table, of what tying saves, and the percentage that the saved tables would be?"""
    answers = dict(each_answer(predictions, _TABLES, "a number for each of", open_name=None))
    expect_predictions(answers, _TABLES, tolerance=0.5)
    return Report(True, "Two tables of three are saved, and a table grows with the vocabulary and the width.")


STATEMENTS = {
    "a": "Dropout brings the circle of the few-pairs model nearer to its square mostly by lowering the confidence.",
    "b": "The smoothed model's confidence lies further below its share of right tokens than the plain model's.",
    "c": "In the tables, e to the power of the smoothed model's loss is a perplexity.",
    "d": "The untied model has a lower loss and more right sentences, so untied is better in every size and language.",
    "e": "A sentence has about seven tokens, so a model with 85 % right tokens has about 0.85⁷ = 32 % right sentences.",
}
_TRUE = {"a": False, "b": True, "c": True, "d": False, "e": False}
_WHY = {
    "a": "see which of the two marks moves further, the circle to the left or the square to the right",
    "b": "compare confidence and right tokens in both rows of the table of smoothing",
    "c": "the losses of the table are measured without smoothing, at the true tokens",
    "d": "one size, one vocabulary and one budget were trained, and the untied model has more parameters",
    "e": "see the tables; a token that is not the pair's may belong to another right translation",
}


@checking
def check_statements(answers: object) -> Report:
    """Is each of `STATEMENTS` rightly called True or False?"""
    judge_statements(answers, _TRUE, _WHY, "it follows", "it does not")
    return Report(True, "All five. Sure and right are two things, and a table holds for what was trained.")
