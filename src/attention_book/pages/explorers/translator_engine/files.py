"""What the translator in the page is made of: the text of its engine, and the files that a built book holds."""

import base64
import re
import zlib
from functools import cache
from pathlib import Path
from typing import TypedDict

from ....translation.page_weights import page_weights
from ....translation.translator import Translator
from ..base import joined

ENGINE = ("text.js", "tokenizer.js", "weights.js", "layers.js", "transformer.js", "search.js", "engine.js", "worker.js")
"""The files of the engine, each after those it imports from."""
FOLDER = "_static/translator"
"""Where the weights lie in a built book."""
PARTS = 16
"""Into how many scripts the weights are cut for pages that are opened as files, so that progress can be shown."""


class Weights(TypedDict):
    """Where a page finds the weights: what the client's constructor takes as `weights`.

    Attributes:
        address: of the file, seen from the root of the book.
        bytes: how many it has.
        scripts: addresses of the same bytes as scripts, for pages that are opened as files and may fetch nothing.
    """

    address: str
    bytes: int
    scripts: list[str]


def engine_source() -> str:
    """The engine as one script, for the worker: what the client's constructor takes as `source`.

    It exports nothing, since a page that was opened as a file may not start a worker from a module.
    """
    module = joined(*(f"translator_engine/{name}" for name in ENGINE))
    return '"use strict";\n' + re.sub("^export ", "", module, flags=re.MULTILINE)


@cache
def _content(name: str) -> bytes:
    return page_weights(Translator.from_pretrained(name))


def weights_of(name: str = "en-es") -> Weights:
    """Where a built page finds the weights of a translator that comes with the book.

    The addresses name the checksum, so that no browser takes an old copy for a new one.
    """
    content = _content(name)
    version = f"{zlib.crc32(content):08x}"
    scripts = [f"{FOLDER}/{name}.{n}.js?{version}" for n in range(PARTS)]
    return Weights(address=f"{FOLDER}/{name}.bin?{version}", bytes=len(content), scripts=scripts)


def write_weights(root: Path, name: str = "en-es") -> None:
    """Write the files that `weights_of` names into a built book.

    Args:
        root: the book's own folder, which holds `_static`.
        name: of a translator that comes with the book.
    """
    content = _content(name)
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.bin").write_bytes(content)
    step = -(-len(content) // PARTS)
    for n in range(PARTS):
        letters = base64.b64encode(content[n * step : (n + 1) * step]).decode("ascii")
        script = f'(globalThis.attentionBookWeights ??= [])[{n}] = "{letters}";\n'
        (folder / f"{name}.{n}.js").write_text(script, encoding="ascii")
