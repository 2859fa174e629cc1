"""What a circulating claim is, here: a sentence, a computation that could refute it, and what the outcome means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["right", "wrong", "misleading", "unsupported"]


@dataclass(frozen=True)
class Claim:
    """A statement about attention that circulates, and how it is decided.

    Attributes:
        id: the row's name, such as ``"N05"``.
        claim: what is claimed, in this book's words; one sentence.
        compute: computes the truth from first inputs and returns it, JSON-ready, in full precision. Nothing that is
            infinite or NaN is in it; such outcomes are counted or named.
        decide: the verdict that follows from that value, and one line of why. The verdict is ``"right"``;
            ``"wrong"``; ``"misleading"``, if it is true only under a condition that is left out or leads to a wrong
            conclusion; ``"unsupported"``, if nothing here or in the sources named bears it out.
        chapter: the page and the label of the section that settles it, such as ``"attention/masks#masks-recipes"``.
    """

    id: str
    claim: str
    compute: Callable[[], Any]
    decide: Callable[[Any], tuple[Verdict, str]]
    chapter: str
