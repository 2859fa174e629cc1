import pytest

from attention_book.studies.before.context_length import little_pairs


@pytest.fixture(scope="session")
def spanish_pairs():
    """4000 pairs of the little language, and 200 others: what the page counts in and measures on."""
    return little_pairs()
