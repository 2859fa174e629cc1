"""The tiny book, built once for all tests that look at it."""

import os
import shutil

import pytest
from filelock import FileLock
from tiny_book import TinyBook
from warm_jupyter_book import serving


@pytest.fixture(scope="session")
def warm_jupyter_book(tmp_path_factory):
    """A command that builds as ``jupyter-book`` does, without importing Sphinx each time."""
    if not hasattr(os, "fork"):
        yield TinyBook.jupyter_book
        return
    with serving(tmp_path_factory.mktemp("w")) as command:
        yield command


@pytest.fixture(scope="session")
def tiny_book(tmp_path_factory, warm_jupyter_book):
    """The tiny book, built by the command itself; what it is edited to be is built by the warm one.

    The first of the workers that needs it builds it, for all of them: nobody may change it.
    """
    own = tmp_path_factory.getbasetemp()
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, whole = common / "tiny", common / "tiny-is-built"
    with FileLock(common / "tiny-lock"):
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)
            status, log = TinyBook(folder).build()
            assert status == 0, log[-3000:]
            whole.touch()
    book = TinyBook.at(folder)
    book.jupyter_book = warm_jupyter_book
    return book
