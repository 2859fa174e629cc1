"""The built book as one zip file, to be unpacked anywhere and opened from there: the same book, the same bytes."""

import zipfile
from pathlib import Path

from editions.built_pages import NotBuilt

NAME = "attention-worked-out.zip"
FOLDER = "attention-worked-out"
DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can say
READ_ME = """Attention, Worked Out

Unpack the whole of this folder, then open index.html in a browser. Nothing is fetched from elsewhere.
"""
KEPT_AS_THEY_ARE = {".woff2", ".png", ".ico", ".whl", ".bin", ".safetensors", ".inv"}  # they would get no smaller


def zipped_files(html):
    """(name in the zip file, file) of all of the built book, in the order of the names."""
    found = [path for path in Path(html).rglob("*") if path.is_file() and path.name != ".buildinfo"]
    return sorted((f"{FOLDER}/{path.relative_to(html).as_posix()}", path) for path in found)


def write_entry(archive, name, content, squeezed=True):
    """Add a file to a zip file, always with the same date and rights."""
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED if squeezed else zipfile.ZIP_STORED
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3  # whatever system writes it
    archive.writestr(entry, content, compresslevel=9)  # the archive's own level does not reach an entry made here


def make_zip(book, target=None):
    """Write the built book in a folder as one zip file; returns the file.

    Args:
        book: its folder.
        target: the file to write; by default in `_build/zip/`.

    Raises:
        NotBuilt: if the book has not been built.
    """
    html = Path(book) / "_build" / "html"
    if not (html / "index.html").exists():
        raise NotBuilt(f"{html / 'index.html'} is not there: this is made of the built book, so run `make book` first")
    target = Path(target or Path(book) / "_build" / "zip" / NAME)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        write_entry(archive, f"{FOLDER}/README.txt", READ_ME)
        for name, path in zipped_files(html):
            write_entry(archive, name, path.read_bytes(), path.suffix not in KEPT_AS_THEY_ARE)
    part.replace(target)
    return target
