"""How large the gradient of each decoder layer is before the first step, with the norm before or after each sublayer.

Xiong et al. 2020, §3.3, look at the same matrix, the second of the feed-forward network, in an encoder. For post-norm
there is also what each sublayer, and the norm in it by itself, does to the gradient that comes back through it.
"""

from functools import cache
from itertools import combinations

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ...analysis.recording import recording
from ...data.batching import Batch, token_batches
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
SUBLAYERS = {"self-attention": "add_self", "cross-attention": "add_cross", "feed-forward": "add_feed_forward"}
"""The sublayers of a decoder layer in their order, each with the name of its residual connection."""
PASSAGE_HEADER = ("sublayer", "through the norm", "through f", "both together")


def _model_and_batch(norm: str, n_layers: int, seed: int) -> tuple[Transformer, Batch]:
    """A fresh model without dropout, otherwise of the tiny preset, and one batch of the little language."""
    words = word_vocabulary("es")
    (batch, *_) = token_batches(encoded(sample(PAIRS, seed, "es"), words), 10_000, seed=0, epoch=0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(TransformerConfig.tiny(len(words), n_layers=n_layers, norm=norm, dropout=0.0))
    return model, batch


def _loss(model: Transformer, batch: Batch) -> Float[Tensor, ""]:
    return label_smoothed_cross_entropy(model(batch.src, batch.tgt_in), batch.tgt_out, smoothing=0.0)


def layer_gradients(norm: str, n_layers: int, seed: int) -> Float[np.ndarray, " layers"]:
    """The norm of the loss's derivative by the second feed-forward matrix of each decoder layer, the first one first.

    Args:
        norm: ``"pre"`` or ``"post"``.
        n_layers: in each stack; the sizes are otherwise those of the tiny preset.
        seed: of the matrices and of the sentences.
    """
    model, batch = _model_and_batch(norm, n_layers, seed)
    matrices = [layer.feed_forward.w_2.weight for layer in model.decoder.layers]
    return np.array([gradient.norm().item() for gradient in torch.autograd.grad(_loss(model, batch), matrices)])


def passages(n_layers: int, seed: int) -> Float[np.ndarray, "layers sublayers 3"]:
    r"""What is left of a gradient on its way back through each sublayer of a post-norm decoder.

    With :math:`y = \operatorname{LayerNorm}(x + f(x))`, and with lengths over all positions of the batch, these are
    three quotients: the length of the derivative by the sum, that of the part of the derivative by x that came through
    f, and that of the whole derivative by x, each divided by the length of the derivative by y.

    Args:
        n_layers: in each stack.
        seed: of the matrices and of the sentences.
    """
    model, batch = _model_and_batch("post", n_layers, seed)
    connections = [getattr(layer, name) for layer in model.decoder.layers for name in SUBLAYERS.values()]
    with recording(*connections, *(one.norm for one in connections)) as calls:
        loss = _loss(model, batch)
    wanted = []
    for one in connections:
        (whole,), (norm,) = calls[one], calls[one.norm]
        wanted += [whole.inputs[0], norm.inputs[0], norm.output]
    found = torch.autograd.grad(loss, wanted)
    quotients = [
        [one.norm() / last.norm() for one in (middle, first - middle, first)]
        for first, middle, last in zip(found[::3], found[1::3], found[2::3], strict=True)
    ]
    return torch.tensor(quotients).reshape(n_layers, len(SUBLAYERS), 3).numpy()


@cache
def passed(n_layers: int = 12) -> Float[np.ndarray, "sublayers 3"]:
    """The geometric means of :func:`passages` over layers and seeds, since what happens one after the other multiplies.

    Args:
        n_layers: in each stack.
    """
    return np.exp(np.log(np.stack([passages(n_layers, seed) for seed in SEEDS])).mean(axis=(0, 1)))


def passage_rows(n_layers: int = 12) -> list[tuple[str, ...]]:
    """A row per sublayer for `PASSAGE_HEADER`, in the order of `SUBLAYERS`."""
    return [(name, *(f"{one:.2f}" for one in row)) for name, row in zip(SUBLAYERS, passed(n_layers), strict=True)]


@cache
def memory_alikeness(n_layers: int = 12) -> float:
    """The mean cosine between two rows of the memory of one sentence, before the first step, in post-norm.

    Args:
        n_layers: in each stack.
    """
    found = []
    for seed in SEEDS:
        model, batch = _model_and_batch("post", n_layers, seed)
        with torch.no_grad():
            memory = model.encode(batch.src)
        for rows, real in zip(F.normalize(memory.states, dim=-1), memory.mask[:, 0, 0], strict=True):
            found += [float(one @ other) for one, other in combinations(rows[real], 2)]
    return float(np.mean(found))


def passage_numbers(n_layers: int = 12) -> dict[str, float | int]:
    """What the text on :func:`passed` is given, by name.

    Returns:
        ``cross_both``, what cross-attention leaves of a gradient; ``cross_together``, by how much the cross-attentions
        of all layers but the first divide it; and ``memory_cosine``.
    """
    left = float(passed(n_layers)[[*SUBLAYERS].index("cross-attention"), -1])
    return {
        "cross_both": left,
        "cross_together": round(left ** (1 - n_layers)),
        "memory_cosine": memory_alikeness(n_layers),
    }


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
