"""What a model learns from a batch: the references, the teachers, and its own second reading, as one loss."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def losses(
    logits: Float[Tensor, "models batch length vocab_size"],
    targets: Int[Tensor, "models batch length"],
    smoothing: float,
    agreement: float = 0.0,
    taught: float = 0.0,
    lesson: Float[Tensor, "models batch length vocab_size"] | None = None,
    pad_id: int = 0,
) -> Float[Tensor, " models"]:
    r"""The loss of each model: smoothed cross-entropy, agreement of two readings, and what the teachers say.

    .. math:: (1 - \lambda)\,\ell(y) - \lambda \sum_i r_i \log p_i
        + \frac{\alpha}{4}\,\bigl(\operatorname{KL}(p\,\|\,p') + \operatorname{KL}(p'\,\|\,p)\bigr)

    with ℓ of :func:`attention_book.training.losses.label_smoothed_cross_entropy`, r the mean of the teachers'
    probabilities, and p, p' the two predictions for one target; averaged over the tokens that are not padding. The
    first and the last term are half of Wu et al. 2021, equation 4, which adds the losses of the two readings.

    Args:
        logits: with ``agreement``, the second half of each batch is the first half read again.
        targets: true ids.
        smoothing: ε.
        agreement: α; 0 leaves the last term out.
        taught: λ; 0 leaves the teachers out.
        lesson: r, one distribution a target.
        pad_id: targets that count nowhere.
    """
    log_p = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
    real = targets != pad_id
    count = real.sum((1, 2)).clamp(min=1)
    known = log_p.gather(-1, targets[..., None])[..., 0]
    each = -(1 - smoothing) * known
    if smoothing:
        each = each - smoothing * log_p.mean(-1)
    if taught:
        each = (1 - taught) * each - taught * (lesson * log_p).sum(-1)
    loss = (each * real).sum((1, 2)) / count
    if agreement:
        one, two = log_p.chunk(2, dim=1)
        apart = ((one.exp() - two.exp()) * (one - two)).sum(-1)  # both divergences together
        half = real.chunk(2, dim=1)[0]
        loss = loss + agreement / 4 * (apart * half).sum((1, 2)) / half.sum((1, 2)).clamp(min=1)
    return loss


@torch.no_grad()
def losses_and_gradient(
    logits: Float[Tensor, "models batch length vocab_size"],
    targets: Int[Tensor, "models batch length"],
    smoothing: float,
    agreement: float = 0.0,
    taught: float = 0.0,
    lesson: Float[Tensor, "models batch length vocab_size"] | None = None,
    pad_id: int = 0,
) -> tuple[Float[Tensor, " models"], Float[Tensor, "models batch length vocab_size"]]:
    r""":func:`losses`, and the gradient of their sum with respect to the logits, in few passes over these.

    Of the cross-entropies the gradient is :math:`p - q` for the whole target distribution q. Of the two divergences
    together it is :math:`p\,(d - m) + (p - p')`, with :math:`d = \log p - \log p'` and its mean m under p.

    Args:
        logits, targets, smoothing, agreement, taught, lesson, pad_id: as for :func:`losses`.

    Returns:
        ``(losses, gradient)``, the gradient in the precision of the logits.
    """
    log_p = logits.log_softmax(-1, dtype=torch.promote_types(logits.dtype, torch.float32))
    real = targets != pad_id
    share = real.to(log_p.dtype) / real.sum((1, 2), keepdim=True).clamp(min=1)
    each = -(1 - smoothing) * log_p.gather(-1, targets[..., None])[..., 0]
    if smoothing:
        each -= smoothing * log_p.mean(-1)
    if taught:
        each = (1 - taught) * each - taught * (lesson * log_p).sum(-1)
    loss = (each * share).sum((1, 2))
    more = None
    if agreement:
        one, two = log_p.chunk(2, dim=1)
        weight = agreement / 2 * share.chunk(2, dim=1)[0]  # half as many targets are real in a half: α/4 becomes α/2
        difference, p, other = one - two, one.exp(), two.exp()
        apart = p - other
        loss += (weight * (apart * difference).sum(-1)).sum((1, 2))
        m, n = (p * difference).sum(-1, keepdim=True), (other * difference).sum(-1, keepdim=True)
        more = torch.cat([p * (difference - m) + apart, -other * (difference - n) - apart], dim=1)
        more *= torch.cat([weight, weight], dim=1)[..., None]
    p = log_p.exp_()
    if taught:
        p.sub_(lesson, alpha=taught)
    told = torch.full_like(each, -(1 - taught) * (1 - smoothing))[..., None]
    p.scatter_add_(-1, targets[..., None], told)
    gradient = torch.empty_like(logits)
    torch.addcmul(share[..., None] * (-(1 - taught) * smoothing / logits.shape[-1]), p, share[..., None], out=gradient)
    return loss, gradient if more is None else gradient + more.to(gradient.dtype)
