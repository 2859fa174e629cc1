"""Additive, dot, general and concat scores on the same recurrent states, trained on the same pairs from the same seeds.

All are GRUs that read the source in both directions. The decoder asks after its step, as Luong et al. 2015 have it,
but for one setting, ``additive before``, which asks before it, as Bahdanau et al. 2015 do. The pairs and the recipe are
those of ``bottleneck``. A second set of runs, shorter, sets additive against dot at growing width; no score is scaled.
"""

from typing import Any

import torch

from ...counting.ibm1 import IBMModel1
from ...little_language.language import LittlePair, mean_entropy, word_vocabulary
from ...translation.evaluation import alignment_error_rate
from ..little_language_study import examined_pairs, tokens, training_pairs
from ..recurrent_study import (
    DATA,
    RECIPE,
    alignment_metrics,
    by_length,
    parameters,
    strongest_links,
    train,
    weights_and_scores,
)

QUESTION = "Do the scores differ in what a recurrent translator learns, in its alignments, and as states grow wider?"
CONFIGURATION = {
    **DATA,
    "training": RECIPE,
    "common": {"bidirectional": True, "cell": "gru", "asks": "after"},
    "settings": {
        "additive": {"width": 64, "score": "additive"},
        "dot": {"width": 64, "score": "dot"},
        "general": {"width": 64, "score": "general"},
        "concat": {"width": 64, "score": "concat"},
        "additive before": {"width": 64, "score": "additive", "asks": "before"},
    },
    "short_training": {**RECIPE, "tokens": 250_000},
    "widths": [16, 64, 256],
    "width_scores": ["additive", "dot"],
    "rounds": 10,
}
SEEDS = [0, 1, 2, 3, 4]


def counted_alignments(
    pairs: list[LittlePair], examined: list[LittlePair], target: str, rounds: int
) -> dict[str, float]:
    """IBM Model 1's links on the examined pairs, from counting in the training pairs, against the gold ones."""
    words = word_vocabulary(target)
    model = IBMModel1([tokens(pair, words) for pair in pairs]).fit(rounds)
    scores = alignment_error_rate(
        [model.align(*tokens(pair, words)) for pair in examined], [pair.alignment for pair in examined]
    )
    return {"precision": scores.precision, "recall": scores.recall, "error_rate": scores.error_rate}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every setting on the same pairs and examine it.

    Returns:
        ``floor`` and ``pairs`` as in ``bottleneck``; for each setting ``SETTING/loss`` and ``SETTING/right`` by length,
        ``SETTING/parameters``, ``SETTING/precision``, ``SETTING/recall``, ``SETTING/error_rate`` of its alignments,
        ``SETTING/shifted_error_rate``: the error rate of each row's link
        given to the target word before, ``SETTING/score_deviation``, ``SETTING/entropy``, ``SETTING/largest`` from
        :func:`attention_book.experiments.recurrent_study.weights_and_scores`. ``ibm1/error_rate`` and so on are those
        of counting. Under ``wide/SCORE/WIDTH/…``: ``loss``, over all groups, and the same three of the weights.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    target = configuration["target"]
    words = word_vocabulary(target)
    try:
        pairs = training_pairs(seed, configuration)
        groups = examined_pairs(seed, pairs, configuration)
        inside = [
            pair
            for (name, group) in groups.items()
            for pair in group
            if configuration["groups"][name][1] <= configuration["longest"]
        ]
        metrics: dict[str, Any] = {
            "tokens": 0,
            "pairs": len(pairs),
            "floor": [round(mean_entropy(group).per_token, 5) for group in groups.values()],
        }
        found = counted_alignments(pairs, inside, target, configuration["rounds"])
        metrics |= {f"ibm1/{what}": value for what, value in found.items()}
        for name, setting in configuration["settings"].items():
            setting = {**configuration["common"], **setting}
            model, trainer = train(setting, pairs, seed, target, configuration["training"])
            metrics["tokens"] += trainer.tokens
            found = {
                **by_length(model, groups, words),
                **alignment_metrics(model, inside, words),
                "shifted_error_rate": shifted_error_rate(model, inside, words),
                **weights_and_scores(model, inside, words),
                "parameters": parameters(model),
            }
            metrics |= {f"{name}/{what}": value for what, value in found.items()}
        for score in configuration["width_scores"]:
            for width in configuration["widths"]:
                setting = {**configuration["common"], "score": score, "width": width}
                model, trainer = train(setting, pairs, seed, target, configuration["short_training"])
                metrics["tokens"] += trainer.tokens
                found = {
                    "loss": by_length(model, {"inside": inside}, words)["loss"][0],
                    **weights_and_scores(model, inside, words),
                }
                metrics |= {f"wide/{score}/{width}/{what}": value for what, value in found.items()}
    finally:
        torch.set_num_threads(threads)
    return metrics


def shifted_error_rate(model, pairs: list[LittlePair], words) -> float:
    """The error rate if each row's link is given to the target word before: is what a row looks at late by one?"""
    links = [frozenset((i, j - 1) for i, j in found if j > 0) for found in strongest_links(model, pairs, words)]
    return alignment_error_rate(links, [pair.alignment for pair in pairs]).error_rate
