"""A translator in one small file, for a program that shares nothing with this one: the translator in the page.

The file is, in this order: eight bytes `ATTNBK01`; a checksum; the length of the header in bytes; the header; the
numbers. Checksum and length are whole numbers of 32 bits, the lowest byte first. The checksum is the CRC-32 of all that
comes after it. The header is JSON in UTF-8, with spaces at its end until the numbers begin at a multiple of eight:

- `config`: the model's configuration.
- `pieces`: the spelling of each subword, by id, in the 256 letters that stand for bytes.
- `merges`: ids, two a merge: the merges of byte-pair encoding, in the order in which they were learnt.
- `tensors`: by name, `shape` and `offset`, which counts bytes from where the numbers begin. A matrix has whole numbers
  of eight bits at `offset`, row by row, and at `scales` one number a row to multiply them with (`models.quantisation`).
  A vector has its numbers at `offset`. What is not in eight bits is float32, the lowest byte first.
"""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..data.subwords import as_json
from ..models.checkpoints import write_atomically
from ..models.config import TransformerConfig
from ..models.quantisation import Rows, dequantise, is_matrix, quantise
from ..models.transformer import Transformer
from .translator import Translator

MAGIC = b"ATTNBK01"
LARGEST = 10_000_000
"""Bytes that a page may fetch for a translator."""
_START = len(MAGIC) + 8


def page_weights(translator: Translator) -> bytes:
    """The file of a translator: its model in eight bits, its vocabulary and its merges.

    Args:
        translator: a Transformer with sinusoidal, learned or no positions.

    Returns:
        The same bytes for the same translator.

    Raises:
        ValueError: the model is none that the page can run, or the file would be larger than `LARGEST`.
    """
    model = translator.model
    if not isinstance(model, Transformer) or model.config.positions == "rotary":
        raise ValueError("the page runs Transformers with sinusoidal, learned or no positions, and this is none")
    tensors, numbers = {}, bytearray()

    def put(tensor: Tensor) -> int:
        place = len(numbers)
        numbers.extend(tensor.cpu().contiguous().numpy().astype(tensor.cpu().numpy().dtype.newbyteorder("<")).tobytes())
        numbers.extend(bytes(-len(numbers) % 8))
        return place

    for name, parameter in model.named_parameters():  # what is tied has one name
        entry: dict[str, Any] = {"shape": list(parameter.shape)}
        if is_matrix(parameter):
            rows = quantise(parameter)
            entry |= {"offset": put(rows.values), "scales": put(rows.scales)}
        else:
            entry |= {"offset": put(parameter.detach().float())}
        tensors[name] = entry
    pieces, merges = _vocabulary(translator)
    header = {"config": model.config.to_dict(), "pieces": pieces, "merges": merges, "tensors": tensors}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-(_START + len(text)) % 8)
    content = struct.pack("<I", len(text)) + text + bytes(numbers)
    content = MAGIC + struct.pack("<I", zlib.crc32(content)) + content
    if len(content) > LARGEST:
        raise ValueError(f"the file would have {len(content):,} bytes, and a page may fetch {LARGEST:,}")
    return content


def _vocabulary(translator: Translator) -> tuple[list[str], list[int]]:
    """The spelling of each piece by its id, and the ids of all merges, two a merge."""
    model = json.loads(as_json(translator.subwords))["model"]
    ids = model["vocab"]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    return sorted(ids, key=ids.get), [ids[part] for pair in pairs for part in pair]


def write_page_weights(translator: Translator, path: str | Path) -> Path:
    """Write `page_weights` into a file, in one step.

    Raises:
        ValueError: as `page_weights`.
        CheckpointError: the file cannot be written; what was there stays.
    """
    content = page_weights(translator)
    write_atomically(Path(path), lambda temporary: temporary.write_bytes(content))
    return Path(path)


def model_of(content: bytes) -> Transformer:
    """The model of such a file in float32, its matrices as eight bits say them: the page must agree with it.

    Raises:
        ValueError: the file is damaged, or is none that `page_weights` made.
    """
    if content[: len(MAGIC)] != MAGIC or len(content) < _START:
        raise ValueError("this is no file of a translator for the page")
    checksum, length = struct.unpack_from("<II", content, len(MAGIC))
    if zlib.crc32(content[len(MAGIC) + 4 :]) != checksum:
        raise ValueError("the file is damaged: its checksum is another. Take a good copy, or write it again")
    header, start = json.loads(content[_START : _START + length]), _START + length
    tensors = {}
    for name, entry in header["tensors"].items():
        if "scales" in entry:
            rows = Rows(
                _numbers(content, start + entry["offset"], entry["shape"], np.int8),
                _numbers(content, start + entry["scales"], entry["shape"][:1], "<f4"),
            )
            tensors[name] = dequantise(rows)
        else:
            tensors[name] = _numbers(content, start + entry["offset"], entry["shape"], "<f4")
    with torch.random.fork_rng():
        model = Transformer(TransformerConfig.from_dict(header["config"]))
    left = model.load_state_dict(tensors, strict=False)
    if left.unexpected_keys or set(dict(model.named_parameters())) - set(tensors):
        raise ValueError("the file's tensors are not those of its configuration")
    return model.eval().requires_grad_(False)


def _numbers(content: bytes, offset: int, shape: list[int], kind: Any) -> Tensor:
    values = np.frombuffer(content, kind, count=int(np.prod(shape)), offset=offset)
    return torch.from_numpy(values.astype(np.dtype(kind).newbyteorder("="))).reshape(shape)
