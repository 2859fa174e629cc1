"""What every test shares: shapes checked at run time, examples that repeat, and skips that say their reason.

A test that needs the corpora, Chromium or the built book carries the marker of that name. Without it the test is
skipped, by name and with the reason; with ATTENTION_BOOK_STRICT_SKIPS=1, as continuous integration sets it, it fails.
The annotations of the package are checked by beartype: see ``addopts`` in pyproject.toml.
"""

import os
import shutil
from pathlib import Path

import hypothesis
import pytest
import torch

from attention_book import corpora

BOOK = Path(__file__).parents[1]
STRICT = os.environ.get("ATTENTION_BOOK_STRICT_SKIPS") == "1"

hypothesis.settings.register_profile("book", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "book"))
torch.set_num_threads(1)


def _missing(item: pytest.Item) -> str | None:
    """Why a test cannot run here, or None."""
    if marker := item.get_closest_marker("corpora"):
        absent = [name for name in marker.args or ("tatoeba-en-es", "tatoeba-en-hi") if not corpora.available(name)]
        if absent:
            return f"no {', '.join(absent)}: set ATTENTION_BOOK_DATA or run `python -m attention_book fetch`"
    if item.get_closest_marker("browser") and not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "Chromium is not installed"
    if item.get_closest_marker("site") and not (BOOK / "_build" / "html" / "index.html").exists():
        return "the book is not built: run `make book`"
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here, or fail it where nothing may be skipped."""
    if reason := _missing(item):
        if STRICT:
            pytest.fail(f"must not be skipped here: {reason}", pytrace=False)
        pytest.skip(reason)
