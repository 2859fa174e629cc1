"""Checks for *What each part is worth*: sizes of the arms, paired differences, Holm's method by hand and by code."""

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from ...analysis.seed_statistics import holm, paired_p_value
from ...experiments.translator import ablations as experiment
from ..answers import each_answer, is_one_of
from ..known_mistakes import near, recognise, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_number

SIZES = ("fewer", "as many", "more")
_SIZES_WHY = {
    "no_scale": "A division has no parameters.",
    "learned_positions": "The table of positions is one more matrix; sinusoids come from a formula.",
    "rotary_positions": "A turn by a fixed angle has no parameters.",
    "one_head": "One head is as wide as the four were together, and the matrices keep their shapes.",
    "post_norm": "The norms inside the layers stay; those at the end of both stacks are not needed.",
}  # fmt: skip


@cache
def _sizes() -> dict[str, str]:
    """What each arm's number of parameters is beside the whole model's: counted."""
    arms = experiment.CONFIGURATION["arms"]

    def count(arm: str) -> int:
        return sum(p.numel() for p in experiment.build(arms[arm], 0, experiment.CONFIGURATION).parameters())

    return {arm: SIZES[1 + (count(arm) > count("whole")) - (count(arm) < count("whole"))] for arm in _SIZES_WHY}


@checking
def check_sizes(answers: object) -> Report:
    """Is it said rightly which arms have fewer, as many or more parameters than the whole model?

    Args:
        answers: arm to one of `SIZES`.
    """
    right = _sizes()
    for arm, said in each_answer(answers, _SIZES_WHY, "an answer for each of"):
        if not isinstance(said, str) or not is_one_of(said, SIZES):
            raise NotYet(f'Answer {arm} with "fewer", "as many" or "more".')
        if said != right[arm]:
            raise NotYet(f'{arm} has not "{said}". {_SIZES_WHY[arm]}')
    return Report(
        True, "Only the feed-forward networks hold many: the other changes cost or save a few parameters, or none."
    )


_P_VALUES = {"A": 0.011, "B": 0.2, "C": 0.004, "D": 0.04, "E": 0.02}
_LEVEL = 0.05


def five_p_values() -> str:
    """The p-values of the second exercise, one line each, ready to print."""
    return "\n".join(f"{name}: {p}" for name, p in _P_VALUES.items())


@checking
def check_by_hand(answers: object) -> Report:
    """Are these the adjusted p-values after Holm, for the five that the page prints?"""
    right = holm(_P_VALUES)
    ordered = sorted(_P_VALUES, key=_P_VALUES.__getitem__)
    for name, said in each_answer(answers, _P_VALUES, "a number for each of"):
        got, p = expect_number(said, f"`{name}`"), _P_VALUES[name]
        place = ordered.index(name)
        mistakes = {
            "The smallest is multiplied by the number of tests, and each one after it by one less.": (place + 1) * p,
            "That is Bonferroni's factor, the number of tests, for every one. Holm's falls.": min(1.0, 5 * p),
            "This is the p-value itself.": p,
            "An adjusted value is at least as large as those before it.": (5 - place) * p,
            "The factors begin with the number of tests, 5, and end with 1.": (4 - place) * p,
        }
        if abs(got - right[name]) > 5e-4:
            refuse_number(f"For {name}", got, right[name], _others(mistakes, right[name]), near(abs_tol=5e-4), ".3f")
    return Report(
        True, "At the level 0.05 two of the five are real: C and A. E alone would have passed, and so would D."
    )


def _others(mistakes: Mapping[str, float], right: float) -> dict[str, float]:
    return {reason: wrong for reason, wrong in mistakes.items() if not math.isclose(wrong, right, abs_tol=5e-4)}


def _right(p_values: list[float], level: float) -> list[bool]:
    return [p <= level for p in holm({str(n): p for n, p in enumerate(p_values)}).values()]


def _step_up(p_values: list[float], level: float) -> list[bool]:
    """Benjamini and Hochberg's method, which bounds another share."""
    order, m = np.argsort(p_values), len(p_values)
    passed = [k for k, n in enumerate(order, 1) if p_values[n] <= level * k / m]
    real = set(order[: max(passed, default=0)].tolist())
    return [n in real for n in range(m)]


def _stepping(p_values: list[float], level: float, stop: bool = True, shift: int = 0) -> list[bool]:
    """Up from the smallest, each against the level of its place; without ``stop``, whatever came before it."""
    order, m = np.argsort(p_values), len(p_values)
    found = [False] * m
    for k, n in enumerate(order):
        found[int(n)] = p_values[n] <= level / max(1, m - k - shift)
        if stop and not found[int(n)]:
            break
    return found


_METHODS = {
    "It holds every p-value against the level itself.": lambda p, level: [x <= level for x in p],
    "It is Bonferroni's method, one level for all.": lambda p, level: [x <= level / len(p) for x in p],
    "The answers are sorted. Give them in the order in which the p-values came.": lambda p, level: sorted(
        _right(p, level), reverse=True
    ),
    "It goes on after the first that fails.": lambda p, level: _stepping(p, level, False),
    "It is Benjamini and Hochberg's method, which allows a share of false ones.": _step_up,
    "True is to mean real, that is, a small p-value.": lambda p, level: [not x for x in _right(p, level)],
    "It divides by one too few: the smallest is held against level / m.": lambda p, level: _stepping(p, level, shift=1),
}  # fmt: skip
_CASES = (
    ([0.011, 0.2, 0.004, 0.045, 0.03], 0.05),
    ([0.03, 0.001, 0.04], 0.05),
    ([0.013, 0.012, 0.03, 0.5], 0.05),
    ([0.06], 0.1),
    ([0.2, 0.3], 0.05),
    ([0.01, 0.02, 0.3, 0.4, 0.9], 0.1),
    ([0.02, 0.024, 0.04], 0.05),
    ([0.016, 0.03, 0.04], 0.05),
)


@checking
def check_holm(candidate: object) -> Report:
    """Does ``candidate(p_values, level)`` say for each p-value, in the order given, whether it is real after Holm?"""
    found = []
    for p_values, level in _CASES:
        got = attempt(candidate, list(p_values), level)
        got = got.tolist() if hasattr(got, "tolist") else got
        if not isinstance(got, (list, tuple)) or len(got) != len(p_values):
            raise NotYet(f"For {p_values}, give a list of {len(p_values)} times True or False, one per p-value.")
        if not all(isinstance(said, bool) for said in got):
            raise NotYet(f"For {p_values}, every entry must be True or False.")
        found.append(list(got))
    for (p_values, level), got in zip(_CASES, found, strict=True):
        if got != (right := _right(p_values, level)):
            by_method = {why: [method(*case) for case in _CASES] for why, method in _METHODS.items()}
            reason = recognise(found, by_method, lambda one, other: one == other) or ""
            raise NotYet(f"For {p_values} at the level {level} it gives {got} and not {right}. {reason}".rstrip())
    return Report(True, "Eight lists. The rule is to stop at the first that fails.")


@checking
def check_t(candidate: object) -> Report:
    """Does ``candidate(first, second)`` give the t of the paired test for ``first − second``, a float?"""
    draw = np.random.default_rng(4)
    for n in (3, 5, 8):
        seeds = draw.normal(size=n)
        first, second = seeds + 0.3 + 0.1 * draw.normal(size=n), seeds + 0.1 * draw.normal(size=n)
        d = first - second
        s, mean = d.std(ddof=1), d.mean()
        right = mean / (s / math.sqrt(n))
        apart = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / n)
        mistakes = {
            "The sign is wrong: it is `first − second`.": -right,
            "It loses the pairs: take the difference within each seed first, then its spread.": mean / apart,
            "Its standard deviation divides by n: divide by n − 1.": mean / (d.std() / math.sqrt(n)),
            "The spread of a mean is the standard deviation divided by √n.": mean / s,
            "It divides the standard deviation by n in place of √n.": mean / (s / n),
            "It is the mean difference. Divide it by its standard error.": mean,
            "It is the p-value.": paired_p_value(first, second),
        }  # fmt: skip
        got = expect_number(attempt(candidate, first, second), "t")
        if abs(got - right) > 1e-6 * abs(right):
            refuse_number(f"For {n} seeds", got, right, mistakes, near(rel_tol=1e-6))
    return Report(True, "Easy and hard seeds drop out, because both arms had the same ones.")
