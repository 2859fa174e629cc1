"""Checks for *The softmax Jacobian*, *What a heat map of a Jacobian shows* and *Scaling and learning*.

The first asks for its entries, the matrix, what scores hear and a gradient; the second for a blind statistic; the third
for what reaches a query, and for runs that learn with a division of the scores and without it.
The oracle is torch's autograd; the laws are that rows sum to zero and that the mean of the entries says nothing.
"""

import math
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch

from ...analysis.saturation import squared_error, steps_needed
from ...attention.probability import softmax, softmax_jacobian
from ..answers import each_answer, from_list
from ..known_mistakes import near, recognise
from ..report import (
    NotYet,
    Report,
    agrees,
    attempt,
    checking,
    expect_array,
    expect_number,
    expect_parts,
    first_difference,
)

# Each entry to be predicted: its value, and what other values come from.
_ENTRIES = {
    "a": (
        0.125,
        {0.25: "divide by C as well", 0.5: "that is the weight", -0.125: "a weight rises with its own score"},
    ),
    "b": (
        -0.075,
        {-0.15: "divide by C as well", 0.075: "the sign: what one weight gains, the others lose", 0.15: "sign, and C"},
    ),
    "c": (
        0.0196,
        {0.0098: "that is the size of an entry beside it", 0.9604: "that is p², not p (1 − p)", 0.98: "a weight"},
    ),
    "d": (
        -0.8,
        {
            -1.6: "divide by C as well",
            0.8: "the sign: the gradient is asked for, not the step against it",
            -1.0: "subtract from g its mean under the weights",
            -2.0: "that is the mean of g under the weights",
            -4.0: "multiply by the weight of score 3",
            -2 / 3: "the mean of g is taken under the weights",
            0.5: "that is what score 1 receives",
            0.3: "that is what score 2 receives",
            -10.0: "that is what the weight is told; the score hears of it through J",
        },
    ),
}


@checking
def check_entries(predictions: object) -> Report:
    """Are the four predicted numbers right?

    Args:
        predictions: letter of the question to the number.
    """
    as_good, wanted = near(rel_tol=1e-3, abs_tol=1e-9), "a number for each of the letters"
    for letter, answer in each_answer(predictions, _ENTRIES, wanted, open_name="Question {}"):
        said, (true, slips) = expect_number(answer, f"the answer to {letter}"), _ENTRIES[letter]
        if as_good(said, true):
            continue
        why = recognise(said, slips, as_good)
        raise NotYet(f"The answer to {letter} is not {said:g}" + (f": {why}." if why else "."))
    return Report(True, "All four. Only (c) is without a division by C.")


def _known_jacobians(s: np.ndarray, c: float) -> dict[str, np.ndarray]:
    """What known mistakes give for these scores and this C."""
    right, p, plain = softmax_jacobian(s, c), softmax(s / c), softmax(s)
    eye, undivided = np.eye(len(s)), softmax_jacobian(s)
    return {
        "This is the Jacobian with respect to s/C: multiply by 1/C, the chain rule's factor.": c * right,
        "The temperature is ignored: this is the Jacobian of softmax(s).": undivided,
        "It has the factor 1/C, but its weights are softmax(s): divide inside the softmax too.": undivided / c,
        "It is divided by C twice.": right / c,
        "It is multiplied by C, and should be divided.": c * c * right,
        "Scores are multiplied by C, and should be divided.": c * softmax_jacobian(s * c),
        "The sign is wrong: a weight rises with its own score, so the diagonal is positive.": -right,
        "This is diag(p) only: raising one score takes from all other weights, −p_i p_j.": np.diag(p) / c,
        "The diagonal is right and everything else is missing: −p_i p_j beside it.": np.diag(p - p**2) / c,
        "`p**2` is taken from whole columns: entry (i, j) loses p_j², and should lose p_i p_j. Use np.outer.": (
            (np.diag(p) - p**2) / c
        ),
        "`p**2` is taken from whole columns, and the 1/C is missing: entry (i, j) should lose p_i p_j.": (
            np.diag(p) - p**2
        ),
        "`p @ p` is one number, the same for all entries; p pᵀ is the table np.outer(p, p).": (np.diag(p) - p @ p) / c,
        "The products are added: it is diag(p) minus p pᵀ.": (np.diag(p) + np.outer(p, p)) / c,
        "This is the Jacobian of log softmax; multiply row i by p_i.": (eye - p) / c,
        "These are the weights' own products, p pᵀ: diag(p) is missing.": -np.outer(p, p) / c,
        "The weights of this answer are softmax(s), not softmax(s/C).": (np.diag(plain) - np.outer(plain, p)) / c,
    }


@checking
def check_jacobian(candidate: object) -> Report:
    """Does ``candidate(s, c)`` give the Jacobian of softmax(s / c) with respect to s, for NumPy vectors?"""
    generator = np.random.default_rng(5)
    for n, c in ((4, 1.0), (5, 3.0), (3, 0.5)):
        s = generator.standard_normal(n)
        with _not_calling(softmax_jacobian):
            got = attempt(candidate, s, c)
        got = expect_array(got, (n, n), "one row per weight, one column per score", like=s, name="the Jacobian")
        wanted = _autograd(lambda x, c=c: torch.softmax(x / c, dim=-1), s)
        if (difference := first_difference(got, wanted)) is None:
            continue
        where = f"For {n} scores and C = {c:g}: "
        if fault := recognise(got, _known_jacobians(s, c)):
            raise NotYet(where + fault)
        sums = np.asarray(got, dtype=float).sum(axis=1)
        if np.abs(sums).max() > 1e-6:
            row = int(np.argmax(np.abs(sums) > 1e-6))
            raise NotYet(
                f"{where}the rows do not sum to zero: row {row} (counted from 0) sums to {sums[row]:.6g}. Raising all "
                "scores together must change no weight."
            )
        raise NotYet(f"{where}it is wrong at {difference}.")
    with np.errstate(all="ignore"):
        got = np.asarray(attempt(candidate, np.array([2000.0, 2000.0, 0.0]), 2.0), dtype=float)
    if not agrees(got, np.array([[0.125, -0.125, 0], [-0.125, 0.125, 0], [0, 0, 0]])):
        raise NotYet("Right, but not for scores of 2000: the exponentials overflow. Subtract the largest score first.")
    return Report(True, "It agrees with autograd at three temperatures, and large scores do not hurt it.")


@contextmanager
def _not_calling(forbidden: Callable) -> Iterator[None]:
    """Refuse an answer that calls a function of the package, however it was imported."""
    calls, before = [], sys.getprofile()
    where = (forbidden.__module__, forbidden.__name__)

    def note(frame, event: str, argument: object) -> None:
        if event == "call" and (frame.f_globals.get("__name__"), frame.f_code.co_name) == where:
            calls.append(frame.f_code)

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)
    if calls:
        raise NotYet(
            f"It calls the package's `{forbidden.__name__}`. Write the matrix down yourself, from the weights."
        )


def _autograd(function: Callable, s: np.ndarray) -> np.ndarray:
    return torch.autograd.functional.jacobian(function, torch.tensor(s)).numpy()


@checking
def check_query_gradient(candidate: object) -> Report:
    """Does ``candidate(q, k, v, g_o)`` give the gradient with respect to the query of an attention?

    ``g_o`` is the gradient with respect to the output of that query.
    """
    generator = np.random.default_rng(8)
    for n, d_k, d_v in ((4, 9, 3), (6, 4, 5), (3, 3, 3)):
        q, g = generator.standard_normal(d_k), generator.standard_normal(d_v)
        k, v = generator.standard_normal((n, d_k)), generator.standard_normal((n, d_v))
        got = attempt(candidate, q, k, v, g)
        if n != d_k and getattr(got, "shape", None) == (n,):
            raise NotYet(
                f"For {n} keys of width {d_k} it gives {n} numbers, one per score. The query has {d_k} components. "
                "Each score is a product of the query with its key: what does it pass on?"
            )
        got = expect_array(got, (d_k,), "one number per component of the query", like=q, name="the gradient")
        query = torch.tensor(q).requires_grad_()
        output = torch.softmax(torch.tensor(k) @ query / math.sqrt(d_k), dim=-1) @ torch.tensor(v)
        (wanted,) = torch.autograd.grad(output, query, torch.tensor(g))
        if (difference := first_difference(got, wanted)) is None:
            continue
        p, root = softmax(k @ q / math.sqrt(d_k)), math.sqrt(d_k)
        heard, right = v @ g, wanted.numpy()
        undivided = softmax(k @ q)
        known = {
            "the factor 1/√d_k is missing: the dot products are divided before the softmax.": right * root,
            "it is divided by d_k in all, and should be divided by √d_k once.": right / root,
            "the output is not subtracted: g_o · v_j, where g_o · (v_j − o) is wanted.": (p * heard) @ k / root,
            "the plain mean of the values is subtracted; it is the output, their mean under the weights.": (
                (p * (heard - heard.mean())) @ k / root
            ),
            "the weight of the key is missing as a factor.": (heard - p @ heard) @ k / root,
            "softmax is left out: what the weights hear, g_o · v_j, goes straight to the keys.": heard @ k,
            "the sign is wrong: the gradient is asked for, not the step against it.": -right,
            "the weights are softmax(q · k) without the division.": (
                (undivided * (heard - undivided @ heard)) @ k / root
            ),
            "the mean over the keys is taken, where the sum is wanted.": right / n,
        }
        if fault := recognise(got, known):
            raise NotYet(f"For {n} keys of width {d_k}: {fault}")
        raise NotYet(f"For {n} keys of width {d_k} it is wrong at {difference}.")
    n = 1500
    q, k, v, g = (generator.standard_normal(shape) for shape in (2, (n, 2), (n, 3), 3))
    needed = _most_memory(lambda: attempt(candidate, q, k, v, g))
    if needed > n * n:  # a byte per entry, of which a matrix of numbers has eight
        raise NotYet(
            f"Right, but for {n:,} keys it needs {needed / 1e6:.0f} million bytes, as a table of all pairs does. "
            "Form no n × n matrix: what the scores receive is a product of vectors."
        )
    return Report(True, "It agrees with autograd, and needs no table. Keys with little weight hardly move the query.")


def _most_memory(run: Callable[[], object]) -> int:
    """The most bytes that Python and NumPy hold at a time, beyond those held before, while something runs."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()


def _scores(values: object, name: str, least: int) -> np.ndarray:
    values = expect_array(from_list(values), None, like=np.empty(0), name=name)
    if values.ndim != 1 or len(values) < least or not np.isfinite(values).all():
        raise NotYet(f"Give {name} as one vector of at least {least} finite numbers; got the shape {values.shape}.")
    return values.astype(float)


@checking
def check_mean_size(first: object, second: object) -> Report:
    """Has the first Jacobian a mean size of its entries of at most a tenth of the second's, and yet the larger norm?

    Args:
        first, second: two vectors of 2 to 200 scores each.
    """
    given = [_scores(values, name, 2) for values, name in ((first, "first"), (second, "second"))]
    if max(map(len, given)) > 200:
        raise NotYet(f"Give at most 200 scores each; got {len(given[0])} and {len(given[1])}.")
    jacobians = [softmax_jacobian(scores) for scores in given]
    (size, other_size), (norm, other_norm) = (
        [float(measure(j)) for j in jacobians] for measure in (lambda j: abs(j).mean(), np.linalg.norm)
    )
    if other_size == 0:
        raise NotYet("The second Jacobian is exactly 0 in the computer's numbers, so nothing is a tenth of its size.")
    found = f"The mean sizes are {size:.3g} and {other_size:.3g}, the norms {norm:.3g} and {other_norm:.3g}."
    if size > other_size / 10:
        raise NotYet(f"{found} The first mean size is above a tenth of the second. How many entries is it a mean of?")
    if not norm > other_norm:
        raise NotYet(f"{found} The first norm should be the larger one. Which keys should share the weight?")
    return Report(True, f"{found} A mean over n² entries says little without n beside it.")


@checking
def check_loss_gradient(candidate: object) -> Report:
    """Does ``candidate(s, y, c)`` give the gradient of the cross-entropy of softmax(s / c) with respect to s?"""
    generator = np.random.default_rng(13)
    tests = ((5, 1.0, "a one-hot y"), (4, 2.5, "a one-hot y"), (7, 0.5, "a y of several outcomes"))
    for n, c, kind in tests:
        s = generator.standard_normal(n)
        y = np.eye(n)[2] if kind == "a one-hot y" else generator.dirichlet(np.ones(n))
        got = expect_array(attempt(candidate, s, y, c), (n,), "one number per score", like=s, name="the gradient")
        leaf = torch.tensor(s).requires_grad_()
        loss = -(torch.tensor(y) * torch.log_softmax(leaf / c, dim=-1)).sum()
        (wanted,) = torch.autograd.grad(loss, leaf)
        if (difference := first_difference(got, wanted)) is None:
            continue
        p, right, plain = softmax(s / c), wanted.numpy(), softmax(s)
        known = {
            "the 1/C is missing: p − y is the gradient with respect to s/C.": right * c,
            "the weights are softmax(s), without the temperature.": (plain - y) / c,
            "the weights are softmax(s), and the 1/C is missing.": plain - y,
            "the sign is wrong: a score that is too high has a positive gradient.": -right,
            "softmax's Jacobian is applied to p − y once more, which is the gradient of the squared error.": (
                softmax_jacobian(s, c) @ (p - y)
            ),
            "it is divided by the number of scores.": right / len(s),
            "it is divided by C twice.": right / c,
            "it is multiplied by C, and should be divided.": right * c**2,
            "y is treated as one-hot: the whole 1 is taken from its largest entry.": (p - np.eye(n)[y.argmax()]) / c,
        }
        if fault := recognise(got, known):
            raise NotYet(f"With C = {c:g} and {kind}, {fault}")
        raise NotYet(f"With C = {c:g} and {kind}, it is wrong at {difference}.")
    return Report(True, "It agrees with autograd: the 1/p of the logarithm cancels the p of J, and 1/C stays.")


_HALF = math.sqrt(2) / 4  # √2 p (1 − p) at a tie
_AHEAD = {x: math.sqrt(2) * math.exp(-x) / (1 + math.exp(-x)) ** 2 for x in (1, 16)}  # √2 p (1 − p) at a lead of x
_REACHED = {  # the norm for two keys of width 256, and what other numbers come from
    "a": (_AHEAD[1] / 16 * 32, {
        _AHEAD[1] * 32: "The factor 1/C is missing.",
        _HALF / 16 * 32: "That is the norm at a tie. The first key leads by 16.",
        _AHEAD[16] / 16 * 32: "The weights are those of the divided lead, x / C.",
        _AHEAD[1] / 16 * 16: "That takes the length of one key for the length of the difference.",
        _AHEAD[1] / math.sqrt(2) * 2: "That is the norm of one row; there are two rows.",
        _AHEAD[1] * math.sqrt(2) * 2: "Square the norms of the two rows before you add them."}),
    "b": (_AHEAD[16] * 32, {
        _AHEAD[1] / 16 * 32: "That is the divided norm.",
        _AHEAD[16] / 16 * 32: "Undivided, C is 1.",
        _HALF * 32: "That is the norm at a tie. The first key leads by 16.",
        _AHEAD[1] * 32: "Undivided, the lead in the weights is 16.",
        _AHEAD[16] * 16: "That takes the length of one key for the length of the difference.",
        _AHEAD[16] / math.sqrt(2) * 32: "That is the norm of one row; there are two rows.",
        _AHEAD[16] * math.sqrt(2) * 32: "Square the norms of the two rows before you add them."}),
    "c": (_HALF / 16 * 2, {
        _HALF * 2: "That is the norm for the keys of (a) at a tie, or it lacks 1/C. How long is their difference?",
        _HALF / 16: "That takes the length of one key for the length of the difference.",
        1 / 32: "That is the norm of one row; there are two rows."}),
    "d": (_HALF / 16 * 32, {
        _HALF * 32: "The factor 1/C is missing.",
        _HALF / 16 * 16 * 6: "That takes the length of one key for the length of the difference.",
        _HALF / 16 * 16 * 4: "That takes the length of one key for the length of the difference.",
        0.5: "That is the norm of one row; there are two rows."}),
}  # fmt: skip


@checking
def check_reach(predictions: object) -> Report:
    """Is the norm of the derivative of two weights with respect to the query predicted, at width 256?

    Args:
        predictions: letter to a number; two per cent off is near enough.
    """
    as_good, wanted = near(rel_tol=0.02), "a number for each of the letters"
    for letter, answer in each_answer(predictions, _REACHED, wanted, open_name="({})"):
        said, (right, slips) = expect_number(answer, f"({letter})"), _REACHED[letter]
        if not as_good(said, right):
            raise NotYet(f"({letter}) is not {said:.3g}. {recognise(said, slips, as_good) or ''}".rstrip())
    return Report(True, "All four. Only the difference of the keys counts, and it need not grow with the width.")


def _weights_of_run(s: np.ndarray, y: np.ndarray, rate: float, c: float, steps: int) -> Iterator[np.ndarray]:
    for _ in range(steps):
        p = softmax(s / c)
        yield p
        s = s - rate * np.sign(softmax_jacobian(s, c) @ (p - y))


@checking
def check_same_run(candidate: object) -> Report:
    """Does ``candidate(s, rate, c)`` give scores and a rate, of steps by sign, with which C changes no weight?"""
    for n, rate, c in ((4, 1.0, 3.0), (7, 0.5, 8.0), (5, 2.0, 0.5)):
        generator, where = np.random.default_rng(n), f"With C = {c:g} and the rate {rate:g}"
        s, y = generator.standard_normal(n), np.eye(n)[1]
        scores, other = expect_parts(attempt(candidate, s, rate, c), ("scores", "rate"))
        scores = scores.detach().numpy() if isinstance(scores, torch.Tensor) else from_list(scores)
        scores = expect_array(scores, (n,), "one number per score", like=s, name="the scores").astype(float)
        other = expect_number(other, "the rate")
        before, *later = _weights_of_run(s, y, rate, 1.0, 6)
        divided, *others = _weights_of_run(scores, y, other, c, 6)
        if not agrees(divided, before):
            raise NotYet(f"{where}, the weights differ before the first step: which scores, divided by C, give s?")
        if not agrees(np.stack(others), np.stack(later)):
            known = {
                rate: "The rate is unchanged, but the scores are C times larger.",
                c**2 * rate: "That is the rate for gradient descent. Does a factor 1/C change the sign of a gradient?",
                rate / c: "The scores are C times larger, so the steps must be larger.",
                rate / c**2: "The scores are C times larger, so the steps must be larger.",
            }
            reason = recognise(other, known, near(rel_tol=1e-6)) or ""
            raise NotYet(f"{where}, the weights differ after the first step. {reason}".rstrip())
    return Report(True, "The same weights after every step: here the division is a start and a rate C times smaller.")


@checking
def check_slower(scores: object, rate: object) -> Report:
    """Does a division by 8 make a softmax, in which key 1 leads, need ten times the steps until key 2 has half?

    Args:
        scores: eight scores at the start; key 1 leads by at least 5.
        rate: of the gradient descent, with the squared error.
    """
    if scores is ... or rate is ...:
        raise NotYet("Give eight scores and a rate.")
    start, rate, limit = _scores(scores, "the scores", 8), expect_number(rate, "the rate"), 4000
    if len(start) != 8:
        raise NotYet(f"Give eight scores; got {len(start)}.")
    if rate <= 0:
        raise NotYet("The rate has to be above 0.")
    if (lead := start[0] - start[1:].max()) < 5:
        raise NotYet(f"Key 1 has to lead by at least 5; it leads by {lead:g}.")
    steps = [int(steps_needed(start[None], np.eye(8)[1], rate, c, squared_error, limit)[0]) for c in (1, 8)]
    found = f"Undivided it takes {steps[0]} steps, divided {steps[1]}."
    if steps[0] == limit:
        raise NotYet(f"The undivided softmax does not arrive in {limit} steps. Where is it less saturated?")
    if steps[1] < 10 * steps[0]:
        raise NotYet(f"{found} What does the factor 1/C do to a step, at a small rate?")
    return Report(True, f"{found} At one rate, the division also shortens the steps.")
