"""What several experiments on the little language share: pairs by length, and how a model is examined on them."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..data.batching import Encoded, token_batches
from ..little_language.language import LittlePair, WordVocabulary, log_prob, sample
from ..translation.decoding import SearchModel, greedy_decode


def length(pair: LittlePair) -> int:
    """Tokens of the longer side, ``</s>`` included: the positions that the pair needs."""
    return max(len(pair.source_words), len(pair.target_words)) + 1


def encoded(pairs: Sequence[LittlePair], words: WordVocabulary) -> list[Encoded]:
    """The ids of each pair, without ``<s>`` and ``</s>``."""
    return [(words.encode(pair.source), words.encode(pair.target)) for pair in pairs]


def training_pairs(seed: int, configuration: dict[str, Any]) -> list[LittlePair]:
    """Pairs of one and two clauses, those that are longer than the training length left out."""
    clauses = {int(number): share for number, share in configuration["clauses"].items()}
    drawn = sample(configuration["drawn"], seed, configuration["target"], clauses)
    return [pair for pair in drawn if length(pair) <= configuration["longest"]]


def examined_pairs(seed: int, seen: Sequence[LittlePair], configuration: dict[str, Any]) -> dict[str, list[LittlePair]]:
    """Pairs of each group whose English side is in no training pair."""
    groups, exclude = {}, {pair.source for pair in seen}
    for name, (shortest, longest, clauses) in configuration["groups"].items():
        found: list[LittlePair] = []
        part = 0
        while len(found) < configuration["examined"]:
            drawn = sample(500, 1_000 * (seed + 1) + part, configuration["target"], clauses, exclude)
            found += [pair for pair in drawn if shortest <= length(pair) <= longest]
            part += 1
        groups[name] = found[: configuration["examined"]]
    return groups


@torch.inference_mode()
def token_losses(
    model: Callable[[Tensor, Tensor], Tensor], pairs: Sequence[LittlePair], words: WordVocabulary
) -> Float[Tensor, "pairs tgt_len"]:
    """The loss of each target token given the true prefix, in nats; NaN after the end. The pairs come sorted anew."""
    batches = token_batches(encoded(pairs, words), 2000, seed=0, epoch=0)
    longest = max(length(pair) for pair in pairs)
    rows = []
    for batch in batches:
        log_probs = model(batch.src, batch.tgt_in).log_softmax(-1)
        losses = -log_probs.gather(-1, batch.tgt_out[..., None])[..., 0]
        losses = losses.masked_fill(batch.tgt_out == words.pad_id, torch.nan)
        rows.append(torch.nn.functional.pad(losses, (0, longest - losses.shape[1]), value=torch.nan))
    return torch.cat(rows)


def share_right(model: SearchModel, pairs: Sequence[LittlePair], words: WordVocabulary) -> float:
    """How many sentences the model, writing alone, turns into one of their translations, whichever it is."""
    ids = [torch.tensor([*words.encode(pair.source), words.eos_id]) for pair in pairs]
    src = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=words.pad_id)
    found = greedy_decode(model, src, max_len=max(length(pair) for pair in pairs) + 8)
    right = 0
    for pair, hypothesis in zip(pairs, found, strict=True):
        ended = hypothesis.tokens[-1] == words.eos_id
        right += ended and log_prob(pair.source, words.decode(hypothesis.tokens), pair.target_lang) > -torch.inf
    return right / len(pairs)


def tokens(pair: LittlePair, vocabulary: WordVocabulary) -> tuple[list[str], list[str]]:
    """The words of both sides, a sentence's first word without its capital; positions are those of the gold links."""
    return vocabulary.tokens(vocabulary.encode(pair.source)), vocabulary.tokens(vocabulary.encode(pair.target))
