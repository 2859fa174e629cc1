"""Checkpoints that are either whole or not there: tensors in safetensors, the rest as JSON in its header. No pickle."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn


class CheckpointError(RuntimeError):
    """A checkpoint could not be written or read; the message says which one, why, and what is still good."""


def write_atomically(path: Path, write) -> None:
    """Call ``write(temporary_path)``, then move the file into place; on any failure leave what was there.

    Raises:
        CheckpointError: if writing fails (a full disk, say). The partial file is removed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        os.replace(temporary, path)
    except (OSError, SafetensorError) as error:
        kept = f"the earlier {path} is kept" if path.exists() else "nothing was left behind"
        raise CheckpointError(f"could not write {path}: {error}; {kept}. Free some space and go on.") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people to read as well: indented, sorted by nothing, Unicode as it is, a final newline."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(path, lambda p: p.write_text(text, encoding="utf-8"))


def save_checkpoint(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, record: dict[str, Any]) -> None:
    """Write the model, the optimizer's moments, torch's random state and a JSON record in one file, atomically."""
    tensors = {f"model.{name}": p.detach() for name, p in model.named_parameters()}  # tied weights appear once
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": torch.as_tensor(value) for name, value in moments.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    tensors = {name: t.cpu().contiguous().clone() for name, t in tensors.items()}
    write_atomically(path, lambda p: save_file(tensors, p, metadata={"record": json.dumps(record)}))


def read_record(path: Path) -> dict[str, Any]:
    """The JSON record of a checkpoint, without its tensors."""
    return _read(path)[0]


def load_checkpoint(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Put a checkpoint back into a model, an optimizer and torch's random state; return the JSON record.

    Raises:
        CheckpointError: if the file is damaged, or was written for another model.
    """
    record, tensors = _read(path, with_tensors=True)
    if "random.cpu" not in tensors:
        raise CheckpointError(f"{path} is not a checkpoint that can be read: it holds no random state")
    parameters = dict(model.named_parameters())
    saved = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
    if {n: t.shape for n, t in saved.items()} != {n: p.shape for n, p in parameters.items()}:
        raise CheckpointError(f"{path} was written for a model of another shape")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(saved[name])
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, index, moment = name.split(".")
            state.setdefault(int(index), {})[moment] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    torch.set_rng_state(tensors["random.cpu"])
    if torch.cuda.is_available() and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return record


def _read(path: Path, with_tensors: bool = False) -> tuple[dict[str, Any], dict[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            record = json.loads((file.metadata() or {})["record"])
            return record, {name: file.get_tensor(name) for name in file.keys()} if with_tensors else {}  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(f"{path} is not a checkpoint that can be read: {error}") from error
