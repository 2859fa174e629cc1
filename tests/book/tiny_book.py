"""A tiny book with every construct that a chapter may use, built with the real configuration and extensions."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from build import STRICT

BOOK = Path(__file__).parents[2]
TINY = Path(__file__).with_name("tiny")


class TinyBook:
    """A copy of the tiny book in a folder of its own, with the real book's configuration.

    Attributes:
        jupyter_book: the command that builds it.
    """

    jupyter_book = (Path(sys.executable).with_name("jupyter-book"),)

    def __init__(self, folder, original=TINY):
        self.folder = folder
        shutil.copytree(original, folder, dirs_exist_ok=True)
        config = yaml.safe_load((BOOK / "_config.yml").read_text(encoding="utf-8"))
        config["sphinx"]["config"]["moved_pages"] = {}  # they are pages of the whole book
        config["sphinx"]["config"]["exercise_effort_required"] = False  # an exercise without marks is read too
        config["html"]["favicon"] = str(BOOK / config["html"]["favicon"])
        sphinx = config["sphinx"]
        sphinx["local_extensions"] = {name: str(BOOK / path) for name, path in sphinx["local_extensions"].items()}
        sphinx["config"]["html_static_path"] = [str(BOOK / path) for path in sphinx["config"]["html_static_path"]]
        (folder / "_config.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")

    @classmethod
    def at(cls, folder):
        """The tiny book that lies in a folder already."""
        book = cls.__new__(cls)
        book.folder = folder
        return book

    def copy(self, folder):
        book = TinyBook(folder, self.folder)
        book.jupyter_book = self.jupyter_book
        return book

    @property
    def html(self):
        return self.folder / "_build" / "html"

    def build(self, *options):
        """Build as `make book` does and return the exit status and the log."""
        environment = {**os.environ, "PYTHONPATH": f"{self.folder / 'src'}{os.pathsep}{BOOK / 'src'}", "NO_COLOR": "1"}
        command = [*self.jupyter_book, "build", self.folder, *(options or STRICT)]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def executed(self, log):
        """Names of the pages that a build executed, by its log."""
        lines = [line for line in log.splitlines() if "Executed notebook in" in line]
        return sorted(Path(line.split(":")[0]).stem for line in lines)
