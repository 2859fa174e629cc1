"""One training a folder: a lock that the system itself releases when its process ends, however it ends."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from .trainer import TrainingError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

LOCK = "training.lock"
_BEHIND_ITS_TEXT = 1 << 20  # Windows locks bytes, which others then cannot read: one where the file has none


class FolderLock:
    """The right to train into a folder, for one process at a time.

    The lock is the operating system's (`flock`), on a file that says who holds it: the process's id, its host and its
    start. It ends with the process, by whatever death, so that a file left by a dead process locks nothing: the next
    training takes it over. Whoever ends in peace removes the file.

    Use it as a context manager; :meth:`check` tells in between whether the folder is still this process's own.

    Args:
        folder: made if it is not there, and removed at the end if it was made and is empty.
        advice: what to do where nothing can be written in the folder.

    Raises:
        TrainingError: on entering, if another training holds the lock, or the folder cannot be written or locked.
    """

    def __init__(self, folder: Path, advice: str = "Choose a folder that can be written."):
        self.folder, self.advice = Path(folder), advice
        self._path = self.folder / LOCK
        self._file: int | None = None
        self._made = False

    def __enter__(self) -> "FolderLock":
        try:
            while self._file is None:
                self._try()
            self._sign()
        except OSError as error:
            self._release()
            why = error.strerror or error
            raise TrainingError(f"nothing can be written in {self.folder}: {why}. {self.advice}") from error
        return self

    def __exit__(self, *exception) -> None:
        self._release()

    def check(self) -> None:
        """Make sure that the folder is still this process's own.

        Raises:
            TrainingError: if the lock's file was removed or replaced, with its folder for example: another training
                may have begun there, and must not be written over.
        """
        if self._file is None or not self._is_in_place(self._file):
            raise TrainingError(
                f"{self._path} was removed while this training ran, and another may have begun in {self.folder}: "
                "this one stops, and writes nothing over it"
            )

    def _try(self) -> None:
        """Open and lock the file. It is ours only if it is still in its place then: its last holder removes it."""
        self._made = not self.folder.exists() or self._made
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # its last holder has just removed the folder
            return
        try:
            locked = _lock(file)
        except OSError as error:
            os.close(file)
            raise TrainingError(
                f"{self.folder} cannot be locked ({error.strerror or error}), and without a lock two trainings could "
                "write over each other: choose a folder on a local disk"
            ) from error
        if locked and self._is_in_place(file):
            self._file = file
            return
        holder = None if locked else _holder(file)
        os.close(file)
        if holder:
            raise TrainingError(
                f"{holder} is training into {self.folder}: wait until it has ended, stop it, or choose another folder"
            )

    def _is_in_place(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _sign(self) -> None:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        text = json.dumps({"process": os.getpid(), "host": socket.gethostname(), "started": started}) + "\n"
        os.ftruncate(self._file, 0)
        os.write(self._file, text.encode())

    def _release(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        if fcntl is None:  # Windows removes no open file; nor one that the next training has opened by then
            os.close(file)
        with suppress(OSError):
            if fcntl is None or self._is_in_place(file):
                self._path.unlink()
        if fcntl is not None:
            os.close(file)
        if self._made:
            with suppress(OSError):  # it is not empty
                self.folder.rmdir()


@contextmanager
def locked(run: Path, output: Path) -> Iterator[Callable[[], None]]:
    """Hold the folder of a run and the one that its translator goes to; yield what checks both.

    Raises:
        TrainingError: as :class:`FolderLock`.
    """
    with ExitStack() as stack:
        held = [FolderLock(run, "Its place follows the user's cache folder: on Linux, set XDG_CACHE_HOME to another.")]
        if output.resolve() != run.resolve():
            held.append(FolderLock(output, "Choose another with --output."))
        for lock in held:
            stack.enter_context(lock)

        def check() -> None:
            for lock in held:
                lock.check()

        yield check


def _lock(file: int) -> bool:
    """Lock an open file; False if another process, or another thread of this one, has it locked."""
    try:
        if fcntl is None:
            os.lseek(file, _BEHIND_ITS_TEXT, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _holder(file: int) -> str:
    """Who holds the lock, by what its file says; it may need a moment to say it."""
    for _ in range(20):
        os.lseek(file, 0, os.SEEK_SET)
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(os.read(file, 4096))
            return f"process {told['process']} on {told['host']}, started {told['started']},"
        time.sleep(0.05)
    return "another process"
