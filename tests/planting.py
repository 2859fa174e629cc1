"""Runs named tests against a copy of the package: ``python planting.py ROOT`` takes one order a line, as JSON.

The libraries are imported once; each order then forks, so that a fault costs about a second and cannot outlive its
run. Annotations are not checked: that would take longer than the tests, and a fault is caught by an assertion or not at
all. An order is ``{"source": folder to import from, "report": XML file to write, "tests": node ids}``, and may have
``"options"`` for pytest and ``"seconds"``; the answer is one line with pytest's exit status, or minus the signal that
ended the run. A run whose time is up is ended, after its log has said where it stood.
"""

import faulthandler
import gc
import json
import os
import signal
import sys
import time
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

LIBRARIES = (
    "array_api_compat.numpy array_api_compat.torch beartype hypothesis.extra.numpy jaxtyping pytest sacrebleu "
    "safetensors.torch scipy.special scipy.stats tokenizers torch._dynamo torch.testing tqdm"
)
LONGEST = 90
"""Seconds after which a run is ended: a fault may make a loop endless."""
WRONG_PACKAGE = 99


def run_tests(order):
    """In the child: import the package from the folder that the order names, and run its tests."""
    import pytest

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [order["source"], os.environ.get("PYTHONPATH")]))
    log = os.open(f"{order['report']}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.register(signal.SIGUSR1, file=log)  # pytest puts files of its own in the place of 1 and 2
    path = f"pythonpath={order['source']} site"  # in place of src, which pyproject.toml names
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", path, f"--junitxml={order['report']}"]
    # In the folder that all runs share it would remove what old runs left there, which takes minutes.
    options.append(f"--basetemp={order['report']}.tmp")
    status = int(pytest.main([*options, *order.get("options", ()), *order["tests"]]))
    imported = Path(sys.modules["attention_book"].__file__)
    return status if imported.is_relative_to(order["source"]) else WRONG_PACKAGE


def ended(child, seconds):
    """Wait for a child, and kill it with all that it started when its time is up; its exit status."""
    deadline = time.monotonic() + seconds
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGUSR1)  # it writes its stack into its log
            time.sleep(0.5)
            os.killpg(child, signal.SIGKILL)
            done = os.waitpid(child, 0)
            break
        time.sleep(0.02)
    return os.waitstatus_to_exitcode(done[1])


def main(root):
    os.chdir(root)
    os.environ["ATTENTION_BOOK_TYPES_UNCHECKED"] = "1"
    for name in LIBRARIES.split():
        import_module(name)
    for plugin in entry_points(group="pytest11"):
        plugin.load()
    gc.freeze()  # what is loaded now need not be searched for garbage in each child
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            status = 70
            try:
                os.setsid()  # whatever the tests start can then be ended with them
                status = run_tests(order)
            finally:
                sys.stdout.flush()
                os._exit(status)
        print(ended(child, order.get("seconds", LONGEST)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
