"""A fingerprint of the code behind a result, which says whether the result is older than its code."""

import hashlib
from functools import lru_cache
from pathlib import Path

from ..paths import PACKAGE
from .definitions import Definitions
from .source_graph import SourceGraph


def code_digest(module: str, *names: str) -> str:
    """A fingerprint of what definitions compute, with all that they reach in this package.

    It moves with a computation, a default, a constant, a decorator. Comments, docstrings, what errors say, import
    statements, and the names and the order of modules leave it as it is, and so does code that is not reached.

    Args:
        module: a dotted name, such as ``"attention_book.training.trainer"``.
        names: of definitions in it; all of the module if there are none.

    Returns:
        16 hexadecimal digits.

    Raises:
        ValueError: if there is no such module, or no such name in it.
    """
    sources = SourceGraph(PACKAGE.parent, PACKAGE.name)
    definitions = _definitions(
        sources.root, hashlib.sha256(repr(sorted(sources.contents.items())).encode()).hexdigest()
    )
    return definitions.digest(definitions.of(module, *names))


@lru_cache(maxsize=1)
def _definitions(root: Path, state: str) -> Definitions:
    """The definitions under a folder whose files are in a state: parsed again when a file has changed."""
    return Definitions(SourceGraph(root, PACKAGE.name))
