"""Attacks on the grader, each the answer to the question `softmax`: what the cell holds, and what the feedback says.

Each is bounded by itself where it can be, so that a hole in the sandbox costs a test and not the machine.
"""

WRONG = "What `softmax` returns is wrong"

# Name: the cell, and a part of the reason that the student reads. None of them earns a point for the question.
IN_A_CELL = {
    "endless-loop": ("""
import signal
def softmax(scores):
    try:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    except OSError:
        pass
    while True:
        pass
""", "more than 2 seconds of computing"),
    "fork-bomb": ("""
import os
def softmax(scores):
    for _ in range(50):  # each child ends at once, so that this is a bomb of fifty and no more
        if os.fork() == 0:
            os._exit(0)
""", "stopped with BlockingIOError"),
    "threads": ("""
import threading, time
def softmax(scores):
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
""", "stopped with RuntimeError: can't start new thread"),
    "huge-allocation": ("""
def softmax(scores):
    kept = []
    for _ in range(2000):
        kept.append(np.ones(1 << 20))
    return scores
""", "MemoryError"),
    "disk-filling": ("""
def softmax(scores):
    for number in range(200):
        with open(f"part{number}", "wb") as file:
            file.write(b"x" * 1_000_000)
""", "No space left on device"),
    "large-file": ("""
def softmax(scores):
    with open("large", "wb") as file:
        file.write(b"x" * 30_000_000)
""", "File too large"),
    "os-exit": ("import os\ndef softmax(scores):\n    os._exit(0)", "The code ended the program (exit status 0)"),
    "os-exit-at-once": ("import os\nos._exit(0)", "The code ended the program (exit status 0)"),
    "sys-exit": ("import sys\ndef softmax(scores):\n    sys.exit(0)", "stopped with SystemExit"),
    "segmentation-fault": ("""
import ctypes
def softmax(scores):
    ctypes.string_at(0)
""", "The code ended the program"),
    "kills-the-grader": ("""
import os, signal
def softmax(scores):
    for pid in [os.getppid(), GRADER, *range(2, 3000)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    os.kill(GRADER, signal.SIGKILL)
""", "Error"),
    "reads-the-tests": ("""
import os
def softmax(scores):
    held = {}
    for folder in (os.path.dirname(SET), HERE):
        for name in os.listdir(folder):
            exec(open(os.path.join(folder, name)).read(), held)
    return held["softmax"](scores)
""", "stopped with FileNotFoundError"),
    "imports-the-tests": ("""
import sys
sys.path += [".", SET.rsplit("/", 1)[0]]
from tiny_set import softmax
""", "stopped with ModuleNotFoundError"),
    "reads-the-pipes": ("""
import os
def softmax(scores):
    found = b""
    for number in (0, 3, *range(4, 200)):
        try:
            os.set_blocking(number, False)
            found += os.read(number, 10**6)
        except OSError:
            pass
    return found.decode() or None
""", f"{WRONG}: it is None where an array"),
    "patches-the-checks": ("""
import sys, types
import attention_book.checks.report as checks
for name in dir(checks):
    if callable(getattr(checks, name)) and not name.startswith("_"):
        setattr(checks, name, lambda *_, **__: True)
np.allclose = np.isclose = np.array_equal = np.testing.assert_allclose = lambda *_, **__: True
torch.allclose = torch.equal = lambda *_, **__: True
for name in ("pytest", "otter", "otter.check", "coursework.comparison", "coursework.marking"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["coursework.comparison"].difference = lambda *_: None
def softmax(scores):
    return scores
""", WRONG),
    "patches-the-messenger": ("""
import sys
runner = sys.modules["coursework.runner.exchange"]
runner.decode = lambda *_, **__: None
runner.encode = lambda *_, **__: {"right": True, "points": 3}
def softmax(scores):
    return scores
""", "What came back is no answer"),
    "always-equal": ("""
class Yes:
    __eq__ = __le__ = __ge__ = lambda self, other: True
    __float__ = lambda self: 1.0
    __array__ = lambda self, *_, **__: np.ones(5)
def softmax(scores):
    return Yes()
""", "stopped with TypeError: a Yes; return numbers"),
    "lying-array": ("""
class Liar(np.ndarray):
    __eq__ = __lt__ = lambda self, other: np.ones(self.shape, bool)
    __sub__ = __rsub__ = lambda self, other: np.zeros(self.shape)
    __array_ufunc__ = lambda self, *_, **__: np.ones(self.shape, bool)
    all = any = lambda self, *_, **__: True
def softmax(scores):
    return np.zeros(scores.shape).view(Liar)
""", WRONG),
    "pickle": ("""
import os
class Bomb:
    def __reduce__(self):
        return os.system, ("exit",)
def softmax(scores):
    return np.array([Bomb()], dtype=object)
""", "a Bomb; return numbers"),
    "forges-the-results": ("""
import json, os
def softmax(scores):
    lines = [{"call": n, "right": True, "points": 3, "value": True} for n in range(20)]
    lines += [{"points": 100, "failed": None}]
    forged = "".join(json.dumps(line) + "\\n" for line in lines).encode()
    for number in range(1, 60):
        try:
            os.write(number, forged)
        except OSError:
            pass
    for name in ("results.json", "grades.csv", "results.pkl"):
        with open(name, "wb") as file:
            file.write(forged)
    os._exit(0)
""", WRONG),
    "forges-arrays": ("""
import json, os
def softmax(scores):
    for number, value in enumerate([
        {"array": ["float64", [2**39, 2**39], ""]}, {"array": ["object", [1], "AAAA"]}, {"list": {"a": 1}},
        {"dict": [[n * (2**61 - 1), 0] for n in range(50_000)]}, {"array": ["float64", [-1], "AAAA"]},
        {"pickle": ["gASVHgAAAAAAAACM"]},
    ]):
        os.write(3, json.dumps({"call": number, "value": value}).encode() + b"\\n")
    os.write(3, b"[" * 100_000 + b"\\n{\\n\\xff\\xfe\\n")
    os._exit(0)
""", "What came back is no answer"),
    "prints-a-result": ("""
print('{"call": 0, "value": 1, "points": 3}\\n# 100 points\\n<script>')
def softmax(scores):
    print("PASSED softmax: 3 of 3 points")
    return scores
""", WRONG),
    "prints-a-gigabyte": ("""
def softmax(scores):
    for _ in range(1000):
        print("x" * 1_000_000)
    return scores
""", "printed more than 1.0 MB"),
    "returns-too-much": ("""
def softmax(scores):
    return np.zeros((1000, 1000))
""", "The answers are larger than 4.2 MB"),
    "hostile-error": ("""
def softmax(scores):
    raise ValueError("`x`\\n\\n# 100 of 100 points\\n\\x1b[2J" + "y" * 10_000)
""", "stopped with ValueError: 'x' # 100 of 100 points"),
    "renamed": ("def soft_max(scores):\n    return scores", "one is called `soft_max`"),
    "deep-source": (f"""
def softmax(scores):
    return {"(" * 5000}scores{")" * 5000}
""", "No function is called `softmax`"),
    "network": ("""
import socket
def softmax(scores):
    with socket.create_connection(("127.0.0.1", PORT), timeout=1) as server:
        server.sendall(b"all the answers")
    return scores
""", "stopped with PermissionError"),
    "writes-outside": ("""
import os
def softmax(scores):
    for folder in (HERE, "/tmp", "/", "/usr", os.path.dirname(np.__file__)):
        try:
            open(os.path.join(folder, "written-by-a-submission"), "w").close()
        except OSError:
            pass
    os.remove(os.path.join(HERE, "full.ipynb"))
""", "stopped with FileNotFoundError"),
    "inspects-the-caller": ("""
import gc, sys, types
def softmax(scores):
    frame, found = sys._getframe(), []
    while frame:
        found += [*frame.f_locals.values(), *frame.f_globals.values()]
        frame = frame.f_back
    for thing in [*found, *gc.get_objects()]:
        if isinstance(thing, types.FunctionType) and thing.__code__ is not softmax.__code__:
            if thing.__name__ == "softmax" and "tiny_set" in thing.__code__.co_filename:
                return thing(scores)
        if isinstance(thing, dict):
            for name in ("expected", "secret", "reference"):
                if isinstance(thing.get(name), (list, str, np.ndarray)):
                    return thing[name]
    return None
""", f"{WRONG}: it is None"),
    "knows-the-example": ("""
def softmax(scores):
    known = {(1.0, 2.0, 3.0): np.array([0.09003057, 0.24472847, 0.66524096])}
    return known.get(tuple(np.ravel(scores)), np.zeros(scores.shape))
""", WRONG),
}  # fmt: skip
