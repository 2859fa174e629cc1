"""Checks for *RNN encoder–decoders*: distances, a reversed source, running free, first states, mixed inputs."""

from collections.abc import Sequence

import torch

from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

_WORDS = 6
_FORWARDS = [_WORDS] * _WORDS
_REVERSED = [2 * i + 1 for i in range(_WORDS)]
_DISTANCES = {
    "a": (_FORWARDS[0], {5: "the step that writes counts as well", 7: "`</s>` is left out", 1: "that is in reverse"}),
    "b": (min(_REVERSED), {0: "the word is read, and one step later it is written", 6: "that is read forwards"}),
    "c": (max(_REVERSED), {12: "count from the first token read", 10: "one step more", 6: "that is read forwards"}),
    "d": (sum(_REVERSED) / _WORDS, {3: "the mean of 1, 3, …, 11", 5.5: "that is the mean of the even ones"}),
    "e": (6, {1: "that is the least of them", 3: "reading in reverse undoes the other order"}),
}  # fmt: skip


@checking
def check_distances(predictions: object) -> Report:
    """Are the five distances right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _DISTANCES, 1e-6)
    return Report(True, "6, 1, 11, 6 and 6: reversing changes the smallest distance and not the mean.")


@checking
def check_reverse(candidate: object) -> Report:
    """Does ``candidate(src, pad_id, eos_id)`` reverse the words of each row and nothing else?"""
    pad, eos = 0, 2
    rows = [[5, 6, 7, 8, eos], [9, 5, eos, pad, pad], [7, 6, 5, eos, pad], [eos, pad, pad, pad, pad]]
    turned = [[8, 7, 6, 5, eos], [5, 9, eos, pad, pad], [5, 6, 7, eos, pad], [eos, pad, pad, pad, pad]]
    src, wanted = torch.tensor(rows), torch.tensor(turned)
    got = attempt(candidate, src, pad, eos)
    expect_array(got, tuple(src.shape), "one row a sentence, one column a token", name="the reversed source")
    if agrees(got, wanted):
        return Report(True, "The words are turned round, `</s>` and the padding are where they were.")
    ends = [[eos, *row[: row.index(eos)][::-1], *row[row.index(eos) + 1 :]] for row in rows]
    known = {
        "the whole row is turned round, so a short one begins with its padding": src.flip(1),
        "`</s>` has been turned round with the words and comes first; the encoder would read the end before "
        "the sentence": torch.tensor(ends),
        "nothing has changed": src,
        "the rows of the batch are in another order, and the words are as they were": src.flip(0),
    }
    if mistake := recognise(got, known):
        raise NotYet(f"Not reversed as it should be: {mistake}.")
    raise NotYet(f"The reversed source differs at {first_difference(got, wanted)}.")


class _Decoder:
    """A step function whose state counts, and whose favourite token depends on the state and on what it is fed."""

    bos, eos = 1, 2

    def __init__(self, length: int):
        self.length, self.fed, self.states = length, [], []

    def __call__(self, token: int, state: tuple[int, ...]) -> tuple[list[float], tuple[int, ...]]:
        token = int(token)
        self.fed.append(token)
        self.states.append(state)
        if len(self.fed) > 50:
            raise RuntimeError("step() was asked fifty times")
        after = (*state, token)
        favourite = self.eos if len(after) > self.length else 3 + (7 * len(after) + sum(after)) % 5
        return [-abs(favourite - other) - 0.1 * other for other in range(8)], after

    def writes(self, longest: int) -> list[int]:
        written, token, state = [], self.bos, ()
        while len(written) < longest and self.eos not in written:
            scores, state = self(token, state)
            token = max(range(8), key=scores.__getitem__)
            written.append(token)
        return written


@checking
def check_free(candidate: object) -> Report:
    """Does ``candidate(step, state, bos, eos, longest)`` write from its own words until the end?"""
    for length, longest in ((4, 20), (1, 20), (9, 5)):
        decoder = _Decoder(length)
        got = _ids(attempt(candidate, decoder, (), decoder.bos, decoder.eos, longest))
        wanted = _Decoder(length).writes(longest)
        if decoder.fed[:1] != [decoder.bos]:
            raise NotYet("The first token fed is `bos`: the decoder has to be asked for its first word.")
        if len(decoder.states) > 1 and not decoder.states[1]:
            raise NotYet("The state is not handed on: every step starts from the first one.")
        if len(decoder.fed) > 2 and set(decoder.fed) == {decoder.bos}:
            raise NotYet("It is fed `bos` at every step. Feed back the token that was written.")
        if got == wanted:
            continue
        if got == [decoder.bos, *wanted]:
            raise NotYet("`bos` is fed and not written: leave it out of the answer.")
        if got == wanted[:-1]:
            last = "`eos` belongs to the answer" if wanted[-1] == decoder.eos else f"`longest` is {longest}"
            raise NotYet(f"The last token is missing: {last}.")
        if len(got) > len(wanted):
            reason = "`eos` was written" if decoder.eos in got[:-1] else f"{longest} tokens were written"
            raise NotYet(f"It goes on after {reason}.")
        raise NotYet(f"It writes {got}, expected {wanted}: the token of the highest score, at every step.")
    return Report(True, "It starts from `<s>`, eats its own words, and knows when to stop.")


def _ids(got: object) -> list[int]:
    if isinstance(got, torch.Tensor):
        got = got.tolist()
    if not isinstance(got, Sequence) or isinstance(got, str):
        raise NotYet("Expected a list of token ids.")
    return [int(expect_number(token, "a token")) for token in got]


@checking
def check_both_directions(candidate: object) -> Report:
    """Does ``candidate(last)`` put the two last states of each sentence side by side, forwards first?"""
    last = torch.arange(24, dtype=torch.float64).reshape(2, 4, 3)  # (direction, sentence, number)
    got = attempt(candidate, last)
    expect_array(got, (4, 6), "one row a sentence, both directions side by side", name="the first states")
    wanted = torch.cat([last[0], last[1]], dim=1)
    if agrees(got, wanted):
        return Report(True, "Each sentence has its own two states. With a batch of one the faulty line is right, too.")
    known = {
        "row 0 holds the forward states of sentences 0 and 1, and no backward state: the directions are the slowest "
        "axis, so a reshape cuts across sentences. Bring the batch to the front first": last.reshape(4, -1),
        "backwards stands first": torch.cat([last[1], last[0]], dim=1),
        "the forward state stands there twice": torch.cat([last[0], last[0]], dim=1),
        "the backward state stands there twice": torch.cat([last[1], last[1]], dim=1),
        "numbers of the two directions alternate; put the states side by side": last.permute(1, 2, 0).reshape(4, -1),
    }
    if mistake := recognise(got, known):
        raise NotYet(f"Not side by side: {mistake}.")
    raise NotYet(f"The first states differ at {first_difference(got, wanted, axes=('sentence', 'number'))}.")


@checking
def check_mixed_inputs(candidate: object) -> Report:
    """Does ``candidate(inputs, predicted, take)`` replace inputs by what was predicted for their place?"""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randint(4, 20, (3, 6), generator=generator)
    inputs[:, 0] = 1
    predicted = torch.randint(20, 40, (3, 6), generator=generator)
    take = torch.rand(3, 6, generator=generator) < 0.5
    take[0, 0], take[1, -1] = True, True
    got = attempt(candidate, inputs, predicted, take)
    expect_array(got, (3, 6), "one row a sentence, one column a place", name="the inputs")
    before = torch.cat([inputs[:, :1], predicted[:, :-1]], dim=1)  # what was predicted for each place
    wanted = torch.where(take, before, inputs)
    wanted[:, 0] = inputs[:, 0]
    if agrees(got, wanted):
        return Report(True, "Each replaced input is what the model expected there, one place before.")
    here = torch.where(take, predicted, inputs)
    kept = here.clone()
    kept[:, 0] = inputs[:, 0]
    late = torch.cat([predicted[:, 1:], predicted[:, -1:]], dim=1)
    late = torch.where(take, late, inputs)
    late[:, 0] = inputs[:, 0]
    turned = torch.where(take, inputs, before)
    turned[:, 0] = inputs[:, 0]
    known = {
        "input t is replaced by what is predicted after input t. That is the model's guess at the very word that "
        "place t is asked for, so it may learn to repeat itself": here,
        "`<s>` stays now, but input t is still replaced by what is predicted after it: the word that place t is "
        "asked for": kept,
        "what is predicted after input t belongs at t + 1; here it was moved the other way": late,
        "`take` is turned round: True means replace": turned,
        "all inputs are replaced": before,
        "nothing is replaced": inputs,
    }
    if mistake := recognise(got, known):
        raise NotYet(f"Not what the model would be fed: {mistake}.")
    raise NotYet(f"The inputs differ at {first_difference(got, wanted, axes=('sentence', 'place'))}.")
