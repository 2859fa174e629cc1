"""Checks for *How many subwords?*: a text cut by hand, counted pieces, losses made comparable, equal tokens or text.

The oracles are sums by hand and :func:`attention_book.studies.translator.vocabularies_by_size.piece_counts`.
"""

import math
from collections.abc import Mapping

from ...data.byte_pair_encoding import learn_merges, split_word
from ...studies.translator.vocabularies_by_size import piece_counts
from ..answers import each_answer
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, attempt, checking, expect_number

LOW_WORDS = {"low": 6, "lower": 2, "newer": 1}
"""The words of the first exercise, with how often each stands in the text."""
LOW_MERGES = learn_merges(LOW_WORDS, 4)
"""The first four merges of these words."""
_BY_HAND = {
    "a": (
        33,
        {
            13: "each word counts as often as it stands in the text",
            6: "asked are the letters of the whole text, not the different ones",
            9: "asked are pieces, and each letter is one; these are words",
        },
    ),
    "b": (
        17,
        {
            8: "each word counts as often as it stands in the text",
            12: "those are the pieces after four merges",
            25: "with l + o alone; the second merge joins lo and w",
        },
    ),
    "c": (
        12,
        {
            6: "each word counts as often as it stands in the text",
            17: "those are the pieces after two merges",
            9: "those are the words; *newer* is still in parts",
            14: "*lower* is one piece: the fourth merge joins low and er",
        },
    ),
    "d": (
        10,
        {
            6: "those are the letters; each merge adds a piece",
            4: "those are the pieces that merges made; the letters stay in the vocabulary",
            5: "a piece stays in the vocabulary, even if every text cuts past it",
        },
    ),
    "e": (
        4,
        {
            3: "look at *lo* as well: a merge made it, and the next merge always joins it to *w*",
            0: "letters stay in the vocabulary when all of their places are taken by longer pieces",
            6: "asked are those that do not stand in the text any more",
        },
    ),
}


@checking
def check_low_words(answers: object) -> Report:
    """Are these the lengths of the text with 0, 2 and 4 merges, the size of the vocabulary, and its unseen pieces?"""
    given = dict(each_answer(answers, _BY_HAND, "a number for each of", open_name="({})", put="a number"))
    expect_predictions(given, _BY_HAND, tolerance=1e-9)
    return Report(True, "The text gets shorter, the vocabulary longer, and some pieces were only steps on the way.")


_TEXTS = (
    ({"cats": 3, "cat": 1, "hats": 2, "hat": 1, "eats": 1, "eat": 2}, 4),
    (LOW_WORDS, 4),
    ({"aa": 2, "aaa": 5, "ba": 1}, 2),
    ({"on": 4, "noon": 2}, 0),
)


@checking
def check_piece_counts(candidate: object) -> Report:
    """Does ``candidate(counts, merges)`` give how often each piece of the vocabulary stands in the text?"""
    for counts, n in _TEXTS:
        merges = learn_merges(counts, n)
        got = attempt(candidate, dict(counts), list(merges))
        if not isinstance(got, Mapping) or not all(isinstance(piece, str) for piece in got):
            raise NotYet("Expected a dictionary from each piece, a text, to a number.")
        got = {piece: expect_number(count, f"the count of {piece!r}") for piece, count in got.items()}
        right = piece_counts(counts, merges)
        if got == right:
            continue
        once = piece_counts(dict.fromkeys(counts, 1), merges)
        twice = {piece: count for piece, count in once.items() if count}
        letters = {letter: right[letter] for letter in set("".join(counts))}
        made = {"".join(pair): right["".join(pair)] for pair in merges}
        held = {piece: sum(n * word.count(piece) for word, n in counts.items()) for piece in right}
        reason = recognise(
            got,
            {
                "Pieces that do not stand in the text are missing: they are in the vocabulary, with a count of 0.": {
                    piece: count for piece, count in right.items() if count
                },
                "Each word was counted once: it counts as often as it stands in the text.": once,
                "Each word was counted once, and pieces with a count of 0 are missing.": twice,
                "The letters are missing: they stay in the vocabulary.": made,
                "The pieces that merges made are missing.": letters,
                "A letter inside a longer piece is no piece of the text: cut the words first, then count.": held,
                "Those are the letters of the words before any merge.": piece_counts(counts, []),
                "The number of words was counted in which a piece stands: it may stand twice in a word.": {
                    piece: sum(n for word, n in counts.items() if piece in split_word(word, merges)) for piece in right
                },
            },
            lambda mine, wrong: mine == dict(wrong),
        )
        if reason is None and set(got) != set(right):
            more, fewer = sorted(set(got) - set(right)), sorted(set(right) - set(got))
            reason = f"It has {more[0]!r}, which is no piece." if more else f"It lacks the piece {fewer[0]!r}."
        if reason is None:
            piece = next(piece for piece in right if got[piece] != right[piece])
            reason = f"It counts {piece!r} {got[piece]:g} times and not {right[piece]} times."
        raise NotYet(f"With the words {counts} and {n} merges: {reason}")
    return Report(True, "Letters, steps on the way and whole words: each with its count, and 0 where nothing is left.")


MODELS = {
    "A": {"pieces": 500, "nats per piece": 1.2},
    "B": {"pieces": 250, "nats per piece": 2.2},
    "C": {"pieces": 200, "nats per piece": 2.9},
}
"""Three models of one text of `CHARACTERS`: into how many pieces each cuts it, and its mean loss."""
CHARACTERS = 1000


def _mistakes_of(pieces: int, loss: float) -> dict[float, str]:
    """Numbers that are not the bits per character, and what they are."""
    return {
        loss: "that is per piece, and in nats",
        loss / math.log(2): "that is in bits, but per piece; share all of them out over the characters",
        pieces * loss / CHARACTERS: "that is in nats; a nat is 1/log 2 bits",
        pieces * loss / CHARACTERS * math.log(2): "divide by log 2 to come from nats to bits",
        pieces * loss: "that is the surprise of the whole text, in nats",
        pieces * loss / math.log(2): "that is the surprise of the whole text; divide it by the characters",
        loss / pieces: "the loss is a mean already; multiply it by the pieces to have the sum",
        math.exp(loss): "that is a perplexity, per piece",
        CHARACTERS / pieces: "those are characters per piece; the loss has its part as well",
    }


_BITS = {
    name: (
        model["pieces"] * model["nats per piece"] / CHARACTERS / math.log(2),
        _mistakes_of(model["pieces"], model["nats per piece"]),
    )
    for name, model in MODELS.items()
}
_BEST = min(_BITS, key=lambda name: _BITS[name][0])


@checking
def check_bits(answers: object) -> Report:
    """Are these the bits per character of the three `MODELS`, and the one that predicts the text best?"""
    names = [*MODELS, "best"]
    given = dict(each_answer(answers, names, "an answer for each of", put="an answer"))
    expect_predictions(given, _BITS, tolerance=6e-3)
    best = given["best"]
    if not isinstance(best, str) or best not in MODELS:
        raise NotYet('`best` should be one of the letters "A", "B" and "C".')
    if best != _BEST:
        reasons = {
            min(MODELS, key=lambda name: MODELS[name]["nats per piece"]): "it has the least loss per piece, "
            "but by far the most pieces",
            min(MODELS, key=lambda name: MODELS[name]["pieces"]): "it has the fewest pieces, but each costs the most",
        }
        raise NotYet(f"{best} is not the best: {reasons[best]}. Compare the bits per character.")
    return Report(True, "Neither the least loss per piece nor the fewest pieces: the whole text decides.")


_EQUAL = {
    "a": (
        4,
        {
            2: "12 million tokens of 2 characters each are more text than 12 million characters",
            1: "count characters: a token has two of them",
            24: "those are the million characters that are read; how often is that the whole text?",
            6: "that is the model with 3 characters per piece",
            3: "that is the number of tokens of one pass, in millions",
        },
    ),
    "b": (
        6,
        {
            4: "that is the model with 2 characters per piece",
            36: "those are the million characters that are read; how often is that the whole text?",
            2: "that is the number of tokens of one pass, in millions",
        },
    ),
    "c": (
        18,
        {
            12: "with as many tokens it makes fewer passes",
            8: "the shorter pieces need more tokens for the same text, not fewer",
            36: "those are million characters; a token of this model has two of them",
            6: "that is how many more it needs, or how many passes; asked are all of its tokens",
        },
    ),
    "d": (
        4,
        {
            0.25: "asked is the small vocabulary's number over that of the large one",
            12000: "that is one of the two numbers; divide it by the other",
            3000: "that is one of the two numbers; divide it by the other",
            6: "both read the same number of tokens here; only the number of rows differs",
            1: "the tokens are equally many, the rows are not",
        },
    ),
}


@checking
def check_equal_text(answers: object) -> Report:
    """Are these the passes of both models, the millions of tokens for equal text, and the ratio of tokens per row?"""
    given = dict(each_answer(answers, _EQUAL, "a number for each of", open_name="({})", put="a number"))
    expect_predictions(given, _EQUAL, tolerance=1e-6)
    return Report(True, "Equal tokens are not equal text, and a row of a large table is seen less often.")
