"""The translator: a trained model and its subwords, from text to text."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ..data.normalisation import tidy
from ..data.sentence_splitting import split_sentences, without_controls
from ..data.subwords import Subwords
from ..models.concurrency import evaluating
from ..models.registry import TranslationModel
from ..models.search_interface import check_count, inference
from ..paths import PRETRAINED
from .decoding import Hypothesis, beam_search, check_beam_size, check_penalty, greedy_decode
from .model_folder import load_model, save_model

WIDEST_BEAM = 256  # beyond that a translation takes seconds, and is no better for it

_MOST_ROWS = 128  # hypotheses decoded side by side: more gain no time and cost memory
_MOST_TOKENS = 8192  # of their sources, padding counted


class InputTooLong(ValueError):
    """A sentence has more subwords than the model has positions; it is refused whole, never cut."""


class TranslationWarning(UserWarning):
    """Something about a text or its translation that should not go unsaid."""


class Outcome(NamedTuple):
    """What became of one text.

    Attributes:
        text: the translation; None where there is an error.
        error: why the text cannot be translated, or None.
        notes: what should not go unsaid: control characters replaced, a translation that did not end.
    """

    text: str | None
    error: ValueError | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Translation:
    """A translation and how the model came to it.

    Row i of `decoder_self` and `cross` belongs to the prediction of `target_tokens[i]`. The decoder then reads `<s>`
    followed by `target_tokens[:i]`: column 0 of `decoder_self` is `<s>`, and column j > 0 is `target_tokens[j - 1]`.
    Columns of `cross`, rows and columns of `encoder_self` are `source_tokens`. Every row of weights sums to 1. A
    recurrent model has no weights of its own over its own side, and without attention none at all: None stands there.

    Attributes:
        text: the translation, as `translate` gives it.
        source_tokens: readable pieces of the source; the last is `</s>`.
        target_tokens: readable pieces of the target; the last is `</s>`, unless the search met its length limit first.
        log_probs: log p(target_tokens[i] | earlier ones, source), in nats.
        encoder_self, decoder_self, cross: attention weights, of each layer and head. A recurrent `cross` has one
            layer and one head.
    """

    text: str
    source_tokens: list[str]
    target_tokens: list[str]
    log_probs: Float[np.ndarray, " tgt_len"]
    encoder_self: Float[np.ndarray, "n_layers n_heads src_len src_len"] | None = None
    decoder_self: Float[np.ndarray, "n_layers n_heads tgt_len tgt_len"] | None = None
    cross: Float[np.ndarray, "n_layers n_heads tgt_len src_len"] | None = None


@dataclass
class _Source:
    """A text made ready: for each of its lines the sentences, each as ids with `</s>`; or why that cannot be."""

    lines: list[list[list[int]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: ValueError | None = None

    @property
    def sentences(self) -> list[list[int]]:
        return [sentence for line in self.lines for sentence in line]


def translator_folder(name: str | Path) -> Path:
    """The folder of a translator that comes with the book, or of any other by its path.

    Raises:
        TypeError: the name is neither text nor a path.
        FileNotFoundError: there is neither; the message says what there is.
    """
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"name must be that of a translator or the path of a folder, got {name!r}")
    shipped = sorted(folder.name for folder in PRETRAINED.glob("*") if folder.is_dir())
    folder = PRETRAINED / name if str(name) in shipped else Path(name).expanduser()
    if not folder.is_dir():
        offer = f"The book comes with {', '.join(shipped)}" if shipped else "The book comes with none"
        raise FileNotFoundError(
            f"there is no translator {str(name)!r}, and no such folder. {offer}; "
            "`python -m attention_book train` makes one."
        )
    return folder


class Translator:
    """Translates texts with a trained model: a Transformer, or a recurrent encoder–decoder.

    A text is tidied as the training texts were: NFC, runs of spaces folded into one and stripped at both ends,
    zero-width spaces removed. Its lines are translated one by one and stay lines. A line is cut into sentences
    (`sentence_splitting.split_sentences`), because the model learnt single sentences; their translations are joined by
    a space. Control characters become spaces, with a `TranslationWarning`. Any Unicode text can be spelt, also emoji
    and scripts that the model has never seen: what comes out for those is text, and of no value.

    Any number of threads may translate with one translator at the same time, whether its model is in evaluation or in
    training mode; nobody sees the mode change, and nobody may change it or the weights meanwhile. A translator can be
    pickled, so it can be handed to processes that were spawned. After a fork it goes on translating; there torch
    computes with one thread, since those that would help it are not forked. On a GPU torch refuses to go on after a
    fork, and says that processes must be spawned.

    Args:
        model: of either family; its vocabulary must be that of `subwords`.
        subwords: the vocabulary that it was trained with.
        results: the record of its training, if there is one.

    Raises:
        ValueError: the model's vocabulary has another size.
    """

    def __init__(self, model: TranslationModel, subwords: Subwords, results: dict[str, Any] | None = None):
        if len(subwords) != model.config.vocab_size:
            raise ValueError(f"the model has {model.config.vocab_size} subwords, and the vocabulary {len(subwords)}")
        self.model, self.subwords, self.results = model, subwords, results or {}

    @classmethod
    def from_pretrained(cls, name: str | Path = "en-es", device: str = "cpu") -> "Translator":
        """Load a translator that comes with the book, or one that `save` wrote.

        Args:
            name: "en-es", or the path of a folder.
            device: where it is to run, as torch names it: "cpu", "cuda", "cuda:1".

        Raises:
            TypeError: the name is neither text nor a path.
            FileNotFoundError: there is neither, or a file of the folder is missing; the message says what there is.
            ValueError: a file of the folder is damaged, or does not belong to the others; the message names it. Or
                there is no such device.
        """
        folder = translator_folder(name)
        _check_device(device)
        model, subwords, results = load_model(folder)
        return cls(model.to(device), subwords, results)

    def save(self, folder: str | Path) -> None:
        """Write weights, configuration, vocabulary and record, for `from_pretrained`; see `model_folder.save_model`.

        Raises:
            ValueError: a weight is not finite in half precision.
            CheckpointError: a file cannot be written; what was there stays.
        """
        save_model(Path(folder), self.model, self.subwords, self.results)

    def translate(
        self,
        text,
        beam_size: int = 4,
        return_attention: bool = False,
        *,
        length_penalty: float = 0.6,
        split: bool = True,
    ) -> str | Translation | list[str] | list[Translation]:
        """Translate a text, or a list of texts.

        Args:
            text: a string, or a list or tuple of strings.
            beam_size: of the search, from 1, which is greedy, to `WIDEST_BEAM`.
            return_attention: give a `Translation` in place of each string.
            length_penalty: alpha of `decoding.beam_search`, from 0 to 100.
            split: cut each line into sentences. False translates each text as one sentence, lines and all.

        Returns:
            For a string a string, for a list a list of the same length and order. A blank text gives an empty one.

        Raises:
            TypeError: a text is not a string, or a setting of another kind than it must be.
            InputTooLong: a sentence has more subwords than the model has positions.
            ValueError: a text holds a lone surrogate; attention is asked for a text of several sentences (weights are
                those of one sentence: translate them singly, or pass `split=False`); a setting is out of range, also
                where there is nothing to translate.

        Of a list, the error names the text, and nothing is translated.
        """
        self._check_settings(beam_size, length_penalty, split=split, return_attention=return_attention)
        texts = [text] if isinstance(text, str) else text
        if not isinstance(texts, list | tuple):
            raise TypeError(f"a text must be a string, or texts a list of strings, not {type(text).__name__}")
        sources = self._prepare_all(texts, split)
        for number, source in enumerate(sources, start=1):
            if return_attention and source.error is None and len(source.sentences) > 1:
                source.error = ValueError(
                    f"attention weights are those of one sentence, and there are {len(source.sentences)}: "
                    "translate them one at a time, or pass split=False"
                )
            if source.error is not None:
                which = "" if isinstance(text, str) else f"text {number} of {len(texts)}: "
                raise type(source.error)(f"{which}{source.error}")
        finished = self._translate(sources, beam_size, length_penalty)
        for source in sources:
            for note in source.notes:
                warnings.warn(note, TranslationWarning, stacklevel=2)
        if return_attention:
            finished = [self._explain(*both) for both in zip(sources, finished, strict=True)]
        else:
            finished = [self._spell(source, found) for source, found in zip(sources, finished, strict=True)]
        return finished[0] if isinstance(text, str) else finished

    def translate_each(
        self, texts, beam_size: int = 4, *, length_penalty: float = 0.6, split: bool = True
    ) -> list[Outcome]:
        """Translate each text that can be translated; of the others, say why not.

        Args:
            texts: strings, in a list or anything else that gives them one after the other, such as a generator or an
                open file; it is read to its end first. The settings are those of `translate`.

        Returns:
            One outcome a text, in order.

        Raises:
            TypeError: texts is a single string, or has no order; a text is not a string; a setting is of another kind.
            ValueError: beam_size or length_penalty is out of range.
        """
        self._check_settings(beam_size, length_penalty, split=split)
        if isinstance(texts, str | bytes):
            raise TypeError(f"texts must be several strings, got a single {type(texts).__name__}: put it into a list")
        if isinstance(texts, Mapping | Set) or not isinstance(texts, Iterable):
            raise TypeError(f"texts must be a list of strings, or another series with an order, got {texts!r:.80}")
        sources = self._prepare_all(list(texts), split)
        finished = self._translate(sources, beam_size, length_penalty)
        return [
            Outcome(None if source.error else self._spell(source, found), source.error, tuple(source.notes))
            for source, found in zip(sources, finished, strict=True)
        ]

    def _check_settings(self, beam_size, length_penalty, **flags) -> None:
        """Refuse a bad setting before any work, whatever the texts are."""
        check_count("beam_size", beam_size, most=WIDEST_BEAM)
        check_beam_size(beam_size, self.model.config.vocab_size)
        check_penalty(length_penalty)
        for name, flag in flags.items():
            if not isinstance(flag, bool | np.bool_):
                raise TypeError(f"{name} must be True or False, got {flag!r}")

    def _prepare_all(self, texts: Sequence, split: bool) -> list[_Source]:
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                hint = "; decode it first" if isinstance(text, bytes) else ""
                raise TypeError(f"text {number} of {len(texts)} is no string but {type(text).__name__}{hint}")
        return [self._prepare(text, split) for text in texts]

    def _prepare(self, text: str, split: bool) -> _Source:
        source = _Source()
        text, controls = without_controls(text)
        if controls:
            names = ", ".join(dict.fromkeys(controls))
            source.notes.append(f"control characters replaced by spaces: {len(controls)} ({names})")
        lines = text.strip().replace("\r\n", "\n").replace("\r", "\n").split("\n") if split else [text]
        try:
            for line in lines:
                sentences = split_sentences(line) if split else [tidy(line)]
                source.lines.append([self._encode(sentence) for sentence in sentences if sentence])
        except ValueError as error:
            source.lines, source.error = [], error
        return source

    def _encode(self, sentence: str) -> list[int]:
        ids = [*self.subwords.encode(sentence), self.subwords.eos_id]
        if len(ids) > self.model.config.max_len:
            start = sentence if len(sentence) <= 40 else sentence[:40] + "…"
            raise InputTooLong(
                f"a sentence of {len(ids) - 1} subwords is too long for this model, which reads at most "
                f"{self.model.config.max_len - 1}: {start!r}. Cut it into shorter sentences."
            )
        return ids

    def _translate(self, sources: list[_Source], beam_size: int, length_penalty: float) -> list[list[Hypothesis]]:
        """The hypotheses of each source's sentences, in order; a note where one did not end."""
        sentences = [sentence for source in sources for sentence in source.sentences]
        hypotheses = iter(self._search(sentences, beam_size, length_penalty))
        found = [[next(hypotheses) for _ in source.sentences] for source in sources]
        for source, translations in zip(sources, found, strict=True):
            for hypothesis in translations:
                if hypothesis.tokens[-1:] != (self.subwords.eos_id,):
                    source.notes.append(
                        f"the translation of a sentence did not end within {len(hypothesis.tokens)} subwords, "
                        "and what is given may be its beginning only"
                    )
        return found

    def _search(self, sentences: list[list[int]], beam_size: int, length_penalty: float) -> list[Hypothesis]:
        """Decode in batches of like lengths; the order of the sentences is kept."""
        model, device = evaluating(self.model), next(self.model.parameters()).device
        found: dict[int, Hypothesis] = {}
        for batch in _batches([len(sentence) for sentence in sentences], beam_size):
            rows = [torch.tensor(sentences[i], device=device) for i in batch]
            src = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=self.subwords.pad_id)
            if beam_size == 1:
                hypotheses = greedy_decode(model, src)
            else:
                hypotheses = beam_search(model, src, beam_size, length_penalty)
            found.update(zip(batch, hypotheses, strict=True))
        return [found[i] for i in range(len(sentences))]

    def _spell(self, source: _Source, hypotheses: list[Hypothesis]) -> str:
        """The text of a source's hypotheses: sentences joined by a space, lines by a line feed."""
        texts = iter([tidy(without_controls(self.subwords.decode(h.tokens))[0]) for h in hypotheses])
        lines = [[next(texts) for _ in line] for line in source.lines]
        return "\n".join(" ".join(filter(None, line)) for line in lines)

    def _explain(self, source: _Source, hypotheses: list[Hypothesis]) -> Translation:
        """Read the weights and log-probabilities of a finished translation off one pass over source and target."""
        model, device = evaluating(self.model), next(self.model.parameters()).device
        if not hypotheses:  # the weights of a sentence of one token, without that token
            alone = torch.full((1, 1), self.subwords.eos_id, device=device)
            with inference(model):
                weights = model.attention_weights(alone, alone)
            none = {name: _array(stacked[:, 0, :, :0, :0]) for name, stacked in weights.items()}
            return Translation("", [], [], np.zeros(0, np.float32), **none)
        (src_ids,), (hypothesis,) = source.sentences, hypotheses
        src = torch.tensor([src_ids], device=device)
        tgt_out = torch.tensor([hypothesis.tokens], device=device)
        tgt_in = torch.tensor([[self.subwords.bos_id, *hypothesis.tokens[:-1]]], device=device)
        with inference(model):
            weights = model.attention_weights(src, tgt_in)
            log_probs = model(src, tgt_in).log_softmax(dim=-1).gather(2, tgt_out[..., None])[0, :, 0]
        return Translation(
            self._spell(source, hypotheses),
            self.subwords.tokens(src_ids),
            self.subwords.tokens(hypothesis.tokens),
            _array(log_probs),
            **{name: _array(stacked[:, 0]) for name, stacked in weights.items()},
        )


def _check_device(device) -> None:
    """Refuse a device that is not there, before anything is loaded."""
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ValueError(f"device {device!r} cannot be used: {error}") from error
    if found.type == "meta":
        raise ValueError("device meta has shapes and no numbers, and so no translations")


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()


def _batches(lengths: list[int], beam_size: int) -> Iterator[list[int]]:
    """Places of sentences of like length, longest first, in batches that bound rows and padded tokens."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        rows = (len(batch) + 1) * max(1, beam_size)
        if batch and (rows > _MOST_ROWS or rows * lengths[batch[0]] > _MOST_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
