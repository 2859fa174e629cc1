"""Checks for *When to stop*: the rule, what two rules keep of one training, and what follows from a stop."""

from ...readers.verdict.learning_curve import stop
from ..answers import statements_check
from ..known_mistakes import predictions_check, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts

LOSSES = (6.1, 5.2, 5.0, 5.3, 5.6, 5.8, 5.7, 5.7, 5.6, 5.6)
SCORES = (8, 13, 17, 16, 20, 19, 22, 21, 20, 23)
"""The loss and the chrF of ten validations of one training, made up."""

check_moments = predictions_check(
    {
        "last_by_loss": (
            5,
            {
                3: "that one has the lowest loss; only the two after it show that the loss does not come back",
                4: "one validation without a lower loss is within the patience of 2",
                10: "the loss has not been lower for two validations long before the end",
                2: "the loss goes on falling after it",
            },
        ),
        "kept_by_loss": (
            17,
            {
                20: "the weights of the lowest loss are kept, and not those of the last validation",
                5.0: "that is the loss; give the chrF of the same validation",
                23: "the rule looks at the loss alone, and never gets so far",
                22: "the rule looks at the loss alone, and never gets so far",
            },
        ),
        "kept_by_score": (
            22,
            {
                23: "training has stopped before that validation, because two in a row were not better than the best",
                20: "the weights of the best validation are kept, and not those of the last one",
                17: "one worse validation is within the patience of 2, so training goes on",
            },
        ),
        "kept_by_score_1": (
            17,
            {
                16: "the weights of the best validation are kept, and not those of the last one",
                20: "with a patience of 1, the first validation that is no better ends the training",
                22: "with a patience of 1, the first validation that is no better ends the training",
                23: "with a patience of 1, the first validation that is no better ends the training",
            },
        ),
    },
    1e-3,
    "Are these the last validation by the loss, and the chrF kept by the loss, by chrF, and with less patience?",
    "One training, three rules, two different translators: the rule is part of the recipe.",
)


def _equal_counts(scores: list[float], patience: int) -> tuple[int, int]:
    best = 0
    for place, score in enumerate(scores):
        best = place if score >= scores[best] else best
        if place - best == patience:
            return best, place
    return best, len(scores) - 1


def _falls_in_a_row(scores: list[float], patience: int) -> tuple[int, int]:
    falls = 0
    for place in range(1, len(scores)):
        falls = falls + 1 if scores[place] < scores[place - 1] else 0
        if falls == patience:
            return scores.index(max(scores[: place + 1])), place
    return scores.index(max(scores)), len(scores) - 1


_CURVES = (
    ([3.0, 2.0, 2.5, 2.6, 1.0, 0.5, 0.2, 4.0], 3),
    ([2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 7.0], 3),
    ([1.0, 3.0, 2.0, 2.5, 2.9, 9.0], 3),
    ([5.0, 4.0, 3.0, 2.0, 1.0], 2),
    ([1.0, 2.0, 3.0, 4.0], 2),
    ([2.0, 1.0, 3.0, 1.0, 4.0, 1.0, 1.0, 8.0], 2),
    ([4.0], 1),
)


@checking
def check_stop(candidate: object) -> Report:
    """Does ``candidate(scores, patience)`` return which validation was best, and after which training stops?"""
    for scores, patience in _CURVES:
        best, last = stop(scores, patience)
        got = expect_parts(attempt(candidate, list(scores), patience), ("best", "last"))
        mine = tuple(int(expect_number(value, name)) for value, name in zip(got, ("best", "last"), strict=True))
        if mine == (best, last):
            continue
        mistakes = [
            ((best + 1, last + 1), "Count from 0."),
            ((last, last), "The weights of the best validation are kept, and not those of the end."),
            ((scores.index(max(scores)), last), "A validation after the stop is never seen."),
            (stop(scores, patience + 1), "That is one validation too late."),
            (stop(scores, max(1, patience - 1)), "That is one validation too early."),
            (_equal_counts(scores, patience), "A score that only equals the best one has not risen."),
            (_falls_in_a_row(scores, patience), "Count the validations since the best one, and not falls in a row."),
            ((scores.index(max(scores)), len(scores) - 1), "A validation after the stop is never seen."),
        ]
        reason = recognise(mine, mistakes, lambda one, other: one == other) or ""
        told = f"For {scores} and patience {patience} it gives {mine} and not {(best, last)}. {reason}"
        raise NotYet(told.rstrip())
    return Report(True, "Right for seven curves: what comes after the stop is never seen.")


_FOLLOWS = {
    "a": (False, "the loss also rises when a model grows too sure, and that need not change a translation"),
    "b": (False, "the best of many validations is partly the luckiest, so new sentences will on average score lower"),
    "c": (False, "patience counts validations, and twice as many of them pass in the same time"),
    "d": (True, "patience decides only when to stop, and nothing before that"),
    "e": (True, "the longer training sees all that the shorter one saw, and keeps the best of more validations"),
    "f": (True, "the score was still rising when the budget ended"),
}


check_stop_follows = statements_check(
    _FOLLOWS,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to f, that they follow?",
    "A rule to stop can only choose among what it has seen, by what it looks at.",
)
