"""What pyproject.toml cannot say: the book's measured results and page sources travel inside the installed package.

Their one home is `results/` and `chapters/` beside this file. In a wheel they lie in the package's own folder, where
`attention_book.paths` looks when there is no checkout around the package.
"""

import atexit
import shutil
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build import build
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
CARRIED = {"results": "*.json", "chapters": "*.md"}


class BuildElsewhere(build):
    """Builds in a temporary folder, so that `pip install .` leaves no `build/` in the checkout."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="attention-book-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


class BuildWithData(build_py):
    """Copies what the package carries into what is built; an editable install reads it where it is."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        for folder, pattern in CARRIED.items():
            for path in sorted((HERE / folder).rglob(pattern)):
                target = Path(self.build_lib, "attention_book", path.relative_to(HERE))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


setup(cmdclass={"build": BuildElsewhere, "build_py": BuildWithData})
