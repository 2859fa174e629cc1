"""The explorer *a weight between two models*: which translation wins, the more one model of a noisy channel counts."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import traitlets

from ..base import Explorer, front_end, require_no_faults
from ..words import listed, rounded

WHOLE = 100  # the weight 1 in hundredths; model_weight.js has the same
_TIED = 1e-9  # scores that differ by less than this share of the largest are equal

# A translation y, P(y), P(x | y), and whether y is right; a front end sends lists.
Candidate = tuple[str, float, float, bool] | list[str | float | bool]


class Stretch(NamedTuple):
    """Neighbouring weights at which the same candidates win, each counted from 0."""

    winners: tuple[int, ...]
    first: float
    last: float


def scores(candidates: Sequence[Candidate], weight: int) -> list[float]:
    r""":math:`P(y)^w P(x \mid y)^{1 - w}` of each candidate, divided by the largest.

    Args:
        candidates: translations of one sentence; to both models, one at least is possible.
        weight: w in hundredths, from 0 to 100.
    """
    w = weight / WHOLE
    found = [fluency**w * fit ** (1 - w) for _, fluency, fit, _ in candidates]
    return [score / max(found) for score in found]


def winners(candidates: Sequence[Candidate], weight: int) -> tuple[int, ...]:
    """Which candidates have the largest score: several where scores are equal."""
    return tuple(n for n, score in enumerate(scores(candidates, weight)) if score > 1 - _TIED)


def stretches(candidates: Sequence[Candidate]) -> list[Stretch]:
    """Who wins from which weight to which, from 0 to 1, by steps of a hundredth."""
    groups = groupby(range(WHOLE + 1), lambda weight: winners(candidates, weight))
    found = [(best, list(group)) for best, group in groups]
    return [Stretch(best, group[0] / WHOLE, group[-1] / WHOLE) for best, group in found]


def right_alone(candidates: Sequence[Candidate]) -> tuple[float, float]:
    """The lowest and the highest weight at which a right translation wins and no wrong one does.

    Raises:
        ValueError: if there is no such weight.
    """
    found = [one for one in stretches(candidates) if all(candidates[n][3] for n in one.winners)]
    if not found:
        raise ValueError("a wrong translation wins at every weight")
    return found[0].first, found[-1].last


class ModelWeight(Explorer):
    """Translations of a sentence, ranked by a weighted product of what two models say.

    Attributes:
        cases: {"name", "candidates"} for each sentence, the candidates being `Candidate`.
        case: which of them is shown, from 0.
        weight: of the language model, in hundredths.
    """

    title = "A weight between two models"
    _esm = front_end("translator/model_weight.js")

    cases = traitlets.List(traitlets.Dict(), minlen=1).tag(sync=True)
    case = traitlets.Int(0, min=0).tag(sync=True)
    weight = traitlets.Int(WHOLE // 2, min=0, max=WHOLE).tag(sync=True)

    @traitlets.validate("cases", "case")
    def _fits(self, proposal):
        now = {"cases": self.cases, "case": self.case, proposal.trait.name: proposal.value}
        faults = []
        if now["case"] >= len(now["cases"]):
            faults.append(f"there is no case {now['case']}: there are {len(now['cases'])}")
        for case in now["cases"]:
            both = [one[1:3] for one in case["candidates"]]
            if any(not 0 <= p <= 1 for pair in both for p in pair):
                faults.append(f"{case['name']}: P(y) and P(x | y) are probabilities")
            elif not any(min(pair) for pair in both):
                faults.append(f"{case['name']}: to one model or the other, every candidate is impossible")
        require_no_faults(faults)
        return proposal.value

    def in_words(self) -> str:
        """The case, the weight, the winner and the other scores, and who wins where; model_weight.js says the same."""
        case = self.cases[self.case]
        best, found = winners(case["candidates"], self.weight), scores(case["candidates"], self.weight)
        names = [f"“{text}” ({'right' if right else 'wrong'})" for text, _, _, right in case["candidates"]]
        others = [f"{rounded(found[n], 2)} for {name}" for n, name in enumerate(names) if n not in best]
        rest = f" Divided by its score, the others are {listed(others)}." if others else ""
        return (
            f"{case['name']}: at the weight {self.weight / WHOLE:.2f} of the language model "
            f"{listed([names[n] for n in best])} {'win' if len(best) > 1 else 'wins'}.{rest} "
            f"{_by_weight(case['candidates'])}"
        )


def _by_weight(candidates: Sequence[Candidate]) -> str:
    told = []
    for best, first, last in stretches(candidates):
        where = f"at {first:.2f}" if first == last else f"from {first:.2f} to {last:.2f}"
        told.append(f"{where} {listed([f'“{candidates[n][0]}”' for n in best])}")
    return f"By weight: {listed(told)}."
