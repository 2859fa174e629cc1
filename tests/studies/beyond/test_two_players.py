"""Generator and judge: their steps are their slopes, and they circle."""

import itertools
from decimal import Decimal, localcontext

import pytest
import torch
import torch.nn.functional as F

from attention_book.studies.beyond import two_players as players

PLACES = [(1.0, 1.0), (0.3, -0.7), (-2.0, 0.5)]


def losses(w, g):
    """Both losses, written with torch's own functions."""
    made = F.binary_cross_entropy_with_logits(w * g, torch.zeros_like(w))
    real = F.binary_cross_entropy_with_logits(w * 0, torch.ones_like(w))
    return real + made, -made


@pytest.mark.parametrize(("w", "g"), PLACES)
def test_steps_go_down_the_slopes_of_the_two_losses(w, g):
    at = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (w, g)]
    judge, generator = losses(*at)
    assert players.judges_loss(w, g) == pytest.approx(judge.item())
    assert players.generators_loss(w, g) == pytest.approx(generator.item())
    slope_w, slope_g = torch.autograd.grad(judge, at[0], retain_graph=True)[0], torch.autograd.grad(generator, at[1])[0]
    assert players.judges_step(w, g, 0.1) == pytest.approx(w - 0.1 * slope_w.item())
    assert players.generators_step(w, g, 0.1) == pytest.approx(g - 0.1 * slope_g.item())


def test_they_circle_and_do_not_arrive():
    path = players.in_turn(1.0, 1.0, 0.5, 40)
    squares = [w * w + g * g for w, g in path]
    assert len(path) == 41 and min(squares) > 1 and max(squares) < 4
    signs = [g > 0 for _, g in path]
    assert sum(one != other for one, other in itertools.pairwise(signs)) >= 2


def with_digits(rounds, digits=50):
    """The path from (1, 1) at the rate 1/2, in decimal numbers."""
    with localcontext(prec=digits):
        w, g, path = Decimal(1), Decimal(1), [(Decimal(1), Decimal(1))]
        for _ in range(rounds):
            w -= g / (1 + (-w * g).exp()) / 2
            g += w / (1 + (-w * g).exp()) / 2
            path.append((w, g))
        return path


def test_in_turn_they_drift_outwards_and_not_by_rounding():
    found = []
    for path in (players.in_turn(1.0, 1.0, 0.5, 4000), with_digits(4000)):
        squares = [float(w * w + g * g) for w, g in path]
        found.append([(min(last), max(last)) for last in (squares[n - 40 : n + 1] for n in (40, 1000, 4000))])
    assert found[0] == [pytest.approx(ends, abs=1e-6) for ends in found[1]]
    for before, after in itertools.pairwise(found[1]):
        assert after[0] > before[0] + 0.05 and after[1] > before[1] + 0.05


@pytest.mark.parametrize(("w", "g"), PLACES)
def test_a_judge_that_shrinks_goes_down_the_slope_of_a_loss_with_a_penalty(w, g):
    at = torch.tensor(w, dtype=torch.float64, requires_grad=True)
    loss = losses(at, torch.tensor(g, dtype=torch.float64))[0] + 0.2 / (2 * 0.5) * at**2
    slope = torch.autograd.grad(loss, at)[0].item()
    assert players.in_turn(w, g, 0.5, 1, shrink=0.2)[1][0] == pytest.approx(w - 0.5 * slope)


def test_with_a_judge_that_shrinks_they_arrive():
    path = players.in_turn(1.0, 1.0, 0.5, 200, shrink=0.1)
    far = [(w * w + g * g) ** 0.5 for w, g in path]
    assert far[40] < 0.2 * far[0] and far[200] < 1e-4
    turns = [max(abs(g) for _, g in path[n : n + 24]) for n in range(0, 40, 10)]
    assert turns == sorted(turns, reverse=True) and path[40][1] != 0


def test_the_generator_sees_the_new_judge():
    w = players.judges_step(1.0, 1.0, 0.5)
    assert players.in_turn(1.0, 1.0, 0.5, 1)[1] == (w, players.generators_step(w, 1.0, 0.5))


def test_what_the_page_says_of_forty_rounds_holds():
    path = players.in_turn(1.0, 1.0, 0.5, 41)
    numbers = [g for _, g in path[:41]]
    assert round(numbers[40], 2) == -0.65 and path[41][1] < numbers[40]
    assert sum(one * other < 0 for one, other in itertools.pairwise(numbers)) == 3
    widest = [max(abs(w) for w, _ in pair) for pair in itertools.pairwise(path[:41]) if pair[0][1] * pair[1][1] < 0]
    assert all(round(abs(w), 1) == 1.3 for w in widest) and max(abs(w) for w, _ in path[:41]) == max(widest)
    distances = [(w * w + g * g) ** 0.5 for w, g in path[:41]]
    assert (round(min(distances), 2), round(max(distances), 2)) == (1.23, 1.42)
