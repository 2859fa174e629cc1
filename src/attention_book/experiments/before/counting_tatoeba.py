"""How far counting gets on real sentences: perplexity by the length of n-grams, word translations, and BLEU."""

import time
from typing import Any

from sacrebleu.metrics import BLEU

from ...counting.ngrams import NGramModel
from ...counting.text import CountingTranslator
from ...data import corpora
from ...translation.evaluation import evaluate

QUESTION = "How well does a translator do that is made of nothing but counts?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "orders": [1, 2, 3, 4, 5],
    "order": 3,
    "least_count": 2,
    "rounds": 10,
    "choices": 6,
    "beam_size": 20,
    "words": ["cats", "like", "house", "water", "never", "yesterday", "she", "does", "of", "bank", "."],
    "bootstrap": 1000,
}
SEEDS = [0]  # of the bootstrap: counting itself leaves nothing to chance


class _Ready:
    """Translations made before, in the form that `evaluate` asks for them."""

    def __init__(self, translations: list[str]):
        self._translations = translations

    def translate(self, text: list[str], *, beam_size: int, length_penalty: float) -> list[str]:
        return self._translations


def never_seen(model: NGramModel, sentences: list[list[str]]) -> float:
    """The share of the sentences' n-grams that the model never counted."""
    events = [event for sentence in sentences for event in model.events(sentence)]
    return sum(not model.counts.get(context, {}).get(word) for context, word in events) / len(events)


def interval(translations: list[str], references: list[tuple[str, ...]], samples: int) -> dict[str, float]:
    """BLEU with half the width of its 95 % interval, by resampling the test sentences (Koehn 2004)."""
    most = max(map(len, references))
    streams = [[accepted[i] if i < len(accepted) else None for accepted in references] for i in range(most)]
    score = BLEU().corpus_score(translations, streams, n_bootstrap=samples)
    return {"mean": score._mean, "half_width": score._ci}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Count in the training pairs, look at the validation pairs, and translate the test pairs.

    Returns:
        ``perplexity`` and ``never_seen`` by order, ``log_likelihoods`` of the translation model, the ``best``
        translations of some words, and under ``word_for_word`` and ``noisy_channel`` what `evaluate` says, an
        ``interval``, and the seconds taken.
    """
    corpus = corpora.load(configuration["corpus"])
    pairs = [(pair.source, pair.target) for pair in corpus.train]
    metrics: dict[str, Any] = {"pairs": len(pairs), "perplexity": {}, "bare_impossible": {}, "never_seen": {}}
    references = [pair.references for pair in corpus.test]
    for name, word_for_word in (("word_for_word", True), ("noisy_channel", False)):
        began = time.process_time()
        translator = CountingTranslator(
            pairs,
            configuration["order"],
            configuration["rounds"],
            configuration["least_count"],
            configuration["choices"],
            configuration["beam_size"],
            word_for_word,
        )
        trained = time.process_time()
        translations = translator.translate([pair.source for pair in corpus.test])
        found = evaluate(_Ready(translations), corpus.test)
        found |= {"training_seconds": trained - began, "translation_seconds": time.process_time() - trained}
        found["interval"] = interval(translations, references, configuration["bootstrap"])
        metrics[name] = found
        if word_for_word:
            metrics["best"] = {word: translator.channel.best(word, 4) for word in configuration["words"]}
            metrics["log_likelihoods"] = translator.channel.log_likelihoods
    metrics["tokens"] = 0
    target = [translator.target_words(sentence) for _, sentence in pairs]
    held_out = [translator.target_words(pair.target) for pair in corpus.validation]
    for order in configuration["orders"]:
        model = NGramModel(target, order, least_count=configuration["least_count"])
        bare = NGramModel(target, order, smoothing="none", least_count=configuration["least_count"])
        impossible = sum(bare.log_prob(sentence) == float("-inf") for sentence in held_out)
        metrics["perplexity"][str(order)] = model.perplexity(held_out)
        metrics["never_seen"][str(order)] = never_seen(model, held_out)
        metrics["bare_impossible"][str(order)] = impossible / len(held_out)
    metrics["tokens"] = sum(len(sentence) + 1 for sentence in target)
    return metrics
