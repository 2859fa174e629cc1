"""Checks for *Training the translator* and *Reading a curve*: what is asked, losses, a made-up run, what is to come."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from ...data.batching import padded_batch
from ...training.schedules import warmup_then_decay
from ..answers import each_answer, judge_statements
from ..drawn import Normal
from ..known_mistakes import expect_predictions, near, recognise, refuse_number
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

PAIRS = [([11, 12], [7, 8, 9]), ([13], [5])]
"""The ids of two pairs, without ``<s>`` = 1, ``</s>`` = 2 and ``<pad>`` = 0."""
_BATCH = padded_batch(PAIRS)
_SHIFTED = {"tgt_in": _BATCH.tgt_in.tolist(), "tgt_out": _BATCH.tgt_out.tolist()}
_NAMED = {
    "tgt_in": [
        ([[7, 8, 9], [5, 0, 0]], "the decoder starts from `<s>`, which is 1"),
        ([[1, 7, 8, 9, 2], [1, 5, 2, 0, 0]], "nothing is asked after `</s>`, so the decoder need not read it"),
        ([[1, 7, 8], [1, 5, 0]], "its last row reads the last token, and is asked for `</s>`"),
        (_SHIFTED["tgt_out"], "that is what the rows are asked for"),
        ([[1, 7, 8, 9], [0, 0, 1, 5]], "padding stands after a sentence, not before it"),
        ([[1, 7, 8, 9], [1, 5, 2, 0]], "nothing is asked after `</s>`, so the decoder need not read it"),
    ],
    "tgt_out": [
        ([[7, 8, 9], [5, 0, 0]], "the last row is asked for `</s>`, which is 2"),
        ([[1, 7, 8, 9, 2], [1, 5, 2, 0, 0]], "no row is asked for `<s>`"),
        ([[7, 8, 9, 2], [5, 0, 0, 2]], "the end comes after the sentence, and padding after the end"),
        (_SHIFTED["tgt_in"], "that is what the rows read"),
    ],
}


def _rows(answer: object, name: str) -> list[list[int]]:
    """A table of whole numbers as lists, from lists, NumPy or torch."""
    if isinstance(answer, Tensor) or hasattr(answer, "tolist"):
        answer = answer.tolist()
    if not isinstance(answer, Sequence) or isinstance(answer, str) or len(answer) != 2:
        raise NotYet(f"`{name}` should be two rows of ids, such as [[1, 2], [3, 4]].")
    rows = [list(row) if isinstance(row, Sequence) and not isinstance(row, str) else None for row in answer]
    if None in rows or not all(isinstance(x, int | float) and not isinstance(x, bool) for row in rows for x in row):
        raise NotYet(f"`{name}` should be two rows of ids, such as [[1, 2], [3, 4]].")
    return rows


@checking
def check_shift(answers: object) -> Report:
    """Are these what the decoder reads, and what it is asked for, for the two targets of `PAIRS`?"""
    for name, answer in each_answer(answers, _SHIFTED, "two rows of ids for each of", put="two rows of ids"):
        rows = _rows(answer, name)
        if rows == _SHIFTED[name]:
            continue
        if len(rows[0]) != len(rows[1]):
            raise NotYet(f"`{name}`: the rows of a batch are equally long: fill the shorter one with `<pad>`, 0.")
        reason = recognise(rows, _NAMED[name], lambda got, wrong: got == wrong)
        raise NotYet(f"`{name}` is not that" + (f": {reason}." if reason else "."))
    return Report(True, "Each place is asked for what the next place reads; padding is asked for nowhere.")


_LEAST = -(0.92 * math.log(0.92) + 4 * 0.02 * math.log(0.02))
_MEANS = {
    "pair": (
        2 * math.log(2),
        {
            6 * math.log(2): "that is the sum; the loss is the mean per token",
            2.0: "that is in bits; nats take the natural logarithm",
            math.log(2): "a token of probability ⅛ costs log 8, and there are three tokens",
            -math.log((0.5 + 0.25 + 0.125) / 3): "take the logarithms first, and then the mean",
        },
    ),
    "batch": (
        2.5,
        {
            3.0: "that is the mean of two means; each token counts alike, and the second sentence has more",
            10.0: "that is the sum; the loss is the mean per token",
            1.25: "padding is counted in the number of tokens",
            1.6667: "padding is counted in the number of tokens",
        },
    ),
    "smoothed": (
        _LEAST,
        {
            0.0: "a smoothed target is not certain, and no model is less surprised than its entropy",
            -math.log(0.92): "the other four tokens of the target have a share of 0.02 each, and cost too",
            -math.log(0.9): "the true token keeps 0.9 + 0.1/5, and the others cost too",
            0.1 * math.log(5): "that is only a part; write out Σ −t log t with t = 0.92, 0.02, 0.02, 0.02, 0.02",
        },
    ),
}


@checking
def check_means(predictions: object) -> Report:
    """Are these the loss of a pair, of a batch, and the least one with smoothed targets, in nats per token?"""
    answers = dict(each_answer(predictions, _MEANS, "a number for each of", open_name=None))
    expect_predictions(answers, _MEANS, tolerance=6e-3)
    return Report(True, "All tokens count alike, whatever sentence they stand in; and a smoothed loss has a floor.")


@checking
def check_token_losses(candidate: object) -> Report:
    """Does ``candidate(logits, targets)`` give the loss of each target token, and 0 at padding, id 0?"""
    normal = Normal(4)
    for shape, vocabulary, size in (((2, 4), 6, 1.0), ((3, 5), 9, 3.0), ((4, 3), 5, 2000.0)):
        logits = size * normal(*shape, vocabulary)
        targets = torch.randint(1, vocabulary, shape, generator=normal.generator)
        targets[0, -1] = 0
        got = expect_array(attempt(candidate, logits, targets), shape, "one row per sentence, one column per token")
        right = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=0)
        if agrees(got, right):
            continue
        each = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
        raw = logits.gather(-1, targets[..., None])[..., 0]
        real = targets != 0
        mistakes = {
            "Padding costs nothing: put 0 where the target is 0.": each,
            "A loss is minus the log-probability.": -right,
            "Those are probabilities; the loss is minus their logarithm.": (-right).exp() * real,
            "These are minus the scores: put them through log-softmax first.": -raw * real,
            "The losses were divided by the number of tokens; give each by itself.": right / real.sum(),
            "The logarithm is to base 2; nats take the natural one.": right / math.log(2),
        }
        if torch.isinf(got).any():
            raise NotYet("A loss is infinite: take the log-softmax in one step, as a tiny probability rounds to 0.")
        told = recognise(got, mistakes)
        raise NotYet(told or "These are not the losses of the target tokens.")
    return Report(True, "Right for three shapes, with padding, and with scores of some thousands.")


OTHER_RUN = {
    "pieces": 1000,
    "smoothing": 0.1,
    "steps": 5000,
    "warm-up steps": 1000,
    "training loss": {500: 4.90, 2500: 2.91, 5000: 2.38},
    "validation loss": {0: 8.40, 500: 3.90, 2500: 2.12, 5000: 1.61},
}
"""A run made up for an exercise; the losses are by the number of steps done, in nats per token."""
STATEMENTS = {
    "a": "Before the first step, the model had about the loss of a uniform guess.",
    "b": "At the end, the training loss was less than 1.5 nats above its least possible value.",
    "c": "At the end, the perplexity on the validation sentences was above 4.",
    "d": "At step 4000, the learning rate was a quarter of its peak.",
    "e": "At step 250, the learning rate was a quarter of its peak.",
}
_RIGHT = {"a": False, "b": True, "c": True, "d": False, "e": True}
_WHY = {
    "a": "a uniform guess among 1,000 pieces costs log 1,000, which is about 6.9",
    "b": "the smoothed target has one 0.9001 and 999 times 0.0001; take away its entropy, which is about 1.01",
    "c": "the loss is in nats, so the perplexity is e to the power of 1.61",
    "d": "the fall is half a cosine and no straight line; three quarters of it are over at step 4,000",
    "e": "the rate rises in a straight line, and the warm-up has 1,000 steps",
}


@checking
def check_curve(answers: object) -> Report:
    """Is each of `STATEMENTS` about `OTHER_RUN` rightly called True or False?"""
    judge_statements(answers, _RIGHT, _WHY, "it holds", "it does not")
    return Report(True, "All five. A curve is compared with a uniform guess, with its floor, and with the schedule.")


@checking
def check_left(candidate: object) -> Report:
    """Does ``candidate(steps, warm_up, done)`` give the share of all rates that comes after step ``done``?"""
    for steps, warm_up, done in ((10, 2, 6), (200, 20, 10), (500, 100, 450), (60, 30, 60)):
        every = [warmup_then_decay(step, steps, warm_up, 1.0) for step in range(steps + 1)]
        straight = [min(s / warm_up, (steps - s) / (steps - warm_up)) for s in range(steps + 1)]
        no_rise = [warmup_then_decay(step, steps, 0, 1.0) for step in range(steps + 1)]
        late = [warmup_then_decay(max(step, warm_up), steps, warm_up, 1.0) for step in range(steps + 1)]
        right = _share_after(done, every)
        mistakes = [
            ("That is the share of the steps. The steps are not equally long.", (steps - done) / steps),
            ("That is the share that is over.", 1 - right),
            ("Step `done` itself is over: begin with the next one.", sum(every[done:]) / sum(every)),
            ("That is the sum of the rates to come. Divide it by the sum of all.", sum(every[done + 1 :])),
            ("The fall is half a cosine and no straight line.", _share_after(done, straight)),
            ("The warm-up is missing: before step `warm_up` the rate rises from 0.", _share_after(done, no_rise)),
            ("The rate rises in the warm-up. It does not begin at the peak.", _share_after(done, late)),
            ("That is the rate at step `done`, as a share of the peak.", every[done]),
        ]
        got = expect_number(attempt(candidate, steps, warm_up, done), "the share that is still to come")
        if abs(got - right) > 1e-6:
            where = f"For {steps} steps, {warm_up} of them warm-up, after step {done}"
            refuse_number(where, got, right, mistakes, near(abs_tol=1e-6))
    return Report(True, "Right for four runs. At the end nothing is to come, whatever the model could still learn.")


def _share_after(done: int, rates: Sequence[float]) -> float:
    """The share of all rates, from step 1, that comes after step ``done``."""
    return sum(rates[done + 1 :]) / sum(rates[1:])
