"""The explorer *three attributions*: choose a sentence and a written piece, and see three answers side by side."""

from collections.abc import Iterable

import torch
import traitlets

from ....analysis.attribution.exchange_sentences import spelled, words_of_pieces
from ....analysis.attribution.source_words import attributions, log_probs
from ....data.normalisation import tidy
from ....translation.translator import InputTooLong, Translator
from ..base import Explorer, front_end
from ..words import fixed, listed

SENTENCES = (
    "The red house is old.",
    "I like cats.",
    "The girls are in the kitchen.",
    "My sister bought a white car.",
    "He went to the bank of the river.",
)
METHODS = {"weights": "weights", "gradient": "gradient × input", "leaving out": "leaving out"}
"""The three columns; attributions.js has the same."""
DIGITS = 5
STEPS = 32
LONGEST = 80  # characters of a typed sentence, also in attributions.js


def attributed(translator: Translator, source: str, steps: int = STEPS) -> dict:
    """A sentence, the translator's own translation of it, and all attributions, as the front end reads them.

    Args:
        translator: whose model is asked.
        source: one sentence.
        steps: of integrated gradients.

    Returns:
        ``source`` and ``target``; ``words``, the source words, and ``written``, the pieces of the translation;
        ``probability`` of each piece; and by the name of each method a list with one row per piece.

    Raises:
        ValueError: if the sentence is blank.
        InputTooLong: if it has more pieces than the model has positions.
    """
    model, subwords = translator.model.eval(), translator.subwords
    source = tidy(source)
    pieces = subwords.encode(source)
    if not pieces:
        raise ValueError(f"there is no word in {source!r}")
    if len(pieces) >= model.config.max_len:
        raise InputTooLong(f"{len(pieces)} pieces are more than the {model.config.max_len - 1} that this model reads")
    target = str(translator.translate(source, split=False))
    written = subwords.encode(target)
    words = words_of_pieces(subwords.tokens(pieces))
    device = next(model.parameters()).device
    src = torch.tensor([*pieces, subwords.eos_id], device=device)
    tgt = torch.tensor([subwords.bos_id, *written], device=device)
    found = attributions(model, src, tgt, [*words, [len(pieces)]], steps)
    with torch.no_grad():
        probability = log_probs(model, src[None], tgt)[0].exp()
    return {
        "source": source,
        "target": target,
        "words": [spelled([subwords.tokens(pieces)[j] for j in word]) for word in words] + ["</s>"],
        "written": [piece.replace("▁", "") if piece != "▁" else piece for piece in subwords.tokens(written)],
        "probability": _rounded(probability),
        **{name: [_rounded(row) for row in values] for name, values in found.items()},
    }


def _rounded(values: torch.Tensor) -> list[float]:
    return [round(value, DIGITS) + 0.0 for value in values.tolist()]


class Attributions(Explorer):
    """Three attributions of each piece that a translator wrote, one piece at a time, side by side.

    In a notebook, set ``explorer.text = "Where is the bank?"`` or type the sentence into the explorer: it is translated
    and shown.

    Args:
        translator: whose attributions; the one that comes with the book if left out.
        sentences: what it translates.

    Attributes:
        sentences: what :func:`attributed` gives for each sentence.
        sentence: which of them is shown, from 0.
        row: the written piece looked at, from 0; beyond the last, the last.
        gradient: ``"gradient"`` takes the gradient at the sentence, ``"integrated"`` its mean on the way there.
        text: a sentence of the reader's own, or nothing.
        problem: why the text could not be shown, or nothing.
        kernel: whether Python answers; on a page of the book it does not.
    """

    title = "Attributions"
    _esm = front_end("translator/attributions.js")

    sentences = traitlets.List(traitlets.Dict()).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0, min=0).tag(sync=True)
    gradient = traitlets.Enum(["gradient", "integrated"], "gradient").tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    kernel = traitlets.Bool(True).tag(sync=True)

    def __init__(self, translator: Translator | None = None, sentences: Iterable[str] = SENTENCES, **traits: int | str):
        self._translator = translator or Translator.from_pretrained()
        super().__init__(**{"sentences": [attributed(self._translator, text) for text in sentences], **traits})

    @traitlets.validate("sentence")
    def _there(self, proposal):
        if not 0 <= proposal.value < len(self.sentences):
            raise traitlets.TraitError(f"there is no sentence {proposal.value}: there are {len(self.sentences)}")
        return proposal.value

    @traitlets.observe("text")
    def _typed(self, change) -> None:
        """Translate and show what was typed; what cannot be translated is told in `problem`."""
        text = change["new"][:LONGEST].strip()
        if not text:
            self.problem = ""
            return
        try:
            found = attributed(self._translator, text)
        except (ValueError, InputTooLong) as error:
            self.problem = str(error)
            return
        with self.hold_trait_notifications():
            self.sentences = [*self.sentences, found]
            self.sentence = len(self.sentences) - 1
            self.row = 0
            self.problem = ""

    def state(self) -> dict:
        """The traits, for a page on which no Python answers."""
        return super().state() | {"kernel": False}

    @property
    def columns(self) -> dict[str, list[float]]:
        """The three attributions of the piece looked at, one number per source word, by the names in `METHODS`."""
        shown = self.sentences[self.sentence]
        row = min(self.row, len(shown["written"]) - 1)
        return {name: shown[self.gradient if name == "gradient" else name][row] for name in METHODS}

    def in_words(self) -> str:
        """The piece, its probability and its three attributions; attributions.js says the same after each change."""
        shown = self.sentences[self.sentence]
        row = min(self.row, len(shown["written"]) - 1)
        told = [
            f"“{shown['source']}” became “{shown['target']}” The piece “{shown['written'][row]}” has the probability "
            f"{fixed(shown['probability'][row])}."
        ]
        for name, column in self.columns.items():
            label = "Integrated gradient" if (name, self.gradient) == ("gradient", "integrated") else METHODS[name]
            values = [f"{fixed(x)} for “{word}”" for x, word in zip(column, shown["words"], strict=True)]
            told.append(f"{label[0].upper()}{label[1:]}: {listed(values)}.")
        return " ".join(told)
