"""Checks for *The square root of d_k* and *Scaling and gradients*: variances of dot products, and norms of Jacobians.

The oracles are the moments of the cases themselves, counted or drawn, and the Jacobian in 400 decimal digits.
"""

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext

import numpy as np
from torch import Tensor

from ...analysis.jacobian_statistics import jacobian_statistics
from ...analysis.score_variance import dot_product_variance
from ...attention.probability import softmax, softmax_jacobian
from ..answers import each_answer, from_list
from ..known_mistakes import near, recognise, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_array, expect_number, expect_parts

WIDTH = 64
_ONE, _NONE, _PAIRS = np.eye(WIDTH), np.zeros(WIDTH), np.kron(np.eye(WIDTH // 2), np.ones((2, 2)))
_CASES = {  # What is drawn, the moments of q and k, and what to say. The page prints the texts with `cases()`.
    "a": ("all components are +1 or −1, a fair coin for each", (_NONE, _ONE, _NONE, _ONE),
          "Mean 0, variance 1, independent: nobody asked for normal numbers."),
    "b": ("all components are independent, of mean 0; those of q have variance 4, those of k variance 9",
          (_NONE, 4 * _ONE, _NONE, 9 * _ONE), "Each product of two components has the variance 4 · 9."),
    "c": ("q as in (a); those of k are 32 numbers, +3 or −3 by a coin, each twice", (_NONE, _ONE, _NONE, 9 * _PAIRS),
          "It is enough if the components of one of the two are uncorrelated. Each product has the variance 9."),
    "d": ("q and k are each 32 coins of their own, +1 or −1, each twice in a row", (_NONE, _PAIRS, _NONE, _PAIRS),
          "The dot product is twice a sum of 32 products, and twice a number has four times its variance."),
    "e": ("q as in (a); the components of k as in (a), plus 2", (_NONE, _ONE, 2 * np.ones(WIDTH), _ONE),
          "The constant 2 meets the random q, and adds the variance of twice the sum of its components."),
}  # fmt: skip


def cases() -> str:
    """The five ways of drawing q and k, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, *_) in _CASES.items())


@checking
def check_variances(predictions: object) -> Report:
    """Are the five variances of q · k, at d_k = 64, predicted rightly?

    Args:
        predictions: letter of the case to a number.
    """
    wanted = "a number for each of the letters"
    for letter, answer in each_answer(predictions, _CASES, wanted, open_name="Case {}"):
        _, moments, why = _CASES[letter]
        said, right = expect_number(answer, f"case {letter}"), dot_product_variance(*moments)
        if math.isclose(said, right, rel_tol=1e-6):
            continue
        if said != WIDTH and math.isclose(said, math.sqrt(right), rel_tol=1e-6):
            raise NotYet(f"Case {letter}: {said:g} is the standard deviation. Its square is asked for.")
        if math.isclose(said, 1):
            raise NotYet(
                f"Case {letter}: 1 is what a division by the standard deviation leaves. Nothing was divided yet."
            )
        raise NotYet(f"Case {letter}: not {said:g}. {why}")
    return Report(True, "All five. Two of them are not d_k, with components of variance 1 throughout.")


@checking
def check_dot_variance(candidate: object) -> Report:
    """Does ``candidate(mean_q, cov_q, mean_k, cov_k)`` give Var(q · k) for independent q and k?"""
    random = np.random.default_rng(3)
    for n_q, n_k, d_k in ((4, 4, 3), (4, 4, 1), (3, 5, 6)):
        # Equally likely queries and equally likely keys: all their products are counted.
        q, k = random.normal(1, 2, (n_q, d_k)), random.normal(-1, 1, (n_k, d_k))
        m_q, s_q, m_k, s_k = (m for x in (q, k) for m in (x.mean(axis=0), np.cov(x.T, bias=True).reshape(d_k, d_k)))
        right = float((q @ k.T).var())
        got = expect_number(attempt(candidate, m_q, s_q, m_k, s_k), "the variance")
        if math.isclose(got, right, rel_tol=1e-6):
            continue
        trace, diagonals = np.trace(s_q @ s_k), float(np.diag(s_q) @ np.diag(s_k))
        means = float(m_q @ s_k @ m_q + m_k @ s_q @ m_k)
        known = {
            trace: "The means are missing: a constant in one vector meets the random part of the other.",
            diagonals: "It counts only the variances of single products, and no means: components may be correlated.",
            diagonals
            + means: "It takes the components for uncorrelated: the products of different places have covariances.",
            diagonals + float(m_q**2 @ np.diag(s_k) + m_k**2 @ np.diag(s_q)): (
                "It takes the components for uncorrelated: only the diagonals of the covariances enter."
            ),
            float(np.trace(s_q) * np.trace(s_k)): "The trace of the product is not the product of the traces.",
            float(np.trace(s_q) * np.trace(s_k)) + means: "The trace of the product is not the product of the traces.",
            trace
            + means
            + float(m_q @ m_k) ** 2: "That is the mean square; subtract the square of the mean, m_q · m_k.",
            trace + float(m_q @ s_k @ m_q): "One term is missing: the mean of k meets the random part of q.",
            trace + float(m_k @ s_q @ m_k): "One term is missing: the mean of q meets the random part of k.",
            trace + float(m_q @ s_q @ m_q + m_k @ s_k @ m_k): (
                "The covariances are swapped: the mean of q meets the random part of k, so Σ_k; and m_k meets Σ_q."
            ),
            float(
                ((q[:, None] * k[None]) ** 2).sum(-1).mean()
            ): "The mean square of a sum also has the mixed products.",
            float(d_k): "That is d_k: the assumptions of the footnote do not hold here.",
            math.sqrt(right): "That is the standard deviation.",
        }
        pairs = f"{n_q * n_k} equally likely pairs"
        refuse_number(f"With {pairs}, at width {d_k},", got, right, known, near(rel_tol=1e-6), ".4g")
    return Report(True, "As counted over all pairs of a query and a key, in three widths.")


def _exact_norm(s: np.ndarray, c: float) -> float:
    with localcontext() as context:
        context.prec = 400
        top = max(Decimal(float(x)) for x in s)
        exponentials = [((Decimal(float(x)) - top) / Decimal(float(c))).exp() for x in s]
        p = [e / sum(exponentials) for e in exponentials]
        square = sum((a * (1 - a) if i == j else a * b) ** 2 for i, a in enumerate(p) for j, b in enumerate(p))
        return float(square.sqrt() / Decimal(float(c)))


@checking
def check_norm(candidate: object) -> Report:
    """Does ``candidate(s, c)`` give the Frobenius norm of the Jacobian of softmax(s / c), also if it is saturated?

    Sums, products and quotients of positive numbers keep about 15 digits here on any processor, and a difference next
    to 1 keeps none where the lead is 40. A millionth is far from both.
    """
    random = np.random.default_rng(4)
    tests = [(random.normal(0, 2, 6), 1.0), (random.normal(0, 4, 9), 4.0), (random.normal(0, 1, 2), 0.5)]
    tests += [(np.array([0.0, 20.0, 1.0]), 1.0), (np.array([60.0, 0.0, -1.0, -60.0]), 1.0)]
    tests += [(np.array([-3.0, 41.0, 2.0, -3.0, 0.5]), 1.0), (np.array([700.0, 100.0, 90.0]), 3.0)]
    for s, c in tests:
        got, where = attempt(candidate, s, c), f"For s = {s.round(2).tolist()}, C = {c:g}"
        if isinstance(got, float | np.floating | np.ndarray | Tensor) and np.isnan(np.asarray(got)).any():
            raise NotYet(f"{where}, it gives NaN: subtract the largest score before `exp`.")
        got, right = expect_number(got, "the norm"), _exact_norm(s, c)
        if math.isclose(got, right, rel_tol=1e-6):
            continue
        numbers = f"{where}: {got:.6g} and not {right:.6g}."
        p = softmax(s / c)
        if p.max() > 0.999:  # what is right elsewhere and wrong here has lost its digits, and often whole terms
            raise NotYet(
                f"{numbers} One weight is nearly 1, and a difference of nearly equal numbers has lost the digits."
            )
        diagonal = float(((p * (1 - p)) ** 2).sum())
        known = {
            right * c: "The factor 1/C is missing: the derivative is with respect to s, not s / C.",
            right * c * c: "It multiplies by C, and should divide.",
            right / c: "The factor 1/C is there twice.",
            right**2: "That is the sum of the squares; take its root.",
            right / len(s): "That is the standard deviation of the entries; the norm is n times as large.",
            math.sqrt(diagonal) / c: "Those are the diagonal entries only.",
            math.sqrt(max((right * c) ** 2 - diagonal, 0)) / c: "Those are the entries beside the diagonal only.",
            math.sqrt(((right * c) ** 2 + diagonal) / 2)
            / c: "Each pair stands twice beside the diagonal: i, j and j, i.",
            _exact_norm(s, 1.0) / c: "The weights are those of s; they should be those of s / C.",
            float(
                np.linalg.norm(softmax_jacobian(s, c), 2)
            ): "That is the largest eigenvalue; the Frobenius norm is asked for.",
            float(
                np.abs(softmax_jacobian(s, c)).sum()
            ): "That is the sum of the sizes; square them, and take the root.",
        }
        why = recognise(got, known, near(rel_tol=1e-4)) or ""
        raise NotYet(f"{numbers} {why}".rstrip())
    return Report(True, "Right to six digits at least, also where the largest weight is 1 in every digit that is kept.")


ARGUMENT = (
    "Draw the 64 components of q and k as coins, +1 or −1.",
    "Divide each vector by its length, 8. Now every component is +1/8 or −1/8.",
    "So each product of two components has mean 0 and variance 1/64.",
    "The 64 products are independent, so Var(q·k) = 64 · 1/64 = 1.",
    "So vectors of length 1 need no division.",
)


@checking
def check_first_fault(line: object, variance: object = ...) -> Report:
    """Is ``line`` the first wrong line of `ARGUMENT`, and ``variance`` that of q·k for vectors of length 1?"""
    if line is ... or variance is ...:
        raise NotYet("Give the number of the first wrong line, counted from 1, and the variance.")
    line, variance = expect_number(line, "the line"), expect_number(variance, "the variance")
    if line != 3:
        told = {
            1: "Line 1 says what is drawn. What follows is to be judged given that.",
            2: "Line 2 is right: the length of a vector of 64 components of ±1 is √64.",
            4: "Line 4 adds the variances of independent products rightly. The fault is earlier.",
            5: "Line 5 follows from line 4. The fault is earlier.",
        }
        raise NotYet(told.get(int(line), "The lines are counted from 1 to 5."))
    if not math.isclose(variance, 1 / 64):
        known = {
            1: "is what line 4 says",
            64: "is the variance before the vectors are divided by their lengths",
            8: "is the standard deviation before the vectors are divided by their lengths",
            1 / 8: "is the standard deviation",
            1 / 64**2: "is the variance of one product",
        }
        hint = f" That {told}." if (told := recognise(variance, known, math.isclose)) else ""
        raise NotYet(f"Line 3 it is. But the variance is not {variance:g}.{hint} How large is one product, squared?")
    return Report(True, "Each product is 1/64 in size, so its variance is 1/64². Such scores are too small, not right.")


@checking
def check_norm_ratio(candidate: object) -> Report:
    """Does ``candidate(draws)`` say how many times as large the mean ‖J‖_F is with C = √n as with C = 1?

    Args:
        candidate: takes one draw of n scores per row, and returns the ratio of the two means over the draws.
    """
    for n, n_draws in ((4, 60), (16, 90), (64, 40)):
        draws = np.random.default_rng(n).normal(0, math.sqrt(n), (n_draws, n))
        divided, undivided = (jacobian_statistics(draws, c).frobenius for c in (math.sqrt(n), 1.0))
        got, right = expect_number(attempt(candidate, draws), "the ratio"), float(divided.mean() / undivided.mean())
        if math.isclose(got, right, rel_tol=1e-5):
            continue
        saturated = "a few saturated draws, whose undivided norm is nearly 0, decide it."
        known = {
            float((divided / undivided).mean()): f"That is the mean of the draws' own ratios, and {saturated}",
            float(1 / (undivided / divided).mean()): "That is a mean of ratios too; the mean norms are to be compared.",
            float(np.median(divided) / np.median(undivided)): "That compares the middle draws, not the means.",
            float(np.median(divided / undivided)): "That is the middle one of the draws' own ratios.",
            float(np.exp(np.log(divided / undivided).mean())): "That is the geometric mean of the draws' own ratios.",
            float(np.linalg.norm(divided) / np.linalg.norm(undivided)): "That compares root mean squares of the norms.",
            float(divided.sum() / undivided.mean()): "One sum is not divided by the number of draws.",
            right * math.sqrt(n): "The factor 1/C of the Jacobian is missing.",
            1 / right: "That is the undivided mean over the divided one.",
            1
            / math.sqrt(n): "The weights are the same in both norms: those of the divided scores are softmax(s / √n).",
            right / math.sqrt(n): "The factor 1/C is there twice.",
            right**2: "That is the ratio of the squared means.",
        }
        refuse_number(f"For {n_draws} draws of {n} scores", got, right, known, near(rel_tol=1e-5), ".4g")
    return Report(True, "The ratio of the two means, for draws of 4, 16 and 64 scores.")


@checking
def check_both_ways(larger: object, smaller: object) -> Report:
    """Does a division by 8 make ‖J‖_F ten times as large for one vector of 8 scores, a quarter or less for another?"""
    ratios = []
    for name, s in (("larger", larger), ("smaller", smaller)):
        if s is ...:
            raise NotYet(f"`{name}` is still open.")
        s = expect_array(from_list(s), (8,), "one score per key", like=np.zeros(1), name=f"`{name}`")
        if not np.abs(s).max() <= 50:
            raise NotYet(f"`{name}` has a score beyond 50 in size; smaller ones will do.")
        norms = [float(jacobian_statistics(s[None].astype(float), c).frobenius[0]) for c in (8.0, 1.0)]
        ratios.append(norms[0] / norms[1])
    if ratios[0] < 10:
        raise NotYet(f"`larger`: the norm is {ratios[0]:.3g} times what it was. What does it take to saturate softmax?")
    if ratios[1] > 0.25:
        raise NotYet(
            f"`smaller`: the norm is {ratios[1]:.3g} times what it was. Where is J largest without a division?"
        )
    return Report(True, f"{ratios[0]:.3g} times as large for the one, {ratios[1]:.3g} times for the other.")


def _expect_near(predictions: object, table: Mapping[str, tuple[float, str, Mapping[float, str]]], tol: float) -> None:
    """Check a number for each letter, given the right one, what it is, and what others come from."""
    for letter, answer in each_answer(predictions, table, "a number for each of the letters", open_name="({})"):
        right, what, known = table[letter]
        said = expect_number(answer, f"({letter})")
        if not math.isclose(said, right, rel_tol=tol):
            reason = recognise(said, known, near(rel_tol=tol)) or ""
            raise NotYet(f"({letter}), {what}: not {said:.3g}. {reason}".rstrip())


def _two_score_norm(lead: float, c: float = 1.0) -> float:
    """‖J‖_F for two scores: four entries of p (1 − p) / C in size."""
    e = math.exp(-lead / c)
    return 2 * e / (1 + e) ** 2 / c


_LEADS = {
    "a": (10.0, "the standard deviation of the lead", {
        100.0: "That is the variance of the lead; its root is asked for.",
        math.sqrt(50): "That is the standard deviation of one dot product. The lead is a difference of two.",
        2 * math.sqrt(50): "Variances add, standard deviations do not.",
        math.sqrt(2): "That is what a division leaves. Nothing is divided yet."}),
    "b": (math.sqrt(2), "the standard deviation of the divided lead", {
        1.0: "That is the standard deviation of one divided score. The lead is a difference of two.",
        2.0: "That is the variance of the divided lead, or the sum of two standard deviations.",
        0.2: "That divides by d_k; divide by its root.",
        10.0: "That is the undivided lead."}),
    "c": (1 / (1 + math.exp(10)), "the weight of the other key", {
        1 / (1 + math.exp(-10)): "That is the weight of the key that leads.",
        1 / (1 + math.exp(math.sqrt(50))): "The lead is one standard deviation of (a), not of one dot product.",
        1 / (1 + math.exp(math.sqrt(2))): "That is with the division."}),
    "d": (1 / (1 + math.exp(math.sqrt(2))), "the weight of the other key", {
        1 / (1 + math.exp(-math.sqrt(2))): "That is the weight of the key that leads.",
        math.exp(-math.sqrt(2)): "That is the ratio of the two weights; they sum to 1.",
        1 / (1 + math.e): "The lead is one standard deviation of (b), not of one score.",
        1 / (1 + math.exp(10)): "That is without the division."}),
}  # fmt: skip


@checking
def check_leads(predictions: object) -> Report:
    """Two keys at d_k = 50: is the typical lead of one predicted rightly, and what softmax makes of such a lead?

    Args:
        predictions: letter to a number; one per cent off is near enough.
    """
    _expect_near(predictions, _LEADS, 0.01)
    return Report(True, "A lead of one standard deviation decides nearly everything undivided, and little divided.")


@checking
def check_draw(candidate: object) -> Report:
    """Does ``candidate(n, d_k, random)`` draw scores that hardly differ, with all assumptions but one?

    Args:
        candidate: returns n queries and n keys, n × d_k each, from a NumPy generator: every component has mean 0 and
            variance 1, queries are independent of keys, and q · k/√d_k has a variance of at most 1/10.
    """
    n = 20_000
    for d_k in (16, 48):
        where, random = f"At width {d_k}", np.random.default_rng(d_k)
        parts = expect_parts(attempt(candidate, n, d_k, random), ("queries", "keys"))
        drawn = []
        for name, part in zip(("the queries", "the keys"), parts, strict=True):
            part = part.detach().numpy() if isinstance(part, Tensor) else from_list(part)
            part = expect_array(part, (n, d_k), "one row per draw", like=np.zeros(1), name=name).astype(float)
            worst = part.var(axis=0)[np.abs(part.var(axis=0) - 1).argmax()]
            if abs(worst - 1) > 0.1:
                raise NotYet(f"{where}, a component of {name} has the variance {worst:.2f}. Assumption 1 asks for 1.")
            off = np.abs(part.mean(axis=0)).max()
            if off > 0.05:
                raise NotYet(
                    f"{where}, a component of {name} has a mean {off:.2f} away from 0. Assumption 1 asks for 0."
                )
            drawn.append(part)
        q, k = drawn
        scores = (q * k).sum(axis=1)
        expected = float((q.T @ q / n * (k.T @ k / n)).sum())  # tr(Σ_q Σ_k), if queries and keys are independent
        shared = abs(scores.mean()) > 0.1 * d_k**0.5 or np.abs(q.T @ k / n).max() > 0.06
        if shared or abs(scores.var() - expected) > 0.15 * max(expected, float(scores.var())) + 0.03 * d_k:
            raise NotYet(f"{where}, queries and keys are not independent: one tells something about the other.")
        left = float(scores.var()) / d_k
        if left > 0.1:
            hint = "The root does its work. Which assumption is left to break?"
            if max(float(np.abs(np.corrcoef(x.T) - np.eye(d_k)).max()) for x in drawn) > 0.1:
                hint = "It is not enough to correlate the components of one of the two, or to correlate them weakly."
            if left > 1.5:
                hint = "Both have correlated components, and these agree. Which correlations would cancel each other?"
            raise NotYet(f"{where}, the divided scores have the variance {left:.2f}, and not 0.1 or less. {hint}")
    return Report(True, "Mean 0, variance 1, independent, and yet the scores hardly differ: the covariances cancel.")


_TIE, _LED = ([_two_score_norm(lead, c) for c in (1.0, 3.0)] for lead in (0.0, 6.0))
_MEANS = [(3 * tie + 7 * led) / 10 for tie, led in zip(_TIE, _LED, strict=True)]
_TEN = {
    "a": (_MEANS[0], "the mean undivided norm", {
        0.5: "That is the norm of a tie alone; average over all ten draws.",
        (3 * 0.25 + 7 * _LED[0]) / 10: "The norm of a tie is ½: four entries of ¼ in size.",
        _LED[0]: "That is the middle draw."}),
    "b": (_MEANS[1], "the mean divided norm", {
        3 * _MEANS[1]: "The factor 1/C is missing.",
        _TIE[1]: "That is the divided norm of a tie alone.",
        _MEANS[0] / 3: "The division also changes the weights: the lead of 6 becomes 6/3."}),
    "c": (_LED[0], "the undivided norm of the middle draw", {
        _LED[0] / 2: "That is one entry; the norm is the root of four squares.",
        _MEANS[0]: "That is the mean."}),
    "d": (70.0, "in how many per cent of the draws the division raises the norm", {
        30.0: "That is in how many it lowers the norm.",
        0.7: "In per cent.",
        100.0: "A tie stays a tie when it is divided; what is left is the factor 1/C."}),
}  # fmt: skip


@checking
def check_ten_draws(predictions: object) -> Report:
    """Ten draws of two scores, three of them ties and seven with a lead of 6, C = 3: mean, middle draw, share raised?

    Args:
        predictions: letter to a number; three per cent off is near enough.
    """
    _expect_near(predictions, _TEN, 0.03)
    return Report(True, "The mean falls with the division, and seven of ten draws rise.")


@checking
def check_break_even(candidate: object) -> Report:
    """Does ``candidate(c)`` give the lead of two scores at which a division by c leaves ‖J‖_F as it is?

    A lead that is off by less than a thousandth will do.
    """

    def ratio(lead: float, c: float) -> float:
        return _two_score_norm(lead) / _two_score_norm(lead, c)

    for c in (8.0, 2.0, math.sqrt(512), 1.25):
        got, where = expect_number(attempt(candidate, c), "the lead"), f"For C = {c:.4g}"
        if got <= 0:
            raise NotYet(f"{where} it gives {got:.4g}. At a tie the division changes the norm by 1/C; look above 0.")
        if got > 700:
            raise NotYet(f"{where} it gives {got:.4g}, where both norms are too small to be compared.")
        if ratio(got * (1 - 1e-3), c) >= 1 >= ratio(got * (1 + 1e-3), c):
            continue
        raise NotYet(
            f"{where} it gives {got:.4g}. At that lead the undivided norm is {ratio(got, c):.4g} times the divided one."
        )
    return Report(True, "Below that lead the division makes the Jacobian smaller, above it larger.")
