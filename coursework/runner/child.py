"""The side of the wall on which students' code runs. No expected answer is ever here, in any process of it.

Three processes, each forked from the one before. The *zygote* imports what a set needs, once, and never reads a
submission. The *keeper*, one for each question of a submission, reads that question's job, puts the walls up, keeps the
time, and carries bytes. The *inmate* runs the code; what it says is a claim, which the grader checks.
"""

import ast
import contextlib
import importlib
import json
import os
import random
import re
import select
import struct
import sys
import time
import traceback
import types

from coursework.runner import exchange, sandbox

LONGEST_TEXT = 400


def serve(preload):
    """The zygote: import the modules `preload`, then fork a keeper for every byte on standard input."""
    for module in preload:
        importlib.import_module(module)
    sys.modules["numpy"].random.seed(0)  # two runs of one submission draw the same
    random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
        sys.modules["torch"].set_num_threads(1)
        sys.modules["torch"].ones(2, 2).tanh().sum()  # it looks at the processor once, which the walls would hide
    while os.read(0, 1):
        if (pid := os.fork()) == 0:
            try:
                _keep()
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        if os.waitpid(pid, 0)[1]:
            os._exit(1)  # the grader sees the end of the pipe, and reads why


def _keep():
    size = struct.unpack("I", _exactly(4))[0]
    job = json.loads(_exactly(size))
    limits, user, mapped = job["limits"], job["user"], sandbox.mapped_bytes()
    nothing = os.open(os.devnull, os.O_RDONLY)
    sandbox.separate(job["layers"], job["readable"], job["root"], limits["scratch_bytes"])
    (results, says), (printed, prints) = os.pipe(), os.pipe()
    inmate = os.fork()
    if inmate == 0:
        for there, here in ((nothing, 0), (prints, 1), (prints, 2), (os.dup(says), 3)):
            os.dup2(there, here)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        try:
            sandbox.confine(user, limits, mapped, files="mount" in job["layers"])
            _answer(job["cells"], job["calls"])
        except BaseException as error:  # the walls did not go up, or the code reached in here
            _say({"failed": _described(error)})
        finally:
            os._exit(0)
    os.close(says), os.close(prints)
    ended, said, shown = _watch(inmate, results, printed, limits)
    _write(1, struct.pack("III", *map(len, (ended, said, shown))) + ended + said + shown)
    os._exit(0)


def _watch(inmate, results, printed, limits):
    """Carry what the inmate says and prints, and end it, with its group, when it says too much or takes too long."""
    begun, why, over = time.monotonic(), None, os.pidfd_open(inmate)
    texts, most = {results: b"", printed: b""}, {results: limits["result_bytes"], printed: limits["printed_bytes"]}
    still = [results, printed, over]
    while over in still:
        left = limits["wall_seconds"] - (time.monotonic() - begun)
        ready = select.select(still, [], [], max(left, 0))[0]
        for pipe in (p for p in ready if p != over or len(ready) == 1):
            if pipe != over and (data := os.read(pipe, 1 << 16)):
                texts[pipe] += data
            else:
                still.remove(pipe)
        spoken = [name for pipe, name in ((results, "result"), (printed, "printed")) if len(texts[pipe]) > most[pipe]]
        if why := ("wall" if left <= 0 else next(iter(spoken), None)):
            break
    for end in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            end(inmate, 9)
    _, status, used = os.wait4(inmate, 0)
    seconds = used.ru_utime + used.ru_stime
    why = why or ("cpu" if os.WIFSIGNALED(status) and seconds > 0.5 * limits["cpu_seconds"] else "end")
    ended = {"why": why, "status": os.waitstatus_to_exitcode(status), "seconds": seconds}
    return json.dumps(ended).encode(), texts[results][: most[results]], texts[printed][: limits["shown_bytes"]]


def _answer(cells, calls):
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    for number, own, source in cells:
        _say({"cell": number})
        try:
            exec(compile(_tree(source, own), f"<cell {number}>", "exec"), module.__dict__)
        except BaseException as error:
            _say({"cell": number, "error": _described(error)})
    _say({"defined": [name[:100] for name, value in module.__dict__.items() if callable(value)][:500]})
    for index, (name, arguments) in enumerate(calls):
        try:
            given = [exchange.decode(argument, tensors=True) for argument in arguments]
            _say({"call": index, "value": exchange.encode(module.__dict__[name](*given))})
        except BaseException as error:
            _say({"call": index, "error": _described(error)})


def _tree(source, own):
    """A cell as it runs. Of one that belongs to another question, or to none: imports, definitions, named values."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # %matplotlib, !pip and their like
        tree = ast.parse(re.sub(r"^(\s*)[%!].*$", r"\1pass", source, flags=re.M))
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    if not own:
        tree.body = [statement for statement in tree.body if isinstance(statement, kept) and _named(statement)]
    return tree


def _named(statement):
    """Whether a statement is no assignment into something that exists already, such as `numpy.allclose = ...`."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    parts = [part for target in targets if target for part in ast.walk(target)]
    return not any(isinstance(part, (ast.Attribute, ast.Subscript)) for part in parts)


def _described(error):
    """An error in one line, with its place in the student's cells."""
    try:
        text = f"{type(error).__name__}: {error}"[:LONGEST_TEXT]
    except BaseException:
        text = type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "<cell" in frame.filename]
    return f"{text} ({frames[-1].name}, line {frames[-1].lineno} of the cell)" if frames else text


def _say(message):
    _write(3, json.dumps(message).encode() + b"\n")


def _write(pipe, data):
    while data:
        data = data[os.write(pipe, data) :]


def _exactly(size):
    data = b""
    while len(data) < size:
        if not (more := os.read(0, min(size - len(data), 1 << 20))):
            raise EOFError("the grader went away")
        data += more
    return data
