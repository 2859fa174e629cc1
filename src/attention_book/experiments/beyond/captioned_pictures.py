"""Whether a model that continues text can draw: a caption and the pixels of its picture in one stream of tokens.

A caption names a colour, a shape and a side, such as ``a red bar at the left``. Its picture has 4 × 4 pixels, each of
which is one token. A bar fills the side, a pair its two middle pixels, and a dot one pixel of the four, any of them: so
the caption of a dot allows four pictures. A third of the captions are left out of the training, in such a way that any
two of their words are seen together. The arms differ in how many colours the training has; both are examined on three.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from ...models.config import TransformerConfig
from ...models.one_stack.decoder_only import DecoderOnly

QUESTION = "Can a decoder-only model draw what a caption says whose words it never saw together?"
CONFIGURATION = {
    "arms": {"few": 3, "many": 12},
    "model": {"n_layers": 2, "d_model": 32, "n_heads": 2, "d_ff": 64, "dropout": 0.0, "norm": "pre"},
    "batch": 32,
    "steps": 800,
    "learning_rate": 0.005,
    "drawn": 25,
}
SEEDS = [0, 1, 2]

SIDE = 4
COLOURS = dict(zip(
    ("red", "green", "blue", "cyan", "magenta", "yellow", "black", "white", "orange", "pink", "teal", "violet"),
    "RGBCMYKWOPTV",
    strict=True,
))  # fmt: skip
"""The colours, each with the token of a pixel that has it."""
EXAMINED = 3
SHAPES = ("bar", "pair", "dot")
SIDES = {
    "left": (0, 4, 8, 12),
    "right": (3, 7, 11, 15),
    "top": (0, 1, 2, 3),
    "bottom": (12, 13, 14, 15),
}
"""The pixels of each side, counted row by row from the upper left, as the stream has them."""
EMPTY = "."
FAULTS = ("colour", "shape", "side", "more")
"""What :func:`differs_in` finds wrong."""
VOCABULARY = ("<pad>", "<s>", "</s>", "a", "at", "the", *COLOURS, *SHAPES, *SIDES, EMPTY, *COLOURS.values())
IDS = {token: number for number, token in enumerate(VOCABULARY)}
Caption = tuple[str, str, str]


def captions(colours: int = EXAMINED) -> list[Caption]:
    """Every caption with one of the first so many colours."""
    return list(itertools.product(list(COLOURS)[:colours], SHAPES, SIDES))


def words(caption: Caption) -> list[str]:
    """The caption as a sentence: a red bar at the left."""
    colour, shape, side = caption
    return ["a", colour, shape, "at", "the", side]


def pictures(caption: Caption) -> list[str]:
    """Every picture that a caption allows, each as its 16 pixels, row by row.

    Args:
        caption: a colour, a shape and a side.

    Returns:
        One picture of a bar or a pair, four of a dot.
    """
    colour, shape, side = caption
    edge = SIDES[side]
    filled = {
        "bar": [edge],
        "pair": [edge[1:3]],
        "dot": [(pixel,) for pixel in edge],
    }[shape]
    return ["".join(COLOURS[colour] if pixel in places else EMPTY for pixel in range(SIDE**2)) for places in filled]


def is_unseen(caption: Caption) -> bool:
    """Is the caption left out of the training? Any two of its words stand together in others that are not."""
    colour, shape, side = caption
    return (list(COLOURS).index(colour) + SHAPES.index(shape) + list(SIDES).index(side)) % 3 == 0


def to_ids(tokens: Sequence[str]) -> list[int]:
    """The ids of words, or of the pixels of a picture."""
    return [IDS[token] for token in tokens]


def caption_ids(asked: Sequence[Caption]) -> Int[Tensor, "batch 7"]:
    """The captions as the stream has them, each with its ``</s>``."""
    return torch.tensor([to_ids([*words(caption), "</s>"]) for caption in asked])


def shifted(drawn: Sequence[str]) -> tuple[Int[Tensor, "batch 16"], Int[Tensor, "batch 16"]]:
    """What the model reads of the pictures, ``<s>`` first, and what it is asked for: each pixel one row earlier."""
    asked = torch.tensor([to_ids(picture) for picture in drawn])
    return F.pad(asked[:, :-1], (1, 0), value=IDS["<s>"]), asked


def new_model(configuration: dict[str, Any], seed: int) -> DecoderOnly:
    """A model with random weights."""
    sizes = {"vocab_size": len(VOCABULARY), "pad_id": 0, "bos_id": 1, "eos_id": 2, "max_len": 32}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return DecoderOnly(TransformerConfig(**sizes, **configuration["model"]))


def train(model: DecoderOnly, seen: Sequence[Caption], seed: int, configuration: dict[str, Any]) -> int:
    """Train on captions drawn at random, each with one of its pictures; returns how many pixels were asked for."""
    generator, steps, batch = torch.Generator().manual_seed(seed), configuration["steps"], configuration["batch"]
    optimizer = torch.optim.Adam(model.parameters(), lr=configuration["learning_rate"])
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for _ in range(steps):
        chosen = [seen[n] for n in torch.randint(len(seen), (batch,), generator=generator).tolist()]
        luck = torch.randint(len(SIDES), (batch,), generator=generator).tolist()
        drawn = [(allowed := pictures(caption))[n % len(allowed)] for caption, n in zip(chosen, luck, strict=True)]
        read, asked = shifted(drawn)
        loss = F.cross_entropy(model(caption_ids(chosen), read).flatten(0, 1), asked.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decay.step()
    return steps * batch * SIDE**2


@torch.inference_mode()
def draw(model: DecoderOnly, asked: Sequence[Caption], seed: int) -> list[str]:
    """One picture per caption, each pixel drawn at random from the model's probabilities given all before it."""
    generator = torch.Generator().manual_seed(seed)
    state = model.start(model.encode(caption_ids(asked)))
    token, pixels = torch.full((len(asked),), IDS["<s>"]), []
    for _ in range(SIDE**2):
        log_probs, state = model.step(token, state)
        token = torch.multinomial(log_probs.exp(), 1, generator=generator)[:, 0]
        pixels.append(token)
    return ["".join(f"{VOCABULARY[i]:.1}" for i in row) for row in torch.stack(pixels, dim=1).tolist()]


def differs_in(caption: Caption, picture: str) -> str:
    """What a picture gets wrong.

    Returns:
        ``""`` if the caption allows it; ``"colour"``, ``"shape"`` or ``"side"`` if a caption does that differs in this
        word alone, the first of the three that explains it; ``"more"`` otherwise.
    """
    if picture in pictures(caption):
        return ""
    for place, (name, choices) in enumerate(zip(FAULTS, (COLOURS, SHAPES, SIDES), strict=False)):
        others = ((*caption[:place], word, *caption[place + 1 :]) for word in choices)
        if any(picture in pictures(other) for other in others):
            return name
    return "more"


@torch.inference_mode()
def dot_chances(model: DecoderOnly, asked: Sequence[Caption]) -> list[float]:
    """The probability of colour at each pixel of a dot's side if nothing was drawn before it, as a mean over captions.

    The caption leaves the four pixels open alike, so the right answers are 1/4, 1/3, 1/2 and 1.
    """
    dots = [caption for caption in asked if caption[1] == "dot"]
    read, _ = shifted([pictures(caption)[-1] for caption in dots])
    probabilities = model(caption_ids(dots), read).softmax(dim=-1)
    rows = [
        [float(probabilities[n, pixel, IDS[COLOURS[colour]]]) for pixel in SIDES[side]]
        for n, (colour, _, side) in enumerate(dots)
    ]
    return torch.tensor(rows, dtype=torch.float64).mean(dim=0).tolist()


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train one model for each number of colours, and let it draw the captions with the first three.

    Returns:
        For each arm ``ARM_seen`` and ``ARM_unseen``: the share of pictures that their caption allows; ``ARM_wrong``:
        what the wrong pictures of unseen captions get wrong, as shares of all of these pictures; ``ARM_dots``:
        :func:`dot_chances` of the seen captions; ``ARM_drawn``: the first picture of each unseen caption.
    """
    threads, tokens = torch.get_num_threads(), 0
    found: dict[str, Any] = {}
    torch.set_num_threads(1)
    try:
        for arm, colours in configuration["arms"].items():
            model = new_model(configuration, seed)
            trained_on = [caption for caption in captions(colours) if not is_unseen(caption)]
            tokens += train(model, trained_on, seed + 1_000, configuration)
            model.eval()
            for name, left_out in (("seen", False), ("unseen", True)):
                asked = [caption for caption in captions() if is_unseen(caption) == left_out]
                drawn = draw(model, asked * configuration["drawn"], seed + 2_000)
                wrong = [differs_in(asked[n % len(asked)], picture) for n, picture in enumerate(drawn)]
                found[f"{arm}_{name}"] = wrong.count("") / len(wrong)
                if left_out:
                    found[f"{arm}_wrong"] = [wrong.count(kind) / len(wrong) for kind in FAULTS]
                    found[f"{arm}_drawn"] = drawn[: len(asked)]
                else:
                    found[f"{arm}_dots"] = dot_chances(model, asked)
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **found}
