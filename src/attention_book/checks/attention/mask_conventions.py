"""Checks for *Masks elsewhere*: a mask in another library's writing, a probe, and what wrong masks do.

The oracles are laws and torch: a probe must be right about attentions that the check wrote itself.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from ...attention.dot_product import scaled_dot_product_attention
from ...examples.mask_conventions import as_added
from ..answers import is_one_of
from ..drawn import seeded
from ..report import NotYet, Report, attempt, checking, expect_array, expect_number


@checking
def check_other_padding(places: object, output: object) -> Report:
    """What does this book's attention make of a padding mask in which True means padding?

    Args:
        places: of the keys that each row of a sentence of four tokens and two of padding attends to, from 0.
        output: the number that fills the output of a sentence without padding.
    """
    if places is ... or output is ...:
        raise NotYet("Both answers are wanted: the places, and the number.")
    if not isinstance(places, (list, tuple, set, range)):
        raise NotYet("Give the places as a list of whole numbers, counted from 0, such as [0, 1].")
    said = {expect_number(place, "each of the places") for place in places}
    with seeded(0):
        x = torch.randn(2, 6, 4)
    padding = torch.tensor([[False] * 4 + [True] * 2, [False] * 6])
    outputs, weights = scaled_dot_product_attention(x, x, x, padding[:, None, :])
    right = set(weights[0, 0].nonzero().flatten().tolist())
    if said != right:
        told = {
            frozenset(range(4)): "Those are the words. The mask has True for padding, and here True means may attend.",
            frozenset(range(6)): "Some are hidden: a mask with False in it hides something in each row.",
            frozenset(): "The mask of this sentence has two places with True, and to this book True means may.",
            frozenset({5, 6}): "Count the places from 0.",
        }
        raise NotYet(told.get(frozenset(said), "Each row attends to the places at which the mask is True."))
    if expect_number(output, "the number") != float(outputs[1].abs().max()):
        raise NotYet("No key is left to the second sentence. What does this book's attention give to an empty row?")
    return Report(True, "Padding alone is seen, or nothing at all, and neither is an error.")


@checking
def check_decoder_mask(candidate: object) -> Report:
    """Does ``candidate(tokens)`` forbid in torch's form, True for forbidden, what comes later and what is padding?"""
    for rows in ([[1, 4, 5, 6, 0], [1, 7, 0, 0, 0]], [[1, 4, 5]], [[1, 5, 6, 7], [1, 0, 0, 0], [1, 8, 4, 0]]):
        tokens = torch.tensor(rows)
        (batch, length), place = tokens.shape, torch.arange(tokens.shape[1])
        future = (place[None, :] > place[:, None]).expand(batch, length, length)
        padding = (tokens == 0)[:, None, :].expand(batch, length, length)
        wanted = future | padding
        got = attempt(candidate, tokens)
        boolean = isinstance(got, Tensor) and got.dtype == torch.bool
        got = expect_array(got, tuple(wanted.shape), "sentences, queries, keys", name="the mask", boolean=boolean)
        dropped = got if boolean else _dropped_by_numbers(got)
        if torch.equal(dropped, wanted):
            continue
        itself = torch.eye(length, dtype=torch.bool)
        known = (
            (future & padding, "Only padding that comes later is forbidden, so the real future leaks."),
            (~wanted, "The polarity is that of this book: in torch's layer True means that a query may *not* attend."),
            (future, "Padding is not forbidden."),
            (padding, "The future is not forbidden."),
            (wanted | itself, "A position may attend to itself: the triangle begins one place above the diagonal."),
            (future & ~padding, "Padding is allowed now: a key is forbidden if either mask says so."),
        )
        for wrong, told in known:
            if torch.equal(dropped, wrong):
                raise NotYet(told)
        index = (dropped != wanted).nonzero()[0].tolist()
        raise NotYet("Wrong in sentence {}, row {}, column {} (counted from 0).".format(*index))
    return Report(True, "A key is forbidden if it comes later or is padding, and no position is hidden from itself.")


def _dropped_by_numbers(got: Tensor) -> Tensor:
    """What a mask of numbers hides, which are added to the scores."""
    if got.isneginf().any():
        if not (got[~got.isneginf()] == 0).all():
            raise NotYet("Numbers are added to the scores: 0 where a query may attend, −∞ where it may not.")
        return got.isneginf()
    if (got < -1).any():
        raise NotYet(
            f"{got.min():g} is added to the scores. That lowers all scores of a row without an allowed key alike, and "
            "so hides nothing there. Give booleans, or 0 and −∞."
        )
    raise NotYet("Numbers are added to the scores, and neither 1 nor 0 hides a key. Give booleans, or 0 and −∞.")


def _attentions() -> dict[str, tuple]:
    """Self-attentions by what they do with a mask, each with what True means to it."""

    def keep(x: Tensor, mask: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=mask)[0]

    def bare(x: Tensor, mask: Tensor) -> Tensor:
        return torch.softmax((x @ x.T / math.sqrt(x.shape[1])).masked_fill(mask, -math.inf), -1) @ x

    def adding(x: Tensor, mask: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=mask.to(x.dtype))[0]

    def lowering(x: Tensor, mask: Tensor) -> Tensor:
        return keep(x, as_added(mask, x.dtype, -10.0))

    def zeroing(x: Tensor, mask: Tensor) -> Tensor:
        return (torch.softmax(x @ x.T / math.sqrt(x.shape[1]), -1) * mask) @ x

    return {
        "lets True attend": (keep, "keep"),
        "forbids what is True": (lambda x, mask: keep(x, ~mask), "drop"),
        "pays no attention to the mask": (lambda x, mask: keep(x, torch.ones_like(mask)), "nothing"),
        "adds 1 and 0 to the scores": (adding, "nothing"),
        "sets weights to 0 and leaves hidden keys in the denominator": (zeroing, "nothing"),
        "adds −10 where it should hide what is False": (lowering, "nothing"),
        "adds −10 where it should hide what is True": (lambda x, mask: lowering(x, ~mask), "nothing"),
        "lets True attend, in half the size": (lambda x, mask: keep(x / 2, as_added(mask, x.dtype)), "keep"),
        "forbids what is True, with NaN for an empty row": (bare, "drop"),
    }


@checking
def check_reading(candidate: object) -> Report:
    """Does ``candidate(attend)`` find out whether True means "keep", "drop" or "nothing" to ``attend(x, mask)``?"""
    answers = {}
    for name, (attend, meaning) in _attentions().items():
        got = attempt(candidate, attend)
        if not is_one_of(got, ("keep", "drop", "nothing")):
            raise NotYet(f'Of an attention that {name} it says {got!r}; answer "keep", "drop" or "nothing".')
        answers[name] = (got, meaning)
    wrong = {name: pair for name, pair in answers.items() if pair[0] != pair[1]}
    if not wrong:
        return Report(True, "It is right about every attention, those that only seem to hide included.")
    if all(got == {"keep": "drop", "drop": "keep"}.get(meaning, meaning) for got, meaning in answers.values()):
        raise NotYet('It says "drop" where True may attend, and "keep" where it may not.')
    name, (got, meaning) = next(iter(wrong.items()))
    if len({answer for answer, _ in answers.values()}) == 1:
        raise NotYet(f'It always says "{got}": look at what comes out when a key changes that the mask marks.')
    small = " A weight of e⁻¹⁰ is small and not 0: any change at all counts, so compare without a tolerance."
    hints = {
        "adds −10 where it should hide what is False": small,
        "adds −10 where it should hide what is True": small,
        "adds 1 and 0 to the scores": " Some weight must be exactly 0: ask whether a change arrives, not how much.",
        "sets weights to 0 and leaves hidden keys in the denominator": (
            " Every weight looks right, and the outputs still feel the hidden keys: change a key, or take a derivative."
        ),
        "forbids what is True, with NaN for an empty row": (
            " With NaN nothing can be compared: choose a mask that leaves no row empty in either reading."
        ),
    }
    raise NotYet(f'Of an attention that {name} it says "{got}"; it is "{meaning}".{hints.get(name, "")}')


@checking
def check_ones(answer: object) -> Report:
    """Is ``answer`` the factor between an allowed and a forbidden weight if 1 and 0 are added to equal scores?"""
    if answer is ...:
        raise NotYet("The factor is still to be predicted.")
    if isinstance(answer, float) and math.isinf(answer):
        raise NotYet("That would take a forbidden weight of 0, and no score is −∞: 1 and 0 are *added* to the scores.")
    got = expect_number(answer, "the factor")
    if math.isclose(got, math.e, rel_tol=1e-2):
        return Report(True, "e¹ to e⁰: the forbidden key keeps more than a third of what the allowed one gets.")
    if math.isclose(got, 1 / math.e, rel_tol=5e-3):
        raise NotYet("That is the factor the other way round: divide the allowed weight by the forbidden one.")
    if got == 0:
        raise NotYet("Nothing is hidden: a hidden weight would be exactly 0, and here no score is −∞.")
    if got == 1:
        raise NotYet("The scores were equal. A mask of 1 and 0 that is *added* makes them differ by 1.")
    if math.isclose(got, 2, rel_tol=5e-3):
        raise NotYet("Scores add up, weights do not: a lead of 1 in the score is a *factor* in the weight.")
    raise NotYet(f"Not {got:g}. The scores differ by 1 now; softmax turns that lead into a ratio of weights.")
