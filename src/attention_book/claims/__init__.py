"""Sentences and numbers about attention that circulate, each decided by a computation.

The modules of this package hold the claims by theme, each in a tuple ``CLAIMS``; ``claim`` says what a claim is. A new
module of claims is to be named in :func:`all_claims`.
"""

import re
from collections.abc import Iterable
from typing import Any

from .claim import Claim

__all__ = ["Claim", "UnknownClaim", "all_claims", "decided"]

_KINDS = "NFM"  # worked numbers; formulas, shapes, order; mechanism and history


class UnknownClaim(ValueError):
    """There is no claim of that name; the message lists those there are."""


def all_claims() -> tuple[Claim, ...]:
    """Every claim: worked numbers (N), then formulas (F), then mechanism and history (M), each in its order.

    Raises:
        ValueError: if two claims have one id, or an id is no letter with two digits.
    """
    from .rows import (  # here, to keep the import of this package light; by name, so that a page knows what it ran
        counted_numbers,
        decoder_layers,
        formulas,
        heads_and_shapes,
        history,
        masking,
        measured_heads,
        mechanism,
        mixing,
        scaling,
        searching,
        unmasked_decoder,
        worked_numbers,
    )

    modules = (counted_numbers, worked_numbers, formulas, heads_and_shapes, masking, mixing, scaling, searching)
    modules += (decoder_layers, unmasked_decoder, measured_heads, mechanism, history)
    found = [claim for module in modules for claim in module.CLAIMS]
    ids = [claim.id for claim in found]
    if bad := [name for name in ids if not re.fullmatch(rf"[{_KINDS}]\d\d", name)]:
        raise ValueError(f"a claim's id is one of the letters {_KINDS} and two digits, got {', '.join(bad)}")
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise ValueError(f"claims with the same id: {', '.join(twice)}")
    return tuple(sorted(found, key=lambda claim: (_KINDS.index(claim.id[0]), claim.id)))


def decided(ids: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """Compute claims and decide them, now.

    Args:
        ids: which, such as ``["N05", "F04"]``; all of them if left out.

    Returns:
        For each id, in the order of :func:`all_claims`: ``"verdict"``, ``"value"`` (JSON-ready, in full precision),
        ``"why"`` and ``"chapter"`` (page and label of the section that settles it).

    Raises:
        UnknownClaim: if an id is not among them.
    """
    claims = all_claims()
    wanted = {claim.id for claim in claims} if ids is None else set(ids)
    if unknown := sorted(wanted - {claim.id for claim in claims}):
        raise UnknownClaim(f"no claim {', '.join(unknown)}; there are: {', '.join(claim.id for claim in claims)}")
    answers = {}
    for claim in claims:
        if claim.id in wanted:
            value = claim.compute()
            verdict, why = claim.decide(value)
            answers[claim.id] = {"verdict": verdict, "value": value, "why": why, "chapter": claim.chapter}
    return answers
