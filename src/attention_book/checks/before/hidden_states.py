"""Checks for *Attention over hidden states*, *Reading in both directions* and *Which score, and which state asks?*.

Of the first: who listens, additive attention, two looks with one context. Of the second: who knows what, reading
backwards. Of the third: what waits, a step.
"""

import math

import torch
from torch import Tensor, nn

from ...attention.probability import softmax
from ...attention.scores import additive_scores, attend
from ..answers import as_tensor, each_answer, statements_check
from ..drawn import Normal, seeded
from ..known_mistakes import recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_parts, first_difference

_LISTENS = {
    "a": (False, "the query adds the same number, ‖q‖², to all scores, and softmax drops it"),
    "b": (True, "tanh is taken of the sum, so what the query adds weighs differently for each key"),
    "c": (False, "the query has a term of its own, the same for all keys, and softmax drops it"),
    "d": (True, "tanh is taken of a number that still holds both, and it bends differently for each key"),
    "e": (True, "written out, −‖q − k‖²/2 is q·k and two terms, of which that of the query drops out"),
    "f": (True, "the query alone decides, and no key is looked at: the weights name places, not contents"),
}
TARGET = 5  # inputs of the decoder in the exercise on waiting, <s> counted
_WAITS = {
    "asks before, training": 2 * TARGET,
    "asks after, training": TARGET + 1,
    "asks before, translating": 2 * TARGET,
    "asks after, translating": 2 * TARGET,
}
_CHANGES = {
    "a": (False, "the backward state of token 4 is made of tokens 5 and 4, and neither was touched"),
    "b": (True, "reading from the end, it has read tokens 5 to 1 one by one, and in which order makes a difference"),
    "c": (True, "its backward half has read token 5 first of all"),
    "d": (False, "it is made of the forward states of tokens 1 and 2, and these know no later token"),
    "e": (True, "the joined state of token 1 knows token 5, and the second layer has read it"),
    "f": (True, "the forward reading ends after token 5, the backward one after token 1, and both have passed token 3"),
}
STATES = ((0.5, -1.0), (0.0, -0.5), (-0.5, 0.0))  # the pencil's: after I, like, cats


@checking
def check_listens(answers: object) -> Report:
    """Is it said rightly of which scores, a to f, the weights depend on the query?"""
    answers = dict(each_answer(answers, _LISTENS))
    for name, (right, why) in _LISTENS.items():
        if not isinstance(answers[name], bool):
            raise NotYet(f"{name}: answer with True or False, got {answers[name]!r}.")
        if answers[name] != right:
            raise NotYet(f"{name} is {right}: {why}.")
    return Report(True, "; ".join(f"{name}: {why}" for name, (_, why) in _LISTENS.items()) + ".")


@checking
def check_same_context(first: object, second: object) -> Report:
    """Are these two different rows of weights over `STATES` that have the same context?"""
    if first is ... or second is ...:
        raise NotYet("A row is still open: put three numbers in place of each `...`.")
    states = torch.tensor(STATES, dtype=torch.float64)
    rows = [_row_of_weights(row, name) for row, name in ((first, "first"), (second, "second"))]
    one, other = (row @ states for row in rows)
    if agrees(rows[0], rows[1], 1e-4):
        raise NotYet("Both rows are the same look. Give two rows that differ.")
    if not agrees(one, other):
        told = " and ".join(f"({_plain(x)}, {_plain(y)})" for x, y in (one.tolist(), other.tolist()))
        raise NotYet(f"The contexts differ: {told}. How do the three states lie in the plane? Draw them.")
    return Report(True, "Two looks, one context: the middle state is a mixture of the other two.")


def _row_of_weights(row: object, name: str) -> Tensor:
    weights = as_tensor(row)
    expect_array(weights, (3,), "a weight per state", name=f"the {name} row")
    if weights.min() < 0:
        raise NotYet(f"The {name} row has the weight {_plain(weights.min().item())}. Weights are 0 or more.")
    if not math.isclose(weights.sum().item(), 1, abs_tol=1e-6):
        raise NotYet(f"The {name} row sums to {_plain(weights.sum().item())}. Weights sum to 1.")
    return weights


def _plain(x: float) -> str:
    return f"{x + 0.0:.4g}".replace("-", "−")


@checking
def check_waits(answers: object) -> Report:
    """How many states and contexts come one after the other, each waiting for the last? A number for each name."""
    answers = dict(each_answer(answers, _WAITS))
    for name, right in _WAITS.items():
        got = answers[name]
        if isinstance(got, bool) or not isinstance(got, int):
            raise NotYet(f"`{name}`: give a whole number, got {got!r}.")
        if got == right:
            continue
        hint = "Write the chain down, from the first that must be made to the last."
        if got == 1:
            hint = "Each state is made of the one before."
        elif got == TARGET:
            hint = "Count the contexts, too."
        elif got == 3 * TARGET:
            hint = "Count states and contexts alone, and not the words."
        elif name == "asks after, training" and got == 2 * TARGET:
            hint = "All words are known, so no state waits for a context: which contexts have to wait for each other?"
        elif name == "asks after, translating" and got == TARGET + 1:
            hint = "The next state reads the next word. What must be there before that word is known?"
        elif got in (right - 1, right + 1):
            hint = "One too many or too few: there are five states, of which s_0 is none, and five contexts."
        raise NotYet(f"`{name}`: not {got}. {hint}")
    return Report(True, "Known words set the contexts free if the state after asks, and only in training.")


_LOW = (True, False, True, True, False, True)


def _low_scores() -> tuple[Tensor, ...]:
    """Inputs of additive attention whose scores lie near -600 where `_LOW` is True, and near 0 elsewhere.

    A hidden unit of its own makes them so: it is on for the former and off for the latter, whatever the other units do.
    """
    normal = Normal(4)
    s, h, w_q, w_k, v = normal(2, 4), normal(6, 8), normal(4, 7), normal(8, 7), normal(7)
    w_q[:, -1], v[-1] = 3 * torch.linalg.pinv(s).sum(dim=1), -600.0
    w_k[:, -1] = torch.linalg.pinv(h) @ torch.where(torch.tensor(_LOW), 0.0, -3.0).to(h)
    return s, h, w_q, w_k, v


@checking
def check_additive(candidate: object) -> Report:
    """Does ``candidate(s, h, real, w_q, w_k, v)`` return (contexts, weights) of additive attention?

    ``s`` has one row per decoder state, ``h`` one per encoder state, and ``real`` tells which of these are no padding.
    Padding stands at the end, at the beginning and in between; the scores are near 0, or far below where no padding is.
    """
    normal = Normal(3)
    usual = normal(3, 4), normal(5, 6), normal(4, 7), normal(6, 7), normal(7)
    cases = [
        (usual, (True, True, True, True, True)),
        (usual, (True, True, True, False, False)),
        (usual, (False, True, False, True, True)),
        (_low_scores(), _LOW),
    ]
    for (s, h, w_q, w_k, v), known in cases:
        real = torch.tensor(known)
        contexts, weights = expect_parts(attempt(candidate, s, h, real, w_q, w_k, v), ("contexts", "weights"))
        shape = (len(s), len(h))
        expect_array(weights, shape, "one row per decoder state, one column per encoder state", name="the weights")
        shape = (len(s), h.shape[1])
        expect_array(contexts, shape, "one row per decoder state, as wide as an encoder state", name="the contexts")
        right_contexts, right = attend(additive_scores(s, h, w_q, w_k, v), h, real)
        # Where all scores are low, padding that is hidden badly looks like padding that is not hidden at all.
        _diagnose(weights, right, real, [] if known is _LOW else _mistakes(s, h, real, w_q, w_k, v))
        if difference := first_difference(contexts, right_contexts, axes=("row", "coordinate")):
            projected = (h @ w_k)[:, : h.shape[1]]
            hint = " They mix the projected states, and the states themselves are the values." if agrees(
                contexts, right @ projected) else ""  # fmt: skip
            raise NotYet(f"The weights are right, the contexts are not: {difference}.{hint}")
    return Report(
        True, "Weights and contexts are those of the package, wherever the padding is and whatever the scores."
    )


def _mistakes(s, h, real, w_q, w_k, v) -> list[tuple[Tensor, str]]:
    def weights(scores, may=real, axis=-1):
        return softmax(scores.masked_fill(~may, -math.inf), axis=axis)

    asked, offered = (s @ w_q)[:, None], (h @ w_k)[None]
    scores = additive_scores(s, h, w_q, w_k, v)
    everything = torch.ones_like(real)
    return [
        (weights((asked + offered) @ v), "The tanh is missing: then the query drops out, and all rows are alike."),
        (weights((asked.tanh() + offered.tanh()) @ v), "tanh is taken of each part alone: take it of their sum."),
        (weights(((asked + offered) @ v).tanh()), "tanh is taken of the score: it belongs on the 7 hidden units."),
        (weights((asked + offered).tanh().sum(-1)), "`v` is missing: the 7 hidden units are summed as they are."),
        (weights(scores / math.sqrt(len(v))), "It is divided by √7. Additive scores are not divided."),
        (weights(scores, everything), "Padding is not hidden: its score must not count."),
        (weights(scores, ~real), "The mask is turned round: `real` is True where a state may be looked at."),
        (
            weights(scores, torch.arange(len(real)) < real.sum()),
            "Padding is not always last: `real` tells for each state whether it may be looked at.",
        ),
        (softmax(scores) * real, "Padding is set to 0 after the softmax, so a row sums to less than 1."),
        (weights(scores, everything, 0), "Each column sums to 1: softmax goes over the encoder states of one row."),
        (softmax(scores, axis=0) * real, "Each column sums to 1: softmax goes over the encoder states of one row."),
        (scores.masked_fill(~real, -math.inf), "These are the scores: the softmax is missing."),
        (scores, "These are the scores: the softmax is missing."),
    ]


def _diagnose(weights: Tensor, right: Tensor, real: Tensor, mistakes: list[tuple[Tensor, str]]) -> None:
    if agrees(weights, right):
        return
    if diagnosis := recognise(weights, mistakes):  # the weights are not right, so what they agree with is not either
        raise NotYet(diagnosis)
    padded = float(weights[:, ~real].abs().sum())
    if padded > 1e-6 and agrees(_renormalised(weights * real), right):
        raise NotYet(
            f"Padded states get weight, {padded:.2g} in all: scores may be far below 0 (here about -600), so a padded "
            "score must be below any number, which is `-math.inf`."
        )
    where = "" if real.all() else " with padding"
    raise NotYet(f"Wrong weight{where} at {first_difference(weights, right, axes=('row', 'column'))}.")


def _renormalised(weights: Tensor) -> Tensor:
    """Rows that sum to 1 again, after some of their weights were set to 0; a row of zeros becomes NaN."""
    return weights / weights.sum(dim=-1, keepdim=True)


class _Watched:
    """A cell and an attention of made-up matrices that note what they are given."""

    def __init__(self):
        normal = Normal(9)
        self.s, self.y, self.a, self.b, self.c = normal(4), normal(3), normal(9, 4), normal(4, 4), normal(4, 6)
        self.read: list[tuple[Tensor, Tensor]] = []
        self.asked: list[Tensor] = []

    def cell(self, x: Tensor, state: Tensor) -> Tensor:
        self.read.append((x, state))
        return torch.tanh(x @ self.a[: x.shape[-1]] + state @ self.b)

    def attend_to(self, state: Tensor) -> Tensor:
        self.asked.append(state)
        return torch.tanh(state @ self.c)


@checking
def check_steps(before: object, after: object) -> Report:
    """Do the two functions take a decoder through one step, and ask at the right time?

    Each is called with ``(attend_to, cell, s, y)`` and returns (state after the step, context): ``attend_to`` gives the
    context of a state, ``cell`` the state after an input. What ``before`` feeds to the cell is y, then the context.
    """
    for name, candidate in (("before", before), ("after", after)):
        watched = _Watched()
        s, y = watched.s, watched.y
        got = attempt(candidate, watched.attend_to, watched.cell, s, y)
        state, context = expect_parts(got, ("state", "context"))
        if len(watched.read) != 1 or len(watched.asked) != 1:
            counts = f"{len(watched.read)} and {len(watched.asked)}"
            raise NotYet(f"`{name}`: the cell and the attention should be called once each, not {counts} times.")
        (x, given), (query,) = watched.read[0], watched.asked
        if not agrees(given, s):
            raise NotYet(f"`{name}`: the cell must start from the state `s`.")
        if name == "before" and not agrees(query, s):
            raise NotYet("`before`: the state before the step asks, and that is `s`.")
        if name == "after" and agrees(query, s):
            raise NotYet("`after`: the state before the step has asked. It is the new state's turn.")
        if name == "before" and len(x) == 3:
            raise NotYet("`before`: the cell has read y alone. The context goes into the step, beside y.")
        if name == "after" and len(x) > 3:
            raise NotYet("`after`: the cell has read more than y. Here the context goes to the output layer only.")
        answer = torch.tanh(s @ watched.c)
        if name == "before" and agrees(x, torch.cat([answer, y])):
            raise NotYet("`before`: y comes first, then the context: the columns of the cell's matrix are laid out so.")
        if not agrees(x, torch.cat([y, answer]) if name == "before" else y):
            wanted = "y and the context" if name == "before" else "y"
            raise NotYet(f"`{name}`: the cell has read something else than {wanted}.")
        new = torch.tanh(x @ watched.a[: len(x)] + s @ watched.b)
        right = (new, torch.tanh(query @ watched.c))
        if agrees(state, right[1]) and agrees(context, right[0]):
            raise NotYet(f"`{name}` returns the context first. Return (state, context).")
        for part, mine, theirs in (("state", state, right[0]), ("context", context, right[1])):
            if not agrees(mine, theirs):
                raise NotYet(f"`{name}` does not return the {part} that it computed.")
    return Report(True, "The same parts in another order: who asks first knows one word less.")


check_changes = statements_check(
    _CHANGES,
    "it changes",
    "it does not",
    "Is it said rightly of which states, a to f, that they change?",
    "A state knows what was read on the way to it, and a second layer what the first one knew.",
)


@checking
def check_knows(candidate: object) -> Report:
    """Does ``candidate(read, x)`` say which words each state knows? A row per state, a column per word, True and False.

    ``read`` takes (length, 3), a row per word, to the states, a row per word. A state knows a word if changing the word
    changes the state.
    """
    layer, x = reader(), Normal(8)(5, 3)

    def forwards(x: Tensor) -> Tensor:
        return layer(x[None])[0][0]

    def backwards(x: Tensor) -> Tensor:
        return forwards(x.flip(0)).flip(0)

    def last_numbers(x: Tensor) -> Tensor:
        return torch.stack([x[:, -1], x[:, -1].roll(-1)], dim=1)

    every, own = torch.ones(5, 5, dtype=torch.bool), torch.eye(5, dtype=torch.bool)
    cases = (
        ("that reads forwards", forwards, every.tril()),
        ("that reads backwards", backwards, every.triu()),
        ("of both directions", lambda x: torch.cat([forwards(x), backwards(x)], dim=1), every),
        ("that knows its word's and the next word's last number", last_numbers, own | own.roll(1, 1)),
    )
    for name, read, right in cases:
        got = as_tensor(attempt(candidate, read, x))
        expect_array(got, (5, 5), "a row per state, a column per word", name="the table")
        if not ((got == 0) | (got == 1)).all():
            raise NotYet("The table holds other numbers than 0 and 1. Say True or False for each state and word.")
        got = got.bool()
        if torch.equal(got, right):
            continue
        mistakes = (
            (right.T, "rows and columns are exchanged: a state has a row, a word a column"),
            (~right, "turned round: True is for a word that the state knows"),
            (torch.zeros_like(every), "no state knows any word. Of its three numbers a state may use one"),
            (every, "every state knows every word. Change one word at a time, and leave the others as they were"),
            (own, "a state is asked about its own word alone"),
        )
        i, j = (got != right).nonzero()[0].tolist()
        wrong = f"state {i} {'knows' if right[i, j] else 'does not know'} word {j}, counted from 0"
        raise NotYet(f"For a state {name}: {recognise(got, mistakes, torch.equal) or wrong}.")
    return Report(True, "Right for four readers: a state knows the words that change it.")


def reader(seed: int = 5) -> nn.GRU:
    """A recurrent layer that reads forwards, from 3 numbers an input to states of 4."""
    with seeded(seed):
        return nn.GRU(3, 4, batch_first=True).double().requires_grad_(False)


@checking
def check_backward(candidate: object) -> Report:
    """Does ``candidate(read, x, lengths)`` give the states of reading each row from its own end?

    ``read`` takes (batch, length, 3) to the states of reading forwards, (batch, length, 4). State j of a row must be
    made of its real inputs from j on.
    """
    layer = reader()

    def read(x: Tensor) -> Tensor:
        return layer(x)[0]

    x = Normal(6)(2, 5, 3)
    for lengths in (torch.tensor([5, 5]), torch.tensor([5, 3])):
        real = torch.arange(5) < lengths[:, None]
        got = attempt(candidate, read, x, lengths)
        expect_array(got, (2, 5, 4), "batch, length, width of a state", name="the states")
        rows = [read(row[:n].flip(0)[None])[0].flip(0) for row, n in zip(x, lengths.tolist(), strict=True)]
        right = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        if agrees(got[real], right[real]):
            continue
        mistakes = [
            (read(x.flip(1)).flip(1), "the shorter row begins with its padding, and everything after it is off"),
            (read(x), "these are the states of reading forwards"),
            (_turned(read(x), lengths), "it was read forwards, and the states were turned round"),
            (read(_turned(x, lengths)), "the states stand in the order of reading: turn them back"),
            (read(_turned(x, lengths)).flip(1), "the states were turned back together with the padding"),
            (_turned(read(_turned(x, lengths - 1)), lengths - 1), "the last real input stays last: it comes first"),
        ]
        hint = recognise(got, mistakes, lambda got, wrong, real=real: agrees(got[real], wrong[real]))
        told = "Rows of one length" if real.all() else "A row of 3 beside one of 5"
        where = first_difference(torch.where(real[..., None], got, 0), right, axes=("row", "place", "coordinate"))
        raise NotYet(f"{told}: {hint}." if hint else f"{told}: {where}.")
    return Report(True, "Each row is read from its own end, and its states stand where its words stand.")


def _turned(x: Tensor, lengths: Tensor) -> Tensor:
    """Each row with its first ``lengths`` places turned round."""
    places = torch.arange(x.shape[1]).expand(len(x), -1)
    last = lengths[:, None] - 1
    return x.gather(1, torch.where(places <= last, last - places, places)[..., None].expand_as(x))
