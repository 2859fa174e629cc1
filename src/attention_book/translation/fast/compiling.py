"""`compiled.c` made into machine code for this processor, once, and loaded.

The code lies in the user's cache folder, under a name made of its source, its compiler and the processor. Where there
is no C compiler nothing is loaded, and whoever asks does without.
"""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_cache_path

SOURCE = Path(__file__).with_name("compiled.c")
NATIVE = "-march=native" if platform.machine() in ("x86_64", "AMD64") else "-mcpu=native"
FLAGS = ("-O3", NATIVE, "-std=gnu11", "-shared", "-fPIC")
"""None of them lets the compiler change the order of a sum."""
_POINTER, _WHOLE = ctypes.c_void_p, ctypes.c_int64
_ARGUMENTS = {
    "encode": [_POINTER, _WHOLE, *[_POINTER] * 4],
    "step": [_POINTER, _POINTER],
    "choose": [_POINTER, _WHOLE, _WHOLE, _POINTER, _POINTER, ctypes.c_int, _WHOLE, *[_POINTER] * 3],
}


@functools.cache
def library() -> ctypes.CDLL | None:
    """The functions of `compiled.c`; None where they cannot be compiled or loaded."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or os.name != "posix":
        return None
    try:
        return load(built(compiler, user_cache_path("attention-book") / "compiled"))
    except (OSError, subprocess.SubprocessError):
        return None


def load(path: Path) -> ctypes.CDLL:
    """The functions in a shared library that `built` made.

    Raises:
        OSError: it cannot be loaded.
    """
    found = ctypes.CDLL(str(path))
    for name, arguments in _ARGUMENTS.items():
        getattr(found, name).argtypes = arguments
    return found


def built(compiler: str, folder: Path, flags: Sequence[str] = FLAGS) -> Path:
    """The shared library; it is compiled if the folder does not have it yet.

    Args:
        compiler: the path of a C compiler that takes the options of gcc.
        folder: where it is kept, made if it is not there.
        flags: options of the compiler.

    Raises:
        OSError: the folder cannot be written to.
        subprocess.SubprocessError: the compiler did not succeed.
    """
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    told = [SOURCE.read_text(encoding="utf-8"), compiler, version, *flags, platform.machine(), _instructions()]
    path = folder / f"{hashlib.sha256(chr(0).join(told).encode()).hexdigest()[:32]}.so"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:  # another process may be at the same thing
            made = Path(place) / path.name
            command = [compiler, *flags, str(SOURCE), "-o", str(made), "-lm"]
            subprocess.run(command, capture_output=True, timeout=300, check=True)
            made.replace(path)
    return path


def _instructions() -> str:
    """What tells processors apart for which the same compiler makes other code."""
    info = Path("/proc/cpuinfo")
    if not info.is_file():
        return platform.processor()
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))
