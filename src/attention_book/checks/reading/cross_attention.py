"""Checks for *Reading cross-attention* and *Links in real sentences*.

Links and error rates by hand, rows read too late, rows of a word, weights of words.
"""

import math
from operator import eq

import numpy as np
import torch
from torch import Tensor

from ...attention.probability import softmax
from ...experiments.link_study import READINGS, word_weights
from ..answers import each_answer, from_list
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_named_numbers, near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

SOURCE, TARGET = ("She", "lost", "her", "keys"), ("Perdió", "las", "llaves")
SURE, POSSIBLE = {(1, 0), (3, 2)}, {(0, 0), (2, 1), (3, 1)}


def small_weights() -> Tensor:
    """Made-up weights over *She lost her keys* and ``</s>``; the rows read ``<s>``, *Perdió*, *las*, *llaves*."""
    return torch.tensor(
        [
            [0.2, 0.5, 0.1, 0.1, 0.1],
            [0.1, 0.0, 0.2, 0.7, 0.0],
            [0.6, 0.1, 0.1, 0.2, 0.0],
            [0.0, 0.1, 0.0, 0.1, 0.8],
        ],
        dtype=torch.float64,
    )


_HAND = {
    "precision": (
        2 / 3,
        {
            1 / 3: "a possible link is no error of precision: *las* may go with *keys*",
            1.0: "the row of *las*, read when *llaves* is to be written, looks at *She*",
            0.0: "each row belongs to the word that is written next: the first to *Perdió*",
            1 / 2: "only three words are written before `</s>`, so there are three links",
        },
    ),
    "recall": (
        1 / 2,
        {
            1.0: "the sure link of *llaves* was not found",
            2 / 5: "recall counts sure links alone, and there are two of them",
            2 / 3: "recall is a share of the sure links, and there are two of them",
            0.0: "the sure link of *Perdió* was found",
        },
    ),
    "AER": (
        2 / 5,
        {
            3 / 5: "that is (1 + 2)/(3 + 2), still to be taken from 1, or a possible link was counted as wrong",
            5 / 8: "|S| counts the sure links alone: it is 2",
            1.0: "each row belongs to the word that is written next: the first to *Perdió*",
            1 / 2: "A has three links and S two: divide by 5",
            5 / 12: "precision and recall are not averaged: add up the links, then divide",
            3 / 7: "that is 1 less the harmonic mean of precision and recall; the AER adds up links",
        },
    ),
}


@checking
def check_by_hand(answers: object) -> Report:
    """Are these the precision, the recall and the AER of the links that `small_weights` makes?"""
    wanted = "a number for each of"
    for name, answer in each_answer(answers, _HAND, wanted, open_name="The {}", put="a number"):
        got, (right, mistakes) = expect_number(answer, f"the {name}"), _HAND[name]
        if not math.isclose(got, right, abs_tol=6e-3):
            hint = recognise(got, mistakes, near(abs_tol=6e-3))
            raise NotYet(f"The {name} is not {got:g}" + (f": {hint}." if hint else "."))
    return Report(True, "One link is sure, one possible and one wrong: the AER counts the sure one twice.")


@checking
def check_links(candidate: object) -> Report:
    """Does ``candidate(weights)`` give the link of each target word, from 1, or None where it looks at ``</s>``?"""
    normal = Normal(5)
    made_up = [softmax(3 * normal(rows, columns)).tolist() for rows, columns in ((4, 4), (6, 3), (3, 7))]
    for weights in ([[0.1, 0.9], [0.6, 0.4], [0.2, 0.8]], small_weights().tolist(), *made_up):
        got = attempt(candidate, weights)
        if not isinstance(got, (list, tuple, np.ndarray, Tensor)) or getattr(got, "ndim", 1) != 1:
            raise NotYet(f"Return a list with a number or None for each target word, not {type(got).__name__}.")
        got = [None if one is None else int(expect_number(one, "each link")) for one in got]
        end = len(weights[0])
        column = [row.index(max(row)) + 1 for row in weights]  # counted from 1, with `</s>`
        right = [None if i == end else i for i in column[:-1]]
        if got == right:
            continue
        late = [None if i == end else i for i in column[1:]]
        mistakes = [
            (late, "These rows are read one step late: the first word is written by row 0."),
            ([i - 1 for i in column[:-1]], "Columns are numbered from 1, and a word that looks at `</s>` has no link."),
            ([None if i is None else i - 1 for i in right], "Here they are numbered from 0: count from 1."),
            (column[:-1], "The last column is `</s>`: a word that looks there has no link, so its entry is None."),
            ([None if i == end else i for i in column], "The last row writes `</s>`: it belongs to no word."),
            (column, "The last row belongs to no word, and the last column, `</s>`, is no word."),
            ([i for i in right if i is not None], "Keep the places of words without a link: put None there."),
        ]
        hint = recognise(got, [(wrong, reason) for wrong, reason in mistakes if wrong != right], eq)
        raise NotYet(hint or f"Of {len(weights)} rows with {end} columns it makes {got}; it should be {right}.")
    return Report(True, "A word has the row before it, and a row that looks at `</s>` links nothing.")


@checking
def check_precise(answers: object) -> Report:
    """Do these counts, with all true links sure, have the precision 1 and an AER above ½?"""
    names = ("proposed", "right", "true links")
    given = [
        expect_number(answer, f"“{name}”")
        for name, answer in each_answer(answers, names, "a count for each of", open_name="“{}”", put="a count")
    ]
    if any(one != int(one) or one < 0 for one in given):
        raise NotYet("Counts are whole numbers, and none is below 0.")
    proposed, right, true = map(int, given)
    if not proposed:
        raise NotYet("Without a proposed link there is no precision: propose one at least.")
    if right > min(proposed, true):
        raise NotYet("A link that is right was proposed, and it is a true link: `right` is at most either of them.")
    if right < proposed:
        raise NotYet(f"The precision is {right}/{proposed}, and it should be 1: every proposed link is right.")
    rate = 1 - 2 * right / (proposed + true)
    if rate <= 0.5:
        raise NotYet(f"The AER is 1 − 2 · {right}/({proposed} + {true}) = {rate:.2f}, not above ½: miss more links.")
    return Report(True, f"Nothing proposed is wrong, and {true - right} of {true} links are left out: AER {rate:.2f}.")


def dog_weights() -> Tensor:
    """Made-up weights over *The dog sleeps* and ``</s>``; the rows read ``<s>``, *El*, *perro*, *duerme*."""
    rows = [[0.6, 0.2, 0.1, 0.1], [0.2, 0.5, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2], [0.1, 0.1, 0.2, 0.6]]
    return torch.tensor(rows, dtype=torch.float64)


_LATE = {
    "AER": (
        1 / 3,
        {
            2 / 3: "that is the part to be taken from 1",
            3 / 5: "that is the reading one step late: the row at `<s>` is that of *El*",
            3 / 7: "the row at *duerme* writes `</s>`: it belongs to no word, and it proposes nothing",
            0.0: "*duerme* is written by the row at *perro*, and this row looks at *dog*",
            1 / 2: "three links are proposed and three are true: divide by 6",
        },
    ),
    "AER, one step late": (
        3 / 5,
        {
            2 / 5: "that is the part to be taken from 1",
            2 / 3: "the row at *duerme* looks at `</s>`, which is no link: only two links are proposed",
            1 / 3: "that is the right reading; here the row at *El* is taken for that of *El*",
            1.0: "*perro* is linked rightly even so: its own row looks at *dog*, too",
        },
    ),
}


@checking
def check_late(answers: object) -> Report:
    """Are these the AER of `dog_weights` in the right reading, and of rows that are read one step late?"""
    expect_named_numbers(answers, _LATE, tolerance=6e-3)
    return Report(True, "The weights are the same, and read one step late they link worse.")


_GOLD = 4
_COUNTED = ("links", "sure", "possible")


@checking
def check_possible(A: object, B: object) -> Report:
    """Is the AER of A the lower one, and that of B if possible links are counted as wrong?

    Args:
        A, B: of each head, how many ``links`` it proposes, how many of them are ``sure``, how many ``possible``.
    """
    counts = {}
    for head, given in (("A", A), ("B", B)):
        answers = each_answer(given, _COUNTED, f"for head {head} a count for each of", open_name="“{}”", put="a count")
        each = {name: expect_number(answer, f"“{name}” of head {head}") for name, answer in answers}
        if any(one != int(one) or one < 0 for one in each.values()):
            raise NotYet(f"Head {head}: counts are whole numbers, and none is below 0.")
        if each["sure"] > _GOLD:
            raise NotYet(f"Head {head}: there are only {_GOLD} sure links to be found.")
        if not each["sure"] <= each["possible"] <= each["links"]:
            raise NotYet(f"Head {head}: a sure link is possible, too, and a possible one is counted among the links.")
        counts[head] = each
    loose, strict = (
        [1 - (one["sure"] + one[right]) / (one["links"] + _GOLD) for one in counts.values()]
        for right in ("possible", "sure")
    )
    if loose[0] >= loose[1]:
        raise NotYet(f"A has the AER {loose[0]:.2f} and B {loose[1]:.2f}: A should have the lower one.")
    if strict[1] >= strict[0]:
        raise NotYet(f"If only sure links are right, A has {strict[0]:.2f} and B {strict[1]:.2f}: B should be lower.")
    return Report(True, "The same links, and another winner: it depends on what the person who marked them calls sure.")


PIECES = ("▁Los", "▁par", "agu", "as", "▁rojos", ".")
_ROWS = {"Los": {0}, "paraguas": {1, 2, 3}, "rojos": {4}, ".": {5}}


@checking
def check_rows(answers: object) -> Report:
    """Are these the rows of weights, from 0, in which each word of *Los paraguas rojos.* is still to be written?"""
    for word, answer in each_answer(answers, _ROWS, "a list of rows for each of", put="a list of rows"):
        try:
            rows = list(answer)
            got = {int(row) for row in rows}
            whole = all(row == int(row) for row in rows)
        except (TypeError, ValueError, RuntimeError, OverflowError) as error:
            raise NotYet(f"Give a list of row numbers for {word}, such as [0, 1].") from error
        right = _ROWS[word]
        if got == right and whole:
            continue
        late = {row + 1 for row in right}
        if got == late:
            raise NotYet(f"{word}: these rows are made after its pieces were read. Row 0, at `<s>`, writes `Los`.")
        if word == "paraguas" and len(got) == 1:
            raise NotYet("paraguas: it has three pieces, and each of them is written by a row of its own.")
        if len(got) > len(right):
            raise NotYet(f"{word}: {len(right)} piece{'s' if len(right) > 1 else ''}, so as many rows.")
        if any(row < 0 or row > len(PIECES) for row in got):
            raise NotYet(f"{word}: there are only the rows 0 to {len(PIECES)}; the last one writes `</s>`.")
        raise NotYet(f"{word}: count the rows at `<s>`, `Los`, `par`, … from 0; each writes the piece that comes next.")
    return Report(True, "A row belongs to the piece that comes next, and a word to the rows of all its pieces.")


@checking
def check_word_weights(candidate: object) -> Report:
    """Does ``candidate(weights, source, target)`` give the weights between words, each for the word to come?

    A column for each word of the source and one for ``</s>``: the sum over the word's pieces. A row for each word of
    the target: the mean over its pieces.
    """
    normal = Normal(3)
    for source, target in (([0, 1, 1, 2], [0, 0, 1]), ([0, 0, 0], [0]), ([0, 1, 2, 2, 2, 3], [0, 1, 1, 1, 2, 3, 3])):
        weights = softmax(2 * normal(len(target) + 1, len(source) + 1))
        right = word_weights(weights, source, target, READINGS[0])
        got = from_list(attempt(candidate, weights, source, target))
        got = expect_array(got, tuple(right.shape), "a row per word, a column per word and `</s>`", like=got)
        if agrees(got, right):
            continue
        late = word_weights(weights, source, target, READINGS[1])
        n_source, n_target = source[-1] + 1, target[-1] + 1
        rows = weights[:-1]
        sides = torch.tensor([*source, n_source])
        columns = torch.stack([rows[:, sides == i].mean(dim=1) for i in range(n_source + 1)], dim=1)
        words = torch.tensor(target)
        averaged = torch.stack([columns[words == j].mean(dim=0) for j in range(n_target)])
        summed = right * torch.bincount(words)[:, None]
        first = torch.stack([(rows @ _sums(source))[words == j][0] for j in range(n_target)])
        largest = torch.stack([(rows @ _sums(source))[words == j].amax(dim=0) for j in range(n_target)])
        diagnose(
            got,
            right,
            [
                ("These rows belong to the word that was just read: row 0, at `<s>`, writes the first word.", late),
                ("The columns of a word are averaged. Its pieces share the weight on it: add them up.", averaged),
                ("The rows of a word are added up, so that a row no longer sums to 1: take their mean.", summed),
                ("Only the row of a word's first piece was kept: take the mean over its pieces.", first),
                ("The largest weight of a word's rows was taken: take the mean over its pieces.", largest),
            ],
        )
    return Report(True, "Weights on pieces add up, rows of pieces are averaged, and every row still sums to 1.")


def _sums(source: list[int]) -> Tensor:
    return torch.nn.functional.one_hot(torch.tensor([*source, source[-1] + 1])).double()
