"""An encoder that learned to fill gaps, then a task with few labels: does the verb agree with its subject?

Sentences are of one clause, in English only. The encoder first reads them with gaps, and no label is given. Then it is
trained further on labelled sentences, and so is an encoder of the same size that starts from random numbers.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ...little_language.agreement import FORMS, Judged, judged_sentences
from ...little_language.gaps import GAP, Gaps, gap_probabilities, gap_vocabulary
from ...little_language.language import sample
from ...models.config import TransformerConfig
from ...models.one_stack.encoder_only import EncoderOnly, SentenceLabeller
from ...training.gap_filling import GapRecipe, gap_loss, make_gaps
from ...training.schedules import warmup_then_decay

QUESTION = "What does an encoder learn from filling gaps, and how many labels does that save?"
CONFIGURATION = {
    "preset": "tiny",
    "sentences": 8000,
    "gap_steps": 1500,
    "gap_batch": 64,
    "gap_rate": 2e-3,
    "shown": [0.8, 0.1],
    "examined": 300,
    "labelled": [64, 128, 256, 512, 1024],
    "label_steps": 300,
    "label_batch": 32,
    "label_rate": 1e-3,
    "probe_rate": 1e-2,
    "label_tests": 1000,
    "asked": ["<mask> like cats.", "I <mask> cats.", "The <mask> likes cats.", "The girls <mask> letters at night."],
}
SEEDS = [1, 2, 3, 4, 5]
VOCABULARY = gap_vocabulary()
GAP_ID = VOCABULARY.encode(GAP)[0]
Tokens = Int[Tensor, "batch length"]


def padded(rows: Sequence[Sequence[int]]) -> Tokens:
    """Rows of ids side by side, filled up with padding."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def recipe(hidden: float, replaced: float) -> GapRecipe:
    """15 % of the words as gaps, shown as the shares say; others are drawn from behind the mark in the vocabulary."""
    return GapRecipe(GAP_ID, (GAP_ID + 1, len(VOCABULARY)), hidden=hidden, replaced=replaced)


def encoder(preset: str, seed: int) -> EncoderOnly:
    """An encoder as it starts, whatever was drawn before."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return EncoderOnly(getattr(TransformerConfig, preset)(len(VOCABULARY), dropout=0.0, max_len=32))


def fit(parameters: Sequence[Tensor], loss_of_step: Callable[[], Tensor], steps: int, peak: float) -> None:
    """AdamW with a short rise of the learning rate and a long fall."""
    optimizer = torch.optim.AdamW(parameters, lr=peak, weight_decay=0.01, fused=True)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = warmup_then_decay(step + 1, steps + 1, 0.05 * steps, peak)
        optimizer.zero_grad()
        loss_of_step().backward()
        optimizer.step()


def batch_of(
    ids: Tokens, size: int, generator: torch.Generator
) -> tuple[Int[Tensor, " size"], Int[Tensor, "size longest"]]:
    """Some rows, drawn evenly, and their sentences without columns that hold only padding."""
    rows = torch.randint(len(ids), (size,), generator=generator)
    longest = int((ids[rows] != 0).sum(dim=1).max())
    return rows, ids[rows, :longest]


def fill_gaps(model: EncoderOnly, ids: Tokens, shares: Sequence[float], seed: int, c: dict[str, Any]) -> None:
    """Train an encoder on sentences with gaps."""
    generator, how = torch.Generator().manual_seed(seed), recipe(*shares)

    def loss() -> Tensor:
        shown, wanted = make_gaps(batch_of(ids, c["gap_batch"], generator)[1], how, generator)
        return gap_loss(model(shown), wanted)

    fit(list(model.parameters()), loss, c["gap_steps"], c["gap_rate"])
    model.eval()


def examine_gaps(model: nn.Module, ids: Tokens, seed: int) -> dict[str, float]:
    """The mean loss per gap of a model, of the grammar, and of the grammar if it sees the left side alone.

    All gaps show their mark, so that what is seen is true, and no model can be better than the grammar on average.

    Returns:
        ``gap_loss``, ``floor`` and ``floor_left``, in nats, and the number of ``gaps``. For ``floor_left``, the length
        of the sentence is known, too. A decoder does not know it, so its floor is no lower.
    """
    shown, wanted = make_gaps(ids, recipe(1.0, 0.0), torch.Generator().manual_seed(seed))
    places = (wanted > 0).nonzero().tolist()
    found = dict.fromkeys(("floor", "floor_left"), 0.0)
    for row, at in places:
        words = VOCABULARY.tokens(shown[row][shown[row] > 0].tolist())
        true = int(wanted[row, at])
        left = [*words[:at], *[GAP] * (len(words) - at)]
        for name, seen in (("floor", words), ("floor_left", left)):
            sums = Gaps(seen, at).total()
            found[name] -= math.log(sums[true] / sums.sum()) / len(places)
    with torch.inference_mode():
        found["gap_loss"] = gap_loss(model(shown), wanted).item()
    return found | {"gaps": len(places)}


def sentence_ids(judged: Sequence[Judged]) -> tuple[Tokens, Int[Tensor, " sentences"]]:
    """The words of some sentences, and for each whether its verb agrees."""
    ids = padded([[VOCABULARY.encode(word)[0] for word in one.words] for one in judged])
    return ids, torch.tensor([int(one.agrees) for one in judged])


class WordCounter(nn.Module):
    """A label from how often each word occurs, in whatever order: logistic regression on counts."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(len(VOCABULARY), 2)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tokens) -> Float[Tensor, "batch 2"]:
        """Logits of the labels."""
        counts = F.one_hot(ids, len(VOCABULARY)).sum(dim=1).float()
        counts[:, 0] = 0.0  # of the padding
        return self.head(counts)


def share_right(model: nn.Module, ids: Tokens, labels: Int[Tensor, " sentences"]) -> float:
    """How many sentences get their label."""
    with torch.inference_mode():
        return (model.eval()(ids).argmax(-1) == labels).float().mean().item()


def learn_labels(
    model: nn.Module, ids: Tokens, labels: Int[Tensor, " sentences"], seed: int, rate: float, c: dict[str, Any]
) -> nn.Module:
    """Train whatever gives labels on some labelled sentences."""
    generator = torch.Generator().manual_seed(seed)
    model.train()

    def loss() -> Tensor:
        rows, sentences = batch_of(ids, c["label_batch"], generator)
        return F.cross_entropy(model(sentences), labels[rows])

    trained = model.head if getattr(model, "frozen", False) else model
    fit(list(trained.parameters()), loss, c["label_steps"], rate)
    return model


@torch.inference_mode()
def judged_without_labels(model: nn.Module, judged: Sequence[Judged]) -> float:
    """The share of right judgements if the verb is hidden and the likeliest of its forms is held against what stood."""
    ids, labels = sentence_ids(judged)
    at = torch.tensor([one.at for one in judged])
    ids[torch.arange(len(ids)), at] = GAP_ID
    logits = model(ids)[torch.arange(len(ids)), at]
    right: Bool[Tensor, " sentences"] = torch.zeros(len(ids), dtype=torch.bool)
    for n, one in enumerate(judged):
        forms = FORMS[one.words[one.at]]
        scores = logits[n, [VOCABULARY.encode(form)[0] for form in forms]]
        right[n] = (forms[int(scores.argmax())] == one.words[one.at]) == bool(labels[n])
    return right.float().mean().item()


@torch.inference_mode()
def guesses(model: EncoderOnly, sentences: Sequence[str]) -> dict[str, list[list[Any]]]:
    """For each sentence with one gap: words with their exact probability and the encoder's, as [word, exact, guess]."""
    found = {}
    for sentence in sentences:
        ids = torch.tensor([VOCABULARY.encode(sentence)])
        row = model(ids)[0, ids[0].tolist().index(GAP_ID)].softmax(-1)
        exact = gap_probabilities(sentence)
        likely = [VOCABULARY.tokens([n])[0] for n in row.topk(5).indices.tolist()]
        words = list(dict.fromkeys([*list(exact)[:5], *likely]))
        by_id = {word: row[VOCABULARY.encode(word)[0]].item() for word in words}
        found[sentence] = [[word, round(exact.get(word, 0.0), 5), round(by_id[word], 5)] for word in words]
    return found


def gap_filler(seed: int, c: dict[str, Any]) -> tuple[EncoderOnly, Tokens, set[str]]:
    """An encoder that was trained to fill gaps, the ids of its sentences, and the sentences."""
    pairs = sample(c["sentences"], 10 * seed, clauses=1)
    corpus = padded([VOCABULARY.encode(pair.source) for pair in pairs])
    model = encoder(c["preset"], seed)
    fill_gaps(model, corpus, c["shown"], seed, c)
    return model, corpus, {pair.source for pair in pairs}


class LabelTask:
    """Labelled sentences to learn from, and others, that no model has seen in any form, to be judged.

    Args:
        seed: of the sentences and of every training.
        seen: sentences without labels that were trained on.
        c: the configuration.
    """

    def __init__(self, seed: int, seen: set[str], c: dict[str, Any]):
        self.seed, self.c, most = seed, c, max(c["labelled"])
        given = {pair.source for pair in sample(most, 10 * seed + 2, clauses=1)}
        self.given = sentence_ids(judged_sentences(most, 10 * seed + 2, VOCABULARY))
        self.tests = judged_sentences(c["label_tests"], 10 * seed + 3, VOCABULARY, seen | given)

    def right(self, model: nn.Module, size: int, rate: float) -> float:
        """Train on the first so many sentences; the share of the tests that are judged rightly."""
        ids, labels = self.given
        learn_labels(model, ids[:size], labels[:size], self.seed, rate, self.c)
        return round(share_right(model, *sentence_ids(self.tests)), 4)

    def tuned(self, model: EncoderOnly, size: int, frozen: bool = False) -> float:
        """The same for an encoder with a label, or with ``frozen`` for the label alone; the model itself stays."""
        copied = encoder(self.c["preset"], self.seed)
        copied.load_state_dict(model.state_dict())
        rate = self.c["probe_rate"] if frozen else self.c["label_rate"]
        return self.right(SentenceLabeller(copied, frozen=frozen), size, rate)


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread, and afterwards on as many as before."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Fill gaps, examine, then learn labels in every way and at every size.

    Returns:
        The losses of :func:`examine_gaps`; ``guesses``; ``without_labels``, a share; and ``tuned``, ``scratch``,
        ``probe`` and ``counted``, the share of right labels for each number of labelled sentences.
    """
    c = configuration
    with one_thread():
        model, corpus, seen = gap_filler(seed, c)
        examined = padded([VOCABULARY.encode(p.source) for p in sample(c["examined"], 10 * seed + 1, clauses=1)])
        found: dict[str, Any] = examine_gaps(model, examined, seed)
        found["guesses"] = guesses(model, c["asked"])
        task = LabelTask(seed, seen, c)
        found["without_labels"] = judged_without_labels(model, task.tests)
        for size in c["labelled"]:
            for name, value in (
                ("tuned", task.tuned(model, size)),
                ("scratch", task.tuned(encoder(c["preset"], seed), size)),
                ("probe", task.tuned(model, size, frozen=True)),
                ("counted", task.right(WordCounter(), size, c["probe_rate"])),
            ):
                found.setdefault(name, []).append(value)
    words = (corpus > 0).sum().item() / len(corpus)
    return {"tokens": round(c["gap_steps"] * c["gap_batch"] * words), **found}
