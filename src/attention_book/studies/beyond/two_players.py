"""Two models against each other, as small as can be: a generator of one number, and a judge of one number.

The real data are the number 0, always. The generator always makes the number g. The judge says that x is real with the
probability σ(w x). This toy is the Dirac-GAN of Mescheder et al. 2018.
"""

import math


def sigmoid(x: float) -> float:
    """1 / (1 + e^-x)."""
    return 1 / (1 + math.exp(-x))


def judges_loss(w: float, g: float) -> float:
    """-log σ(w · 0) - log(1 - σ(w g)): low if the judge calls 0 real and g made up (Goodfellow et al. 2014, eq. 1)."""
    return -math.log(sigmoid(w * 0)) - math.log(1 - sigmoid(w * g))


def generators_loss(w: float, g: float) -> float:
    """log(1 - σ(w g)): low if the judge takes g for real. What it wins the judge loses."""
    return math.log(1 - sigmoid(w * g))


def judges_step(w: float, g: float, rate: float) -> float:
    """The judge's number after one step of gradient descent on its loss; the derivative is σ(w g) g."""
    return w - rate * sigmoid(w * g) * g


def generators_step(w: float, g: float, rate: float) -> float:
    """The generator's number after one step of gradient descent on its loss; the derivative is -σ(w g) w."""
    return g + rate * sigmoid(w * g) * w


def in_turn(w: float, g: float, rate: float, steps: int, shrink: float = 0.0) -> list[tuple[float, float]]:
    """Both numbers after each round: the judge steps, then the generator, which sees the new judge.

    Args:
        w: the judge's number before the first round.
        g: the generator's.
        rate: the learning rate of both.
        steps: how many rounds.
        shrink: the share of w that the judge also loses in its step. This is gradient descent on its loss and a
            penalty, shrink / (2 rate) w²: Mescheder et al. penalise the judge's slope at the real data, here w.
    """
    path = [(w, g)]
    for _ in range(steps):
        w = judges_step(w, g, rate) - shrink * w
        g = generators_step(w, g, rate)
        path.append((w, g))
    return path
