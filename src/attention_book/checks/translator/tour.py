"""The check for the tour of the translator: greedy search."""

import torch

from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..drawn import seeded
from ..report import NotYet, Report, attempt, checking


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
        f"Piece {place} differs: {got[place]} and not {right[place]}. Feed `<s>` and all pieces chosen so far, and "
        "look at the last row; `<pad>` and `<s>` are never chosen."
    )
