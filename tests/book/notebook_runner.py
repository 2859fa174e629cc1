"""Runs notebooks one after another: ``python notebook_runner.py`` takes one order a line, as JSON.

It is started by the interpreter of a reader's environment. The libraries that notebooks use are imported once, and so
is every module of the book's package that the environment has; each notebook then runs in a process of its own, by
IPython, as a kernel would run it. That it imports all that it names is seen where the book is built, in kernels.
An order is ``{"notebook": file, "folder": an empty folder to run it in, "seconds": at most so long}``; the answer is
one line of JSON, a text that says what went wrong: the error, and whatever a cell wrote on stderr.
"""

import gc
import json
import os
import select
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

PACKAGE = "attention_book"
LIBRARIES = (
    "IPython.core.interactiveshell ipywidgets matplotlib.figure matplotlib.pyplot myst_nb nbformat numpy scipy.stats "
    "torch torch._dynamo"
)


def run_cells(notebook, folder):
    """In the child: run the cells; returns what the first failing one showed, and all that was written on stderr."""
    import nbformat
    from IPython.core.interactiveshell import InteractiveShell

    cells = nbformat.read(notebook, as_version=4).cells
    os.chdir(folder)
    out, err = (Path(f"{folder}.{name}") for name in ("out", "err"))
    for number, path in enumerate((out, err), 1):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    shell, failure = InteractiveShell.instance(), []
    for cell in cells:
        if cell.cell_type != "code" or "skip-execution" in cell.metadata.get("tags", ()):
            continue
        begun = out.stat().st_size
        if not shell.run_cell(cell.source, store_history=True).success:
            sys.stdout.flush()
            failure = [f"{cell.source}\n------------------\n{out.read_text(encoding='utf-8')[begun:]}"]
            break
    sys.stderr.flush()
    return "\n".join(filter(None, [*failure, err.read_text(encoding="utf-8")]))


def answered(order):
    """The answer of a child to an order, or that it had none in its time."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        told = "the process ended without an answer"
        try:
            told = run_cells(order["notebook"], order["folder"])
        finally:
            os.write(writing, json.dumps(told[:8000]).encode())
            os._exit(0)
    os.close(writing)
    in_time = select.select([reading], [], [], order["seconds"])[0]
    if not in_time:
        os.kill(child, signal.SIGKILL)
    with open(reading, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told or json.dumps(f"no answer within {order['seconds']} seconds, or the process died")


def import_package():
    """Import every module of the package; what is wrong with one, or missing, is told by the notebook that uses it."""
    with suppress(ImportError):
        for module in walk_packages(import_module(PACKAGE).__path__, f"{PACKAGE}."):
            if not module.name.endswith("__main__"):
                with suppress(Exception):
                    import_module(module.name)


if __name__ == "__main__":
    for name in LIBRARIES.split():
        import_module(name)
    import_package()
    gc.freeze()  # what is loaded now need not be searched for garbage in each child
    for line in sys.stdin:
        print(answered(json.loads(line)), flush=True)
