"""The checks of *RNN encoder–decoders* and *Exposure bias* on right answers, and on wrong ones that they must name."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.before.rnn_encoder_decoders import (
    check_both_directions,
    check_chain,
    check_distances,
    check_marks,
    check_mixed_inputs,
    check_reverse,
)
from attention_book.models.recurrent import reversed_places

from ..diagnosis import diagnosis

DISTANCES = {"a": 6, "b": 3, "c": 11, "d": 6, "e": 6}


def reverse(src, pad_id, eos_id):
    return src.gather(1, reversed_places(src != pad_id))


def side_by_side(last):
    return last.transpose(0, 1).reshape(last.shape[1], -1)


def mixed(inputs, predicted, take):
    return torch.cat([inputs[:, :1], torch.where(take[:, 1:], predicted[:, :-1], inputs[:, 1:])], dim=1)


def test_the_right_answers_pass():
    assert check_distances(DISTANCES)
    assert check_distances({letter: Fraction(number) for letter, number in DISTANCES.items()})
    assert check_reverse(reverse) and check_reverse(lambda src, pad, eos: reversed_up_to(src, eos))
    assert check_both_directions(side_by_side)
    assert check_both_directions(lambda last: torch.cat([last[0], last[1]], dim=-1))
    assert check_both_directions(
        lambda last: torch.stack([torch.cat([last[0, b], last[1, b]]) for b in range(len(last[0]))])
    )
    assert check_mixed_inputs(mixed) and check_mixed_inputs(mixed_in_loops)


def mixed_in_loops(inputs, predicted, take):
    fed = inputs.clone()
    for row in range(len(inputs)):
        for place in range(1, inputs.shape[1]):
            if take[row, place]:
                fed[row, place] = predicted[row, place - 1]
    return fed


def test_the_distances_are_those_of_a_tape():
    """Six words read, six written, on one tape of twelve places."""

    def distances(read, written):
        return [len(read) + written.index(word) - read.index(word) for word in written]

    words = list("abcdef")
    forwards, backwards = distances(words, words), distances(words[::-1], words)
    both = distances(words[::-1], words[::-1])
    found = [forwards[0], backwards[1], max(backwards), sum(backwards) / 6, sum(both) / 6]
    assert found == list(DISTANCES.values())


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"a": 5}, "the step that writes"),
        ({"b": 6}, "read forwards"),
        ({"b": 1}, "that is the first word"),
        ({"b": 2}, "the first word is read, and its translation is written"),
        ({"b": 9}, "second word from the end"),
        ({"b": 4}, "(b) is not 4."),
        ({"c": 12}, "count from the first"),
        ({"d": 3}, "the mean of 1, 3"),
        ({"e": 1}, "the least"),
        ({"e": ...}, "still to be predicted"),
    ],
)
def test_wrong_distances_are_named(wrong, told):
    assert told in diagnosis(check_distances({**DISTANCES, **wrong}))


def end_first(src, pad_id, eos_id):
    return torch.tensor(
        [[*[t for t in row if t != pad_id][::-1], *[t for t in row if t == pad_id]] for row in src.tolist()]
    )


def reversed_up_to(src, eos):
    """Row by row, up to the first place that holds this id; the words of a row without it stay as they are."""
    rows = []
    for row in src.tolist():
        n = row.index(eos) if eos in row else 0
        rows.append([*row[:n][::-1], *row[n:]])
    return torch.tensor(rows)


def packed_at_the_end(src, pad, eos):
    rows = ([token for token in row if token not in (pad, eos)] for row in src.tolist())
    return torch.tensor([[*[pad] * (src.shape[1] - len(row) - 1), *row[::-1], eos] for row in rows])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda src, pad, eos: src.flip(1), "begins with its padding"),
        (end_first, "comes first"),
        (lambda src, pad, eos: src, "nothing has changed"),
        (lambda src, pad, eos: src.flip(0), "rows of the batch"),
        (lambda src, pad, eos: src + 1, "differs at row 0"),
        (lambda src, pad, eos: reverse(src, pad, eos).double(), "whole numbers"),
        (lambda src, pad, eos: reversed_up_to(src, 2), "With pad_id = 7 and eos_id = 11"),
        (lambda src, pad, eos: reverse(src, 0, eos), "With pad_id = 7 and eos_id = 11"),
        (packed_at_the_end, "come to the front"),
        (lambda src, pad, eos: reverse(src, pad, eos)[:, :-1], "wrong shape"),
        (lambda src, pad, eos: reverse(src, pad, eos).tolist(), "torch tensor"),
    ],
)
def test_wrong_reversals_are_named(answer, told):
    assert told in diagnosis(check_reverse(answer))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda last: last.reshape(last.shape[1], -1), "cuts across sentences"),
        (lambda last: side_by_side(last.flip(0)), "backwards stands first"),
        (lambda last: torch.cat([last[0], last[0]], dim=1), "forward state stands there twice"),
        (lambda last: torch.cat([last[-1], last[-1]], dim=1), "backward state stands there twice"),
        (lambda last: last.permute(1, 2, 0).flatten(1), "alternate"),
        (lambda last: last[-1], "wrong shape"),
        (lambda last: side_by_side(last.detach()), "no gradient"),
        (lambda last: side_by_side(last).flip(0), "differ at sentence 0"),
        (lambda last: last.permute(1, 0, 2), "wrong shape"),
        (lambda last: side_by_side(last)[:, :6].reshape(4, 6), "wrong shape"),
    ],
)
def test_wrong_first_states_are_named(answer, told):
    assert told in diagnosis(check_both_directions(answer))


def first_kept(inputs, predicted, take):
    found = torch.where(take, predicted, inputs)
    found[:, 0] = inputs[:, 0]
    return found


def moved_back(inputs, predicted, take):
    later = torch.cat([predicted[:, 1:], predicted[:, -1:]], dim=1)
    return first_kept(inputs, later, take)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda inputs, predicted, take: torch.where(take, predicted, inputs), "repeat itself"),
        (first_kept, "`<s>` stays now"),
        (lambda inputs, predicted, take: mixed(inputs, predicted, ~take), "turned round"),
        (lambda inputs, predicted, take: mixed(inputs, predicted, take | True), "all inputs are replaced"),
        (lambda inputs, predicted, take: inputs, "nothing is replaced"),
        (moved_back, "the other way"),
        (lambda inputs, predicted, take: torch.where(take, predicted.roll(1, 1), inputs), "every place is right but"),
        (lambda inputs, predicted, take: mixed(inputs, predicted, take.roll(1, 1)), "`take` was moved"),
        (lambda inputs, predicted, take: mixed(inputs, predicted, take).double(), "whole numbers"),
        (lambda inputs, predicted, take: mixed(inputs, predicted, take)[:, 1:], "wrong shape"),
        (lambda inputs, predicted, take: mixed(inputs, predicted, take) + 1, "differ at sentence 0"),
        (lambda inputs, predicted, take: inputs.copy_(mixed(inputs, predicted, take)), "in place"),
    ],
)
def test_wrong_mixtures_are_named(answer, told):
    assert told in diagnosis(check_mixed_inputs(answer))


CHAIN = {"a": 0.28, "b": 0.312, "c": 1 / 3, "d": 0.512, "e": 0.2, "f": 0.2}


def test_the_chain_is_that_of_a_matrix_power():
    def moves(p, q):
        return np.array([[1 - p, p], [1 - q, q]])  # from right and from wrong, to right and to wrong

    def share(p, q, place):
        return (np.array([1.0, 0.0]) @ np.linalg.matrix_power(moves(p, q), place))[1]

    found = [share(0.2, 0.6, 2), share(0.2, 0.6, 3), share(0.2, 0.6, 99), moves(0.2, 0.6)[0, 0] ** 3]
    assert [*found, share(0.1, 0.6, 99), share(0.2, 0.2, 99)] == pytest.approx(list(CHAIN.values()))
    assert check_chain(CHAIN) and check_chain(CHAIN | {"c": Fraction(1, 3), "e": Fraction(1, 5)})
    assert check_chain(CHAIN | {"c": 0.33})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"a": 0.2}, "that is the first word"),
        ({"a": 0.36}, "one of two words"),
        ({"a": 0.32}, "only after a right one"),
        ({"b": 0.28}, "the second word"),
        ({"c": 1}, "recovers"),
        ({"c": 0.5}, "not p + qe"),
        ({"c": 0.312}, "(c) is not 0.312"),
        ({"d": 0.488}, "one at least wrong"),
        ({"e": 1 / 6}, "p stands in it twice"),
        ({"f": 0.25}, "not p + qe"),
        ({"f": ...}, "still to be predicted"),
    ],
)
def test_wrong_shares_of_the_chain_are_named(wrong, told):
    assert told in diagnosis(check_chain({**CHAIN, **wrong}))


def begun(true, written, translations):
    return [any(text[: t + 1] == [*true[:t], word] for text in translations) for t, word in enumerate(written)]


def by_sets(true, written, translations):
    after = {(tuple(text[:t]), word) for text in translations for t, word in enumerate(text)}
    return tuple((tuple(true[:t]), word) in after for t, word in enumerate(written))


@pytest.mark.parametrize("right", [begun, by_sets, lambda *given: np.array(begun(*given))])
def test_right_marks_pass(right):
    report = check_marks(right)
    assert report, report.message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda true, own, texts: [a == b for a, b in zip(own, true, strict=True)], "another right translation"),
        (lambda true, own, texts: [any(x[t : t + 1] == [w] for x in texts) for t, w in enumerate(own)], "words before"),
        (lambda true, own, texts: begun(own, own, texts), "those that the model wrote"),
        (lambda true, own, texts: [any(w in x for x in texts) for w in own], "somewhere in a translation"),
        (lambda *given: [not mark for mark in begun(*given)], "turned round"),
        (lambda *given: begun(*given)[:-1], "has 5 marks"),
        (lambda *given: [True] * len(given[0]), "Place 1 (counted from 0)"),
        (lambda *given: ["yes"] * len(given[0]), "True or False"),
        (lambda *given: all(begun(*given)), "Return a list"),
        (lambda true, own, texts: (texts.pop(0), begun(true, own, texts))[1], "in place"),
    ],
)
def test_wrong_marks_are_named(answer, told):
    assert told in diagnosis(check_marks(answer))
