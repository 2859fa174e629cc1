"""What kind of word each word of a Spanish sentence of the little language is, judged with its gold links."""

from functools import cache

from .clauses import FAMILIES
from .lexicon import LEXICON
from .sentences import LittlePair

KINDS = ("noun", "adjective", "verb", "verb of liking", "clitic", "article", "article without source", "mark", "other")
"""*Gustar* and *agradar* are the verbs of liking; me, te, le, nos and les the clitics. ``other`` are pronouns, names,
prepositions, numbers, adverbs, *mi*, *no*, *y* and the forms of *ser* and *estar*."""
_ARTICLES = {"el", "la", "los", "las", "un", "una", "al"}
_LIKING = {"gusta", "gustan", "agrada", "agradan"}
_CLITICS = {"me", "te", "le", "nos", "les"}


@cache
def _spellings() -> dict[str, str]:
    """The kind of every Spanish form of the lexicon that is a noun, an adjective or a verb in each of its entries."""
    kinds: dict[str, set[str]] = {}
    verbs = {family.verb for family in FAMILIES}
    for category, entries in LEXICON.items():
        kind = "verb" if category in verbs else "adjective" if category.endswith("Adj") else "noun"
        for entry in entries:
            for _, lexeme in entry.targets["es"]:
                for form in lexeme.forms.values():
                    kinds.setdefault(form, set()).add(kind)
    return {form: next(iter(found)) for form, found in kinds.items() if len(found) == 1}


def kinds_of(pair: LittlePair) -> list[str]:
    """For each word of the Spanish side, one of `KINDS`.

    An article is *without source* if none of its gold links leads to an English article: *los* of *me gustan los
    gatos*, but also *las* of an expression of time such as *todos los días*.

    Args:
        pair: with Spanish as its target.

    Raises:
        ValueError: for another target language.
    """
    if pair.target_lang != "es":
        raise ValueError(f"the kinds are those of Spanish words, and the pair's target is {pair.target_lang!r}")
    known, found = _spellings(), []
    for j, word in enumerate(pair.target_words):
        word = word.lower()
        makers = {pair.source_words[i].lower() for i, linked in pair.alignment if linked == j}
        if word in {".", "?", "¿", ","}:
            found.append("mark")
        elif word in _ARTICLES:
            found.append("article" if makers & {"the", "a", "an"} else "article without source")
        elif word in _LIKING:
            found.append("verb of liking")
        elif word in _CLITICS:
            found.append("clitic")
        else:
            found.append("other" if "day" in makers else known.get(word, "other"))  # a diario is no newspaper
    return found
