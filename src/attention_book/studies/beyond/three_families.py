"""What the three families share, told by the models themselves: derivatives, parameters, and the work of a pair."""

from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ...analysis.information_flow import leak_matrix
from ...models.blocks import Encoder
from ...models.config import TransformerConfig
from ...models.one_stack.decoder_only import DecoderOnly, stream_mask
from ...models.transformer import Transformer

SOURCE, TARGET = 4, 3
"""Tokens of the stream that the derivatives are taken over."""
WIDTH = 16
"""d of the models here: counts of weights are told in units of d², so any will do."""
HEADER = ("", "encoder only", "encoder–decoder", "decoder only")
GPT = {
    "GPT, 2018": (12, 768, 40_478, 512),
    "GPT-2, 2019": (48, 1600, 50_257, 1024),
    "GPT-3, 2020": (96, 12_288, 50_257, 2048),
}
"""Layers, width, vocabulary and positions of the largest model of each paper."""
EVEN_LENGTH = 8
"""About the mean length, per side, of the sentences that *one-stack-or-two* examines."""
GPT_HEADER = ("largest model of", "layers", "width d", "parameters, embeddings included")


def _config(n_layers: int = 2) -> TransformerConfig:
    return TransformerConfig.tiny(50, d_model=WIDTH, n_heads=2, d_ff=4 * WIDTH, n_layers=n_layers, dropout=0.0)


@cache
def flows() -> dict[str, Float[Tensor, "length length"]]:
    """What reaches what in a random model of each family: one row per state, one column per embedded token.

    The last is the decoder-only model once more, with a prefix mask. The states are those that the stack, or the two
    stacks, give out; the encoder alone has no target.
    """
    with torch.random.fork_rng():
        torch.manual_seed(0)
        two, one, alone = Transformer(_config()), DecoderOnly(_config()), Encoder(_config())
    models = [model.double().eval() for model in (alone, two, one)]
    x = torch.randn(SOURCE + TARGET, WIDTH, generator=torch.Generator().manual_seed(1)).double()
    triangle = stream_mask(0, TARGET)

    def both(x: Tensor) -> Tensor:
        memory, _ = models[1].encoder(x[None, :SOURCE])
        states, _ = models[1].decoder(x[None, SOURCE:], memory, triangle)
        return torch.cat([memory, states], dim=1)[0]

    def stream(prefix: bool) -> Tensor:
        mask = stream_mask(SOURCE, TARGET, prefix=prefix)
        return leak_matrix(lambda x: models[2].stack(x[None], mask)[0][0], x)

    return {
        "encoder only": leak_matrix(lambda x: models[0](x[None])[0][0], x[:SOURCE]),
        "encoder–decoder": leak_matrix(both, x),
        "decoder only": stream(prefix=False),
        "with a prefix mask": stream(prefix=True),
    }


def told_block(flow: Float[Tensor, "length length"], rows: slice, columns: slice) -> str:
    """Which derivatives of a block are not zero: "all", "the tokens so far", "nothing"; a dash if it is empty."""
    felt = flow[rows, columns] != 0
    if not felt.numel():
        return "–"
    if felt.all():
        return "all"
    if not felt.any():
        return "nothing"
    return "the tokens so far" if torch.equal(felt, torch.ones_like(felt).tril()) else "some"


def matrix_weights(module: nn.Module) -> int:
    """Numbers in the matrices of a module, biases and norms left out."""
    return sum(p.numel() for p in module.parameters() if p.dim() == 2)


def rows() -> list[tuple[str, ...]]:
    """The table of the three families, for :data:`HEADER`."""
    source, target = slice(0, SOURCE), slice(SOURCE, None)
    blocks = {
        "source tokens that a source state depends on": (source, source),
        "target tokens that a source state depends on": (source, target),
        "source tokens that a target state depends on": (target, source),
        "target tokens that a target state depends on": (target, target),
    }
    found = []
    for name, where in blocks.items():
        *families, prefixed = (told_block(flow, *where) for flow in flows().values())
        if prefixed != families[-1]:
            families[-1] += f" (with a prefix mask: {prefixed})"
        found.append((name, *families))
    per = lambda layer: f"{matrix_weights(layer) // WIDTH**2} d²"  # noqa: E731
    encoder, decoder = Encoder(_config()).layers[0], Transformer(_config()).decoder.layers[0]
    one = DecoderOnly(_config()).stack.layers[0]
    found.append(("parameters per layer", per(encoder), f"{per(encoder)} and {per(decoder)}", per(one)))
    found.append(("softmaxes per head, for one target row", "–", "2", "1"))
    found.append(("what is predicted", "hidden tokens", "the next target token", "the next token"))
    return found


@torch.no_grad()
def multiply_adds(model: nn.Module, src_len: int, tgt_len: int) -> int:
    """Multiplications with a layer's matrices in one pass over a pair; scores and output layer are left out."""
    counted = 0

    def count(linear: nn.Linear, given: tuple[Tensor, ...], _: Tensor) -> None:
        nonlocal counted
        counted += given[0].numel() // linear.in_features * linear.weight.numel()

    inside = [m for name, m in model.named_modules() if isinstance(m, nn.Linear) and name != "output"]
    hooks = [linear.register_forward_hook(count) for linear in inside]
    try:
        model(torch.full((1, src_len), 5), torch.full((1, tgt_len), 5))
    finally:
        for hook in hooks:
            hook.remove()
    return counted


def work_per_token() -> dict[int, str]:
    """Multiplications per token of the race's models in units of d², by the number of their stacks."""
    models, tokens = {2: Transformer(_config(3)), 1: DecoderOnly(_config(7))}, 2 * EVEN_LENGTH
    return {n: f"{multiply_adds(it, EVEN_LENGTH, EVEN_LENGTH) // (tokens * WIDTH**2)} d²" for n, it in models.items()}


def gpt_rows() -> list[tuple[str, ...]]:
    """The sizes of three published models by formula, for :data:`GPT_HEADER`."""
    found = []
    for name, (layers, width, vocabulary, positions) in GPT.items():
        stack = 12 * layers * width**2
        whole = stack + (vocabulary + positions) * width
        found.append((name, str(layers), f"{width:,}", f"{whole / 1e6:,.0f} million"))
    return found


def even_share(src_len: int, tgt_len: int) -> float:
    """The mean share of the source over the target's rows, if each weighs every key alike that it may see."""
    weights = stream_mask(src_len, tgt_len).double()[src_len:]
    return float((weights / weights.sum(-1, keepdim=True))[:, :src_len].sum(-1).mean())


@cache
def numbers() -> dict[str, float | int]:
    """What the page's text is given, by name."""
    two, one = Transformer(_config(3)), DecoderOnly(_config(7))
    stacks = matrix_weights(two.encoder) + matrix_weights(two.decoder)
    work = {name: multiply_adds(model, 9, 9) for name, model in
            {"two": two, "seven": one, "half": DecoderOnly(_config(3))}.items()}  # fmt: skip
    layers, width, *_ = GPT["GPT-3, 2020"]
    return {
        "gpt3_layers": layers,
        "gpt3_width": width,
        "gpt3_matrices": layers * matrix_weights(one.stack.layers[0]) // WIDTH**2 * width**2 / 1e9,
        "stacks_weights": stacks // WIDTH**2,
        "stream_weights": matrix_weights(one.stack) // WIDTH**2,
        "work_seven": work["seven"] / work["two"],
        "work_half": work["half"] / work["two"],
        "even_length": EVEN_LENGTH,
        "even_share": 100 * even_share(EVEN_LENGTH, EVEN_LENGTH),
    }
