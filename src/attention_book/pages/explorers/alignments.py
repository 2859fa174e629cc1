"""The explorer *alignments*: where a recurrent translator looks for each piece that it writes, or is made to write."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
import traitlets

from ...data.normalisation import tidy
from ...data.sentence_splitting import without_controls
from ...models.search_interface import inference
from ...translation.decoding import beam_search
from ...translation.translator import InputTooLong, Translator
from .base import Explorer, front_end
from .words import fixed, listed

SENTENCES = (
    ("I like cats.", "Me gustan los gatos."),
    ("Which platform does the night train leave from?", "¿De qué andén sale el tren nocturno?"),
    ("We did not hear the bell.", "No oímos la campana."),
    ("She sold me a small green lamp.", "Me vendió una lámpara verde pequeña."),
    ("My sister likes old wooden houses.", "A mi hermana le gustan las casas antiguas de madera."),
    ("My left knee hurts when I run.", "Me duele la rodilla izquierda cuando corro."),
    ("Have you ever seen a white horse?", "¿Alguna vez has visto un caballo blanco?"),
    ("He never told us the whole truth.", "Nunca nos dijo toda la verdad."),
    ("I gave her the yellow umbrella yesterday.", "Ayer le di el paraguas amarillo."),
    ("An important letter arrived at my office this morning.", "Esta mañana llegó a mi oficina una carta importante."),
    (
        "The old man who lives next door has two black cats that never sleep.",
        "El anciano que vive al lado tiene dos gatos negros que nunca duermen.",
    ),
    (
        "When it rains, my neighbor's children play chess in our warm kitchen.",
        "Cuando llueve, los hijos de mi vecino juegan al ajedrez en nuestra cálida cocina.",
    ),
)
"""Sentences of ours, each with a translation of ours."""
READINGS = {"own": "the model's own translation", "reference": "our translation, forced through"}
DIGITS = 5  # of a weight and of a log-probability
_MIXED = 0.9  # of the weight, at least, is told state by state
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def reading(translator: Translator, source: str, target: str | None = None) -> dict[str, Any]:
    """Feed a target to the decoder, piece by piece, and keep what it says and where it looks.

    Args:
        translator: a recurrent model with attention, and its subwords.
        source: one sentence.
        target: what the decoder is made to write (teacher forcing); what it writes itself, with a beam of 4, if None.

    Returns:
        JSON-ready: ``target``, the text; ``pieces`` of it, with ``</s>``; ``log_probs``, one per piece, given the
        pieces before it; ``first``, the model's first choice in each place with its log-probability; ``weights``, a row
        per piece, a column per piece of the source: those with which the context for this piece was mixed.

    Raises:
        ValueError: if a sentence is blank, or the model has no attention of one layer and one head.
        InputTooLong: if a sentence has more pieces than the model reads.
    """
    model, subwords = translator.model, translator.subwords
    src = torch.tensor([_ids(translator, source)])
    if target is None:
        (found,) = beam_search(model, src)
        out = list(found.tokens)
    else:
        out = _ids(translator, target)
    fed = torch.tensor([[subwords.bos_id, *out[:-1]]])
    with inference(model):
        weights = model.attention_weights(src, fed).get("cross")
        if weights is None or weights[:, 0, :, 0, 0].numel() != 1:
            raise ValueError("this explorer shows one table of weights, and the model has none, or several")
        log_probs = model(src, fed).log_softmax(dim=-1)[0]
    said = log_probs.gather(1, torch.tensor(out)[:, None])[:, 0]
    best = log_probs.max(dim=1)
    firsts = subwords.tokens(best.indices.tolist())
    return {
        "target": tidy(without_controls(subwords.decode(out))[0]) if target is None else tidy(target),
        "pieces": subwords.tokens(out),
        "log_probs": [_rounded(x) for x in said],
        "first": [[piece, _rounded(x)] for piece, x in zip(firsts, best.values, strict=True)],
        "weights": [[_rounded(x) for x in row] for row in weights[0, 0, 0]],
    }


def _ids(translator: Translator, text: str) -> list[int]:
    subwords, most = translator.subwords, translator.model.config.max_len
    ids = [*subwords.encode(tidy(text)), subwords.eos_id]
    if len(ids) == 1:
        raise ValueError(f"there is no word in {text!r}")
    if len(ids) > most:
        raise InputTooLong(f"{len(ids) - 1} pieces are more than the {most - 1} that this model reads")
    return ids


def _rounded(x: torch.Tensor) -> float:
    return round(float(x), DIGITS) + 0.0  # no negative zero


def as_json(translator: Translator, source: str, reference: str | None = None) -> dict[str, Any]:
    """A sentence as the front end reads it: its pieces, and one or two readings.

    Raises:
        ValueError, InputTooLong: as :func:`reading`.
    """
    readings = {"own": reading(translator, source)}
    if reference is not None:
        readings["reference"] = reading(translator, source, reference)
    pieces = translator.subwords.tokens(_ids(translator, source))
    return {"source": tidy(source), "pieces": pieces, "readings": readings}


class Alignments(Explorer):
    """The attention weights of a recurrent translator, one row a target piece.

    In a notebook ``explorer.text = "Where is the bank?"`` translates a sentence of yours and shows it, and so does the
    field that the figure has there. ``explorer.add(source, reference)`` adds one with a translation to force through.

    Args:
        translator: whose weights; the recurrent one that comes with the book if left out.
        sentences: pairs of a source and a translation of ours.

    Attributes:
        examples: what :func:`as_json` gives for each sentence.
        example: which of them is shown, counted from 0.
        reading: ``"own"`` or ``"reference"``; a sentence without a reference shows its own.
        piece: the target piece looked at, counted from 1; beyond the last, the last.
        text: a sentence to translate; setting it adds it.
        problem: why the last text could not be translated; empty if it could.
    """

    title = "Alignments"
    _esm = front_end("alignments.js")

    examples = traitlets.List(traitlets.Dict(), minlen=1).tag(sync=True)
    example = traitlets.Int(0, min=0).tag(sync=True)
    reading = traitlets.Enum(list(READINGS), "own").tag(sync=True)
    piece = traitlets.Int(2, min=1).tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        translator: Translator | None = None,
        sentences: Iterable[tuple[str, str]] = SENTENCES,
        **traits: int | str | list,
    ):
        self._translator = translator
        if "examples" not in traits:
            traits["examples"] = [as_json(self._model(), *both) for both in sentences]
        super().__init__(**traits)

    def _model(self) -> Translator:
        self._translator = self._translator or Translator.from_pretrained("en-es-rnn-attention")
        return self._translator

    @traitlets.validate("example")
    def _is_there(self, proposal):
        if proposal.value >= len(self.examples):
            raise traitlets.TraitError(f"there are {len(self.examples)} sentences, counted from 0")
        return proposal.value

    def add(self, source: str, reference: str | None = None) -> None:
        """Translate a sentence of yours and show it.

        Args:
            source: one English sentence.
            reference: a translation to force through, if there is one.

        Raises:
            ValueError: if a sentence is blank or too long.
        """
        self.examples = [*self.examples, as_json(self._model(), source, reference)]
        with self.hold_trait_notifications():
            self.example, self.piece = len(self.examples) - 1, 1

    @traitlets.observe("text")
    def _translate(self, change):
        if not change.new.strip():
            self.problem = ""
            return
        known = [one["source"] for one in self.examples]
        try:
            if tidy(change.new) in known:
                self.example = known.index(tidy(change.new))
            else:
                self.add(change.new)
        except (ValueError, FileNotFoundError) as error:
            self.problem = str(error)
        else:
            self.problem = ""

    def _shown(self) -> tuple[dict, str, dict]:
        """The sentence, the name of the reading that is shown of it, and that reading."""
        known = self.examples[self.example]
        name = self.reading if self.reading in known["readings"] else "own"
        return known, name, known["readings"][name]

    @property
    def weights(self) -> np.ndarray:
        """The table that is shown: target pieces × source pieces, in a few digits."""
        return np.array(self._shown()[2]["weights"])

    def in_words(self) -> str:
        """What is shown, and the whole row of the piece; alignments.js says the same after each change."""
        known, name, shown = self._shown()
        at = min(self.piece, len(shown["pieces"])) - 1
        pieces, log_probs, row = shown["pieces"], shown["log_probs"], shown["weights"][at]
        worst = log_probs.index(min(log_probs))
        shares = [f"{fixed(x)} to “{piece}”" for x, piece in zip(row, known["pieces"], strict=True)]
        entropy = _entropy(row)
        return (
            f"“{known['source']}” and “{shown['target']}”, {READINGS[name]}: {len(pieces)} pieces, log-probability "
            f"{fixed(_total(log_probs))}; the least expected is “{pieces[worst]}”, {fixed(log_probs[worst])}. "
            f"Piece {at + 1}, “{pieces[at]}”, {_expected(pieces[at], log_probs[at], shown['first'][at])}. Its row "
            f"gives {listed(shares)}. The context is {' + '.join(_mixture(row, known['pieces']))}. The largest weight "
            f"is on “{known['pieces'][row.index(max(row))]}”; the entropy is {fixed(entropy)} nats, that of "
            f"{fixed(math.exp(entropy))} even weights."
        )


def _total(numbers: Sequence[float]) -> float:
    total = 0.0  # added one by one, as JavaScript does; Python's own sum keeps more digits
    for x in numbers:
        total += x
    return total


def _entropy(row: Sequence[float]) -> float:
    return -_total([x * math.log(x) for x in row if x > 0]) + 0.0


def _expected(piece: str, log_prob: float, first: list) -> str:
    told = f"log-probability {fixed(log_prob)}"
    if first[0] == piece:
        return f"{told}, is the model's first choice"
    return f"{told}, is not the model's first choice, which is “{first[0]}”, {fixed(first[1])}"


def _mixture(row: Sequence[float], pieces: Sequence[str]) -> list[str]:
    """The terms of the context: the largest weights with their states, until most of the weight is told; the rest."""
    order = sorted(range(len(row)), key=lambda j: -row[j])
    count, told = 0, 0.0
    while count < len(order) and told < _MIXED:
        told += row[order[count]]
        count += 1
    terms = [f"{fixed(row[j])} h{str(j + 1).translate(_SUBSCRIPTS)} ({pieces[j]})" for j in order[:count]]
    rest = [row[j] for j in order[count:]]
    return [*terms, f"{fixed(_total(rest))} of the other {len(rest)}"] if rest else terms
