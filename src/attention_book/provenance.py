"""Where a number comes from: the machine, the versions, the code. Written beside every measured result."""

import hashlib
import os
import platform
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import torch

from .definitions import Definitions
from .source_graph import SourceGraph

PACKAGE = Path(__file__).parent


def today() -> str:
    """The date in UTC, as YYYY-MM-DD."""
    return datetime.now(UTC).date().isoformat()


def machine() -> dict[str, str | int]:
    """The processor, the number of cores it lends us, the threads torch uses, and the accelerator if there is one."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = {"processor": name, "cores": cores, "threads": torch.get_num_threads(), "system": platform.system()}
    if torch.cuda.is_available():
        found["accelerator"] = torch.cuda.get_device_name()
    return found


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that a measured number may depend on."""
    names = ("numpy", "sacrebleu", "tokenizers", "torch")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}


def code_digest(module: str, *names: str) -> str:
    """A fingerprint of what definitions compute, with all that they reach in this package.

    It moves with a computation, a default, a constant, a decorator. Comments, docstrings, what errors say, import
    statements, and the names and the order of modules leave it as it is, and so does code that is not reached.

    Args:
        module: a dotted name, such as ``"attention_book.training"``.
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
