"""One token of a true translation exchanged for a mistake: how often the translator errs before it, and after it."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int

from ...analysis.seed_statistics import Measured, number
from ...counting.hand_linked import linked_pairs
from ...data.subwords import SPECIALS
from ...experiments.attention.three_uses import change
from ...translation.translator import Translator

Marks = Bool[np.ndarray, " _"]
CUP = ("I would like a cup of coffee.", "Quisiera una taza de café.", 1)
"""The page's example: a pair, and the place of *una*."""


class Exchanged(NamedTuple):
    """One pair of n target tokens, each exchanged once. A mark is True where the favourite is not the true token.

    The favourite is the token that the model finds likeliest.

    Attributes:
        truth: at each of the n tokens and at ``</s>``, fed the truth.
        after: for each token exchanged, at the token after it; the rest of what is fed is the truth.
        later: for each token exchanged but the last, at the token after that one.
    """

    truth: Marks
    after: Marks
    later: Marks


class Favourites(NamedTuple):
    """One pair of n target tokens, each exchanged once: the ids of the favourites, and what was asked and fed.

    Attributes:
        asked: the n true tokens and ``</s>``.
        mistakes: what is fed in place of each token: the likeliest that is neither true nor special.
        truth: the favourites at each of the n + 1 places, fed the truth.
        wrong: the same in row i with the token at place i exchanged.
    """

    asked: Int[np.ndarray, " places"]
    mistakes: Int[np.ndarray, " tokens"]
    truth: Int[np.ndarray, " places"]
    wrong: Int[np.ndarray, "tokens places"]


@torch.inference_mode()
def favourites(translator: Translator, source: str, target: str) -> Favourites:
    """Feed the true translation, and once for each of its tokens with the likeliest mistake in place of this token.

    Args:
        translator: in evaluation mode; its model is a Transformer.
        source, target: a sentence and one of its translations.
    """
    model, subwords = translator.model, translator.subwords
    ids = subwords.encode(target)
    memory = model.encode(torch.tensor([[*subwords.encode(source), subwords.eos_id]]))
    fed, asked = torch.tensor([[subwords.bos_id, *ids]]), torch.tensor([*ids, subwords.eos_id])
    logits = model.decode(fed, memory)[0]
    best = logits[:-1].topk(len(SPECIALS) + 2).indices  # of so many, one at least is neither special nor true
    allowed = (best >= len(SPECIALS)) & (best != asked[:-1, None])
    mistakes = best.gather(-1, allowed.int().argmax(-1, keepdim=True))[:, 0]
    rows = fed.repeat(len(ids), 1)
    places = torch.arange(len(ids))
    rows[places, places + 1] = mistakes
    states, mask = memory.states.expand(len(ids), -1, -1), memory.mask.expand(len(ids), -1, -1, -1)
    wrong = model.decode(rows, type(memory)(states, mask)).argmax(-1)
    return Favourites(*(found.numpy() for found in (asked, mistakes, logits.argmax(-1), wrong)))


def exchange(translator: Translator, source: str, target: str) -> Exchanged:
    """The marks of :func:`favourites`."""
    asked, mistakes, truth, own = favourites(translator, source, target)
    wrong, places = own != asked, np.arange(len(mistakes))
    return Exchanged(truth != asked, wrong[places, places + 1], wrong[places[:-1], places[:-1] + 2])


class Example(NamedTuple):
    """One token exchanged, in words.

    Attributes:
        true, fed: the token of the translation, and the mistake in its place.
        after, later: the favourites at the token after the mistake, and at the one after that.
    """

    true: str
    fed: str
    after: str
    later: str

    def numbers(self) -> dict[str, str]:
        """What the page's text is given, by name."""
        return {"cup_fed": self.fed, "cup_after": self.after, "cup_later": self.later}


def example(translator: Translator, source: str, target: str, place: int) -> Example:
    """What becomes of one pair if the token at this place, from 0 on, is exchanged; two tokens at least follow it."""
    asked, mistakes, _, own = favourites(translator, source, target)
    ids = asked[place], mistakes[place], own[place, place + 1], own[place, place + 2]
    return Example(*(translator.subwords.decode([int(one)]).strip() for one in ids))


def settles(p: float, q: float) -> float:
    """Towards which share of wrong words a chain goes that errs with p after a right word and with q after a wrong one.

    Raises:
        ValueError: for q = 1 and p = 0, where it stays where it begins.
    """
    if p == 0 and q == 1:
        raise ValueError("without errors and without recovery the chain stays where it begins")
    return p / (1 - q + p)


class Chain(NamedTuple):
    """What a translator does after a mistake, over several pairs. Each share has its standard error over the pairs.

    Attributes:
        p: how often its favourite is wrong, fed the truth, from the second token on.
        q: how often it is at the token after one mistake.
        q_own: the same where the mistake was its own favourite, and how many these are.
        later: how often it is at the second token after the mistake.
    """

    p: Measured
    q: Measured
    q_own: Measured
    later: Measured

    def numbers(self) -> dict[str, str | int]:
        """What the page's text is given, by name."""
        return {
            "real_pairs": self.p.n,
            "real_p": f"{self.p:.0%}",
            "real_q": f"{self.q:.0%}",
            "real_q_own": f"{self.q_own:.0%}",
            "real_later": f"{self.later:.0%}",
            "real_settles": number(settles(self.p.value, self.q.value), ".0%"),
            "real_settles_own": number(settles(self.p.value, self.q_own.value), ".0%"),
        }


def chain(pairs: list[Exchanged]) -> Chain:
    """The shares of several pairs, each token counted alike."""
    return Chain(
        _share([pair.truth[1:] for pair in pairs]),
        _share([pair.after for pair in pairs]),
        _share([pair.after[pair.truth[:-1]] for pair in pairs]),
        _share([pair.later for pair in pairs]),
    )


def _share(marks: list[Marks]) -> Measured:
    counts = np.array([(mark.sum(), mark.size) for mark in marks])
    return Measured(*change(counts[:, 0].astype(float), counts[:, 1]), "error", len(marks))


def by_hand(translator: Translator) -> Chain:
    """Of the thirty sentences of :func:`attention_book.counting.hand_linked.linked_pairs`."""
    return chain([exchange(translator, pair.source, pair.target) for pair in linked_pairs()])
