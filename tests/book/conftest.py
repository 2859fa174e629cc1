"""The tiny book, built once for all tests that look at it."""

import pytest
from tiny_book import TinyBook


@pytest.fixture(scope="session")
def tiny_book(tmp_path_factory):
    book = TinyBook(tmp_path_factory.mktemp("tiny"))
    status, log = book.build()
    assert status == 0, log[-3000:]
    return book
