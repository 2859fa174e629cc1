"""Checks about the live translator: what it goes on to write, which heads matter."""

from collections.abc import Sequence

import torch

from ...analysis.ablation import KINDS, Head, without_heads
from ...translation.decoding import greedy_decode
from ...translation.forced_beginning import ForcedBeginning
from ...translation.translator import Translator
from ..report import NotYet, Report, checking

USES = dict(zip(("encoder", "self", "cross"), KINDS, strict=True))


@checking
def check_other_ending(text: object, beginning: object, translator: Translator | None = None) -> Report:
    """Does the translator, made to begin the translation of ``text`` with ``beginning``, go on with other words?"""
    for name, given in (("text", text), ("beginning", beginning)):
        if not isinstance(given, str):
            raise NotYet(f"Give the {name} as a string.")
        if not given.strip():
            raise NotYet(f"There is no word in the {name} yet.")
    translator = translator or Translator.from_pretrained("en-es")
    beginning = beginning.strip()
    src, ids = _source(translator, text), tuple(translator.subwords.encode(beginning))
    if len(ids) >= translator.model.config.max_len or len(ids) > 2 * src.shape[1]:
        raise NotYet("The beginning is longer than a translation of the text would be. A word or two are enough.")
    own, forced = (_spelt(translator, src, first) for first in ((), ids))
    first = _words(beginning)
    if _words(own)[: len(first)] == first:
        raise NotYet(f"The translator begins like that by itself: it writes “{own}”. Begin with something else.")
    if _words(forced)[: len(first)] != first:
        raise NotYet(f"It goes on within your last word: “{forced}”. Choose a beginning after which a new word comes.")
    rest = _words(forced)[len(first) :]
    if not rest:
        raise NotYet(f"Nothing follows: with that beginning it writes “{forced}”. Leave it something to say.")
    new = [word for word in rest if word not in _words(own)]
    if not new:
        raise NotYet(
            f"What follows has no word that it does not write anyway. By itself it writes “{own}”, after your "
            f"beginning “{forced}”. Which beginning needs another verb, or another ending?"
        )
    return Report(True, f"By itself it writes “{own}”. After your beginning it writes “{forced}”: new is “{new[0]}”.")


@checking
def check_switches(answer: object, translator: Translator | None = None) -> Report:
    """Does one head of ``answer`` change the translation when it is switched off, and another one not?

    ``answer`` is {"text", "changes", "keeps"}; a head is its use, layer and head as the explorer counts them, from 0,
    such as ``("cross", 2, 0)``.
    """
    wanted = {"text", "changes", "keeps"}
    if not isinstance(answer, dict) or set(answer) != wanted:
        raise NotYet('Give a dictionary with "text", "changes" and "keeps".')
    missing = [name for name in ("text", "changes", "keeps") if answer[name] is ...]
    if missing:
        raise NotYet(f"Not answered yet: {', '.join(missing)}.")
    if not isinstance(answer["text"], str) or not answer["text"].strip():
        raise NotYet("The text must be a string with a word in it.")
    translator = translator or Translator.from_pretrained("en-es")
    changes, keeps = (_head(translator, name, answer[name]) for name in ("changes", "keeps"))
    src = _source(translator, answer["text"])
    own, changed = (_spelt(translator, src, (), heads) for heads in ((), [changes]))
    if changed == own:
        raise NotYet(f"Without the head of “changes” it still writes “{own}”. Try another one.")
    kept = _spelt(translator, src, (), [keeps])
    if kept != own:
        raise NotYet(f"Without the head of “keeps” it writes “{kept}” in place of “{own}”. Try another one.")
    return Report(True, f"“{own}” becomes “{changed}” without the one, and stays without the other.")


def _head(translator: Translator, name: str, given: object) -> Head:
    """A head as the reader names it, counted from 0."""
    config = translator.model.config
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 3:
        raise NotYet(f'“{name}” must be a use, a layer and a head, such as ("cross", 2, 0).')
    use, layer, head = given
    if use not in USES:
        raise NotYet(f"The use of “{name}” must be one of {', '.join(map(repr, USES))}, not {use!r}.")
    if layer not in range(config.n_layers) or head not in range(config.n_heads):
        raise NotYet(
            f"“{name}”: layers are counted from 0 to {config.n_layers - 1}, heads from 0 to {config.n_heads - 1}, as "
            f"in the explorer. There is no layer {layer!r}, head {head!r}."
        )
    return Head(USES[use], layer, head)


def _source(translator: Translator, text: str) -> torch.Tensor:
    try:
        ids = [*translator.subwords.encode(text.strip()), translator.subwords.eos_id]
    except ValueError as error:
        raise NotYet(str(error)) from None
    if len(ids) > translator.model.config.max_len:
        raise NotYet("The text is too long for the translator. One sentence is enough.")
    return torch.tensor([ids])


def _spelt(translator: Translator, src: torch.Tensor, beginning: tuple[int, ...], off: Sequence[Head] = ()) -> str:
    """What greedy search writes after a beginning, without some heads."""
    with without_heads(translator.model, off):
        (found,) = greedy_decode(ForcedBeginning(translator.model, beginning), src)
    return translator.subwords.decode(found.tokens).strip()


def _words(text: str) -> list[str]:
    return [word.strip("¿?¡!.,;:«»\"'").lower() for word in text.split() if word.strip("¿?¡!.,;:«»\"'")]
