"""What takes long to make for a book is made once: a file is kept under a digest of all that it is made from.

A narrower font or a shorter style sheet takes seconds, and is the same in most builds. The files lie in `_build/.kept`.
"""

import hashlib
import inspect
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "requirements.lock"
PLACE = ".kept"


def place_of(app):
    """The folder in which the build of a book keeps such files: beside what it builds."""
    return Path(app.outdir).parent / PLACE


def described(value):
    """An argument as text that is the same if and only if the argument is; of a file, what it holds counts."""
    if isinstance(value, Path):
        return hashlib.sha256(value.read_bytes()).hexdigest()
    if isinstance(value, set | frozenset):
        return repr(sorted(value))
    return repr(value)


def kept(place, function, *arguments):
    """What `function(*arguments)` gives, from the file where an earlier call left it if nothing has changed since.

    Args:
        place: the folder of such files; None to keep nothing.
        function: of a module, which gives bytes that depend on nothing but its arguments, its module and the packages.
        arguments: texts, numbers, sets and dictionaries of them, and files, as paths.
    """
    if place is None:
        return function(*arguments)
    source = inspect.getsource(sys.modules[function.__module__])
    parts = [function.__qualname__, source, LOCK.read_text(encoding="utf-8"), *map(described, arguments)]
    file = place / hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
    if not file.exists():
        place.mkdir(parents=True, exist_ok=True)
        begun = file.with_suffix(".begun")  # a build that is ended here leaves no half of a file
        begun.write_bytes(function(*arguments))
        begun.replace(file)
    return file.read_bytes()
