"""The checks of *Positions compared*: they pass what is right and name what is wrong."""

import cmath
import math

import pytest
import torch

from attention_book.attention.positions import rotate_by_position
from attention_book.checks.attention import rotary as checks

from ..diagnosis import diagnosis

RIGHT_CHANGES = {"a": True, "b": False, "c": True, "d": True, "e": False, "f": False}


def test_changes_pass_and_print():
    assert checks.check_changes(RIGHT_CHANGES)
    assert [line[:3] for line in checks.changes().splitlines()] == [f"{letter}: " for letter in RIGHT_CHANGES]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": False}, "Change a (both tokens move 100 positions on) leaves the score as it was. Only the distance"),
        ({"b": True}, "The distance changes its sign"),
        ({"d": False}, "The turn that both have in common drops out."),
        ({"e": True}, "changes the score. The distance is then −3"),
        ({"f": True}, "(query and key are turned twice as far, by 14 and by 8) changes the score. The distance is"),
        ({"c": ...}, "Change c is still open"),
        ({"c": 1}, "Answer c with True"),
        ({"g": True}, "for each of the letters a, b, c, d, e, f"),
    ],
)
def test_changes_give_the_reason(change, told):
    assert told in diagnosis(checks.check_changes(RIGHT_CHANGES | change))


def test_the_changes_are_those_of_complex_numbers():
    """With vectors of two coordinates a score is the real part of q k̄ e^{i(m − n)}."""
    q, k = torch.randn(2, 1, 2, dtype=torch.float64)
    product = torch.view_as_complex(q) * torch.view_as_complex(k).conj()
    identity = torch.eye(2, dtype=torch.float64)
    for letter, (_, change, _) in checks._CHANGES.items():
        distance = {"b": -3, "e": -3, "f": 6}.get(letter, 3)
        torch.testing.assert_close(
            change(q, k, identity, identity).squeeze(), (product * cmath.exp(1j * distance)).real[0]
        )


def turned(x, start, sign=1, speeds=None):
    """Row by row and pair by pair."""
    result = torch.empty_like(x)
    for row in range(x.shape[0]):
        for i in range(x.shape[1] // 2):
            speed = 10000 ** (-2 * i / x.shape[1]) if speeds is None else speeds
            angle = sign * (start + row) * speed
            a, b = x[row, 2 * i], x[row, 2 * i + 1]
            result[row, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            result[row, 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return result


def halves(x, start):
    """Coordinate i with coordinate i + width / 2, as many programs do."""
    first, second = x.chunk(2, dim=-1)
    angle = torch.outer(
        torch.arange(start, start + len(x)).double(),
        10000 ** (-2 * torch.arange(x.shape[1] // 2).double() / x.shape[1]),
    )
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def no_exchange(x, start):
    angle = torch.outer(
        torch.arange(start, start + len(x)).double(),
        10000 ** (-2 * torch.arange(x.shape[1] // 2).double() / x.shape[1]),
    )
    return torch.stack([x[:, 0::2] * angle.cos(), x[:, 1::2] * angle.sin()], dim=-1).flatten(-2)


def test_rotations_pass():
    assert checks.check_rotary(turned)
    assert checks.check_rotary(rotate_by_position)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda x, start: turned(x, 0), "It ignores `start`"),
        (lambda x, start: turned(x, start, sign=-1), "It turns the wrong way"),
        (halves, "It turns coordinate i with i + width / 2"),
        (lambda x, start: turned(x, start + 1), "It counts positions from 1. No score would change"),
        (lambda x, start: turned(x, start, speeds=1.0), "All pairs turn at one speed"),
        (no_exchange, "that is no turn"),
        (lambda x, start: x, "A wrong number at row 1, column 0"),
        (lambda x, start: turned(x, start).T, "is it transposed?"),
        (lambda x, start: x.mul_(2), "It changes `x` in place"),
    ],
)
def test_rotations_name_what_is_wrong(wrong, told):
    assert told in diagnosis(checks.check_rotary(wrong))


def scores(query=None, key=None, old=lambda cached: cached, turn_query=True, turn_key=True, divide=False):
    """Scores with positions given as functions of the numbers of cached keys and of tokens seen."""

    def candidate(q, k, cached, seen):
        n, own = len(cached), lambda n, seen: seen
        if turn_query:
            q = rotate_by_position(q, (query or own)(n, seen))
        if turn_key:
            k = rotate_by_position(k, (key or own)(n, seen))
        found = q @ torch.cat([old(cached), k]).T
        return found / q.shape[1] ** 0.5 if divide else found

    return candidate


@pytest.mark.parametrize("kept", [4, 2])
def test_cached_scores_pass_and_are_those_of_one_pass(kept):
    assert checks.check_cached_scores(scores())
    raw, q = torch.randn(2, 5, 6, dtype=torch.float64)
    found = scores()(q[4:], raw[4:], rotate_by_position(raw[:4])[4 - kept :], 4)
    wanted = (rotate_by_position(q) @ rotate_by_position(raw).T)[4:, 4 - kept :]
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (scores(query=lambda n, seen: n, key=lambda n, seen: n), "query and new key are turned as at position 3"),
        (scores(query=lambda n, seen: n), "After 10 tokens, 3 of whose keys are kept, the query is turned"),
        (scores(key=lambda n, seen: n), "the new key is turned as at position 3: keys were dropped"),
        (scores(query=lambda n, seen: 0), "where nothing is turned; after 1 tokens it is at 1."),
        (scores(query=lambda n, seen: 0, key=lambda n, seen: 0), "Query and new key stand at position 0 again"),
        (scores(key=lambda n, seen: 0), "The new key stands at position 0 again"),
        (scores(turn_query=False), "position 0 again"),  # at position 0 nothing is turned
        (scores(turn_key=False), "The new key stands at position 0 again"),
        (scores(old=rotate_by_position), "turned a second time"),
        (scores(query=lambda n, seen: seen + 1, key=lambda n, seen: seen + 1), "one too high"),
        (scores(divide=True), "divided already"),
        (lambda q, k, cached, seen: scores()(q, k, cached, seen)[:, :-1], "The scores have the wrong shape"),
        (lambda q, k, cached, seen: scores()(q, k, cached, seen).flip(-1), "A wrong number at row 0, column 0"),
        (lambda q, k, cached: scores()(q, k, cached, len(cached)), "raises TypeError"),
    ],
)
def test_cached_scores_name_what_is_wrong(wrong, told):
    assert told in diagnosis(checks.check_cached_scores(wrong))
