"""Worked numbers that circulate: four exponentials, two softmaxes, one attention by hand, three tables of weights.

What is claimed stands here as it was printed, digit by digit; the truth is computed from the first inputs of each
example, in double precision, and nothing on the way is rounded.
"""

import math

import numpy as np

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from ...attention.probability import softmax
from ...examples.misprinted_example import recomputed
from ...pages.significant_digits import raised
from ..claim import Claim, Verdict
from ..printed import agrees, faults, in_tens, listed, verdict_on

Matrix = list[list[float]]

EXPONENTS = (1, 2, 10, 20)
EXPONENTIALS = ("2.7", "7.4", "22046.5", "485165195.41")
PAIRS = [[1.0, 2.0], [10.0, 20.0]]
PAIR_WEIGHTS = [["0.27", "0.73"], ["4e-5", "0.999"]]
PRODUCTS = [["0.3", "0.7", "1.1"], ["0.26", "0.62", "0.98"]]
HALVES = [["0.15", "0.35", "0.55"], ["0.13", "0.31", "0.49"]]
WEIGHTS = [["0.2", "0.3", "0.5"], ["0.25", "0.35", "0.4"]]
OUTPUTS = [["0.62", "0.72", "0.82", "0.92"], ["0.65", "0.75", "0.85", "0.95"]]
MASKED_SCORES = np.array([[1.0, 0.8], [0.9, 1.1]])
MASKED_WEIGHTS = [["1", "0"], ["0.4", "0.6"]]
MASKED_VALUES = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]])
MASKED_OUTPUTS = [["0.1", "0.2", "0.3", "0.4"], ["0.34", "0.44", "0.54", "0.64"]]
WIDE_SCORES = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
WIDE_WEIGHTS = [["0.4", "0.3", "0.3"], ["0.5", "0.3", "0.2"]]
SHARES = np.array([[0.8, 0.1, 0.1], [0.15, 0.75, 0.1], [0.1, 0.3, 0.7]])
PERCENTAGES = np.array([[80, 1, 1], [15, 75, 1], [1, 3, 70]])


def exponentials() -> list[float]:
    """N01: e to the four powers."""
    return [math.exp(x) for x in EXPONENTS]


def decide_exponentials(value: list[float]) -> tuple[Verdict, str]:
    """N01: which of the four stand?"""
    bad = [n for n, (printed, true) in enumerate(zip(EXPONENTIALS, value, strict=True)) if not agrees(printed, true)]
    if not bad:
        return "right", "All four are e to these powers, to the last digit that is printed."
    found = ", ".join(f"e{raised(EXPONENTS[n])} is {value[n]:.2f} and not {EXPONENTIALS[n]}" for n in bad)
    return "wrong", f"{found}; the other {len(value) - len(bad)} are right to the last digit printed."


def pair_weights() -> Matrix:
    """N02: softmax of (1, 2) and of (10, 20)."""
    return softmax(np.array(PAIRS)).tolist()


def decide_pair_weights(value: Matrix) -> tuple[Verdict, str]:
    """N02: right, if a number that was cut off instead of rounded counts as right."""
    small = value[1][0]
    why = (
        f"The weights are {listed(value[0], 4)}, and {in_tens(small)} beside {value[1][1]:.6f}. The small one was cut "
        f"off to one digit, as the dots after 0.999 say of its neighbour; rounded it is {in_tens(small, 1)}."
    )
    return verdict_on(PAIR_WEIGHTS, value), why


def line(name: str) -> Matrix:
    """N03 to N06: a line of the worked example, computed from its queries, keys and values."""
    return recomputed()[name].true.tolist()


def decide_products(value: Matrix) -> tuple[Verdict, str]:
    """N03: the first row is halved, the second is no multiple of the truth."""
    why = (
        f"The dot products are {listed(value[0], 2)} and {listed(value[1], 2)}. The first row claimed is half of the "
        "true one, as if it had been divided by √4 already; the second is no multiple of its true row."
    )
    return verdict_on(PRODUCTS, value), why


def decide_halves(value: Matrix) -> tuple[Verdict, str]:
    """N04: a right division of wrong numbers."""
    why = (
        f"The division by 2 is done rightly, on wrong numbers; from the beginning the scores are {listed(value[0], 2)} "
        f"and {listed(value[1], 2)}. The first row has now been divided twice."
    )
    return verdict_on(HALVES, value), why


def decide_weights(value: Matrix) -> tuple[Verdict, str]:
    """N05: the first row agrees with the truth to one decimal, and with nothing that stands before it."""
    rows = {i for i, _ in faults(WEIGHTS, value)}
    step = recomputed()["softmax"].from_claim
    accident = "The first row is right to one decimal, by accident: " if rows == {1} else ""
    why = (
        f"{accident}the softmax of the row claimed in N04 would be {listed(step[0])}. From the beginning the weights "
        f"are {listed(value[0])} and {listed(value[1])}."
    )
    return verdict_on(WEIGHTS, value), why[0].upper() + why[1:]


def decide_outputs(value: Matrix) -> tuple[Verdict, str]:
    """N06: from the first query to the second the output must fall, and is said to rise."""
    falls = value[1][0] < value[0][0]
    direction = "fall" if falls else "rise"
    why = (
        f"From the beginning the outputs are {listed(value[0])} and {listed(value[1])}: from the first query to the "
        f"second they {direction}, because weight leaves the largest value, and the claimed ones rise."
    )
    return verdict_on(OUTPUTS, value), why


def masked_weights() -> Matrix:
    """N07: softmax of the scores under a causal mask, with no division: the scores are given."""
    allowed = causal_mask(2).numpy()
    return softmax(np.where(allowed, MASKED_SCORES, -math.inf)).tolist()


def decide_masked_weights(value: Matrix) -> tuple[Verdict, str]:
    """N07: the mask is right, the softmax of the second row is not."""
    needed = math.log(float(MASKED_WEIGHTS[1][1]) / float(MASKED_WEIGHTS[1][0]))
    lead = float(np.diff(MASKED_SCORES[1])[0])
    why = (
        f"The first row is right, as the mask leaves one key; the second is {listed(value[1])}. Weights of 0.4 and 0.6 "
        f"need scores that differ by {needed:.2f}, and these differ by {lead:.1f}; a division by √d_k makes that less."
    )
    return verdict_on(MASKED_WEIGHTS, value), why


def masked_outputs() -> Matrix:
    """N08: the true weights of N07 times the values."""
    # Queries that are the scores times √d_k, and keys that are unit vectors, have exactly these scores.
    queries = MASKED_SCORES * math.sqrt(2)
    output, _ = scaled_dot_product_attention(queries, np.eye(2), MASKED_VALUES, causal_mask(2).numpy())
    return output.tolist()


def decide_masked_outputs(value: Matrix) -> tuple[Verdict, str]:
    """N08: a right product with a wrong weight."""
    step = np.array(MASKED_WEIGHTS, dtype=float) @ MASKED_VALUES
    carried = "is" if not faults(MASKED_OUTPUTS, step.tolist()) else "is not even"
    why = (
        f"The first row is right. The second {carried} what follows from the weights claimed in N07, which are wrong; "
        f"with the true ones it is {listed(value[1])}."
    )
    return verdict_on(MASKED_OUTPUTS, value), why


def wide_weights() -> Matrix:
    """N09: softmax of the two rows of scores, divided by √512."""
    return softmax(WIDE_SCORES / math.sqrt(512)).tolist()


def decide_wide_weights(value: Matrix) -> tuple[Verdict, str]:
    """N09: both rows must be the same, and rise from left to right."""
    same = np.allclose(*value, rtol=0, atol=1e-12)
    why = (
        f"{'Both rows are' if same else 'The first row is'} {listed(value[0], 4)}: the scores of one are those of the "
        "other plus 0.3, which softmax does not see. The rows claimed differ, and fall where the scores rise; no "
        "divisor saves them, and the paper's is √d_k (F02)."
    )
    return verdict_on(WIDE_WEIGHTS, value), why


def normalised_shares() -> Matrix:
    """N10: the three rows, each divided by its sum."""
    return (SHARES / SHARES.sum(axis=1, keepdims=True)).tolist()


def decide_shares(value: Matrix) -> tuple[Verdict, str]:
    """N10: one row is no distribution, and tenths are read as hundredths."""
    printed = [[str(share) for share in row] for row in SHARES]
    sums = SHARES.sum(axis=1)
    misread = int((~np.isclose(PERCENTAGES, 100 * SHARES)).sum())
    why = (
        f"The rows sum to {listed(sums, 1)}; divided by its sum the last one is {listed(value[2])}. And {misread} of "
        f"the {SHARES.size} shares are read aloud as a tenth of themselves: 0.1 is 10 %, not 1 %."
    )
    return ("wrong" if misread or faults(printed, value) else "right"), why


_EXAMPLE = "attention/what-a-score-can-do#sdp-worked-example"

CLAIMS = (
    Claim(
        "N01",
        "e to the powers 1, 2, 10 and 20 is 2.7, 7.4, 22046.5 and 485165195.41.",
        exponentials,
        decide_exponentials,
        "attention/scaled-dot-product#sdp-softmax",
    ),
    Claim(
        "N02",
        "The softmax of (1, 2) is (0.27, 0.73), that of (10, 20) is (4·10⁻⁵, 0.999…).",
        pair_weights,
        decide_pair_weights,
        "attention/scaled-dot-product#sdp-softmax",
    ),
    Claim(
        "N03",
        "The queries (0.2, 0.4, 0.6, 0.8) and (0.1, 0.3, 0.5, 0.7) have the dot products (0.3, 0.7, 1.1) and "
        "(0.26, 0.62, 0.98) with the keys (0.1, 0.2, 0.3, 0.4), (0.5, 0.6, 0.7, 0.8) and (0.9, 1.0, 1.1, 1.2).",
        lambda: line("Q Kᵀ"),
        decide_products,
        _EXAMPLE,
    ),
    Claim(
        "N04",
        "Divided by √4, the dot products of N03 are (0.15, 0.35, 0.55) and (0.13, 0.31, 0.49).",
        lambda: line("divided by √4"),
        decide_halves,
        _EXAMPLE,
    ),
    Claim(
        "N05",
        "The softmax of these scores (N04) is (0.2, 0.3, 0.5) and (0.25, 0.35, 0.4).",
        lambda: line("softmax"),
        decide_weights,
        _EXAMPLE,
    ),
    Claim(
        "N06",
        "Values equal to the keys of N03, mixed by these weights (N05), give (0.62, 0.72, 0.82, 0.92) and "
        "(0.65, 0.75, 0.85, 0.95).",
        lambda: line("times V"),
        decide_outputs,
        _EXAMPLE,
    ),
    Claim(
        "N07",
        "Under a causal mask the scores (1.0, 0.8) and (0.9, 1.1) become the weights (1, 0) and (0.4, 0.6).",
        masked_weights,
        decide_masked_weights,
        "attention/masks#masks-softmax",
    ),
    Claim(
        "N08",
        "With these weights (N07) the values (0.1, 0.2, 0.3, 0.4) and (0.5, 0.6, 0.7, 0.8) are mixed into "
        "(0.1, 0.2, 0.3, 0.4) and (0.34, 0.44, 0.54, 0.64).",
        masked_outputs,
        decide_masked_outputs,
        "attention/masks#masks-softmax",
    ),
    Claim(
        "N09",
        "In a model of width 512 the scores (0.1, 0.2, 0.3) and (0.4, 0.5, 0.6), divided by √512, become the weights "
        "(0.4, 0.3, 0.3) and (0.5, 0.3, 0.2).",
        wide_weights,
        decide_wide_weights,
        "attention/scaled-dot-product#sdp-softmax",
    ),
    Claim(
        "N10",
        "Three words attend to one another with the weights (0.8, 0.1, 0.1), (0.15, 0.75, 0.1) and (0.1, 0.3, 0.7): "
        "80 %, 1 % and 1 %; 15 %, 75 % and 1 %; 1 %, 3 % and 70 %.",
        normalised_shares,
        decide_shares,
        "attention/masks#ex-masks-table",
    ),
)
