"""Does a head of the translator's encoder give *it* to the noun that *it* stands for?

Sentences come in twos. Both have the same nouns at the same places and the same *it*; only the end differs, and with
it the noun that a reader takes *it* for: the first in one sentence, the second in the other. So a head that looks a
fixed distance back, or at the first noun, or at the noun it likes better, is right in exactly half of the sentences.

With a dozen heads, the best of them looks good by chance. So the head is chosen on half of the twos and measured on the
other half, and then the other way round.
"""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from ...translation.shipped_translator import encoder_weights, shipped

QUESTION = "Does the translator's encoder give the pronoun it to the noun that it stands for?"
CONFIGURATION = {
    "model": "en-es",
    "resamples": 2_000,
    "twos": [
        ["The {cup} does not fit into the {box} because it is too", "big", "small"],
        ["The {car} cannot pass through the {gate} because it is too", "wide", "narrow"],
        ["The {cat} sleeps on the {chair} because it is", "tired", "soft"],
        ["The {horse} drank from the {river} because it was", "thirsty", "clean"],
        ["The {chicken} is walking on the {road}, and it is", "hungry", "long"],
        ["The {bird} sits on the {roof} because it is", "hungry", "flat"],
        ["The {mouse} hid in the {shoe} because it was", "afraid", "empty"],
        ["The {book} does not fit on the {shelf} because it is too", "thick", "full"],
        ["The {truck} could not drive over the {bridge} because it was too", "heavy", "weak"],
        ["The {ship} could not enter the {harbor} because it was too", "big", "small"],
        ["The {dog} did not drink the {water} because it was", "sick", "dirty"],
        ["The {cow} did not eat the {grass} because it was", "ill", "dry"],
        ["The {cat} did not eat the {fish} because it was not", "hungry", "fresh"],
        ["The {horse} did not cross the {river} because it was", "afraid", "deep"],
        ["The {stone} broke the {window} because it was", "heavy", "thin"],
        ["The {letter} did not fit into the {envelope} because it was too", "long", "small"],
        ["The {bear} slept in the {cave} because it was", "tired", "dark"],
        ["The {fox} could not catch the {rabbit} because it was too", "slow", "fast"],
        ["The {cat} could not climb the {wall} because it was too", "weak", "high"],
        ["The {dog} barked at the {train} because it was", "scared", "noisy"],
        ["The {elephant} broke the {chair} because it was too", "heavy", "weak"],
        ["The {knife} did not cut the {bread} because it was too", "dull", "hard"],
        ["The {sofa} does not go through the {door} because it is too", "wide", "narrow"],
        ["The {coat} does not fit into the {bag} because it is too", "thick", "small"],
        ["The {car} hit the {tree} because it was", "driving too fast", "standing in the way"],
        ["The {monkey} took the {banana} because it was", "hungry", "ripe"],
        ["The {horse} could not carry the {bag} because it was", "tired", "heavy"],
        ["The {lamp} did not light the {room} because it was too", "weak", "big"],
        ["The {dog} jumped over the {fence} because it was", "strong", "low"],
        ["The {boat} cannot pass under the {bridge} because it is too", "high", "low"],
        ["The {water} does not go into the {bottle} because it is", "frozen", "closed"],
        ["The {bird} could not leave the {cage} because it was", "injured", "closed"],
    ],
}
"""``twos``: a beginning with both nouns in braces, an end with which *it* is the first noun, and one with which it is
the second. ``resamples``: how often the twos are drawn anew, with repetition, for an interval."""
SEEDS = [0]


def sentences(two: list[str]) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both sentences of a two, and both nouns."""
    beginning, *ends = two
    nouns = tuple(part.split("}")[0] for part in beginning.split("{")[1:])
    plain = beginning.replace("{", "").replace("}", "")
    return tuple(f"{plain} {end}." for end in ends), nouns


def places(tokens: list[str], word: str) -> list[int]:
    """The places of the pieces of a word that stands in a sentence once.

    Raises:
        ValueError: if no piece, or more than one, begins the word.
    """
    found = []
    for start, token in enumerate(tokens):
        if not token.startswith("▁"):
            continue
        end = start + 1
        while end < len(tokens) and not tokens[end].startswith(("▁", "<")) and tokens[end][0].isalpha():
            end += 1
        if "".join(tokens[start:end]) == f"▁{word}":
            found.append(list(range(start, end)))
    if len(found) != 1:
        raise ValueError(f"{word!r} stands {len(found)} times in {tokens}, and once is needed")
    return found[0]


def weights_of_it(text: str, nouns: tuple[str, str]) -> Float[np.ndarray, "heads 4"]:
    """What each encoder head gives from *it* to the first noun and to the second, and what an even row would give them.

    A noun of several pieces gets the sum of their weights.
    """
    subwords = shipped().subwords
    tokens = [*subwords.tokens(subwords.encode(text)), "</s>"]
    row = encoder_weights(text).flatten(0, 1)[:, places(tokens, "it")[0]]
    given = [row[:, places(tokens, noun)].sum(dim=1).numpy() for noun in nouns]
    even = [np.full(len(row), len(places(tokens, noun)) / len(tokens)) for noun in nouns]
    return np.stack([*given, *even], axis=1)


def measure(twos: list[list[str]]) -> Float[np.ndarray, "twos 2 heads 4"]:
    """:func:`weights_of_it` for both sentences of each two."""
    return np.array([[weights_of_it(text, nouns) for text in texts] for texts, nouns in map(sentences, twos)])


def right_choices(weights: Float[np.ndarray, "twos 2 heads 4"]) -> Bool[np.ndarray, "twos 2 heads"]:
    """Whether the noun that *it* stands for gets more weight than the other one."""
    first, second = weights[..., 0], weights[..., 1]
    return np.stack([first[:, 0] > second[:, 0], second[:, 1] > first[:, 1]], axis=1)


def chosen_elsewhere(right: Bool[np.ndarray, "twos 2 heads"]) -> tuple[Float[np.ndarray, " twos"], list[int]]:
    """For each two, how often the head is right that did best on the other half of the twos; and the two heads.

    The halves are the twos of even and of odd number.
    """
    found, heads = np.empty(len(right)), []
    for half in (0, 1):
        best = int(right[1 - half :: 2].mean(axis=(0, 1)).argmax())
        found[half::2] = right[half::2, :, best].mean(axis=1)
        heads.append(best)
    return found, heads


def interval(shares: Float[np.ndarray, " twos"], resamples: int, draw: np.random.Generator) -> list[float]:
    """The 95 % interval of a mean over the twos, by drawing as many of them with repetition."""
    drawn = draw.integers(len(shares), size=(resamples, len(shares)))
    return [round(float(q), 5) for q in np.quantile(shares[drawn].mean(axis=1), (0.025, 0.975))]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Measure all heads on all sentences.

    Returns:
        ``sentences``; for each head ``right``, the share of right choices, ``first``, the share of sentences in which
        the first noun gets more weight than the second, and ``on_nouns``, the mean weight of both together; ``even``,
        what an even row would give them; ``both``: in what share of sentences and heads each noun gets more than from
        an even row; ``best``: the largest ``right``; ``chosen``, the share right of heads chosen on the
        other half, with ``chosen_interval`` and ``chosen_heads``; ``on_nouns_interval`` for the mean of all heads.
    """
    draw = np.random.default_rng(seed)
    weights = measure(configuration["twos"])
    right = right_choices(weights)
    chosen, heads = chosen_elsewhere(right)
    nouns = weights[..., :2].sum(axis=-1)
    rounded = lambda values: [round(float(value), 5) for value in values]  # noqa: E731
    return {
        "tokens": 0,
        "sentences": 2 * len(right),
        "right": rounded(right.mean(axis=(0, 1))),
        "first": rounded((weights[..., 0] > weights[..., 1]).mean(axis=(0, 1))),
        "on_nouns": rounded(nouns.mean(axis=(0, 1))),
        "on_nouns_interval": interval(nouns.mean(axis=(1, 2)), configuration["resamples"], draw),
        "even": round(float(weights[..., 2:].sum(axis=-1).mean()), 5),
        "both": round(float((weights[..., :2] > weights[..., 2:]).all(axis=-1).mean()), 5),
        "best": round(float(right.mean(axis=(0, 1)).max()), 5),
        "chosen": round(float(chosen.mean()), 5),
        "chosen_interval": interval(chosen, configuration["resamples"], draw),
        "chosen_heads": heads,
    }
