"""The translator that comes with the book, loaded once, and a few sentences of our own to ask it about."""

from functools import cache

import torch
from torch import Tensor

from ..models.transformer import Transformer
from .translator import Translator

SENTENCES = (
    "I like cats.",
    "She has never been to Paris.",
    "If it rains tomorrow, we will stay at home.",
    "Who told you that the train was late?",
    "Nobody knew why the dog was barking.",
    "We would have come earlier if you had called us.",
    "The book that you are looking for is on the table.",
    "The old man who lives next door gave me a book about the sea.",
)


@cache
def shipped() -> Translator:
    """The English–Spanish translator, in double precision; loaded once, and not to be changed."""
    translator = Translator.from_pretrained("en-es")
    translator.model.double().eval().requires_grad_(False)
    return translator


def model() -> Transformer:
    """Its Transformer."""
    return shipped().model


def ids(text: str, start: bool = False) -> Tensor:
    """A sentence as (1, length) ids: a source, which ends in ``</s>``, or a target, which starts with ``<s>``."""
    subwords = shipped().subwords
    encoded = subwords.encode(text)
    return torch.tensor([[subwords.bos_id, *encoded] if start else [*encoded, subwords.eos_id]])


def encoder_weights(text: str) -> Tensor:
    """The encoder's attention weights for a sentence, (layers, heads, length, length)."""
    found = model().attention_weights(ids(text), torch.tensor([[shipped().subwords.bos_id]]))
    return found["encoder_self"][:, 0]
