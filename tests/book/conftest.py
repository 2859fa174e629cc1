"""The tiny book, built once for all tests that look at it."""

import os

import pytest
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
    """The tiny book, built by the command itself; what it is edited to be is built by the warm one."""
    book = TinyBook(tmp_path_factory.mktemp("tiny"))
    status, log = book.build()
    assert status == 0, log[-3000:]
    book.jupyter_book = warm_jupyter_book
    return book
