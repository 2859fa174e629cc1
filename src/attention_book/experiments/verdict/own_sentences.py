"""Two hundred sentences of our own: which signs of failure do the shipped translators show, greedily and with a beam?

The same signs are looked for in the references of the test set, which people wrote: what is found there is a false
alarm.
"""

import warnings
from typing import Any

from ...data import corpora
from ...data.failures import SIGNS, signs, words
from ...data.own_sentences import own_sentences
from ...translation.translator import Translator

QUESTION = "Which signs of failure do the shipped translators show outside of the corpus's style?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "systems": ["en-es", "en-es-rnn-attention"],
    "beams": [1, 4],
    "length_penalty": 0.6,
}
"""A beam of 1 is greedy search."""
SEEDS = [0]  # nothing is drawn


def flagged(sources: list[str], translations: list[str], spanish: set[str]) -> dict[str, list[int]]:
    """For each sign the numbers, from 1, of the sentences that show it."""
    found: dict[str, list[int]] = {sign: [] for sign in SIGNS}
    for number, (source, translation) in enumerate(zip(sources, translations, strict=True), start=1):
        for sign in signs(source, translation, spanish):
            found[sign].append(number)
    return found


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Translate the sentences with each system and each beam, and look for the signs.

    Returns:
        ``spanish_words``, how many words of the training translations are known to be Spanish; ``references`` and
        ``reference_signs``: how many test references there are, and how many of them show each sign or ``any``; under
        ``systems``, for each system and beam, the ``translations``, and under ``flagged`` the numbers of the sentences
        that show each sign.
    """
    corpus = corpora.load(configuration["corpus"])
    spanish = {word.lower() for pair in corpus.train for word in words(pair.target)}
    alarms = flagged([pair.source for pair in corpus.test], [pair.target for pair in corpus.test], spanish)
    counts = {sign: len(numbers) for sign, numbers in alarms.items()}
    counts["any"] = len(set().union(*alarms.values()))
    sources = [sentence.text for sentence in own_sentences()]
    metrics: dict[str, Any] = {"tokens": 0, "spanish_words": len(spanish), "references": len(corpus.test)}
    metrics |= {"reference_signs": counts, "systems": {}}
    for name in configuration["systems"]:
        translator = Translator.from_pretrained(name)
        metrics["systems"][name] = {}
        for beam in configuration["beams"]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a translation that does not end is one of the things that are counted
                written = translator.translate(sources, beam_size=beam, length_penalty=configuration["length_penalty"])
            one = {"translations": written, "flagged": flagged(sources, written, spanish)}
            metrics["systems"][name][str(beam)] = one
    return metrics
