"""Checks for the tour of the translator: the share of padding, and greedy search."""

import torch

from ...data.batching import padding_waste, token_batches
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..drawn import seeded
from ..known_mistakes import near, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_number


@checking
def check_wasted(candidate) -> Report:
    """Check ``wasted(batch)``: the share of positions of ``src`` and ``tgt_out`` together that hold padding."""
    random = torch.Generator().manual_seed(7)
    lengths = [(a, a * b) for a, b in torch.randint(1, 7, (60, 2), generator=random).tolist()]
    encoded = [([5] * source, [6] * target) for source, target in lengths]
    for batch in token_batches(encoded, tokens_per_batch=160, seed=3, epoch=0):
        got = expect_number(attempt(candidate, batch), "the share of padding")
        right = padding_waste([batch])
        if abs(got - right) < 1e-6:
            continue
        pads = [(t == 0).sum().item() for t in (batch.src, batch.tgt_out)]
        sizes = [batch.src.numel(), batch.tgt_out.numel()]
        explained = {
            1 - right: "That is the share of real tokens; the share of padding is 1 minus it.",
            pads[0] / sizes[0]: "That counts `src` only; `tgt_out` has padding too.",
            pads[1] / sizes[1]: "That counts `tgt_out` only; `src` has padding too.",
            sum(pads): "That is the number of padded positions; divide by the number of all positions.",
            sum(pads) / (sum(sizes) - sum(pads)): "That is padding to real tokens; divide by all positions.",
            (pads[0] / sizes[0] + pads[1] / sizes[1]) / 2: (
                "That is the mean of two shares, which weighs a short tensor like a long one: "
                "add up the padded positions of both, then divide once."
            ),
        }
        where = f"For a batch with src {tuple(batch.src.shape)}"
        refuse_number(where, got, right, explained, near(abs_tol=1e-6))
    return Report(True, "The share of padding is right on batches of several shapes.")


@checking
def check_greedy(candidate) -> Report:
    """Check ``my_greedy(model, src, max_len)`` for a batch of one, on small models with random weights."""
    for seed in range(6):
        with seeded(seed):
            model = Transformer(TransformerConfig.tiny(vocab_size=12, n_layers=1)).eval()
            model.output.weight = torch.nn.Parameter(torch.randn(12, model.config.d_model) / 4)
            src = torch.randint(3, 12, (1, 5))
            if seed % 2:  # a model that would like to write `<s>` and `<pad>`
                model.output.weight.data[[model.config.pad_id, model.config.bos_id]] *= 4
        for max_len in (3, 12):
            _compare(candidate, model, src, max_len)
    return Report(True, "Every piece is the likeliest after those before it, on six models and with two limits.")


def _likeliest(model: Transformer, src: torch.Tensor, max_len: int) -> list[int]:
    """The likeliest piece after each prefix, every prefix in a full pass of its own, without a cache."""
    found: list[int] = []
    with torch.inference_mode():
        while len(found) < max_len and found[-1:] != [model.config.eos_id]:
            logits = model(src, torch.tensor([[model.config.bos_id, *found]]))[0, -1]
            logits[[model.config.pad_id, model.config.bos_id]] = -torch.inf
            found.append(int(logits.argmax()))
    return found


def _compare(candidate, model: Transformer, src: torch.Tensor, max_len: int) -> None:
    with torch.inference_mode():
        got = attempt(candidate, model, src, max_len)
    if isinstance(got, torch.Tensor):
        got = got.flatten().tolist()
    if not isinstance(got, list | tuple) or not all(isinstance(piece, int) for piece in got):
        raise NotYet("Expected a list of ids, such as [5, 9, 2].")
    got, right = list(got), _likeliest(model, src, max_len)
    bos, eos = model.config.bos_id, model.config.eos_id
    if got == right:
        return
    if got[:1] == [bos] and got[1:] == right:
        raise NotYet("The list starts with `<s>`: that is what the decoder is given, not what it writes.")
    for name, never in (("<s>", bos), ("<pad>", model.config.pad_id)):
        if never in got:
            raise NotYet(f"It writes `{name}` (piece {got.index(never)}), which is never chosen, however likely it is.")
    if len(got) > max_len:
        raise NotYet(f"With max_len={max_len} it returned {len(got)} pieces: nothing stopped it.")
    if right[-1] == eos and got == right[:-1]:
        raise NotYet("The pieces are right, and `</s>` is missing at the end: return it as well.")
    if eos in got[:-1]:
        raise NotYet(f"It goes on after `</s>` (piece {got.index(eos)}): stop there.")
    place = next((i for i, (a, b) in enumerate(zip(got, right, strict=False)) if a != b), min(len(got), len(right)))
    if place >= len(got):
        raise NotYet(f"It stops after {len(got)} of {len(right)} pieces. Is max_len counted from `<s>`?")
    if place == 0:
        raise NotYet("The first piece differs. The first step feeds `<s>` (`model.config.bos_id`), and nothing else.")
    raise NotYet(
        f"Piece {place} differs: {got[place]} and not {right[place]}. Feed the piece chosen last, with the state that "
        "the last step returned; `<pad>` and `<s>` are never chosen."
    )
