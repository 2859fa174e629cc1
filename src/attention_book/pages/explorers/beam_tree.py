"""The explorer *grow the beam tree*: a beam search on the trained translator, step by step, and what α makes of it."""

import math
from collections.abc import Iterable, Sequence

import torch
import traitlets

from ...translation import beam_tree
from ...translation.translator import Translator
from .base import Explorer, front_end
from .words import fixed, short

SENTENCES = ("I like cats.", "I am looking forward to it.", "What do you do for a living?")
BEAMS = (1, 2, 3, 4, 5)
ALPHAS = tuple(n / 10 for n in range(11))  # what the slider offers
FATES = {fate[0]: fate for fate in (beam_tree.KEPT, beam_tree.FINISHED, beam_tree.DROPPED)}


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
        tree, names = _tree(known, str(self.beam))
        step = min(self.step, len(tree.steps))
        kept, ended, dropped = (
            ", ".join(f"“{_text(one.tokens, names)}” {fixed(one.log_prob)}" for one in tree.steps[step - 1].of(fate))
            or "nothing"
            for fate in FATES.values()
        )
        finished = tree.finished(self.alpha, step)
        ranking = ", ".join(f"“{_text(one.tokens, names)}” {fixed(one.score)}" for one in finished)
        return (
            f"“{known['source']}” with a beam of {self.beam}, step {step} of {len(tree.steps)}: kept {kept}; finished "
            f"{ended}; dropped, the best of them, {dropped}. "
            f"{f'Finished so far, by score: {ranking}.' if finished else 'No sentence has finished so far.'} "
            f"{_verdict(tree, step, self.alpha)}"
        )


def _recorded(step: beam_tree.Step, subwords) -> list[list]:
    return [
        [one.parent, subwords.tokens([one.tokens[-1]])[0], float(f"{one.log_prob:.6g}"), one.fate[0]]
        for one in step.candidates
    ]


def _tree(known: dict, beam: str) -> tuple[beam_tree.BeamTree, list[str]]:
    """A recorded search as the package's own tree, whose stop rule it follows, and the text of each of its ids."""
    names: dict[str, int] = {}
    live, steps = [()], []
    for step in known["beams"][beam]:
        steps.append(beam_tree.Step(tuple(
            beam_tree.Candidate(
                parent, (*live[parent], names.setdefault(token, len(names))), float(log_prob), FATES[fate]
            )
            for parent, token, log_prob, fate in step
        )))  # fmt: skip
        live = [one.tokens for one in steps[-1].of(beam_tree.KEPT)]
    return beam_tree.BeamTree(tuple(steps), known["limit"]), list(names)


def _text(tokens: Iterable[int], names: Sequence[str]) -> str:
    text = ""
    for token in tokens:
        text = (text + (" </s>" if names[token] == "</s>" else names[token].replace("▁", " "))).strip()
    return text


def _verdict(tree: beam_tree.BeamTree, step: int, alpha: float) -> str:
    """Whether the search goes on."""
    decided, reach = tree.decided_at(alpha), tree.reach(alpha, step)
    rule = f"With α = {short(alpha)}"
    if step > decided:
        return f"{rule} the search has stopped after step {decided}: this is what it would have looked at."
    if reach == -math.inf:
        return f"{rule} the search ends here: nothing lives."
    if step == decided:
        return f"{rule} the search stops here: no live prefix can come to more than {fixed(reach)}."
    return f"{rule} the search goes on: a live prefix could still come to {fixed(reach)}."
