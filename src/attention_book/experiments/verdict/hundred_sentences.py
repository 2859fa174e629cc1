"""A hundred test sentences, drawn by chance, for reading: what three translators write, by digest, and its BLEU.

The sentences and the translations themselves are left out, because the corpus is not ours to print. A reading by hand
names a translation by its digest, so it can be told whether it still belongs to what a translator writes.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import Any

from sacrebleu.metrics import BLEU

from ...data import corpora
from ...data.normalisation import Pair, normalise
from ...translation.translator import Translator
from ..apertium import by_rules

QUESTION = "What do three translators write for a hundred test sentences, and how does BLEU score each of them?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "sentences": 100,
    "systems": ["en-es", "en-es-rnn-attention", "apertium"],
    "beam_size": 4,
    "length_penalty": 0.6,
}
SEEDS = [18]  # which sentences are drawn


def drawn(seed: int, sentences: int, of: int) -> list[int]:
    """The numbers of the sentences, from 0, rising.

    Raises:
        ValueError: there are not as many.
    """
    return sorted(random.Random(seed).sample(range(of), sentences))


def text_digest(translation: str) -> str:
    """Twelve hexadecimal digits that tell one translation from another; spaces between words count once."""
    return hashlib.sha256(" ".join(translation.split()).encode("utf-8")).hexdigest()[:12]


def scored(translations: Sequence[str], pairs: Sequence[Pair]) -> dict[str, list]:
    """Of each translation its digest, its BLEU against all references, and whether it is one of them.

    Capitals and punctuation make no other wording.
    """
    metric = BLEU(effective_order=True)
    return {
        "digest": [text_digest(one) for one in translations],
        "bleu": [
            round(metric.sentence_score(one, list(pair.references)).score, 1)
            for one, pair in zip(translations, pairs, strict=True)
        ],
        "is_reference": [
            normalise(one) in {normalise(reference) for reference in pair.references}
            for one, pair in zip(translations, pairs, strict=True)
        ],
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Draw the sentences and translate them.

    Returns:
        ``numbers`` of the sentences in the test split, how many ``references`` each has, and for each of ``systems``
        what :func:`scored` gives.
    """
    test = corpora.load(configuration["corpus"]).test
    numbers = drawn(seed, configuration["sentences"], len(test))
    pairs = [test[number] for number in numbers]
    sources = [pair.source for pair in pairs]
    search = {"beam_size": configuration["beam_size"], "length_penalty": configuration["length_penalty"]}
    metrics: dict[str, Any] = {"tokens": 0, "test_sentences": len(test), "numbers": numbers}
    metrics |= {"references": [len(pair.references) for pair in pairs], "systems": {}}
    for name in configuration["systems"]:
        if name == "apertium":
            written = by_rules(sources)
        else:
            written = Translator.from_pretrained(name).translate(sources, **search)
        metrics["systems"][name] = scored(written, pairs)
    return metrics
