"""``jupyter-book`` for tests: a build by a process that has Sphinx and its extensions already, as importing them takes
longer than building the tiny book.

`serving()` starts such a process, and gives the command to use in place of ``jupyter-book``. The command hands its
arguments, its folder, its environment and where it prints to that process, which forks for it.
"""

import json
import os
import select
import socket
import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module

LIBRARIES = (
    "jupyter_book.cli.main jupyter_book.config jupyter_book.sphinx jupyter_cache.executors.basic "
    "matplotlib.font_manager myst_nb.sphinx_ext pybtex.markup pybtex.style.formatting.unsrt sphinx.builders.html "
    "sphinx.search sphinx_book_theme sphinx_comments sphinx_copybutton sphinx_design sphinx_exercise "
    "sphinx_external_toc sphinx_jupyterbook_latex sphinx_multitoc_numbering sphinx_proof sphinx_thebe "
    "sphinx_togglebutton sphinxcontrib.bibtex"
)


@contextmanager
def serving(folder):
    """The command, while the process runs; its socket lies in the folder."""
    address = str(folder / "builds")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-u", __file__, "serve", address], **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        yield (sys.executable, "-S", __file__, "ask", address)
        process.stdin.close()


def ask(address, arguments):
    """Have the process build, and end as the build does."""
    order = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [b"."], [1, 2])
        connection.sendall(json.dumps(order).encode() + b"\n")
        return int(connection.makefile().read() or 70)


def serve(address):
    for name in LIBRARIES.split():
        import_module(name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready")
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:  # until it is closed
            answer(listener.accept()[0])


def answer(connection):
    """Build in a child, and tell how it ended."""
    with connection, connection.makefile() as lines:
        _, outputs, _, _ = socket.recv_fds(connection, 1, 2)
        order = json.loads(lines.readline())
        child = os.fork()
        if child == 0:
            connection.close()
            build(order, outputs)
        for output in outputs:
            os.close(output)
        connection.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def build(order, outputs):
    """In the child: become the command that was asked for."""
    from jupyter_book.cli.main import main

    for number, output in enumerate([os.open(os.devnull, os.O_RDONLY), *outputs]):
        os.dup2(output, number)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.argv = ["jupyter-book", *order["arguments"]]
    sys.exit(main())


if __name__ == "__main__":
    sys.exit(serve(sys.argv[2]) if sys.argv[1] == "serve" else ask(sys.argv[2], sys.argv[3:]))
