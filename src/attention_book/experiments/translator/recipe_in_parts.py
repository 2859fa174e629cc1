"""The recipe of the taught translator in small and in parts: every change alone, all of them, and four kinds of pupil.

Small models are trained on few of the pairs, so that a pass over them is short and as many passes fit into minutes as
the translators of the book made in hours. Each arm is several models that differ by their first weights and by the
order of their batches. The arm ``teachers`` teaches those pupils that have a lesson.
"""

import random
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from ...data import corpora
from ...data.batching import encode_pairs, token_batches
from ...data.normalisation import Pair
from ...data.subwords import Subwords
from ...models.transformer import Transformer, TransformerConfig
from ...training.together.distilling import Ensemble
from ...training.together.loop import Shelves, Trained, train_stack
from ...training.together.stack import Stack
from ...training.together.update import Recipe
from ...training.trainer import keep_freed_memory, validation_loss
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator

QUESTION = "Which change of the longer recipe helps, and what does the teachers' lesson add to R-Drop?"
_PUPIL = {"tokens": 1_200_000, "attention_dropout": 0.1}
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "pairs": 3000,
    "vocabulary": 2000,
    "models": 3,
    "model": {"d_model": 128, "n_heads": 4, "n_layers": 2, "d_ff": 512, "dropout": 0.1, "max_len": 256},
    "training": {"tokens": 600_000, "tokens_per_batch": 300, "peak_rate": 2e-3, "smoothing": 0.1},
    "arms": {
        "old": {},
        "longer": {"tokens": 1_200_000},
        "dropped": {"dropout": 0.2, "attention_dropout": 0.1},
        "cut": {"subword_dropout": 0.1},
        "all": {"tokens": 1_200_000, "dropout": 0.2, "attention_dropout": 0.1, "subword_dropout": 0.1},
        "teachers": {"tokens": 1_200_000, "dropout": 0.2, "attention_dropout": 0.1},
    },
    "pupils": {
        "untaught": _PUPIL,
        "agreeing": _PUPIL | {"agreement": 2.0},
        "taught": _PUPIL | {"taught": 0.7},
        "both": _PUPIL | {"agreement": 2.0, "taught": 0.7},
    },
    "examined": 2001,
    "seen": 500,
}
"""``arms`` and ``pupils``: in what each differs from ``model`` and ``training``. ``examined`` test sentences are
translated, and ``seen`` of the training pairs tell how well these are known by heart."""
SEEDS = [1]


def drawn_pairs(pairs: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """So many of the pairs, drawn without replacement, in the order of the draw."""
    return random.Random(f"recipe in parts, {seed}").sample(list(pairs), count)


def train_arm(
    name: str, shelves: Shelves, seed: int, configuration: dict[str, Any], teachers: Stack | None = None
) -> Trained:
    """The models of an arm, after training. Pupils begin with other weights than their teachers, all with the same.

    Args:
        name: of the arm, or of the kind of pupil.
        shelves: the pairs.
        seed: of the run.
        configuration: see `CONFIGURATION`.
        teachers: whose mean prediction is the lesson; needed by an arm that has one.
    """
    pupils = configuration["pupils"]
    arm = (configuration["arms"] | pupils)[name]
    model = configuration["model"] | {key: arm[key] for key in ("dropout", "attention_dropout") if key in arm}
    recipe = Recipe(**configuration["training"] | {key: value for key, value in arm.items() if key not in model})
    first = 100 * seed + (50 if name in pupils else 0)
    stack = Stack(TransformerConfig(len(shelves.subwords), **model), range(first, first + configuration["models"]))
    return train_stack(stack, recipe, shelves, seed + (name in pupils), [teachers] if teachers else (), progress=False)


def losses(model: nn.Module, subwords: Subwords, test: Sequence[Pair], seen: Sequence[Pair]) -> dict[str, float]:
    """The ``loss`` on new pairs and the ``seen_loss`` on known ones: nats per piece, without smoothing and dropout."""
    found = {}
    with torch.inference_mode():
        for name, pairs in (("loss", test), ("seen_loss", seen)):
            batches = token_batches(encode_pairs(pairs, subwords, model.config.max_len), 4000, seed=0, epoch=0)
            found[name] = round(validation_loss(model, batches), 5)
    return found


def scores(model: Transformer, subwords: Subwords, test: Sequence[Pair], seen: Sequence[Pair]) -> dict[str, float]:
    """The `losses` of a model, and ``bleu`` and ``chrf`` of its translations by greedy search."""
    outcomes = Translator(model, subwords).translate_each([pair.source for pair in test], beam_size=1, split=False)
    both = bleu_and_chrf([outcome.text or "" for outcome in outcomes], [pair.references for pair in test])
    return losses(model, subwords, test, seen) | {"bleu": both.bleu, "chrf": both.chrf}


def run_arm(
    name: str,
    shelves: Shelves,
    test: Sequence[Pair],
    seed: int,
    configuration: dict[str, Any],
    teachers: Stack | None = None,
) -> tuple[dict[str, Any], Stack]:
    """Train and examine an arm.

    Returns:
        What `run_seed` says of an arm, and its stack.
    """
    trained = train_arm(name, shelves, seed, configuration, teachers)
    alone = [trained.model(which).eval() for which in range(configuration["models"])]
    seen = shelves.pairs[: configuration["seen"]]
    found = {
        "tokens": trained.tokens,
        "steps": trained.steps,
        "models": [scores(model, shelves.subwords, test, seen) for model in alone],
    }
    if name == "teachers":
        found["together"] = losses(Ensemble(alone).eval(), shelves.subwords, test, seen)
    return found, trained.stack


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train and examine every arm, then the pupils; one thread throughout.

    Returns:
        ``tokens`` trained on in all; ``pairs`` and ``examined`` sentences; target tokens of a pass over the pairs
        (``a_pass``); ``parameters`` of a model; ``arms``: per arm and kind of pupil the ``tokens`` and ``steps`` of
        each of its models, and a list of `scores`, one per model (``models``); of the teachers also the `losses`
        of their mean prediction (``together``).

    Pitfall: which merges subword dropout leaves out no seed fixes
    (:func:`attention_book.training.together.shelves.dropped_encodings`), so a second run differs a little.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        corpus = corpora.load(c["corpus"])
        pairs = drawn_pairs(corpus.train, c["pairs"], seed)
        subwords = Subwords.train((text for pair in pairs for text in (pair.source, pair.target)), c["vocabulary"])
        shelves = Shelves(pairs, subwords, c["model"]["max_len"], "cpu")
        test = corpus.test[: c["examined"]]
        found, stacks = {}, {}
        for name, arm in (c["arms"] | c["pupils"]).items():
            lesson = stacks["teachers"] if arm.get("taught") else None
            found[name], stacks[name] = run_arm(name, shelves, test, seed, c, lesson)
    finally:
        torch.set_num_threads(threads)
    return {
        "tokens": sum(arm["tokens"] * len(arm["models"]) for arm in found.values()),
        "pairs": len(pairs),
        "examined": len(test),
        "a_pass": sum(len(target) + 1 for target in subwords.encode_batch(pair.target for pair in pairs)),
        "parameters": sum(shape.numel() for shape in stacks["teachers"].shapes.values()),
        "arms": found,
    }
