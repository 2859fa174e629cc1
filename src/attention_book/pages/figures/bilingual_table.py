"""Sentences beside their translations as an HTML table that says which language it speaks."""

from collections.abc import Sequence

from ..html_tables import table_html

FRONT = [
    "I like cats.",
    "The two women are reading an old newspaper.",
    "Why didn't you tell me that you were coming?",
    "My brother doesn't eat meat.",
    "The lighthouse keeper polished the enormous lens.",
]
"""What the first page asks the translator. Its training pairs hardly have the nouns of the last sentence."""


def bilingual_table(sentences: Sequence[str], translations: Sequence[str]) -> str:
    """English sentences and their Spanish translations, a row each.

    Args:
        sentences, translations: texts; what looks like HTML in them stays text.

    Raises:
        ValueError: if there is not one translation per sentence.
    """
    if len(sentences) != len(translations):
        raise ValueError(f"{len(translations)} translations do not fit {len(sentences)} sentences")
    rows = zip(sentences, translations, strict=True)
    return table_html(["English", "Spanish"], rows, languages={"Spanish": "es"})
