"""A submission's cells, read as data: nothing in the notebook is run, unpacked or followed here."""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

MOST_CELLS = 1000
TAG = "question:"
CHECK = "public:"
WRITTEN = "written:"
# Not through a link put here meanwhile, and waiting for no pipe. Windows, where students run `check`, lacks both flags
# and would change line ends without its own.
OPENING = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    OPENING |= getattr(os, _flag, 0)


class UnreadableSubmission(ValueError):
    """The file cannot be graded; the message says why, in words for the student."""


@dataclass(frozen=True)
class Cell:
    """A code cell: its place in the notebook from 1, its text, and the question that its tag names, if any.

    `check` is the question that it checks, if it is one of the checks that were handed out.
    """

    number: int
    source: str
    question: str | None
    check: str | None = None


def read_cells(path, folder, most_bytes, checks=False):
    """The code cells of the notebook `path`, which must be a plain file of at most `most_bytes` inside `folder`.

    The checks that were handed out are left out unless `checks` is set: they give no points, and may be changed.

    Raises:
        UnreadableSubmission: the file is a link, too large, no text, no JSON, or no notebook.
    """
    found = _cells(_parsed(_plain_bytes(Path(path), Path(folder), most_bytes)))
    return [cell for cell in found if checks or cell.check is None]


def read_written(path, folder, most_bytes):
    """The written answers of the notebook `path`, by question: pairs of a kind of cell and its text.

    To an answer belongs what stands around its cell, up to the next cell that was handed out: students run an example
    beside their text. Of outputs only the text is taken.

    Raises:
        UnreadableSubmission: as `read_cells`.
    """
    book = _parsed(_plain_bytes(Path(path), Path(folder), most_bytes))
    _cells(book)  # refuses what is no notebook
    answers, around, open_for = {}, [], []
    for cell in [*book["cells"], {"metadata": {"deletable": False}}]:
        about = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
        if about.get("deletable") is False or any(_tagged(about, prefix) for prefix in (TAG, CHECK)):
            for id_ in open_for:
                answers.setdefault(id_, []).extend(around)
            around, open_for = [], []
            continue
        open_for += [id_ for id_ in _tagged(about, WRITTEN) if id_ not in open_for]
        kind = "markdown" if cell.get("cell_type") == "markdown" else "code"
        around += [(kind, _joined(cell["source"])), *(("output", text) for text in _shown(cell.get("outputs")))]
    return answers


def _shown(outputs):
    """The texts among the outputs of a cell, which may be anything."""
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            data = output.get("data") if isinstance(output.get("data"), dict) else {}
            for text in (output.get("text"), data.get("text/plain")):
                if shown := _joined(text):
                    yield shown
            if any(isinstance(kind, str) and kind.startswith("image/") for kind in data):
                yield "(A picture, which is left out here.)"


def _joined(text):
    """A text that may be a list of lines; nothing if it is neither."""
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    return text.encode("utf-8", "replace").decode("utf-8") if isinstance(text, str) else ""


def _plain_bytes(path, folder, most_bytes):
    if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
        raise UnreadableSubmission(
            "The file is a link, or lies outside the folder of submissions; hand in the file itself."
        )
    try:
        handle = os.open(path, OPENING)
    except OSError as error:
        raise UnreadableSubmission(f"The file cannot be opened: {error.strerror}.") from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnreadableSubmission("This is no ordinary file; hand in the .ipynb file itself.")
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise UnreadableSubmission(
            f"The notebook is larger than {most_bytes / 1e6:g} MB. Clear its outputs, save it, and hand it in again."
        )
    return data


def _parsed(data):
    if data[:2] in (b"PK", b"\x1f\x8b"):
        raise UnreadableSubmission(
            "This is an archive under another name. It was not unpacked; hand in the .ipynb itself."
        )
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else f"it is no JSON ({error})"
        raise UnreadableSubmission(f"The notebook is damaged: {reason}. Does it open in Jupyter?") from None


def _cells(book):
    cells = book.get("cells") if isinstance(book, dict) and book.get("nbformat") == 4 else None
    if not isinstance(cells, list) or len(cells) > MOST_CELLS:
        raise UnreadableSubmission(
            f"This is no notebook of format 4 with at most {MOST_CELLS} cells. Save it again in Jupyter."
        )
    found = []
    for number, cell in enumerate(cells, 1):
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise UnreadableSubmission(f"The notebook is damaged: cell {number} has no text. Save it again in Jupyter.")
        if cell.get("cell_type") == "code":
            text = source.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate could not be printed
            named = [_tagged(cell.get("metadata"), prefix) for prefix in (TAG, CHECK)]
            found.append(Cell(number, text, *(names[0] if names else None for names in named)))
    return found


def _tagged(metadata, prefix):
    """What follows `prefix` in the tags of a cell that begin with it; its metadata may be anything."""
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    tags = tags if isinstance(tags, list) else []
    return [tag.removeprefix(prefix) for tag in tags if isinstance(tag, str) and tag.startswith(prefix)]
