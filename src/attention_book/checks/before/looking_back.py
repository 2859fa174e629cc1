"""Checks for *Which score, and which state asks?*, *Better, or lucky?* and *What looking back buys*.

Of the first: a key that never wins. Of the second: what is settled, an interval, fair comparisons. Of the third: what
follows, a lead that no length made, pairs in a draw.
"""

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from ..answers import as_tensor, from_list, statements_check
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, expect_parts

_FOLLOWS = {
    "a": (False, "an interval around 0 leaves room for every difference in it; it shows no equality"),
    "b": (True, "the whole interval is below 0, and the mean over seeds is what it is about"),
    "c": (False, "a draw compares two scores over all its sentences; on some of them the second may be ahead"),
    "d": (True, "both are scored on the same draws, so what is easy in a draw drops out of the difference"),
    "e": (False, "a loss asks how probable the true words are, and a sentence may be right with many probabilities"),
}  # fmt: skip


check_follows = statements_check(
    _FOLLOWS,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to e, that they follow?",
    "Each number answers one question: which draws, which seeds.",
)


_SETTLED = {
    "a": (True, "the mean is 3 and the interval 3 ± 1.96"),
    "b": (False, "the mean is 3, but one seed is so far off that the interval is 3 ± 5.55"),
    "c": (True, "the mean is 3 and the interval 3 ± 2.78, although one difference is below 0"),
    "d": (True, "these are the differences of (a) in another unit, and so is their interval: 30 ± 19.6"),
    "e": (False, "the mean is 0, and every interval contains its mean"),
    "f": (False, "the mean is 0.4 and the interval 0.4 ± 0.68"),
}  # fmt: skip


check_settled = statements_check(
    _SETTLED,
    "0 lies outside",
    "0 lies inside",
    "Is it said rightly of which five differences, a to f, that their interval leaves out 0?",
    "It counts how far the differences agree, not how many of them are above 0.",
)


@checking
def check_never_wins(keys: object) -> Report:
    """Are these four keys of two numbers, no three on a line, of which no query gives the last the largest product?"""
    if keys is ...:
        raise NotYet("Your keys are missing: put four pairs of numbers in place of `...`.")
    given = as_tensor(keys)
    points = np.asarray(expect_array(given, (4, 2), "a row per key, two numbers each", name="the keys"))
    for three in combinations(range(4), 3):
        a, b, c = points[list(three)]
        if abs(np.linalg.det(np.stack([b - a, c - a]))) < 1e-9:
            raise NotYet(f"Keys {', '.join(str(n + 1) for n in three)} lie on one line.")
    shares = np.linalg.solve(np.vstack([points[:3].T, np.ones(3)]), [*points[3], 1])
    if (shares > 0).all():
        told = " + ".join(f"{share:.2g} · k{'₁₂₃'[n]}" for n, share in enumerate(shares))
        return Report(True, f"k₄ = {told}: its score is always such a mean, and no mean is above all its parts.")
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    queries = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    scores = queries @ points.T
    best = int((scores[:, 3] - scores[:, :3].max(axis=1)).argmax())
    query, row = (", ".join(f"{x + 0.0:.2f}" for x in one) for one in (queries[best], scores[best]))
    raise NotYet(f"For the query ({query}) the scores are {row}: the fourth is the largest.".replace("-", "−"))


@checking
def check_interval(candidate: object) -> Report:
    """Does ``candidate(first, second)`` give the mean paired difference and half the width of its 95 % interval?"""
    unpaired = "that ignores the pairing: what a seed does to both arms drops out of the differences"
    for n in (5, 8):
        seeds = np.random.default_rng(n).normal(50, 10, n)
        noise = np.random.default_rng(n + 1).normal(0, 1, (2, n))
        first, second = seeds + 2 + noise[0], seeds + noise[1]
        got = attempt(candidate, first, second)
        is_array = getattr(got, "shape", None) == (2,)
        got = expect_parts(list(got) if is_array else got, ("mean", "half width"))
        mean, half = expect_number(got[0], "the mean"), expect_number(got[1], "half the width")
        d = first - second
        right = stats.ttest_rel(first, second).confidence_interval()
        right_half = (right.high - right.low) / 2
        if abs(mean + d.mean()) < 1e-6:
            raise NotYet("The sign: it is the first less the second.")
        if abs(mean - d.mean()) > 1e-6:
            raise NotYet(f"The mean of {n} differences is {d.mean():.4f}, not {mean:.4f}.")
        if abs(half - right_half) < 1e-6:
            continue
        t, s = stats.t.ppf(0.975, n - 1), d.std(ddof=1)
        apart = np.sqrt(first.var(ddof=1) / n + second.var(ddof=1) / n)
        mistakes = [
            (s, "that is the standard deviation of the differences"),
            (s / np.sqrt(n), "that is the standard error: Student's t is missing"),
            (1.96 * s / np.sqrt(n), f"1.96 is for many seeds; {n} have t = {t:.3f}"),
            (t * s, "the root of n is missing: it is about the mean"),
            (t * d.std() / np.sqrt(n), "the standard deviation divides by n; with few seeds that is too small: n − 1"),
            (stats.t.ppf(0.975, n) * s / np.sqrt(n), "t has n − 1 degrees of freedom"),
            (stats.t.ppf(0.95, n - 1) * s / np.sqrt(n), "that quantile leaves 5 % on either side"),
            (2 * right_half, "that is the whole width"),
            (t * apart, unpaired),
            (stats.t.ppf(0.975, 2 * n - 2) * apart, unpaired),
            (1.96 * apart, "that ignores the pairing, and 1.96 is for many seeds"),
        ]  # fmt: skip
        hint = recognise(half, mistakes, near(abs_tol=1e-6))
        raise NotYet(f"{n} seeds: half the width is {right_half:.4f}, not {half:.4f}" + (f": {hint}." if hint else "."))
    return Report(True, "Mean and half width are those of SciPy's paired t-test.")


def runs() -> dict[str, dict[str, Any]]:
    """Seven made-up runs of a table that sets scores side by side, and how each was made."""
    common = {"score": "additive", "asks": "after", "width": 64, "tokens": 700_000, "seeds": (0, 1, 2, 3, 4)}
    changes = {
        "A": {},
        "B": {"score": "dot"},
        "C": {"score": "general", "tokens": 500_000},
        "D": {"score": "dot", "width": 256},
        "E": {"score": "concat"},
        "F": {"score": "general", "asks": "before"},
        "G": {"score": "general", "seeds": (5, 6, 7, 8, 9)},
    }
    return {name: {**common, **change} for name, change in changes.items()}


@checking
def check_fair(pairs: object) -> Report:
    """Are these the pairs of `runs` that differ in their score and in nothing else? Pairs such as ``("A", "B")``."""
    made = runs()
    names = sorted(made)
    if pairs is ...:
        raise NotYet("Your pairs are missing: put them in place of `...`.")
    if not isinstance(pairs, Collection) or isinstance(pairs, str) or getattr(pairs, "ndim", 1) == 0:
        raise NotYet('Give a collection of pairs, such as {("A", "B"), ("C", "D")}.')
    given = set()
    for pair in pairs:
        try:
            named = sorted(set(pair)) if isinstance(pair, Collection) else []
        except TypeError:  # what it holds has no hash, or no order
            named = []
        if len(named) != 2 or not set(named) <= set(names):
            raise NotYet(f"{pair!r} is no pair of two of the runs {', '.join(names)}.")
        given.add(tuple(named))
    right = {(a, b) for a in names for b in names if a < b and _differ(made[a], made[b]) == ["score"]}
    for a, b in sorted(given - right):
        fields = _differ(made[a], made[b])
        raise NotYet(f"{a} and {b} differ in {' and '.join(fields)}: whose doing is a difference in their results?")
    if missing := sorted(right - given):
        more = "1 more pair differs" if len(missing) == 1 else f"{len(missing)} more pairs differ"
        raise NotYet(f"{more} in nothing but the score.")
    return Report(True, "Only these say something about scores. G and A can be compared without pairing, less sharply.")


def _differ(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    return [field for field in a if a[field] != b[field]]


@checking
def check_largest_lead(candidate: object) -> Report:
    """Does ``candidate(p, q)`` return the number of words at which the lead in right sentences is the largest?"""
    lengths = np.arange(1, 5001)
    for p, q in ((0.98, 0.9), (0.6, 0.5), (0.5, 0.1), (0.99, 0.24), (0.999, 0.99)):
        leads = p**lengths - q**lengths
        right = int(lengths[leads.argmax()])
        got = expect_number(attempt(candidate, p, q), "the number of words")
        if got == right:
            continue
        told = f"With {p} and {q} it gives {got:.6g}"
        if abs(got - leads.max()) < 1e-9:
            raise NotYet(f"{told}: that is the lead; asked is the length at which it is the largest.")
        if got != int(got) or got < 1:
            raise NotYet(f"{told}: a sentence has a whole number of words, 1 or more.")
        ahead = ", and the lead still grows there" if got < right else ""
        at_got = p**got - q**got
        raise NotYet(f"{told}{ahead}: with {int(got)} words the lead is {at_got:.6f}, with {right} {leads.max():.6f}.")
    return Report(True, "Right for five pairs of models: each lead shrinks in the end, and no length harms a word.")


@checking
def check_paired_leads(candidate: object) -> Report:
    """Does ``candidate(first, second, draw, n)`` return n leads of the first, both scored on the same draw?"""
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        easy = rng.normal(50, 20, 12)
        first, second = easy + rng.uniform(1, 3, 12), easy
        draws = rng.integers(0, 12, (40, 12))
        drawing = iter(draws)
        got = from_list(attempt(candidate, first, second, lambda drawing=drawing: next(drawing).copy(), 20))
        got = np.asarray(expect_array(got, (20,), "one lead per draw", like=first, name="the leads"))
        right = (first - second)[draws[:20]].mean(1)
        if agrees(got, right):
            continue
        apart = first[draws[::2]].mean(1) - second[draws[1::2]].mean(1)
        mistakes = (
            (apart, "each translator has a draw of its own: an easy draw for one looks like a lead. Score both on the "
             "same places"),
            (-right, "the sign: the lead is the first less the second"),
            (np.full(20, (first - second).mean()), "that is the lead on the whole test set, again and again"),
            ((first - second)[draws[:20]].sum(1), "the score of a sample is the mean of its sentences, not their sum"),
            (np.sort(right), "the leads are right, but sorted; leave them in the order of the draws"),
            ((first - second)[draws[::2]].mean(1), "every other draw is thrown away: call `draw` once per lead"),
        )  # fmt: skip
        place = int(np.abs(got - right).argmax())
        hint = recognise(got, mistakes) or f"lead {place} is {got[place]:.4f}, expected {right[place]:.4f}"
        raise NotYet(f"{hint[0].upper()}{hint[1:]}.")
    return Report(
        True, "The first is ahead in every draw, as it is on every sentence: what was easy for one was for both."
    )
