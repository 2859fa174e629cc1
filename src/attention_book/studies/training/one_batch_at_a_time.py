"""Three small cases of steps that follow one batch each: batches that disagree, a noisy bowl, a strange batch."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import torch
from jaxtyping import Float

from ...training.optimizers import AdamState, adam_step
from ...training.schedules import warmup_then_decay

Path = Float[np.ndarray, "places 2"]
START = (3.0, 2.0)
NOISE = 1.5
STEPS = 60
KEPT, APART = 5, 4
BETAS = (0.9, 0.98)
"""β₁ and β₂ of the Transformer's Adam."""


def disagreeing_batches(rate: Fraction, start: Fraction = Fraction(1)) -> Iterator[Fraction]:
    """A parameter that two batches pull to −1 and to 1 in turn, each by the loss (w ∓ 1)²/2, without end.

    Args:
        rate: the learning rate: the share of the way to what the batch wants.
        start: where the parameter begins.

    Yields:
        The parameter after each step; the first batch wants −1.
    """
    w, wanted = start, Fraction(-1)
    while True:
        w -= rate * (w - wanted)
        yield w
        wanted = -wanted


def noisy_walk(rates: Sequence[float], seed: int, noise: float = NOISE) -> Path:
    """Descent in a round bowl whose lowest point is (0, 0), each step by a batch that sees it somewhere else.

    The loss of a batch is half of the squared distance from a place of its own, drawn from a normal distribution around
    (0, 0). The mean loss of all batches is lowest at (0, 0).

    Args:
        rates: the learning rate of each step.
        seed: of the batches.
        noise: standard deviation of a batch's place, in each direction.

    Returns:
        The start and the place after each step.
    """
    batches = noise * np.random.default_rng(seed).standard_normal((len(rates), 2))
    path = [np.array(START)]
    for rate, wanted in zip(rates, batches, strict=True):
        path.append(path[-1] - rate * (path[-1] - wanted))
    return np.array(path)


def constant_rates(rate: float, steps: int = STEPS) -> list[float]:
    """The same learning rate in every step."""
    return [rate] * steps


def falling_rates(rate: float, steps: int = STEPS) -> list[float]:
    """A learning rate that falls along half a cosine to 0 in the last step."""
    return [warmup_then_decay(step + 1, steps, 0, rate) for step in range(steps)]


def snapshots(path: Path, kept: int = KEPT, apart: int = APART) -> Float[np.ndarray, "kept 2"]:
    """The last place of a path and those before it, ``apart`` steps from one to the next, oldest first.

    Raises:
        ValueError: if the path is too short for so many.
    """
    first = len(path) - 1 - (kept - 1) * apart
    if first < 0:
        raise ValueError(f"{kept} snapshots {apart} steps apart need more than {len(path) - 1} steps")
    return path[first::apart]


def mean_distances(rate: float, walks: int = 400) -> dict[str, int | float]:
    """How far from the lowest point ``walks`` end on average: ``stays``, ``mean`` of its snapshots, ``falls``."""
    found = np.zeros(3)
    for seed in range(walks):
        stays, falls = noisy_walk(constant_rates(rate), seed), noisy_walk(falling_rates(rate), seed)
        ends = (stays[-1], snapshots(stays).mean(axis=0), falls[-1])
        found += [np.linalg.norm(end) for end in ends]
    ends_at = dict(zip(("stays", "mean", "falls"), (found / walks).tolist(), strict=True))
    return {"walks": walks, **ends_at}


def one_strange_batch(
    size: float, limit: float | None = None, steps: int = 400, at: int = 100
) -> Float[np.ndarray, " places"]:
    """One parameter that Adam moves by gradients of −1, but for one batch, whose gradient is ``size``.

    Args:
        size: the gradient of the strange batch; −1 makes it like the others.
        limit: clips the gradient of every batch to this size; None leaves it.
        steps: how many in all.
        at: the number of the strange step, counted from 1.

    Returns:
        The parameter at the start, 0, and after each step, in units of the learning rate.
    """
    theta = torch.zeros(1, dtype=torch.float64)
    state, path = AdamState.start(theta), [0.0]
    for step in range(1, steps + 1):
        gradient = torch.tensor([size if step == at else -1.0], dtype=torch.float64)
        if limit is not None:
            gradient = gradient * min(1.0, limit / gradient.norm().item())
        theta, state = adam_step(theta, gradient, state, rate=1.0, betas=BETAS, eps=1e-9)
        path.append(theta.item())
    return np.array(path)


def strange_lines(size: float) -> dict[str, tuple[range, Float[np.ndarray, " places"]]]:
    """The walks without a strange batch, with one, and with one that is clipped to 1: for a figure of curves."""
    walks = {
        "no strange batch": one_strange_batch(-1.0),
        "clipped to 1": one_strange_batch(size, limit=1.0),
        "not clipped": one_strange_batch(size),
    }
    return {name: (range(len(walk)), walk) for name, walk in walks.items()}


def strange_numbers(size: float, at: int = 100) -> dict[str, float]:
    """What the walk with the strange batch does: how far it goes back, and when it is where it was before.

    Returns:
        ``strange_first``: the length of the strange step in units of the rate; ``strange_back``: how far back it goes
        in all; ``strange_wait``: steps from the strange one until the parameter is past the place before it;
        ``clipped_behind`` and ``unclipped_behind``: steps lost at the end, in units of the rate.
    """
    calm, clipped, wild = one_strange_batch(-1.0), one_strange_batch(size, limit=1.0), one_strange_batch(size)
    before = wild[at - 1]
    return {
        "strange_first": float(before - wild[at]),
        "strange_back": float(before - wild[at:].min()),
        "strange_wait": float(np.argmax(wild[at:] > before) + 1),
        "clipped_behind": float(calm[-1] - clipped[-1]),
        "unclipped_behind": float(calm[-1] - wild[-1]),
    }


def strange_told(size: float) -> str:
    """The curves of :func:`strange_lines` in words."""
    ends = "; ".join(f"{name}: {walk[-1]:.0f}" for name, (_, walk) in strange_lines(size).items())
    found = strange_numbers(size)
    return (
        f"Three walks of one parameter, in units of the learning rate. All rise by 1 per step up to step 100. After "
        f"400 steps they are at: {ends}. The walk that is not clipped goes back by {found['strange_back']:.0f} in all, "
        f"over the next steps, and needs {found['strange_wait']:.0f} steps to be where it was."
    )
