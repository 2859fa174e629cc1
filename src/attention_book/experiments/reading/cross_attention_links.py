"""Do the largest weights of cross-attention say which word translates which, and does a good aligner cost most?

The language is the little one, English to Spanish, of whose pairs all links are known. A tiny Transformer, a recurrent
model with attention and IBM Model 1 see the same training pairs; heads are chosen on validation pairs and measured on
test pairs. Then the heads of the cross-attention are removed one by one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...analysis.ablation import Head, without_heads
from ...analysis.head_profiles import profile
from ...counting.ibm1 import IBMModel1
from ...data.batching import padded_batch
from ...little_language.language import LittlePair, WordVocabulary, mean_entropy, pair_for, word_vocabulary
from ...little_language.word_kinds import KINDS, kinds_of
from ..link_study import READINGS, counted, diagonal, error_rates, links_of, picked, precisions, recalls, word_weights
from ..little_language_study import encoded, share_right, tokens, training_pairs
from ..recurrent_study import RECIPE
from ..recurrent_study import train as train_recurrent
from ..translator.ablations import held_out_pairs
from ..translator.ablations import train as train_transformer

QUESTION = "Which heads of cross-attention link the words that translate each other, and are they the ones that count?"
CONFIGURATION = {
    "target": "es",
    "preset": "tiny",
    "model": {"dropout": 0.0, "max_len": 64},
    "training": {"tokens": 500_000, "tokens_per_batch": 400, "peak_rate": 4e-3, "warmup": 0.04, "smoothing": 0.0},
    "recurrent": {"bidirectional": True, "cell": "gru", "asks": "after", "width": 64, "score": "additive"},
    "recurrent_training": {**RECIPE, "tokens": 500_000},
    "rounds": 10,
    "drawn": 20_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "longest": 16,
    "examined": 500,
    "validation": 200,
    "picked_from": [1, 3, 10, 30, 100],
    "draws": 200,
    "example": ["Maria does not like the red car.", "A María no le gusta el coche rojo."],
}
"""Of the ``examined`` pairs the first ``validation`` choose the head; the others are the test."""
SEEDS = [0, 1, 2, 3, 4]

Choices = list[list[int]]
"""For each sentence and each target word the source word that is linked, or the number of source words for none."""


@torch.inference_mode()
def weights_of(model: Any, pair: LittlePair, words: WordVocabulary) -> dict[str, Tensor]:
    """By reading, the weights of each layer and head between the words of a pair, the true target fed."""
    src, tgt = words.encode(pair.source), words.encode(pair.target)
    fed = torch.tensor([[*src, words.eos_id]]), torch.tensor([[words.bos_id, *tgt]])
    weights = model.attention_weights(*fed)["cross"][:, 0]
    return {reading: word_weights(weights, range(len(src)), range(len(tgt)), reading) for reading in READINGS}


def counts_of(choices: Choices, pairs: Sequence[LittlePair]) -> Int[np.ndarray, "sentences four"]:
    """The counts of each sentence, from its choices."""
    found = zip(choices, pairs, strict=True)
    return np.array([counted(links_of(c, len(pair.source_words)), pair.alignment) for c, pair in found])


def right_by_kind(choices: Choices, pairs: Sequence[LittlePair]) -> list[float]:
    """For each of `KINDS` the share of its words that are linked with a word that they truly translate."""
    right, all_ = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for chosen, pair in zip(choices, pairs, strict=True):
        for j, (i, kind) in enumerate(zip(chosen, kinds_of(pair), strict=True)):
            right[kind] += (i, j) in pair.alignment
            all_[kind] += 1
    return [round(right[kind] / max(1, all_[kind]), 5) for kind in KINDS]


@torch.inference_mode()
def loss_by_kind(model: Any, pairs: Sequence[LittlePair], words: WordVocabulary) -> Float[np.ndarray, " kinds_and_all"]:
    """The mean loss of the words of each of `KINDS`, in nats; last, that of all target tokens, ``</s>`` included."""
    batch = padded_batch(encoded(pairs, words))
    log_probs = model(batch.src, batch.tgt_in).log_softmax(-1)
    losses = -log_probs.gather(-1, batch.tgt_out[..., None])[..., 0].double()
    real = batch.tgt_out != words.pad_id
    places: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS}
    for row, pair in enumerate(pairs):
        for column, kind in enumerate(kinds_of(pair)):
            places[kind].append((row, column))
    means = [losses[tuple(zip(*places[kind], strict=True))].mean() if places[kind] else torch.nan for kind in KINDS]
    return np.array([float(mean) for mean in [*means, losses[real].mean()]])


def _described(choices: Choices, pairs: Sequence[LittlePair], validation: int) -> dict[str, Any]:
    """What is kept of an aligner: error rates on both halves, precision and recall on the test, right links by kind."""
    counts = counts_of(choices, pairs)
    test = counts[validation:]
    return {
        "validation": float(error_rates(counts[:validation])),
        "test": float(error_rates(test)),
        "precision": float(precisions(test)),
        "recall": float(recalls(test)),
        "right": right_by_kind(choices[validation:], pairs[validation:]),
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train the models on the same pairs; read links off their weights; remove the Transformer's heads.

    Returns:
        ``floor`` and ``loss``, nats per target token, and ``right``, the share of test sentences translated right, of
        the Transformer (``recurrent_loss``, ``recurrent_right`` of the other). ``kinds``: how many test words there
        are of each of `KINDS`. An aligner is described by its error rate on ``validation`` and ``test``, its
        ``precision`` and ``recall`` on the test, and ``right``, by kind. ``heads``, by reading, has one for each layer
        and head; ``layer_means``, by reading, one for each layer, and ``mean``, by reading, that of all heads: the
        weights are averaged before the largest is taken. ``recurrent``, by reading; ``ibm1``; ``diagonal``;
        ``one_link``: the best possible with one link a word. ``profile``: by field of `Profile` a list a layer, of the
        rows that predict words. ``removed``: by layer and head the loss of each kind and of all tokens without that
        head, less ``loss_by_kind``; ``silenced``: by layer without all of its heads. ``picked``: for each size what
        `link_study.picked` gives, the candidates being all heads in both readings. ``example``: the weights between
        the words of one pair, by layer and head, with the row to come.
    """
    c, threads = configuration, torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs, words = training_pairs(seed, c), word_vocabulary(c["target"])
        examined, cut = held_out_pairs(seed, pairs, c), c["validation"]
        test = examined[cut:]
        model, spent = train_transformer({}, pairs, seed, c)
        recurrent, trainer = train_recurrent(c["recurrent"], pairs, seed, c["target"], c["recurrent_training"])
        base = loss_by_kind(model, test, words)
        kinds = [kind for pair in test for kind in kinds_of(pair)]
        gold = [
            [min((i for i, k in pair.alignment if k == j)) for j in range(len(pair.target_words))] for pair in examined
        ]
        ibm = IBMModel1([tokens(pair, words) for pair in pairs]).fit(c["rounds"])
        counting = []
        for pair in examined:
            makers = {j: i for i, j in ibm.align(*tokens(pair, words))}
            counting.append([makers.get(j, len(pair.source_words)) for j in range(len(pair.target_words))])
        straight = [diagonal(len(pair.source_words), len(pair.target_words)) for pair in examined]
        metrics: dict[str, Any] = {
            "tokens": spent + trainer.tokens,
            "pairs": len(pairs),
            "floor": round(mean_entropy(test).per_token, 5),
            "loss": float(base[-1]),
            "right": share_right(model, test, words),
            "recurrent_loss": float(loss_by_kind(recurrent, test, words)[-1]),
            "recurrent_right": share_right(recurrent, test, words),
            "kinds": [kinds.count(kind) for kind in KINDS],
            "ibm1": _described(counting, examined, cut),
            "diagonal": _described(straight, examined, cut),
            "one_link": _described(gold, examined, cut),
            **_read_heads(model, examined, words, seed, c),
        }
        looks = [weights_of(recurrent, pair, words) for pair in examined]
        metrics["recurrent"] = {
            reading: _described([look[reading][0, 0].argmax(-1).tolist() for look in looks], examined, cut)
            for reading in READINGS
        }
        metrics["loss_by_kind"] = base.round(5).tolist()
        layers, heads = model.config.n_layers, model.config.n_heads

        def change(removed: Sequence[Head]) -> list[float]:
            with without_heads(model, removed):
                return (loss_by_kind(model, test, words) - base).round(5).tolist()

        metrics["removed"] = [[change([Head("cross", n, h)]) for h in range(heads)] for n in range(layers)]
        metrics["silenced"] = [change([Head("cross", n, h) for h in range(heads)]) for n in range(layers)]
    finally:
        torch.set_num_threads(threads)
    return metrics


def _read_heads(
    model: Any, pairs: Sequence[LittlePair], words: WordVocabulary, seed: int, c: dict[str, Any]
) -> dict[str, Any]:
    """Links of every head, layer and of all heads together; profiles; what choosing on few sentences promises."""
    looks, cut = [weights_of(model, pair, words) for pair in pairs], c["validation"]
    layers, heads = model.config.n_layers, model.config.n_heads
    found: dict[str, Any] = {"heads": {}, "layer_means": {}, "mean": {}}
    candidates = []
    for reading in READINGS:
        chosen = [look[reading].argmax(-1).tolist() for look in looks]
        by_head = [[[one[n][h] for one in chosen] for h in range(heads)] for n in range(layers)]
        found["heads"][reading] = [[_described(choices, pairs, cut) for choices in layer] for layer in by_head]
        candidates += [counts_of(choices, pairs)[cut:] for layer in by_head for choices in layer]
        means = [look[reading].mean(dim=1).argmax(-1).tolist() for look in looks]
        found["layer_means"][reading] = [_described([one[n] for one in means], pairs, cut) for n in range(layers)]
        whole = [look[reading].mean(dim=(0, 1)).argmax(-1).tolist() for look in looks]
        found["mean"][reading] = _described(whole, pairs, cut)
    fields = profile(look["to come"] for look in looks[cut:])._asdict()
    found["profile"] = {name: [[round(x, 5) for x in row] for row in value.tolist()] for name, value in fields.items()}
    random = np.random.default_rng(seed)
    found["picked"] = {
        str(size): list(picked(np.stack(candidates), size, c["draws"], random)) for size in c["picked_from"]
    }
    source, target = c["example"]
    example = weights_of(model, pair_for(source, c["target"], target), words)["to come"]
    found["example"] = [[[[round(x, 4) for x in row] for row in head] for head in layer] for layer in example.tolist()]
    return found
