"""Two source words and two possible answers: gradient × input, its mean on the way, and leaving out, by hand."""

import math
from collections.abc import Mapping

from ...analysis.seed_statistics import number

PARTS = {"girls": 4.0, "are": 1.0}
"""What each source word adds to the score of *las*; the score of the only other answer, *la*, is 0."""
HEADER = ("explained", "method", *PARTS)


def log_p(score: int | float) -> float:
    r"""ln P of the first of two answers: :math:`-\ln(1 + e^{-s})`, softmax over its score s and 0."""
    return -math.log1p(math.exp(-score)) if score > 0 else score - math.log1p(math.exp(score))


def slope(score: int | float) -> float:
    """The derivative of :func:`log_p`: the probability of the other answer."""
    return 1 / (1 + math.exp(score))


def of_log_p(parts: Mapping[str, int | float]) -> dict[str, dict[str, float]]:
    """Three attributions of ln P to words that add their parts to one score; each part is the word's embedding.

    Args:
        parts: what each word adds.

    Returns:
        By the names *gradient × input*, *integrated* and *leaving out*, a number for each word. The integrated one has
        a closed form, because all embeddings grow together: each word gets its share of the score.
    """
    score = sum(parts.values())
    gain = log_p(score) - log_p(0.0)
    return {
        "gradient × input": {word: part * slope(score) for word, part in parts.items()},
        "integrated": {word: gain * part / score for word, part in parts.items()},
        "leaving out": {word: log_p(score) - log_p(score - part) for word, part in parts.items()},
    }


def rows() -> list[tuple[str, ...]]:
    """The table of the page, for `HEADER`: of the score all methods say the same, of ln P they do not."""
    of_score = [("the score", "all three", *(f"{part:.0f}" for part in PARTS.values()))]
    of_p = of_log_p(PARTS).items()
    return of_score + [("ln P", name, *(f"{value:.3f}" for value in values.values())) for name, values in of_p]


def growing(points: int = 41) -> tuple[list[float], list[float]]:
    """Strengths from 0 to 1 that multiply all parts, and ln P at each: the line of the page's first figure."""
    strengths = [k / (points - 1) for k in range(points)]
    return strengths, [log_p(strength * sum(PARTS.values())) for strength in strengths]


def told() -> str:
    """The line of :func:`growing` in words."""
    strengths, values = growing(5)
    parts = [f"{number(value, '.2f')} at {strength:g}" for strength, value in zip(strengths, values, strict=True)]
    return f"A line that rises ever more slowly: ln P of las is {', '.join(parts)}."


def numbers() -> dict[str, float | str]:
    """What the page's text is given, by name."""
    found = of_log_p(PARTS)
    score, left = sum(PARTS.values()), PARTS["are"]
    alike = {"girls": 6.0, "two": 6.0}
    return {
        "hand_p": math.exp(log_p(score)),
        "hand_log_p": number(log_p(score), ".4f"),
        "hand_left": number(log_p(left), ".4f"),
        "hand_slope": slope(score),
        "hand_slope_none": PARTS["girls"] * slope(0.0),
        "hand_slope_half": PARTS["girls"] * slope(score / 2),
        "hand_gradient": found["gradient × input"]["girls"],
        "hand_leaving": found["leaving out"]["girls"],
        "hand_ratio": found["leaving out"]["girls"] / found["gradient × input"]["girls"],
        "hand_integrated": found["integrated"]["girls"],
        "hand_whole": log_p(score) - log_p(0.0),
        "twice_one": of_log_p(alike)["leaving out"]["girls"],
        "twice_both": log_p(sum(alike.values())) - log_p(0.0),
        "twice_half": of_log_p(alike)["integrated"]["girls"],
    }
