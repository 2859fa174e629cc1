"""Four attributions of what the shipped translator writes for sixty sentences of ours, and exchanged words."""

from collections import defaultdict
from typing import Any

import numpy as np
import torch

from ...analysis.attribution.exchange_sentences import Exchangeable, is_mark, sentences, words_of_pieces
from ...analysis.attribution.scored_sentence import Sentence
from ...analysis.attribution.source_words import (
    METHODS,
    attributions,
    log_probs,
    loss_by_change,
    without_any_word,
)
from ...translation.translator import Translator

QUESTION = "Do weights, gradients and words left out agree in a translator, and which foretells a changed word?"
CONFIGURATION = {"translator": "en-es", "steps": 32, "sentences": 60}
SEEDS = [0]


def examine(translator: Translator, given: Exchangeable, steps: int) -> tuple[Sentence, dict[str, float]]:
    """One sentence with the translator's own translation: rows are written pieces but marks, columns source words.

    Returns:
        What was attributed and what the exchanges did; and the means over rows of ``gap`` and ``explained``, in nats:
        how far integrated gradients are from completeness, and how much they explain.
    """
    model, subwords = translator.model, translator.subwords
    pieces = subwords.encode(given.text)
    words = words_of_pieces(subwords.tokens(pieces))
    written = subwords.encode(str(translator.translate(given.text, split=False)))
    src = torch.tensor([*pieces, subwords.eos_id])
    tgt = torch.tensor([subwords.bos_id, *written])
    rows = [t for t, piece in enumerate(subwords.tokens(written)) if not is_mark(piece)]
    found = attributions(model, src, tgt, [*words, [len(pieces)]], steps)  # </s> last: no word of the sentence
    with torch.no_grad():
        explained = log_probs(model, src[None], tgt)[0] - without_any_word(model, src, tgt)
    gap = (found["integrated"].sum(1) - explained)[rows].abs().mean()
    effects = []
    for _, text in given.exchanged:
        other = torch.tensor([*subwords.encode(text), subwords.eos_id])
        effects.append(loss_by_change(model, src, other, tgt).double().numpy()[rows])
    sentence = Sentence(
        {name: found[name][:, :-1].double().numpy()[rows] for name in METHODS},
        [place for place, _ in given.exchanged],
        np.stack(effects, axis=1),
    )
    return sentence, {"gap": float(gap), "explained": float(explained[rows].abs().mean())}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Examine the sentences.

    Returns:
        ``agree/METHOD/METHOD``, ``foretell/METHOD`` and ``size/METHOD``: one number per sentence, the mean over its
        rows, of Spearman's correlations and of the largest attribution; ``gap`` and ``explained`` likewise.
        ``foretell`` takes sentences with at least three exchanges. ``rows``: all of them together.
    """
    translator = Translator.from_pretrained(configuration["translator"])
    translator.model.eval().requires_grad_(False)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found: dict[str, list[float]] = defaultdict(list)
    rows = 0
    try:
        for given in sentences()[: configuration["sentences"]]:
            sentence, numbers = examine(translator, given, configuration["steps"])
            rows += len(sentence.exchanged)
            values = {f"agree/{name}": row for name, row in sentence.agreement().items()}
            values |= {f"foretell/{name}": row for name, row in sentence.foretold().items()}
            values |= {f"size/{name}": np.abs(row).max(1) for name, row in sentence.methods.items()}
            for name, value in values.items():
                found[name].append(round(float(np.nanmean(value)), 5))
            for name, value in numbers.items():
                found[name].append(round(value, 5))
    finally:
        torch.set_num_threads(threads)
    return {"tokens": 0, "rows": rows, **found}
