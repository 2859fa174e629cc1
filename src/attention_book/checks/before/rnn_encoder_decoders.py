"""Checks for *RNN encoder–decoders* (distances, a reversed source, first states) and *Exposure bias*.

Of the latter: where errors settle, which words can be right, mixed inputs.
"""

import numpy as np
import torch
from torch import Tensor

from ..answers import is_one_of
from ..drawn import Normal
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, first_difference

_WORDS = 6
_FORWARDS = [_WORDS] * _WORDS
_REVERSED = [2 * i + 1 for i in range(_WORDS)]
_DISTANCES = {
    "a": (_FORWARDS[0], {5: "the step that writes counts as well", 7: "`</s>` is left out", 1: "that is in reverse"}),
    "b": (_REVERSED[1], {1: "that is the first word", 2: "between the two the first word is read, and its translation "
                         "is written", 6: "that is read forwards", 9: "that is the second word from the end"}),
    "c": (max(_REVERSED), {12: "count from the first token read", 10: "one step more", 6: "that is read forwards"}),
    "d": (sum(_REVERSED) / _WORDS, {3: "the mean of 1, 3, …, 11", 5.5: "that is the mean of the even ones"}),
    "e": (6, {1: "that is the least of them", 3: "reading in reverse undoes the other order"}),
}  # fmt: skip


@checking
def check_distances(predictions: object) -> Report:
    """Are the five distances right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _DISTANCES, 1e-6)
    return Report(True, "6, 3, 11, 6 and 6: reversing changes the distance of each word and not their mean.")


_BATCHES = (  # pad, eos, the words of each row
    (0, 2, ([5, 6, 7, 8], [9, 5], [7, 6, 5], [])),
    (7, 11, ([3, 2], [0, 1, 2, 4, 6], [2], [9, 9, 0])),
)


def _expect_ids(got: object, shape: tuple[int, ...], meaning: str, name: str) -> Tensor:
    """An array of whole numbers: an embedding takes no others."""
    expect_array(got, shape, meaning, name=name)
    if got.dtype.is_floating_point:
        kind = str(got.dtype).removeprefix("torch.")
        raise NotYet(f"Ids are whole numbers, and {name} came out as {kind}: an embedding cannot look them up.")
    return got


@checking
def check_reverse(candidate: object) -> Report:
    """Does ``candidate(src, pad_id, eos_id)`` reverse the words of each row and nothing else?"""
    for pad, eos, sentences in _BATCHES:
        width = max(map(len, sentences)) + 1
        fill = lambda words, end=eos, pad=pad, width=width: [*words, end, *[pad] * (width - len(words) - 1)]  # noqa: E731
        src, wanted = (torch.tensor([fill(words[::step]) for words in sentences]) for step in (1, -1))
        got = attempt(candidate, src, pad, eos)
        _expect_ids(got, tuple(src.shape), "one row per sentence, one column per token", "the reversed source")
        if agrees(got, wanted):
            continue
        ends = [[eos, *words[::-1], *[pad] * (width - len(words) - 1)] for words in sentences]
        packed = [[*[pad] * (width - len(words) - 1), *words[::-1], eos] for words in sentences]
        known = {
            "the whole row is turned round, so a short one begins with its padding": src.flip(1),
            "`</s>` has been turned round with the words and comes first; the encoder would read the end before "
            "the sentence": torch.tensor(ends),
            "the padding has come to the front: it should stay behind `</s>`": torch.tensor(packed),
            "nothing has changed": src,
            "the rows of the batch are in another order, and the words are as they were": src.flip(0),
        }
        if mistake := recognise(got, known):
            raise NotYet(f"Not reversed as it should be: {mistake}.")
        raise NotYet(
            f"With pad_id = {pad} and eos_id = {eos} the reversed source differs at {first_difference(got, wanted)}."
        )
    return Report(True, "The words are turned round, `</s>` and the padding are where they were.")


@checking
def check_both_directions(candidate: object) -> Report:
    """Does ``candidate(last)`` put the two last states of each sentence side by side, forwards first?"""
    for seed, (batch, width) in enumerate([(4, 3), (3, 5), (1, 2)]):
        last = Normal(seed)(2, batch, width).requires_grad_()  # (direction, sentence, number)
        got = attempt(candidate, last)
        expect_array(got, (batch, 2 * width), "one row per sentence, both directions side by side", name="first states")
        wanted = torch.cat([last[0], last[1]], dim=1)
        if agrees(got, wanted):
            if not got.requires_grad:
                raise NotYet(
                    "The numbers are right, and no gradient flows back to the encoder: leave out `detach`, `no_grad` "
                    "and a new `torch.tensor`."
                )
            continue
        known = {
            "row 0 holds the forward states of sentences 0 and 1, and no backward state: the directions are the "
            "slowest axis, so a reshape cuts across sentences. Bring the batch to the front first": last.reshape(
                batch, -1
            ),
            "backwards stands first": torch.cat([last[1], last[0]], dim=1),
            "the forward state stands there twice": torch.cat([last[0], last[0]], dim=1),
            "the backward state stands there twice": torch.cat([last[1], last[1]], dim=1),
            "numbers of the two directions alternate; put the states side by side": last.permute(1, 2, 0).reshape(
                batch, -1
            ),
        }
        if mistake := recognise(got, known):
            raise NotYet(f"Not side by side: {mistake}.")
        raise NotYet(f"The first states differ at {first_difference(got, wanted, axes=('sentence', 'number'))}.")
    return Report(True, "Each sentence has its own two states. With a batch of one the faulty line is right, too.")


_NOT_THE_LEVEL = "at the level, e is p(1 − e) + qe, and not p + qe"
_CHAIN = {
    "a": (0.28, {0.2: "that is the first word; after a wrong word it errs with q", 0.36: "that is the chance of an "
                 "error in one of two words", 0.32: "the second word errs with p only after a right one"}),
    "b": (0.312, {0.28: "that is the second word", 0.488: "that is the chance of an error in one of three words"}),
    "c": (1 / 3, {1: "a decoder that recovers with 0.4 does not end there", 0.6: "that is the share after a wrong word",
                  0.5: _NOT_THE_LEVEL, 0.4: "that is how often it recovers", 0.3: "that is too early: ask where e no "
                  "longer changes"}),
    "d": (0.512, {0.008: "that is: all three wrong", 0.488: "that is: one at least wrong", 0.8: "three words, not one",
                  0.64: "three words, not two"}),
    "e": (0.2, {1 / 3: "that is without the remedy", 1 / 6: "half of the level; but p stands in it twice", 0.1: "after "
                "a wrong word it still errs with q", 0.25: _NOT_THE_LEVEL}),
    "f": (0.2, {1 / 3: "that is without the remedy", 0.25: _NOT_THE_LEVEL}),
}  # fmt: skip


@checking
def check_chain(predictions: object) -> Report:
    """Are the shares of wrong words right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _CHAIN, 5e-3)
    return Report(
        True, "0.28, 0.312, ⅓, 0.512, and 0.2 twice: to forget a mistake at once helps as much as to halve them."
    )


_TEXTS = (  # the translation that is fed, what the model writes at each place, the other translations
    ("Me gustan los gatos . </s>", "A mí los me perros </s>", ["A mí me gustan los gatos . </s>"]),
    ("a d c e", "a b f e", ["a b c e", "a b f e", "a f"]),
    ("a b", "c b", ["a", "c"]),
    ("b", "a", []),
)


@checking
def check_marks(candidate: object) -> Report:
    """Does ``candidate(true, written, translations)`` mark the words that can be right after the true ones?"""
    for true, written, others in _TEXTS:
        true, written, *others = (text.split() for text in (true, written, *others))
        texts = [*others, true]
        got = attempt(candidate, true, written, texts)
        if isinstance(got, (np.ndarray, Tensor)):
            got = got.tolist()
        if not isinstance(got, (list, tuple)) or not all(is_one_of(mark, (True, False)) for mark in got):
            raise NotYet("Return a list with True or False for each word written.")
        if len(got) != len(written):
            raise NotYet(f"The model wrote {len(written)} words, and the list has {len(got)} marks.")
        places = range(len(written))
        begins = lambda words, texts=texts: any(text[: len(words)] == words for text in texts)  # noqa: E731
        wanted = [begins([*true[:t], written[t]]) for t in places]
        if list(map(bool, got)) == wanted:
            continue
        mistakes = {
            "A word that differs from `true` may still begin another right translation.": [
                own == word for own, word in zip(written, true, strict=True)
            ],
            "The words before count as well: the translation must begin with the true words that were fed.": [
                any(text[t : t + 1] == [written[t]] for text in texts) for t in places
            ],
            "Before each word stand the true words, and not those that the model wrote.": [
                begins(written[: t + 1]) for t in places
            ],
            "A word must follow the true words directly; somewhere in a translation is not enough.": [
                any(written[t] in text for text in texts) for t in places
            ],
            "The marks are turned round: True means that the word can be right.": [not mark for mark in wanted],
        }
        place = next(t for t in places if bool(got[t]) != wanted[t])
        reason = recognise(list(map(bool, got)), mistakes, lambda one, other: one == other)
        begun = " ".join([*true[:place], written[place]])
        raise NotYet(reason or f"Place {place} (counted from 0) is wrong: does a translation begin with “{begun}”?")
    return Report(
        True, "Right for four sentences: a word is judged by what was fed before it, and by all translations."
    )


@checking
def check_mixed_inputs(candidate: object) -> Report:
    """Does ``candidate(inputs, predicted, take)`` replace inputs by what was predicted for their place?"""
    for seed, (rows, places, bos) in enumerate([(3, 6, 1), (2, 4, 45)]):
        generator = torch.Generator().manual_seed(seed)
        inputs = torch.randint(4, 20, (rows, places), generator=generator)
        inputs[:, 0] = bos
        predicted = torch.randint(20, 40, (rows, places), generator=generator)
        take = torch.rand(rows, places, generator=generator) < 0.5
        take[0, 0], take[1, -1] = True, True
        got = attempt(candidate, inputs, predicted, take)
        _expect_ids(got, (rows, places), "one row per sentence, one column per place", "the inputs")
        before = torch.cat([inputs[:, :1], predicted[:, :-1]], dim=1)  # what was predicted for each place
        wanted = torch.where(take, before, inputs)
        if not agrees(got, wanted):
            raise NotYet(_fault_of_mixture(got, wanted, inputs, predicted, take))
    return Report(True, "Each replaced input is what the model expected there, one place before.")


def _fault_of_mixture(got: Tensor, wanted: Tensor, inputs: Tensor, predicted: Tensor, take: Tensor) -> str:
    start, before = inputs[:, :1], torch.cat([inputs[:, :1], predicted[:, :-1]], dim=1)
    here = torch.where(take, predicted, inputs)
    late = torch.where(take, torch.cat([predicted[:, 1:], predicted[:, -1:]], dim=1), inputs)
    known = {
        "input t is replaced by what is predicted after input t. That is the model's guess at the very word that "
        "place t is asked for, so it may learn to repeat itself": here,
        "`<s>` stays now, but input t is still replaced by what is predicted after it: the word that place t is "
        "asked for": torch.cat([start, here[:, 1:]], dim=1),
        "what is predicted after input t belongs at t + 1; here it was moved the other way": torch.cat(
            [start, late[:, 1:]], dim=1
        ),
        "`take` is turned round: True means replace": torch.where(take, inputs, before),
        "`take` was moved by one place as well: it says which inputs are replaced, as it stands": torch.cat(
            [start, torch.where(take[:, :-1], predicted[:, :-1], inputs[:, 1:])], dim=1
        ),
        "all inputs are replaced": before,
        "nothing is replaced": inputs,
    }
    if mistake := recognise(got, known):
        return f"Not what the model would be fed: {mistake}."
    if agrees(got[:, 1:], wanted[:, 1:]):
        return (
            "Not what the model would be fed: every place is right but the first. `<s>` was replaced there, and "
            "nothing is predicted before it: it stays."
        )
    return f"The inputs differ at {first_difference(got, wanted, axes=('sentence', 'place'))}."
