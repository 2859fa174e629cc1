"""Checks for *What looking back buys*: what is settled, intervals, fair comparisons."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from scipy import stats

from ..answers import judge_statements
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts

_FOLLOWS = {
    "a": (False, "an interval around 0 leaves room for every difference in it; it shows no equality"),
    "b": (True, "the whole interval is below 0, and the mean over seeds is what it is about"),
    "c": (False, "one run each: the resampled sentences say nothing of what other seeds would give"),
    "d": (True, "that is what resampling sentences is for: these two translators on other sentences of the kind"),
    "e": (False, "a loss asks how probable the true words are, and a sentence may be right with many probabilities"),
    "f": (False, "general could be dot, but training starts elsewhere, and need not find that W or a better one"),
}  # fmt: skip


@checking
def check_follows(answers: object) -> Report:
    """Is it said rightly of which conclusions, a to f, that they follow?"""
    right, why = ({name: one[part] for name, one in _FOLLOWS.items()} for part in (0, 1))
    judge_statements(answers, right, why, "it follows", "it does not")
    return Report(True, "Each number answers one question: which sentences, which seeds, which function.")


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
