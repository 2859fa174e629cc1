"""A source sentence whose embeddings grow from nothing to what they are: where does ln P of the written pieces rise?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from ...analysis.attribution.exchange_sentences import is_mark
from ...analysis.attribution.source_words import gradient_times_input, log_probs, reading
from ...translation.translator import Translator

POINTS = 21


@dataclass(frozen=True, eq=False)
class Growth:
    """What :func:`growth` measured.

    Attributes:
        source, target: the sentence and its translation.
        pieces: the written pieces that are shown.
        scales: the strengths, by which all embeddings are multiplied, from 0 to 1.
        log_p: ln P of each piece at each strength.
        slopes: the sum of gradient × input over the source: the slope of each line at its right end.
    """

    source: str
    target: str
    pieces: list[str]
    scales: Float[np.ndarray, " points"]
    log_p: Float[np.ndarray, "points pieces"]
    slopes: Float[np.ndarray, " pieces"]

    def lines(self) -> Mapping[str, tuple[list[float], list[float]]]:
        """A line per piece, for `attention_book.pages.figures.plotting.curves`."""
        return {piece: (self.scales.tolist(), self.log_p[:, n].tolist()) for n, piece in enumerate(self.pieces)}

    def told(self) -> str:
        """The lines in words."""
        parts = [
            f"“{piece}”: {line[0]:.1f} at 0, {line[len(line) // 2]:.1f} at the middle, {line[-1]:.1f} at 1"
            for piece, line in zip(self.pieces, self.log_p.T, strict=True)
        ]
        return f"ln P by the strength of all source embeddings of “{self.source}” {'; '.join(parts)}.".replace("-", "−")

    def numbers(self) -> dict[str, float | str]:
        """What the page's text is given: the mean rise of a line, the mean size of its slope at the end, both in nats.

        *grown_score_share* is the part of the rise of ln P − ln(1 − P) that lies in the right half, in per cent. With
        two answers this is the score, and would rise evenly if it were a sum with one term per word.

        Raises:
            AssertionError: if the lines are not flat at their ends, or most of either rise is not over at the middle.
        """
        rise = float((self.log_p[-1] - self.log_p[0]).mean())
        slope = float(np.abs(self.slopes).mean())
        assert rise > 1 and slope < rise / 5, f"the lines rise by {rise:.2f} nats and end with a slope of {slope:.2f}"
        half = float((self.log_p[-1] - self.log_p[len(self.scales) // 2]).mean())
        assert half < rise / 3, f"{half:.2f} of {rise:.2f} nats fall into the right half"
        odds = self.log_p - np.log(-np.expm1(self.log_p))
        share = float((odds[-1] - odds[len(odds) // 2]).sum() / (odds[-1] - odds[0]).sum())
        assert share < 1 / 3, f"{share:.0%} of the rise of the scores falls into the right half"
        found = {"grown_rise": rise, "grown_slope": slope, "grown_half": half, "grown_score_share": 100 * share}
        return found | {"grown_target": self.target}


def growth(translator: Translator, source: str) -> Growth:
    """Multiply the source embeddings by numbers from 0 to 1, and read ln P of the translator's own translation.

    Args:
        translator: whose model is asked; marks of its translation are left out.
        source: one sentence.
    """
    model, subwords = translator.model.eval(), translator.subwords
    target = str(translator.translate(source, split=False))
    written = subwords.encode(target)
    src = torch.tensor([*subwords.encode(source), subwords.eos_id])
    tgt = torch.tensor([subwords.bos_id, *written])
    spelled = subwords.tokens(written)
    shown = [t for t, piece in enumerate(spelled) if not is_mark(piece)]
    scales = np.linspace(0, 1, POINTS)
    x = model.src_embedding.weight[src].detach()
    values = []
    with torch.no_grad():
        for scale in scales.tolist():
            with reading(model, (x * scale)[None]):
                values.append(log_probs(model, src[None], tgt)[0].numpy()[shown])
    slopes = gradient_times_input(model, src, tgt).sum(-1).detach().numpy()[shown]
    pieces = [spelled[t].replace("▁", "") for t in shown]
    return Growth(source, target, pieces, scales, np.stack(values), slopes)
