"""A decoder trained on true prefixes, fed the truth and fed itself; and what one wrong word in its input does.

The language is the little one, English to Spanish, of whose sentences all translations are known. So whether a word
can be right is a fact about its prefix and not a comparison with one reference: it must begin some translation.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from ...little_language.language import LittlePair, WordVocabulary, sample, translations, word_vocabulary
from ...models.recurrent import RecurrentEncoderDecoder
from ...translation.decoding import greedy_decode
from ..little_language_study import training_pairs
from ..recurrent_study import DATA, RECIPE, train

QUESTION = "How much worse is a decoder on what it wrote itself than on the truth, and how long does a wrong word hurt?"
CONFIGURATION = {
    **DATA,
    "training": RECIPE,
    "model": {"score": None, "bidirectional": False, "cell": "gru", "reminds": "always", "width": 128},
    "examined": 250,
    "most_translations": 200,
    "places": 12,
    "after": 5,
}
"""Pairs, recipe and model are those of ``bottleneck`` at width 128. Examined are sentences not seen in training, with
at most ``most_translations``; ``places`` of the target are told one by one, and ``after`` places after a wrong word."""
SEEDS = [0, 1, 2, 3, 4]


class Continuations:
    """Which tokens can follow which beginning, in the translations of one sentence.

    Args:
        pair: a pair of the little language.
        words: the target's vocabulary.
        limit: the most translations.

    Raises:
        ValueError: if there are more.
    """

    def __init__(self, pair: LittlePair, words: WordVocabulary, limit: int):
        self.after: dict[tuple[int, ...], set[int]] = {}
        for text, _ in translations(pair.source, pair.target_lang, limit):
            ids = (*words.encode(text), words.eos_id)
            for place, token in enumerate(ids):
                self.after.setdefault(ids[:place], set()).add(token)

    def allow(self, beginning: Sequence[int], token: int) -> bool:
        """Whether some translation begins like this and goes on with this token."""
        return token in self.after.get(tuple(beginning), ())


def examined(seed: int, seen: set[str], configuration: dict[str, Any]) -> list[tuple[LittlePair, Continuations]]:
    """Pairs with unseen sources and few enough translations, and what can follow what in each."""
    c, part = configuration, 0
    found: list[tuple[LittlePair, Continuations]] = []
    words = word_vocabulary(c["target"])
    clauses = {int(number): share for number, share in c["clauses"].items()}
    while len(found) < c["examined"]:
        for pair in sample(200, 1_000 * (seed + 1) + part, c["target"], clauses, seen):
            try:
                found.append((pair, Continuations(pair, words, c["most_translations"])))
            except ValueError:
                continue
        part += 1
    return found[: c["examined"]]


@torch.inference_mode()
def scores_fed(model: RecurrentEncoderDecoder, src: Tensor, inputs: Sequence[Sequence[int]]) -> Tensor:
    """Log-probabilities of the next token after each place of what the decoder is fed, ``<s>`` put before it."""
    rows = [torch.tensor([model.config.bos_id, *ids]) for ids in inputs]
    fed = pad_sequence(rows, batch_first=True, padding_value=model.config.pad_id)
    return model(src, fed).log_softmax(dim=-1)


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train a model and feed it three things.

    Returns:
        ``pairs``: how many were trained on. ``truth``: for each place the share of words that can be right after a true
        beginning, and ``truth_n``, how many there were. ``itself``: the same after a beginning that the model wrote and
        that was right so far, and ``itself_n``; ``truth_same``: after the true beginning of the same length, for the
        same sentences. ``whole``: the share of sentences right when it writes alone; ``forced``: the share of those
        without a wrong word when it is fed the truth. ``loss_before`` and ``loss_after``: at the places after the one
        with the wrong word, the loss of the true word when the truth is fed, and when one wrong word is.
    """
    c = configuration
    words = word_vocabulary(c["target"])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs = training_pairs(seed, c)
        model, trainer = train(c["model"], pairs, seed, c["target"], c["training"])
        chosen = examined(seed, {pair.source for pair in pairs}, c)
        sources = [torch.tensor([*words.encode(pair.source), words.eos_id]) for pair, _ in chosen]
        src = pad_sequence(sources, batch_first=True, padding_value=words.pad_id)
        true = [[*words.encode(pair.target), words.eos_id] for pair, _ in chosen]
        scores = scores_fed(model, src, [ids[:-1] for ids in true])
        with torch.inference_mode():
            written = [list(found.tokens) for found in greedy_decode(model, src, max_len=max(map(len, true)) + 8)]
        metrics = _by_place(chosen, true, scores.argmax(dim=-1).tolist(), written, c["places"])
        return {
            "tokens": trainer.tokens,
            "pairs": len(pairs),
            **metrics,
            **_one_wrong_word(model, seed, src, chosen, true, scores, c),
        }
    finally:
        torch.set_num_threads(threads)


def _by_place(chosen: list, true: list, favourite: list, written: list, places: int) -> dict[str, Any]:
    """Shares of words that can be right, by place, fed the truth and fed itself."""
    truth, same, itself = ([[] for _ in range(places)] for _ in range(3))
    whole, forced = [], []
    for (_, follow), ids, favourites, own in zip(chosen, true, favourite, written, strict=True):
        marks = [follow.allow(ids[:place], favourites[place]) for place in range(len(ids))]
        forced.append(all(marks))
        right = 0
        while right < len(own) and follow.allow(own[:right], own[right]):
            right += 1
        whole.append(right == len(own) and own[-1] == ids[-1])
        for place, mark in enumerate(marks[:places]):
            truth[place].append(mark)
            if place <= right and place < len(own):  # its own beginning is right so far
                same[place].append(mark)
                itself[place].append(place < right)

    def shares(columns: list[list[bool]]) -> list[float]:
        return [round(sum(column) / max(1, len(column)), 5) for column in columns]

    return {
        "truth": shares(truth),
        "truth_n": [len(column) for column in truth],
        "truth_same": shares(same),
        "itself": shares(itself),
        "itself_n": [len(column) for column in itself],
        "whole": sum(whole) / len(whole),
        "forced": sum(forced) / len(forced),
    }


def _one_wrong_word(
    model: RecurrentEncoderDecoder, seed: int, src: Tensor, chosen: list, true: list, scores: Tensor, c: dict[str, Any]
) -> dict[str, Any]:
    """The loss at the places after a word in the place of which the model's likeliest mistake was fed."""
    generator = torch.Generator().manual_seed(seed)
    inputs, wrong_at = [], []
    for row, ((_, follow), ids) in enumerate(zip(chosen, true, strict=True)):
        place = int(torch.randint(max(1, len(ids) - 2), (1,), generator=generator))
        ranked = scores[row, place].argsort(descending=True).tolist()
        mistake = next(t for t in ranked if t > 3 and not follow.allow(ids[:place], t))
        inputs.append([*ids[:place], mistake, *ids[place + 1 : -1]])
        wrong_at.append(place)
    wrong = scores_fed(model, src, inputs)
    before, after = ([[] for _ in range(c["after"])] for _ in range(2))
    for row, (ids, place) in enumerate(zip(true, wrong_at, strict=True)):
        for d in range(c["after"]):
            here = place + 1 + d  # the first place whose beginning holds the wrong word
            if here < len(ids):
                before[d].append(-scores[row, here, ids[here]].item())
                after[d].append(-wrong[row, here, ids[here]].item())
    return {
        "loss_before": [round(sum(losses) / len(losses), 5) for losses in before],
        "loss_after": [round(sum(losses) / len(losses), 5) for losses in after],
    }
