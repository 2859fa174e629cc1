"""Checks for *Positions compared*: what changes a rotary score, the turns, and a new query against kept keys.

The oracle multiplies complex numbers; the scores are held against turns by the package.
"""

import math

import torch
from torch import Tensor

from ...attention.positions import rotate_by_position
from ..answers import each_answer
from ..drawn import Normal
from ..known_mistakes import diagnose
from ..report import NotYet, Report, agrees, attempt, checking, expect_array

_QUERY_AT, _KEY_AT = 7, 4


def _score(q: Tensor, k: Tensor, query_at: int = _QUERY_AT, key_at: int = _KEY_AT) -> Tensor:
    return rotate_by_position(q, query_at) @ rotate_by_position(k, key_at).T


# The changes of the exercise: what is done; the score after it, from two vectors x and y and the projections w and u to
# query and key; and why. The page prints them with `changes()`.
_CHANGES = {
    "a": (
        "both tokens move 100 positions on",
        lambda x, y, w, u: _score(x @ w, y @ u, _QUERY_AT + 100, _KEY_AT + 100),
        "Only the distance counts.",
    ),
    "b": (
        "query and key exchange their positions",
        lambda x, y, w, u: _score(x @ w, y @ u, _KEY_AT, _QUERY_AT),
        "The distance changes its sign, and a score knows the sign.",
    ),
    "c": (
        "query and key are multiplied by −1",
        lambda x, y, w, u: _score(-x @ w, -y @ u),
        "Two minus signs cancel.",
    ),
    "d": (
        "the query is turned by the distance, 3, and the key not at all",
        lambda x, y, w, u: _score(x @ w, y @ u, _QUERY_AT - _KEY_AT, 0),
        "The turn that both have in common drops out.",
    ),
    "e": (
        "query and key are turned the other way round, by −7 and by −4",
        lambda x, y, w, u: _score(x @ w, y @ u, -_QUERY_AT, -_KEY_AT),
        "The distance is then −3, which is another one.",
    ),
    "f": (
        "query and key are turned twice as far, by 14 and by 8",
        lambda x, y, w, u: _score(x @ w, y @ u, 2 * _QUERY_AT, 2 * _KEY_AT),
        "The distance is then 6, and not 3.",
    ),
}


def changes() -> str:
    """The changes whose effect is to be predicted, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, *_) in _CHANGES.items())


@checking
def check_changes(predictions: object) -> Report:
    """Is it predicted rightly which changes leave a rotary score as it was?

    Args:
        predictions: letter of the change to True if the score stays the same, else False.
    """
    normal = Normal(5)
    x, y = normal(2, 1, 8)
    w, u = normal(2, 8, 8)
    before, wanted = _score(x @ w, y @ u), "True or False for each of the letters"
    for letter, said in each_answer(predictions, _CHANGES, wanted, open_name="Change {}"):
        text, change, why = _CHANGES[letter]
        if not isinstance(said, bool):
            raise NotYet(f"Answer {letter} with True (the score stays the same) or False.")
        if said != torch.allclose(before, change(x, y, w, u)):
            effect = "changes the score" if said else "leaves the score as it was"
            raise NotYet(f"Change {letter} ({text}) {effect}. {why}")
    return Report(True, "All six, computed with two random vectors and projections.")


@checking
def check_rotary(candidate: object) -> Report:
    """Does ``candidate(x, start)`` turn the rows of x, which stand at the positions start, start + 1, …?"""
    normal = Normal(11)
    for length, width, start in ((4, 2, 0), (5, 8, 0), (3, 8, 6)):
        x = normal(length, width)
        got = expect_array(attempt(candidate, x, start), (length, width), "as x", name="the turned rows")
        right = _turned(x, start)
        if agrees(got, right):
            continue
        halves = _turned(torch.stack(x.chunk(2, dim=-1), dim=-1).flatten(-2), start)
        known = [
            (_turned(x, 0), "It ignores `start`: with a cache, the first row is not at position 0."),
            (
                _turned(x, start, sign=-1),
                "It turns the wrong way. Queries and keys that are all turned so fit each other, and nobody else's.",
            ),
            (
                torch.cat([halves[:, 0::2], halves[:, 1::2]], dim=-1),
                "It turns coordinate i with i + width / 2. Many programs do; here neighbours belong together.",
            ),
            (
                _turned(x, start + 1),
                "It counts positions from 1. No score would change, since only distances matter; here we count from 0.",
            ),
            (_turned(x, start, one_speed=True), "All pairs turn at one speed; pair i turns by ω_i per position."),
            (
                _turned(x, start, exchange=False),
                "It multiplies by cosine and sine and exchanges nothing within a pair: that is no turn.",
            ),
        ]
        diagnose(got, right, known)
    return Report(True, "The rotations of the paper, from the first position and from later ones.")


def _turned(x: Tensor, start: int, sign: int = 1, one_speed: bool = False, exchange: bool = True) -> Tensor:
    length, width = x.shape
    speeds = [1.0 if one_speed else 10000 ** (-2 * i / width) for i in range(width // 2)]
    places = sign * torch.arange(start, start + length, dtype=torch.float64)
    angle = torch.outer(places, torch.tensor(speeds, dtype=torch.float64))
    pairs = x.unflatten(-1, (-1, 2)).contiguous()
    if not exchange:
        return (pairs * torch.stack([angle.cos(), angle.sin()], dim=-1)).flatten(-2)
    return torch.view_as_real(torch.view_as_complex(pairs) * torch.exp(1j * angle)).flatten(-2)


@checking
def check_cached_scores(candidate: object) -> Report:
    """Does ``candidate(q, k, cached, seen)`` score one new query against the kept keys and its own?

    ``seen`` tokens came before; of their keys the last ones, ``cached`` (n, width), are kept, turned when they came.
    q and k, (1, width) each, are those of the new token.
    """
    normal = Normal(13)
    for n, seen in ((1, 1), (4, 4), (3, 10)):
        q, k = normal(2, 1, 6)
        cached = rotate_by_position(normal(n, 6), seen - n)
        meaning = "one query, all kept keys, the new one last"
        got = expect_array(attempt(candidate, q, k, cached, seen), (1, n + 1), meaning, name="the scores")
        right = _scores(q, k, cached, seen, seen)
        if agrees(got, right):
            continue
        dropped = (
            f"After {seen} tokens, {n} of whose keys are kept, {{}} position {n}: keys were dropped, and no position "
            f"changes by that. The new token is at position {seen}."
        )
        known = [
            (_scores(q, k, cached, n, n), dropped.format("query and new key are turned as at")),
            (_scores(q, k, cached, n, seen), dropped.format("the query is turned as at")),
            (_scores(q, k, cached, seen, n), dropped.format("the new key is turned as at")),
            (
                _scores(q, k, cached, 0, seen),
                f"The query stands at position 0 again, where nothing is turned; after {seen} tokens it is at {seen}.",
            ),
            (
                _scores(q, k, cached, 0, 0),
                "Query and new key stand at position 0 again: their own score is right, and no other.",
            ),
            (
                _scores(q, k, cached, seen, 0),
                "The new key stands at position 0 again, where nothing is turned.",
            ),
            (
                _scores(q, k, rotate_by_position(cached), seen, seen),
                "The cached keys are turned a second time. They were turned when they came.",
            ),
            (
                _scores(q, k, cached, seen + 1, seen + 1),
                "Position seen + 1 is one too high: the first token is at position 0.",
            ),
            (right / math.sqrt(6), "The scores are divided already; here they are wanted as they come."),
        ]
        diagnose(got, right, known)
    return Report(True, "The scores of a pass over all tokens at once, whether all keys were kept or only the last.")


def _scores(q: Tensor, k: Tensor, cached: Tensor, query_at: int, key_at: int) -> Tensor:
    """Scores with the query and the new key turned to these positions."""
    return rotate_by_position(q, query_at) @ torch.cat([cached, rotate_by_position(k, key_at)]).T
