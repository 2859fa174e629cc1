"""What each head of the shipped translator does on sentences it was not trained on, and what removing it costs."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float

from ...analysis.ablation import KINDS, Head, attentions, heads_of, without_heads
from ...analysis.head_profiles import Profile, profile
from ...data.batching import Batch, Encoded, encode_pairs, padded_batch
from ...data.corpora import load
from ...data.subwords import Subwords
from ...models.transformer import Transformer
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator

QUESTION = "Do the heads of a trained translator differ, and what does the translator lose without each of them?"
CONFIGURATION = {
    "translator": "en-es",
    "corpus": "tatoeba-en-es",
    "split": "validation",
    "sentences": 500,
    "tokens_per_batch": 2000,
    "resamples": 1000,
    "bleu_heads": 3,
}
SEEDS = [1]


def named(head: Head) -> str:
    """A head as the result names it, such as ``cross/2/0``: kind, layer, head."""
    return "/".join(map(str, head))


def batches_of(encoded: Sequence[Encoded], tokens_per_batch: int) -> list[tuple[list[int], Batch]]:
    """Padded batches of sentences of like length, each with the places of its sentences.

    Args:
        encoded: pairs of pieces.
        tokens_per_batch: the largest padded size of a batch on either side.
    """
    groups: list[list[int]] = []
    for place in sorted(range(len(encoded)), key=lambda i: max(map(len, encoded[i]))):
        longest = max(map(len, encoded[place])) + 1
        if not groups or (len(groups[-1]) + 1) * longest > tokens_per_batch:
            groups.append([])
        groups[-1].append(place)
    return [(group, padded_batch([encoded[i] for i in group])) for group in groups]


@torch.inference_mode()
def losses(
    model: Transformer, batches: Iterable[tuple[list[int], Batch]], heads: Iterable[Head] = ()
) -> Float[np.ndarray, " sentences"]:
    """The loss of each sentence, summed over its tokens, in nats and without label smoothing.

    Args:
        model: in evaluation mode.
        batches: from `batches_of`.
        heads: which to remove meanwhile.
    """
    found: dict[int, float] = {}
    with without_heads(model, heads):
        for places, batch in batches:
            logits = model(batch.src, batch.tgt_in).float().transpose(1, 2)
            each = F.cross_entropy(logits, batch.tgt_out, ignore_index=Subwords.pad_id, reduction="none")
            found.update(zip(places, each.double().sum(dim=-1).tolist(), strict=True))
    return np.array([found[place] for place in range(len(found))])


@torch.inference_mode()
def profiles(model: Transformer, encoded: Sequence[Encoded]) -> dict[str, Profile]:
    """The profile of every head, by kind: each field n_layers × n_heads. Sentences go one by one, without padding."""
    weights = {kind: [] for kind in KINDS}
    for pair in encoded:
        batch = padded_batch([pair])
        for kind, stacked in model.attention_weights(batch.src, batch.tgt_in).items():
            weights[kind].append(stacked[:, 0])
    return {kind: profile(found, causal=kind == "decoder_self") for kind, found in weights.items()}


def resampled(
    differences: Float[np.ndarray, " sentences"], tokens: np.ndarray, resamples: int, seed: int
) -> tuple[float, float]:
    """The change of the loss per token, and its standard error by a paired bootstrap over sentences.

    Args:
        differences: for each sentence, its summed loss without the heads minus that with them.
        tokens: target tokens of each sentence.
        resamples: how often the sentences are drawn anew, with replacement.
        seed: of the draws; the same sentences are drawn for every head.
    """
    draws = np.random.default_rng(seed).integers(len(tokens), size=(resamples, len(tokens)))
    changes = differences[draws].sum(axis=1) / tokens[draws].sum(axis=1)
    return float(differences.sum() / tokens.sum()), float(changes.std(ddof=1))


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Profile every head and remove each, all of an attention but one, and all of an attention.

    Returns:
        ``loss``: of the whole model, nats per token. ``removed``, ``alone`` and ``silenced``: by head, by the head that
        is left, and by attention, ``[change of the loss per token, its standard error]``. ``profiles``: by kind and
        field, a list a layer; ``halves``: the same over every other sentence, twice; ``untrained``: the same for the
        same Transformer with random weights. ``bleu``: greedy BLEU with all heads, and without each of the most and
        least costly. ``tokens`` is 0: nothing is trained.
    """
    pairs = getattr(load(configuration["corpus"]), configuration["split"])[: configuration["sentences"]]
    translator = Translator.from_pretrained(configuration["translator"])
    model = translator.model.eval()
    encoded = encode_pairs(pairs, translator.subwords, model.config.max_len)
    batches = batches_of(encoded, configuration["tokens_per_batch"])
    tokens = np.array([len(target) + 1 for _, target in encoded])  # </s> is predicted too
    whole = losses(model, batches)

    def change(heads: Iterable[Head]) -> list[float]:
        differences = losses(model, batches, heads) - whole
        return [round(x, 6) for x in resampled(differences, tokens, configuration["resamples"], seed)]

    every = heads_of(model)
    removed = {named(head): change([head]) for head in every}
    alone = {named(head): change([h for h in every if h[:2] == head[:2] and h != head]) for head in every}
    places = attentions(model)
    silenced = {f"{kind}/{layer}": change([h for h in every if h[:2] == (kind, layer)]) for kind, layer in places}

    by_cost = sorted(every, key=lambda head: removed[named(head)][0])
    n = configuration["bleu_heads"]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        untrained = Transformer(model.config).eval()
    bleu = {"none": _bleu(translator, pairs)}
    for head in [*by_cost[:n], *by_cost[-n:]]:
        with without_heads(model, [head]):
            bleu[named(head)] = _bleu(translator, pairs)
    return {
        "tokens": 0,
        "target_tokens": int(tokens.sum()),
        "sentences": len(encoded),
        "loss": float(whole.sum() / tokens.sum()),
        "removed": removed,
        "alone": alone,
        "silenced": silenced,
        "profiles": _listed(profiles(model, encoded)),
        "halves": [_listed(profiles(model, encoded[start::2])) for start in (0, 1)],
        "untrained": _listed(profiles(untrained, encoded)),
        "bleu": bleu,
    }


def _bleu(translator: Translator, pairs: Sequence) -> float:
    translations = translator.translate([pair.source for pair in pairs], beam_size=1)
    return round(bleu_and_chrf(translations, [pair.references for pair in pairs]).bleu, 3)


def _listed(found: dict[str, Profile]) -> dict[str, dict[str, list]]:
    def rounded(numbers):
        return [[round(x, 5) for x in layer] for layer in numbers.tolist()]

    return {kind: {name: rounded(field) for name, field in one._asdict().items()} for kind, one in found.items()}
