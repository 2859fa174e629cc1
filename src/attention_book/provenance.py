"""Where a number comes from: the machine, the versions, the code. Written beside every measured result."""

import ast
import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import torch

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


def code_digest(*modules: str) -> str:
    """A fingerprint of the code behind a result: of the named modules and all they import from this package.

    Comments and layout do not count: what is hashed is the syntax tree without docstrings, so a better sentence in a
    docstring does not make a result stale.

    Args:
        modules: dotted names, such as ``"attention_book.training"``.

    Returns:
        16 hexadecimal digits.

    Raises:
        ValueError: if a module does not exist.
    """
    graph = SourceGraph(PACKAGE.parent)
    unknown = sorted(set(modules) - graph.modules.keys())
    if unknown:
        raise ValueError(f"no such module: {', '.join(unknown)}")
    digest = hashlib.sha256()
    for name in sorted(graph.closure(modules) - {"attention_book"}):  # the lazy table computes nothing
        tree = graph.parsed[name]
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        digest.update(name.encode() + b"\0" + _dump(tree).encode() + b"\0")
    return digest.hexdigest()[:16]


def _dump(value: object) -> str:
    """``ast.dump`` as Python 3.11 writes it; later versions write empty lists differently and know more of them."""
    if isinstance(value, list):
        return f"[{', '.join(map(_dump, value))}]"
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = []
    for name, field in ast.iter_fields(value):
        left_out = field is None and getattr(type(value), name, ...) is None  # optional, and not given
        if not left_out and not (name == "type_params" and field == []):  # type_params came with Python 3.12
            fields.append(f"{name}={_dump(field)}")
    return f"{type(value).__name__}({', '.join(fields)})"
