"""A Python environment as a reader's: the book's package installed from a wheel, and no checkout in sight.

The other packages are those of the environment that runs the tests, lent by a `.pth` file, so that nothing is
downloaded. Its own `.pth` files are not read, and with them the editable install of the book's package.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

BOOK = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("run_notebook.py")


class FreshEnvironment:
    """A virtual environment in `folder`, with the book's package or, for what happens then, without it."""

    def __init__(self, folder, wheel=None):
        self.python = Path(folder, "bin" if os.name != "nt" else "Scripts", "python")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        lent = sysconfig.get_path("purelib")
        own = subprocess.run(
            [self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        Path(own, "lent.pth").write_text(lent, encoding="utf-8")
        if wheel:
            self.pip("install", "--no-deps", "--no-index", "--ignore-installed", wheel)

    def pip(self, *arguments):
        subprocess.run([self.python, "-m", "pip", "--quiet", *arguments], check=True, env=plain_environment())

    def run(self, notebook, folder, timeout=600):
        """Run a notebook in an empty folder; returns what it printed on stderr and how it failed, or nothing."""
        Path(folder).mkdir(parents=True)
        done = subprocess.run(
            [self.python, RUNNER, notebook, str(timeout)],
            cwd=folder, env=plain_environment(), capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout + (done.stderr if done.returncode else "")


def build_wheel(folder):
    """The wheel of the book's package, built from the checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, BOOK]
    subprocess.run(command, check=True, env=plain_environment())
    [wheel] = Path(folder).glob("*.whl")
    return wheel


def plain_environment():
    """The variables of this process, without those that would show the checkout to a notebook."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
