"""A translator as two ONNX graphs, for programs that have no PyTorch: the encoder, and the decoder with its caches.

The graphs are traced from the very modules of this book, by torch's exporter, for any number of sentences of any
length. `encoder.onnx` reads the source once and gives the keys and values of every cross-attention. `decoder.onnx`
reads one or more target tokens, and the keys and values of those before them, so that a search pays for one token at
each step.
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ...attention.cache import DecoderCache, FixedCache, GrowingCache
from ...attention.multi_head import split_heads
from ...models.concurrency import evaluating
from ...models.transformer import Memory, Transformer
from ..translator import Translator
from .read_me import onnx_read_me, sizes
from .whole_folder import require_free, require_packages, write_folder

ENCODER = {
    "inputs": {"source": {0: "batch", 1: "source_length"}},
    "outputs": ("memory_keys", "memory_values", "source_mask"),
}
DECODER = {
    "inputs": {
        "tokens": {0: "batch", 1: "new_length"},
        "past_keys": {1: "batch", 3: "past_length"},
        "past_values": {1: "batch", 3: "past_length"},
        "memory_keys": {1: "batch", 3: "source_length"},
        "memory_values": {1: "batch", 3: "source_length"},
        "source_mask": {0: "batch", 1: "source_length"},
    },
    "outputs": ("logits", "keys", "values"),
}
"""What goes into each graph and comes out of it; of what goes in, the axes that may have any length."""

_Keys = Float[Tensor, "n_layers batch n_heads length d_k"]
_Values = Float[Tensor, "n_layers batch n_heads length d_v"]


class EncoderGraph(nn.Module):
    """From source ids to what the decoder needs of them."""

    def __init__(self, model: Transformer):
        super().__init__()
        self.model = model

    def forward(self, source: Int[Tensor, "batch src_len"]) -> tuple[_Keys, _Values, Bool[Tensor, "batch src_len"]]:
        """Keys and values of every layer's cross-attention, and where the source has a real token."""
        memory = self.model.encode(source)
        attentions = [layer.cross_attention for layer in self.model.decoder.layers]
        keys = [split_heads(attention.w_k(memory.states), attention.n_heads) for attention in attentions]
        values = [split_heads(attention.w_v(memory.states), attention.n_heads) for attention in attentions]
        return torch.stack(keys), torch.stack(values), memory.mask[:, 0, 0]


class DecoderGraph(nn.Module):
    """From the next target ids, and the keys and values before them, to logits and the keys and values so far."""

    def __init__(self, model: Transformer):
        super().__init__()
        self.model = model

    def forward(
        self,
        tokens: Int[Tensor, "batch new_len"],
        past_keys: _Keys,
        past_values: _Values,
        memory_keys: _Keys,
        memory_values: _Values,
        source_mask: Bool[Tensor, "batch src_len"],
    ) -> tuple[Float[Tensor, "batch new_len vocab_size"], _Keys, _Values]:
        """One step of one token or more. All tokens before them count as real."""
        batch, past_len = tokens.shape[0], past_keys.shape[3]
        cache = DecoderCache(
            [GrowingCache(keys, values) for keys, values in zip(past_keys, past_values, strict=True)],
            [FixedCache(keys, values) for keys, values in zip(memory_keys, memory_values, strict=True)],
            torch.ones(batch, past_len, dtype=torch.bool),
        )
        # Of the memory itself nothing is read: its keys and values are in the cache.
        states = torch.zeros(batch, source_mask.shape[1], self.model.config.d_model)
        logits = self.model.decode(tokens, Memory(states, source_mask[:, None, None]), cache)
        grown = cache.self_attention
        return logits, torch.stack([one.keys for one in grown]), torch.stack([one.values for one in grown])


def write_onnx(translator: Translator, folder: str | Path, tell: Callable[[str], None] = lambda _: None) -> Path:
    """Write the graphs, the vocabulary, `export.json` and a README with a program that translates.

    Args:
        translator: with a Transformer of any configuration.
        folder: as in `whole_folder.write_folder`.
        tell: gets a line of text before each of the two long steps.

    Returns:
        The folder.

    Raises:
        ValueError: the model is no Transformer, or something else stands in the folder.
        MissingPackage: onnx or onnxscript is not installed.
        OSError: a file cannot be written.
    """
    if not isinstance(translator.model, Transformer):
        raise ValueError(
            f"ONNX graphs are written of Transformers, and this model is a {type(translator.model).__name__}, "
            "whose decoder has no keys and values to be handed on"
        )
    require_packages("--onnx", "onnx", "onnxscript")
    require_free(Path(folder).expanduser())
    model, config = evaluating(translator.model), translator.model.config

    def fill(new: Path) -> None:
        for graph, names in ((EncoderGraph(model), ENCODER), (DecoderGraph(model), DECODER)):
            name = "encoder" if names is ENCODER else "decoder"
            tell(f"writing the {name} as a graph")
            (new / f"{name}.onnx").write_bytes(_graph(graph.eval(), _example(model, name), names))
        translator.subwords.save(new / "tokenizer.json")
        (new / "README.md").write_text(onnx_read_me(config), encoding="utf-8")

    return write_folder(folder, {"kind": "onnx", **sizes(config)}, fill)


def _example(model: Transformer, name: str) -> tuple[Tensor, ...]:
    """Inputs to trace with: every axis that may vary has a length of its own, and none is 0 or 1."""
    device, lengths = next(model.parameters()).device, sizes(model.config)
    source = torch.full((2, 5), model.config.eos_id, device=device)
    if name == "encoder":
        return (source,)
    with torch.no_grad():
        memory = EncoderGraph(model)(source)
    shape = (lengths["n_layers"], 2, lengths["n_heads"], 4)
    past = [torch.zeros(*shape, lengths[width], device=device) for width in ("d_k", "d_v")]
    return (source[:, :3], *past, *memory)


def _graph(module: nn.Module, example: tuple[Tensor, ...], names: dict) -> bytes:
    """A module as ONNX, without the notes of the exporter on where in which file each node came from."""
    with _quiet(), torch.no_grad():
        program = torch.onnx.export(
            module,
            example,
            dynamo=True,
            verbose=False,
            external_data=False,
            input_names=list(names["inputs"]),
            output_names=list(names["outputs"]),
            dynamic_shapes=names["inputs"],
        )
    graph = program.model_proto
    for noted in (graph, graph.graph, *graph.graph.node, *graph.graph.value_info, *graph.graph.input):
        noted.ClearField("metadata_props")
        noted.ClearField("doc_string")
    return graph.SerializeToString(deterministic=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's remarks on libraries that are not here and functions that will go."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
