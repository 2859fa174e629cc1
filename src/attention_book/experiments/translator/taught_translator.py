"""The translator before and after: the one that reads references alone, and the one that an ensemble taught.

Both have the same architecture and the same training pairs. They are compared on the validation sentences, by which the
second recipe was chosen, on the test sentences, by which nothing was, and on two hundred sentences of our own.
"""

from collections import Counter
from typing import Any

import torch

from ...data import corpora
from ...data.failures import words
from ...data.own_sentences import own_sentences
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator
from ..before.translators_compared import by_length, paired
from ..verdict.own_sentences import flagged
from .piece_lengths import words_of
from .vocabulary_sizes import word_recall

QUESTION = "What does a translator gain from a longer recipe and from teachers, and where?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "systems": {"before": "en-es", "after": "en-es-taught"},
    "beams": [1, 4],
    "length_penalty": 0.6,
    "bootstrap": 1000,
    "lengths": {"1–4": [1, 4], "5–6": [5, 6], "7–8": [7, 8], "9–12": [9, 12], "13 and more": [13, 10_000]},
    "classes": {"never": [0, 0], "1–5": [1, 5], "6–50": [6, 50], "more": [51, 10_000_000]},
}
"""``lengths`` and ``classes`` as in the verdict."""
SEEDS = [0]  # nothing is drawn but the bootstrap's samples, whose seed sacreBLEU fixes


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Translate everything with both and compare; one thread throughout.

    Returns:
        under ``validation`` and ``test`` the ``sentences``, and for each beam and system ``bleu``, ``chrf``, the
        bootstrapped intervals, and for the second the p-values of the difference; for beam 4 also ``by_length`` and the
        ``recall`` of words by how often they were seen. Under ``own``, for each system with the largest beam, the
        ``translations`` of our own sentences and the numbers that are ``flagged`` with each sign of failure.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        corpus = corpora.load(c["corpus"])
        translators = {name: Translator.from_pretrained(at) for name, at in c["systems"].items()}
        counts = Counter(word for pair in corpus.train for word in words_of(pair.target))
        spanish = {word.lower() for pair in corpus.train for word in words(pair.target)}
        metrics: dict[str, Any] = {"tokens": 0}
        largest = max(c["beams"])
        for split in ("validation", "test"):
            pairs = getattr(corpus, split)
            metrics[split] = {"sentences": len(pairs)}
            for beam in c["beams"]:
                search = {"beam_size": beam, "length_penalty": c["length_penalty"]}
                sources = [pair.source for pair in pairs]
                written = {name: one.translate(sources, **search) for name, one in translators.items()}
                tested = paired(written, pairs, "before", c["bootstrap"])
                metrics[split][str(beam)] = found = {}
                for name, texts in written.items():
                    scores = bleu_and_chrf(texts, [pair.references for pair in pairs])
                    found[name] = {"bleu": scores.bleu, "chrf": scores.chrf, **tested[name]}
                    found[name] |= {"bleu_signature": scores.bleu_signature, "chrf_signature": scores.chrf_signature}
                    if beam == largest:
                        found[name]["by_length"] = by_length(texts, pairs, c["lengths"])
                        found[name]["recall"] = word_recall(texts, pairs, counts, c["classes"])
        sources = [sentence.text for sentence in own_sentences()]
        metrics["own"] = {}
        for name, one in translators.items():
            written = one.translate(sources, beam_size=largest, length_penalty=c["length_penalty"])
            metrics["own"][name] = {"translations": written, "flagged": flagged(sources, written, spanish)}
    finally:
        torch.set_num_threads(threads)
    return metrics
