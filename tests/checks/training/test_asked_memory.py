"""The checks of *What if it could look things up?* take every right answer and name what is wrong with the others."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.training import asked_memory as checks
from attention_book.pages.diagrams.training.keys_around import weights_of
from attention_book.training.remembering.nearest import Neighbourhoods

from ..diagnosis import diagnosis

BY_HAND = {"nearest": 0.665, "memory": 0.755, "tren": 0.339, "coche": 0.586}
SIZE = {"gigabytes": 20.48, "all": 5.12, "lists": 42.1}


def test_weights_by_hand_pass():
    assert checks.check_by_hand(BY_HAND)
    assert checks.check_by_hand(BY_HAND | {"nearest": Fraction(665, 1000), "tren": torch.tensor(0.339)})


def test_they_are_those_of_the_figure_s_function():
    keys = [(0.0, 0.0, "tren"), (math.sqrt(2), 0.0, "coche"), (0.0, 2.0, "tren")]
    weights = [weight for _, weight in weights_of(keys, (0.0, 0.0), 3, checks.TEMPERATURE)]
    assert weights[0] == pytest.approx(BY_HAND["nearest"], abs=1e-3)
    assert weights[0] + weights[2] == pytest.approx(BY_HAND["memory"], abs=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nearest": 1}, "divided by their sum"),
        ({"nearest": 0.536}, "take no root"),
        ({"nearest": 0.982}, "not multiplied"),
        ({"nearest": 1 / 3}, "do not count equally"),
        ({"memory": 0.665}, "add its weight"),
        ({"memory": 0.090}, "add its weight"),
        ({"memory": 0.245}, "that is coche"),
        ({"memory": 2 / 3}, "add its weight"),
        ({"tren": 0.616}, "λ is the memory's share"),
        ({"tren": 0.389}, "and not all"),
        ({"tren": 0.478}, "not halves"),
        ({"tren": 0.189}, "own part is missing"),
        ({"coche": 0.3585}, "λ is the memory's share"),
        ({"coche": 0.761}, "and not all"),
        ({"coche": 0.472}, "not halves"),
        ({"coche": 0.525}, "memory's part is missing"),
        ({"coche": 5}, "(coche) is not 5."),
        ({"coche": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_weights_by_hand_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_by_hand(BY_HAND | change))


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def by_bincount(squared, tokens, temperature, size):
    return np.bincount(tokens, softmax(-squared / temperature), minlength=size)


def by_loop(squared, tokens, temperature, size):
    row = [0.0] * size
    for weight, token in zip(softmax(-squared / temperature), tokens, strict=True):
        row[token] += weight
    return row


def by_torch(squared, tokens, temperature, size):
    weights = (-torch.from_numpy(squared) / temperature).softmax(0)
    return torch.zeros(size, dtype=torch.float64).scatter_add_(0, torch.from_numpy(tokens), weights)


def by_one_hot(squared, tokens, temperature, size):
    return softmax(-squared / temperature) @ np.eye(size)[tokens]


@pytest.mark.parametrize("right", [by_bincount, by_loop, by_torch, by_one_hot])
def test_a_memory_s_row_passes(right):
    assert checks.check_memory_row(right)


def overwritten(squared, tokens, temperature, size):
    row = np.zeros(size)
    row[tokens] = softmax(-squared / temperature)
    return row


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (overwritten, "only the last counts"),
        (lambda d, t, T, n: by_bincount(-d, t, T, n), "farthest neighbour"),
        (lambda d, t, T, n: by_bincount(d * T * T, t, T, n), "it is divided by T"),
        (lambda d, t, T, n: by_bincount(d, t, 1.0, n), "T is left out"),
        (lambda d, t, T, n: by_bincount(np.sqrt(d), t, T, n), "A root is taken"),
        (lambda d, t, T, n: np.bincount(t, np.exp(-d / T), minlength=n), "not divided by their sum"),
        (lambda d, t, T, n: np.bincount(t, minlength=n) / len(t), "nearer ones count more"),
        (lambda d, t, T, n: softmax(-d / T), "wrong shape"),
        (lambda d, t, T, n: np.zeros(n), "A wrong number at"),
        (lambda d, t, T, n: None, "returned None"),
    ],
)
def test_a_memory_s_row_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_memory_row(wrong))


def test_the_softmax_that_overflows_is_seen():
    def naive(squared, tokens, temperature, size):
        with np.errstate(all="ignore"):
            e = np.exp(-squared / temperature)
            return np.bincount(tokens, e / e.sum(), minlength=size)

    assert not checks.check_memory_row(naive)


def by_sorting(query, keys, owners, asker, k):
    others = np.flatnonzero(owners != asker)
    return others[np.argsort(np.square(keys[others] - query).sum(1))[:k]]


def by_infinity(query, keys, owners, asker, k):
    apart = torch.from_numpy(np.square(keys - query).sum(1))
    apart[torch.from_numpy(owners) == asker] = torch.inf
    return apart.topk(k, largest=False).indices


def by_the_package(query, keys, owners, asker, k):
    around = Neighbourhoods(torch.from_numpy(keys), lists=2)
    found = around.nearest(torch.from_numpy(query)[None], k, 2, torch.from_numpy(owners), torch.tensor([asker]))
    return found[1][0].tolist()


@pytest.mark.parametrize("right", [by_sorting, by_infinity, by_the_package])
def test_the_others_pass(right):
    assert checks.check_others(right)


def nearest_of_all(query, keys, owners, asker, k):
    return np.argsort(np.square(keys - query).sum(1))[:k]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (nearest_of_all, "own keys are among them"),
        (lambda q, x, o, a, k: [p for p in nearest_of_all(q, x, o, a, k) if o[p] != a], "only too few are left"),
        (lambda q, x, o, a, k: by_sorting(q, x, o, a, len(x))[::-1][:k], "farthest"),
        (lambda q, x, o, a, k: by_sorting(q, x, o, a, k + 1), "numbers of keys are wanted"),
        (lambda q, x, o, a, k: np.zeros(k, dtype=int), "With 9 keys"),
        (lambda q, x, o, a, k: None, "returned None"),
    ],
)
def test_the_others_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_others(wrong))


def test_the_order_of_the_others_counts():
    def unordered(query, keys, owners, asker, k):
        return sorted(by_sorting(query, keys, owners, asker, k).tolist())

    assert "nearest comes first" in diagnosis(checks.check_others(unordered))


def test_sizes_pass():
    assert checks.check_size(SIZE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gigabytes": 5.12}, "four bytes"),
        ({"gigabytes": 40.96}, "single precision has four"),
        ({"gigabytes": 163.84}, "gigabits"),
        ({"gigabytes": 0.04}, "512 numbers"),
        ({"all": 5.12e9}, "in billions"),
        ({"all": 0.01}, "takes 512 multiplications"),
        ({"all": 2621.44}, "not 512²"),
        ({"lists": 42_097_152}, "in millions"),
        ({"lists": 40.0}, "centres have to be compared"),
        ({"lists": 2.1}, "centres alone"),
        ({"lists": 0.0822}, "each takes 512"),
        ({"lists": 7}, "(lists) is not 7."),
        ({"lists": ...}, "still to be predicted"),
    ],
)
def test_sizes_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_size(SIZE | change))


@pytest.mark.parametrize(
    "right",
    [
        lambda q, keys, T: (2 * keys @ q - np.square(keys).sum(1)) / T,
        lambda q, keys, T: -np.square(keys - q).sum(1) / T,
        lambda q, keys, T: [(2 * k @ q - k @ k) / T + 5 for k in keys],
        lambda q, keys, T: torch.from_numpy(-np.square(keys - q).sum(1) / T),
    ],
)
def test_scores_pass(right):
    assert checks.check_scores(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda q, k, T: 2 * k @ q / T, "lengths of the keys are missing"),
        (lambda q, k, T: (k @ q - np.square(k).sum(1)) / T, "counts twice"),
        (lambda q, k, T: k @ q / T, "keys' lengths are missing"),
        (lambda q, k, T: (2 * k @ q + np.square(k).sum(1)) / T, "are subtracted"),
        (lambda q, k, T: (2 * k @ q - np.linalg.norm(k, axis=1)) / T, "have to be squared"),
        (lambda q, k, T: np.square(k - q).sum(1) / T, "sign is turned"),
        (lambda q, k, T: -np.square(k - q).sum(1), "T is left out"),
        (lambda q, k, T: -np.square(k - q).sum(1) * T, "multiplied by T"),
        (lambda q, k, T: np.zeros(len(k)), "With 4 keys"),
        (lambda q, k, T: k @ q[:, None], "wrong shape"),
    ],
)
def test_scores_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_scores(wrong))


@pytest.mark.parametrize("right", [6, 10.0, 1e9, Fraction(59, 10)])
def test_a_high_temperature_passes(right):
    assert checks.check_temperature(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(5.7, "have 0.50 of the weight"), (1, "have 0.04"), (0, "above 0"), (-3, "above 0"), ("x", "one number")],
)
def test_a_low_temperature_is_refused(wrong, message):
    assert message in diagnosis(checks.check_temperature(wrong))
