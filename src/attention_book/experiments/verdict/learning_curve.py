"""What more pairs buy: two families of networks, trained alike on few pairs, beside counting and looking up.

Training stops when the validation sentences are translated no better for some time, or when its budget is spent, and
the weights that translated them best are examined. (The validation loss rises long before that: where it was lowest is
on record, too.) A seed draws the pairs, of which a smaller size takes the first ones, and for the networks the weights
at the start, dropout and the batches. With all pairs the networks would need budgets of another order: `verdict` has
them.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from sacrebleu.metrics import CHRF
from torch import Tensor

from ...counting.text import CountingTranslator
from ...counting.translation_memory import TranslationMemory
from ...data import corpora
from ...data.batching import Encoded, encode_pairs, token_batches
from ...data.normalisation import Pair
from ...data.subwords import Subwords
from ...models.registry import TranslationModel, build, config_from_dict
from ...training.trainer import Trainer, TrainingSettings, keep_freed_memory, validation_loss
from ...translation.decoding import greedy_decode
from ...translation.evaluation import bleu_and_chrf
from ..before.counting_tatoeba import interval

QUESTION = "What does ten times the data buy, for networks that learn, for counting and for looking up?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "sizes": [1000, 3000, 10_000, 30_000, "all"],
    "trained": [1000, 3000, 10_000, 30_000],
    "counting": {"order": 3, "rounds": 10, "least_count": 2, "choices": 6, "beam_size": 20},
    "vocabulary": 8000,
    "models": {
        "RNN with attention": {
            "family": "recurrent",
            "d_embedding": 128,
            "encoder_width": 192,
            "decoder_width": 288,
            "d_attention": 128,
            "dropout": 0.1,
        },
        "Transformer": {
            "family": "transformer",
            "d_model": 128,
            "n_heads": 4,
            "n_layers": 3,
            "d_ff": 512,
            "dropout": 0.1,
        },
    },
    "training": {
        "tokens": 1_500_000,
        "tokens_per_batch": 300,
        "peak_rate": 2e-3,
        "smoothing": 0.1,
        "validate_every": 50_000,
    },
    "patience": 3,
    "validated": 300,
    "translated": 200,
    "bootstrap": 500,
}
"""``trained`` are the sizes at which the networks are trained; counting and looking up have all ``sizes``. The counting
translator is that of `verdict`, the Transformer that of `vocabulary-sizes`; rate and batches are those of the recurrent
translators of the little language (`recurrent_study`). The recurrent network has as many parameters, to one or two in a
hundred. ``patience`` counts validations without a higher chrF; ``validated`` the validation pairs whose loss they
measure, ``translated`` those of them that are translated."""
SEEDS = [1, 2, 3]
MEMORY, COUNTING = "translation memory", "counting"


class _Enough(Exception):
    """The validation sentences have been translated no better for long enough."""


@dataclass
class Best:
    """The weights that translated the validation sentences best, and after how many target tokens they were reached."""

    chrf: float = -1.0
    tokens: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)


def train_until_no_better(
    model: TranslationModel,
    encoded: Sequence[Encoded],
    validate: Callable[[TranslationModel], dict[str, float]],
    settings: TrainingSettings,
    patience: int,
) -> tuple[Trainer, Best]:
    """Train until the budget is spent, or until ``patience`` validations in a row had no higher chrF than the best.

    Args:
        model: in training mode; it has the weights of the end afterwards.
        encoded: pairs to train on.
        validate: returns ``validation_chrf``, and what else goes into the curve.
        settings: the recipe.
        patience: at least 1.

    Returns:
        The trainer, and the best weights.
    """
    best = Best()
    since = 0

    def look(trainer: Trainer) -> None:
        nonlocal since
        chrf = trainer.curve[-1]["validation_chrf"]
        since += 1
        if chrf > best.chrf:
            best.chrf, best.tokens, since = chrf, trainer.tokens, 0
            best.weights = {name: value.detach().clone() for name, value in model.state_dict().items()}
        elif since >= patience:
            raise _Enough

    trainer = Trainer(model, encoded, settings, validate)
    with suppress(_Enough):
        trainer.run(progress=False, on_validation=look)
    return trainer, best


def validator(
    encoded: Sequence[Encoded], shown: Sequence[Pair], source: Subwords, target: Subwords
) -> Callable[[TranslationModel], dict[str, float]]:
    """A function that gives a model's loss on encoded pairs, and the chrF of its greedy translations of others."""
    batches = token_batches(encoded, 4000, seed=0, epoch=0)
    sources, references = [pair.source for pair in shown], [pair.references for pair in shown]

    def validate(model: TranslationModel) -> dict[str, float]:
        texts = greedy_texts(model, source, target, sources)
        return {
            "validation_loss": validation_loss(model, batches),
            "validation_chrf": bleu_and_chrf(texts, references).chrf,
        }

    return validate


def greedy_texts(
    model: TranslationModel, source: Subwords, target: Subwords, sentences: Sequence[str], rows: int = 100
) -> list[str]:
    """Greedy translations of sentences, the longest first so that batches are even, handed back in their order."""
    ids = [[*found, source.eos_id] for found in source.encode_batch(sentences)]
    order = sorted(range(len(ids)), key=lambda place: -len(ids[place]))
    texts = [""] * len(ids)
    for start in range(0, len(order), rows):
        places = order[start : start + rows]
        width = max(len(ids[place]) for place in places)
        src = torch.tensor([ids[place] + [source.pad_id] * (width - len(ids[place])) for place in places])
        for place, found in zip(places, greedy_decode(model, src), strict=True):
            texts[place] = target.decode(found.tokens)
    return texts


def scored(translations: list[str], pairs: Sequence[Pair], samples: int) -> dict[str, Any]:
    """BLEU and chrF against all references, each with half the width of its bootstrapped 95 % interval."""
    references = [pair.references for pair in pairs]
    found = bleu_and_chrf(translations, references)
    streams = [[r[i] if i < len(r) else None for r in references] for i in range(max(map(len, references)))]
    chrf = CHRF().corpus_score(translations, streams, n_bootstrap=samples)
    return {
        "bleu": found.bleu,
        "bleu_half_width": float(interval(translations, references, samples)["half_width"]),
        "bleu_signature": found.bleu_signature,
        "chrf": found.chrf,
        "chrf_half_width": float(chrf._ci),
        "chrf_signature": found.chrf_signature,
    }


def drawn_pairs(pairs: Sequence[Pair], size: int | str, seed: int) -> list[Pair]:
    """The first ``size`` pairs, or all, in an order that the seed draws."""
    order = list(pairs)
    random.Random(f"pairs {seed}").shuffle(order)
    if size == "all":
        return order
    if size > len(order):
        raise ValueError(f"{size} pairs are asked for, and there are {len(order)}")
    return order[:size]


@cache
def shared_subwords(corpus: str, size: int) -> Subwords:
    """The vocabulary of all training pairs, both sides; every size of the curve uses it."""
    return Subwords.train((text for pair in corpora.load(corpus).train for text in (pair.source, pair.target)), size)


def look_up(seed: int, size: int | str, configuration: dict[str, Any]) -> dict[str, Any]:
    """The scores of a translation memory on the drawn pairs."""
    corpus = corpora.load(configuration["corpus"])
    pairs = drawn_pairs(corpus.train, size, seed)
    memory = TranslationMemory([(pair.source, pair.target) for pair in pairs])
    found = memory.translate([pair.source for pair in corpus.test])
    return {"pairs": len(pairs)} | scored(found, corpus.test, configuration["bootstrap"])


def count(seed: int, size: int | str, configuration: dict[str, Any]) -> dict[str, Any]:
    """The scores of the noisy channel, counted in the drawn pairs."""
    corpus = corpora.load(configuration["corpus"])
    pairs = drawn_pairs(corpus.train, size, seed)
    translator = CountingTranslator([(pair.source, pair.target) for pair in pairs], **configuration["counting"])
    found = translator.translate([pair.source for pair in corpus.test])
    return {"pairs": len(pairs)} | scored(found, corpus.test, configuration["bootstrap"])


def outcome(trainer: Trainer, best: Best) -> dict[str, Any]:
    """What is known of a training that may have stopped early.

    Returns:
        ``parameters`` and ``pairs``; the target ``tokens`` trained on, those until the best translations
        (``best_tokens``), and those until the lowest loss (``lowest_tokens``), all three at validations; how many
        tokens one pass through the pairs has (``a_pass``); whether the training was ``stopped`` before its budget was
        spent; ``seconds``; and the ``curve``: tokens, training loss (smoothed), validation loss, validation chrF.
    """
    lowest = min(trainer.curve, key=lambda record: record["validation_loss"])
    names = ("train_loss", "validation_loss", "validation_chrf")
    return {
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "pairs": len(trainer.encoded),
        "tokens": trainer.tokens,
        "best_tokens": best.tokens,
        "lowest_tokens": lowest["tokens"],
        "a_pass": sum(len(target) + 1 for _, target in trainer.encoded),
        "stopped": trainer.tokens < trainer.settings.tokens,
        "seconds": round(trainer.seconds, 1),
        "curve": [[record["tokens"], *(round(record[name], 4) for name in names)] for record in trainer.curve],
    }


def run_point(seed: int, name: str, size: int | str, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train one model on one number of pairs and let its best weights translate the test sentences greedily.

    Returns:
        What `outcome` and `scored` give.
    """
    c = configuration
    corpus, subwords = corpora.load(c["corpus"]), shared_subwords(c["corpus"], c["vocabulary"])
    config = config_from_dict({"vocab_size": len(subwords), **c["models"][name]})
    encoded = encode_pairs(drawn_pairs(corpus.train, size, seed), subwords, config.max_len)
    validated = encode_pairs(corpus.validation[: c["validated"]], subwords, config.max_len)
    validate = validator(validated, corpus.validation[: c["translated"]], subwords, subwords)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = build(config)
        settings = TrainingSettings(seed=seed, **c["training"])
        trainer, best = train_until_no_better(model, encoded, validate, settings, c["patience"])
    model.load_state_dict(best.weights)
    model.eval()
    texts = greedy_texts(model, subwords, subwords, [pair.source for pair in corpus.test])
    return outcome(trainer, best) | scored(texts, corpus.test, c["bootstrap"])


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train both networks on each number of pairs, count in them and look up in them; one thread throughout.

    Returns:
        ``tokens`` trained on in all; test ``sentences``; ``points``: by the name of a network, and by size as text,
        what `run_point` gives; the same of counting and of the translation memory, what `count` and `look_up` give.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        points = {name: {str(size): run_point(seed, name, size, c) for size in c["trained"]} for name in c["models"]}
        counted = {str(size): count(seed, size, c) for size in c["sizes"]}
        stored = {str(size): look_up(seed, size, c) for size in c["sizes"]}
    finally:
        torch.set_num_threads(threads)
    return {
        "tokens": sum(point["tokens"] for curve in points.values() for point in curve.values()),
        "sentences": len(corpora.load(c["corpus"]).test),
        "points": points | {COUNTING: counted, MEMORY: stored},
    }
