"""Does a whole decoder stack keep the causal mask? Its derivatives, what breaks it, and the order of its sublayers.

The table is one draw of the weights; :func:`first_places` counts over :data:`DRAWS` which mistake leaks most.
"""

import copy
from collections.abc import Callable, Sequence
from itertools import permutations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ...analysis.information_flow import leak_matrix
from ...analysis.recording import recording
from ...attention.masks import causal_mask, leak
from ...models.blocks import Decoder, DecoderLayer
from ...models.config import TransformerConfig

LENGTH, SOURCE, WIDTH, VOCABULARY = 5, 4, 8, 11
"""Target positions, source positions, numbers per position, and words that the output layer scores."""
NORMS = ("pre", "post")
Rows = Float[Tensor, "LENGTH WIDTH"]
Table = Float[Tensor, "LENGTH LENGTH"]


class FlattenedFeedForward(nn.Module):
    """A feed-forward network over all numbers of a sequence at once, as if it were one long vector."""

    def __init__(self):
        super().__init__()
        size = LENGTH * WIDTH
        self.inner, self.outer = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

    def forward(self, x: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """Every number that comes out depends on every number that goes in."""
        return self.outer(torch.relu(self.inner(x.flatten(1)))).view(x.shape)


class NormOverTime(nn.Module):
    """A normalisation that takes mean and variance over the positions and not over the numbers of one position."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(LENGTH)

    def forward(self, x: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """Normalise each coordinate along the sequence."""
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class MeanOverTime(nn.Module):
    """Half of such a normalisation: it subtracts the mean over the positions, and divides by nothing."""

    def forward(self, x: Float[Tensor, "batch length width"]) -> Float[Tensor, "batch length width"]:
        """Take from each position the mean of all."""
        return x - x.mean(dim=1, keepdim=True)


class WithoutMask(nn.Module):
    """An attention that ignores the mask it is given."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.attention = attention

    def forward(self, query: Tensor, mask: Tensor | None = None, **others: object) -> tuple[Tensor, Tensor | None]:
        """Attend to everything."""
        return self.attention(query, **others)


class Reordered(nn.Module):
    """A decoder layer whose three sublayers, each inside its Add & Norm, run in another order."""

    def __init__(self, layer: DecoderLayer, order: Sequence[str]):
        super().__init__()
        self.layer, self.order = layer, order

    def forward(self, x: Tensor, memory: Tensor, self_mask=None, memory_mask=None, *others: object):
        """Run the sublayers in ``order``; returns what a decoder layer returns, without weights."""
        layer = self.layer
        steps = {
            "self": lambda x: layer.add_self(x, lambda h: layer.self_attention(h, mask=self_mask)[0]),
            "cross": lambda x: layer.add_cross(x, lambda h: layer.cross_attention(h, memory, mask=memory_mask)[0]),
            "feed-forward": lambda x: layer.add_feed_forward(x, layer.feed_forward),
        }
        for name in self.order:
            x = steps[name](x)
        return x, (None, None)


def stack(norm: str, n_layers: int = 6, seed: int = 0) -> Decoder:
    """A decoder of random weights, in double precision; the same at each call with a seed."""
    sizes = {"d_model": WIDTH, "n_heads": 2, "d_ff": 32, "dropout": 0.0}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Decoder(TransformerConfig.tiny(norm=norm, n_layers=n_layers, **sizes)).double().eval()


def sizes() -> dict[str, int]:
    """How small the measured decoders are: ``tower_width``, the numbers per row."""
    return {"tower_width": WIDTH}


def _draws(seed: int = 1) -> tuple[Rows, Float[Tensor, "1 SOURCE WIDTH"]]:
    """Where the derivatives are taken: the input rows of the decoder, and a memory."""
    generator = torch.Generator().manual_seed(seed)
    shapes = ((LENGTH, WIDTH), (1, SOURCE, WIDTH))
    return tuple(torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes)


def _states(decoder: Decoder, masked: bool = True) -> Callable[[Rows], Rows]:
    """The decoder as a function of its input rows."""
    memory, mask = _draws()[1], causal_mask(LENGTH) if masked else None
    return lambda x: decoder(x[None], memory, mask)[0][0]


def stack_flow(norm: str = "pre", n_layers: int = 6, change: str = "") -> Table:
    """The derivatives of a stack's output rows by its input rows: the largest size of each block.

    Args:
        norm: ``"pre"`` or ``"post"``.
        n_layers: layers of the stack.
        change: what is changed in its middle layer, a key of :data:`CHANGES`; nothing if empty.
    """
    decoder = stack(norm, n_layers)
    if change:
        decoder = changed(decoder, change)
    return leak_matrix(_states(decoder), _draws()[0])


def _unmask(layer: DecoderLayer) -> None:
    layer.self_attention = WithoutMask(layer.self_attention)


def _flatten(layer: DecoderLayer) -> None:
    layer.feed_forward = FlattenedFeedForward().double()


def _norm_over_time(layer: DecoderLayer) -> None:
    layer.add_feed_forward.norm = NormOverTime().double()


def _mean_over_time(layer: DecoderLayer) -> None:
    layer.add_feed_forward.norm = MeanOverTime()


CHANGES = {
    "no mask": _unmask,
    "feed-forward over the flattened sequence": _flatten,
    "norm over positions": _norm_over_time,
}
"""What can be changed in one layer, by name."""


def changed(decoder: Decoder, change: str, seed: int = 2) -> Decoder:
    """A decoder with something changed in its middle layer; it shares all other layers with the one that is given.

    Raises:
        KeyError: if there is no such change.
    """
    return _with_middle(decoder, CHANGES[change], seed)


def _with_middle(decoder: Decoder, change: Callable[[DecoderLayer], None], seed: int = 2) -> Decoder:
    """A decoder in whose middle layer, a copy, something is changed."""
    layers, middle = list(decoder.layers), len(decoder.layers) // 2
    layers[middle] = copy.deepcopy(layers[middle])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        change(layers[middle])
    twin = copy.copy(decoder)
    twin._modules = dict(decoder._modules)
    twin.layers = nn.ModuleList(layers)
    return twin


def stack_leaks() -> dict[str, dict[str, float]]:
    """The leak of a stack of six layers and of what is changed in it or put behind it, by name and norm."""
    found, x = {}, _draws()[0]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        output = nn.Linear(WIDTH, VOCABULARY, bias=False).double()
    for norm in NORMS:
        decoder = stack(norm)
        states = _states(decoder)
        measured = {
            "six layers with the mask": states,
            "the same, the scores of an output layer": lambda x, states=states: output(states(x)),
            "six layers without the mask": _states(decoder, masked=False),
            **{f"one layer of six: {name}": _states(changed(decoder, name)) for name in CHANGES},
        }
        for name, fn in measured.items():
            found.setdefault(name, {})[norm] = leak(fn, x)
    return found


LEAK_HEADER = ("", "leak, pre-norm", "leak, post-norm")


def leak_rows() -> list[tuple[str, str, str]]:
    """The rows of :func:`stack_leaks` for :data:`LEAK_HEADER`; a leak of exactly 0 is written 0."""
    return [
        (name, *(f"{leaks[norm]:.2f}" if leaks[norm] else "0" for norm in NORMS))
        for name, leaks in stack_leaks().items()
    ]


EVERY_LAYER = "six layers without the mask"
"""The mistake that is in all layers, by its name in :func:`first_places`; the others are the :data:`CHANGES`."""
DRAWS = 20


def leak_at_once(decoder: Decoder, draws: tuple[Tensor, Tensor], masked: bool = True) -> float:
    """The leak of a decoder, as :func:`~attention_book.attention.masks.leak` has it, in one pass.

    The decoder gets a copy of the rows for each number that comes out, and each copy is differentiated by itself.

    Args:
        decoder: a stack that does not mix the sequences of a batch.
        draws: the input rows, and a memory.
        masked: whether the decoder is given its causal mask.
    """
    rows, memory = draws
    copies = rows.expand(rows.numel(), -1, -1).clone().requires_grad_()
    states = decoder(copies, memory.expand(len(copies), -1, -1), causal_mask(LENGTH) if masked else None)[0]
    (derivatives,) = torch.autograd.grad(states.flatten(1).diagonal().sum(), copies)
    by_row = derivatives.view(LENGTH, WIDTH, LENGTH, WIDTH).abs().amax(dim=(1, 3))
    return by_row.triu(1).max().item()


def first_places(norm: str, draws: int = DRAWS) -> dict[str, int]:
    """In how many draws of weights, input rows and memory does each of the four mistakes leak most?

    Args:
        norm: ``"pre"`` or ``"post"``.
        draws: how many are made; the first is that of :func:`stack_leaks`.

    Returns:
        The number of draws for :data:`EVERY_LAYER` and for each of :data:`CHANGES`.
    """
    places = dict.fromkeys((EVERY_LAYER, *CHANGES), 0)
    for draw in range(draws):
        seed = 10 * draw
        decoder, at = stack(norm, seed=seed), _draws(seed + 1)
        leaks = {EVERY_LAYER: leak_at_once(decoder, at, masked=False)}
        leaks |= {name: leak_at_once(changed(decoder, name, seed + 2), at) for name in CHANGES}
        places[max(leaks, key=leaks.get)] += 1
    return places


def ranking() -> dict[str, int]:
    """How the first place of the table behaves over the draws: what wins in post-norm, and what in pre-norm.

    Returns:
        ``n_draws``, ``post_first``, the draws in which the norm over positions leaks most in post-norm, and
        ``pre_first``, those in which six layers without the mask leak most in pre-norm.
    """
    post, pre = first_places("post"), first_places("pre")
    return {"n_draws": DRAWS, "post_first": post["norm over positions"], "pre_first": pre[EVERY_LAYER]}


def mean_alone() -> dict[str, float]:
    """The table's leak in post-norm if the norm over positions in the middle layer only subtracts the mean."""
    decoder = _with_middle(stack("post"), _mean_over_time)
    return {"mean_alone": leak(_states(decoder), _draws()[0])}


def norm_numbers() -> dict[str, float]:
    """Why the norm over positions of the table leaks so much in post-norm.

    Returns:
        ``norm_leak``, its leak; ``norm_times``, this divided by the leak of six layers without a mask; ``least_root``,
        the least standard deviation over positions of a coordinate before this norm; ``enlarged``, its inverse.
    """
    decoder, rows = changed(stack("post"), "norm over positions"), _draws()[0]
    norm = decoder.layers[len(decoder.layers) // 2].add_feed_forward.norm
    with torch.no_grad(), recording(norm) as calls:
        _states(decoder)(rows)
    (read,) = (call.inputs[0][0] for call in calls[norm])
    least = read.std(dim=0, unbiased=False).min().item()
    norm_leak, without = leak(_states(decoder), rows), leak(_states(stack("post"), masked=False), rows)
    return {
        "norm_leak": norm_leak,
        "norm_times": norm_leak / without,
        "least_root": least,
        "enlarged": 1 / least,
    }


def order_leaks() -> dict[str, int | float]:
    """A stack of six layers whose sublayers run in each order: the largest leak with the mask, the least without.

    Returns:
        ``n_orders``, ``order_leak`` and ``order_unmasked``, over all orders and both norms.
    """
    with_mask, without, x = [], [], _draws()[0]
    orders = list(permutations(("self", "cross", "feed-forward")))
    for norm in NORMS:
        for order in orders:
            decoder = stack(norm)
            decoder.layers = nn.ModuleList(Reordered(layer, order) for layer in decoder.layers)
            with_mask.append(leak(_states(decoder), x))
            without.append(leak(_states(decoder, masked=False), x))
    return {"n_orders": len(orders), "order_leak": max(with_mask), "order_unmasked": min(without)}


def flow_told(flow: Table) -> str:
    """The table of :func:`stack_flow` in words."""
    above = [flow[i, j].item() for i in range(LENGTH) for j in range(i + 1, LENGTH)]
    below = [flow[i, j].item() for i in range(LENGTH) for j in range(i + 1)]
    rows = "; ".join(f"row {i}: {', '.join(f'{value:.2f}' for value in row)}" for i, row in enumerate(flow.tolist()))
    largest = f"{max(above):.2f}" if max(above) else "0"
    return (
        f"A table of {LENGTH} × {LENGTH}: the largest derivative of each output row by each input row. {rows}. Above "
        f"the diagonal the largest is {largest}; on it and below it the least is {min(below):.2f}."
    )
