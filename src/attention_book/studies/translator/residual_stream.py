"""What runs past the sublayers of the shipped translator: how long its vectors are, and what each sublayer adds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ...analysis.recording import recording
from ...models.blocks import AddAndNorm
from ...models.transformer import Transformer
from ...translation import shipped_translator

NAMES = {
    "add_attention": "self-attention",
    "add_self": "self-attention",
    "add_cross": "cross-attention",
    "add_feed_forward": "feed-forward",
}
"""What the page calls a sublayer, by the name of the Add & Norm around it."""


@dataclass(frozen=True)
class Passage:
    """What one pre-norm sublayer does to the vectors that pass it: means over positions.

    Attributes:
        stack: ``"encoder"`` or ``"decoder"``.
        layer: counted from 0.
        sublayer: one of the values of `NAMES`.
        before: norm of a vector before the addition.
        added: norm of what the sublayer adds to it.
        after: norm of the sum.
        cosine: of the angle between a vector and what is added to it.
    """

    stack: str
    layer: int
    sublayer: str
    before: float
    added: float
    after: float
    cosine: float

    @property
    def share(self) -> float:
        """The length of what is added, as a share of the length of what it is added to."""
        return self.added / self.before

    @property
    def at_right_angles(self) -> float:
        """How long the sum would be, by Pythagoras, if the two stood at right angles."""
        return math.hypot(self.before, self.added)


def parts_added(add: AddAndNorm, calls: Sequence) -> tuple[Float[Tensor, "rows d"], Float[Tensor, "rows d"]]:
    """The vectors that came to a pre-norm Add & Norm, and what was added to them, over all of its calls.

    Raises:
        ValueError: for a post-norm one, whose output is not the sum.
    """
    if not add.pre:
        raise ValueError("the output of a post-norm sublayer is normalised: nothing can be read off as added")
    before = torch.cat([call.inputs[0].flatten(0, 1) for call in calls])
    after = torch.cat([call.output.flatten(0, 1) for call in calls])
    return before, after - before


@torch.no_grad()
def passages(model: Transformer, pairs: Sequence[tuple[Tensor, Tensor]]) -> list[Passage]:
    """Follow the vectors of some sentence pairs through both stacks of a pre-norm model, teacher-forced.

    Args:
        model: in evaluation mode.
        pairs: ids of a source and of a target that starts with ``<s>``, each (1, length).

    Returns:
        One passage per sublayer, those of the encoder first, in the order in which they run.
    """
    adds = {
        (stack, n, name): module
        for stack in ("encoder", "decoder")
        for n, layer in enumerate(getattr(model, stack).layers)
        for name, module in layer.named_children()
        if isinstance(module, AddAndNorm)
    }
    with recording(*adds.values()) as calls:
        for src, tgt in pairs:
            model(src, tgt)
    found = []
    for (stack, layer, name), add in adds.items():
        before, added = parts_added(add, calls[add])
        norms = [rows.norm(dim=-1).mean().item() for rows in (before, added, before + added)]
        cosine = torch.cosine_similarity(before, added, dim=-1).mean().item()
        found.append(Passage(stack, layer, NAMES[name], *norms, cosine))
    return found


def own_pairs() -> list[tuple[Tensor, Tensor]]:
    """Our sentences as ids, and the translations that the translator of the book gives them, from ``<s>`` on."""
    translator = shipped_translator.shipped()
    return [
        (shipped_translator.ids(text), shipped_translator.ids(translator.translate(text), start=True))
        for text in shipped_translator.SENTENCES
    ]


def shipped_passages() -> list[Passage]:
    """The same for the translator that comes with the book: its own sentences, and the translations it gives them."""
    return passages(shipped_translator.model(), own_pairs())


HEADER = ["sublayer", "before", "added", "added / before", "cosine"]


def rows(found: Sequence[Passage], stack: str) -> list[tuple[str, ...]]:
    """A row per sublayer of a stack: the norm before it, that of what it adds, their quotient, the cosine between."""
    return [
        (
            f"layer {one.layer}, {one.sublayer}",
            *(f"{length:.1f}" for length in (one.before, one.added)),
            *(f"{quotient:.2f}" for quotient in (one.share, one.cosine)),
        )
        for one in found
        if one.stack == stack
    ]
