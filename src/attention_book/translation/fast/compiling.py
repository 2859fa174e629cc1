"""`compiled.c` made into machine code for this processor, once, and loaded.

The code lies in the user's cache folder, under a name made of its source, its compiler and the processor. Where there
is no C compiler nothing is loaded, and whoever asks does without.
"""

import ctypes
import functools
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_cache_path

SOURCE = Path(__file__).with_name("compiled.c")
NATIVE = "-march=native" if platform.machine() in ("x86_64", "AMD64") else "-mcpu=native"
FLAGS = ("-O3", "-fno-fast-math", NATIVE, "-std=gnu11", "-shared", "-fPIC")
"""None of them lets the compiler change the order of a sum."""
_POINTER, _WHOLE = ctypes.c_void_p, ctypes.c_int64
_ARGUMENTS = {
    "encode": [_POINTER, _WHOLE, *[_POINTER] * 4],
    "step": [_POINTER, _POINTER],
    "choose": [_POINTER, _WHOLE, _WHOLE, _POINTER, _POINTER, ctypes.c_int, _WHOLE, *[_POINTER] * 3],
}


@functools.cache
def library() -> ctypes.CDLL | None:
    """The functions of `compiled.c`; None where they cannot be compiled or loaded. `CC` may name the compiler."""
    if os.name != "posix":
        return None
    try:
        name, *options = shlex.split(os.environ.get("CC") or "cc") or ["cc"]
        compiler = shutil.which(name)
        if compiler is None:
            return None
        return load(built([compiler, *options], user_cache_path("attention-book") / "compiled"))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def load(path: Path) -> ctypes.CDLL:
    """The functions in a shared library that `built` made.

    Raises:
        OSError: it cannot be loaded, or lacks a function.
    """
    found = ctypes.CDLL(str(path))
    for name, arguments in _ARGUMENTS.items():
        if not hasattr(found, name):
            raise OSError(f"{path} has no function {name}")
        getattr(found, name).argtypes = arguments
    return found


def built(compiler: Sequence[str], folder: Path, flags: Sequence[str] = FLAGS) -> Path:
    """The shared library; it is compiled if the folder does not have it yet, whole and as this user left it.

    Args:
        compiler: a C compiler that takes the options of gcc, and options of its own.
        folder: where it is kept, made if it is not there.
        flags: options of the compiler.

    Raises:
        OSError: the folder cannot be written to, or others than this user can.
        subprocess.SubprocessError: the compiler did not succeed.
    """
    version = subprocess.run([*compiler, "--version"], capture_output=True, timeout=60, check=True).stdout
    told = [SOURCE.read_bytes(), *map(os.fsencode, compiler), version, "\0".join(flags).encode()]
    told += [platform.machine().encode(), _instructions().encode()]
    path = folder / f"{hashlib.sha256(bytes([0]).join(told)).hexdigest()[:32]}.so"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private(folder):
        raise OSError(f"{folder} can be written to by others: what lies there is not run")
    if not _is_whole(path):
        with tempfile.TemporaryDirectory(dir=folder) as place:  # another process may be at the same thing
            made = Path(place) / path.name
            command = [*compiler, *flags, str(SOURCE), "-o", str(made), "-lm"]
            subprocess.run(command, capture_output=True, timeout=300, check=True)
            made.chmod(0o700)
            digest = made.with_suffix(".sha256")
            digest.write_text(_digest(made), encoding="ascii")
            digest.replace(path.with_suffix(".sha256"))
            made.replace(path)
    return path


def _is_private(path: Path) -> bool:
    found = path.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _is_whole(path: Path) -> bool:
    """Whether a library is there as it was made: it may have been cut off when a machine went down."""
    try:
        return _is_private(path) and path.with_suffix(".sha256").read_text(encoding="ascii") == _digest(path)
    except (OSError, ValueError):
        return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _instructions() -> str:
    """What tells processors apart for which the same compiler makes other code."""
    info = Path("/proc/cpuinfo")
    if not info.is_file():
        return platform.processor()
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))
