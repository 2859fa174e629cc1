"""A trained translator on disk: weights in half precision, configuration, vocabulary, the record of its training."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from ..data.subwords import Subwords
from ..models.checkpoints import write_atomically, write_json
from ..models.registry import TranslationModel, build, config_from_dict

WEIGHTS, CONFIG, VOCABULARY, RESULTS = "model.safetensors", "config.json", "tokenizer.json", "results.json"


def save_model(
    folder: Path, model: TranslationModel, subwords: Subwords, results: dict[str, Any] | None = None
) -> None:
    """Write what `load_model` reads; each file is replaced in one step.

    Weights are rounded to half precision, and tied ones written once. Their file also names the configuration and the
    SHA-256 of the vocabulary, so that files of two translators, mixed in one folder, are not taken for one.

    Args:
        folder: made if it is not there.
        model: its parameters are left as they are.
        subwords: the vocabulary that it was trained with.
        results: the record of its training; without one, a record that is there stays.

    Raises:
        ValueError: a weight is not finite in half precision, whose largest number is 65 504.
        CheckpointError: a file cannot be written.
    """
    tensors = {name: p.detach().to("cpu", torch.float16).contiguous() for name, p in model.named_parameters()}
    if wrong := [name for name, tensor in tensors.items() if not tensor.isfinite().all()]:
        raise ValueError(f"not finite in half precision: {', '.join(wrong)}")
    config = model.config.to_dict()
    metadata = {"format": "pt", "config": json.dumps(config), "tokenizer_sha256": subwords.digest}
    write_json(folder / CONFIG, config)
    write_atomically(folder / VOCABULARY, subwords.save)
    write_atomically(folder / WEIGHTS, lambda path: _write_weights(path, tensors, metadata))
    if results:
        write_json(folder / RESULTS, results)


def _write_weights(path: Path, tensors: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
    save_file(tensors, path, metadata=metadata)
    path.chmod(0o644)  # safetensors makes the file private


def load_model(folder: Path) -> tuple[TranslationModel, Subwords, dict[str, Any]]:
    """Read a folder that `save_model` wrote: the model in float32 and in evaluation mode, its vocabulary, its record.

    The record is empty if the folder has none. Nothing is unpickled, so a folder from elsewhere can do no more than
    translate badly.

    Raises:
        FileNotFoundError: a file is missing; the message names it.
        ValueError: a file is damaged, or does not belong to the others; the message names it.
    """
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder / name} is missing: {folder} holds no translator that was saved whole")
    config = _read_json(folder / CONFIG)
    try:
        with torch.random.fork_rng():  # the random start, soon overwritten, costs the caller no random numbers
            model = build(config_from_dict(config))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder / CONFIG} is damaged: {error}") from error
    subwords = Subwords.load(folder / VOCABULARY)
    _read_weights(folder / WEIGHTS, model, {"config": json.dumps(config), "tokenizer_sha256": subwords.digest})
    results = folder / RESULTS
    return model.eval(), subwords, _read_json(results) if results.exists() else {}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # a UnicodeDecodeError is one
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{path} is damaged: it should hold a JSON object")
    return value


def _read_weights(path: Path, model: TranslationModel, wanted: dict[str, str]) -> None:
    """Put the weights into the model, if their file says that the wanted metadata are its own."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    for key, name in (("config", CONFIG), ("tokenizer_sha256", VOCABULARY)):
        if metadata.get(key) != wanted[key]:
            raise ValueError(f"{path} was not saved with the {name} beside it")
    parameters = dict(model.named_parameters())
    if {n: t.shape for n, t in tensors.items()} != {n: p.shape for n, p in parameters.items()}:
        raise ValueError(f"{path} does not hold the weights that its own configuration asks for")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])
