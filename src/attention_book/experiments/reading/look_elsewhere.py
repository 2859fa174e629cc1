r"""Can a translator be trained that is as good as another one, and looks elsewhere?

Every model has one row of cross-attention per target word (:mod:`attention_book.experiments.pointed_attention`). The
``first`` is trained as usual; ``again`` differs from it in the first parameters only; ``away`` starts where the first
started and is trained on the same batches, but pays for looking at what the first looks at: to the cross-entropy
is added :math:`\lambda` times the mean overlap of its rows with the first's (after Wiegreffe and Pinter 2019, section
4); ``even`` has to give every source word the same weight. The finished first model is also given other weights.
"""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ...data.batching import Batch, token_batches
from ...little_language.language import LittlePair, WordVocabulary, mean_entropy, pair_for
from ...models.transformer import Memory, Transformer
from ...training.losses import label_smoothed_cross_entropy
from ...training.schedules import warmup_then_decay
from ...training.trainer import Trainer, TrainingSettings
from ...translation.decoding import greedy_decode
from ..little_language_study import encoded, share_right, token_losses, tokens
from ..pointed_attention import even, one_row_transformer, overlap, pointed

QUESTION = "Can a translator be as good as another one and give its weights to other words?"
CONFIGURATION = {
    "arms": {"first": {}, "again": {"start": 1_000}, "away": {"push": 1.0}, "even": {"even": True}},
    "target": "es",
    "preset": "tiny",
    "model": {"dropout": 0.0, "max_len": 64},
    "training": {"tokens": 100_000, "tokens_per_batch": 300, "peak_rate": 4e-3, "warmup": 0.04, "smoothing": 0.0},
    "subjects": ["My brother", "My sister", "My friend", "My brothers", "My sisters", "My friends", "Tom", "Maria"],
    "verbs": ["buy", "sell", "need", "see"],
    "adjectives": ["", "black", "white", "red", "blue", "green", "yellow", "big", "small", "new"],
    "nouns": [
        {"hat": "sombrero", "coat": "abrigo"},
        {"hats": "sombreros", "coats": "abrigos"},
        {"shirt": "camisa", "house": "casa", "table": "mesa", "chair": "silla"},
        {"shirts": "camisas", "houses": "casas", "tables": "mesas", "chairs": "sillas"},
        {"cat": "gato", "dog": "perro", "horse": "caballo"},
        {"cats": "gatos", "dogs": "perros", "horses": "caballos"},
    ],
    "trained": 1_200,
    "examined": 200,
    "margin": 0.05,
    "example": "My brother sees a white cat.",
}
"""An arm says what it changes. ``nouns`` are groups of words that can stand for each other, with their translations.
``margin``, in nats per token, was fixed before the run: models whose losses differ by less are called equally good."""
SEEDS = [0, 1, 2, 3, 4]


@cache
def _drawn(settings: str) -> tuple[LittlePair, ...]:
    """As many different pairs as a seed trains on and is examined on, the same for all seeds."""
    lists, draw, found = json.loads(settings), random.Random("look elsewhere"), {}
    while len(found) < lists["trained"] + lists["examined"]:
        nouns, subject, verb = draw.choice(lists["nouns"]), draw.choice(lists["subjects"]), draw.choice(lists["verbs"])
        noun, several = draw.choice(list(nouns)), subject.startswith("My") and subject.endswith("s")
        number = draw.choice(["the", "two", "three"] if noun.endswith("s") else ["a", "the"])
        if draw.random() < 0.3:
            verb = f"{'do' if several else 'does'} not {verb}"
        else:
            verb += "" if several else "s"
        words = (subject, verb, number, draw.choice(lists["adjectives"]), noun)
        source = " ".join(word for word in words if word) + "."
        if source == lists["example"] or source in found:
            continue
        try:
            found[source] = pair_for(source, lists["target"])
        except ValueError:  # not a sentence of the language: nobody sees a coat in it
            continue
    return tuple(found.values())


def sentences(seed: int, configuration: dict[str, Any]) -> tuple[list[LittlePair], list[LittlePair], WordVocabulary]:
    """Pairs to train on, other pairs to examine a model on, and the vocabulary of both.

    Every sentence says who buys, sells, needs or sees what, or does not. Such a sentence of the little language has one
    translation, so that a model can be right in all of them. The example is in neither part.

    Args:
        seed: all seeds have the same sentences, and divide them differently.
        configuration: as :data:`CONFIGURATION`.
    """
    names = ("subjects", "verbs", "adjectives", "nouns", "trained", "examined", "example", "target")
    drawn = list(_drawn(json.dumps({name: configuration[name] for name in names})))
    words = WordVocabulary.train(text for pair in drawn for text in (pair.source, pair.target))
    random.Random(seed).shuffle(drawn)
    return drawn[: configuration["trained"]], drawn[configuration["trained"] :], words


class PushedTrainer(Trainer):
    """A trainer that adds the overlap with another model's cross-attention weights to the loss.

    Attributes:
        other: the model whose weights are to be avoided, one of :func:`one_row_transformer`; None for no term.
        push: the factor λ of the term.
    """

    other: Transformer | None = None
    push: float = 0.0

    def train_step(self, batch: Batch) -> float:
        """One update; returns the cross-entropy in nats per token, without the term."""
        s = self.settings
        rate = warmup_then_decay(self.tokens + batch.target_tokens, s.tokens, s.warmup * s.tokens, s.peak_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = label_smoothed_cross_entropy(self.model(batch.src, batch.tgt_in), batch.tgt_out, s.smoothing)
        value = loss.item()
        if self.other is not None:
            shared = overlap(pointed(self.model).seen, weights_of(self.other, batch))[:, 0]  # (batch, tgt_len)
            loss = loss + self.push * shared[batch.tgt_out != self.model.config.pad_id].mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), s.clip)
        self.optimizer.step()
        return value


@torch.no_grad()
def weights_of(model: Transformer, batch: Batch) -> Tensor:
    """The cross-attention weights of a model on a batch, (batch, 1, tgt_len, src_len)."""
    model(batch.src, batch.tgt_in)
    return pointed(model).seen


def train(
    arm: dict[str, Any],
    pairs: Sequence[LittlePair],
    words: WordVocabulary,
    seed: int,
    configuration: dict[str, Any],
    other: Transformer | None,
) -> tuple[Transformer, int]:
    """A trained model of an arm, and the target tokens that it was trained on.

    Args:
        arm: what it changes: another ``start``, a ``push`` away from ``other``, or ``even`` weights.
        pairs: to train on.
        words: the vocabulary of both languages.
        seed: of the start and of the batches.
        configuration: as :data:`CONFIGURATION`.
        other: the model to be pushed away from; not used without ``push``.
    """
    start = seed + arm.get("start", 0)
    model = one_row_transformer(configuration["preset"], len(words), start, **configuration["model"])
    if arm.get("even"):
        pointed(model).given = even
    trainer = PushedTrainer(model, encoded(pairs, words), TrainingSettings(seed=seed, **configuration["training"]))
    if "push" in arm:
        trainer.other, trainer.push = other, arm["push"]
    trainer.run(progress=False)
    return model.eval(), trainer.tokens


class Compared(NamedTuple):
    """How far a model is from the first one, per target token.

    Attributes:
        weights: mean total variation distance of the rows of weights.
        predictions: mean total variation distance of the probabilities of the next word.
        same_top: share of the rows whose largest weight is on the same source token.
        same_word: share of the tokens for which both find the same word the most probable.
    """

    weights: float
    predictions: float
    same_top: float
    same_word: float


def examined_batches(pairs: Sequence[LittlePair], words: WordVocabulary) -> Iterator[Batch]:
    """The pairs to examine a model on, the same batches each time."""
    yield from token_batches(encoded(pairs, words), 2000, seed=0, epoch=0)


@torch.inference_mode()
def compare(first: Transformer, other: Transformer, pairs: Sequence[LittlePair], words: WordVocabulary) -> Compared:
    """How far apart two models are, the true words given before each target token."""
    found = []
    for batch in examined_batches(pairs, words):
        real = batch.tgt_out != words.pad_id
        p, q = (model(batch.src, batch.tgt_in).softmax(-1)[real] for model in (first, other))
        a, b = (pointed(model).seen[:, 0][real] for model in (first, other))
        same = (a.argmax(-1) == b.argmax(-1)).float(), (p.argmax(-1) == q.argmax(-1)).float()
        found.append(torch.stack([1 - overlap(a, b), 1 - overlap(p, q), *same]))
    return Compared(*(round(value, 5) for value in torch.cat(found, dim=1).double().mean(dim=1).tolist()))


@torch.inference_mode()
def loss_with_weights(
    model: Transformer, pairs: Sequence[LittlePair], words: WordVocabulary, source: Transformer | None
) -> float:
    """The loss of a finished model that has to use the weights of another one, or even ones if that is None."""
    attention, total, count = pointed(model), 0.0, 0
    for batch in examined_batches(pairs, words):
        weights = None if source is None else weights_of(source, batch)
        attention.given = even if weights is None else lambda own, mask, weights=weights: weights
        try:
            loss = label_smoothed_cross_entropy(model(batch.src, batch.tgt_in), batch.tgt_out, 0.0)
        finally:
            attention.given = None
        total, count = total + loss.item() * batch.target_tokens, count + batch.target_tokens
    return round(total / count, 5)


class Exchange(NamedTuple):
    """A sentence in which one source word can be exchanged for another one.

    Attributes:
        source: the words of the source.
        place: of the word that is exchanged.
        word: what is put there.
        target: the words of the target before the word's translation.
        kept, changed: the translations of the word and of the one put there.
    """

    source: list[str]
    place: int
    word: str
    target: list[str]
    kept: str
    changed: str


def exchanges(pairs: Sequence[LittlePair], words: WordVocabulary, groups: list[dict[str, str]]) -> list[Exchange]:
    """One exchange for each pair that holds a word of a group once on each side."""
    found = []
    for pair in pairs:
        source, target = tokens(pair, words)
        for group in groups:
            held = [word for word in group if source.count(word) == 1 and target.count(group[word]) == 1]
            if held:
                names = list(group)
                other = names[(names.index(held[0]) + 1) % len(names)]
                before = target[: target.index(group[held[0]])]
                place = source.index(held[0])
                found.append(Exchange(source, place, other, before, group[held[0]], group[other]))
                break
    return found


@torch.inference_mode()
def who_tells(model: Transformer, exchanged: Sequence[Exchange], words: WordVocabulary) -> dict[str, float | int]:
    """Whose encoder vector tells the decoder which noun to write: the noun's own one, or the others?

    The encoder reads the sentence and the one with the exchanged word. The decoder is given the vectors of the first
    with some of them taken from the second, and the true words before the noun's translation. Counted are the sentences
    in which the model prefers the right translation of the two with the vectors of either sentence.

    Returns:
        ``counted``: these sentences; ``own``: the share of them in which the translation follows the exchanged word if
        the vector at its place is exchanged; ``others``: the same if all vectors but that one are; ``own_weight``: the
        mean weight on that place in all sentences.
    """
    ids = lambda texts: [words.encode(text)[0] for text in texts]  # noqa: E731
    followed, weights = [], []
    for source, place, word, before, kept, changed in exchanged:
        both = torch.tensor([[*ids(source), words.eos_id]] * 2)
        both[1, place] = ids([word])[0]
        states, mask = (memory := model.encode(both)).states, memory.mask[:1]
        own = torch.zeros(both.shape[1], 1, dtype=torch.bool)
        own[place] = True
        tgt = torch.tensor([[words.bos_id, *ids(before)]])
        mixtures = states[0], states[1], torch.where(own, states[1], states[0]), torch.where(own, *states)
        odds = []
        for mixed in mixtures:
            logits = model.decode(tgt, Memory(mixed[None], mask))[0, -1]
            odds.append(float(logits[ids([kept])[0]] - logits[ids([changed])[0]]))
            weights += [float(pointed(model).seen[0, 0, -1, place])] if len(odds) == 1 else []
        if odds[0] > 0 > odds[1]:
            followed.append([odds[2] < 0, odds[3] < 0])
    if not followed:
        return {"counted": 0, "own": 0.0, "others": 0.0, "own_weight": sum(weights) / max(1, len(weights))}
    own, others = torch.tensor(followed).double().mean(dim=0).tolist()
    return {
        "counted": len(followed),
        "own": round(own, 5),
        "others": round(others, 5),
        "own_weight": round(sum(weights) / len(weights), 5),
    }


@torch.inference_mode()
def look(model: Transformer, source: str, words: WordVocabulary) -> dict[str, Any]:
    """What a model makes of one sentence by itself: the words it writes, and the row of weights before each of them."""
    src = torch.tensor([[*words.encode(source), words.eos_id]])
    written = greedy_decode(model, src, max_len=24)[0].tokens
    model(src, torch.tensor([[words.bos_id, *written[:-1]]]))
    rows = pointed(model).seen[0, 0].tolist()
    return {"words": words.tokens(written), "weights": [[round(weight, 4) for weight in row] for row in rows]}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm on the same pairs, and examine it on the same new ones.

    Returns:
        ``floor``: the entropy of the examined targets given their sources, in nats per token; for each arm ``ARM/loss``
        and ``ARM/right``; what :func:`who_tells` finds as ``ARM/counted`` and so on; for all but the first ``ARM/WHAT``
        of :class:`Compared`; ``first/loss_even``, ``first/loss_again`` and ``first/loss_away``: the loss of the first
        model with even weights and with those of two others, ``away/loss_first`` the other way round; ``looks``: what
        the first and the one pushed away make of the example.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs, new, words = sentences(seed, configuration)
        exchanged = exchanges(new, words, configuration["nouns"])
        metrics: dict[str, Any] = {"pairs": len(pairs), "floor": round(mean_entropy(new).per_token, 5)}
        models, spent = {}, 0
        for name, arm in configuration["arms"].items():
            models[name], tokens_done = train(arm, pairs, words, seed, configuration, models.get("first"))
            spent += tokens_done
            found = {"loss": round(token_losses(models[name], new, words).nanmean().item(), 5)}
            found |= {"right": share_right(models[name], new, words)} | who_tells(models[name], exchanged, words)
            if name != "first":
                found |= compare(models["first"], models[name], new, words)._asdict()
            metrics |= {f"{name}/{what}": value for what, value in found.items()}
        first, away = models["first"], models["away"]
        metrics["first/loss_even"] = loss_with_weights(first, new, words, None)
        metrics["first/loss_again"] = loss_with_weights(first, new, words, models["again"])
        metrics["first/loss_away"] = loss_with_weights(first, new, words, away)
        metrics["away/loss_first"] = loss_with_weights(away, new, words, first)
        metrics["looks"] = {name: look(models[name], configuration["example"], words) for name in ("first", "away")}
    finally:
        torch.set_num_threads(threads)
    return {"tokens": spent, **metrics}
