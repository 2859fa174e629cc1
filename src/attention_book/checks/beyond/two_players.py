"""Checks for *Drawing against a judge*: one round by hand, what follows from the two losses, both players at once."""

import math

import numpy as np
import torch

from ...studies.beyond.two_players import generators_step, judges_step, sigmoid
from ..answers import statements_check
from ..known_mistakes import predictions_check
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts

START, RATE = (0.0, 2.0), 1.0
"""The judge's number and the generator's at the start of the round by hand, and the learning rate."""
_W = judges_step(*START, RATE)

check_round = predictions_check(
    {
        "w": (
            _W,
            {
                1.0: "the judge's loss falls against its derivative: minus the rate times σ(w g) g",
                0.0: "w g is 0, but σ(0) is 1/2, so the derivative is not 0",
                -2.0: "σ(0) is 1/2, and not 1",
                -0.5: "the derivative with respect to w is σ(w g) g, and g is 2",
            },
        ),
        "g": (
            generators_step(_W, START[1], RATE),
            {
                2.0: "the generator sees the judge's new number, which is no longer 0",
                2 + sigmoid(-2.0): "w is below 0, so the judge finds small numbers real: g falls",
                1.0: "σ(w g) is σ(−2), and not 1",
                1.5: "w g is −2 after the judge's step, so σ(w g) is not 1/2",
                2 - sigmoid(2.0): "w g is −2, and not 2",
            },
        ),
    },
    1e-3,
    "Are these the judge's number after its step, and the generator's after the step that follows?",
    "The judge turned round, and the generator follows: the circle begins.",
)


@checking
def check_at_once(candidate: object) -> Report:
    """Does ``candidate(w, g, rate)`` give both numbers after a step of both, neither of which sees the other's?"""
    for w, g, rate in ((1.0, 1.0, 0.5), (0.3, -0.7, 0.1), (-2.0, 0.5, 1.0)):
        got = attempt(candidate, w, g, rate)
        is_row = isinstance(got, (np.ndarray, torch.Tensor)) and got.ndim == 1
        parts = expect_parts(tuple(got) if is_row else got, ("w", "g"))
        got = tuple(expect_number(part, name) for part, name in zip(parts, ("w", "g"), strict=True))
        new_w, new_g = judges_step(w, g, rate), generators_step(w, g, rate)
        known = [
            (
                (new_w, generators_step(new_w, g, rate)),
                "the generator sees the judge's new number; give it the old one",
            ),
            ((judges_step(w, new_g, rate), new_g), "the judge sees the generator's new number; give it the old one"),
            ((new_g, new_w), "return w first, then g"),
            ((w, g), "nothing has moved"),
        ]
        near = lambda one, other: all(map(lambda a, b: math.isclose(a, b, abs_tol=1e-6), one, other))  # noqa: E731
        if near(got, (new_w, new_g)):
            continue
        for wrong, reason in known:
            if near(got, wrong):
                raise NotYet(f"From w = {w} and g = {g}, {reason}.")
        raise NotYet(f"From w = {w} and g = {g} with rate {rate}, (w, g) is not {got}.")
    return Report(True, "Now repeat it: what does w² + g² do from round to round?")


_FOLLOWS = {
    "a": (True, "the generator's derivative is −σ(w g) w, which is 0 if w is 0"),
    "b": (True, "the judge's derivative is σ(w g) g, which is 0 if g is 0"),
    "c": (False, "a place where both would stand still need not be one that they ever come to"),
    "d": (False, "its loss depends on the judge, too: a bad judge makes bad pictures look good"),
    "e": (False, "the judge may have learned to see a fault that was there before"),
}


check_judge_follows = statements_check(
    _FOLLOWS,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to e, that they follow?",
    "A loss against an opponent measures both of them.",
)
