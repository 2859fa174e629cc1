"""A check for *The masks of a translator*: how many cells of each of its three masks are True."""

from functools import cache

import torch

from ...attention.masks import causal_mask, combine_masks, padding_mask
from ..answers import each_answer
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, checking, expect_number

SOURCES, TARGETS = (5, 3), (4, 6)  # tokens of the exercise's sentences
_SLIPS = {
    "encoder": {
        10: "the shorter source has padding, which is hidden",
        34: "the shape has one row per sentence, and not one per query",
        40: "the shape has one row per sentence, and not one per query",
    },
    "decoder": {
        42: "the padding of the first target is hidden too",
        31: "the rows of the padding are not emptied: only its columns are",
        60: "each row may see no later token",
        72: "nothing is hidden",
        21: "there are two sentences",
        18: "there are two sentences",
        10: "a row of keys alone is the padding mask; the future is hidden too",
    },
    "cross": {
        10: "the keys are of the source, whose shorter sentence has padding",
        12: "the keys are of the source, not of the target",
        48: "the shape has one row per sentence, which serves all queries",
        38: "the shape has one row per sentence, which serves all queries",
    },
}


@cache
def _counted() -> dict[str, int]:
    """The True cells of the three masks of such a batch."""

    def ids(lengths: tuple[int, ...]) -> torch.Tensor:
        return (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).int()

    source, target = padding_mask(ids(SOURCES)), padding_mask(ids(TARGETS))
    decoder = combine_masks(causal_mask(max(TARGETS)), target)
    return {"encoder": int(source.sum()), "decoder": int(decoder.sum()), "cross": int(source.sum())}


@checking
def check_cells(predictions: object) -> Report:
    """Are these the numbers of True cells of the three masks?

    Args:
        predictions: name of the attention to its number of cells.
    """
    right = _counted()
    for name, answer in each_answer(predictions, tuple(right), put="yours"):
        said = expect_number(answer, f"the number of `{name}`")
        if said == right[name]:
            continue
        why = recognise(said, {slip: reason for slip, reason in _SLIPS[name].items()}, near())
        raise NotYet(f"`{name}`: not {said:g}. {_told(why)}")
    return Report(True, "All three. Padding is counted by keys, and only the decoder's own attention has a triangle.")


def _told(why: str | None) -> str:
    """The reason as a sentence, or a hint."""
    return f"{why[0].upper()}{why[1:]}." if why else "Write the masks of both sentences down, row by row."
