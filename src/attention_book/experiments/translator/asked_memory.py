"""What a translator gains that may look up all its training tokens: loss and translations, by the memory's share."""

from collections.abc import Sequence
from typing import Any

import torch

from ...data import corpora
from ...data.batching import encode_pairs
from ...data.failures import words
from ...data.subwords import Subwords
from ...training.remembering.datastore import Datastore, datastore_of
from ...training.remembering.nearest import Neighbourhoods
from ...training.remembering.with_memory import WithMemory
from ...translation.decoding import beam_search, greedy_decode
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator
from ..before.translators_compared import paired

QUESTION = "How much better does a translator get if it may look up every token that it was trained on?"
CONFIGURATION = {
    "translator": "en-es-taught",
    "corpus": "tatoeba-en-es",
    "sentences": 2000,
    "training_sentences": 500,
    "shares": [0.0, 0.25, 0.5, 0.75],
    "searched": {"greedy": [0.0, 0.25, 0.5, 0.75], "beam": [0.0, 0.5], "test": [0.0, 0.5], "training": [0.0, 0.5]},
    "temperature": 10.0,
    "neighbours": 32,
    "lists": 2048,
    "probes": 24,
    "bootstrap": 1000,
    "own": {
        "accordion": "I forgot my accordion at the station.",
        "beaver": "We saw a beaver.",
        "colander": "I forgot my colander at the station.",
        "shoemaker": "He is a shoemaker.",
    },
}
"""``shares``: λ of the memory for the loss. ``searched``: those with which sentences are translated: validation
sentences greedily and with a beam of 4, test sentences with a beam of 4, and training sentences greedily, whose own
pair the memory holds. λ and ``temperature`` were chosen on the validation sentences. ``own``:
sentences of the book's earlier pages, by their rare word, translated greedily with each share."""
SEEDS = [0]  # the lists' centres


def translated(model: WithMemory, subwords: Subwords, texts: Sequence[str], beam_size: int) -> list[str]:
    """Translations of sentences; sentences of like length are searched together."""
    ids = [[*row, subwords.eos_id] for row in subwords.encode_batch(texts)]
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    found: dict[int, str] = {}
    for start in range(0, len(order), 256):
        places = order[start : start + 256]
        rows = [torch.tensor(ids[place]) for place in places]
        src = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=subwords.pad_id)
        best = greedy_decode(model, src) if beam_size == 1 else beam_search(model, src, beam_size)
        for place, hypothesis in zip(places, best, strict=True):
            found[place] = subwords.decode([token for token in hypothesis.tokens if token != subwords.eos_id])
    return [found[place] for place in range(len(ids))]


def loss_with(asking: WithMemory, store: Datastore) -> float:
    """The mean loss of the tokens that follow given states, in nats."""
    total = 0.0
    for rows in torch.arange(len(store.keys)).split(4096):
        states = store.keys[rows]
        log_p = asking.mixed(asking.model.output(states).log_softmax(-1), states)
        total -= float(log_p.gather(1, store.values[rows, None]).sum())
    return total / len(store.keys)


@torch.no_grad()
def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Read the training pairs into a memory, and translate with it.

    Returns:
        ``keys``: tokens in the memory; ``bytes``: of its keys and values; ``loss`` by share; under ``greedy``,
        ``beam``, ``test`` and ``training`` ``bleu`` and ``chrf`` by share, with what `paired` gives against the first;
        ``own``: the translations of our sentences by share; ``seen``: the training sources that have the rare word;
        ``likeliest``: the mean weight of the token that most of the neighbours of a validation state were followed by,
        and how often it is the right one. ``tokens`` is 0.
    """
    c = configuration
    translator = Translator.from_pretrained(c["translator"])
    model, subwords = translator.model.eval(), translator.subwords
    corpus = corpora.load(c["corpus"])
    store = datastore_of(model, encode_pairs(corpus.train, subwords, model.config.max_len))
    around = Neighbourhoods(store.keys, c["lists"], seed)
    validation = corpus.validation[: c["sentences"]]
    asked = datastore_of(model, encode_pairs(validation, subwords, model.config.max_len))
    options = {name: c[name] for name in ("temperature", "neighbours", "probes")}
    memories = {share: WithMemory(model, around, store.values, share, **options).eval() for share in c["shares"]}
    step = max(1, len(corpus.train) // c["training_sentences"])
    read = {
        "greedy": (1, validation),
        "beam": (4, validation),
        "test": (4, corpus.test[: c["sentences"]]),
        "training": (1, corpus.train[::step][: c["training_sentences"]]),
    }
    found: dict[str, Any] = {
        "tokens": 0,
        "sentences": len(validation),
        "keys": len(store.keys),
        "bytes": sum(one.numel() * one.element_size() for one in (store.keys, store.values)),
        "loss": {str(share): loss_with(one, asked) for share, one in memories.items()},
        "likeliest": likeliest(memories[c["shares"][-1]], asked),
        "own": {str(share): translated(one, subwords, [*c["own"].values()], 1) for share, one in memories.items()},
        "seen": {word: sum(word in words(pair.source) for pair in corpus.train) for word in c["own"]},
    }
    for name, (beam_size, pairs) in read.items():
        texts = {
            str(share): translated(memories[share], subwords, [pair.source for pair in pairs], beam_size)
            for share in c["searched"][name]
        }
        scores = {share: bleu_and_chrf(each, [pair.references for pair in pairs]) for share, each in texts.items()}
        found[name] = {share: {"bleu": both.bleu, "chrf": both.chrf} for share, both in scores.items()}
        for share, tested in paired(texts, pairs, str(c["searched"][name][0]), c["bootstrap"]).items():
            found[name][share] |= tested
    return found


def likeliest(asking: WithMemory, store: Datastore) -> dict[str, float]:
    """Of the token that has most of the neighbours' weight: its mean ``weight``, and how often it is ``right``."""
    weight = right = 0.0
    for rows in torch.arange(len(store.keys)).split(4096):
        weights, tokens = asking.followed(store.keys[rows])
        dense = weights.new_zeros(len(rows), asking.config.vocab_size).scatter_add_(1, tokens, weights)
        most, token = dense.max(1)
        weight, right = weight + float(most.sum()), right + float((token == store.values[rows]).sum())
    return {"weight": weight / len(store.keys), "right": right / len(store.keys)}
