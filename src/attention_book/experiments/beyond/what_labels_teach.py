"""A frozen encoder that fills gaps, and one linear layer that learns a label: how much does each hint save?

The encoder, the sentences and the labels are those of :mod:`.filling_gaps`. What differs is what the linear layer is
given: the mean of all states; the state of the verb; or one number, which compares what stands there with its best
rival, at the verb or wherever it is smallest. The first arm is the linear probe of that experiment, so its numbers
should come out again.
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ...little_language.agreement import FORMS, Judged, judged_sentences
from ...models.one_stack.encoder_only import EncoderOnly
from . import filling_gaps
from .filling_gaps import GAP_ID, VOCABULARY, LabelTask, fit, gap_filler, one_thread, sentence_ids

QUESTION = "An encoder that fills gaps knows which verbs are wrong: which hint lets few labels find it?"
KEPT = (
    "preset", "sentences", "gap_steps", "gap_batch", "gap_rate", "shown", "label_steps", "label_batch", "probe_rate",
    "label_tests",
)  # fmt: skip
CONFIGURATION = {name: filling_gaps.CONFIGURATION[name] for name in KEPT} | {
    "labelled": [4, 8, 16, 32, 64, 128, 256, 512, 1024],
    "long_steps": 3000,
    "example": ["the girls writes letters at night .", 2],
}
SEEDS = filling_gaps.SEEDS
HINTS = ("mean", "verb", "shown", "hidden", "lowest")
"""What the linear layer is given: the mean of the states, the state of the verb as it stands, the number that compares
its forms read from this very state, the same number with the verb hidden, and the lowest such number of the sentence
if every word in turn is hidden and compared with all other words, so that nothing says where the verb is."""


def compared(logits: Float[Tensor, "sentences vocab_size"], judged: Sequence[Judged]) -> Float[Tensor, "sentences 1"]:
    r"""The number that the rule compares with 0, one row per sentence.

    .. math:: \log P(\text{form that stands there}) - \max_{\text{other forms}} \log P(\text{form})

    Args:
        logits: for the words at the position that has to agree.
        judged: the sentences.
    """
    rows = []
    for row, one in zip(logits, judged, strict=True):
        stood = one.words[one.at]
        rivals = [VOCABULARY.encode(form)[0] for form in FORMS[stood] if form != stood]
        rows.append(row[VOCABULARY.encode(stood)[0]] - row[rivals].max())
    return torch.stack(rows)[:, None]


def lowest(model: nn.Module, ids: Int[Tensor, "sentences length"]) -> Float[Tensor, "sentences 1"]:
    r"""The least likely word of each sentence beside its best rival, if each word in turn is hidden.

    .. math:: \min_i \Bigl(\log P(w_i) - \max_{v \neq w_i} \log P(v)\Bigr)
    """
    columns = []
    for at in range(ids.shape[1]):
        hidden = ids.clone()
        hidden[:, at] = GAP_ID
        hidden[ids[:, at] == 0, at] = 0
        logits, stood = model(hidden)[:, at], ids[:, at : at + 1]
        ahead = logits.gather(1, stood) - logits.scatter(1, stood, -torch.inf).amax(dim=1, keepdim=True)
        columns.append(ahead.masked_fill(stood == 0, torch.inf))
    return torch.cat(columns, dim=1).amin(dim=1, keepdim=True)


@torch.inference_mode()
def hinted(model: EncoderOnly, judged: Sequence[Judged]) -> dict[str, Float[Tensor, "sentences features"]]:
    """What the linear layer is given under each of :data:`HINTS`, one row per sentence."""
    ids, _ = sentence_ids(judged)
    rows, at = torch.arange(len(ids)), torch.tensor([one.at for one in judged])
    states, real = model.states(ids), (ids != 0)[..., None]
    hidden = ids.clone()
    hidden[rows, at] = GAP_ID
    return {
        "mean": (states * real).sum(dim=1) / real.sum(dim=1),
        "verb": states[rows, at],
        "shown": compared(model(ids)[rows, at], judged),
        "hidden": compared(model(hidden)[rows, at], judged),
        "lowest": lowest(model, ids),
    }


def label_layer(
    features: Float[Tensor, "sentences features"],
    labels: Int[Tensor, " sentences"],
    seed: int,
    steps: int,
    c: dict[str, Any],
) -> nn.Linear:
    """A linear layer that has learned the labels, from the same batches as the linear probe of *filling-gaps*."""
    generator = torch.Generator().manual_seed(seed)
    features = features.clone()  # what inference mode made cannot be trained on
    layer = nn.Linear(features.shape[1], 2)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)

    def loss() -> Tensor:
        rows = torch.randint(len(features), (c["label_batch"],), generator=generator)
        return F.cross_entropy(layer(features[rows]), labels[rows])

    fit(list(layer.parameters()), loss, steps, c["probe_rate"])
    return layer


def example_guesses(model: EncoderOnly, words: Sequence[str], at: int) -> dict[str, float]:
    """The probability of each form of a verb at its hidden position."""
    ids = torch.tensor([[VOCABULARY.encode(word)[0] for word in words]])
    ids[0, at] = GAP_ID
    with torch.inference_mode():
        guess = model(ids)[0, at].softmax(-1)
    return {form: guess[VOCABULARY.encode(form)[0]].item() for form in FORMS[words[at]]}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Fill gaps, then learn labels under each hint and at every size.

    Returns:
        For each of :data:`HINTS` the share of right labels at each size; ``mean_long`` and ``verb_long``, the share
        with the most labels after more steps; ``agreeing``, for each size how many of the labels say that the verb
        agrees; ``without_labels``, the share that the rule gets right; and ``example``, the encoder's probabilities.
    """
    c = configuration
    with one_thread():
        model, corpus, seen = gap_filler(seed, c)
        task, most = LabelTask(seed, seen, c), max(c["labelled"])
        given = judged_sentences(most, 10 * seed + 2, VOCABULARY)
        labels, right = (sentence_ids(judged)[1] for judged in (given, task.tests))
        learned, tested = hinted(model, given), hinted(model, task.tests)

        def share(hint: str, size: int, steps: int) -> float:
            layer = label_layer(learned[hint][:size], labels[:size], seed, steps, c)
            with torch.inference_mode():
                return round((layer(tested[hint]).argmax(-1) == right).float().mean().item(), 4)

        found: dict[str, Any] = {
            hint: [share(hint, size, c["label_steps"]) for size in c["labelled"]] for hint in HINTS
        }
        found |= {f"{hint}_long": share(hint, most, c["long_steps"]) for hint in ("mean", "verb")}
        found["agreeing"] = [int(labels[:size].sum()) for size in c["labelled"]]
        judged_right = (tested["hidden"][:, 0] > 0) == right.bool()
        found["without_labels"] = round(judged_right.float().mean().item(), 4)
        found["example"] = example_guesses(model, c["example"][0].split(), c["example"][1])
    words = (corpus > 0).sum().item() / len(corpus)
    return {"tokens": round(c["gap_steps"] * c["gap_batch"] * words), **found}
