"""How good translations are, by BLEU and chrF through sacreBLEU, and how good word alignments are."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

from sacrebleu.metrics import BLEU, CHRF

from ..data.normalisation import Pair

Alignment = Collection[tuple[int, int]]


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

    def translate(self, text: list[str], *, beam_size: int, length_penalty: float) -> list[str]:
        """One translation per text."""
        ...


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


@dataclass(frozen=True)
class AlignmentScores:
    """How well predicted word alignments agree with gold ones, each from 0 to 1.

    Attributes:
        precision: the share of predicted links that are possible ones of the gold alignment.
        recall: the share of the gold alignment's sure links that were predicted.
        error_rate: the alignment error rate; 0 is perfect.
    """

    precision: float
    recall: float
    error_rate: float


def alignment_error_rate(
    predicted: Sequence[Alignment], sure: Sequence[Alignment], possible: Sequence[Alignment] | None = None
) -> AlignmentScores:
    r"""Compare word alignments of a corpus with gold ones.

    .. math:: \text{precision} = \frac{|A \cap P|}{|A|}, \quad \text{recall} = \frac{|A \cap S|}{|S|}, \quad
        \text{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}

    A holds the predicted links, S the gold links that are sure, P those that are possible, the sure ones included
    (Och and Ney 2003, §5.1). If all gold links are sure, as in the little language, AER is 1 minus the F-score.

    Args:
        predicted: for each pair of sentences its links, as (source position, target position).
        sure: the same for the gold links that an alignment must have.
        possible: gold links that it may have besides; those in `sure` need not be repeated.

    Returns:
        The scores; links are summed over the corpus before they are divided. Precision is 1 where nothing was
        predicted, recall 1 where nothing is sure.

    Raises:
        ValueError: different numbers of sentences, or no link at all.
    """
    possible = [()] * len(sure) if possible is None else possible
    if not len(predicted) == len(sure) == len(possible):
        raise ValueError(
            f"alignments of {len(predicted)} predicted, {len(sure)} sure and {len(possible)} possible sentences"
        )
    links = in_sure = in_possible = wanted = 0
    for a, s, p in zip(map(set, predicted), map(set, sure), map(set, possible), strict=True):
        links, wanted = links + len(a), wanted + len(s)
        in_sure, in_possible = in_sure + len(a & s), in_possible + len(a & (p | s))
    if not links + wanted:
        raise ValueError("there is no link to score, predicted or sure")
    precision, recall = in_possible / links if links else 1.0, in_sure / wanted if wanted else 1.0
    return AlignmentScores(precision, recall, 1 - (in_sure + in_possible) / (links + wanted))
