"""Adam takes both parameters along one path, below zero and back; plain descent solves one and leaves the other."""

import pytest
import torch
from torch.nn import functional as F

from attention_book.examples.language_classifier import labelled_words, letters_of, one_hot_endings, split
from attention_book.studies.before.two_slopes import TwoSlopes, endings_compared, overtaken, turned_valley

SLOPES = torch.tensor([100.0, 0.01])


@pytest.fixture(scope="module")
def valley():
    """The paths of the page: plain descent after its formula, Adam by torch's own optimizer."""
    plain, theta = [torch.ones(2)], torch.ones(2, requires_grad=True)
    adam, optimizer = [theta.detach().clone()], torch.optim.Adam([theta], lr=0.05)
    for _ in range(100):
        plain.append(plain[-1] * (1 - 0.01 * SLOPES))
        theta.grad = SLOPES * theta.detach()
        optimizer.step()
        adam.append(theta.detach().clone())
    return TwoSlopes({"plain descent": torch.stack(plain), "Adam": torch.stack(adam)})


def test_adam_does_not_see_the_slopes(valley):
    a, b = valley.paths["Adam"].T
    assert (a - b).abs().max() < 2e-6


def test_adam_overshoots_and_comes_back(valley):
    numbers = valley.numbers()
    a, b = (valley.lines()[f"{letter}, Adam"][1] for letter in "ab")
    for way in (a, b):
        assert way[numbers["crossing"] - 1] > 0 >= way[numbers["crossing"]]
    assert numbers["overshoot"] == -min(b) > 0.1 and abs(b[-1]) < 0.01


def test_plain_descent_solves_a_and_leaves_b(valley):
    lines = valley.lines()
    assert lines["a, plain descent"][1][1:] == [0.0] * 100
    assert lines["b, plain descent"][1][-1] == pytest.approx(0.99, abs=1e-3)


def test_on_the_map_adam_goes_along_the_diagonal(valley):
    a, b = valley.ways()["Adam"]
    assert (a[0], b[0]) == (1, 1) and a == pytest.approx(b, abs=2e-6)
    assert valley.ways()["plain descent"][0][:2] == [1, 0]


def test_the_alternative_text_says_that_b_goes_below_zero(valley):
    told = valley.told()
    assert "lowest at step 36 with -0.13, below zero" in told and "pass 0 at step 24" in told
    assert "a goes from 1 to 0.00 in one step" in told and "b ends at 0.99" in told


@pytest.fixture(scope="module")
def turned():
    return turned_valley(1800)


def test_in_a_turned_valley_adam_is_behind_for_a_long_time(turned):
    """Against torch's own Adam and its own gradient, from the loss as the page writes it."""
    theta = torch.tensor([2**0.5, 0.0], requires_grad=True)
    optimizer = torch.optim.Adam([theta], lr=0.05)
    for _ in range(100):
        optimizer.zero_grad()
        (25 * (theta[0] - theta[1]) ** 2 + 0.0025 * (theta[0] + theta[1]) ** 2).backward()
        optimizer.step()
    assert turned["Adam"][100] == pytest.approx(theta.sum().item() / 2**0.5, abs=1e-4)
    assert turned["plain descent"][100] == pytest.approx(0.9999**100, abs=1e-4)
    assert turned["Adam"][100] > 0.998 > 0.991 > turned["plain descent"][100]


def test_adam_overtakes_once_and_stays_ahead(turned):
    step = overtaken(turned)
    ahead = [a < b for a, b in zip(turned["Adam"], turned["plain descent"], strict=True)]
    assert 1000 < step < 1800 and not ahead[step - 1] and all(ahead[step:])


def test_who_never_overtakes_has_no_step():
    with pytest.raises(ValueError, match="not ahead"):
        overtaken({"Adam": [1.0, 0.9], "plain descent": [1.0, 0.8]})


def test_the_first_step_moves_the_rare_ending_as_far_as_the_common_one():
    """Against autograd and torch's own Adam, in the loop of the page before."""
    words, y = labelled_words()
    train, _ = split(len(words), seed=1)
    alphabet = letters_of(words)
    x = one_hot_endings(words, alphabet)
    w = torch.zeros(x.shape[1], 2, requires_grad=True)
    F.cross_entropy((x @ w)[train], y[train]).backward()
    torch.optim.Adam([w], lr=0.05).step()
    i, s = (alphabet.index(letter) for letter in "is")
    ends = [words[one][-1] for one in train]
    ratio = (w.grad[s, 1] / w.grad[i, 1]).item()
    of_s = [sum(words[one][-1] == "s" and y[one] == language for one in train) for language in (1, 0)]
    expected = {"n_small": ends.count("i"), "n_large": ends.count("s"), "ratio": pytest.approx(ratio)}
    expected |= {"large_spanish": of_s[0], "large_english": of_s[1], "large_left": of_s[0] - of_s[1]}
    assert endings_compared("i", "s") == expected and ratio > 30
    assert w[i].abs().tolist() == pytest.approx(w[s].abs().tolist(), abs=1e-6)
