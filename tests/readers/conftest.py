"""What the tests of all readers share: the result on record, as the reader that a module tests reads it."""

from importlib import import_module

import pytest


@pytest.fixture(scope="module")
def runs(request):
    """The result on record: of ``readers/PART/NAME.py`` in a module ``tests/readers/PART/test_NAME.py``."""
    part, module = request.module.__name__.split(".")[-2:]
    return import_module(f"attention_book.readers.{part}.{module.removeprefix('test_')}").read()
