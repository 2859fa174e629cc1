"""The checks of *Encoder only*: they pass what is right and name what is wrong."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_book.checks.beyond import gaps as checks
from attention_book.readers.beyond import filling_gaps

from ..diagnosis import diagnosis

PAGE = Path(__file__).resolve().parents[3] / "chapters" / "beyond" / "encoder-only.md"
SMALL = {"first": 0.3466, "second": 0.4774, "left": 0.5623, "sentence": 1.0397}
COUNTS = {"marks": 480, "asked": 600, "same": 3460, "unasked": 3400}


def test_the_sentences_are_printed_as_they_are_asked_about():
    assert checks.three_sentences().splitlines()[0].split() == ["cats", "sleep", "0.5"]


def test_right_numbers_pass():
    assert checks.check_small_language(SMALL)
    assert checks.check_small_language({name: torch.tensor(number) for name, number in SMALL.items()})
    assert checks.check_small_language(SMALL | {"first": np.log(2) / 2, "sentence": 1.5 * math.log(2)})
    assert checks.check_what_is_shown(COUNTS)
    assert checks.check_what_is_shown(COUNTS | {"marks": Fraction(480), "same": np.float32(3460)})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"first": 0.693}, "after *eat*"),
        ({"first": 0.562}, "if the second word is not seen"),
        ({"second": 0.6365}, "after *cats*; a quarter"),
        ({"second": 0.693}, "twice as likely"),
        ({"second": 0.52}, "twice as likely"),
        ({"left": 0.693}, "three quarters"),
        ({"left": 0.3466}, "if the second word is seen"),
        ({"sentence": 1.0986}, "not equally likely"),
        ({"sentence": 0.824}, "do not add up"),
        ({"first": 0.5}, "bits"),
        ({"sentence": 1.5}, "bits"),
        ({"sentence": 2.0}, "(sentence) is not 2."),
        ({"sentence": ...}, "still to be predicted"),
    ],
)
def test_the_small_language_names_the_fault(changed, message):
    assert message in diagnosis(checks.check_small_language(SMALL | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"marks": 600}, "a fifth does not show"),
        ({"marks": 3200}, "of the chosen words alone"),
        ({"asked": 480}, "that show a word are asked for"),
        ({"asked": 4000}, "do not count"),
        ({"asked": 120}, "the hidden words are asked for"),
        ({"same": 3400}, "a tenth"),
        ({"same": 60}, "were not chosen show their own"),
        ({"same": 3520}, "a replaced word"),
        ({"unasked": 3460}, "are asked for"),
        ({"unasked": 3520}, "at every other"),
    ],
)
def test_the_counts_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_what_is_shown(COUNTS | changed))


def each(logits, wanted):
    return -logits.log_softmax(-1).gather(-1, wanted[..., None])[..., 0]


def by_loop(logits, wanted):
    losses = []
    for rows, words in zip(logits.tolist(), wanted.tolist(), strict=True):
        for row, word in zip(rows, words, strict=True):
            if word:
                top = max(row)
                losses.append(top + math.log(sum(math.exp(x - top) for x in row)) - row[word])
    return sum(losses) / len(losses)


@pytest.mark.parametrize(
    "right",
    [
        by_loop,
        lambda z, w: each(z, w)[w != 0].mean(),
        lambda z, w: (each(z, w) * (w > 0)).sum() / (w > 0).sum(),
        lambda z, w: F.cross_entropy(z.flatten(0, 1), w.flatten(), ignore_index=0),
        lambda z, w: float(each(z, w)[w > 0].numpy().mean()),
    ],
)
def test_right_losses_pass(right):
    assert checks.check_gap_loss(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda z, w: each(z, w).mean(), "over all positions"),
        (lambda z, w: each(z, w)[w > 0].sum() / w.numel(), "divided by the number of all"),
        (lambda z, w: each(z, w)[w > 0].sum(), "the sum"),
        (lambda z, w: -each(z, w)[w > 0].mean(), "sign"),
        (lambda z, w: each(z, w)[w > 0].neg().exp().mean(), "mean probability, and not"),
        (lambda z, w: -each(z, w)[w > 0].neg().exp().mean().log(), "take the mean of the logarithms"),
        (lambda z, w: each(z, w)[w > 0].mean() / math.log(2), "bits"),
        (lambda z, w: (each(z, w)[0][w[0] > 0].mean() + each(z, w)[1][w[1] > 0].mean()) / 2, "position counts"),
        (lambda z, w: -z.gather(-1, w[..., None])[..., 0][w > 0].mean(), "before the softmax"),
        (lambda z, w: -(z.exp() / z.exp().sum(-1, keepdim=True)).log().gather(-1, w[..., None])[..., 0][w > 0].mean(),
         "finite number, got inf"),
        (lambda z, w: 7.0, "It gives 7.0000"),
        (lambda z, w: each(z, w), "number"),
    ],
)  # fmt: skip
def test_the_loss_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_gap_loss(wrong))


def shown(ids, chosen, draw, words):
    return torch.where(chosen & (draw < 0.8), 4, torch.where(chosen & (draw >= 0.8) & (draw < 0.9), words, ids))


def shown_by_loop(ids, chosen, draw, words):
    for at in chosen.nonzero().tolist():
        row, column = at
        if draw[row, column] < 0.9:
            ids = ids.clone()
            ids[row, column] = 4 if draw[row, column] < 0.8 else words[row, column]
    return ids


@pytest.mark.parametrize("right", [shown, shown_by_loop])
def test_right_marks_pass(right):
    assert checks.check_shown(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda i, c, d, w: torch.where(d < 0.8, 4, torch.where(d < 0.9, w, i)), "not chosen are changed"),
        (lambda i, c, d, w: torch.where(c, 4, i), "Every chosen word"),
        (lambda i, c, d, w: torch.where(c & (d < 0.8), 4, torch.where(c, w, i)), "half of it keeps"),
        (lambda i, c, d, w: torch.where(c & (d < 0.8), 4, i), "No word is replaced"),
        (lambda i, c, d, w: torch.where(c & (d < 0.8), w, torch.where(c & (d < 0.9), 4, i)), "exchanged"),
        (lambda i, c, d, w: torch.where(~c | (d < 0.8), 4, shown(i, c, d, w)), "not chosen show the mark"),
        (lambda i, c, d, w: i, "shows a wrong id"),
        (lambda i, c, d, w: i[:3], "shape"),
    ],
)
def test_what_is_shown_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_shown(wrong))


@pytest.mark.parametrize(
    "sentence",
    [
        "We <mask> cold milk at night.",
        "My brother <mask> cold water.",
        "I do not <mask> long letters at night.",
        "He <mask> in the garden.",
    ],
)
def test_a_sentence_whose_right_side_decides_passes(sentence):
    assert checks.check_right_side(sentence)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("I <mask> dogs.", "with the right side and without it"),
        ("The <mask> are in the garden.", "stands on the page"),
        ("The <mask> are in the house.", "follows *the*"),
        ("My <mask> are in the garden.", "or *my*"),
        ("I <mask> cats.", "stands on the page"),
        ("<mask> likes cats.", "is the first word"),
        ("the <mask> likes cats .", "stands on the page"),
        ("I like cats.", "it has 0"),
        ("<mask> like <mask>.", "it has 2"),
        ("I <mask> elephants.", "not in the language"),
        ("Cats like <mask>.", "No sentence of one clause"),
        (" ".join(["the"] * 30) + " cats <mask>.", "longest"),
    ],
)
def test_other_sentences_are_answered_with_the_reason(sentence, message):
    assert message in diagnosis(checks.check_right_side(sentence))


def test_the_sentences_refused_are_those_that_stand_on_the_page_with_a_gap():
    shown = [sentence.replace("___", "<mask>") for sentence, _ in filling_gaps.read().guess_rows()]
    assert shown == list(checks.PRINTED[:-1])
    assert f'Text("{checks.PRINTED[-1]}"' in PAGE.read_text(encoding="utf-8")
