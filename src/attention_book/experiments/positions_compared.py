"""Four ways to tell a translator where a word stands, trained on short sentences and examined on short and long ones.

The language is the little one, English to Spanish, whose entropy is known: no model loses less on average than the
floor. Training sees sentences of one and two clauses, up to a length. Of the longer sentences examined, those of two
clauses hold nothing that training lacked, except that they are longer; three and four clauses are new.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..batching import Encoded, token_batches
from ..config import TransformerConfig
from ..decoding import SearchModel, greedy_decode
from ..little_language import LittlePair, WordVocabulary, log_prob, mean_entropy, sample, word_vocabulary
from ..training import Trainer, TrainingSettings
from ..transformer import Transformer

QUESTION = "How well do sinusoidal, learned, rotary and no positions serve inside and beyond the training length?"
CONFIGURATION = {
    "kinds": ["none", "sinusoidal", "learned", "rotary"],
    "target": "es",
    "preset": "tiny",
    "dropout": 0.0,
    "max_len": 128,
    "drawn": 20_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "longest": 16,
    "training": {"tokens": 500_000, "tokens_per_batch": 400, "peak_rate": 4e-3, "smoothing": 0.0},
    "groups": {
        "4–8": [4, 8, 1],
        "9–12": [9, 12, 2],
        "13–16": [13, 16, 2],
        "17–20": [17, 20, 2],
        "21–24": [21, 24, 2],
        "25–32": [25, 32, 3],
        "33–40": [33, 40, 4],
    },
    "examined": 120,
}
"""``longest`` and the ``groups`` [shortest, longest, clauses] count tokens of the longer side, ``</s>`` included."""
SEEDS = [0, 1, 2, 3, 4]


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


def train(kind: str, pairs: Sequence[LittlePair], seed: int, configuration: dict[str, Any]) -> tuple[Transformer, int]:
    """A model with positions of one kind, and the target tokens that it was trained on."""
    words = word_vocabulary(configuration["target"])
    sizes = {"dropout": configuration["dropout"], "max_len": configuration["max_len"]}
    config = getattr(TransformerConfig, configuration["preset"])(len(words), positions=kind, **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
        settings = TrainingSettings(seed=seed, **configuration["training"])
        trainer = Trainer(model, encoded(pairs, words), settings)
        trainer.run(progress=False)
    return model.eval(), trainer.tokens


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


def examine(
    model: Transformer, groups: dict[str, list[LittlePair]], configuration: dict[str, Any]
) -> dict[str, list[float]]:
    """Loss a token and share of right sentences for each group; and the loss at each target position of long pairs."""
    words = word_vocabulary(configuration["target"])
    losses = {name: token_losses(model, pairs, words) for name, pairs in groups.items()}
    beyond = [name for name, (shortest, *_) in configuration["groups"].items() if shortest > configuration["longest"]]
    width = max(losses[name].shape[1] for name in beyond)
    long = torch.cat(
        [torch.nn.functional.pad(losses[n], (0, width - losses[n].shape[1]), value=torch.nan) for n in beyond]
    )
    shared = (~long.isnan()).sum(0) >= configuration["examined"]  # positions that enough sentences reach
    return {
        "loss": [round(values.nanmean().item(), 5) for values in losses.values()],
        "right": [share_right(model, pairs, words) for pairs in groups.values()],
        "at_position": [round(value, 5) for value in long[:, shared].nanmean(0).tolist()],
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train each kind on the same pairs from the same other parameters, and examine it.

    Returns:
        ``floor``: for each group the entropy of the target given the source, in nats a token; ``pairs``: how many were
        trained on; for each kind ``KIND_loss``, ``KIND_right``, ``KIND_at_position`` from :func:`examine`; and for the
        learned positions the mean length of the trained vectors and of those that training never reached, and
        ``cut_loss``: the losses when the latter are set to zero.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs = training_pairs(seed, configuration)
        groups = examined_pairs(seed, pairs, configuration)
        metrics: dict[str, Any] = {
            "pairs": len(pairs),
            "floor": [round(mean_entropy(group).per_token, 5) for group in groups.values()],
        }
        tokens = 0
        for kind in configuration["kinds"]:
            model, spent = train(kind, pairs, seed, configuration)
            tokens += spent
            found = examine(model, groups, configuration)
            metrics |= {f"{kind}_{name}": values for name, values in found.items()}
            if kind == "learned":
                metrics |= _untrained(model, groups, configuration)
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}


@torch.no_grad()
def _untrained(
    model: Transformer, groups: dict[str, list[LittlePair]], configuration: dict[str, Any]
) -> dict[str, float | list[float]]:
    """How long learned vectors are inside and beyond the training length, and the loss without the latter."""
    norms, reached = model.positions.norm(dim=-1), configuration["longest"]
    metrics: dict[str, float | list[float]] = {
        "norm_inside": round(norms[:reached].mean().item(), 5),
        "norm_beyond": round(norms[reached:].mean().item(), 5),
    }
    model.positions[reached:] = 0
    words = word_vocabulary(configuration["target"])
    cut = [token_losses(model, group, words).nanmean().item() for group in groups.values()]
    return metrics | {"cut_loss": [round(loss, 5) for loss in cut]}
