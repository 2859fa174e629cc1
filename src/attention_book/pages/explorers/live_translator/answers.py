"""What the live translator's front end asks, answered by Python's translator.

The built page asks an engine of its own, in JavaScript; a running notebook asks here. Both give the same answers, as
lists and numbers that JSON knows. A head is {"use", "layer", "head"}, with a use of `USES`, counted from 0.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from ....analysis.ablation import KINDS, Head, without_heads
from ....data.normalisation import tidy
from ....data.sentence_splitting import split_sentences, without_controls
from ....models.search_interface import inference
from ....translation import beam_tree
from ....translation.forced_beginning import ForcedBeginning
from ....translation.translator import Translator

USES = dict(zip(("encoder", "self", "cross"), KINDS, strict=True))
"""The names of the three uses here, and those of `analysis.ablation`."""
CANDIDATES = 8
BEAMS = (1, 2, 3, 4, 5)
DIGITS = 4  # of a weight and of a probability


class Answers:
    """Answers about one text after another; the names and arguments are those of the engine's client.

    Args:
        translator: a Transformer and its subwords.
    """

    def __init__(self, translator: Translator):
        self.translator = translator
        self._source: list[int] = []
        self._silenced: list[Head] = []

    def load(self) -> dict[str, Any]:
        """What the model is."""
        config = self.translator.model.config
        names = ("n_layers", "n_heads", "d_model", "max_len", "bos_id", "eos_id", "pad_id")
        return {"config": {name: getattr(config, name) for name in names}, "vocabularySize": config.vocab_size}

    def read(self, text: str, sentence: int = 0) -> dict[str, Any]:
        """Cut a sentence of a text into pieces.

        Returns:
            "ids" and "pieces", {"id", "text"}, with ``</s>`` at the end; "text", the sentence that was read;
            "sentences", all of the text's; "notes", what was changed; "problem", a sentence that says why it cannot be
            translated, or None.
        """
        subwords, most = self.translator.subwords, self.translator.model.config.max_len
        self._source, self._silenced = [], []  # what is wrong with this text shall not be said of the one before
        plain, controls = without_controls(text)
        lines = plain.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        answer = {"ids": [], "pieces": [], "text": "", "notes": [], "problem": None}
        try:
            answer["sentences"] = [one for line in lines for one in split_sentences(line)]
            answer["text"] = answer["sentences"][sentence]
            ids = subwords.encode(answer["text"])
        except IndexError:
            return {**answer, "problem": "There is nothing to translate in this text."}
        except ValueError as error:
            return {**answer, "sentences": [], "problem": str(error)}
        if controls:
            answer["notes"].append("Control characters of the text were replaced by spaces.")
        if len(ids) >= most:
            told = f"This sentence has {len(ids)} pieces, and the model reads at most {most - 1}."
            return {**answer, "problem": f"{told} Cut it into shorter ones."}
        self._source = [*ids, subwords.eos_id]
        return {**answer, "ids": self._source, "pieces": self._pieces(self._source)}

    def begin(self, silenced: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
        """Run the encoder on the text last read, without these heads; they stay silent until the next `begin`.

        Returns:
            {"n", "encoder"}: how many positions there are, the end mark among them, and [layer][head] the n · n weights
            of the encoder, row after row.

        Raises:
            ValueError: nothing was read, or there is no such head.
        """
        self._silenced = [Head(USES[one["use"]], one["layer"], one["head"]) for one in silenced]
        model, src = self.translator.model, self._src()
        with inference(model), without_heads(model, self._silenced):
            weights = model.attention_weights(src, src.new_tensor([[model.config.bos_id]]))["encoder_self"][:, 0]
        return {"n": src.shape[1], "encoder": _rows(weights.flatten(2))}

    def step(self, prefix: Sequence[int], candidates: int = CANDIDATES) -> dict[str, Any]:
        """What may follow these ids, and where the model looks for it.

        Returns:
            {"candidates", "end", "self", "cross"}: the most probable next pieces, each with "id", "text",
            "probability" and "logProbability"; the probability of the end; [layer][head] the weights of the decoder on
            its own t pieces, ``<s>`` first, and on the n of the source.
        """
        model = self.translator.model
        with inference(model), without_heads(model, self._silenced):
            return self._steps([*prefix], candidates)[-1]

    def translate(
        self,
        beamSize: int = 1,  # the names are those that JavaScript uses
        lengthPenalty: float = 0.6,
        forced: Sequence[int] = (),
        candidates: int = CANDIDATES,
    ) -> dict[str, Any]:
        """Translate the text last read: {"ids", "text", "score", "steps", "tree"}; `forced` ids come first.

        Returns:
            The ids without ``<s>``, ``</s>`` among them if the translation has an end; what `step` says before each
            of them; and the nodes of the search, a beam's candidates that were kept or finished or nearly so.
        """
        model, subwords = self.translator.model, self.translator.subwords
        with inference(model), without_heads(model, self._silenced):
            tree = beam_tree.grow(ForcedBeginning(model, tuple(forced)), self._src(), beamSize, (lengthPenalty,))
            found = tree.finished(lengthPenalty)
            if found:
                ids, score = list(found[0].tokens), found[0].score
            else:
                best = tree.steps[-1].of(beam_tree.KEPT)[0]
                ids = list(best.tokens)
                score = best.log_prob / beam_tree.gnmt_penalty(len(ids), lengthPenalty)
            steps = self._steps(ids[:-1], candidates)
        text = tidy(without_controls(subwords.decode(ids))[0])
        return {"ids": ids, "text": text, "score": score, "steps": steps, "tree": {"nodes": self._nodes(tree)}}

    def record(self, text: str, beam: int = 1, forced: Sequence[int] = (), silenced=()) -> dict[str, Any]:
        """All about one text: what `read`, `begin` and `translate` say, for a page that cannot ask.

        Raises:
            ValueError: the text has a problem.
        """
        read = self.read(text)
        if read["problem"]:
            raise ValueError(read["problem"])
        answers = {**read, **self.begin(silenced), **self.translate(beam, forced=forced)}
        return {**answers, "source": text}

    def _src(self) -> Tensor:
        if not self._source:
            raise ValueError("no text was read: ask `read` first, and heed its problem")
        return torch.tensor([self._source], device=next(self.translator.model.parameters()).device)

    def _pieces(self, ids: Sequence[int]) -> list[dict[str, Any]]:
        return [{"id": i, "text": text} for i, text in zip(ids, self.translator.subwords.tokens(ids), strict=True)]

    def _steps(self, written: list[int], candidates: int) -> list[dict[str, Any]]:
        """What `step` says of each beginning of these ids, by one pass over all of them."""
        model, src = self.translator.model, self._src()
        fed = src.new_tensor([[model.config.bos_id, *written]])
        weights = model.attention_weights(src, fed)
        log_probs = model(src, fed)[0].log_softmax(dim=-1)
        log_probs[:, [model.config.pad_id, model.config.bos_id]] = -torch.inf
        return [
            {
                "candidates": self._candidates(row, candidates),
                "end": _short(row[model.config.eos_id].exp()),
                "self": _rows(weights["decoder_self"][:, 0, :, t, : t + 1]),
                "cross": _rows(weights["cross"][:, 0, :, t]),
            }
            for t, row in enumerate(log_probs)
        ]

    def _candidates(self, log_probs: Tensor, count: int) -> list[dict[str, Any]]:
        best = log_probs.topk(count)
        return [
            {**piece, "probability": _short(log_prob.exp()), "logProbability": _short(log_prob)}
            for piece, log_prob in zip(self._pieces(best.indices.tolist()), best.values, strict=True)
        ]

    def _nodes(self, tree: beam_tree.BeamTree) -> list[dict[str, Any]]:
        """The tree as a list; a node's parent is its place in the list, or −1."""
        nodes: list[dict[str, Any]] = []
        live, totals = [-1], [0.0]
        for step in tree.steps:
            places = []
            for one in step.candidates:
                (piece,) = self._pieces(one.tokens[-1:])
                places.append(len(nodes))
                nodes.append({
                    "parent": live[one.parent], **piece,
                    "logProbability": round(one.log_prob - totals[one.parent], DIGITS),
                    "total": round(one.log_prob, DIGITS), "kept": one.fate == beam_tree.KEPT,
                    "finished": one.fate == beam_tree.FINISHED,
                })  # fmt: skip
            kept = [n for n, one in enumerate(step.candidates) if one.fate == beam_tree.KEPT]
            live, totals = [places[n] for n in kept], [step.candidates[n].log_prob for n in kept]
        return nodes


def _rows(weights: Tensor) -> list[list[list[float]]]:
    """(layers, heads, cells) as lists of rounded numbers."""
    return [[[_short(x) for x in head] for head in layer] for layer in weights.double().cpu().tolist()]


def _short(x: float | Tensor) -> float:
    return round(float(x), DIGITS) + 0.0  # no negative zero
