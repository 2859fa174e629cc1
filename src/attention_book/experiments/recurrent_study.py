"""Recurrent translators of the little language under study: drawn pairs, one recipe, and what is looked at afterwards.

Two experiments train on the same pairs by the same recipe, so that their curves can be drawn in one figure:
``bottleneck`` (no attention) and ``scores-compared`` (four scores).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ..data.batching import Batch, token_batches
from ..little_language.language import LittlePair, WordVocabulary, word_vocabulary
from ..models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from ..training.trainer import Trainer, TrainingSettings
from ..translation.evaluation import Alignment, alignment_error_rate
from .little_language_study import encoded, share_right, token_losses

DATA = {
    "target": "es",
    "drawn": 20_000,
    "clauses": {"1": 0.6, "2": 0.4},
    "longest": 16,
    "groups": {
        "4–5": [4, 5, 1],
        "6–8": [6, 8, 1],
        "9–10": [9, 10, 2],
        "11–12": [11, 12, 2],
        "13–16": [13, 16, 2],
        "17–20": [17, 20, 2],
    },
    "examined": 100,
}
"""``longest`` and the ``groups`` [shortest, longest, clauses] count tokens of the longer side, ``</s>`` included: the
last group is longer than anything trained on."""
RECIPE = {"tokens": 700_000, "tokens_per_batch": 300, "peak_rate": 2e-3, "smoothing": 0.0}


def train(
    setting: dict[str, Any], pairs: Sequence[LittlePair], seed: int, target: str, recipe: dict[str, Any]
) -> tuple[RecurrentEncoderDecoder, Trainer]:
    """A model trained on pairs.

    Args:
        setting: fields of :class:`attention_book.models.recurrent.RecurrentConfig` that differ from those of ``tiny``;
            ``width`` stands for the widths of embeddings, decoder states and attention together.
        pairs: to train on.
        seed: of the start and of the batches.
        target: the language of the target.
        recipe: fields of :class:`attention_book.training.trainer.TrainingSettings`.
    """
    words = word_vocabulary(target)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = RecurrentEncoderDecoder(shape(setting, len(words)))
        trainer = Trainer(model, encoded(pairs, words), TrainingSettings(seed=seed, **recipe))
        trainer.run(progress=False)
    return model.eval(), trainer


def shape(setting: dict[str, Any], vocab_size: int) -> RecurrentConfig:
    """The configuration of a setting: decoder states as wide as the encoder's, both directions together."""
    fields = dict(setting)
    if width := fields.pop("width", None):
        directions = 2 if fields.get("bidirectional", True) else 1
        fields |= {"decoder_width": width, "encoder_width": width // directions, "d_attention": width}
    return RecurrentConfig.tiny(vocab_size, **fields)


def by_length(
    model: RecurrentEncoderDecoder, groups: dict[str, list[LittlePair]], words: WordVocabulary
) -> dict[str, list[float]]:
    """Loss a token, in nats, and the share of sentences translated right by the model alone, for each group."""
    return {
        "loss": [round(token_losses(model, pairs, words).nanmean().item(), 5) for pairs in groups.values()],
        "right": [share_right(model, pairs, words) for pairs in groups.values()],
    }


@torch.inference_mode()
def strongest_links(
    model: RecurrentEncoderDecoder, pairs: Sequence[LittlePair], words: WordVocabulary
) -> list[Alignment]:
    """For each pair the links (source word, target word) of the largest weights, the true target fed to the model.

    A target word is linked to the source word that its row of weights is largest on; if that is ``</s>``, to none. The
    row of ``</s>`` is left out: gold alignments link words.
    """
    found = []
    for pair in pairs:
        src, tgt = words.encode(pair.source), words.encode(pair.target)
        weights = model.attention_weights(torch.tensor([[*src, words.eos_id]]), torch.tensor([[words.bos_id, *tgt]]))[
            "cross"
        ][0, 0, 0]
        strongest = weights[: len(tgt)].argmax(dim=-1).tolist()
        found.append(frozenset((i, j) for j, i in enumerate(strongest) if i < len(src)))
    return found


def alignment_metrics(
    model: RecurrentEncoderDecoder, pairs: Sequence[LittlePair], words: WordVocabulary
) -> dict[str, float]:
    """Precision, recall and error rate of :func:`strongest_links` against the gold alignments."""
    scores = alignment_error_rate(strongest_links(model, pairs, words), [pair.alignment for pair in pairs])
    return {"precision": scores.precision, "recall": scores.recall, "error_rate": scores.error_rate}


@torch.inference_mode()
def weights_and_scores(
    model: RecurrentEncoderDecoder, pairs: Sequence[LittlePair], words: WordVocabulary
) -> dict[str, float]:
    """How large a trained model's scores are, and how sharp its weights.

    Returns:
        ``score_deviation``: the standard deviation of a row's scores, averaged over rows; ``entropy``: that of a row
        of weights, in nats, averaged; ``largest``: the mean largest weight.
    """
    recorded: list[Tensor] = []
    handle = model.score.register_forward_hook(lambda module, given, scores: recorded.append(scores))
    try:
        deviations, entropies, largest = [], [], []
        for batch in token_batches(encoded(pairs, words), 2000, seed=0, epoch=0):
            recorded.clear()
            weights = model.attention_weights(batch.src, batch.tgt_in)["cross"][0, :, 0]
            rows = _real_rows(batch, words)
            scores = torch.cat(recorded, dim=1).masked_fill(batch.src[:, None] == words.pad_id, torch.nan)[rows]
            mean = scores.nanmean(-1, keepdim=True)
            deviations.append((scores - mean).square().nanmean(-1).sqrt())
            entropies.append(torch.special.entr(weights[rows]).sum(-1))
            largest.append(weights[rows].amax(-1))
    finally:
        handle.remove()
    return {
        "score_deviation": torch.cat(deviations).mean().item(),
        "entropy": torch.cat(entropies).mean().item(),
        "largest": torch.cat(largest).mean().item(),
    }


def _real_rows(batch: Batch, words: WordVocabulary) -> Tensor:
    return batch.tgt_out != words.pad_id


def parameters(model: nn.Module) -> int:
    """How many numbers a model learns."""
    return sum(parameter.numel() for parameter in model.parameters())
