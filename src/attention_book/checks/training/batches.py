"""Checks for *Batches*: cells counted by hand, the share of padding, a cut by tokens, and when sorting loses."""

import random
from collections.abc import Callable, Sequence

from ...data.batch_cutting import cells, cut_by_tokens, padding_share, sorted_in_buckets
from ..answers import each_answer, judge_statements
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number

SIX = [4, 7, 3, 9, 5, 4]
"""Tokens of six sentences, ``</s>`` counted, in the order drawn."""
BUDGET = 20


def _found(order: Sequence[int]) -> tuple[int, int]:
    groups = cut_by_tokens(SIX, order, BUDGET)
    whole = sum(cells(SIX, group) for group in groups)
    return len(groups), whole - sum(SIX)


_DRAWN, _SORTED = _found(range(6)), _found(sorted_in_buckets(SIX, 6))
_ONE = len(SIX) * max(SIX)
_BY_HAND = {
    "drawn_batches": (
        _DRAWN[0],
        {2: "the budget counts cells, padding too, and not only tokens", 6: "two sentences may share a batch"},
    ),
    "drawn_padding": (
        _DRAWN[1],
        {
            _ONE - sum(SIX): "that is the padding of one batch of all six, which has more cells than the budget",
            _SORTED[1]: "that is the padding of the sorted sentences",
            _DRAWN[1] + sum(SIX): "those are all cells; take away those that hold tokens",
        },
    ),
    "sorted_batches": (
        _SORTED[0],
        {
            3: "four rows of at most five tokens are exactly as many cells as the budget, which is allowed",
            1: "all six together are 6 × 9 cells, more than the budget",
            6: "two sentences may share a batch",
        },
    ),
    "sorted_padding": (
        _SORTED[1],
        {
            _DRAWN[1]: "that is the padding of the sentences as drawn",
            _SORTED[1] + sum(SIX): "those are all cells; take away those that hold tokens",
            0: "a batch of sentences of unequal length always has padding",
        },
    ),
}


@checking
def check_by_hand(predictions: object) -> Report:
    """Are these the batches and the padded cells of `SIX`, as drawn and sorted, with `BUDGET` cells per batch?"""
    answers = dict(each_answer(predictions, _BY_HAND, "a number for each of", open_name=None))
    expect_predictions(answers, _BY_HAND, tolerance=0.5)
    return Report(True, "Sorting saves four padded cells, and one batch.")


@checking
def check_share(candidate: object) -> Report:
    """Does ``candidate(batches)`` give the share of all cells that is padding? A batch is a list of lengths."""
    draw = random.Random(2)
    several = [[[draw.randint(1, 20) for _ in range(draw.randint(1, 6))] for _ in range(5)] for _ in range(4)]
    for batches in ([[5, 9], [4, 8], [5]], [[3, 3]], *several):
        got = expect_number(attempt(candidate, batches), "the share")
        whole = [len(lengths) * max(lengths) for lengths in batches]
        filled = [sum(lengths) for lengths in batches]
        right = 1 - sum(filled) / sum(whole)
        if abs(got - right) < 1e-6:
            continue
        shares = [1 - some / all_ for some, all_ in zip(filled, whole, strict=True)]
        mistakes = {
            1 - right: "That is the share of cells that hold tokens.",
            100 * right: "That is in per cent; give a share between 0 and 1.",
            sum(shares) / len(shares): "That is a mean of shares: a large batch must count for more than a small one.",
            sum(whole) / sum(filled) - 1: "Divide by all cells, not by the tokens.",
            float(sum(whole) - sum(filled)): "That is the number of padded cells; divide it by all cells.",
            1 - sum(filled) / (sum(map(len, batches)) * max(map(max, batches))): (
                "Each batch is as wide as its own longest sentence, not as the longest of all."
            ),
        }
        reason = recognise(got, mistakes, near(abs_tol=1e-6)) or ""
        raise NotYet(f"For {batches} it gives {got:.4g} and not {right:.4g}. {reason}".rstrip())
    return Report(True, "Right for batches of one sentence, of equal sentences, and for drawn ones.")


def _cut(lengths: Sequence[int], budget: int) -> list[list[int]]:
    groups = cut_by_tokens(lengths, range(len(lengths)), budget)
    return [[lengths[place] for place in group] for group in groups]


def _by_a_rule(lengths: Sequence[int], budget: int, full: Callable[[list[int], int, int], bool]) -> list[list[int]]:
    """The batches if a new one begins where ``full(batch, length, budget)`` is true."""
    groups: list[list[int]] = []
    for length in lengths:
        if not groups or full(groups[-1], length, budget):
            groups.append([])
        groups[-1].append(length)
    return groups


_RULES = {
    "The budget counts cells, padding too.": lambda batch, n, budget: sum(batch) + n > budget,
    "A row may be shorter than one before it: the rectangle is as wide as the longest of all its rows.": (
        lambda batch, n, budget: (len(batch) + 1) * n > budget
    ),
    "A batch may have exactly as many cells as the budget.": (
        lambda batch, n, budget: (len(batch) + 1) * max(*batch, n) >= budget
    ),
    "The newest sentence is a row too: count it before you compare.": (
        lambda batch, n, budget: len(batch) * max(*batch, n) > budget
    ),
    "The newest sentence may be the longest: compare after it has widened the rectangle.": (
        lambda batch, n, budget: (len(batch) + 1) * max(batch) > budget
    ),
    "Each sentence is alone; two may share a batch.": lambda batch, n, budget: True,
}
"""When a wrong program begins a new batch, by what is to be said of it."""
_CASES = [
    ([6, 7, 3, 3, 8, 9], 18),  # each of the rules cuts it in another way
    ([5, 9, 4, 8, 5], 18),
    ([9, 2, 2, 2, 3], 18),
    ([2, 2, 2, 9, 2], 18),
    ([30, 2, 2], 18),
    ([2, 30, 2], 18),
    ([4, 4, 4], 8),
    ([6], 20),
    ([], 20),
    ([7, 3, 12, 5, 5, 8, 2, 2, 9, 4, 11, 3], 30),
]


@checking
def check_cut(candidate: object) -> Report:
    """Does ``candidate(lengths, budget)`` cut lengths into batches, in their order, by rows × longest row?"""
    for lengths, budget in _CASES:
        got = attempt(candidate, lengths, budget)
        if not isinstance(got, Sequence) or not all(isinstance(b, Sequence) and not isinstance(b, str) for b in got):
            raise NotYet("It should return a list of batches, each a list of lengths, such as [[5, 9], [4]].")
        got = [list(batch) for batch in got]
        right = _cut(lengths, budget)
        if got == right:
            continue
        where = f"For {lengths} and {budget} cells"
        if not all(got):
            raise NotYet(f"{where} one of the batches is empty.")
        flat = [length for batch in got for length in batch]
        if sorted(flat) != sorted(lengths):
            missing = len(lengths) - len(flat)
            what = "Is the last batch left out?" if missing > 0 else "Each sentence belongs to one batch."
            raise NotYet(f"{where} the batches hold {len(flat)} sentences and not {len(lengths)}. {what}")
        if flat != lengths:
            raise NotYet(f"{where} the order has changed. Cut the sentences in the order given.")
        mistakes = {reason: _by_a_rule(lengths, budget, full) for reason, full in _RULES.items()}
        reason = recognise(got, mistakes, lambda one, wrong: one == wrong) or ""
        raise NotYet(f"{where} it gives {got} and not {right}. {reason}".rstrip())
    return Report(True, "Right in ten cases: a long sentence first, in the middle, alone, and no sentence at all.")


STATEMENTS = {
    "a": "If all sentences have the same length, no order needs padding.",
    "b": "Nine sentences of one length and one that is twice as long share a batch: a tenth of its cells is padding.",
    "c": "If other ids stand in the padded cells, but the mask and the loss leave these out, the loss is the same.",
    "d": "A share of padding of 50 % makes twice as many cells as there are tokens.",
    "e": "Batches of 100 × 8 and of 25 × 32 cells have equally many attention scores per head and layer.",
}
_RIGHT = {"a": True, "b": False, "c": True, "d": True, "e": False}
_WHY = {
    "a": "every sentence is as long as the longest of its batch",
    "b": "the mean is 1.1 times the short length and the longest 2 times, so 1 - 1.1 / 2 = 45 % is padding",
    "c": "no real position attends to them, and their places have no term in the loss",
    "d": "half of the cells hold tokens, so there are twice as many cells",
    "e": "a sentence of 8 tokens has 8 × 8 scores, one of 32 has 32 × 32: four times as many in the second batch",
}


@checking
def check_statements(answers: object) -> Report:
    """Is each of `STATEMENTS` rightly called True or False?"""
    judge_statements(answers, _RIGHT, _WHY, "it holds", "it does not")
    return Report(True, "All five.")


@checking
def check_sorting_loses(lengths: object, budget: object) -> Report:
    """Are there fewer padded cells if these sentences are cut as given than if they are sorted first?"""
    if lengths is ... or budget is ...:
        raise NotYet("Put a list of lengths and a budget in place of each `...`.")
    whole = lambda x: isinstance(x, int) and not isinstance(x, bool) and x > 0  # noqa: E731
    if not isinstance(lengths, (list, tuple)) or not lengths or not all(map(whole, lengths)) or len(lengths) > 50:
        raise NotYet("Give the lengths as a list of at most 50 whole numbers above 0, such as [5, 9, 4].")
    if not whole(budget):
        raise NotYet("Give the budget as a whole number above 0.")
    if max(lengths) > budget:
        raise NotYet(f"A sentence of {max(lengths)} tokens is longer than the budget of {budget} cells.")
    shares = []
    for bucket in (1, len(lengths)):
        groups = cut_by_tokens(lengths, sorted_in_buckets(lengths, bucket), budget)
        shares.append((padding_share(lengths, groups), sum(cells(lengths, group) for group in groups) - sum(lengths)))
    (_, drawn), (_, ordered) = shares
    if list(lengths) == sorted(lengths):
        raise NotYet("These are sorted already, so both cuts are the same.")
    if drawn == ordered:
        raise NotYet(f"Both cuts have {drawn} padded cells.")
    if drawn > ordered:
        raise NotYet(f"As given there are {drawn} padded cells, and sorted only {ordered}: here sorting wins.")
    return Report(True, f"Found: {drawn} padded cells as given, and {ordered} if they are sorted.")
