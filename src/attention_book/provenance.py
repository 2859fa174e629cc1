"""Where a number comes from: the machine, the versions, the code. Written beside every measured result."""

import ast
import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import torch

PACKAGE = Path(__file__).parent


def today() -> str:
    """The date in UTC, as YYYY-MM-DD."""
    return datetime.now(UTC).date().isoformat()


def machine() -> dict[str, str | int]:
    """The processor, the number of cores it lends us, the threads torch uses, and the accelerator if there is one."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        name = models[0] if models else name
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = {"processor": name, "cores": cores, "threads": torch.get_num_threads(), "system": platform.system()}
    if torch.cuda.is_available():
        found["accelerator"] = torch.cuda.get_device_name()
    return found


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that a measured number may depend on."""
    names = ("numpy", "sacrebleu", "tokenizers", "torch")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}


def _imports(path: Path) -> set[str]:
    """The modules of this package that a source file imports by name, as paths relative to the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parent.parents[node.level - 2] if node.level > 1 else path.parent
            base = folder.joinpath(*(node.module or "").split(".")) if node.module else folder
            candidates = [base, *(base / alias.name for alias in node.names)]
            for candidate in candidates:
                for file in (candidate.with_suffix(".py"), candidate / "__init__.py"):
                    if file.is_file() and file.is_relative_to(PACKAGE) and file != PACKAGE / "__init__.py":
                        found.add(file.relative_to(PACKAGE).as_posix())
    return found


def code_digest(*modules: str) -> str:
    """A fingerprint of the code behind a result: of the named modules and all they import from this package.

    Comments and layout do not count: what is hashed is the syntax tree without docstrings, so a better sentence in a
    docstring does not make a result stale.

    Args:
        modules: file names relative to the package, such as ``"training.py"``.

    Returns:
        16 hexadecimal digits.
    """
    seen: set[str] = set()
    todo = list(modules)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(_imports(PACKAGE / name))
    digest = hashlib.sha256()
    for name in sorted(seen):
        tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        digest.update(name.encode() + b"\0" + ast.dump(tree).encode() + b"\0")
    return digest.hexdigest()[:16]
