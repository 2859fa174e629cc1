"""Encoder–decoders without attention, by the width of the one state that passes from the source to the target.

All are GRUs that read the little language in one direction and hand over their last state. It comes as the decoder's
first state and again at every step (``reminds="always"``, Cho et al. 2014), or as the first state only (``"once"``,
Sutskever et al. 2014). Two read the source in reverse.
"""

from typing import Any

import torch

from ...little_language.language import mean_entropy, word_vocabulary
from ..little_language_study import examined_pairs, training_pairs
from ..recurrent_study import DATA, RECIPE, by_length, parameters, train

QUESTION = "How does the share of right translations fall with length when one state of fixed width carries a sentence?"
CONFIGURATION = {
    **DATA,
    "training": RECIPE,
    "common": {"score": None, "bidirectional": False, "cell": "gru", "reminds": "always"},
    "settings": {
        "32": {"width": 32},
        "64": {"width": 64},
        "128": {"width": 128},
        "256": {"width": 256},
        "128 reversed": {"width": 128, "reverse_source": True},
        "128 once": {"width": 128, "reminds": "once"},
        "128 once reversed": {"width": 128, "reminds": "once", "reverse_source": True},
    },
}
SEEDS = [0, 1, 2, 3, 4]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every setting on the same pairs and examine it by length.

    Returns:
        ``floor``: for each group of lengths the entropy of the target given the source, in nats per token; ``pairs``:
        how many were trained on; and for each setting ``SETTING/loss`` and ``SETTING/right`` from
        :func:`attention_book.experiments.recurrent_study.by_length`, and ``SETTING/parameters``.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        words = word_vocabulary(configuration["target"])
        pairs = training_pairs(seed, configuration)
        groups = examined_pairs(seed, pairs, configuration)
        metrics: dict[str, Any] = {
            "tokens": 0,
            "pairs": len(pairs),
            "floor": [round(mean_entropy(group).per_token, 5) for group in groups.values()],
        }
        for name, setting in configuration["settings"].items():
            setting = {**configuration["common"], **setting}
            model, trainer = train(setting, pairs, seed, configuration["target"], configuration["training"])
            metrics["tokens"] += trainer.tokens
            metrics[f"{name}/parameters"] = parameters(model)
            metrics |= {f"{name}/{what}": values for what, values in by_length(model, groups, words).items()}
    finally:
        torch.set_num_threads(threads)
    return metrics
