"""Word forms of the little language: a lexeme is a table from grammatical features to spellings.

Only present-tense forms and only the persons that the grammar uses. Regular forms come from the rules below; whatever
is irregular is written out. All text is in Unicode normal form C, in which a Devanagari letter with a nukta is two
code points.
"""

from typing import NamedTuple

PERSONS = ("1sg", "2sg", "3sg", "1pl", "3pl")
GENDERS = ("m", "f")
NUMBERS = ("sg", "pl")


class Features(NamedTuple):
    """What a noun phrase hands to the words that agree with it.

    `article` is the gender that a Spanish article directly before the noun shows, which differs from `gender` in *el
    agua*.
    """

    person: str = "3"
    number: str = "sg"
    gender: str = "m"
    article: str = "m"


class Lexeme(NamedTuple):
    """A word with all its forms.

    Args:
        lemma: the citation form.
        kind: "noun" (number, case), "adjective" (gender, number, case), "article" (as adjective), "verb" (person,
            number) or "number" (number only); it decides which features pick the form.
        forms: feature key → spelling, e.g. "pl" → "gatos", "f.sg" → "roja", "1sg" → "como".
        gender: of a noun, else None.
        article: gender shown by a Spanish singular article before the noun.
    """

    lemma: str
    kind: str
    forms: dict[str, str]
    gender: str | None = None
    article: str | None = None

    def form(self, features: Features, case: str = "") -> str:
        """The spelling for these features; a case without a form of its own is written like the direct case."""
        person, number, gender, article = features
        key = {
            "noun": number,
            "number": number,
            "verb": person + number,
            "adjective": f"{gender}.{number}",
            "article": f"{article if number == 'sg' else gender}.{number}",
        }[self.kind]
        return self.forms.get(f"{key}.{case}", self.forms[key]) if case else self.forms[key]


# English -------------------------------------------------------------------------------------------
def english_noun(singular: str, plural: str) -> Lexeme:
    """An English noun by its two forms."""
    return Lexeme(singular, "noun", {"sg": singular, "pl": plural})


def english_verb(base: str, third: str, **irregular: str) -> Lexeme:
    """`base` in every person but the third singular; `irregular` overrides it (`p1sg="am"`)."""
    forms = {person: base for person in PERSONS} | {"3sg": third}
    return Lexeme(base, "verb", forms | {key[1:]: form for key, form in irregular.items()})


# Spanish -------------------------------------------------------------------------------------------
def spanish_plural(word: str) -> str:
    """Regular plural: -s after a vowel, -ces for -z, -es after other consonants (shifted accents are listed)."""
    if word[-1] in "aeiouáéó":
        return word + "s"
    return word[:-1] + "ces" if word[-1] == "z" else word + "es"


def spanish_noun(word: str, gender: str, plural: str | None = None) -> Lexeme:
    """A gender written `f*` marks a feminine noun with stressed initial a-, which takes *el* in the singular."""
    article = "m" if gender == "f*" else gender
    forms = {"sg": word, "pl": plural or spanish_plural(word)}
    return Lexeme(word, "noun", forms, gender=gender[0], article=article)


def spanish_adjective(word: str, plural: str | None = None) -> Lexeme:
    """Four forms for adjectives in -o, two for the others."""
    by_gender = {"m": word, "f": word[:-1] + "a"} if word.endswith("o") else {"m": word, "f": word}
    forms = {f"{g}.sg": form for g, form in by_gender.items()}
    forms |= {f"{g}.pl": plural or spanish_plural(form) for g, form in by_gender.items()}
    return Lexeme(word, "adjective", forms)


_SPANISH_ENDINGS = {"ar": "o as a amos an", "er": "o es e emos en", "ir": "o es e imos en"}
_SPANISH_IRREGULAR = {
    "ver": "veo ves ve vemos ven",
    "querer": "quiero quieres quiere queremos quieren",
    "conocer": "conozco conoces conoce conocemos conocen",
    "ir": "voy vas va vamos van",
    "ser": "soy eres es somos son",
    "estar": "estoy estás está estamos están",
}


def spanish_verb(infinitive: str) -> Lexeme:
    """Present indicative of yo, tú, él, nosotros, ellos."""
    if infinitive in _SPANISH_IRREGULAR:
        forms = _SPANISH_IRREGULAR[infinitive].split()
    else:
        forms = [infinitive[:-2] + ending for ending in _SPANISH_ENDINGS[infinitive[-2:]].split()]
    return Lexeme(infinitive, "verb", dict(zip(PERSONS, forms, strict=True)))


# Hindi ---------------------------------------------------------------------------------------------
def _hindi_endings(word: str, gender: str) -> tuple[str, str, str, str]:
    """Stem, then the endings of oblique singular, direct plural and oblique plural."""
    if gender == "m" and word.endswith("ा"):
        return word[:-1], "े", "े", "ों"
    if gender == "f" and word.endswith("िया"):
        return word[:-2], "या", "याँ", "यों"
    if gender == "f" and word.endswith("ा"):
        return word, "", "एँ", "ओं"
    for long, short in (("ी", "ि"), ("ई", "इ")):
        if word.endswith(long):
            plural = short + "याँ" if gender == "f" else long
            return word[:-1], long, plural, short + "यों"
    if word.endswith("ू"):
        return word[:-1], "ू", "ू", "ुओं"
    return word, "", "ें" if gender == "f" else "", "ों"


def hindi_noun(word: str, gender: str) -> Lexeme:
    """Direct and oblique case (before a postposition) in both numbers."""
    stem, oblique, plural, oblique_plural = _hindi_endings(word, gender)
    forms = {"sg": word, "sg.obl": stem + oblique, "pl": stem + plural, "pl.obl": stem + oblique_plural}
    return Lexeme(word, "noun", forms, gender=gender)


def hindi_adjective(word: str) -> Lexeme:
    """-ा inflects (-े oblique or plural masculine, -ी feminine); a word marked `=`, or with another ending, does not."""
    lemma = word.rstrip("=")
    if word.endswith("या"):  # नया: the glide is not written before -ए and -ई
        stem, masculine, feminine = lemma[:-2], "ए", "ई"
    elif word.endswith("ा"):
        stem, masculine, feminine = lemma[:-1], "े", "ी"
    else:
        return Lexeme(lemma, "adjective", {f"{g}.{n}": lemma for g in GENDERS for n in NUMBERS})
    forms = {"m.sg": lemma, "m.sg.obl": stem + masculine, "m.pl": stem + masculine}
    return Lexeme(lemma, "adjective", forms | {f"f.{n}": stem + feminine for n in NUMBERS})


def hindi_participle(stem: str) -> Lexeme:
    """The habitual participle (पढ़ता); case "bare", without auxiliary, nasalises the feminine plural (पढ़तीं)."""
    forms = {"m.sg": "ता", "m.pl": "ते", "f.sg": "ती", "f.pl": "ती", "f.pl.bare": "तीं"}
    return Lexeme(stem + "ना", "adjective", {key: stem + ending for key, ending in forms.items()})
