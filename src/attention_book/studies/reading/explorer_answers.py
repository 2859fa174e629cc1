"""Answers to the questions about the explorer *three attributions*, from the numbers that it shows."""

import numpy as np

from ...pages.explorers.translator.attributions import SENTENCES, attributed
from ...translation.translator import Translator


def answers(translator: Translator) -> dict[str, float | str]:
    """What the solutions are given, by name, of the first two sentences.

    The verb is the written piece that loses most when *like* is left out.
    """
    house, cats = (attributed(translator, text) for text in SENTENCES[:2])
    size = lambda name: float(np.abs(np.array(house[name])).max(1).mean())  # noqa: E731
    left, weight = np.array(house["leaving out"][0]), np.array(house["weights"][0])
    verb = int(np.array(cats["leaving out"])[:, cats["words"].index("like")].argmax())
    object_at = cats["words"].index("cats")
    return {
        "article_weight": house["words"][int(weight.argmax())],
        "article_left": house["words"][int(left.argmax())],
        "article_loss": float(left.max()),
        "size_gradient": size("gradient"),
        "size_integrated": size("integrated"),
        "size_left": size("leaving out"),
        "verb": cats["written"][verb],
        "verb_loss": cats["leaving out"][verb][object_at],
        "verb_weight": cats["weights"][verb][object_at],
        "verb_most": cats["words"][int(np.argmax(cats["weights"][verb]))],
    }
