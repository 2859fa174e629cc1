"""Learning rates over time. Each schedule is a pure function of the step, so resuming needs no state."""

import math


def noam_schedule(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    r"""Rise in a straight line, then fall with the square root of the step.

    .. math:: \text{rate} = \text{factor} \cdot d_{\text{model}}^{-1/2} \cdot
        \min\!\left(\text{step}^{-1/2},\; \text{step} \cdot \text{warmup}^{-3/2}\right)

    Vaswani et al. 2017, §5.3, equation 3.

    Args:
        step: the update about to be made, counted from 1.
        d_model: width of the model.
        warmup: number of steps of the rise; the peak is at ``step == warmup``.
        factor: multiplies the whole.

    Raises:
        ValueError: if the step or the warm-up is below 1.
    """
    if step < 1 or warmup < 1:
        raise ValueError(f"steps are counted from 1: step={step}, warmup={warmup}")
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_then_decay(
    done: int | float, total: int | float, warmup: int | float, peak: float, floor: float = 0.0
) -> float:
    r"""Rise in a straight line to ``peak``, then fall along half a cosine to ``floor`` at the end of a known budget.

    .. math:: \text{rate} = \text{floor} + \tfrac12\,(\text{peak} - \text{floor})\,(1 + \cos \pi t), \qquad
        t = \frac{\text{done} - \text{warmup}}{\text{total} - \text{warmup}}

    Loshchilov and Hutter 2017, equation 5, without restarts.

    Args:
        done: how much of the budget is spent, in any unit (steps or target tokens); may go beyond ``total``.
        total: the budget, in the same unit.
        warmup: the part of the budget spent rising.
        peak: the highest learning rate.
        floor: the last learning rate, kept beyond the budget.

    Raises:
        ValueError: unless 0 <= done and 0 <= warmup < total.
    """
    if done < 0 or not 0 <= warmup < total:
        raise ValueError(f"need 0 <= done and 0 <= warmup < total, got done={done}, warmup={warmup}, total={total}")
    if done < warmup:
        return peak * done / warmup
    t = min(1.0, (done - warmup) / (total - warmup))
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * t))
