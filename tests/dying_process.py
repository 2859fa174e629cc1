"""Processes that die at a chosen file operation: before it, after it, or in the middle of it.

Operations are counted by wrapping the functions that make them. ``os._exit`` ends the process without a word: no
``finally``, no flushed buffer, as after `kill -9`.
"""

import builtins
import contextlib
import fcntl
import io
import os
import signal
import sys
import time
import traceback
from pathlib import Path

import safetensors.torch

DIED, FAILED = 77, 78
MOMENTS = ("before", "middle", "after")
OF_A_PATH = ("open", "mkdir", "rmdir", "unlink", "remove", "rename", "replace", "link", "symlink", "chmod", "truncate")
OF_A_FILE = ("write", "pwrite", "writev", "sendfile", "fsync", "fdatasync", "ftruncate", "fchmod", "close")


class Operations:
    """Counts the file operations below a folder that change something, and dies at one of them.

    Args:
        root: operations elsewhere are not counted.

    Attributes:
        done: name and file of each operation so far.
        divisible: numbers of the operations that have a middle, which are writes.
    """

    def __init__(self, root):
        self.root = str(Path(root).resolve())
        self.done, self.divisible, self.target = [], [], (None, None)
        for name in OF_A_PATH + OF_A_FILE:
            setattr(os, name, self._counted(name, getattr(os, name), _half_of_bytes if name == "write" else None))
        fcntl.flock = self._counted("flock", fcntl.flock)
        safetensors.torch.serialize_file = self._counted(
            "serialize_file", safetensors.torch.serialize_file, _half_of_tensors(safetensors.torch.serialize_file), 1
        )
        io.open = builtins.open = self._opened(io.open)

    def die_at(self, number, moment):
        """Die at the operation of this number, counted from 1 and from now."""
        self.done, self.divisible, self.target = [], [], (number, moment)

    def below(self, file):
        """The place of a path or an open file below the root; None if it is elsewhere."""
        if isinstance(file, int):
            try:
                file = os.readlink(f"/proc/self/fd/{file}")
            except OSError:
                return None
        file = os.path.abspath(os.fsdecode(file))
        return file[len(self.root) :] if file.startswith(self.root) else None

    def make(self, name, place, whole, half=None):
        """Count an operation and make it, unless the process is to die before it; ``half`` makes half of it."""
        self.done.append((name, place))
        number, (target, moment) = len(self.done), self.target
        if half is not None:
            self.divisible.append(number)
        if number != target:
            return whole()
        with contextlib.suppress(OSError):  # a file to be removed may not be there
            if moment == "middle":
                half()
            if moment == "after":
                whole()
        os._exit(DIED)

    def _counted(self, name, function, half=None, place_of_file=0):
        def counted(*args, **options):
            place = self.below(args[place_of_file])
            if place is None:
                return function(*args, **options)
            part = None if half is None else lambda: half(*args, **options)
            return self.make(name, place, lambda: function(*args, **options), part)

        return counted

    def _opened(self, function):
        def opened(file, mode="r", *args, **options):
            place = self.below(file)
            if place is None or set(mode) <= set("rbt"):
                return function(file, mode, *args, **options)
            found = self.make("open", place, lambda: function(file, mode, *args, **options))
            return _Written(found, place, self)

        return opened


class _Written:
    """A file object whose writes and end are counted. What it has not flushed is lost when the process dies."""

    def __init__(self, file, place, operations):
        self._file, self._place, self._operations = file, place, operations

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, content):
        def part(share):
            self._file.write(share)
            self._file.flush()
            return len(share)

        return self._operations.make(
            "write",
            self._place,
            lambda: part(content) if self._operations.target[1] == "after" else self._file.write(content),
            lambda: part(content[: len(content) // 2]),
        )

    def close(self):
        if not self._file.closed:
            self._operations.make("close", self._place, self._file.close)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _half_of_bytes(file, content):
    os.pwrite(file, bytes(content)[: len(content) // 2], os.lseek(file, 0, os.SEEK_CUR))


def _half_of_tensors(serialize_file):
    def half(tensors, path, **options):
        """safetensors writes a file of its own, `.tmp` and six characters, and renames it."""
        serialize_file(tensors, path, **options)
        whole = Path(path).read_bytes()
        Path(path).unlink()
        Path(path).with_name(".tmpAbC123").write_bytes(whole[: len(whole) // 2])

    return half


def in_a_child(work, seconds=None):
    """Call ``work()`` in a forked process, and kill that after some seconds if they are given.

    Returns:
        How it ended: 0, :data:`DIED`, minus the number of a signal, or anything else for a failure.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        signal.alarm(120)
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(FAILED)
    os._exit(0)
