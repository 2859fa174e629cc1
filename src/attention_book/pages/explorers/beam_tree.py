"""The explorer *grow the beam tree*: a beam search on the trained translator, step by step, and what α makes of it."""

import math
from collections.abc import Iterable, Sequence

import torch
import traitlets

from ...translation import beam_tree
from ...translation.decoding import gnmt_penalty
from ...translation.translator import Translator
from .base import Explorer, front_end
from .words import fixed, short

SENTENCES = ("I like cats.", "I am looking forward to it.", "What do you do for a living?")
BEAMS = (1, 2, 3, 4, 5)
ALPHAS = tuple(n / 10 for n in range(11))  # what the slider offers


class BeamTree(Explorer):
    """A recorded beam search to walk through.

    Attributes:
        trees: one for each sentence, {"source", "limit", "beams"}: "limit" is the most tokens allowed, "beams" holds
            under "1", "2", … the steps of that search, each a list of candidates [parent, token, log-probability, fate]
            with fate "k" (kept), "f" (finished) or "d" (dropped), the most probable first. Make it with `of`.
        sentence: which sentence is shown, counted from 0.
        beam: the width of the beam.
        step: the step looked at, counted from 1.
        alpha: the exponent of the length penalty that ranks finished sentences.
    """

    title = "Grow the beam tree"
    _esm = front_end("beam_tree.js")

    trees = traitlets.List(traitlets.Dict(), minlen=1).tag(sync=True)
    sentence = traitlets.Int(0, min=0).tag(sync=True)
    beam = traitlets.Int(2, min=1).tag(sync=True)
    step = traitlets.Int(1, min=1).tag(sync=True)
    alpha = traitlets.Float(0.6, min=0.0, max=2.0).tag(sync=True)

    @classmethod
    def of(
        cls,
        translator: Translator,
        sentences: Iterable[str] = SENTENCES,
        beams: Sequence[int] = BEAMS,
        **traits,
    ) -> "BeamTree":
        """An explorer of what the translator's searches do on these sentences; log-probabilities in six digits."""
        subwords, trees = translator.subwords, []
        for source in sentences:
            src = torch.tensor([[*subwords.encode(source), subwords.eos_id]])
            grown = {str(size): beam_tree.grow(translator.model, src, size, ALPHAS) for size in beams}
            trees.append({
                "source": source,
                "limit": grown[str(beams[0])].limit,
                "beams": {size: [_recorded(step, subwords) for step in tree.steps] for size, tree in grown.items()},
            })  # fmt: skip
        return cls(trees=trees, **traits)

    @traitlets.validate("sentence", "beam")
    def _fit(self, proposal):
        chosen = {name: getattr(self, name) for name in ("sentence", "beam")} | {proposal.trait.name: proposal.value}
        if chosen["sentence"] >= len(self.trees):
            raise traitlets.TraitError(f"there are {len(self.trees)} sentences, counted from 0")
        beams = self.trees[chosen["sentence"]]["beams"]
        if str(chosen["beam"]) not in beams:
            raise traitlets.TraitError(f"beams of {', '.join(beams)} were recorded")
        return proposal.value

    def in_words(self) -> str:
        """The step looked at and what has finished; beam_tree.js says the same after each change."""
        known = self.trees[self.sentence]
        steps = _with_texts(known["beams"][str(self.beam)])
        step = min(self.step, len(steps))
        fates = {fate: [one for one in steps[step - 1] if one["fate"] == fate] for fate in "kfd"}
        told = {
            fate: ", ".join(f"“{one['text']}” {fixed(one['log_prob'])}" for one in found) or "nothing"
            for fate, found in fates.items()
        }
        finished = _finished(steps, step, self.alpha)
        ranking = ", ".join(f"“{text}” {fixed(score)}" for text, score in finished)
        return (
            f"“{known['source']}” with a beam of {self.beam}, step {step} of {len(steps)}: kept {told['k']}; finished "
            f"{told['f']}; dropped, the best of them, {told['d']}. "
            f"{f'Finished so far, by score: {ranking}.' if finished else 'No sentence has finished so far.'} "
            f"{_verdict(steps, step, self.alpha, known['limit'])}"
        )


def _recorded(step: beam_tree.Step, subwords) -> list[list]:
    return [
        [one.parent, subwords.tokens([one.tokens[-1]])[0], float(f"{one.log_prob:.6g}"), one.fate[0]]
        for one in step.candidates
    ]


def _with_texts(steps: list[list[list]]) -> list[list[dict]]:
    """The candidates of each step with the text of their whole prefix."""
    live, told = [""], []
    for step in steps:
        told.append([
            {"text": _joined(live[parent], token), "log_prob": log_prob, "fate": fate, "tokens": len(told) + 1}
            for parent, token, log_prob, fate in step
        ])  # fmt: skip
        live = [one["text"] for one in told[-1] if one["fate"] == "k"]
    return told


def _joined(text: str, token: str) -> str:
    return (text + (" </s>" if token == "</s>" else token.replace("▁", " "))).strip()


def _finished(steps: list[list[dict]], step: int, alpha: float) -> list[tuple[str, float]]:
    found = [one for before in steps[:step] for one in before if one["fate"] == "f"]
    scored = [(one["text"], one["log_prob"] / gnmt_penalty(one["tokens"], alpha)) for one in found]
    return sorted(scored, key=lambda item: -item[1])


def _reach(steps: list[list[dict]], step: int, alpha: float, limit: int) -> float:
    live = [one["log_prob"] for one in steps[step - 1] if one["fate"] == "k"]
    return live[0] / gnmt_penalty(limit, alpha) if live and step < limit else -math.inf


def _decided(steps: list[list[dict]], alpha: float, limit: int) -> int:
    for step in range(1, len(steps) + 1):
        finished = _finished(steps, step, alpha)
        if finished and _reach(steps, step, alpha, limit) <= finished[0][1]:
            return step
    return len(steps)


def _verdict(steps: list[list[dict]], step: int, alpha: float, limit: int) -> str:
    """Whether the search goes on."""
    decided, reach = _decided(steps, alpha, limit), _reach(steps, step, alpha, limit)
    rule = f"With α = {short(alpha)}"
    if step > decided:
        return f"{rule} the search has stopped after step {decided}: this is what it would have looked at."
    if reach == -math.inf:
        return f"{rule} the search ends here: nothing lives."
    if step == decided:
        return f"{rule} the search stops here: no live prefix can come to more than {fixed(reach)}."
    return f"{rule} the search goes on: a live prefix could still come to {fixed(reach)}."
