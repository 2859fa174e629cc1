"""The grader's side of the wall: starts a zygote, hands it one job at a time, reads a bounded answer."""

import importlib.util
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = """import json, sys
settings = json.loads(sys.argv[1])
sys.path[:0] = [settings["root"], *settings["path"]]
import coursework.runner.child as child
sys.path.remove(settings["root"])
child.serve(settings["preload"])
"""
ENVIRONMENT = {"PYTHONHASHSEED": "0", "HOME": "/scratch", "TMPDIR": "/scratch", "LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
ENVIRONMENT |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
MOST_LINES = 20_000
GRACE = 30  # seconds beyond the wall-clock limit, before a keeper that does not answer is given up


class RunnerFailed(RuntimeError):
    """The grader's own machinery broke; the submission is not to blame."""


@dataclass(frozen=True)
class Outcome:
    """How a job ended ("end", "cpu", "wall", "result", "printed"), its exit status, and what it claims by line."""

    why: str
    status: int
    seconds: float
    lines: list = field(repr=False)
    printed: str = field(repr=False)


class Runner:
    """One zygote and what it needs. A context manager; `run` starts another zygote if the last one was lost."""

    def __init__(self, preload, layers, user):
        self.layers, self.user, self._zygote = layers, user, None
        needed = [name for name in ("numpy", *preload) if name.split(".")[0] not in sys.stdlib_module_names]
        found = {Path(importlib.util.find_spec(name).origin).parents[1].as_posix() for name in needed}
        self._settings = {"root": ROOT.as_posix(), "path": sorted(found), "preload": list(preload)}
        folders = {*found, "/usr", "/lib", "/lib64", sys.prefix, sys.base_prefix, sys.exec_prefix}
        nested = {path for path in folders for above in folders if path.startswith(above.rstrip("/") + "/")}
        self._readable = sorted(path for path in folders - nested if os.path.exists(path))

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="grading-")
        self._errors = tempfile.TemporaryFile()
        return self

    def __exit__(self, *_):
        self._stop()
        self._errors.close()
        self._folder.cleanup()

    def run(self, cells, calls, limits):
        """Run one job: cells as (number, own, source), calls as (name, encoded arguments).

        Raises:
            RunnerFailed: the zygote or the keeper broke, or a wall could not be put up.
        """
        job = {"cells": cells, "calls": calls, "limits": limits, "user": self.user, "layers": self.layers}
        data = json.dumps(job | {"readable": self._readable, "root": self._folder.name}).encode()
        until = time.monotonic() + limits["wall_seconds"] + GRACE
        if self._zygote is None:
            self._start()
        try:
            self._zygote.stdin.write(b"k" + struct.pack("I", len(data)) + data)
            sizes = struct.unpack("III", self._read(12, until))
            ended, said, shown = (self._read(size, until) for size in sizes)
        except (OSError, EOFError) as error:
            self._stop()
            self._errors.seek(0)
            told = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            raise RunnerFailed(told[-1] if told else f"the sandbox was lost: {error}") from None
        outcome = Outcome(**json.loads(ended), lines=_lines(said), printed=shown.decode("utf-8", "replace"))
        if not outcome.lines or "failed" in outcome.lines[0]:  # the first line is said before any student's code runs
            raise RunnerFailed(f"a wall of the sandbox did not go up: {outcome.lines or outcome}")
        return outcome

    @property
    def process_group(self):
        """The process group of the zygote and its keepers."""
        return self._zygote.pid

    def _start(self):
        command = [sys.executable, "-s", "-P", "-u", "-c", START, json.dumps(self._settings)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors, "bufsize": 0}
        self._zygote = subprocess.Popen(command, **pipes, env=ENVIRONMENT, cwd="/", start_new_session=True)

    def _stop(self):
        if self._zygote is not None:
            os.killpg(self.process_group, signal.SIGKILL)
            self._zygote.wait()
            for pipe in (self._zygote.stdin, self._zygote.stdout):
                pipe.close()
        self._zygote = None

    def _read(self, size, until):
        data = b""
        while len(data) < size:
            if not select.select([self._zygote.stdout], [], [], max(0, until - time.monotonic()))[0]:
                raise EOFError("it did not answer in time")
            if not (more := os.read(self._zygote.stdout.fileno(), min(size - len(data), 1 << 20))):
                raise EOFError("it ended")
            data += more
        return data


def _lines(said):
    """The inmate's lines that are JSON objects; whatever else it wrote is no claim at all."""
    found = []
    for line in said.split(b"\n", MOST_LINES)[:MOST_LINES]:
        try:
            claim = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(claim, dict):
            found.append(claim)
    return found
