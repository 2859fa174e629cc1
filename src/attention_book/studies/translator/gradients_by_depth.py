"""How large the gradient of each decoder layer is before the first step, with the norm before or after each sublayer.

Xiong et al. 2020, §3.3, look at the same matrix, the second of the feed-forward network, in an encoder.
"""

from functools import cache

import numpy as np
import torch
from jaxtyping import Float

from ...data.batching import token_batches
from ...experiments.little_language_study import encoded
from ...little_language.language import sample, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.losses import label_smoothed_cross_entropy

DEPTHS = (2, 12)
"""Numbers of layers in each stack."""
SEEDS = (0, 1, 2, 3, 4)
PAIRS = 16
"""Sentence pairs of the little language in the one batch of each seed."""


def layer_gradients(norm: str, n_layers: int, seed: int) -> Float[np.ndarray, " layers"]:
    """The norm of the loss's derivative by the second feed-forward matrix of each decoder layer, the first one first.

    Args:
        norm: ``"pre"`` or ``"post"``.
        n_layers: in each stack; the sizes are otherwise those of the tiny preset.
        seed: of the matrices and of the sentences.
    """
    words = word_vocabulary("es")
    (batch, *_) = token_batches(encoded(sample(PAIRS, seed, "es"), words), 10_000, seed=0, epoch=0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(TransformerConfig.tiny(len(words), n_layers=n_layers, norm=norm, dropout=0.0))
    loss = label_smoothed_cross_entropy(model(batch.src, batch.tgt_in), batch.tgt_out, smoothing=0.0)
    matrices = [layer.feed_forward.w_2.weight for layer in model.decoder.layers]
    return np.array([gradient.norm().item() for gradient in torch.autograd.grad(loss, matrices)])


@cache
def gradients(norm: str, n_layers: int) -> Float[np.ndarray, "seeds layers"]:
    """:func:`layer_gradients` for every seed."""
    return np.stack([layer_gradients(norm, n_layers, seed) for seed in SEEDS])


def last_over_first(norm: str, n_layers: int) -> Float[np.ndarray, " seeds"]:
    """How many times as large the gradient of the last decoder layer is as that of the first, by seed."""
    found = gradients(norm, n_layers)
    return found[:, -1] / found[:, 0]


def numbers() -> dict[str, str]:
    """What the page's text is given: the least and the greatest :func:`last_over_first` of each kind and depth."""
    digits = {("post", 12): 0}
    quotients = {(norm, n): last_over_first(norm, n) for norm in ("pre", "post") for n in DEPTHS}
    return {
        f"{norm}_{n}": f"{found.min():.{digits.get((norm, n), 1)}f} to {found.max():.{digits.get((norm, n), 1)}f}"
        for (norm, n), found in quotients.items()
    }


def by_pencil(n_layers: int = 12) -> dict[str, float | int | str]:
    """What the page reckons before it measures: norms that divide by √2, and the share that the measured ones take off.

    The gradient of the first layer's matrix comes through the norms of all later layers, three in each.
    """
    between = 3 * (n_layers - 1)
    taken = 100 * (1 - last_over_first("post", n_layers) ** (-1 / between))
    return {
        "norms_between": between,
        "root_two": int(round(2 ** (between / 2), -3)),
        "root_two_share": 100 * (1 - 2**-0.5),
        "per_norm": f"{taken.min():.0f} to {taken.max():.0f} %",
    }


def lines(n_layers: int) -> dict[str, tuple[Float[np.ndarray, " layers"], Float[np.ndarray, " layers"]]]:
    """Layer, counted from 0, and gradient, mean over the seeds, for both kinds at one depth; and the pencil's guess.

    The guess begins at the last layer of post-norm, and divides by √2 at each of the three norms of a layer.
    """
    at = np.arange(float(n_layers))
    measured = {f"{norm}-norm": (at, gradients(norm, n_layers).mean(axis=0)) for norm in ("pre", "post")}
    last = measured["post-norm"][1][-1]
    return {**measured, "√2 per norm": (at, last * 2.0 ** (1.5 * (at - at[-1])))}


def lines_told(n_layers: int) -> str:
    """:func:`lines` in words."""
    told = [
        f"{name}: {y[0]:.2g} at the first layer, {y[-1]:.2g} at the last" for name, (_, y) in lines(n_layers).items()
    ]
    return f"Gradient of each decoder layer before the first step, {n_layers} layers. {'; '.join(told)}."
