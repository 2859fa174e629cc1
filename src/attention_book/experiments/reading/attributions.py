"""Weights, gradients, and words left out: which source word does each name, and which foretells a changed word?

The language is the little one, English to Spanish. Each sentence examined has its likeliest translation, whose
alignment is known; and the grammar says which Spanish words become other ones when an English word is exchanged for
another of its kind. The first says which word a Spanish word translates, the second which words decide it.
"""

from collections import defaultdict
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool

from ...analysis.attribution.scored_sentence import Sentence
from ...analysis.attribution.source_words import (
    METHODS,
    attributions,
    log_probs,
    loss_by_change,
    without_any_word,
)
from ...little_language.exchanges import exchanges, some_of_each_place, with_likeliest_choices
from ...little_language.language import LittlePair, sample, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings
from ..little_language_study import encoded, length, training_pairs

QUESTION = "Which source words do weights, gradients and words left out name, and which foretells a changed word?"
CONFIGURATION = {
    "target": "es",
    "preset": "tiny",
    "dropout": 0.0,
    "max_len": 64,
    "drawn": 20_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "longest": 16,
    "shortest": 6,
    "training": {"tokens": 500_000, "tokens_per_batch": 400, "peak_rate": 4e-3, "smoothing": 0.0},
    "examined": 40,
    "exchanges": 3,
    "steps": 32,
}
"""``shortest`` and ``longest`` count tokens of the longer side; ``exchanges`` are those of each word, at most."""
SEEDS = [0, 1, 2]
MARKS = "¿?.,"


def examined_sentences(seed: int, seen: list[LittlePair], configuration: dict[str, Any]) -> list[LittlePair]:
    """Sentences that were not trained on, each once, with the likeliest translation."""
    clauses = {int(number): share for number, share in configuration["clauses"].items()}
    exclude = {pair.source for pair in seen}
    found: dict[str, LittlePair] = {}
    part = 0
    while len(found) < configuration["examined"]:
        for drawn in sample(200, 1_000 * (seed + 1) + part, configuration["target"], clauses, exclude):
            pair = with_likeliest_choices(drawn)
            if configuration["shortest"] <= length(pair) <= configuration["longest"]:
                found.setdefault(pair.source, pair)
        part += 1
    return list(found.values())[: configuration["examined"]]


def trained(pairs: list[LittlePair], seed: int, configuration: dict[str, Any]) -> tuple[Transformer, Transformer, int]:
    """A model before and after training, and the target tokens that it was trained on."""
    words = word_vocabulary(configuration["target"])
    sizes = {"dropout": configuration["dropout"], "max_len": configuration["max_len"]}
    config = getattr(TransformerConfig, configuration["preset"])(len(words), **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model, before = Transformer(config), Transformer(config)
        before.load_state_dict(model.state_dict())
        trainer = Trainer(model, encoded(pairs, words), TrainingSettings(seed=seed, **configuration["training"]))
        trainer.run(progress=False)
    return before.eval().requires_grad_(False), model.eval().requires_grad_(False), trainer.tokens


def known(pair: LittlePair, changes) -> tuple[Bool[np.ndarray, "tgt src"], Bool[np.ndarray, "tgt src"]]:
    """Which source word each target word translates, and which decide it: exchanged, they make it another word."""
    translates = np.zeros((len(pair.target_words), len(pair.source_words)), dtype=bool)
    decides = translates.copy()
    for i, j in pair.alignment:
        translates[j, i] = True
    for one in changes:
        decides[:, one.place] |= one.changed
    return translates, decides


def scored(model: Transformer, pair: LittlePair, configuration: dict[str, Any], steps: int, seed: int):
    """The attributions of a pair, what exchanges do, what is known, and how far integrated gradients are from whole."""
    words = word_vocabulary(configuration["target"])
    src = torch.tensor([*words.encode(pair.source), words.eos_id])
    tgt = torch.tensor([words.bos_id, *words.encode(pair.target)])
    rows = [i for i, word in enumerate(pair.target_words) if word not in MARKS]
    places = [[j] for j in range(len(src))]  # the last one is </s>, which is no word of the sentence
    found = attributions(model, src, tgt, places, steps)
    summed = found["integrated"].sum(-1).double().numpy()[rows]
    found = {name: values[:, :-1] for name, values in found.items()}
    methods = {name: found[name].double().numpy()[rows] for name in METHODS}
    every = exchanges(pair, configuration["target"])
    changes = some_of_each_place(every, configuration["exchanges"], seed)
    effects = defaultdict(list)
    for one in changes:
        other = torch.tensor([*words.encode(one.pair.source), words.eos_id])
        effects[one.place].append(loss_by_change(model, src, other, tgt).double().numpy()[rows])
    columns = sorted(effects)
    stack = lambda kept: np.stack(kept, axis=1) if kept else np.zeros((len(rows), 0))  # noqa: E731
    sentence = Sentence(methods, columns, stack([np.mean(effects[j], axis=0) for j in columns]))
    translates, decides = (values[rows] for values in known(pair, every))
    with torch.no_grad():
        whole = log_probs(model, src[None], tgt)[0]
        explained = (whole - without_any_word(model, src, tgt)).double().numpy()[rows]
    return sentence, translates, decides, whole.double().exp().numpy()[rows], np.abs(summed - explained), explained


def examine(model: Transformer, pairs: list[LittlePair], configuration: dict[str, Any], seed: int) -> dict[str, Any]:
    """The means over all rows of all sentences; a row is a written word, marks left out.

    Returns:
        ``agree``: Spearman's correlation of each pair of methods; ``foretell``: that of each method with the effects of
        exchanges; ``translated`` and ``decisive``: how often the largest attribution is at a word that the written one
        translates, or that decides it; ``agreeing``: in rows with a decisive word that is no translation, how often
        such a word is among the first two. Each with ``chance``, what a random order would give. ``size``: the mean
        largest attribution of a row. ``certain``: the mean probability of the written words. ``gap`` and ``explained``:
        the mean distance of integrated gradients from completeness, and the mean size of what they explain, in nats.
    """
    values: dict[str, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for number, pair in enumerate(pairs):
        sentence, translates, decides, certain, gap, explained = scored(
            model, pair, configuration, configuration["steps"], 1_000 * seed + number
        )
        hidden = decides & ~translates
        for name, rows in sentence.agreement().items():
            values["agree"][name].append(rows)
        for name, rows in sentence.foretold().items():
            values["foretell"][name].append(rows)
        for kind, right in (("translated", translates), ("decisive", decides)):
            for name, hits in sentence.hits(right).items():
                values[kind][name].append(hits)
            values[kind]["chance"].append(right.mean(1)[right.any(1)])
        some = hidden.any(1)
        for name, rows in sentence.methods.items():
            first_two = rows[some].argsort(1)[:, -2:]
            values["agreeing"][name].append(np.take_along_axis(hidden[some], first_two, axis=1).any(1))
            values["size"][name].append(np.abs(rows).max(1))
        n = hidden.shape[1]
        none = (1 - hidden[some].sum(1) / n) * (1 - hidden[some].sum(1) / (n - 1))
        values["agreeing"]["chance"].append(1 - none)
        for name, rows in (("certain", certain), ("gap", gap), ("explained", np.abs(explained))):
            values[name]["mean"].append(rows)
    mean = lambda rows: round(float(np.nanmean(np.concatenate(rows).astype(float))), 5)  # noqa: E731
    counted = {f"{kind}_rows": sum(map(len, next(iter(found.values())))) for kind, found in values.items()}
    return {kind: {name: mean(rows) for name, rows in found.items()} for kind, found in values.items()} | counted


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train one model and examine it, and the same model as it was before training.

    Returns:
        What :func:`examine` found, of the trained model by METRIC, of the untrained one by ``untrained_METRIC``; the
        values of each metric by the names of the methods.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs = training_pairs(seed, configuration)
        before, after, tokens = trained(pairs, seed, configuration)
        sentences = examined_sentences(seed, pairs, configuration)
        found = examine(after, sentences, configuration, seed)
        control = examine(before, sentences, configuration | {"steps": 8}, seed)
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **found, **{f"untrained_{name}": value for name, value in control.items()}}
