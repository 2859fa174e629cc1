"""One source by itself, decoded with as few calls of torch as a step can do with.

A single sentence has no padding, no neighbours that end sooner, and so little arithmetic that a call costs more than
what it computes. Queries, keys and values of a step are written by their product into the cache, where attention reads
them; the views of all layers are made at once; and one call finds the best continuation.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...attention.positions import rotate_by_position
from .choosing import Scored
from .large_pages import PagedTransformer
from .packing import Product
from .stepping import Sources, encode

_LONGER = 6  # by how many tokens a translation may be longer than its source before its cache has to grow


class OneSource:
    """What a search has computed of one source.

    Attributes:
        cross: for each layer the keys, turned on their side, and the values of the memory.
        cache: queries, keys and values of the target so far, side by side; of the slots `filled` are taken.
        ancestry: what is added to a prefix's scores over the slots: 0 at its own and −∞ at others. Used while there
            have been several prefixes.
        position: steps taken.

    Raises:
        As `Sources` and `encode`.
    """

    def __init__(self, model: PagedTransformer, src: Int[Tensor, "1 src_len"], widest: int = 1):
        self.model, heads = model, model.config.n_heads
        sources = Sources(model, src)
        memory = encode(model, sources)
        self.cross = []
        for layer in model.decoder:
            k, v = layer.cross.key_value(memory).split(layer.cross.sizes, dim=1)
            k, v = k.view(-1, heads, model.d_k), v.view(-1, heads, model.d_v)
            self.cross.append((k.permute(1, 2, 0), v.transpose(0, 1)))
        slots = widest * (len(memory) + _LONGER)
        self.cache = torch.empty(len(model.decoder), slots, sum(model.decoder[0].attention.sizes))
        self.ancestry = torch.full((widest, slots), -math.inf)
        self.widest, self.position, self.filled = widest, 0, 0

    def step(self, tokens: Int[Tensor, " width"], parents: Int[Tensor, " width"] | None) -> Float[Tensor, "width d"]:
        """Feed one token to every prefix.

        Args:
            parents: which prefix of the last step each goes on from; None where each goes on from itself.

        Returns:
            The decoder's states, before the output layer.
        """
        model, width = self.model, len(tokens)
        config, heads, d_k, d_v = model.config, model.config.n_heads, model.d_k, model.d_v
        self._open_slots(width, parents)
        new = self.cache.narrow(1, self.filled - width, width)
        seen = self.cache.narrow(1, 0, self.filled)
        queries, keys, values = (
            cut.unflatten(2, (heads, -1)) for cut in (
                new.narrow(2, 0, heads * d_k),
                seen.narrow(2, heads * d_k, heads * d_k),
                seen.narrow(2, 2 * heads * d_k, heads * d_v),
            )
        )  # fmt: skip
        rows = zip(new.unbind(), queries.transpose(1, 2).unbind(), keys.permute(0, 2, 3, 1).unbind(),
                   values.transpose(1, 2).unbind(), model.decoder, self.cross, strict=True)  # fmt: skip
        mask = self.ancestry[:width, : self.filled] if self.widest > 1 else None
        pre, rotary = config.norm == "pre", config.positions == "rotary"

        x = torch.embedding(model.tgt_embedding, tokens).mul_(math.sqrt(config.d_model))
        if model.positions is not None:
            x += model.positions[self.position]
        for row, q, k, v, layer, cross in rows:
            first, second, third = layer.norms
            _into(row, layer.attention.inward, first(x) if pre else x)
            if rotary:
                both = row.narrow(1, 0, 2 * heads * d_k).view(width, 2 * heads, 1, d_k)
                both.copy_(rotate_by_position(both, self.position))
            scores = torch.bmm(q, k)
            if mask is not None:
                scores += mask
            layer.attention.outward.add_to(x, _merged(torch.bmm(torch.softmax(scores, -1), v), width))
            x = x if pre else first(x)

            q = layer.cross.query(second(x) if pre else x).view(width, heads, -1).transpose(0, 1)
            mixed = torch.bmm(torch.softmax(torch.bmm(q, cross[0]), -1), cross[1])
            layer.cross.outward.add_to(x, _merged(mixed, width))
            x = x if pre else second(x)

            layer.outer.add_to(x, layer.inner(third(x) if pre else x).relu_())
            x = x if pre else third(x)
        self.position += 1
        return model.decoder_norm(x)

    def _open_slots(self, width: int, parents: Tensor | None) -> None:
        """Make room for one more step of `width` prefixes."""
        first, self.filled = self.filled, self.filled + width
        slots = self.cache.shape[1]
        if self.filled > slots:
            more = max(self.filled - slots, slots // 2)
            self.cache = torch.nn.functional.pad(self.cache, (0, 0, 0, more))
            self.ancestry = torch.nn.functional.pad(self.ancestry, (0, more), value=-math.inf)
        if self.widest > 1:
            if parents is not None:
                self.ancestry[:width, :first] = self.ancestry[:, :first].index_select(0, parents)
            self.ancestry[:width, first : self.filled].fill_diagonal_(0)


def _into(place: Float[Tensor, "rows outputs"], product: Product, x: Tensor) -> None:
    """Write a product where it is wanted."""
    if product.bias is None:
        torch.mm(x, product.turned, out=place)
    else:
        torch.addmm(product.bias, x, product.turned, out=place)


def _merged(x: Float[Tensor, "n_heads width d_v"], width: int) -> Float[Tensor, "width d_model"]:
    """Heads side by side again."""
    return x.view(1, -1) if width == 1 else x.transpose(0, 1).reshape(width, -1)


def best(model: PagedTransformer, states: Float[Tensor, "1 d"], scores: bool) -> tuple[float, int]:
    """The best continuation, of equal ones that with the lowest id: its log-probability, or else its logit, and its id.

    Raises:
        FloatingPointError: where there is NaN.
    """
    if scores:
        logits = torch.mm(states, model.output.turned)
        whole = logits[:, : model.config.vocab_size].logsumexp(dim=1).item()
        logits += model.allowed
    else:
        logits, whole = torch.addmm(model.allowed, states, model.output.turned), 0.0
    number, token = logits.max(dim=1)
    return _no_nan(number.item() - whole), token.item()


def largest(
    model: PagedTransformer, states: Float[Tensor, "width d"], totals: Float[Tensor, " width"], count: int
) -> tuple[list[float], list[int], list[int]]:
    """The `count` best continuations of all prefixes: log-probability of the whole, prefix, token; best first.

    Equal ones come in the order of the prefixes, then of the tokens.

    Raises:
        FloatingPointError: where there is NaN.
    """
    logits = model.output(states)
    logits[:, model.config.vocab_size :] = -math.inf
    scored = Scored(logits, model.forbidden)
    found = scored.largest((totals - scored.log_sum_exp())[None], count)
    numbers, parents, tokens = (one[0].tolist() for one in found)
    return numbers, parents, tokens


def _no_nan(number: float) -> float:
    if math.isnan(number):
        raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")
    return number
