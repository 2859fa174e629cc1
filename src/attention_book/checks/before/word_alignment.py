"""Checks for *Word alignment by counting*: predicted shares, an error rate, a round that counts hard, two directions.

One of the tables that a round begins with is the package's Model 1, which has tests of its own against brute force.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from operator import eq

from ...counting.ibm1 import NOTHING, IBMModel1
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts
from ..tables import first_difference, same

# Each number to be predicted: its value, and what other values come from.
_SHARES = {
    "a": (8 / 9, {4 / 5: "that is after three rounds", 2 / 3: "that is after two rounds",
                  16 / 17: "that is after five rounds, or with one other word in place of two"}),
    "b": (10 / 17, {4 / 7: "that is the count of *buenos* for *good*; divide it by the sum of the counts of *good*",
                    2 / 3: "that is the table before the round",
                    1 / 2: "the table does not begin even, so the shares are not even",
                    34 / 35: "that is the sum of the counts of *good*",
                    58 / 99: "that is after two rounds"}),
    "c": (3 / 7, {4 / 7: "subtract that from 1: it is an error rate",
                  1 / 2: "that is 1 minus the precision: the sure links that were missed count, too",
                  1 / 3: "that is 1 minus the recall: the wrong links that were proposed count, too",
                  5 / 7: "the two right links count twice: they are sure, so they are possible as well"}),
}  # fmt: skip


@checking
def check_claims(predictions: object) -> Report:
    """Are the three predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _SHARES, 1e-4)
    return Report(
        True, "8/9, 10/17 and 3/7: pairs that differ sharpen a table; a single pair remembers where the table began."
    )


@checking
def check_error_rate(candidate: object) -> Report:
    """Does ``candidate(proposed, sure, possible)`` return the alignment error rate of sets of links?"""
    rng = random.Random(7)
    places = [(i, j) for i in range(6) for j in range(5)]
    cases = [({(0, 0), (1, 2)}, {(0, 0), (1, 1), (2, 2)}, {(0, 0), (1, 1), (2, 2)}), (set(), {(0, 0)}, {(0, 0)})]
    for size in (3, 6, 9):
        sure = set(rng.sample(places, size))
        possible = sure | set(rng.sample(places, 5))
        cases.append((set(rng.sample(sorted(possible), 3)) | set(rng.sample(places, 3)), sure, possible))
    for proposed, sure, possible in cases:
        in_sure, in_possible = len(proposed & sure), len(proposed & possible)
        of_both = len(proposed) + len(sure)
        right = 1 - (in_sure + in_possible) / of_both
        got = expect_number(attempt(candidate, set(proposed), set(sure), set(possible)), "the error rate")
        if abs(got - right) < 1e-6:
            continue
        precision, recall = in_possible / (len(proposed) or 1), in_sure / len(sure)
        mistakes = {
            1 - right: "subtract that from 1: it is an error rate",
            1 - in_sure / len(sure): "that is 1 minus the recall",
            1 - precision: "that is 1 minus the precision",
            1 - 2 * in_sure / of_both: "a link that is possible and not sure is no error: `possible` is not used",
            1 - 2 * in_possible / of_both: "a link that is possible and not sure counts once above the bar, not twice",
            1 - (in_sure + in_possible) / (len(proposed) + len(possible)): "below the bar stand the sure links, not "
            "the possible ones",
            1 - (precision + recall) / 2: "that is 1 minus the mean of precision and recall; the numbers of links are "
            "added before they are divided",
            1 - in_sure / of_both: "above the bar the right links count in both sets",
        }
        told = f"With {sorted(proposed)} proposed, {sorted(sure)} sure and {sorted(possible)} possible it gives"
        hint = recognise(got, mistakes, near(abs_tol=1e-6))
        raise NotYet(f"{told} {got:.4g} and should give {right:.4g}" + (f": {hint}." if hint else "."))
    return Report(True, "Missed links and wrong links both count, and a possible one is no error.")


_PAIRS = (
    ("cats dogs", "gatos perros"),
    ("dogs birds dogs", "perros pájaros perros"),
    ("birds", "pájaros gatos"),
    ("cats", "gatos"),
)


@checking
def check_hard_round(candidate: object) -> Report:
    """Does ``candidate(pairs, t)`` return the next table if each word of y counts wholly for its best words of x?

    Words of x with equal t share the count equally. ``<null>`` stands in each x already.
    """
    pairs = [((NOTHING, *x.split()), tuple(y.split())) for x, y in _PAIRS]
    cells = {(word, given) for x, y in pairs for word in y for given in x}
    column = Counter(given for _, given in cells)
    even = {(word, given): 1 / column[given] for word, given in cells}
    model = IBMModel1([(x[1:], y) for x, y in pairs]).fit(2)
    tables = even, {(word, given): model.t(word, given) for word, given in cells}
    for what, t in zip(("From an even table", "From the table after two rounds of Model 1"), tables, strict=True):
        right = _shares(_hard_counts(pairs, t), 1)
        got = attempt(candidate, pairs, dict(t))
        if not isinstance(got, Mapping) or got.keys() != cells:
            raise NotYet("Expected a dictionary with the same keys as `t`, (word of y, word of x).")
        got = {cell: expect_number(got[cell], f"t{cell}") for cell in cells}
        if not same(got, right):
            raise NotYet(f"{what}: {_hard_mistake(pairs, t, got, right)}.")
    return Report(True, "Two rounds are right, one with many ties and one with hardly any.")


def _hard_counts(pairs: list, t: dict) -> dict:
    """How often each word of x made each word of y, if every word of y goes to its best words of x, in equal parts."""
    counts = dict.fromkeys(t, 0.0)
    for x, y in pairs:
        for word in y:
            largest = max(t[word, given] for given in x)
            best = [given for given in x if abs(t[word, given] - largest) < 1e-9]
            for given in best:
                counts[word, given] += 1 / len(best)
    return counts


def _hard_mistake(pairs: list, t: dict, got: dict, right: dict) -> str:
    hard = _hard_counts(pairs, t)
    soft, once, first, last, whole = ({cell: 0.0 for cell in t} for _ in range(5))
    for x, y in pairs:
        for word in y:
            total, largest = sum(t[word, given] for given in x), max(t[word, given] for given in x)
            best = [given for given in x if abs(t[word, given] - largest) < 1e-9]
            first[word, best[0]] += 1
            last[word, best[-1]] += 1
            for given in x:
                soft[word, given] += t[word, given] / total
            for given in best:
                once[word, given] = 1 / len(best)
                whole[word, given] += 1
    mistakes = (
        (_shares(soft, 1), "those are the shares of the page: here a word of y counts for its best x alone"),
        (hard, "those are the counts: they are still to be divided by the sum of each x"),
        (_shares(hard, 0), "the counts are divided by the sums of the wrong side. t(y | x) is to sum to 1 over y, "
         "for each x"),
        (_shares(first, 1), "of several best words the first gets everything; they share the count equally"),
        (_shares(last, 1), "of several best words the last gets everything; they share the count equally"),
        (_shares(whole, 1), "each of several best words gets a whole count; one word of y is one count in all"),
        (_shares(once, 1), "a pair overwrites what an earlier one counted: add"),
        (t, "nothing has changed"),
    )  # fmt: skip
    if hint := recognise(got, mistakes, same):
        return hint
    sums = Counter()
    for (_, given), share in got.items():
        sums[given] += share
    off = next((given for given in sorted(sums) if min(abs(sums[given] - 1), abs(sums[given])) > 1e-6), None)
    if off is not None:
        return f"the column of {off} sums to {sums[off]:.4g}, not to 1"
    return first_difference(got, right)


def _shares(counts: Mapping, side: int) -> dict:
    sums = Counter()
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: count / sums[cell[side]] if sums[cell[side]] else 0.0 for cell, count in counts.items()}


@checking
def check_two_directions(candidate: object) -> Report:
    """Does ``candidate(forward, backward)`` return the links both directions have, and those that either has?

    Forward links are (position in x, position in y); backward ones come from the model that was given y, turned round.
    """
    cases = [
        ({(0, 0), (1, 2), (3, 1)}, {(0, 0), (2, 1), (3, 2)}),
        ({(0, 1), (1, 0), (3, 3)}, {(1, 0), (2, 2), (3, 3)}),
        ({(0, 3)}, {(0, 3)}),
        *_drawn_links(),
    ]
    for forward, backward in cases:
        turned = {(i, j) for j, i in backward}
        parts = attempt(candidate, set(forward), set(backward))
        both, either = (_links(part) for part in expect_parts(parts, ("both", "either")))
        if (both, either) == (forward & turned, forward | turned):
            continue
        told = f"With forward {sorted(forward)} and backward {sorted(backward)}"
        mistakes = (
            ((forward & backward, forward | backward), "a backward link is (position in y, position in x): turn it "
             "first"),
            ((forward | turned, forward & turned), "the two are exchanged: *both* is the smaller set"),
            (({(j, i) for i, j in forward} & backward, {(j, i) for i, j in forward} | backward), "all is turned to "
             "(y, x); the gold links are (x, y)"),
        )  # fmt: skip
        hint = recognise((both, either), mistakes, eq)
        if hint is None and both != forward & turned:
            hint = f"the links of both are {sorted(both)}, expected {sorted(forward & turned)}"
        elif hint is None:
            hint = f"the links of either are {sorted(either)}, expected {sorted(forward | turned)}"
        raise NotYet(f"{told}: {hint}.")
    return Report(True, "Turned, then compared. What both directions say is rarer and more often right.")


def _drawn_links() -> list[tuple[set, set]]:
    """Random links of both directions, some of which agree."""
    rng, cases = random.Random(4), []
    places = [(i, j) for i in range(5) for j in range(6)]
    for _ in range(3):
        forward, others = (set(rng.sample(places, 6)) for _ in range(2))
        cases.append((forward, {(j, i) for i, j in {*others, *rng.sample(sorted(forward), 2)}}))
    return cases


def _links(part: object) -> set:
    if isinstance(part, Iterable) and not isinstance(part, str):
        try:
            return {(int(i), int(j)) for i, j in part}
        except (TypeError, ValueError, RuntimeError):  # no pairs, or no numbers in them
            pass
    raise NotYet("Expected two sets of links, (position in x, position in y).")
