"""A Python environment as a reader's: the book's package installed from a wheel, and no checkout in sight.

The other packages are those of the environment that runs the tests, lent by a `.pth` file, so that nothing is
downloaded. Its own `.pth` files are not read, and with them the editable install of the book's package.
"""

import json
import os
import subprocess
import sys
import sysconfig
from contextlib import contextmanager
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellExecutionError
from notebook_client import NotebookClient

BOOK = Path(__file__).parents[2]


class FreshEnvironment:
    """A virtual environment in `folder`, with the book's package from a wheel, or without the package."""

    def __init__(self, folder, wheel=None):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)  # pip is lent too
        self.python = Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
        own = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
        Path(own, "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        self.kernels = Path(folder, "kernels")
        Path(self.kernels, "fresh").mkdir(parents=True)
        command = [str(self.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        specification = {"argv": command, "display_name": "fresh", "language": "python"}
        Path(self.kernels, "fresh", "kernel.json").write_text(json.dumps(specification), encoding="utf-8")
        if wheel:
            install = ["install", "--quiet", "--no-compile", "--no-deps", "--no-index", "--ignore-installed", wheel]
            subprocess.run([self.python, "-m", "pip", *install], check=True, env=plain_environment())

    def run(self, notebook, folder, timeout=600):
        """Run a notebook's cells in an empty folder.

        Returns:
            What went wrong: the error, and whatever a cell wrote on stderr. Nothing if all went well.
        """
        Path(folder).mkdir(parents=True)
        content = nbformat.read(notebook, as_version=4)
        found = KernelSpecManager(kernel_dirs=[str(self.kernels)])
        client = NotebookClient(
            content, km=AsyncKernelManager(kernel_name="fresh", kernel_spec_manager=found), timeout=timeout,
            resources={"metadata": {"path": str(folder)}}, skip_cells_with_tag="skip-execution",
        )  # fmt: skip
        try:
            client.execute(cleanup_kc=True, env=plain_environment())
            failure = []
        except CellExecutionError as error:
            failure = [str(error)]
        outputs = [output for cell in content.cells for output in cell.get("outputs", ())]
        return "\n".join(failure + [output.text for output in outputs if output.get("name") == "stderr"])

    @contextmanager
    def quick_runner(self):
        """A function with the arguments and the answer of :meth:`run`, which forks a process and needs no kernel.

        The libraries and the book's package are imported once for all notebooks.
        """
        runner = [self.python, Path(__file__).with_name("notebook_runner.py")]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(runner, **pipes, env=plain_environment(), cwd=self.kernels) as process:

            def run(notebook, folder, timeout=600):
                Path(folder).mkdir(parents=True)
                order = {"notebook": str(notebook), "folder": str(folder), "seconds": timeout}
                process.stdin.write(json.dumps(order) + "\n")
                process.stdin.flush()
                return json.loads(process.stdout.readline())

            yield run


def build_wheel(folder, book=BOOK):
    """The wheel of the book's package, built from its checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, book]
    subprocess.run(command, check=True, env=plain_environment())
    [wheel] = Path(folder).glob("*.whl")
    return wheel


def plain_environment():
    """The variables of this process, without the one that would show the checkout to a notebook."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
