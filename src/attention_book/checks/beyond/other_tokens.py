"""Checks for *What else fits into the stream*: what a pixel sees, dots, blind pixels, the next pixel, lengths."""

import math

from ..known_mistakes import predictions_check
from ..report import NotYet, Report, attempt, checking, expect_number

check_sees = predictions_check(
    {
        "tokens": (
            16,
            {
                15: "the row of pixel 7 sees itself, too",
                17: "pixel 8 is still to come: the row that predicts it is that of pixel 7",
                14: "count `</s>` and `<s>`, and the row itself",
                10: "the words of the caption come first, and each pixel sees them all",
                26: "the pixels after 8 are hidden",
                7: "the row sees pixels 0 to 7, too",
                8: "the row sees the words, the two marks and the pixels 0 to 7: a part is missing",
                9: "the words of the caption come first, and each pixel sees them all",
            },
        ),
        "above": (
            6,
            {
                1: "one token back is the left neighbour",
                4: "these pictures have rows of six pixels",
                7: "that is the pixel above and to the left",
                5: "that is the pixel above and to the right",
            },
        ),
        "neighbour": (
            11,
            {
                6: "that is the pixel above",
                12: "that is the pixel itself",
                13: "that one comes after it",
                18: "there are 18 pixels, and the first is pixel 0",
            },
        ),
    },
    0.5,
    "Are these the tokens that the row sees, the way back to the pixel above, and the pixel before pixel 12?",
    "In the stream pixels 11 and 12 are neighbours. In the picture they are on opposite sides.",
)

check_dot = predictions_check(
    {
        "third": (
            1 / 3,
            {
                1 / 5: "two of the five pixels are known to be empty",
                1 / 4: "two of the five pixels are known to be empty, not one",
                1 / 2: "three pixels are left, this one included",
                2 / 3: "that is the probability that it stays empty",
            },
        ),
        "picture": (
            1 / 5,
            {
                1 / 3: "multiply with the probabilities that the first two stay empty, 4/5 and 3/4",
                1 / 60: "the first two pixels stay empty: take 4/5 and 3/4",
                1 / 4: "the side has five pixels",
                1 / 25: "the dot is at the left, so only five of the 25 pixels are open",
            },
        ),
    },
    5e-3,
    "Are these the probability at the third pixel of five, and that of the whole picture?",
    "4/5 · 3/4 · 1/3, and then 1 for each pixel that follows.",
)

check_blind = predictions_check(
    {
        "right": (
            27 / 64,
            {
                27 / 256: "that is the dot in one of the four places; add up all four",
                1 / 4: "three of the four pixels have to stay empty, too",
                1.0: "nothing keeps a second pixel from being coloured, or all four from staying empty",
                37 / 64: "that is how often it is wrong",
                175 / 256: "that is how often at least one pixel is coloured, two or more included",
            },
        ),
        "blank": (
            81 / 256,
            {
                0.0: "no pixel sees that the others stayed empty",
                3 / 4: "that is one pixel; all four have to stay empty",
                1 / 256: "that is how often all four are coloured",
                37 / 64: "in this number are the pictures with two dots or more",
            },
        ),
        "bar": (
            1.0,
            {
                1 / 256: "after this caption each of the four pixels is coloured with probability 1",
                27 / 64: "this caption leaves no pixel open",
                81 / 256: "this caption leaves no pixel open",
            },
        ),
    },
    5e-3,
    "Are these the shares of right and blank pictures of a dot, and of right ones of a bar, if no pixel sees another?",
    "Seeing the earlier pixels helps only where the caption leaves something open. There it is everything.",
)

check_lengths = predictions_check(
    {
        "stream": (
            1280,
            {
                1024: "add the text",
                288: "the grid has 32 · 32 cells",
                320: "add 32 · 32, not 64",
                1282: "count text and codes only",
            },
        ),
        "pixels": (65536, {256: "256 rows and 256 columns", 196608: "one token per pixel, not three"}),
        "cells": (
            4096,
            {
                64: "that is how many times as many tokens; the table has a row and a column for each",
                128: "the length goes 64 times as far both ways: multiply",
                8192: "that is the number of different tokens",
            },
        ),
    },
    0.5,
    "Are these the tokens of text and grid, the pixels, and how many times as many cells their table has?",
    "This is why pixels become coarser tokens first.",
)


_DOTS = ["R...............", "....R...........", "........R.......", "............R..."]
_MIXED = ["RG..", "RBG.", "R.G.", ".BB.", ".B.B", "R..G"]
_HALF_DRAWN = (
    *((_MIXED, drawn) for drawn in ("R", ".B", "", "RB", "R.")),
    *((_DOTS, "." * pixels) for pixels in (0, 3, 4, 8, 12)),
    (_DOTS, "....R..."),
    (_DOTS[:1], ""),
)
"""Every picture that is allowed, and the pixels that are drawn."""


@checking
def check_chance(candidate: object) -> Report:
    """Does ``candidate(pictures, drawn)`` give the probability that the next pixel is coloured?"""
    for pictures, drawn in _HALF_DRAWN:
        got = expect_number(attempt(candidate, list(pictures), drawn))
        following = [picture[len(drawn)] for picture in pictures if picture.startswith(drawn)]
        coloured, left = sum(pixel != "." for pixel in following), len(following)
        if math.isclose(got, coloured / left, abs_tol=1e-6):
            continue
        known = [
            (coloured, "divide by the number of pictures that are still possible"),
            (1 - coloured / left, "this is the probability that it stays empty"),
            (coloured / len(pictures), "of all pictures, count only those that are still possible"),
            (
                sum(picture[len(drawn)] != "." for picture in pictures) / len(pictures),
                "the pictures that begin in another way are no longer possible",
            ),
            (following.count("R") / left, "every colour counts, and not only red"),
            (
                sum(picture[len(drawn) - 1] != "." for picture in pictures if picture.startswith(drawn)) / left,
                "this is the pixel drawn last, and not the next one",
            ),
        ]
        for wrong, reason in known:
            if math.isclose(got, wrong, abs_tol=1e-6):
                raise NotYet(f"With {drawn!r} drawn of {pictures}, {reason}.")
        raise NotYet(f"With {drawn!r} drawn of {pictures}, the probability is not {got:.4g}.")
    return Report(True, "A model that has learned everything gives these numbers: it has only to count.")
