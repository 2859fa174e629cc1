"""Files that are either whole or refused: tensors in safetensors, a record as JSON in its header, one digest over all.

A file carries the SHA-256 of all its bytes, those of the digest itself taken as zeros, so that no bit of it can change
unnoticed: a name, a shape, a number, the record. It is written beside its place and moved there when it is whole. No
pickle is read or written, and the same tensors and the same record give the same bytes.
"""

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import secrets
import stat
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from .served_weights import served_file

KEY = "attention_book"
"""The one entry of the header's metadata. safetensors writes several in an order that differs between processes."""
LONGEST_HEADER = 2**23
"""Bytes. A run of 20 validations has a record of 6 000, and a hundred layers have names of 300 000."""

_BYTES = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1}
_BEFORE = {"format", "config", "tokenizer_sha256", "record"}  # the metadata of files from before digests
_BLANK = "0" * 64
_TOKEN = secrets.token_hex(4)  # tells this process from an earlier one with the same id, as containers give it
_TEMPORARY = re.compile(r"\..+\.(\d+)(?:-([0-9a-f]{8}))?\.part(?:[a-z0-9_]{8}\.part)?")


class CheckpointError(RuntimeError):
    """A checkpoint could not be written or read; the message says which one, why, and what is still good."""


class UnverifiedWarning(UserWarning):
    """A file from before files carried a digest was read: damage to its numbers cannot be told."""


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Call ``write(temporary_path)``, then move the file into place; on any failure leave what was there.

    A process that is killed meanwhile leaves the temporary file, which :func:`sweep` removes.

    Raises:
        CheckpointError: if writing fails (a full disk, say); the message says what to do. The partial file is removed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{_TOKEN}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        os.replace(temporary, path)
    except (OSError, SafetensorError) as error:
        kept = f"the earlier {path} is kept" if os.path.exists(path) else "nothing was left behind"
        raise CheckpointError(f"could not write {path}: {error}; {kept}. {_advice(error)}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _advice(error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "Free some space and go on."
    if code == errno.EROFS:
        return "The disk can only be read: choose a folder on another one."
    if code in (errno.EACCES, errno.EPERM):
        return "You may not write there: choose another folder, or ask for the permission."
    if code in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOTEMPTY):
        return "Something else has a name that is needed: move it away, or choose another folder."
    if code == errno.ENAMETOOLONG:
        return "Choose a shorter name."
    return "Look whether the disk is in order, or choose another folder."


def sweep(folder: Path) -> list[Path]:
    """Remove the temporary files that `write_atomically` left in a folder when its process was killed.

    A file stays while the process in its name runs. Folders inside are left alone, and so are all other files.

    Returns:
        What was removed.
    """
    removed = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        found = _TEMPORARY.fullmatch(path.name)
        if found and not _runs(int(found[1]), found[2]):
            with contextlib.suppress(OSError):
                path.unlink()
                removed.append(path)
    return removed


def _runs(process: int, token: str | None) -> bool:
    """Whether the process that named a temporary file may still be at work on it."""
    if process == os.getpid():
        return token == _TOKEN
    if os.name == "nt":  # where os.kill would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people to read as well: indented, sorted by nothing, Unicode as it is, a final newline."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(path, lambda p: p.write_text(text, encoding="utf-8"))


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """The content of a regular file, or of one that a link leads to. A pipe, a device or a socket is not even opened.

    Args:
        path: the file.
        most: bytes that it may have at most.

    Raises:
        CheckpointError: if it is none, is empty or too large, or cannot be read.
    """
    path = served_file(path)
    size = _size(path, most)
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}") from error


def save_tensors(path: Path, tensors: dict[str, Tensor], record: dict[str, Any]) -> str:
    """Write tensors and a JSON record in one file that `load_tensors` can tell from a damaged one, atomically.

    Args:
        path: the safetensors file; its folder is made if it is not there.
        tensors: by name, on any device; no two may share memory.
        record: what JSON can hold.

    Returns:
        The digest that the file carries, 64 hexadecimal digits: the same for the same names, tensors and record.

    Raises:
        CheckpointError: if the file cannot be written; one that was there stays.
        TypeError: if JSON cannot hold the record.
    """
    metadata = {KEY: json.dumps({"sha256": _BLANK, "record": record})}
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    content = bytearray(safetensors.torch.save(plain, metadata))
    digest = hashlib.sha256(content).hexdigest()
    at = content.index(_BLANK.encode())
    content[at : at + len(digest)] = digest.encode()
    write_atomically(path, lambda temporary: _write(temporary, content))
    return digest


def _write(path: Path, content: bytes | bytearray) -> None:
    path.write_bytes(content)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the record that `save_tensors` wrote, if every bit of the file is as it was.

    A file from before files carried a digest is read as well, with an `UnverifiedWarning`; its record is the metadata
    of its header.

    Raises:
        CheckpointError: if the file is missing, damaged, or none of this kind; the message names it.
    """
    tensors, record, _ = _load(path)
    return tensors, record


def read_digest(path: Path) -> str | None:
    """The digest that a file carries, from its header alone: nothing is verified. None if it is from before digests.

    Raises:
        CheckpointError: as `read_header`.
    """
    metadata = read_header(path)[1]
    return _own(path, metadata)[0] if KEY in metadata else None


def recorded_in(path: Path, metadata: dict[str, str]) -> dict[str, Any] | None:
    """The record that `save_tensors` put into the metadata of a header, unverified; None if it is from before digests.

    Raises:
        CheckpointError: if it is damaged.
    """
    return _own(path, metadata)[1] if KEY in metadata else None


def read_header(path: Path, most: int | None = None) -> tuple[dict[str, tuple[str, tuple[int, ...]]], dict[str, str]]:
    """The types and the shapes of a file's tensors, by name, and its metadata, without their data.

    The file is just as long as the header says. Of the data nothing is read, and nothing verified.

    Args:
        path: the safetensors file.
        most: bytes that the whole file may have at most.

    Raises:
        CheckpointError: if the file is missing, damaged, too large, or none of this kind.
    """
    path = served_file(path)
    size = _size(path, most)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            text = file.read(min(length, LONGEST_HEADER + 1))
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}") from error
    return _parsed(path, text, length, size)


def _load(path: Path) -> tuple[dict[str, Tensor], dict[str, Any], str | None]:
    """Tensors, record and digest of a file; of one from before digests, the metadata and None."""
    content = read_bytes(path)
    length = int.from_bytes(content[:8], "little")
    _, metadata = _parsed(path, content[8 : 8 + min(length, LONGEST_HEADER + 1)], length, len(content))
    record, digest = metadata, None
    if KEY in metadata:
        digest, record = _own(path, metadata)
        at = content.index(digest.encode())
        found = hashlib.sha256(content[:at] + _BLANK.encode())
        found.update(memoryview(content)[at + len(digest) :])
        if found.hexdigest() != digest:
            raise _damaged(path, "its digest is not that of its content")
    else:
        warnings.warn(
            f"{path} is from before files carried a digest: damage to its numbers cannot be told. Save it again",
            UnverifiedWarning,
            stacklevel=4,
        )
    try:
        return safetensors.torch.load(content), record, digest
    except (SafetensorError, ValueError, TypeError, RuntimeError) as error:
        raise _damaged(path, error) from error


def _size(path: Path, most: int | None) -> int:
    """The length of a regular file, in bytes."""
    try:
        found = path.stat()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise CheckpointError(f"{path} is no regular file: put the file itself there")
    if not found.st_size:
        raise _damaged(path, "it is empty")
    if most is not None and found.st_size > most:
        raise CheckpointError(f"{path} has {found.st_size:,} bytes, and {most:,} are the most that are read")
    return found.st_size


def _damaged(path: Path, why: object) -> CheckpointError:
    return CheckpointError(f"{path} is damaged: {why}. Take a good copy, or make it again")


def _own(path: Path, metadata: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """The digest and the record in the metadata that `save_tensors` wrote."""
    try:
        own = json.loads(metadata[KEY])
        digest, record = own["sha256"], own["record"]
        if set(metadata) | set(own) != {KEY, "sha256", "record"} or not isinstance(record, dict):
            raise ValueError("it has other entries")
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise ValueError("its digest is none")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _damaged(path, f"its record cannot be read ({error})") from error
    return digest, record


def _parsed(
    path: Path, text: bytes, length: int, size: int
) -> tuple[dict[str, tuple[str, tuple[int, ...]]], dict[str, str]]:
    """What a header of ``length`` bytes says, in a file of ``size`` bytes."""
    if not length <= min(LONGEST_HEADER, size - 8):
        raise _damaged(path, f"its header is said to have {length:,} bytes")
    try:
        header = json.loads(text.decode("utf-8"))
        metadata = header.pop("__metadata__", {})
        if metadata.keys() - _BEFORE - {KEY} or not all(isinstance(value, str) for value in metadata.values()):
            raise ValueError("its metadata are not those of this book")
        found, end = {}, 0
        for name, entry in header.items():
            kind, shape, (start, stop) = entry.pop("dtype"), tuple(entry.pop("shape")), entry.pop("data_offsets")
            places = (*shape, start, stop)
            if entry or len(shape) > 8 or not all(type(n) is int and 0 <= n <= size for n in places):
                raise ValueError(f"{name!r} is no tensor")
            if stop - start != math.prod(shape) * _BYTES[kind]:
                raise ValueError(f"{name!r} has {stop - start} bytes")
            found[name], end = (kind, shape), max(end, stop)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, f"its header cannot be read ({error})") from error
    if size != 8 + length + end:
        raise _damaged(path, f"it has {size:,} bytes, and {8 + length + end:,} by its header")
    return found, metadata


def save_checkpoint(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, record: dict[str, Any]) -> str:
    """Write the model, the optimizer's moments, torch's random state and a JSON record in one file, atomically.

    Returns:
        The file's digest, as `save_tensors`.
    """
    tensors = {f"model.{name}": p.detach() for name, p in model.named_parameters()}  # tied weights appear once
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": torch.as_tensor(value) for name, value in moments.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    return save_tensors(path, {name: t.cpu().contiguous().clone() for name, t in tensors.items()}, record)


def read_record(path: Path) -> dict[str, Any]:
    """The JSON record of a checkpoint, which is verified whole.

    Raises:
        CheckpointError: if the file is missing, damaged, or no checkpoint.
    """
    return _checkpoint(path)[1]


def load_checkpoint(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Put a checkpoint back into a model, an optimizer and torch's random state; return the JSON record.

    Raises:
        CheckpointError: if the file is damaged, or was written for another model.
    """
    tensors, record = _checkpoint(path)
    parameters = dict(model.named_parameters())
    saved = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
    if {n: t.shape for n, t in saved.items()} != {n: p.shape for n, p in parameters.items()}:
        raise CheckpointError(f"{path} was written for a model of another shape")
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            if not (found := re.fullmatch(r"optimizer\.(\d+)\.(\w+)", name)):
                raise _damaged(path, f"no tensor of an optimizer is called {name!r}")
            state.setdefault(int(found[1]), {})[found[2]] = tensor
    steered = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for index, moments in state.items():  # a file from before digests may be damaged here
        shapes = {torch.Size(), *(parameter.shape for parameter in steered[index : index + 1])}
        if index >= len(steered) or set(moments) != set(next(iter(state.values()))):
            raise _damaged(path, f"the optimizer's moments of parameter {index} are none of this model")
        if not {tensor.shape for tensor in moments.values()} <= shapes:
            raise _damaged(path, f"the optimizer's moments of parameter {index} have another shape")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(saved[name])
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    torch.set_rng_state(tensors["random.cpu"])
    if torch.cuda.is_available() and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return record


def _checkpoint(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors, record, digest = _load(path)
    if digest is None:
        try:
            record = json.loads(record["record"])
        except (KeyError, ValueError, RecursionError) as error:
            raise CheckpointError(f"{path} is no checkpoint that can be read: it holds no record ({error})") from error
    if "random.cpu" not in tensors or not isinstance(record, dict):
        raise CheckpointError(f"{path} is no checkpoint that can be read: it holds no random state")
    return tensors, record
