"""What a wider beam finds: search errors counted against the certain best, and what BLEU and length make of it."""

import time
from typing import Any

import torch

from ...data import corpora
from ...translation.best_first_search import best_first_search
from ...translation.decoding import Hypothesis, beam_search
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator

QUESTION = "Which of the translator's errors are errors of the search, and does a wider beam mend them?"
CONFIGURATION = {
    "translator": "en-es",
    "corpus": "tatoeba-en-es",
    "sentences": 400,
    "beam_sizes": [1, 2, 4, 8, 16, 32, 64],
    "length_penalties": [0.0, 0.6],
    "max_expansions": 1000,
    "rows": 64,
}
SEEDS = [0]  # nothing is drawn: the first validation sentences, whose order is that of a hash


def searched(
    translator: Translator, sources: list[list[int]], beam_size: int, length_penalty: float, rows: int
) -> list[Hypothesis]:
    """The hypothesis of each source, in order; at most so many prefixes at a time."""
    order, found = sorted(range(len(sources)), key=lambda i: len(sources[i])), {}
    together = max(1, rows // beam_size)
    for start in range(0, len(order), together):
        chosen = order[start : start + together]
        longest = max(len(sources[i]) for i in chosen)
        src = torch.tensor([sources[i] + [0] * (longest - len(sources[i])) for i in chosen])
        found |= dict(zip(chosen, beam_search(translator.model, src, beam_size, length_penalty), strict=True))
    return [found[i] for i in range(len(sources))]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Translate the same sentences with every beam, and find the most probable translation where that is possible.

    Returns:
        ``exact``: for how many sentences the best is certain, the prefixes that took, how often it is the empty
        sentence, its mean length and BLEU on those sentences. Under ``ALPHA/BEAM``: BLEU and chrF, mean tokens a
        translation, mean log-probability, ``search_errors``: the share of the certain sentences on which the beam found
        something less probable, and the same measures on those sentences alone.
    """
    translator = Translator.from_pretrained(configuration["translator"])
    pairs = corpora.load(configuration["corpus"]).validation[: configuration["sentences"]]
    eos_id = translator.model.config.eos_id
    sources = [[*translator.subwords.encode(pair.source), eos_id] for pair in pairs]

    def scores(hypotheses: dict[int, Hypothesis]) -> dict[str, float]:
        texts = [translator.subwords.decode(list(hypothesis.tokens)) for hypothesis in hypotheses.values()]
        score = bleu_and_chrf(texts, [pairs[i].references for i in hypotheses])
        count = len(hypotheses)
        return {
            "bleu": score.bleu,
            "chrf": score.chrf,
            "tokens": sum(len(hypothesis.tokens) for hypothesis in hypotheses.values()) / count,
            "log_prob": sum(hypothesis.log_prob for hypothesis in hypotheses.values()) / count,
            "empty": sum(len(hypothesis.tokens) == 1 for hypothesis in hypotheses.values()) / count,
        }

    began = time.process_time()
    exact = [
        best_first_search(translator.model, torch.tensor([source]), max_expansions=configuration["max_expansions"])
        for source in sources
    ]
    certain = {i: found.hypothesis for i, found in enumerate(exact) if found.hypothesis is not None}
    references = [len(translator.subwords.encode(pair.target)) + 1 for pair in pairs]
    metrics: dict[str, Any] = {
        "tokens": 0,
        "sentences": len(pairs),
        "reference_tokens": sum(references) / len(references),
        "exact": {
            "certain": len(certain),
            "expansions": [found.expansions for found in exact],
            "source_tokens": [len(source) for source in sources],
            "seconds": time.process_time() - began,
            "reference_tokens": sum(references[i] for i in certain) / len(certain),
            **scores(certain),
        },
    }
    for alpha in configuration["length_penalties"]:
        for beam_size in configuration["beam_sizes"]:
            began = time.process_time()
            found = dict(enumerate(searched(translator, sources, beam_size, alpha, configuration["rows"])))
            errors = [i for i, best in certain.items() if found[i].log_prob < best.log_prob - 1e-3]
            metrics[f"{alpha}/{beam_size}"] = {
                **scores(found),
                "search_errors": len(errors) / len(certain),
                "seconds": time.process_time() - began,
                "certain": scores({i: found[i] for i in certain}),
            }
    return metrics
