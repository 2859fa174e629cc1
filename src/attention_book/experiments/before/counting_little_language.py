"""What counting learns of a language whose truth is known: entropy, alignments and translations, by number of pairs."""

from typing import Any

from ...counting.ibm1 import IBMModel1
from ...counting.log_linear import LogLinearModel, last_two_words, with_ending
from ...counting.ngrams import NGramModel
from ...counting.text import CountingTranslator
from ...little_language import language as little_language
from ...translation.evaluation import alignment_error_rate, bleu_and_chrf
from ..little_language_study import tokens

QUESTION = "How much of the little language does counting find, and how many pairs does it take?"
CONFIGURATION = {
    "pairs": [250, 1000, 4000],
    "targets": ["es", "hi"],
    "held_out": 100,
    "rounds": 10,
    "order": 3,
    "orders": [1, 2, 3, 4],
    "log_linear_pairs": 2000,
    "epochs": 5,
}
SEEDS = [1, 2, 3, 4, 5]


def alignment_metrics(words: list[tuple], sides: list[tuple], gold: list[frozenset], rounds: int) -> dict[str, Any]:
    """Alignment scores of both directions and of what they agree in, and the error of one direction by round."""
    forward, backward = IBMModel1(words), IBMModel1([(y, x) for x, y in words])
    by_round = []
    for _ in range(rounds):
        forward.fit(1)
        by_round.append(alignment_error_rate([forward.align(x, y) for x, y in sides], gold).error_rate)
    backward.fit(rounds)
    found = {
        "forward": [forward.align(x, y) for x, y in sides],
        "backward": [frozenset((i, j) for j, i in backward.align(y, x)) for x, y in sides],
    }
    found["both"] = [a & b for a, b in zip(found["forward"], found["backward"], strict=True)]
    found["either"] = [a | b for a, b in zip(found["forward"], found["backward"], strict=True)]
    found["diagonal"] = [diagonal(len(x), len(y)) for x, y in sides]
    scores = {name: alignment_error_rate(links, gold) for name, links in found.items()}
    metrics: dict[str, Any] = {"error_by_round": by_round}
    for name, score in scores.items():
        metrics |= {f"{name}_{what}": getattr(score, what) for what in ("precision", "recall", "error_rate")}
    return metrics


def diagonal(source: int, target: int) -> frozenset[tuple[int, int]]:
    """The alignment that looks at no word: each target position with the source position as far into its sentence."""
    return frozenset((min(source - 1, (2 * j + 1) * source // (2 * target)), j) for j in range(target))


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Count in so many pairs, and look at held-out ones.

    Returns:
        Metrics named ``TARGET/PAIRS/WHAT``: alignment scores, ``bleu``, and the share of translations that are right,
        ``right``, that is, translations that the grammar gives. Under ``entropy/…`` the cross-entropy of n-gram and
        log-linear models of Spanish, in nats per token.
    """
    metrics: dict[str, Any] = {"tokens": 0}
    for target in configuration["targets"]:
        held_out = little_language.sample(configuration["held_out"], 1000 + seed, target)
        sources = {pair.source for pair in held_out}
        vocabulary = little_language.word_vocabulary(target)
        pairs = little_language.sample(max(configuration["pairs"]), seed, target, exclude=sources)
        for number in configuration["pairs"]:
            some = pairs[:number]
            metrics["tokens"] += sum(pair.target_tokens for pair in some)
            words = [tokens(pair, vocabulary) for pair in some]
            sides = [tokens(pair, vocabulary) for pair in held_out]
            found = alignment_metrics(words, sides, [pair.alignment for pair in held_out], configuration["rounds"])
            translator = CountingTranslator(
                [(pair.source, pair.target) for pair in some], configuration["order"], configuration["rounds"], 1
            )
            translations = translator.translate([pair.source for pair in held_out])
            found["bleu"] = bleu_and_chrf(translations, [[pair.target] for pair in held_out]).bleu
            found["right"] = sum(
                little_language.log_prob(pair.source, translation, target) > float("-inf")
                for pair, translation in zip(held_out, translations, strict=True)
            ) / len(held_out)
            metrics |= {f"{target}/{number}/{name}": value for name, value in found.items()}
    spanish = little_language.sample(configuration["log_linear_pairs"], seed, "es")
    train = [pair.target_words for pair in spanish]
    test = [pair.target_words for pair in little_language.sample(configuration["held_out"], 1000 + seed, "es")]
    for order in configuration["orders"]:
        metrics[f"entropy/{order}"] = NGramModel(train, order).cross_entropy(test)
    for name, features in (("last two words", last_two_words), ("with ending", with_ending)):
        model = LogLinearModel(train, features)
        model.fit(train, configuration["epochs"], seed=seed)
        metrics[f"entropy/{name}"] = model.cross_entropy(test)
    return metrics
