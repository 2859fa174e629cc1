r"""Several models of one shape, trained side by side on one device: as many seeds, or teachers, in the time of one.

A small model leaves most of a large device idle: its kernels are over before the next ones have been started. Here the
parameters of ``models`` models are one matrix with a row each, and every kernel serves all of them; on a GPU the
kernels of an update are recorded once for each shape of batch and played again. What is computed is the forward pass of
:class:`attention_book.models.transformer.Transformer` in fewer kernels: queries, keys and values are one
product.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ...models.transformer import Transformer, TransformerConfig


class Stack:
    """The parameters of several models of one configuration, and one function that runs them all.

    Args:
        config: of every model: pre-norm, sinusoidal positions, one tied table, biases, heads that share d_model.
        seeds: one a model; each starts as ``Transformer(config)`` does after ``torch.manual_seed(seed)``.
        device: where they live.
        dtype: what the matrix products are computed in; the parameters themselves stay in float32 or wider.

    Attributes:
        matrices, vectors: the parameters of two axes and of one, flattened: a row a model.

    Raises:
        ValueError: for a configuration of another kind.
    """

    def __init__(
        self,
        config: TransformerConfig,
        seeds: Sequence[int],
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ):
        usual = {
            "norm": "pre",
            "positions": "sinusoidal",
            "tie_embeddings": True,
            "bias": True,
            "d_k": None,
            "d_v": None,
        }
        if wrong := [name for name, value in usual.items() if getattr(config, name) != value]:
            raise ValueError(f"models are trained side by side with the usual {', '.join(wrong)} only")
        self.config, self.models, self.device, self.dtype = config, len(seeds), torch.device(device), dtype
        starts = []
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                module = Transformer(config)
            starts.append(dict(module.named_parameters()))
        kept = torch.promote_types(dtype, torch.float32)
        self.shapes = {name: parameter.shape for name, parameter in starts[0].items()}
        self.names = {
            True: [name for name, shape in self.shapes.items() if len(shape) >= 2],
            False: [name for name, shape in self.shapes.items() if len(shape) < 2],
        }
        self.matrices, self.vectors = (
            torch.stack([torch.cat([start[name].detach().flatten() for name in self.names[wide]]) for start in starts])
            .to(self.device, kept)
            .requires_grad_()
            for wide in (True, False)
        )
        self.positions = module.positions.to(self.device, dtype)

    def parameters(self) -> list[Tensor]:
        """The two leaves that an optimizer moves."""
        return [self.matrices, self.vectors]

    def _packed(self, parameters: Sequence[Tensor] | None) -> dict[str, Tensor]:
        """The parameters by name, with an axis of models in front, in the precision of the products.

        Projections of one input that follow each other are one: ``w_qkv`` of self-, ``w_kv`` of cross-attention.
        """
        found = {}
        for wide, flat in zip((True, False), parameters or self.parameters(), strict=True):
            sizes: dict[str, int] = {}
            for name in self.names[wide]:
                owner, _, kind = name.rpartition(".")
                if owner.endswith(("self_attention.w_q", "self_attention.w_k", "self_attention.w_v")):
                    owner = owner[:-1] + "qkv"
                elif owner.endswith(("cross_attention.w_k", "cross_attention.w_v")):
                    owner = owner[:-1] + "kv"
                name_of_all = f"{owner}.{kind}"
                sizes[name_of_all] = sizes.get(name_of_all, 0) + self.shapes[name].numel()
            for (name, size), piece in zip(sizes.items(), flat.to(self.dtype).split([*sizes.values()], 1), strict=True):
                width = self.config.d_ff if name.endswith("w_2.weight") else self.config.d_model
                found[name] = piece.view(self.models, size // width, width) if wide else piece[:, None]
        return found

    def logits(
        self,
        src: Int[Tensor, "models batch src_len"],
        tgt: Int[Tensor, "models batch tgt_len"],
        training: bool,
        parameters: Sequence[Tensor] | None = None,
    ) -> Float[Tensor, "models batch tgt_len vocab_size"]:
        """What each model gives for a batch of its own.

        Pitfall: a target may be padded at its end only. What a padded target position gives is of no use.
        """
        run = _Pass(self, self._packed(parameters), training)
        return run.decoded(tgt, run.encoded(src), src)

    def model(self, which: int, parameters: Sequence[Tensor] | None = None) -> Transformer:
        """One of the models, by itself, in float32 and in evaluation mode, on the processor."""
        alone = Transformer(self.config)
        stacked = {}
        for wide, flat in zip((True, False), parameters or self.parameters(), strict=True):
            pieces = flat[which].detach().cpu().split([self.shapes[name].numel() for name in self.names[wide]])
            stacked |= {n: p.view(self.shapes[n]) for n, p in zip(self.names[wide], pieces, strict=True)}
        with torch.no_grad():
            for name, parameter in alone.named_parameters():
                parameter.copy_(stacked[name])
        return alone.eval()


class _Pass:
    """One forward pass of a stack; vectors are (models, rows · length, d_model)."""

    def __init__(self, stack: Stack, named: dict[str, Tensor], training: bool):
        self.stack, self.named, self.config = stack, named, stack.config
        self.dropout = stack.config.dropout if training else 0.0
        self.attention_dropout = stack.config.attention_dropout if training else 0.0

    def linear(self, x: Tensor, name: str) -> Tensor:
        return torch.baddbmm(self.named[f"{name}.bias"], x, self.named[f"{name}.weight"].transpose(1, 2))

    def norm(self, x: Tensor, name: str) -> Tensor:
        plain = F.layer_norm(x, x.shape[-1:])
        return torch.addcmul(self.named[f"{name}.bias"], plain, self.named[f"{name}.weight"])

    def add(self, x: Tensor, change: Tensor) -> Tensor:
        return x + F.dropout(change, self.dropout)

    def embedded(self, tokens: Tensor) -> Tensor:
        models, batch, length = tokens.shape
        table = self.named["src_embedding.weight"]
        shift = torch.arange(models, device=tokens.device)[:, None, None] * table.shape[1]
        vectors = F.embedding(tokens + shift, table.flatten(0, 1)) * math.sqrt(self.config.d_model)
        return F.dropout(vectors + self.stack.positions[:length], self.dropout).view(models, batch * length, -1)

    def heads(self, x: Tensor, batch: int, parts: int) -> tuple[Tensor, ...]:
        """The parts of a product, each (models · batch, heads, length, d_k)."""
        c = self.config
        models, rows, _ = x.shape
        cut = x.view(models * batch, rows // batch, parts, c.n_heads, c.d_model // c.n_heads)
        return cut.permute(2, 0, 3, 1, 4).unbind(0)

    def mixed(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, name: str) -> Tensor:
        found = F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.attention_dropout, is_causal=mask is None
        )
        merged = found.transpose(1, 2).reshape(self.stack.models, -1, self.config.d_model)
        return self.linear(merged, f"{name}.w_o")

    def feed_forward(self, x: Tensor, name: str) -> Tensor:
        inner = torch.relu(self.linear(self.norm(x, f"{name}.add_feed_forward.norm"), f"{name}.feed_forward.w_1"))
        return self.add(x, self.linear(inner, f"{name}.feed_forward.w_2"))

    def visible(self, src: Tensor, queries: int) -> Tensor:
        """What may be attended to in the source, as numbers to add to the scores."""
        real = (src != self.config.pad_id).flatten(0, 1)
        hidden = torch.zeros(real.shape, dtype=self.stack.dtype, device=src.device).masked_fill(~real, -math.inf)
        return hidden[:, None, None, :].expand(-1, self.config.n_heads, queries, -1)

    def encoded(self, src: Tensor) -> Tensor:
        x, batch, mask = self.embedded(src), src.shape[1], self.visible(src, src.shape[2])
        for number in range(self.config.n_layers):
            name = f"encoder.layers.{number}"
            h = self.norm(x, f"{name}.add_attention.norm")
            q, k, v = self.heads(self.linear(h, f"{name}.self_attention.w_qkv"), batch, 3)
            x = self.add(x, self.mixed(q, k, v, mask, f"{name}.self_attention"))
            x = self.feed_forward(x, name)
        return self.norm(x, "encoder.norm")

    def decoded(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        x, batch, mask = self.embedded(tgt), tgt.shape[1], self.visible(src, tgt.shape[2])
        for number in range(self.config.n_layers):
            name = f"decoder.layers.{number}"
            h = self.norm(x, f"{name}.add_self.norm")
            q, k, v = self.heads(self.linear(h, f"{name}.self_attention.w_qkv"), batch, 3)
            x = self.add(x, self.mixed(q, k, v, None, f"{name}.self_attention"))
            h = self.norm(x, f"{name}.add_cross.norm")
            (q,) = self.heads(self.linear(h, f"{name}.cross_attention.w_q"), batch, 1)
            k, v = self.heads(self.linear(memory, f"{name}.cross_attention.w_kv"), batch, 2)
            x = self.add(x, self.mixed(q, k, v, mask, f"{name}.cross_attention"))
            x = self.feed_forward(x, name)
        states = self.norm(x, "decoder.norm")
        scores = torch.bmm(states, self.named["src_embedding.weight"].transpose(1, 2))
        return scores.view(*tgt.shape, -1)
