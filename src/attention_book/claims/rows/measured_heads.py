"""M rows about what heads do, measured in the translator of the book; its heads speak for no other model's."""

import math
from typing import Any

import torch

from ...attention.probability import entropy
from ...studies.heads.pronoun_rows import chicken_and_road
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


def decide_chicken_and_road(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M17: some heads, in one model, on one sentence."""
    even, heads = value["even_share"], len(value["chicken"])
    mean = {noun: sum(value[noun]) / heads for noun in ("chicken", "road")}
    both = sum(min(pair) > even for pair in zip(value["chicken"], value["road"], strict=True))
    found = (
        f"an even share would be {even:.3f}; the chicken gets {min(value['chicken']):.3f} to "
        f"{max(value['chicken']):.3f}, {mean['chicken']:.3f} on average, and the road {min(value['road']):.3f} to "
        f"{max(value['road']):.3f}, {mean['road']:.3f} on average"
    )
    if both == heads:
        return "right", f"In all {heads} heads both get more than an even share: {found}."
    why = (
        f"In the translator's encoder both get more than an even share in {both} of {heads} heads: {found}. Most heads "
        "look elsewhere, and every word gets some weight. One sentence and one model promise nothing for another, and "
        "a weight is no proof that the pronoun was understood."
    )
    return ("unsupported" if both else "wrong"), why


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
        chicken_and_road,
        decide_chicken_and_road,
        "translator/what-each-use-is-for#three-uses-it",
    ),
)
