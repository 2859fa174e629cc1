"""Answers to the questions about the explorer *three attributions*, from the numbers that it shows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ...analysis.attribution.source_words import log_probs
from ...pages.explorers.translator.attributions import SENTENCES, attributed
from ...translation.translator import Translator


def answers(translator: Translator) -> dict[str, float | str]:
    """What the solutions are given, by name, of the first three sentences.

    The verb is the written piece that loses most when *like* is left out.

    Raises:
        AssertionError: if *Las* and *la* are not the two pieces of the third that look most at one word and lose most
            without another.
    """
    house, cats, girls = (attributed(translator, text) for text in SENTENCES[:3])
    (las, *las_told), (la, *la_told) = look_elsewhere(girls)
    assert (las, la) == ("Las", "la"), (las, la)
    size = lambda name: float(np.abs(np.array(house[name])).max(1).mean())  # noqa: E731
    verb = int(np.array(cats["leaving out"])[:, cats["words"].index("like")].argmax())
    object_at = cats["words"].index("cats")
    return {
        **dict(zip(("las_looks", "las_needs", "las_loss"), las_told, strict=True)),
        **dict(zip(("la_looks", "la_needs", "la_loss"), la_told, strict=True)),
        "size_gradient": size("gradient"),
        "size_integrated": size("integrated"),
        "size_left": size("leaving out"),
        "verb": cats["written"][verb],
        "verb_loss": cats["leaving out"][verb][object_at],
        "verb_weight": cats["weights"][verb][object_at],
        "verb_most": cats["words"][int(np.argmax(cats["weights"][verb]))],
    }


def look_elsewhere(shown: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """The written pieces that look most at one word and lose most without another, in the order of writing.

    Args:
        shown: what `attributed` gives for a sentence.

    Returns:
        For each the piece, the word with its largest weight, the word without which it loses most, and that loss in
        nats.
    """
    found = []
    for piece, weights, lost in zip(shown["written"], shown["weights"], shown["leaving out"], strict=True):
        looks, needs = int(np.argmax(weights)), int(np.argmax(lost))
        if looks != needs:
            found.append((piece, shown["words"][looks], shown["words"][needs], float(lost[needs])))
    return found


def first_word(translator: Translator, house: Mapping[str, Any]) -> dict[str, float]:
    """What the page says of the *La* of *The red house is old.*, by name.

    Args:
        translator: the one that was asked.
        house: what `attributed` gives for the sentence.

    Returns:
        The weights on *The* and *house*; the probability of *La*, and what is left of it without each of the two words;
        and how many nats *La* loses if *The* is cut off, or if the sentence is written without it.

    Raises:
        AssertionError: if the model does not look more at *The*, or does not lose more without *house*.
    """
    the, noun = (house["words"].index(word) for word in ("The", "house"))
    weights, lost = np.array(house["weights"][0]), np.array(house["leaving out"][0])
    assert weights[the] == weights.max() and lost[noun] == lost.max(), (weights, lost)
    whole = house["probability"][0]
    subwords = translator.subwords
    src = torch.tensor([*subwords.encode("red house is old."), subwords.eos_id])
    tgt = torch.tensor([subwords.bos_id, *subwords.encode(house["target"])])
    with torch.no_grad():
        written = float(log_probs(translator.model.eval(), src[None], tgt)[0, 0])
    return {
        "weight_the": float(weights[the]),
        "weight_house": float(weights[noun]),
        "p_whole": whole,
        "p_without_house": whole * float(np.exp(-lost[noun])),
        "p_without_the": whole * float(np.exp(-lost[the])),
        "lost_cut": float(lost[the]),
        "lost_written": float(np.log(whole)) - written,
    }
