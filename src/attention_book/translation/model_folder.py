"""A trained translator on disk: weights in half precision, configuration, vocabulary, the record of its training.

Nothing in such a folder is believed. The weights' file carries a digest of itself and names those of the configuration
and the vocabulary; the record is sealed with it. What the weights' header says is compared with the configuration
before anything is built, and sizes are bounded, so that a folder from elsewhere costs bounded memory and time.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..attention.positions import sinusoidal_positions
from ..data.subwords import Subwords
from ..models.checkpoints import (
    CheckpointError,
    load_tensors,
    read_bytes,
    read_digest,
    read_header,
    recorded_in,
    save_tensors,
    write_atomically,
    write_json,
)
from ..models.registry import TranslationConfig, TranslationModel, build, config_from_dict
from ..models.transformer import Transformer

WEIGHTS, CONFIG, VOCABULARY, RESULTS = "model.safetensors", "config.json", "tokenizer.json", "results.json"
LARGEST = {WEIGHTS: 2**29, CONFIG: 2**16, VOCABULARY: 2**24, RESULTS: 2**22}
"""Bytes that each file may have. The weights of the largest model of Vaswani et al. 2017 have 428 million."""
DEEPEST = 50
"""Brackets inside brackets that the JSON of a configuration or a record may have."""

_BLANK = "0" * 64


def save_model(
    folder: Path, model: TranslationModel, subwords: Subwords, results: dict[str, Any] | None = None
) -> None:
    """Write what `load_model` reads; each file is replaced in one step.

    Weights are rounded to half precision, and tied ones written once. Their file also names the SHA-256 of the
    configuration and of the vocabulary, so that files of two translators, mixed in one folder, are not taken for one.
    The same model, vocabulary and record give the same bytes.

    Args:
        folder: made if it is not there.
        model: its parameters are left as they are.
        subwords: the vocabulary that it was trained with.
        results: the record of its training; without one, a record that is there stays.

    Raises:
        ValueError: a weight is not finite in half precision, whose largest number is 65 504; or the record that is
            there is damaged.
        CheckpointError: a file cannot be written.
    """
    tensors = {name: p.detach().to("cpu", torch.float16).contiguous() for name, p in model.named_parameters()}
    if wrong := [name for name, tensor in tensors.items() if not tensor.isfinite().all()]:
        raise ValueError(f"not finite in half precision: {', '.join(wrong)}")
    if not results and (folder / RESULTS).exists():
        results = _read_results(folder)
    write_json(folder / CONFIG, model.config.to_dict())
    write_atomically(folder / VOCABULARY, subwords.save)
    files = {name: _sha256(read_bytes(folder / name)) for name in (CONFIG, VOCABULARY)}
    save_tensors(folder / WEIGHTS, tensors, {"files": files})
    if results:
        save_results(folder, results)


def save_results(folder: Path, results: dict[str, Any]) -> None:
    """Write the record of a translator that is in a folder already, sealed: with the weights beside it, and unchanged.

    The seal is the first entry of the file, ``"seal"``: the SHA-256 of the weights' digest and of the file's text, in
    which the seal itself is written as zeros.

    Raises:
        CheckpointError: the weights cannot be read, or the record cannot be written.
        ValueError: the record holds a number that is not finite.
    """
    plain = {name: value for name, value in results.items() if name != "seal"}
    if (weights := read_digest(folder / WEIGHTS)) is None:
        write_json(folder / RESULTS, plain)
        return
    text = json.dumps({"seal": _BLANK, **plain}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    sealed = text.replace(_BLANK, _sha256(f"{weights}\n{text}".encode()), 1).encode()
    write_atomically(folder / RESULTS, lambda path: path.write_bytes(sealed))


def load_model(folder: Path) -> tuple[TranslationModel, Subwords, dict[str, Any]]:
    """Read a folder that `save_model` wrote: the model in float32 and in evaluation mode, its vocabulary, its record.

    The record is empty if the folder has none. Nothing is unpickled, no random number is drawn, and every bit is
    verified. A folder from before files carried digests is read with an `UnverifiedWarning`.

    Raises:
        FileNotFoundError: a file is missing; the message names it.
        ValueError: a file is damaged, asks for too much, or does not belong to the others; the message names it.
    """
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if not (folder / name).exists():
            raise FileNotFoundError(f"{folder / name} is missing: {folder} holds no translator that was saved whole")
    with _on_one_line():
        header, metadata = read_header(folder / WEIGHTS, LARGEST[WEIGHTS])
        record = recorded_in(folder / WEIGHTS, metadata)
        contents = {name: read_bytes(folder / name, LARGEST[name]) for name in (CONFIG, VOCABULARY)}
        if record is not None:
            _require_files(folder, record.get("files"), contents)
        results = _read_results(folder) if (folder / RESULTS).exists() else {}
        values = _json(folder / CONFIG, contents[CONFIG])
        model = _without_numbers(folder / CONFIG, values)
        _require_shapes(folder, model, header)
        subwords = _subwords(folder / VOCABULARY, contents[VOCABULARY], model.config)
        if record is None:
            wanted = {"config": json.dumps(values), "tokenizer_sha256": subwords.digest}
            for key, name in (("config", CONFIG), ("tokenizer_sha256", VOCABULARY)):
                if metadata.get(key) != wanted[key]:
                    raise ValueError(f"{folder / WEIGHTS} was not saved with the {name} beside it")
        _put(folder / WEIGHTS, model, load_tensors(folder / WEIGHTS)[0])
    return model.eval(), subwords, results


@contextmanager
def _on_one_line() -> Iterator[None]:
    """Say in one line, as a ValueError, what is wrong with a file, however a file or a library puts it."""
    try:
        yield
    except (CheckpointError, ValueError, RecursionError) as error:
        text = " ".join("".join(c if c.isprintable() else " " for c in str(error)).split())
        text = text if len(text) <= 500 else text[:500] + "…"
        advice = "" if "good copy" in text or "put the file" in text else ". Take a good copy of the folder"
        raise ValueError(f"{text}{advice}") from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _require_files(folder: Path, named: Any, contents: dict[str, bytes]) -> None:
    """Refuse files whose digests are not those that the weights name, in a header that is not verified yet."""
    for name, content in contents.items():
        if not isinstance(named, dict) or _sha256(content) != named.get(name):
            raise _other(folder, name)


def _other(folder: Path, name: str) -> ValueError:
    """What is wrong with a file that is not the one that the weights were saved with."""
    load_tensors(folder / WEIGHTS)  # which raises if the damage is there
    return ValueError(f"{folder / name} is damaged, or was not saved with the {WEIGHTS} beside it")


def _json(path: Path, content: bytes) -> dict[str, Any]:
    """A JSON object that is not too deep for whoever walks through it, and whose numbers are finite."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no number of JSON")

    try:
        text = content.decode("utf-8")
        brackets = re.sub(r'(?s)"[^"\\]*(?:\\.[^"\\]*)*"|[^\[\]{}"]+', "", text)
        if max(accumulate((1 if one in "[{" else -1 for one in brackets), initial=0)) > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        value = json.loads(text, parse_constant=refuse)
    except ValueError as error:  # a UnicodeDecodeError is one
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{path} is damaged: it should hold a JSON object")
    return value


class _NothingDrawn(TorchFunctionMode):
    """Leave tensors without numbers alone where they should get normal ones: torch would load its compiler for it."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return args[0] if func is Tensor.normal_ else func(*args, **(kwargs or {}))


def _without_numbers(path: Path, values: dict[str, Any]) -> TranslationModel:
    """The model of a configuration, its tensors with shapes and no memory; the caller's random state is not touched."""
    try:
        config = config_from_dict(values)
        with torch.device("meta"), _NothingDrawn():
            return build(config)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _require_shapes(folder: Path, model: TranslationModel, header: dict[str, tuple[str, tuple[int, ...]]]) -> None:
    """Refuse weights that are not those that the configuration asks for."""
    wanted = {name: ("F16", tuple(parameter.shape)) for name, parameter in model.named_parameters()}
    if wrong := sorted(name for name in wanted | header if wanted.get(name) != header.get(name)):
        raise ValueError(
            f"{folder / WEIGHTS} does not hold the weights that {CONFIG} asks for: {wrong[0][:100]!r} is "
            f"{header.get(wrong[0], 'missing')}, and should be {wanted.get(wrong[0], 'left out')}. "
            "One of the two files is damaged, or another translator's"
        )


def _subwords(path: Path, content: bytes, config: TranslationConfig) -> Subwords:
    try:
        subwords = Subwords(content.decode("utf-8"))
    except ValueError as error:  # a UnicodeDecodeError is one
        raise ValueError(f"{path} is not a vocabulary that this book wrote: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what a fault in the tokenizers library raises; no Exception
            raise
        raise ValueError(f"{path} is not a vocabulary that this book wrote: {error}") from None
    if len(subwords) != config.vocab_size:
        raise ValueError(f"{path} has {len(subwords)} subwords, and {CONFIG} asks for {config.vocab_size}")
    return subwords


def _put(path: Path, model: TranslationModel, tensors: dict[str, Tensor]) -> None:
    """Give the model its numbers, in float32; a weight that modules share stays shared."""
    numbers = {}
    for name, parameter in model.named_parameters():  # a shared one once
        if not tensors[name].isfinite().all():
            raise ValueError(f"{path} is damaged: {name} has a number that is not finite")
        numbers[id(parameter)] = nn.Parameter(tensors.pop(name).to(torch.float32))
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False, remove_duplicate=False):
            setattr(module, name, numbers.get(id(parameter), parameter))
    if isinstance(model, Transformer) and model.config.positions == "sinusoidal":
        model.positions = sinusoidal_positions(model.config.max_len, model.config.d_model)


def _read_results(folder: Path) -> dict[str, Any]:
    """The record of a folder, its seal verified and taken off."""
    path = folder / RESULTS
    content = read_bytes(path, LARGEST[RESULTS])
    results = _json(path, content)
    weights = read_digest(folder / WEIGHTS) if (folder / WEIGHTS).exists() else None
    seal = results.pop("seal", None)
    if weights is not None:
        blank = content.replace(str(seal).encode(), _BLANK.encode(), 1)
        if _sha256(f"{weights}\n".encode() + blank) != seal:
            raise _other(folder, RESULTS)
    return results
