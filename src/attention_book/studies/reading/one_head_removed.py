"""One sentence, fed with one translation, while the heads of cross-attention are removed one after the other."""

import math

import numpy as np
from jaxtyping import Float

from ...analysis.ablation import Head, attentions, without_heads
from ...counting.hand_linked import LinkedPair
from ...experiments.reading.links_by_hand import forced_words
from ...translation.token_probabilities import factors
from ...translation.translator import Translator


def _log_probs(translator: Translator, pair: LinkedPair) -> Float[np.ndarray, " pieces"]:
    return np.array([math.log(one.probability) for one in factors(translator, pair.source, pair.target, count=1)])


def gains(translator: Translator, pair: LinkedPair) -> Float[np.ndarray, "layers heads pieces"]:
    """What each piece of the pair's translation gains without each head of cross-attention.

    Args:
        translator: whose model; it is whole again afterwards.
        pair: a sentence and the translation that is fed, its end token counted.

    Returns:
        The log-probability of a piece without a head less that of the whole model, in nats.
    """
    layers = [(n, one.n_heads) for (kind, n), one in attentions(translator.model).items() if kind == "cross"]
    whole, found = _log_probs(translator, pair), []
    for layer, heads in layers:
        for head in range(heads):
            with without_heads(translator.model, [Head("cross", layer, head)]):
                found.append(_log_probs(translator, pair) - whole)
    return np.array(found).reshape(len(layers), -1, len(whole))


def told(translator: Translator, pair: LinkedPair, best: tuple[int, int]) -> dict[str, float | int | str]:
    """What the page says of a sentence, by name.

    Args:
        translator: whose model is asked.
        pair: the sentence and its translation.
        best: layer and number of the best aligner.

    Returns:
        ``gained``, nats per piece without the best aligner; ``costly``, the head whose removal costs most; and how many
        times as probable the first piece becomes without the one (``first_up``), and less probable without the other
        (``first_down``). Of the heads, ``n_like_best`` look most at the same word as the best aligner before the
        first word, and ``n_rightly`` at a word that it translates, and ``rightly`` names the latter.

    Raises:
        AssertionError: if the translation does not gain without the best aligner, or the costly head does not look most
            at a word that the first word translates, or the best aligner does; or if the first word does not become
            more probable without each head that looks where the best one does, and less without each of those that look
            rightly.
    """
    found, looks = gains(translator, pair), np.asarray(forced_words(translator, pair)["to come"][:, :, 0].argmax(-1))
    means = found.mean(axis=-1)
    layer, head = (int(n) for n in np.unravel_index(means.argmin(), means.shape))
    right = {i for i, j in pair.sure if j == 0}
    assert means[best] > 0 > means[layer, head], means
    assert int(looks[layer, head]) in right and int(looks[best]) not in right, looks
    like_best = found[looks == looks[best], 0]
    looks_rightly = np.isin(looks, list(right))
    assert min(like_best) > 0 > max(found[looks_rightly, 0]), found[..., 0]
    return {
        "gained": float(means[best]),
        "costly": f"{layer}.{head}",
        "first_up": math.exp(found[*best, 0]),
        "first_down": math.exp(-found[layer, head, 0]),
        "n_like_best": len(like_best),
        "n_rightly": int(looks_rightly.sum()),
        "rightly": ", ".join(f"{one}.{two}" for one, two in np.argwhere(looks_rightly)),
    }
