"""Checks for *Log-linear models*: slopes, the shares of a context, and other points with the same shares."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from ...attention.probability import softmax
from ..known_mistakes import diagnose, expect_predictions
from ..report import NotYet, Report, agrees, attempt, checking, expect_array

# Slopes of the log-linear model's loss on the three sentences, times 12: the value, and what other values come from.
_SLOPES = {
    "a": (-5 / 7, {5 / 7: "expected minus seen: the sign is the other way round",
                   6 / 7: "*like* came once after *cats*: subtract that",
                   -12 / 7: "*like* comes after *cats* once; the other time the sentence ends",
                   -5 / 84: "that is divided by 12: the twelvefold is asked for",
                   2 / 7: "expected is 2/7; *like* came once, so subtract 1",
                   -6 / 7: "the row of *cats* takes part in two predictions, not in one"}),
    "b": (-11 / 7, {11 / 7: "expected minus seen: the sign is the other way round",
                    -4 / 7: "*I* begins two of the three sentences: subtract 2",
                    3 / 7: "expected is 3/7; *I* came twice, so subtract 2",
                    -13 / 7: "the row of `<s>` takes part in three predictions, one per sentence",
                    -11 / 84: "that is divided by 12: the twelvefold is asked for"}),
    "c": (3 / 7, {0.0: "*dogs* never came there, but the model expects it: p is 1/7 each time",
                  1 / 7: "that is one prediction; the row of `<s>` takes part in three",
                  -4 / 7: "no sentence begins with *dogs*: nothing is subtracted",
                  -3 / 7: "expected minus seen: the sign is the other way round",
                  3 / 84: "that is divided by 12: the twelvefold is asked for"}),
    "d": (-9 / 7, {9 / 7: "expected minus seen: the sign is the other way round",
                   -9 / 84: "that is divided by 12: the twelvefold is asked for",
                   -18 / 7: "b takes part in all 12 predictions, each of which expects *like* with 1/7",
                   12 / 7: "expected is 12/7; *like* came three times, so subtract 3",
                   -20 / 7: "b takes part in all 12 predictions, not in one"}),
}  # fmt: skip


@checking
def check_slopes(predictions: object) -> Report:
    """Are the four slopes right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _SLOPES, 1e-4)
    return Report(True, "-5/7, -11/7, 3/7 and -9/7: what the model expects minus what came.")


@checking
def check_shares_of(candidate: object) -> Report:
    """Does ``candidate(features, points, bias)`` add the rows of a context's features and make shares of the sum?"""
    draws = np.random.default_rng(0)
    points = {name: draws.normal(size=4) for name in ("a", "b", "c", "d")}
    bias = draws.normal(size=4)
    for features in (["a"], ["a", "c"], ["b", "new", "d"], [], ["a", "b", "c", "d"]):
        got = attempt(candidate, features, points, bias)
        if isinstance(got, (list, tuple)):
            got = np.asarray(got)
        got = expect_array(got, (4,), "one share per word", like=bias, name="the shares")
        rows = [points[name] for name in features if name in points]
        right = softmax(bias + np.sum(rows, axis=0)) if rows else softmax(bias)
        if agrees(got, right):
            continue
        total = np.sum(rows, axis=0) if rows else np.zeros(4)
        mistakes = {
            "The row b is missing: it takes part in every context.": softmax(total),
            "Those are the points: softmax makes shares of them.": bias + total,
            "The exponentials still have to be divided by their sum.": np.exp(bias + total),
            "Add the rows first and take one softmax: a mean of softmaxes is something else.": np.mean(
                [softmax(row) for row in (bias, *rows)], axis=0
            ),
            "The rows are added, not averaged.": softmax(np.mean([bias, *rows], axis=0)),
            "b takes part once, not once for each feature.": softmax(len(rows) * bias + total),
            "Points are divided by their sum there; softmax takes exponentials first.": (bias + total)
            / (bias + total).sum(),
        }
        told = f"For a context with {len(features)} features: "
        try:
            diagnose(got, right, mistakes)
        except NotYet as fault:
            raise NotYet(told + str(fault)) from None
    return Report(True, "Right for five contexts, one of them with no feature, one with a feature never trained.")


CONTEXTS = tuple(
    (f"before: {word}", f"ends in: {word[-2:]}") for word in ("gatos", "perros", "libros", "casas", "mesas")
)
"""The features of the five contexts of the exercise."""
WORDS = ("negros", "negras")
"""The words that its points are for."""


def printed_points() -> dict[str, np.ndarray]:
    """The points of the exercise: the ending gives them, and the word before gives almost none."""
    points = {before: np.zeros(2) for before, _ in CONTEXTS}
    points["before: gatos"] = np.array([math.log(2), 0.0])
    points["ends in: os"] = np.array([math.log(6), 0.0])
    points["ends in: as"] = np.array([0.0, math.log(6)])
    return points


def _shares(points: Mapping[str, np.ndarray], features: Iterable[str]) -> np.ndarray:
    return softmax(np.sum([points[name] for name in features], axis=0))


@checking
def check_same_shares(candidate: object) -> Report:
    """Does ``candidate(points, contexts)`` give points that favour *negras* after *-os* and change no share?"""
    other = {name: np.random.default_rng(len(name)).normal(size=2) for name in printed_points()}
    other["ends in: os"] = np.array([2.5, -1.0])
    for points in (printed_points(), other):
        got = attempt(candidate, points, CONTEXTS)
        if not isinstance(got, Mapping):
            raise NotYet("Expected a dictionary of rows, with the names that `points` has.")
        if missing := sorted(points.keys() - got.keys()):
            raise NotYet(f"There is no row of {missing[0]!r}.")
        rows = {
            name: expect_array(
                np.asarray(got[name]) if isinstance(got[name], (list, tuple)) else got[name],
                (2,),
                "one number per word",
                like=points[name],
                name=f"the row of {name!r}",
            )
            for name in points
        }
        ending = rows["ends in: os"]
        if not ending[1] > ending[0] + 1e-9:
            shifted = agrees(ending - ending[0], points["ends in: os"] - points["ends in: os"][0])
            why = " The same number was added to both; what tells the two words apart is their difference."
            raise NotYet(f"The row of -os still favours *negros*, or neither word.{why if shifted else ''}")
        for features in CONTEXTS:
            before, after = _shares(points, features), _shares(rows, features)
            if not agrees(after, before):
                kept = all(agrees(rows[name], points[name]) for name in points if name != "ends in: os")
                why = " The rows of the words before have to give back what the ending's row lost." if kept else ""
                told = f"{features[0]!r}, P(negros) was {before[0]:.3f} and is {after[0]:.3f}."
                raise NotYet(f"With {told}{why}")
    return Report(True, "The row of -os favours *negras* now, and the model says what it said before.")
