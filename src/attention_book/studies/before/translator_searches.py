"""What searches cost and find on a translator: the space of translations, and the certain best."""

from collections.abc import Iterable

import torch
from jaxtyping import Int
from torch import Tensor

from ...analysis.seed_statistics import number
from ...pages.significant_digits import raised
from ...translation.best_first_search import best_first_search
from ...translation.decoding import beam_search, greedy_decode
from ...translation.translator import Translator

SILENT = "What is Iceland like? Is it as empty as Greenland?"
"""A sentence of our own whose most probable translation by ``en-es`` is empty."""


def source_ids(translator: Translator, text: str) -> Int[Tensor, "1 length"]:
    """A source sentence as ids, with its end."""
    return torch.tensor([[*translator.subwords.encode(text), translator.subwords.eos_id]])


def sequences(vocab: int, n_tokens: int, per_second: float = 1e9) -> dict[str, int | str]:
    """How many sequences of so many tokens there are, and how long it takes to look at all, rounded down.

    Args:
        vocab: size of the vocabulary.
        n_tokens: length of the sequences.
        per_second: how many of them are looked at in a second.

    Returns:
        ``ways``: the largest power of ten that is not more than their number, as text, such as "10²³";
        ``million_years``: the whole millions of years that it takes.
    """
    per_year = per_second * 3600 * 24 * 365
    power = len(str(vocab**n_tokens)) - 1
    return {"ways": f"10{raised(power)}", "million_years": int(vocab**n_tokens / per_year / 1e6)}


def all_translations(translator: Translator, text: str) -> dict[str, int | str]:
    """A greedy translation, and how many sequences of its length there are.

    Returns:
        ``vocab``, ``n_tokens`` with the end, the translation as ``cats_text``, and what :func:`sequences` gives.
    """
    vocab = translator.model.config.vocab_size
    (found,) = greedy_decode(translator.model, source_ids(translator, text))
    n_tokens = len(found.tokens)
    written = translator.subwords.decode(found.tokens)
    return {"vocab": vocab, "n_tokens": n_tokens, "cats_text": written} | sequences(vocab, n_tokens)


def empty_log_prob(translator: Translator, text: str) -> float:
    """The log-probability of the empty translation, the end token alone."""
    model, subwords = translator.model, translator.subwords
    with torch.no_grad():
        state = model.start(model.encode(source_ids(translator, text)))
        log_probs, _ = model.step(torch.tensor([subwords.bos_id]), state)
    return float(log_probs[0, subwords.eos_id])


def exact_rows(translator: Translator, texts: Iterable[str], most: int = 60) -> list[tuple[str, ...]]:
    """A row per sentence: the most probable translation, its log-probability, the prefixes, that of the empty one.

    Args:
        translator: to search.
        texts: source sentences.
        most: the search is given up after so many prefixes.
    """
    rows = []
    for text in texts:
        found = best_first_search(translator.model, source_ids(translator, text), max_expansions=most)
        bound, empty = number(found.bound, ".2f"), number(empty_log_prob(translator, text), ".1f")
        if found.hypothesis is None:
            rows.append((text, "not certain", f"at most {bound}", f"more than {most}", empty))
        else:
            best = translator.subwords.decode(found.hypothesis.tokens)
            rows.append((text, best, bound, str(found.expansions), empty))
    return rows


def silence(translator: Translator, text: str = SILENT, most: int = 1000) -> dict[str, str]:
    """A sentence, the log-probability of its empty translation, and what the usual search writes instead.

    Args:
        translator: to search.
        text: a source sentence.
        most: the search for the most probable translation is given up after so many prefixes.

    Returns:
        ``silent_source``, ``silent_log``; and of a beam of 4 with α = 0.6 ``spoken`` and ``spoken_log``.

    Raises:
        ValueError: if the most probable translation is not the empty one, or not certain.
    """
    found = best_first_search(translator.model, source_ids(translator, text), max_expansions=most).hypothesis
    if found is None or len(found.tokens) > 1:
        raise ValueError(f"the most probable translation of {text!r} is not known to be the empty one")
    (spoken,) = beam_search(translator.model, source_ids(translator, text), 4, 0.6)
    return {
        "silent_source": text,
        "silent_log": number(found.log_prob, ".1f"),
        "spoken": translator.subwords.decode(spoken.tokens),
        "spoken_log": number(spoken.log_prob, ".1f"),
    }
