"""Made-up pairs and translations of them, whose order by any score is known."""

from attention_book.data.normalisation import Pair

WORDS = ["uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece"]
BAD = "otra cosa muy distinta de verdad."


def made_up_pairs(lengths):
    """A pair per length in words, each source another text, and each with one reference."""
    targets = [" ".join(WORDS[i % 3 : i % 3 + n]) + "." for i, n in enumerate(lengths)]
    sources = [" ".join(["word"] * n) + f" {i}." for i, n in enumerate(lengths)]
    return [Pair(source, target, (target,)) for source, target in zip(sources, targets, strict=True)]


def half_right(right):
    """Every other translation is right, beginning with the second, and the others are bad."""
    return [text if i % 2 else BAD for i, text in enumerate(right)]
