"""Checks for *What else fits into the stream*: what a pixel sees, dots, blind pixels, streams, lengths."""

import numpy as np

from ..known_mistakes import predictions_check
from ..report import NotYet, Report, attempt, checking

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


@checking
def check_stream(candidate: object) -> Report:
    """Does ``candidate(words, rows)`` write a caption and the rows of a picture as one list of tokens?"""
    wide, high = ["RG......B", "..B......"], ["R.", ".G", "BB"]
    for words, rows in ((["a", "dot"], ["R.", ".."]), (["b"], ["R.G", "...", "B.."]), (["c"], wide), ([], high)):
        got = attempt(candidate, list(words), list(rows))
        if isinstance(got, np.ndarray):
            got = got.tolist()
        if not isinstance(got, (list, tuple)):
            raise NotYet("Return a list of tokens, one per word and one per pixel.")
        got, pixels = list(got), [pixel for row in rows for pixel in row]
        by_column = [row[column] for column in range(len(rows[0])) for row in rows]
        by_square = [pixel for row in rows for pixel in row[: len(rows)]]
        if got == [*words, "</s>", "<s>", *pixels]:
            continue
        known = [
            ([*words, "</s>", "<s>", *rows], "each pixel is a token of its own, not each row"),
            ([*words, "</s>", "<s>", "".join(rows)], "each pixel is a token of its own, not the whole picture"),
            ([words, "</s>", "<s>", pixels], "give one flat list, not lists inside a list"),
            ([*words, "</s>", "<s>", pixels], "give one flat list, not lists inside a list"),
            ([*words, "</s>", "<s>", *by_square], "a picture may have more columns than rows"),
            ([*words, "</s>", "<s>", *by_column], "the pixels go row by row, not column by column"),
            ([*words, *pixels], "`</s>` and `<s>` stand between the caption and the picture"),
            ([*words, "<s>", "</s>", *pixels], "`</s>` ends the caption, then `<s>` starts the picture"),
            ([*words, "<s>", *pixels], "the caption ends with `</s>`"),
            ([*words, "</s>", *pixels], "the picture starts with `<s>`"),
            ([*pixels, "</s>", "<s>", *words], "the caption comes first, so that every pixel sees it"),
            ([*words, "</s>", "<s>", *pixels, "</s>"], "the picture needs no end: its length is known"),
        ]
        for wrong, reason in known:
            if got == wrong:
                raise NotYet(f"For the words {words} and the rows {rows}, {reason}.")
        raise NotYet(f"For the words {words} and the rows {rows}, the stream is not {got}.")
    return Report(True, "A picture is a text whose words are pixels.")
