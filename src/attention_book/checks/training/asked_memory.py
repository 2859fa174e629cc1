"""Checks for *What if it could look things up?*: neighbours' weights, a memory's row, its size, and its scores."""

import math

import numpy as np
import torch

from ..answers import each_answer, from_list
from ..known_mistakes import diagnose, expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

SQUARED, TEMPERATURE = (0.0, 2.0, 4.0), 2.0
"""Squared distances of three neighbours, followed by *tren*, *coche* and *tren*."""
MODEL, SHARE = {"tren": 0.2, "coche": 0.7}, 0.25
"""What the model says by itself, and the memory's share λ."""
_PARTS = [math.exp(-apart / TEMPERATURE) for apart in SQUARED]
_WEIGHTS = [part / sum(_PARTS) for part in _PARTS]
_ROOTS = [math.exp(-math.sqrt(apart) / TEMPERATURE) for apart in SQUARED]
_TIMES = [math.exp(-apart * TEMPERATURE) for apart in SQUARED]
_TREN = _WEIGHTS[0] + _WEIGHTS[2]
_BY_HAND = {
    "nearest": (
        _WEIGHTS[0],
        {
            1.0: "e⁰ is 1, but the three weights still have to be divided by their sum",
            _ROOTS[0] / sum(_ROOTS): "the distances are squared already; take no root",
            _TIMES[0] / sum(_TIMES): "the squared distance is divided by T, not multiplied",
            1 / 3: "the neighbours do not count equally; the nearest counts most",
        },
    ),
    "memory": (
        _TREN,
        {
            _WEIGHTS[0]: "another neighbour was followed by tren, too; add its weight",
            _WEIGHTS[2]: "the nearest neighbour was followed by tren, too; add its weight",
            _WEIGHTS[1]: "that is coche",
            2 / 3: "two of three neighbours say tren, but they do not count equally",
        },
    ),
    "tren": (
        (1 - SHARE) * MODEL["tren"] + SHARE * _TREN,
        {
            SHARE * MODEL["tren"] + (1 - SHARE) * _TREN: "λ is the memory's share; the model has 1 − λ",
            MODEL["tren"] + SHARE * _TREN: "the model has the share 1 − λ, and not all",
            (MODEL["tren"] + _TREN) / 2: "the shares are λ and 1 − λ, and not halves",
            SHARE * _TREN: "the model's own part is missing",
        },
    ),
    "coche": (
        (1 - SHARE) * MODEL["coche"] + SHARE * _WEIGHTS[1],
        {
            SHARE * MODEL["coche"] + (1 - SHARE) * _WEIGHTS[1]: "λ is the memory's share; the model has 1 − λ",
            MODEL["coche"] + SHARE * _WEIGHTS[1]: "the model has the share 1 − λ, and not all",
            (MODEL["coche"] + _WEIGHTS[1]) / 2: "the shares are λ and 1 − λ, and not halves",
            (1 - SHARE) * MODEL["coche"]: "one neighbour was followed by coche; the memory's part is missing",
        },
    ),
}


@checking
def check_by_hand(predictions: object) -> Report:
    """Are these the nearest neighbour's weight, the memory's probability of *tren*, and both words in the mixture?"""
    answers = dict(each_answer(predictions, _BY_HAND, "a number for each of", open_name=None))
    expect_predictions(answers, _BY_HAND, tolerance=6e-3)
    return Report(True, "The memory prefers tren, but with a quarter of the say it does not overrule the model.")


def _array(got: object, shape: tuple[int, ...], what: str) -> np.ndarray:
    got = got.detach().numpy() if isinstance(got, torch.Tensor) else from_list(got)
    return expect_array(got, shape, what, like=np.array(0), name="the result")


@checking
def check_memory_row(candidate: object) -> Report:
    """Does ``candidate(squared, tokens, temperature, size)`` give what the neighbours say of each token?"""
    cases = (
        ([0.0, 1.0, 3.0], [2, 0, 3], 1.0, 5),
        ([0.5, 0.5, 2.0, 9.0], [1, 4, 1, 1], 3.0, 6),
        ([900.0, 905.0], [3, 0], 0.5, 4),
    )
    for squared, tokens, temperature, size in cases:
        apart, tokens = np.array(squared), np.array(tokens)
        got = _array(attempt(candidate, apart, tokens, temperature, size), (size,), "one number per token")
        scores = -apart / temperature
        grown = np.exp(scores - scores.max())
        right = np.bincount(tokens, grown / grown.sum(), minlength=size)
        if agrees(got, right):
            continue

        def row(z, tokens=tokens, size=size):
            e = np.exp(z - z.max())
            return np.bincount(tokens, e / e.sum(), minlength=size)

        last = np.zeros(size)
        last[tokens] = grown / grown.sum()
        counted = np.bincount(tokens, minlength=size) / len(tokens)
        mistakes = {
            "Of several neighbours with one token only the last counts; their weights are added.": last,
            "The farthest neighbour has the largest weight; take minus the distance.": row(-scores),
            "The squared distance is multiplied by T; it is divided by T.": row(-apart * temperature),
            "T is left out.": row(-apart),
            "A root is taken; the distances are squared already, and stay so.": row(-np.sqrt(apart) / temperature),
            "The weights are not divided by their sum.": np.bincount(tokens, np.exp(scores), minlength=size),
            "Every neighbour counts the same; the nearer ones count more.": counted,
        }
        diagnose(got, right, mistakes)
    return Report(True, "Right, also for two neighbours with one token, and for neighbours that are all far away.")


def _equal(one: object, other: object) -> bool:
    return np.shape(one) == np.shape(other) and agrees(one, other)


@checking
def check_others(candidate: object) -> Report:
    """Does ``candidate(query, keys, owners, asker, k)`` give the k nearest keys that another pair has?"""
    generator = np.random.default_rng(11)
    for count, k, asker in ((9, 2, 1), (12, 3, 0), (15, 4, 2)):
        keys = generator.standard_normal((count, 3))
        owners = np.arange(count) // 3
        query = keys[3 * asker] + 0.01  # nearest to keys of its own pair
        keys[3 * asker + 1] = query - 0.02
        got = attempt(candidate, query, keys, owners, asker, k)
        got = _array(got, np.shape(got), "k numbers of keys")
        apart = np.square(keys - query).sum(1)
        order = np.argsort(apart, kind="stable")
        right = [place for place in order.tolist() if owners[place] != asker][:k]
        if got.shape == (k,) and agrees(got, right):
            continue
        first = order[:k].tolist()
        mistakes = [
            (first, "the pair's own keys are among them; leave them out"),
            ([p for p in first if owners[p] != asker], "only too few are left; leave the own keys out before taking k"),
            ([p for p in order.tolist()[::-1] if owners[p] != asker][:k], "those are the farthest"),
            (sorted(right), "the nearest comes first"),
        ]
        hint = recognise(got, mistakes, _equal)
        if hint is None and got.shape != (k,):
            hint = f"{k} numbers of keys are wanted, and there are {got.size}"
        raise NotYet(f"With {count} keys and k = {k}: {hint or first_difference(got, np.array(right))}.")
    return Report(True, "The nearest of the others, although the pair's own keys were nearer.")


TOKENS, WIDTH, LISTS, PROBES = 10_000_000, 512, 4096, 32
"""A larger memory: its tokens and the width of a key; the lists, of equal size, and those that are looked into."""
_EACH = TOKENS / LISTS
_SIZE = {
    "gigabytes": (
        TOKENS * WIDTH * 4 / 1e9,
        {
            TOKENS * WIDTH / 1e9: "each number of a key takes four bytes",
            TOKENS * WIDTH * 8 / 1e9: "a number in single precision has four bytes",
            TOKENS * WIDTH * 32 / 1e9: "those are gigabits; a byte has eight bits",
            TOKENS * 4 / 1e9: "a key has 512 numbers",
        },
    ),
    "all": (
        TOKENS * WIDTH / 1e9,
        {
            TOKENS * WIDTH: "give it in billions",
            TOKENS / 1e9: "comparing with one key takes 512 multiplications",
            TOKENS * WIDTH**2 / 1e9: "a dot product of 512 numbers takes 512 multiplications, and not 512²",
        },
    ),
    "lists": (
        (LISTS + PROBES * _EACH) * WIDTH / 1e6,
        {
            (LISTS + PROBES * _EACH) * WIDTH: "give it in millions",
            PROBES * _EACH * WIDTH / 1e6: "the 4,096 centres have to be compared with, too",
            LISTS * WIDTH / 1e6: "those are the centres alone; the keys in 32 lists come on top",
            (LISTS + PROBES * _EACH) / 1e6: "those are keys and centres; each takes 512 multiplications",
            PROBES * WIDTH / 1e6: "a list has more than one key",
        },
    ),
}


@checking
def check_size(predictions: object) -> Report:
    """Are these the gigabytes of a larger memory, and the multiplications of a look into all of it, and into lists?"""
    answers = dict(each_answer(predictions, _SIZE, "a number for each of", open_name=None))
    expect_predictions(answers, _SIZE, tolerance=0.06)
    return Report(True, "Looking into lists takes less than a hundredth of the work.")


@checking
def check_scores(candidate: object) -> Report:
    """Are the softmaxes of ``candidate(q, keys, temperature)`` the neighbours' weights, by dot products?"""
    generator = np.random.default_rng(5)
    for count, width, temperature in ((4, 3, 2.0), (6, 2, 10.0), (5, 4, 0.5)):
        q, keys = generator.standard_normal(width), generator.standard_normal((count, width))
        got = _array(attempt(candidate, q, keys, temperature), (count,), "one score per key")
        want = -np.square(keys - q).sum(1) / temperature
        if agrees(got - got.max(), want - want.max()):
            continue
        dots, squares = keys @ q, np.square(keys).sum(1)
        mistakes = {
            "the lengths of the keys are missing: long keys are favoured": 2 * dots / temperature,
            "the dot product counts twice": (dots - squares) / temperature,
            "the dot product counts twice, and the keys' lengths are missing": dots / temperature,
            "the keys' squared lengths are subtracted": (2 * dots + squares) / temperature,
            "the keys' lengths have to be squared": (2 * dots - np.sqrt(squares)) / temperature,
            "the sign is turned: the farthest key has the largest score": -want,
            "T is left out": want * temperature,
            "the scores are multiplied by T": want * temperature**2,
        }
        moved = {reason: wrong - wrong.max() for reason, wrong in mistakes.items()}
        hint = recognise(got - got.max(), moved)
        raise NotYet(f"With {count} keys and T = {temperature:g}: {hint or first_difference(got, want)}.")
    return Report(True, "A memory is dot-product attention, with a term that takes off the keys' lengths.")


@checking
def check_temperature(temperature: object) -> Report:
    """With this T, do two neighbours at the squared distance 4 outweigh one at 0?"""
    t = expect_number(temperature, "T")
    if not t > 0:
        raise NotYet("A temperature is above 0.")
    near, far = 1.0, 2 * math.exp(-4 / t)
    if far <= near:
        raise NotYet(f"With T = {t:g} the two have {far / (near + far):.2f} of the weight, and the nearest the rest.")
    return Report(True, f"With T = {t:g} the two have {far / (near + far):.2f} of the weight.")
