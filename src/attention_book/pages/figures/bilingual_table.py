"""Sentences beside their translations as an HTML table that says which language it speaks."""

import html
from collections.abc import Sequence

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
    rows = "".join(
        f'<tr><td>{html.escape(english, quote=False)}</td><td lang="es">{html.escape(spanish, quote=False)}</td></tr>'
        for english, spanish in zip(sentences, translations, strict=True)
    )
    head = "<thead><tr><th>English</th><th>Spanish</th></tr></thead>"
    return f"<table class='table'>{head}<tbody>{rows}</tbody></table>"
