"""One small translator, three vocabularies: what the number of subwords does to rare words and BLEU.

All three models have the same width and depth, the same budget of target tokens and the same seed.
A token of a small vocabulary is a shorter piece of text, so equal tokens are not equal text: both are on record.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch

from ...data import corpora
from ...data.batching import encode_pairs, token_batches
from ...data.normalisation import Pair
from ...data.subwords import Subwords
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings, keep_freed_memory, validation_loss
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator
from ..before.counting_tatoeba import interval
from .piece_lengths import class_of, words_of

QUESTION = "What does the number of subwords change: the rare words, the quality of translations?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "sizes": [500, 2000, 8000],
    "model": {"d_model": 128, "n_heads": 4, "n_layers": 3, "d_ff": 512, "dropout": 0.1, "max_len": 256},
    "training": {"tokens": 2_000_000, "tokens_per_batch": 1000, "peak_rate": 2e-3, "smoothing": 0.1},
    "examined": 2000,
    "bootstrap": 500,
    "classes": {"never": [0, 0], "1–5": [1, 5], "6–50": [6, 50], "more": [51, 10_000_000]},
}
"""``classes`` [least, most] count how often a word of a test reference stands on the Spanish side of the training
pairs."""
SEEDS = [1]


def word_recall(
    translations: Sequence[str], pairs: Sequence[Pair], counts: Counter[str], classes: dict[str, list[int]]
) -> dict[str, dict[str, int]]:
    """How many different words of each first reference stand in the translation too, by how often they were seen."""
    found = {name: {"words": 0, "found": 0} for name in classes}
    for translation, pair in zip(translations, pairs, strict=True):
        written = set(words_of(translation))
        for word in set(words_of(pair.target)):
            entry = found[class_of(counts[word], classes)]
            entry["words"] += 1
            entry["found"] += word in written
    return found


def train(subwords: Subwords, pairs: Sequence[Pair], seed: int, configuration: dict[str, Any]) -> tuple[Trainer, int]:
    """A trained model, and how many pairs were short enough for it."""
    config = TransformerConfig(len(subwords), **configuration["model"])
    encoded = encode_pairs(pairs, subwords, config.max_len)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        trainer = Trainer(Transformer(config), encoded, TrainingSettings(seed=seed, **configuration["training"]))
        trainer.run(progress=False)
    return trainer, len(encoded)


def examine(
    trainer: Trainer, subwords: Subwords, pairs: Sequence[Pair], counts: Counter[str], configuration: dict[str, Any]
) -> dict[str, Any]:
    """Translate the examined sentences greedily and compare with their references.

    Returns:
        ``bleu``, ``chrf`` and their signatures, ``bleu_interval``; ``loss_per_piece`` in nats and
        ``bits_per_character`` of the first references, ``</s>`` counted as a piece and as a character; ``recall``.
    """
    model = trainer.model.eval()
    with torch.inference_mode():
        encoded = encode_pairs(pairs, subwords, model.config.max_len)
        batches = token_batches(encoded, 4000, seed=0, epoch=0)
        loss = validation_loss(model, batches)
    pieces = sum(batch.target_tokens for batch in batches)
    characters = sum(len(subwords.decode(target)) + 1 for _, target in encoded)
    translator = Translator(model, subwords)
    outcomes = translator.translate_each([pair.source for pair in pairs], beam_size=1, split=False)
    translations = [outcome.text or "" for outcome in outcomes]
    references = [pair.references for pair in pairs]
    scores = bleu_and_chrf(translations, references)
    return {
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "bleu_signature": scores.bleu_signature,
        "chrf_signature": scores.chrf_signature,
        "bleu_interval": interval(translations, references, configuration["bootstrap"]),
        "loss_per_piece": round(loss, 5),
        "bits_per_character": round(loss * pieces / characters / math.log(2), 5),
        "recall": word_recall(translations, pairs, counts, configuration["classes"]),
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Learn each vocabulary, train a model on it and examine it.

    Returns:
        ``tokens`` trained on in all; ``examined`` sentences; ``models``: per vocabulary, by its size as text, its
        ``parameters`` and those of the ``table``; the target ``tokens``, updates (``steps``) and ``passes`` through the
        pairs; ``pairs``; the target ``characters`` read, estimated from the passes; ``curve`` of the training loss; and
        what `examine` gives.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        corpus = corpora.load(c["corpus"])
        counts = Counter(word for pair in corpus.train for word in words_of(pair.target))
        examined = corpus.test[: c["examined"]]
        texts = [text for pair in corpus.train for text in (pair.source, pair.target)]
        characters = sum(len(pair.target) for pair in corpus.train)
        models = {}
        for size in c["sizes"]:
            subwords = Subwords.train(texts, size)
            trainer, pairs = train(subwords, corpus.train, seed, c)
            batches = token_batches(trainer.encoded, c["training"]["tokens_per_batch"], seed, trainer.epoch)
            passes = trainer.epoch + trainer.index / len(batches)
            models[str(size)] = {
                "parameters": sum(p.numel() for p in trainer.model.parameters()),
                "table": len(subwords) * trainer.model.config.d_model,
                "tokens": trainer.tokens,
                "steps": trainer.step,
                "passes": round(passes, 4),
                "pairs": pairs,
                "characters": round(passes * characters),
                "curve": [[record["tokens"], round(record["train_loss"], 4)] for record in trainer.curve],
                **examine(trainer, subwords, examined, counts, c),
            }
    finally:
        torch.set_num_threads(threads)
    return {
        "tokens": sum(model["tokens"] for model in models.values()),
        "examined": len(examined),
        "models": models,
    }
