"""Which walls stand on this machine: each is attacked by a program of ours, run exactly as a submission is."""

import os
import platform
import secrets
import socket
from dataclasses import dataclass, replace
from pathlib import Path

from coursework.questions import Limits
from coursework.runner.exchange import decode, encode
from coursework.runner.process import Runner, RunnerFailed
from coursework.runner.sandbox import LAYERS, MACHINES

# What it returns for each attack: None if the wall held, else what got through.
ATTACKS = '''
import os, socket, sys

def failing(attack):
    """None if the attack raises, as it should; else what it gave."""
    try:
        return str(attack())[:100]
    except (OSError, MemoryError):
        return None

def create(path):
    open(path, "wb").close()
    os.remove(path)
    return path

def write(path, size):
    with open(path, "wb") as file:
        file.write(b"x" * size)
    return f"{path} was written"

def connect(port):
    with socket.socket() as client:
        client.settimeout(1)
        client.connect(("127.0.0.1", port))

def imports():
    try:
        import tabnanny  # of the standard library, and surely not imported yet
    except ImportError:
        return False
    return True

def read(path):
    return os.listdir(path) if os.path.isdir(path) else open(path).read()

def descriptors():
    return [n for n in range(4, 60) if failing(lambda: os.fstat(n)) is not None]

def probe(hidden, outside, grader, grader_user, port, memory, file_size):
    got = {}
    got["user"] = None if os.getuid() not in (0, grader_user) else f"user {os.getuid()}"
    got["root"] = failing(lambda: os.setresuid(0, 0, 0) or "it became root") if os.getuid() else "it is root"
    got["reading"] = next((p for p in hidden if failing(lambda: read(p)) is not None), None)
    got["writing"] = next((p for p in outside if failing(lambda: create(p)) is not None), None)
    got["processes"] = failing(lambda: f"process {grader} can be signalled" if os.kill(grader, 0) is None else "")
    got["fork"] = failing(lambda: os.fork() or os._exit(0))
    got["network"] = failing(lambda: connect(port))
    got["calls"] = failing(socket.socket)
    got["memory"] = failing(lambda: len(bytearray(memory)))
    got["files"] = failing(lambda: write("too-large", file_size + 1))
    got["environment"] = next((name for name in os.environ if name in ("PATH", "PWD", "PYTHONPATH", "USER")), None)
    got["descriptors"] = str(descriptors()) if descriptors() else None
    got["libraries"] = None if imports() else f"user {os.getuid()} cannot read the library of this Python"
    got["input"] = sys.stdin.read(10) or None
    return got
'''
# A busy machine may take long to give the endless loop below its one second of computing.
SHORT = replace(Limits(), cpu_seconds=1, wall_seconds=60, memory_bytes=1 << 27)
# Without these nothing is graded; what else is missing is said, and grading goes on.
NEEDED = ("user", "root", "reading", "writing", "fork", "memory", "files", "CPU time", "wall time", "descriptors")
NEEDED += ("libraries",)
MEANINGS = {
    "user": "runs as neither root nor the grader's own user, unless in a user namespace without rights",
    "root": "cannot become root",
    "reading": "cannot read the problem set, the submissions or the grades",
    "writing": "cannot write outside its scratch folder",
    "processes": "cannot signal the grader",
    "fork": "cannot start a process or a thread",
    "network": "cannot reach a server on this machine, let alone another",
    "calls": "is refused the system calls that a problem set has no use for (seccomp)",
    "memory": "cannot take more memory than its limit",
    "files": "cannot write a file beyond its limit",
    "environment": "sees nothing of the grader's environment",
    "descriptors": "holds no open file but its own four",
    "libraries": "can import what is installed: without that, right answers would fail",
    "input": "has nothing to read on standard input",
    "CPU time": "is ended when its seconds of computing are over",
    "wall time": "is ended when it sleeps too long",
}


class Refused(RuntimeError):
    """This machine cannot keep submissions and grades apart; nothing was run."""


@dataclass(frozen=True)
class Walls:
    """What `try_walls` found: the namespaces and the user to run under; for each wall None, or what got through."""

    layers: list[str]
    user: int | None
    broken: dict[str, str | None]
    missing: dict[str, str]

    def table(self):
        """The report, in Markdown: every wall is tested here, and either held or did not."""
        rows = [f"| {name} | {MEANINGS[name]} | {_held(self.broken[name])} |" for name in MEANINGS]
        spaces = [
            f"| {name} namespace | | {'in use' if name in self.layers else self._without(name)} |" for name in LAYERS
        ]
        who = "its own" if self.user is None else f"user id {self.user}, given up to before any limit"
        head = f"Student code ran on {platform.system()} {platform.release()} ({platform.machine()}) as {who}.\n\n"
        return (
            head
            + "\n".join(["| wall | what a submission cannot do | on this machine |", "|---|---|---|", *rows, *spaces])
            + "\n"
        )

    def _without(self, name):
        return f"NOT IN USE: {self.missing[name]}" if name in self.missing else "not needed: the user id is another's"

    def notices(self):
        """One sentence for each wall that does not stand."""
        return [
            f"NOTICE: no wall “{MEANINGS[name]}”: {what}." for name, what in self.broken.items() if what is not None
        ] + [f"NOTICE: no {name} namespace: {why}." for name, why in self.missing.items()]

    def require(self):
        """Raise `Refused` unless every wall stands without which a submission could reach a grade."""
        open_ = [
            f"“{MEANINGS[name]}” does not hold ({self.broken[name]})"
            for name in NEEDED
            if self.broken[name] is not None
        ]
        if open_:
            raise Refused(
                f"Nothing was graded: a submission could reach what it must not. {'; '.join(open_)}. Grade where "
                "unprivileged user namespaces are allowed, or as root in a container, with `chmod -R go-rwx` on the "
                "set, the submissions and the grades."
            )


def _held(what):
    return "tested: holds" if what is None else f"tested: DOES NOT HOLD ({what})"


def spare_user():
    """A user id that belongs to nobody, for root to take: one of those that Linux keeps for services of the moment."""
    return 61184 + os.getpid() % 4000


def try_walls(hidden, without=()):
    """Put up every wall that this machine allows, attack each, and say which hold.

    Args:
        hidden: the set, the folder of submissions and the folder of grades, which a submission must not read or write.
        without: namespaces to leave out, as on a machine that has none.

    Raises:
        Refused: this is no Linux on a known processor, or no sandbox starts at all.
    """
    if platform.system() != "Linux" or platform.machine() not in MACHINES:
        raise Refused(
            "Nothing was graded: the sandbox needs Linux on x86_64 or aarch64. Grade in a container (Docker)."
        )
    user = spare_user() if os.geteuid() == 0 else None
    layers, missing = [], {}
    with Runner((), layers, user) as runner:
        for layer in LAYERS:
            if layer == "user" and user is not None:
                continue  # root gives its own id up instead
            runner.layers = [*layers, layer]
            why = "left out on request" if layer in without else _trial(runner)
            if why:
                missing[layer] = why
            else:
                layers.append(layer)
    return Walls(layers, user, _attacked(layers, user, [Path(path).resolve() for path in hidden]), missing)


def _trial(runner):
    try:
        runner.run([], [], SHORT.sent())
    except RunnerFailed as error:
        return str(error)
    return None


def _attacked(layers, user, hidden):
    outside = [
        "/usr/x",
        "/x",
        *(str((path if path.is_dir() else path.parent) / f"x{secrets.token_hex(4)}") for path in hidden),
    ]
    with socket.create_server(("127.0.0.1", 0)) as server, Runner(("numpy", "socket"), layers, user) as runner:
        given = [
            [*map(str, hidden), *map(str, (p.parent for p in hidden if p.is_file()))],
            outside,
            os.getpid(),
            os.getuid(),
        ]
        given += [server.getsockname()[1], SHORT.memory_bytes + (1 << 24), SHORT.file_bytes]
        try:
            outcome = runner.run([(1, True, ATTACKS)], [["probe", [encode(value) for value in given]]], SHORT.sent())
            ends = {}
            for name, code, limits in (
                ("CPU time", "while True: pass", SHORT),
                ("wall time", "import time; time.sleep(60)", replace(SHORT, wall_seconds=0.5)),
            ):
                ends[name] = runner.run([(1, True, code)], [], limits.sent()).why
        except RunnerFailed as error:
            raise Refused(f"Nothing was graded: no sandbox starts on this machine. {error}") from None
    answers = [line for line in outcome.lines if "call" in line]
    if not answers or "value" not in answers[0]:
        raise Refused(f"Nothing was graded: the walls could not be tested: {answers or outcome}")
    broken = decode(answers[0]["value"])
    if "user" in layers:
        broken["user"] = None  # the same number, but in a namespace where it has no rights
    for name, why in (("CPU time", "cpu"), ("wall time", "wall")):
        broken[name] = None if ends[name] == why else f"it ended by {ends[name]}"
    return broken
