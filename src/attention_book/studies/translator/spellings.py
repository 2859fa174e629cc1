"""How texts that look alike are spelt."""

import unicodedata


def forms(text: str) -> dict[str, str]:
    """A text in its composed (NFC) and its decomposed (NFD) form."""
    return {form: unicodedata.normalize(form, text) for form in ("NFC", "NFD")}
