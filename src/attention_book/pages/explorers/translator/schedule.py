"""The explorer *the learning rate by step*: choose a warm-up, a peak and a shape, and look at any moment of the run."""

import traitlets

from ....training.schedules import noam_schedule, warmup_then_decay
from ..base import Explorer, front_end
from ..words import fixed

STEPS = 20_000  # schedule.js has the same numbers and lists
POINTS = 1000
WARM_UPS = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
PEAKS = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0]


class Schedule(Explorer):
    """A learning rate over a run of 20 000 steps. Rates are told in thousandths, so that 1 stands for 0.001.

    Attributes:
        shape: ``"cosine"``, this book's (:func:`attention_book.training.schedules.warmup_then_decay`), or ``"paper"``,
            that of Vaswani et al. 2017, equation 3, scaled to the same peak.
        warm_up: the share of the run in which the rate rises, in per cent, one of `WARM_UPS`.
        peak: the highest rate in thousandths, one of `PEAKS`.
        moment: how much of the run is over at the moment looked at, in per cent, from 0 to 100.
    """

    title = "The learning rate by step"
    _esm = front_end("translator/schedule.js")

    shape = traitlets.Enum(["cosine", "paper"], "cosine").tag(sync=True)
    warm_up = traitlets.Enum(WARM_UPS, 4.0).tag(sync=True)
    peak = traitlets.Enum(PEAKS, 1.0).tag(sync=True)
    moment = traitlets.Int(90, min=0, max=100).tag(sync=True)

    @property
    def warm_steps(self) -> int:
        """The steps of the rise."""
        return round(STEPS * self.warm_up / 100)

    def rate(self, step: int) -> float:
        """The rate at a step, in thousandths; 0 before the first."""
        if step == 0:
            return 0.0
        if self.shape == "cosine":
            return warmup_then_decay(step, STEPS, self.warm_steps, self.peak)
        return noam_schedule(step, 1, self.warm_steps, self.peak * self.warm_steps**0.5)

    @property
    def rates(self) -> list[float]:
        """The rate at a thousand moments of the run, evenly spaced, the last one at its end."""
        return [self.rate(STEPS // POINTS * point) for point in range(1, POINTS + 1)]

    @property
    def left(self) -> float:
        """Which share of the rates of all steps added up is still to come after the moment."""
        every = [self.rate(step) for step in range(1, STEPS + 1)]
        return sum(every[STEPS // 100 * self.moment :]) / sum(every)

    def in_words(self) -> str:
        """The shape, the rate at the moment, and how much of all that is still to come; schedule.js says the same."""
        falls = {"cosine": "along half a cosine to 0", "paper": "with the square root of the step"}[self.shape]
        step, rates = STEPS // 100 * self.moment, self.rates
        return (
            f"Over {STEPS} steps the learning rate rises to {fixed(self.peak)} × 0.001 within {self.warm_steps} "
            f"steps, and then falls {falls}. After {self.moment} % of the run, at step {step}, it is "
            f"{fixed(self.rate(step))} × 0.001. On average over the run it is {fixed(sum(rates) / POINTS)} × 0.001. "
            f"After this moment come {fixed(100 * self.left)} % of all the rates of the run, added up."
        )
