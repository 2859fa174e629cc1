"""English to Hindi with few pairs: alone, or from the layers of the book's translator into Spanish.

The pairs are those of a published test set, split anew, so no score here may be held against a published one. The
English side is cut by the vocabulary of English and Spanish, which the layers know; Hindi has a vocabulary of its own,
learnt from its training pairs.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from ...counting.translation_memory import TranslationMemory
from ...data import corpora
from ...data.batching import Encoded
from ...data.normalisation import Pair, normalise
from ...data.subwords import Subwords
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import TrainingSettings, keep_freed_memory
from ...translation.translator import Translator
from .learning_curve import greedy_texts, outcome, scored, train_until_no_better, validator

QUESTION = "How well do a few thousand pairs teach English to Hindi, and do the layers of another language help?"
CONFIGURATION = {
    "corpus": "tatoeba-en-hi",
    "parent": {"corpus": "tatoeba-en-es", "model": "en-es"},
    "vocabulary": 4000,
    "starts": {
        "alone": [],
        "encoder": ["src_embedding", "encoder"],
        "all layers": ["src_embedding", "encoder", "decoder"],
    },
    "training": {
        "tokens": 600_000,
        "tokens_per_batch": 300,
        "peak_rate": 1e-3,
        "smoothing": 0.1,
        "validate_every": 50_000,
    },
    "patience": 3,
    "translated": 200,
    "bootstrap": 500,
}
"""``parent`` is a translator that comes with the book, and the pairs it was trained on; ``starts`` names the parts that
begin with its weights. All else is drawn anew. The recipe is that of ``learning-curve``, with half its rate, which the
parent was trained with too."""
SEEDS = [1, 2, 3]


def with_target_table(config: TransformerConfig, pieces: int) -> Transformer:
    """A Transformer whose target has a vocabulary of its own: one table, which embeds and scores ``pieces`` pieces.

    Its ``config.vocab_size`` goes on counting the pieces of the source.
    """
    model = Transformer(config)
    model.tgt_embedding = nn.Embedding(pieces, config.d_model)
    nn.init.normal_(model.tgt_embedding.weight, std=config.d_model**-0.5)
    model.output = nn.Linear(config.d_model, pieces, bias=False)
    model.output.weight = model.tgt_embedding.weight
    return model


def encoded_pairs(pairs: Sequence[Pair], source: Subwords, target: Subwords, max_len: int) -> list[Encoded]:
    """The pieces of each pair, by the vocabulary of each side; pairs too long for the model are left out whole."""
    sources = source.encode_batch(pair.source for pair in pairs)
    targets = target.encode_batch(pair.target for pair in pairs)
    return [both for both in zip(sources, targets, strict=True) if max(map(len, both)) < max_len]


def unread(pairs: Sequence[Pair], read: Sequence[Pair]) -> list[int]:
    """The places of the pairs whose source is none of the sources that another model was trained on."""
    sources = {normalise(pair.source) for pair in read}
    return [place for place, pair in enumerate(pairs) if normalise(pair.source) not in sources]


def look_at(texts: list[str], pairs: Sequence[Pair], places: Sequence[int], samples: int) -> dict[str, Any]:
    """`scored` on all sentences, and as ``unread`` on those that the parent did not read."""
    few = scored([texts[place] for place in places], [pairs[place] for place in places], samples)
    return scored(texts, pairs, samples) | {"unread": few}


def exact(texts: list[str], pairs: Sequence[Pair]) -> int:
    """How many translations are one of the references, letter by letter."""
    return sum(text in pair.references for text, pair in zip(texts, pairs, strict=True))


def run_point(seed: int, start: str, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train one model from one start and let it translate the test sentences greedily.

    Returns:
        What `outcome` and `look_at` give; ``taken``, the parameters that the parent gave; ``exact``, as `exact` counts.
    """
    c = configuration
    corpus, parent = corpora.load(c["corpus"]), Translator.from_pretrained(c["parent"]["model"])
    read = corpora.load(c["parent"]["corpus"]).train
    hindi = Subwords.train((pair.target for pair in corpus.train), c["vocabulary"])
    config, english = parent.model.config, parent.subwords
    encoded = encoded_pairs(corpus.train, english, hindi, config.max_len)
    validated = encoded_pairs(corpus.validation, english, hindi, config.max_len)
    validate = validator(validated, corpus.validation[: c["translated"]], english, hindi)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = with_target_table(config, len(hindi))
        taken = 0
        for part in c["starts"][start]:
            model.get_submodule(part).load_state_dict(parent.model.get_submodule(part).state_dict())
            taken += sum(p.numel() for p in model.get_submodule(part).parameters())
        settings = TrainingSettings(seed=seed, **c["training"])
        trainer, best = train_until_no_better(model, encoded, validate, settings, c["patience"])
    model.load_state_dict(best.weights)
    texts = greedy_texts(model.eval(), english, hindi, [pair.source for pair in corpus.test])
    found = outcome(trainer, best) | look_at(texts, corpus.test, unread(corpus.test, read), c["bootstrap"])
    return found | {"taken": taken, "exact": exact(texts, corpus.test)}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train from each start, and look the sentences up; one thread throughout.

    Returns:
        ``tokens`` trained on in all; ``pairs`` of training; test ``sentences``, and how many of them the parent had not
        read (``unread``); ``starts``: what `run_point` gives for each; ``memory``: what `look_at` gives of a
        translation memory on the same pairs.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        starts = {name: run_point(seed, name, c) for name in c["starts"]}
    finally:
        torch.set_num_threads(threads)
    corpus = corpora.load(c["corpus"])
    places = unread(corpus.test, corpora.load(c["parent"]["corpus"]).train)
    memory = TranslationMemory([(pair.source, pair.target) for pair in corpus.train])
    texts = memory.translate([pair.source for pair in corpus.test])
    return {
        "tokens": sum(point["tokens"] for point in starts.values()),
        "pairs": len(corpus.train),
        "sentences": len(corpus.test),
        "unread": len(places),
        "starts": starts,
        "memory": look_at(texts, corpus.test, places, c["bootstrap"]) | {"exact": exact(texts, corpus.test)},
    }
