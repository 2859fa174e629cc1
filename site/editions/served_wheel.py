"""The package as the published book serves it: a small wheel, and the weights of its translators beside it.

It is the wheel that `pip wheel .` makes of the checkout, in which each translator's weights are a line of text, and
`pretrained/served.json` says where they are and what they must be (`attention_book.models.served_weights`). It has a
vocabulary that several translators share once. The same checkout and address give the same bytes.
"""

import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import urljoin

from editions.built_pages import EditionError, settings
from editions.zipped import write_entry

FOLDER = "_static/package"  # of the built book
WEIGHTS = re.compile(r"attention_book/pretrained/([\w-]+)/(model\.safetensors)")
VOCABULARY = re.compile(r"attention_book/pretrained/([\w-]+/tokenizer\.json)")
SERVED = "attention_book/pretrained/served.json"
STAND_IN = (
    "The weights of this translator are another file of the published book: see served.json beside this folder.\n"
)
SHARED = "This vocabulary is that of another translator: see served.json beside this folder.\n"


def wheel_name(book):
    """What the wheel of the book's package is called."""
    text = (Path(book) / "pyproject.toml").read_text(encoding="utf-8")
    name, version = (re.search(rf"^{key} = \"([^\"]+)\"", text, re.M).group(1) for key in ("name", "version"))
    return f"{name.replace('-', '_')}-{version}-py3-none-any.whl"


def address_of_wheel(book, address):
    """Where pip finds the wheel of a book that is published at an address; empty if there is none."""
    return urljoin(address.rstrip("/") + "/", f"{FOLDER}/{wheel_name(book)}") if address else ""


def whole_wheel(book, folder):
    """The wheel of the checkout with all that the package needs; it is built by the setuptools that is installed.

    Raises:
        EditionError: if pip cannot build it.
    """
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, book]
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True)
    if done.returncode:
        raise EditionError(f"pip could not build the package's wheel:\n{(done.stdout + done.stderr).strip()[-2000:]}")
    [wheel] = Path(folder).glob("*.whl")
    return wheel


def split_wheel(whole, target, address=""):
    """Write a wheel without its weights, and the weights beside it.

    Args:
        whole: the wheel with all.
        target: the folder to write into.
        address: of that folder when it is published; empty if nobody knows it yet.

    Returns:
        The files: the wheel, and then the weights of each translator.
    """
    target = Path(target)
    target.mkdir(parents=True, exist_ok=True)
    entries, weights, served = {}, [], {}
    with zipfile.ZipFile(whole) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            if found := WEIGHTS.fullmatch(name):
                translator, file = found.group(1), target / f"{found.group(1)}.safetensors"
                file.write_bytes(content)
                weights.append(file)
                digest = hashlib.sha256(content).hexdigest()
                served[translator] = {
                    "name": found.group(2), "file": file.name, "sha256": digest, "size": len(content),
                }  # fmt: skip
                content = STAND_IN.encode()
            entries[name] = content
    said = {"address": address, "files": served, "same": shared_vocabularies(entries)}
    entries[SERVED] = (json.dumps(said, indent=1, sort_keys=True) + "\n").encode()
    [record] = [name for name in entries if name.endswith(".dist-info/RECORD")]
    entries.pop(record)
    wheel = target / Path(whole).name
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in sorted(entries):
            write_entry(archive, name, entries[name])
        write_entry(archive, record, recorded(entries) + f"{record},,\n")
    return [wheel, *sorted(weights)]


def shared_vocabularies(entries):
    """Keep each vocabulary once, with the first translator by name that has it; the others get a line of text.

    Args:
        entries: the wheel's files by name; they are changed.

    Returns:
        For each file that is not kept, the one that is, both as in the folder of the translators.
    """
    found = sorted((match.group(1).split("/"), name) for name in entries if (match := VOCABULARY.fullmatch(name)))
    kept, same = {}, {}
    for path, name in found:
        first = kept.setdefault(entries[name], "/".join(path))
        if first != "/".join(path):
            same["/".join(path)] = first
            entries[name] = SHARED.encode()
    return same


def recorded(entries):
    """What a wheel's list of files says of them: name, SHA-256, bytes."""
    lines = []
    for name in sorted(entries):
        digest = base64.urlsafe_b64encode(hashlib.sha256(entries[name]).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(entries[name])}\n")
    return "".join(lines)


def make_wheel(book, target=None, address=None):
    """Write the small wheel of the checkout in a folder, and the weights; returns the files.

    Args:
        book: the folder of the checkout.
        target: where to write; by default `_build/wheel/`.
        address: where the book is published; by default as `html.baseurl` in `_config.yml` has it.

    Raises:
        EditionError: if the package cannot be built.
    """
    address = settings(book).address if address is None else address
    with tempfile.TemporaryDirectory() as folder:
        whole = whole_wheel(Path(book), Path(folder))
        published = urljoin(address.rstrip("/") + "/", f"{FOLDER}/") if address else ""
        return split_wheel(whole, target or Path(book) / "_build" / "wheel", published)
