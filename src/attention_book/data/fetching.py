"""Fetching: files from public addresses, used only when their SHA-256 is the expected one, written in one step."""

import hashlib
import io
import os
import stat
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path
from tqdm import tqdm

from .downloading import DownloadError, download, secured

VARIABLE = "ATTENTION_BOOK_DATA"
COMMAND = "python -m attention_book fetch"
_MOST_UNPACKED = 1 << 26  # bytes that a zip file may unpack to: eight times what the book's own does
_CHUNK_BYTES = 1 << 16


class CorpusError(RuntimeError):
    """A corpus is missing, or is not what it should be; the message names the file, the reason and what to do."""


@dataclass(frozen=True)
class RemoteFile:
    """A file and what it must be.

    Attributes:
        name: its name in the data folder.
        address: where it is public; it is asked over HTTPS, even if it was written down with ``http://``.
        sha256: of its bytes, in hexadecimal.
        size: in bytes.
    """

    name: str
    address: str
    sha256: str
    size: int


def data_folder() -> Path:
    """The folder of the corpora: the one that ATTENTION_BOOK_DATA names, else the user's cache folder."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser() if given else user_cache_path("attention-book") / "corpora"


def read_checked(file: RemoteFile) -> bytes:
    """The bytes of a file in the data folder, or, without ATTENTION_BOOK_DATA, fetched into it first.

    Raises:
        CorpusError: if it is not there and cannot be fetched, or its SHA-256 is not the expected one.
    """
    path = data_folder() / file.name
    if not path.exists():
        if os.environ.get(VARIABLE):  # a folder that was given is only read, unless the reader asks for the fetch
            raise CorpusError(f"{path} is not there, and {VARIABLE} names its folder. {_ways_to_get(file)}")
        fetch_file(file)
    return _read(path, file)


def fetch_file(file: RemoteFile, force: bool = False) -> Path:
    """Bring a file into the data folder, unless it is there already.

    Args:
        file: what to bring.
        force: fetch even if a file is there, and replace it, once the new one has been checked.

    Returns:
        Where the file is.

    Raises:
        CorpusError: if it cannot be fetched or written, what came is not the file, or another file has its name.
    """
    path = data_folder() / file.name
    if path.exists() and not force:
        _read(path, file)
        return path
    content = _download(file)
    if fault := _fault(content, file):
        sent = f"What {secured(file.address)} sent is not {file.name}: {fault} It was not kept."
        raise CorpusError(f"{sent} {_ways_to_get(file)}")
    _write(path, content)
    return path


def _ways_to_get(file: RemoteFile) -> str:
    return (
        f"With a network, `{COMMAND}` brings it; without one, get {file.name} from {secured(file.address)} "
        f"and set {VARIABLE} to the folder that holds it."
    )


def _fault(content: bytes, file: RemoteFile) -> str | None:
    """What is wrong with the bytes of a file, as a sentence; None if they are the expected ones."""
    found = hashlib.sha256(content).hexdigest()
    if found == file.sha256:
        return None
    if len(content) > file.size:
        return f"it has more than the {file.size} bytes expected, and so not the SHA-256 {file.sha256}."
    cut = f", {len(content)} bytes of {file.size}, cut short" if len(content) < file.size else ""
    return f"its SHA-256 is {found}, not {file.sha256}{cut}."


def _read(path: Path, file: RemoteFile) -> bytes:
    """The bytes of a file in the data folder, of which no more are read than there should be, and one."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():  # opening a pipe would wait for a writer
            raise OSError(0, "it is not an ordinary file")
        with path.open("rb") as opened:
            content = opened.read(file.size + 1)
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}. {_ways_to_get(file)}") from error
    if fault := _fault(content, file):
        raise CorpusError(f"{path} was not used: {fault} Move it away and get the file again. {_ways_to_get(file)}")
    if path.suffix == ".zip":
        _require_modest(content, path)
    return content


def _require_modest(content: bytes, path: Path) -> None:
    """Refuse a zip file that unpacks to too much, by what it states and, in small pieces, by what it holds."""
    counted = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as files:
            for member in files.infolist():
                if (counted := counted + member.file_size) > _MOST_UNPACKED:
                    raise CorpusError(f"{path} was not used: it unpacks to more than {_MOST_UNPACKED} bytes.")
                with files.open(member) as stream:  # which reads no more than is stated, and then compares a checksum
                    while stream.read(_CHUNK_BYTES):
                        pass
    except CorpusError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        raise CorpusError(f"{path} is no whole zip file: {error}.") from error


def _download(file: RemoteFile) -> bytes:
    """The bytes at a file's address, at most one byte more than expected, with a line of progress on a terminal."""
    with tqdm(total=file.size, desc=file.name, unit="B", unit_scale=True, disable=None) as progress:
        try:
            return download(file.address, file.size, progress.update)
        except DownloadError as error:
            reason = f"{file.name} could not be fetched from {secured(file.address)}: {error}."
            raise CorpusError(f"{reason} {_ways_to_get(file)}") from error


def _write(path: Path, content: bytes) -> None:
    """Write a file in one step: whole or not at all, and what was there before stays if anything fails."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)  # mkstemp makes the file private
        os.replace(temporary, path)
    except OSError as error:
        reason = f"{path} could not be written: {error.strerror}."
        raise CorpusError(f"{reason} Set {VARIABLE} to a folder that can be written and has room.") from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
