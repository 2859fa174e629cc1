"""M rows about what heads do, measured in the translator of the book; its heads speak for no other model's."""

import math
from typing import Any

import torch

from ... import experiments
from ...attention.probability import entropy
from ...translation.shipped_translator import SENTENCES, encoder_weights
from ..claim import Claim, Verdict


def head_habits() -> dict[str, Any]:
    """M12: each encoder head's entropy, and the largest mean weight that it puts at one fixed distance."""
    entropies, at_distance, rows = 0, {}, 0
    for sentence in SENTENCES:
        weights = encoder_weights(sentence)  # (layers, heads, length, length)
        length = weights.shape[-1]
        entropies = entropies + (entropy(weights) / math.log(length)).sum(dim=-1)
        rows += length
        for distance in range(1 - length, length):
            found = weights.diagonal(distance, dim1=-2, dim2=-1).sum(dim=-1)
            at_distance[distance] = at_distance.get(distance, 0) + found
    distances = sorted(at_distance)
    largest, place = torch.stack([at_distance[distance] for distance in distances]).max(dim=0)
    return {
        "sentences": len(SENTENCES),
        "entropy_share": (entropies / rows).flatten().tolist(),
        "largest_weight_at_one_distance": (largest / rows).flatten().tolist(),
        "distance": [distances[i] for i in place.flatten().tolist()],
    }


def decide_head_habits(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M12: heads differ; that each has a field of its own is not shown by that."""
    at_one, shares, heads = value["largest_weight_at_one_distance"], value["entropy_share"], len(value["distance"])
    steady = [distance for distance, weight in zip(value["distance"], at_one, strict=True) if weight > 0.5]
    if max(shares) - min(shares) < 0.01:
        return (
            "wrong",
            f"The {heads} heads are alike: their entropies are within {max(shares) - min(shares):.3f} of the most.",
        )
    if len(steady) == heads:
        return "misleading", f"All {heads} heads do specialise, in a fixed distance and not in syntax or semantics."
    listed = ", ".join(f"{distance:+d}" for distance in steady).replace("-", "−")
    why = (
        f"Heads differ: on {value['sentences']} sentences the {heads} encoder heads of the translator spread their "
        f"weights over {100 * min(shares):.0f} to {100 * max(shares):.0f} % of the entropy possible. {len(steady)} of "
        f"them put more than half of their weight at one distance ({listed}). The others show no such habit, and "
        "nothing here gives each head a field of its own, let alone syntax or semantics."
    )
    return "unsupported", why


def nouns_of_it() -> dict[str, Any]:
    """M17: what *pronoun-sentences* measured in all heads, on sentences that mean the first noun or the second."""
    (found,) = experiments.read("pronoun-sentences")["seeds"].values()
    names = ("sentences", "on_nouns", "on_nouns_interval", "even", "both", "best", "chosen", "chosen_interval")
    return {name: found[name] for name in names}


def decide_nouns_of_it(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M17: all heads, in one model, on sentences of our own."""
    low, high = value["on_nouns_interval"]
    mean, even = sum(value["on_nouns"]) / len(value["on_nouns"]), value["even"]
    found, best = value["chosen_interval"], 100 * value["chosen"]
    measured = (
        f"On {value['sentences']} sentences with two nouns before the pronoun, the {len(value['on_nouns'])} heads of "
        f"the translator's encoder give both nouns together {mean:.3f} of its weight on average (95 % interval "
        f"{low:.3f} to {high:.3f}); an even row would give them {even:.3f}. Each of the two gets more than its even "
        f"share in {100 * value['both']:.0f} % of the rows. The head that prefers the right noun most often in one "
        f"half of the sentences does so in {best:.0f} % of the other half ({100 * found[0]:.0f} to "
        f"{100 * found[1]:.0f} %), and a "
        "head that always prefers the first noun in 50 %"
    )
    if value["both"] > 0.95:
        return "right", f"{measured}."
    if low > even:
        return "misleading", f"{measured}. More than an even share is no habit of all heads, and no understanding."
    return ("wrong" if high < even else "unsupported"), f"{measured}."


CLAIMS = (
    Claim(
        "M12",
        "Every head has a speciality, such as syntax or semantics.",
        head_habits,
        decide_head_habits,
        "translator/do-heads-differ#do-heads-differ",
    ),
    Claim(
        "M17",
        'In a sentence about a chicken walking on a road, the word "it" attends to the chicken and to the road.',
        nouns_of_it,
        decide_nouns_of_it,
        "translator/which-bank#three-uses-it",
    ),
)
