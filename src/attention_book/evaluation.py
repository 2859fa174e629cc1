"""How good translations are: BLEU and chrF through sacreBLEU, with the signatures that make the numbers comparable."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

from sacrebleu.metrics import BLEU, CHRF

from .splits import Pair


@dataclass(frozen=True)
class Scores:
    """Scores of a set of translations, each from 0 to 100.

    Attributes:
        bleu: BLEU, the geometric mean of n-gram precisions up to 4 times a brevity penalty (Papineni et al. 2002, §2),
            with sacreBLEU's tokenisation (Post 2018).
        chrf: chrF2, the F-score of character n-grams up to 6, recall weighing twice (Popović 2015, §2).
        bleu_signature: sacreBLEU's account of how `bleu` was counted. Two BLEUs compare only if their signatures agree.
        chrf_signature: the same for `chrf`.
    """

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


@runtime_checkable
class Translates(Protocol):
    """What `evaluate` needs of a translator."""

    def translate(self, text: list[str], *, beam_size: int, length_penalty: float) -> list[str]: ...


def bleu_and_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Scores:
    """Score translations of a corpus against one or several accepted translations of each sentence.

    Args:
        hypotheses: one translation a sentence; an empty one is scored as the failure that it is.
        references: the accepted translations of each sentence, at least one; the numbers may differ from sentence to
            sentence (sacreBLEU is then given None where one is missing, and says `nrefs:var`).

    Returns:
        The corpus scores: counts are summed over sentences before they are divided, so this is no mean of sentences.

    Raises:
        ValueError: no sentences, a different number of hypotheses and references, or a sentence without reference.
        TypeError: the references of a sentence are one string where a list of strings is meant.

    Pitfall: more references give higher scores. Compare with other systems by their number, which the signature tells.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} translations but references for {len(references)} sentences")
    if not hypotheses:
        raise ValueError("there are no translations to score")
    for number, accepted in enumerate(references, start=1):
        if isinstance(accepted, str):
            raise TypeError(f"the references of sentence {number} must be a list of strings, not one string")
        if not accepted:
            raise ValueError(f"sentence {number} has no reference")
    most = max(len(accepted) for accepted in references)
    streams = [[accepted[i] if i < len(accepted) else None for accepted in references] for i in range(most)]
    found = []
    for metric in (BLEU(), CHRF()):
        score = metric.corpus_score(list(hypotheses), streams).score
        found.append((score, str(metric.get_signature())))
    (bleu, bleu_signature), (chrf, chrf_signature) = found
    return Scores(bleu, chrf, bleu_signature, chrf_signature)


def evaluate(
    translator: Translates, pairs: Sequence[Pair], beam_size: int = 4, length_penalty: float = 0.6
) -> dict[str, Any]:
    """Translate the sources of pairs and score the result, with all that is needed to repeat or compare the numbers.

    Args:
        translator: a `Translator`, or anything with its `translate`.
        pairs: sentences with their accepted translations, the first of them `pair.target`.
        beam_size: of the search; 1 is greedy.
        length_penalty: alpha of the search.

    Returns:
        Values ready for JSON: `sentences`, `empty_translations`, `decoding` (search, beam_size, length_penalty),
        `all_references` and `first_reference`, each with the fields of `Scores`. Papers mostly have one reference a
        sentence: compare those with `first_reference`.

    Raises:
        ValueError: there are no pairs, or a source cannot be translated.
    """
    if not pairs:
        raise ValueError("there are no sentences to translate and score")
    sources = [pair.source for pair in pairs]
    translations = translator.translate(sources, beam_size=beam_size, length_penalty=length_penalty)
    return {
        "sentences": len(pairs),
        "empty_translations": sum(not translation.strip() for translation in translations),
        "decoding": {
            "search": "greedy" if beam_size == 1 else "beam",
            "beam_size": beam_size,
            "length_penalty": length_penalty,
        },
        "all_references": asdict(bleu_and_chrf(translations, [pair.references for pair in pairs])),
        "first_reference": asdict(bleu_and_chrf(translations, [[pair.target] for pair in pairs])),
    }
