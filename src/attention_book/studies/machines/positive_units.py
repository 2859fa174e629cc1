"""How many of the numbers inside the feed-forward networks of the shipped translator its ReLU leaves positive."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...analysis.recording import recording
from ...models.transformer import Transformer
from ...translation import shipped_translator
from ...translation.fast.step_costs import weights_of_a_step
from ..translator.residual_stream import own_pairs

HEADER = ("layer", "positive per token", "positive at one token or more")


@dataclass(frozen=True)
class Units:
    """The hidden numbers of one feed-forward network, over all tokens of some sentences.

    Attributes:
        stack: ``"encoder"`` or ``"decoder"``.
        layer: counted from 0.
        hidden: how many numbers there are at each token, d_ff.
        positive: how many of them are positive at a token, in the mean.
        ever: how many are positive at one token or more.
        tokens: at how many tokens they were looked at.
    """

    stack: str
    layer: int
    hidden: int
    positive: float
    ever: int
    tokens: int


@torch.no_grad()
def positive_units(model: Transformer, pairs: Sequence[tuple[Tensor, Tensor]]) -> list[Units]:
    """Count in both stacks, teacher-forced.

    Args:
        model: in evaluation mode.
        pairs: ids of a source and of a target that starts with ``<s>``, each (1, length), without padding.

    Returns:
        One entry per layer, those of the encoder first.
    """
    firsts = {
        (stack, n): layer.feed_forward.w_1
        for stack in ("encoder", "decoder")
        for n, layer in enumerate(getattr(model, stack).layers)
    }
    with recording(*firsts.values()) as calls:
        for src, tgt in pairs:
            model(src, tgt)
    found = []
    for (stack, layer), w_1 in firsts.items():
        positive = torch.cat([call.output.flatten(0, 1) for call in calls[w_1]]) > 0
        tokens, hidden = positive.shape
        per_token, ever = positive.sum(dim=1).double().mean().item(), int(positive.any(dim=0).sum())
        found.append(Units(stack, layer, hidden, per_token, ever, tokens))
    return found


@dataclass(frozen=True)
class PositiveUnits:
    """What the page reads.

    Attributes:
        found: of the translator that comes with the book, on our sentences and its translations.
    """

    found: Sequence[Units]

    def mean(self, stack: str) -> float:
        """The mean over the layers of a stack."""
        numbers = [one.positive for one in self.found if one.stack == stack]
        return sum(numbers) / len(numbers)

    def rows(self) -> list[tuple[str, ...]]:
        """A row per layer, for :data:`HEADER`."""
        return [(f"{one.stack}, layer {one.layer}", f"{one.positive:.0f}", str(one.ever)) for one in self.found]

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name."""
        config, decoder = shipped_translator.model().config, [one for one in self.found if one.stack == "decoder"]
        second, unread = (
            config.d_model * sum(numbers)
            for numbers in ([one.hidden for one in decoder], [one.hidden - one.positive for one in decoder])
        )
        return {
            "hidden": config.d_ff,
            "decoder_positive": self.mean("decoder"),
            "encoder_positive": self.mean("encoder"),
            "decoder_tokens": decoder[0].tokens,
            "decoder_ever": min(one.ever for one in decoder),
            "second_share": second / weights_of_a_step(config),
            "unneeded_share": unread / second,
            "unread_share": unread / weights_of_a_step(config),
            "by_bytes_times": 1 / (1 - unread / weights_of_a_step(config)),
        }


def shipped() -> PositiveUnits:
    """Of the translator that comes with the book."""
    return PositiveUnits(positive_units(shipped_translator.model(), own_pairs()))
