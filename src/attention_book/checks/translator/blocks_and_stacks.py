"""Checks for three pages: *Blocks and stacks* (shapes, a layer), *Does the tower leak?* and *From rows to words*."""

import math
from collections.abc import Callable
from functools import cache, partial

import torch
from torch import Tensor, nn

from ...attention.masks import causal_mask
from ...models.blocks import DecoderLayer
from ...models.config import TransformerConfig
from ...studies.translator.decoder_leaks import WithoutMask, stack
from ..answers import each_answer, judge_statements
from ..drawn import Normal, seeded
from ..known_mistakes import diagnose, predictions_check
from ..report import NotYet, Report, agrees, attempt, checking, expect_array

_SHAPES = {  # batch 2, 7 source tokens, 5 target tokens, base with 37 000 subwords
    "memory": ((2, 7, 512), "the encoder returns one vector per source position, as wide as those that it was given", {
        (2, 5, 512): "the memory has a row per source position",
        (6, 2, 7, 512): "the layers follow one another: what leaves the last one is the memory",
        (2, 42, 512): "six layers on top of each other do not make the sequence longer",
    }),
    "decoder_layer": ((2, 5, 512), "a layer changes the numbers of its rows, and neither how many there are nor their "
                      "width", {
        (2, 7, 512): "the queries come from the target, and each query gets one output",
        (2, 12, 512): "the source is read through attention; it is not put beside the target",
    }),
    "cross_weights": ((2, 8, 5, 7), "per head one row per target position and one column per source position", {
        (2, 8, 7, 5): "the target asks and the source answers, so the rows belong to the target",
        (2, 5, 7): "each of the 8 heads has weights of its own",
        (2, 8, 5, 5): "the keys come from the source",
        (8, 5, 7): "each pair of the batch has weights of its own",
    }),
    "inner": ((2, 5, 2048), "the feed-forward network widens each position by itself", {
        (2, 5, 512): "that is what leaves the network; inside it is wider",
        (2, 10240): "the positions are not flattened: each goes through the network by itself",
        (5, 2048): "the batch has two targets",
    }),
    "logits": ((2, 5, 37000), "the output layer scores every subword at every target position", {
        (2, 37000): "all target positions are scored in one pass, and not the last one alone",
        (2, 7, 37000): "the logits have a row per target position",
        (2, 5, 512): "these are the states; the output layer makes a score per subword of them",
    }),
}  # fmt: skip


@checking
def check_shapes(answers: object) -> Report:
    """Are these the shapes of five tensors in one pass of the base model?

    Args:
        answers: a shape for each of ``memory``, ``decoder_layer``, ``cross_weights``, ``inner`` and ``logits``.
    """
    for name, answer in each_answer(answers, _SHAPES, "a shape for each of", put="a shape such as (2, 7)"):
        right, reason, mistakes = _SHAPES[name]
        whole = isinstance(answer, (tuple, list)) and all(type(n) is int for n in answer)
        if not whole:
            raise NotYet(f"Give `{name}` as a tuple of whole numbers, such as (2, 7).")
        if tuple(answer) != right:
            raise NotYet(f"`{name}` is not {tuple(answer)}: {mistakes.get(tuple(answer), reason)}.")
    return Report(True, "Rows are positions and columns are coordinates, from the first layer to the last.")


class _Applied(nn.Module):
    """A function in the place of a part of a layer."""

    def __init__(self, fn: Callable[..., object]):
        super().__init__()
        self.fn = fn

    def forward(self, *args: object, **named: object) -> object:
        return self.fn(*args, **named)


def _earlier(x: Tensor, places: int) -> Tensor:
    """Each row replaced by the row so many places before it, or by zeros."""
    return torch.cat([torch.zeros_like(x[:, :places]), x[:, :-places]], dim=1)


def _later(x: Tensor) -> Tensor:
    return torch.cat([x[:, 1:], torch.zeros_like(x[:, :1])], dim=1)


def _mean_so_far(x: Tensor) -> Tensor:
    return x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1)[:, None]


def _own_rows(attention: nn.Module, x: Tensor, memory: Tensor, **named: object) -> object:
    return attention(x, x)


def _change(letter: str, layer: DecoderLayer) -> None:
    """Make one of the exercise's changes in a layer."""
    if letter == "a":
        layer.feed_forward = _Applied(torch.zeros_like)
    elif letter == "b":
        layer.feed_forward = _Applied(lambda x: x - _mean_so_far(x))
    elif letter == "c":
        layer.feed_forward = _Applied(lambda x: _earlier(x, 1) + x + _later(x))
    elif letter == "d":
        layer.feed_forward = _Applied(lambda x: _earlier(x, 2) + _earlier(x, 1) + x)
    elif letter == "e":
        layer.cross_attention = _Applied(partial(_own_rows, layer.cross_attention))
    elif letter == "f":
        layer.add_cross.norm = nn.Identity()


_WHY = {
    "a": "without the network a row is only what the attentions made of it",
    "b": "the mean of the rows so far holds a row and the earlier ones, and no later row",
    "c": "each row takes in the row after it",
    "d": "a row and the two before it are all that the causal mask allows as well",
    "e": "an attention to the target's own rows needs the causal mask, and cross-attention has none",
    "f": "a normalisation works on one position alone, and so does leaving it out",
    "g": "the source holds nothing of the target, so all of it may be seen",
    "h": "a softmax over the positions divides the exponential of each row by a sum that the later rows are in, too",
}


@cache
def _leaks() -> dict[str, bool]:
    """Do earlier rows of a random stack of three layers move when the last input row does?"""
    normal, length = Normal(4), 5
    x, memory, matrix = normal(1, length, 8), normal(1, 4, 8), normal(8, 11)
    other = x.clone()
    other[0, -1] = normal(8)
    found = {}
    for letter in _WHY:
        decoder = stack("pre", 3)
        _change(letter, decoder.layers[1])
        with torch.no_grad():
            one, two = (decoder(rows, memory, causal_mask(length))[0] for rows in (x, other))
        one, two = ((rows @ matrix).softmax(dim=1) for rows in (one, two)) if letter == "h" else (one, two)
        found[letter] = not torch.equal(one[0, :-1], two[0, :-1])
    return found


@checking
def check_leaks(answers: object) -> Report:
    """Is it said rightly which changes let an earlier row feel a later one? A random stack is the judge.

    Args:
        answers: True (it leaks) or False (it does not) for each of the letters a to h.
    """
    judge_statements(answers, _leaks(), _WHY, "it leaks", "it does not", put="yours")
    return Report(True, "The question is always the same: does this step mix target positions, and which ones?")


@checking
def check_unmasked(candidate: object) -> Report:
    """Does ``candidate(layers, x, memory, mask)`` find the layer of a decoder that ignores its mask?

    Args:
        candidate: takes a list of decoder layers, rows (length × width), a memory (1 × source × width) and a mask. It
            returns the number of the layer without a mask, counted from 0, or -1 if there is none.
    """
    normal, length = Normal(8), 4
    for norm, n_layers, spoilt in (("pre", 4, 1), ("post", 3, 0), ("pre", 3, -1), ("post", 3, 2)):
        layers = list(stack(norm, n_layers, seed=n_layers).layers)
        if spoilt >= 0:
            layers[spoilt].self_attention = WithoutMask(layers[spoilt].self_attention)
        got = attempt(candidate, layers, normal(length, 8), normal(1, 3, 8), causal_mask(length))
        if type(got) is not int:
            raise NotYet(f"Expected the number of a layer or -1, as an `int`, got {got!r}.")
        if got != spoilt:
            where = f"layer {spoilt} of {n_layers} has no mask" if spoilt >= 0 else f"all {n_layers} layers have masks"
            why = {
                n_layers - 1: "Rows that leave a layer above the spoilt one carry the change, too. Ask each layer "
                "alone, with rows that carry nothing yet.",
                0: "A layer lets a row see itself and the rows before it. Look at later rows only.",
                spoilt + 1 if spoilt >= 0 else None: "Count from 0.",
            }.get(got, "Ask each layer alone: does an earlier row that comes out feel a later one that goes in?")
            raise NotYet(f"It says {got}, but {where}. {why}")
    return Report(True, "The number of the layer gives the fault an address.")


def _layer() -> DecoderLayer:
    """A post-norm decoder layer whose every part is away from its initial values."""
    with seeded(5):
        layer = DecoderLayer(TransformerConfig.tiny(d_model=8, n_heads=2, d_ff=12, dropout=0.0, norm="post"))
        for parameter in layer.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)
    return layer.double().eval().requires_grad_(False)


def _wrong_layers(layer: DecoderLayer, x: Tensor, memory: Tensor, mask: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the same rows."""

    def attend_self(h: Tensor, may: Tensor | None = mask) -> Tensor:
        return layer.self_attention(h, mask=may)[0]

    def attend(h: Tensor) -> Tensor:
        return layer.cross_attention(h, memory)[0]

    think = layer.feed_forward
    one, two, three = layer.add_self.norm, layer.add_cross.norm, layer.add_feed_forward.norm
    first = one(x + attend_self(x))
    second = two(first + attend(first))
    unmasked = one(x + attend_self(x, None))
    unmasked = two(unmasked + attend(unmasked))
    crossed = one(x + attend(x))
    crossed = two(crossed + attend_self(crossed))
    swapped = two(x + attend(x))
    swapped = one(swapped + attend_self(swapped))
    pre = x + attend_self(one(x))
    pre = pre + attend(two(pre))
    from_input = two(x + attend(first))
    same = one(first + attend(first))
    bare = x + attend_self(x)
    bare = bare + attend(bare)
    plain = one(attend_self(x))
    plain = two(attend(plain))
    return {
        "The self-attention has no mask: its rows see the future.": three(unmasked + think(unmasked)),
        "The attention to the source comes first. The masked self-attention is the first sublayer.": three(
            crossed + think(crossed)
        ),
        "The two attentions are exchanged: the masked self-attention comes first.": three(swapped + think(swapped)),
        "This is pre-norm: each norm stands before its sublayer. Here it stands behind the sum.": (
            pre + think(three(pre))
        ),
        "The second sum adds the layer's own input `x`, and not what the first sublayer made of it.": three(
            from_input + think(from_input)
        ),
        "One norm is used three times: each sublayer has its own.": one(same + think(same)),
        "The sums are missing: each sublayer's input is added to its output.": three(think(plain)),
        "The last sum is missing: the feed-forward network's input is added to its output.": three(think(second)),
        "The feed-forward network is missing.": second,
        "The attention to the source is missing.": three(first + think(first)),
        "The norms are missing.": bare + think(bare),
        "The last norm is missing.": second + think(second),
    }  # fmt: skip


@checking
def check_decoder_layer(candidate: object) -> Report:
    """Does ``candidate(layer, x, memory, mask)`` put the parts of a post-norm decoder layer together?

    It returns what ``layer`` itself returns, without the weights.
    """
    layer, normal = _layer(), Normal(6)
    for batch, m, n in ((2, 5, 4), (1, 3, 6)):
        x, memory, mask = normal(batch, m, 8), normal(batch, n, 8), causal_mask(m)
        right = layer(x, memory, self_mask=mask)[0]
        got = attempt(candidate, layer, x, memory, mask)
        if isinstance(got, tuple):
            raise NotYet("It returns a tuple. An attention returns `(output, weights)`: take the output, `[0]`.")
        got = expect_array(got, (batch, m, 8), "batch, target positions, width")
        if not agrees(got, right):
            diagnose(got, right, _wrong_layers(layer, x, memory, mask))
    return Report(True, "Three sublayers, three sums, three norms; and only the first of them needs the causal mask.")


check_four = predictions_check(
    {
        "a": (
            3,
            {
                2: "that is the score of a; b has two factors that are negative",
                9: "that is the squared length of b's row",
            },
        ),
        "b": (
            math.e,
            {
                1.5: "that is the ratio of their scores; softmax takes the exponential of each",
                1: "that is the difference of their scores; softmax takes the exponential of each",
                1 / math.e: "that is how many times as probable a is as b",
                math.exp(3): "softmax divides by a sum, which both share, so a's score counts too",
            },
        ),
        "c": (
            1.5,
            {
                2 / 3: "that is the factor for the row of b",
                1: "that is by how much the score of a has to grow; by which factor is that?",
                math.e: "a longer row multiplies the score, before softmax",
            },
        ),
        "d": (
            2 * 8000 * 256,
            {
                3 * 8000 * 256: "one of the three tables is still needed",
                8000 * 256: "that is one table; three become one",
                2 * 8000: "each row has 256 numbers",
            },
        ),
    },
    0.006,
    """Are these the numbers of the output layer of four subwords?

    Args:
        predictions: a number for each of the letters a, b, c and d.
    """,
    "A row's length multiplies its scores, and softmax turns differences of scores into ratios of probabilities.",
)


@checking
def check_next_words(candidate: object) -> Report:
    """Does ``candidate(rows, table)`` give, for each row, the distribution over the subwords?

    Args:
        candidate: takes rows (positions × d_model) and the rows of the subwords (subwords × d_model), as tensors.
    """
    normal = Normal(5)
    for positions, words, width in ((3, 5, 4), (1, 6, 2), (4, 4, 4), (2, 3, 8)):
        rows, table = normal(positions, width), normal(words, width)
        scores = rows @ table.T
        right = scores.softmax(-1)
        meaning = "one row per position, one column per subword"
        got = expect_array(attempt(candidate, rows, table), (positions, words), meaning, name="P").double()
        unit = nn.functional.normalize
        mistakes = {
            "Those are the scores. Softmax makes probabilities of them.": scores,
            "The softmax runs over the positions. Each row should sum to 1.": scores.softmax(0),
            "The softmax runs over all numbers at once. Each row should sum to 1.": scores.flatten()
            .softmax(0)
            .view_as(scores),
            "That compares directions alone. The lengths of the rows count.": (unit(rows) @ unit(table).T).softmax(-1),
            "That divides the scores by √d_model, as attention does. The output layer does not.": (
                scores / width**0.5
            ).softmax(-1),
            "Those are logarithms of the probabilities.": scores.log_softmax(-1),
        }
        if positions == words == width:
            mistakes["The table has to be transposed: its rows are the subwords."] = (rows @ table).softmax(-1)
        if not agrees(got, right):
            diagnose(got, right, mistakes)
    large = attempt(candidate, torch.tensor([[1000.0, 0.0]]).double(), torch.eye(2).double())
    if isinstance(large, Tensor) and not large.isfinite().all():
        raise NotYet("For a score of 1,000 it gives no number. Subtract each row's largest score first.")
    return Report(True, "Right for four tables, and with a score of 1,000.")
