"""The checks of *Is anything missing?*: they pass what is right and name what is wrong."""

import pytest
import torch
from oracles import seeded

from attention_book.checks.training import anything_missing as checks
from attention_book.examples import translator_in_one_file as one
from attention_book.studies.translator.one_file import copies

from ..diagnosis import diagnosis


def everywhere(first, second, src, tgt):
    return first.eval()(src, tgt) - second.eval()(src, tgt)


def difference(first, second, src, tgt):
    """One row of differences per target position that is no padding."""
    return everywhere(first, second, src, tgt)[tgt != one.PAD]


def by_parts(first, second, src, tgt):
    """The same in another way, and the models are left as they were."""
    modes, largest = (first.training, second.training), 0.0
    ours, theirs = (model.eval().decode(tgt, *model.encode(src)) for model in (first, second))
    for a, b, ids in zip(ours, theirs, tgt.tolist(), strict=True):
        for position in range(sum(number != one.PAD for number in ids)):
            pairs = zip(a[position].tolist(), b[position].tolist(), strict=True)
            largest = max(largest, *(abs(x - y) for x, y in pairs))
    for model, mode in zip((first, second), modes, strict=True):
        model.train(mode)
    return largest


def test_the_largest_difference_passes():
    assert checks.check_difference(lambda *given: difference(*given).abs().max())
    assert checks.check_difference(lambda *given: difference(*given).abs().max().item())
    assert checks.check_difference(by_parts)


def test_one_of_the_pairs_of_models_is_the_same_twice():
    (a, b), (c, d) = checks._two_models(3, False), checks._two_models(3, True)
    assert not torch.equal(a.embedding.weight, b.embedding.weight)
    assert torch.equal(c.embedding.weight, d.embedding.weight) and c.training and d.training


def of_probabilities(first, second, src, tgt):
    both = (model.eval()(src, tgt)[tgt != one.PAD].softmax(-1) for model in (first, second))
    return torch.sub(*both).abs().max()


def of_the_largest(first, second, src, tgt):
    return torch.sub(*(model.eval()(src, tgt)[tgt != one.PAD].max() for model in (first, second))).abs()


def in_training_mode(first, second, src, tgt):
    return (first(src, tgt) - second(src, tgt))[tgt != one.PAD].abs().max()


def one_in_training_mode(first, second, src, tgt):
    return (first.eval()(src, tgt) - second(src, tgt))[tgt != one.PAD].abs().max()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda *given: difference(*given).max(), "has a minus sign here"),
        (lambda *given: difference(*given).abs().mean(), "That is its mean"),
        (lambda *given: difference(*given).abs().sum(), "the sum over all scores"),
        (lambda *given: difference(*given).square().max(), "its square"),
        (lambda *given: everywhere(*given).abs().max(), "counts places where the target is padding"),
        (lambda *given: everywhere(*given)[0].abs().max(), "the first sentence only"),
        (of_probabilities, "That compares probabilities"),
        (of_the_largest, "Subtract first"),
        (in_training_mode, "call `eval()` on both models"),
        (one_in_training_mode, "call `eval()` on both models"),
        (lambda *given: difference(*given).abs().max() + 1, "For two models it gives"),
        (lambda *given: difference(*given).abs().max() or 1, "with the same parameters"),
        (difference, "to be one number"),
        (lambda *given: None, "Is the `return` missing?"),
    ],
)
def test_a_wrong_difference_is_explained(wrong, told):
    assert told in diagnosis(checks.check_difference(wrong))


LENGTHS = {"a": "few", "b": "most", "c": "most"}


def test_lengths_pass():
    assert checks.check_lengths(LENGTHS)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": "most"}, "ends with the longest row"),
        ({"b": "few"}, "A gap of one is filled"),
        ({"c": "few"}, "lies one step from both"),
        ({"b": ...}, "`b` is still open"),
        ({"b": 50}, 'Answer b with "most" or "few"'),
        ({"b": ["most"]}, 'Answer b with "most" or "few"'),
        ({"d": "most"}, "for each of the letters a, b, c"),
    ],
)
def test_wrong_lengths_get_the_reason(change, told):
    assert told in diagnosis(checks.check_lengths(LENGTHS | change))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "seen", "asked"),
    [
        (LENGTHS["a"], (8, 9, 10, 11, 12), 15),
        (LENGTHS["b"], (8, 9, 11, 12), 10),
        (LENGTHS["c"], (9, 11), 10),
        ("few", (5, 15), 10),  # on the page
    ],
)
def test_copyists_of_other_lengths_do_what_the_check_and_the_page_say(said, seen, asked):
    rows = [copies(1, seen[n % len(seen)], seed=n)[0] for n in range(4000)]
    digits = one.Vocabulary(rows)
    copyist = seeded(lambda: one.Transformer(len(digits.words), dropout=0.0))
    one.train(copyist, rows, digits, steps=200, size=32, peak=4e-3)
    right = sum(one.translate(copyist, digits, row) == row for row, _ in copies(20, asked, seed=-1))
    assert right >= 18 if said == "most" else right <= 2


def test_faults_that_no_loss_sees_pass():
    assert checks.check_unseen(lambda scores: scores + 1)
    assert checks.check_unseen(lambda scores: scores - 1000)
    assert checks.check_unseen(lambda scores: scores + torch.arange(1, len(scores) + 1)[:, None])
    assert checks.check_unseen(lambda scores: scores.float() + 1)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda scores: 2 * scores, "No translation changes, but the probabilities of row 0"),
        (lambda scores: scores, "In row 0, column 0"),
        (lambda scores: scores + torch.arange(len(scores))[:, None], "In row 0, column 0"),
        (lambda scores: -scores, "another word has the largest score"),
        (lambda scores: scores.roll(1, -1), "another word has the largest score"),
        (lambda scores: scores + torch.arange(1, scores.shape[1] + 1) * 1e-3, "but the probabilities of row 0"),
        (lambda scores: scores.softmax(-1), "but the probabilities of row 0"),
        (lambda scores: scores + float("inf"), "Scores are finite numbers"),
        (lambda scores: scores[0], "the wrong shape"),
        (lambda scores: None, "Is the `return` missing?"),
        (lambda scores: scores.add_(1), "in place"),
    ],
)
def test_a_fault_that_shows_is_explained(wrong, told):
    assert told in diagnosis(checks.check_unseen(wrong))


LINES = {"a": "cheats", "b": "rewarded", "c": "random", "d": "same", "e": "sharp"}


def test_changed_lines_pass_and_print():
    assert checks.check_changed_lines(LINES)
    assert [line[:3] for line in checks.changed_lines().splitlines()] == [f"{letter}: " for letter in LINES]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": "same"}, "Each target position is then asked for the word that went in"),
        ({"b": "same"}, "PAD after PAD is easy to learn"),
        ({"c": "same"}, "dropout stays on while it translates"),
        ({"d": "random"}, "The line is a guard"),
        ({"e": "same"}, "four times as large"),
        ({"e": "stuck"}, "four times as large"),
        ({"a": "stuck"}, "the loss goes to 0"),
        ({"e": ...}, "`e` is still open"),
        ({"e": 3}, 'Answer e with one of "cheats"'),
        ({"f": "same"}, "for each of the letters a, b, c, d, e"),
    ],
)
def test_wrong_outcomes_get_the_reason(change, told):
    assert told in diagnosis(checks.check_changed_lines(LINES | change))
