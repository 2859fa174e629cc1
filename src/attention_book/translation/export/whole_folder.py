"""A folder for another program: written whole or not at all, and never over what this package did not write."""

import hashlib
import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...models.checkpoints import write_json

ABOUT = "export.json"
"""What is in such a folder: its kind, what a program must know of the model, and the SHA-256 of each other file."""
_WRITER = "python -m attention_book export"


class MissingPackage(ImportError):
    """A library that an export needs is not installed."""


def require_packages(what: str, *names: str) -> None:
    """Refuse to begin where a library is missing.

    Raises:
        MissingPackage: it is; the message says how to install it.
    """
    if missing := [name for name in names if importlib.util.find_spec(name) is None]:
        raise MissingPackage(
            f"{what} needs {' and '.join(missing)}, not installed here. In the folder of the book: "
            f"pip install -r requirements-export.txt; elsewhere: pip install {' '.join(missing)}"
        )


def require_free(folder: Path) -> None:
    """Refuse a place where something stands that `write_folder` did not write.

    Raises:
        ValueError: the path is that of a file, or of a folder that holds anything else; the message names it.
        OSError: the folder cannot be read.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a folder that is empty, or not there yet")
    there = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if others := sorted(there - _written_names(folder)):
        raise ValueError(
            f"{folder} holds {others[0]!r}, which this command did not write, and nothing in it was changed: "
            "name a folder that is empty, or not there yet"
        )


def _written_names(folder: Path) -> set[str]:
    """The files that an earlier export wrote into a folder, as its own record says."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if about["written_by"] != _WRITER:
            return set()
        return {ABOUT, *about["files"]}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return set()


def write_folder(folder: str | Path, about: dict[str, Any], fill: Callable[[Path], None]) -> Path:
    """Have a folder filled beside its place, and move it there when it is whole; what stood there goes then.

    Args:
        folder: where it is to be: an empty folder, one that an earlier export wrote, or none yet.
        about: what a program must know; it goes into `export.json`, with the digests of all files.
        fill: writes the files into the folder that it is given.

    Returns:
        The folder.

    Raises:
        ValueError: as `require_free`.
        OSError: a file cannot be written. Then, and whatever else goes wrong, what stood there is as it was.

    Pitfall: a process that is killed leaves a folder `.NAME.PROCESS.part` beside the place, which may be removed.
    """
    folder = Path(folder).expanduser()
    require_free(folder)
    place = folder.resolve()  # of a link, what it leads to
    new, old = (place.with_name(f".{place.name}.{os.getpid()}.{end}") for end in ("part", "old"))
    new.mkdir(parents=True)
    try:
        fill(new)
        files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(new.iterdir())}
        write_json(new / ABOUT, {"written_by": _WRITER, **about, "files": files})
        if place.exists():
            os.replace(place, old)
        os.replace(new, place)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if old.exists() and not place.exists():
            os.replace(old, place)
        shutil.rmtree(old, ignore_errors=True)
    return folder
