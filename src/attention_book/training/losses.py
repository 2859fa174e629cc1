"""The loss that the translators are trained with."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def label_smoothed_cross_entropy(
    logits: Float[Tensor, "*batch vocab_size"],
    targets: Int[Tensor, "*batch"],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    r"""Cross-entropy against targets that are not quite certain, averaged over the tokens that are not padding.

    The target distribution keeps :math:`1 - \varepsilon` on the true token y and spreads ε evenly over the whole
    vocabulary, y included: :math:`q_i = (1 - \varepsilon)\,[i = y] + \varepsilon / V` (Szegedy et al. 2016, §7; Vaswani
    et al. 2017, §5.4). With :math:`\log p_i = z_i - \log\sum_j e^{z_j}` the loss of one token is

    .. math:: -\sum_i q_i \log p_i = -(1 - \varepsilon)\,\log p_y - \frac{\varepsilon}{V}\sum_i \log p_i

    Args:
        logits: scores z before the softmax.
        targets: true token ids; positions that hold ``pad_id`` count neither above nor below the fraction line.
        smoothing: ε, from 0 to below 1.
        pad_id: the id of the padding token.

    Returns:
        The mean in nats per token, equal to ``F.cross_entropy(..., label_smoothing=ε, ignore_index=pad_id)``; if
        every target is padding, 0 (where torch's mean over nothing is NaN). Half precision is computed and returned in
        float32.

    Raises:
        ValueError: if ε is outside [0, 1).

    Pitfall: with ε > 0 the loss of a perfect model is not 0 but the entropy of the smoothed target, and
    exp(loss) is no perplexity.
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))  # a sum of losses overflows half precision
    log_probs = logits.log_softmax(dim=-1)  # (*batch, vocab_size)
    real = targets != pad_id
    known = torch.where(real, targets, 0)  # pad_id need not be an id of the vocabulary
    each = -(1 - smoothing) * log_probs.gather(-1, known[..., None])[..., 0]  # (*batch)
    if smoothing:
        each = each - smoothing * log_probs.mean(dim=-1)
    return each[real].sum() / torch.clamp(real.sum(), min=1)
