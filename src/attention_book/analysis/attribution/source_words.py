r"""What a written token depends on: four attributions to the source of a Transformer, for one sentence and its target.

Each is a matrix with one row per written token and one column per source token. The last three explain the same
number, the log-probability of the written token, given the source and the tokens before it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...models.transformer import Transformer

METHODS = ("weights", "gradient", "integrated", "leaving out")
STEPS = 64
"""Points between nothing and the sentence, at which integrated gradients take the gradient."""

Source = Int[Tensor, " src_len"]
Target = Int[Tensor, " one_more_than_written"]
Attribution = Float[Tensor, "written src_len"]


def _check(model: Transformer, src: Source, tgt: Target) -> None:
    """Refuse a model that drops at random, and what is not one sentence and its target."""
    if model.training:
        raise ValueError("attributions need a model without dropout: call model.eval() first")
    if src.dim() != 1 or tgt.dim() != 1:
        raise ValueError(f"src and tgt are one sentence each, got shapes {tuple(src.shape)} and {tuple(tgt.shape)}")
    if not len(src) or len(tgt) < 2:
        raise ValueError("there must be a source token, and a target token after <s>")


@contextmanager
def reading(model: Transformer, vectors: Float[Tensor, "rows src_len d_model"]) -> Iterator[None]:
    """While the context lasts, the encoder reads these vectors in place of its tokens' embeddings."""
    handle = model.src_embedding.register_forward_hook(lambda *_: vectors)
    try:
        yield
    finally:
        handle.remove()


def log_probs(model: Transformer, src: Int[Tensor, "rows src_len"], tgt: Target) -> Float[Tensor, "rows written"]:
    """ln P of every written token, for each of several sources.

    Args:
        model: in evaluation mode.
        src: source ids with ``</s>``, one source per row.
        tgt: one target for all of them: ``<s>``, then the written tokens.
    """
    logits = model(src, tgt[:-1].expand(len(src), -1))
    asked = tgt[1:].expand(len(src), -1)
    return logits.log_softmax(-1).gather(-1, asked[..., None])[..., 0]


def cross_weights(model: Transformer, src: Source, tgt: Target) -> Attribution:
    """The cross-attention weights of each written token's row, mean over heads and layers; every row sums to 1."""
    _check(model, src, tgt)
    with torch.no_grad():
        weights = model.attention_weights(src[None], tgt[None, :-1])["cross"]
    return weights[:, 0].mean((0, 1))


def gradients(
    model: Transformer, src: Source, tgt: Target, scale: int | float = 1.0
) -> Float[Tensor, "written src_len d_model"]:
    r"""The derivatives of each written token's log-probability with respect to each source embedding.

    Args:
        model: in evaluation mode.
        src: source ids with ``</s>``.
        tgt: ``<s>``, then the written tokens.
        scale: the embeddings are multiplied by it before the gradient is taken.
    """
    x = model.src_embedding.weight[src].detach() * scale
    copies = x.repeat(len(tgt) - 1, 1, 1).requires_grad_()
    with torch.enable_grad(), reading(model, copies):
        one_each = log_probs(model, src.expand(len(copies), -1), tgt)
        total = one_each.diagonal().sum()  # copy t, token t
    return torch.autograd.grad(total, copies)[0]


def gradient_times_input(model: Transformer, src: Source, tgt: Target) -> Attribution:
    r"""How fast ln P of a written token changes as a source embedding grows: its gradient, dotted with it.

    .. math:: a_{tj} = x_j \cdot \frac{\partial \ln P(y_t)}{\partial x_j}

    Args:
        model: in evaluation mode.
        src: source ids with ``</s>``.
        tgt: ``<s>``, then the written tokens.

    Raises:
        ValueError: if the model is in training mode, or one of the two is empty or not one sentence.
    """
    _check(model, src, tgt)
    x = model.src_embedding.weight[src].detach()
    return (gradients(model, src, tgt) * x).sum(-1)


def integrated_gradients(model: Transformer, src: Source, tgt: Target, steps: int = STEPS) -> Attribution:
    r"""The mean of gradient × input on the straight way from no embedding at all to the sentence's.

    .. math:: a_{tj} = x_j \cdot \int_0^1 \frac{\partial \ln P(y_t)}{\partial x_j}(\alpha x)\, d\alpha

    Sundararajan et al. 2017, §3, equation 1, with the baseline 0: the positions stay, the words go. Completeness,
    their proposition 1: a row sums to ln P of the token minus its ln P without any embedding.

    Args:
        model: in evaluation mode.
        src: source ids with ``</s>``.
        tgt: ``<s>``, then the written tokens.
        steps: points on the way, from `points_and_shares`.

    Raises:
        ValueError: as :func:`gradient_times_input`, or for fewer than one step.
    """
    _check(model, src, tgt)
    if steps < 1:
        raise ValueError(f"steps={steps}: the integral needs at least one point")
    x = model.src_embedding.weight[src].detach()
    mean = sum(share * gradients(model, src, tgt, point) for point, share in points_and_shares(steps))
    return (mean * x).sum(-1)


def points_and_shares(steps: int) -> list[tuple[float, float]]:
    r"""Points :math:`\alpha` between 0 and 1, closer together near 0, and the share of the way that each stands for.

    :math:`\alpha = u^2` at the midpoints of ``steps`` equal parts for u; the shares :math:`2u` / steps sum to 1.
    """
    middles = [(k + 0.5) / steps for k in range(steps)]
    return [(u * u, 2 * u / steps) for u in middles]


def without_any_word(model: Transformer, src: Source, tgt: Target) -> Float[Tensor, " written"]:
    """ln P of every written token when all source embeddings are 0: where integrated gradients begin."""
    _check(model, src, tgt)
    nothing = torch.zeros_like(model.src_embedding.weight[src])[None]
    with torch.no_grad(), reading(model, nothing):
        return log_probs(model, src[None], tgt)[0]


def loss_by_change(
    model: Transformer, src: Source, changed: Int[Tensor, " changed_len"], tgt: Target
) -> Float[Tensor, " written"]:
    """How much ln P each written token loses when the source is another: positive where the change hurts it."""
    _check(model, src, tgt)
    _check(model, changed, tgt)
    with torch.no_grad():
        whole = log_probs(model, src[None], tgt)[0]
        return whole - log_probs(model, changed[None], tgt)[0]


def leaving_out(
    model: Transformer, src: Source, tgt: Target, words: Sequence[Sequence[int]]
) -> Float[Tensor, "written words"]:
    r"""How much ln P each written token loses when one word of the source is left out.

    .. math:: a_{tj} = \ln P(y_t \mid x) - \ln P(y_t \mid x \text{ without word } j)

    Args:
        model: in evaluation mode.
        src: source ids with ``</s>``.
        tgt: ``<s>``, then the written tokens.
        words: the places of each word's tokens; the words behind a gap move up.

    Raises:
        ValueError: as :func:`gradient_times_input`, or if a word is the whole source.
    """
    columns = []
    for word in words:
        kept = [j for j in range(len(src)) if j not in word]
        columns.append(loss_by_change(model, src, src[kept], tgt))
    return torch.stack(columns, dim=1)


def by_word(attribution: Attribution, words: Sequence[Sequence[int]]) -> Float[Tensor, "written words"]:
    """An attribution to tokens as one to words: a word has the sum of its tokens."""
    return torch.stack([attribution[:, list(word)].sum(-1) for word in words], dim=1)


def attributions(
    model: Transformer, src: Source, tgt: Target, words: Sequence[Sequence[int]], steps: int = STEPS
) -> dict[str, Float[Tensor, "written words"]]:
    """All four by their names in `METHODS`, one column per word."""
    of_tokens: dict[str, Callable[[], Tensor]] = {
        "weights": lambda: cross_weights(model, src, tgt),
        "gradient": lambda: gradient_times_input(model, src, tgt),
        "integrated": lambda: integrated_gradients(model, src, tgt, steps),
    }
    found = {name: by_word(compute(), words) for name, compute in of_tokens.items()}
    return found | {"leaving out": leaving_out(model, src, tgt, words)}
