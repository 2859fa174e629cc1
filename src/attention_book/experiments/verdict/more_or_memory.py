"""Is it the memory, or more training? A finished translator reads its pairs again, with three kinds of targets."""

from typing import Any

import torch

from ...data import corpora
from ...data.batching import encode_pairs
from ...models.transformer import Transformer
from ...training.remembering.datastore import Datastore, datastore_of
from ...training.remembering.lesson import Lessons, Remembering, lessons_of
from ...training.remembering.remembering import DROPOUT, MEMORY, recipe_of, stack_of
from ...training.together.loop import Shelves, examined, train_stack
from ...training.trainer import fastest_precision
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator
from ..before.translators_compared import paired

QUESTION = "What does a translator learn from its memory beyond what more training brings?"
CONFIGURATION = {
    "translator": "en-es-taught",
    "corpus": "tatoeba-en-es",
    "tokens": 1_000_000,
    "arms": {
        "pairs": {"taught": 0.0, "memory": False},
        "itself": {"taught": 0.8, "memory": False},
        "memory": {"taught": 0.8, "memory": True},
    },
    "bootstrap": 1000,
}
"""``taught``: the lesson's share of the target; ``memory``: whether the neighbours have a share of the lesson, or it is
what the translator itself says. The last arm is that of
:func:`attention_book.training.remembering.remembering.remember` with one learner and fewer tokens."""
SEEDS = [1]


@torch.no_grad()
def itself(store: Datastore, model: Transformer) -> Lessons:
    """Lessons without a memory: what the model says at each key, its likeliest tokens."""
    tokens, shares = [], []
    for keys in store.keys.split(8192):
        p, i = model.output(keys).softmax(1).topk(min(MEMORY["likeliest"], model.config.vocab_size))
        tokens.append(i.to(torch.int16))
        shares.append(p.to(torch.float16))
    return Lessons(torch.cat(tokens), torch.cat(shares))


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train one learner per arm from the same parameters, on the same batches, and score them.

    Returns:
        ``tokens`` that all arms read; ``sentences``; and under ``scores``, for the translator as it ``stood`` and for
        each arm, on the validation sentences with greedy search, ``loss``, ``bleu``, ``chrf``, their half widths and
        the p-values of the difference from the translator as it stood.
    """
    c = configuration
    translator = Translator.from_pretrained(c["translator"])
    model, subwords = translator.model.eval(), translator.subwords
    corpus = corpora.load(c["corpus"])
    encoded = encode_pairs(corpus.train, subwords, model.config.max_len)
    store = datastore_of(model, encoded)
    shelves = Shelves(corpus.train, subwords, model.config.max_len, "cpu")
    models, tokens = {"stood": model}, 0
    for name, arm in c["arms"].items():
        stack = stack_of(model, 1, DROPOUT, "cpu", getattr(torch, fastest_precision()))
        teachers = []
        if arm["taught"]:
            told = lessons_of(store, model.output.weight, **MEMORY) if arm["memory"] else itself(store, model)
            teachers = [Remembering(encoded, told, len(subwords))]
        recipe = recipe_of(c["tokens"], arm["taught"])
        trained = train_stack(stack, recipe, shelves, seed, teachers, progress=False)
        models[name], tokens = trained.model(0), tokens + trained.tokens
    found = {name: examined(one, subwords, corpus.validation, "cpu") for name, one in models.items()}
    texts = {name: written for name, (_, written) in found.items()}
    tested = paired(texts, corpus.validation, "stood", c["bootstrap"])
    scores = {}
    for name, (loss, written) in found.items():
        both = bleu_and_chrf(written, [pair.references for pair in corpus.validation])
        scores[name] = {"loss": loss, "bleu": both.bleu, "chrf": both.chrf, **tested[name]}
    return {"tokens": tokens, "sentences": len(corpus.validation), "scores": scores}
