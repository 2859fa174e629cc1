"""Checks for *Which words miss a head?*: what a mean hides, what a lot would do, and models against their mean."""

import math

from ..answers import from_list
from ..known_mistakes import expect_named_numbers
from ..report import NotYet, Report, checking, expect_array

_MEAN = {
    "models": (
        3.0,
        {
            60.0: "that is the share in per cent; how many of the five models give this mean?",
            0.6: "that is the share; how many of the five models give this mean?",
            2.0: "those are the models in which it links none",
        },
    ),
    "rise": (
        0.5,
        {
            0.32: "that is the mean over all five models",
            1.6 / 3: "that gives the other models a rise of 0; they have 0.05 each",
            0.59: "that is for two groups of the same size; here three models meet two",
            1.5: "that is the sum over the three models",
            1.55 / 3: "the five rises sum to 5 · 0.32; take away 0.05 for each of the *two* other models",
        },
    ),
    "part": (
        1.5 / 1.6,
        {
            93.75: "give a share between 0 and 1",
            1.5: "that is the sum of their rises; divide it by the sum of all five",
            0.5 / 1.6: "that is one of the three models",
            3 / 5: "that is their share of the models, not of the rises",
            0.1 / 1.6: "that is the share of the other two models",
        },
    ),
}

_LOT = {
    "exactly 4": (
        15 / 1024,
        {
            1 / 256: "that is four given models, whatever the fifth does; any of the five may be the one that fails",
            3 / 1024: "the model that fails can be any of the five",
            5 / 1024: "the fifth model has to fail, which happens with probability ¾",
            16 / 1024: "that is at least four: leave out the case of all five",
            1 / 1024: "that is all five",
            0.8: "that is the share that was seen; how probable is it if a lot picks the heads?",
        },
    ),
    "at least 4": (
        16 / 1024,
        {
            15 / 1024: "all five may be picked, too",
            1 / 1024: "that is all five; exactly four count as well",
        },
    ),
    "expected": (
        5 / 4,
        {
            1 / 4: "that is one model, and there are five",
            4.0: "that is what was seen; what would a lot find on average?",
            5 / 2: "each model has four heads, so a lot picks the right one in a quarter of the draws",
            20.0: "each of the five models adds the probability ¼",
        },
    ),
}


@checking
def check_mean(answers: object) -> Report:
    """Are these the models, the rise and the share of the exercise on a mean?"""
    expect_named_numbers(answers, _MEAN, tolerance=6e-3)
    return Report(True, "Three models carry the mean, and none of the five is like it.")


@checking
def check_lot(answers: object) -> Report:
    """Are these the chances of a lot that picks one of four heads in each of five models?"""
    expect_named_numbers(answers, _LOT, tolerance=4e-4)
    return Report(True, "A lot seldom does as well as four of five: about once in 64 draws.")


@checking
def check_against(right: object, rise: object) -> Report:
    """Do both of two models say that the words miss their better head, while the means say the opposite?

    Args:
        right: the share of right links, a row per model, a column per head.
        rise: by how much the loss rises without each head, in the same places.
    """
    tables = []
    for name, given in (("right", right), ("rise", rise)):
        got = from_list(given)
        tables.append(
            expect_array(got, (2, 2), "a row per model, a column per head", like=got, name=f"`{name}`").tolist()
        )
    links, rises = tables
    if not all(math.isfinite(one) for row in links + rises for one in row):
        raise NotYet("Every share and every rise is a finite number.")
    if any(not 0 <= share <= 1 for row in links for share in row):
        raise NotYet("A share of right links lies between 0 and 1.")
    for number, (shares, lost) in enumerate(zip(links, rises, strict=True)):
        if shares[0] == shares[1] or lost[0] == lost[1]:
            raise NotYet(f"In model {number} the two heads are equal in one of the tables: let them differ.")
        if (shares[0] > shares[1]) != (lost[0] > lost[1]):
            raise NotYet(f"In model {number} the words miss the head that links fewer of them.")
    more, costs = ([(table[0][head] + table[1][head]) / 2 for head in (0, 1)] for table in (links, rises))
    same = math.isclose(more[0], more[1], abs_tol=1e-12) or math.isclose(costs[0], costs[1], abs_tol=1e-12)
    if same or (more[0] > more[1]) == (costs[0] > costs[1]):
        told = f"right links {more[0]:.2f} and {more[1]:.2f}, rises {costs[0]:.2f} and {costs[1]:.2f}"
        raise NotYet(f"The means do not say the opposite yet: {told}.")
    return Report(True, "Each model says yes and the mean says no: neither head is the same head in both models.")
