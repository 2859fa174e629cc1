"""Weights that are not in the package: fetched from where the book is published when a translator is first asked for.

The wheel that a published book serves is small because it holds the book's translators without their weights. In their
place stands a line of text, and `pretrained/served.json` says for each translator where its weights are, how many bytes
they have, and their SHA-256. A vocabulary that several of them share it holds once, and says where. A package from a
checkout, or from its own wheel, has all files and no such list.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from platformdirs import user_cache_path

from ..data.downloading import DownloadError, download, secured
from ..paths import PRETRAINED

SERVED = "served.json"
VARIABLE = "ATTENTION_BOOK_WEIGHTS"


class WeightsError(FileNotFoundError):
    """Weights are not there and could not be fetched; the message says why, and what to do."""


def weights_folder() -> Path:
    """Where fetched weights are kept: the folder that ATTENTION_BOOK_WEIGHTS names, else the user's cache folder."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser() if given else user_cache_path("attention-book") / "weights"


def served_file(path: Path, pretrained: Path = PRETRAINED) -> Path:
    """The file to read for one of a translator's files.

    Args:
        path: where it is in a folder that a translator was saved in.
        pretrained: the folder of the translators that come with the book, the only ones whose weights are fetched, and
            which may share a vocabulary.

    Returns:
        The same path, if the translator is not one of these, or the package has the file; for a vocabulary that is kept
        with another translator, that of the other; for weights, that of the fetched file, whose SHA-256 is the expected
        one.

    Raises:
        WeightsError: if they have to be fetched and cannot be, or what came is not what it should be.
    """
    served = pretrained / SERVED
    if path.parent.parent != pretrained or not served.is_file():
        return path
    said = json.loads(served.read_text(encoding="utf-8"))
    if shared := said.get("same", {}).get(f"{path.parent.name}/{path.name}"):
        return pretrained / shared
    wanted = said["files"].get(path.parent.name)
    if wanted is None or wanted["name"] != path.name:
        return path
    return _fetched(path.parent.name, wanted, said["address"])


def _fetched(name: str, wanted: dict[str, Any], address: str) -> Path:
    file = weights_folder() / f"{name}.{wanted['sha256'][:16]}.safetensors"
    if _is_right(file, wanted):
        return file
    given = weights_folder() / wanted["file"]  # as the book serves it, put there by hand
    if _is_right(given, wanted):
        return given
    by_hand = f"put the file {wanted['file']} of the published book into a folder, and let {VARIABLE} name that folder"
    if not address:
        raise WeightsError(
            f"this package came without the weights of {name!r}, and it does not say where they are: {by_hand}"
        )
    source = urljoin(address, wanted["file"])
    try:
        content = download(source, wanted["size"])
    except DownloadError as error:
        raise WeightsError(
            f"the weights of {name!r} could not be fetched from {secured(source)}: {error}. "
            f"Try again with a network; without one, {by_hand}"
        ) from error
    if (found := hashlib.sha256(content).hexdigest()) != wanted["sha256"]:
        raise WeightsError(
            f"what {secured(source)} sent is not the weights of {name!r}: {len(content)} bytes with the SHA-256 "
            f"{found}, where {wanted['size']} with {wanted['sha256']} are expected. It was not kept. "
            f"Try again later, or {by_hand}"
        )
    _write(file, content)
    return file


def _is_right(file: Path, wanted: dict[str, Any]) -> bool:
    """Whether a file is there, and the expected one to the last bit."""
    try:
        if file.stat().st_size != wanted["size"]:
            return False
        return hashlib.sha256(file.read_bytes()).hexdigest() == wanted["sha256"]
    except OSError:
        return False


def _write(file: Path, content: bytes) -> None:
    """Write a file in one step: whole or not at all."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, file)
    except OSError as error:
        raise WeightsError(
            f"{file} could not be written: {error.strerror}. "
            f"Let {VARIABLE} name a folder that can be written and has room"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
