"""Phrases of the little language: noun phrases, pronouns, names and adverbials, English beside Spanish and Hindi."""

from collections.abc import Iterable
from dataclasses import replace

from .choices import HINDI_CHOICES, SPANISH_CHOICES, Options, fill, options_of
from .grammar import Rule
from .lexicon import LEXICON, Entry
from .morphology import Features

Weighted = list[tuple[float, Rule | Entry]]

NOUN_PHRASES: dict[str, tuple[str, str, str, Options | str]] = {  # kind → English, number, Spanish, Hindi
    "the": ("the {adj}N", "sg", "el/N@the N{adj}", "{adj}N"),
    "the+": ("the {adj}N", "pl", "el/N@the N{adj}", "{adj}N"),
    "a": ("a {adj}N", "sg", "un/N@a N{adj}", HINDI_CHOICES["indefinite article"]),
    "two": ("two {adj}N", "pl", "dos@two N{adj}", "दो@two {adj}N"),
    "three": ("three {adj}N", "pl", "tres@three N{adj}", "तीन@three {adj}N"),
    "my": ("my {adj}N", "sg", "mi/N@my N{adj}", "मेरा/N@my {adj}N"),
    "my+": ("my {adj}N", "pl", "mi/N@my N{adj}", "मेरा/N@my {adj}N"),
    "bare": ("{adj}N", "pl", "N{adj}", "{adj}N"),
    "mass": ("{adj}N", "sg", "N{adj}", "{adj}N"),
    "generic": ("{adj}N", "pl", "el/N N{adj}", "{adj}N"),  # Spanish: me gustan *los* gatos
    "generic mass": ("{adj}N", "sg", "el/N N{adj}", "{adj}N"),
}


def noun_phrases(kinds: str, noun: str, adjective: str = "") -> Weighted:
    """Noun phrases of some kinds ("the, a*2": the second is twice as likely) over a class of nouns.

    One in three has an adjective, if a class of adjectives is given.
    """
    rules: Weighted = []
    for item in kinds.split(", "):
        kind, _, times = item.partition("*")
        source, number, spanish, hindi = NOUN_PHRASES[kind]
        for adj in (False, True) if adjective else (False,):
            rule = Rule(
                source.format(adj="Adj " if adj else ""),
                {"N": noun, "Adj": adjective} if adj else {"N": noun},
                "N",
                {"es": fill(spanish, adj=" Adj/N" if adj else ""), "hi": fill(hindi, adj="Adj/N " if adj else "")},
                number,
            )
            share = 1 / 3 if adj else 2 / 3 if adjective else 1.0
            rules.append((share * float(times or 1), rule))
    return rules


def union(*parts: tuple[float, Weighted]) -> Weighted:
    """Several lists of rules under one category, each list with its share of the probability."""
    return [(share * w / sum(v for v, _ in rules), rule) for share, rules in parts for w, rule in rules]


def fixed(source: str, spanish: Options | str, hindi: Options | str, **features: Features) -> Rule:
    """A rule without nonterminals: a pronoun, a name, an adverb. The last English word is its head."""
    targets = {"es": options_of(spanish), "hi": options_of(hindi)}
    return Rule(source, {}, source.split()[-1], targets, features=features or None)


def _pronoun(
    english: str, spanish: str, hindi: str, person: str, gender: str = "m", tonic: str = "", dative: str = ""
) -> Rule:
    features = Features(person[0], person[1:], gender, gender)
    polite = Features("3", "pl", gender, gender) if hindi == "आप" else features
    rule = fixed(english, spanish, hindi, en=features, es=features, hi=polite)
    cases = {"es:tonic": options_of(tonic or spanish)}
    cases["hi:dat"] = HINDI_CHOICES[f"dative of {hindi}"] if not dative else options_of(dative)
    return replace(rule, targets=rule.targets | cases)


def _name(english: str, spanish: str, hindi: str, gender: str) -> Rule:
    features = Features("3", "sg", gender, gender)
    return fixed(english, spanish, hindi, en=features, es=features, hi=features)


def _even(rules: Iterable[Rule | Entry]) -> Weighted:
    return [(1.0, rule) for rule in rules]


SPEAKER = _pronoun("I", "yo", "मैं", "1sg", tonic="mí")
YOU = _pronoun("you", "tú", "आप", "2sg", tonic="ti", dative="आपको")
WE = _pronoun("we", "nosotros", "हम", "1pl")
THIRD_PRONOUNS = (
    _pronoun("he", "él", "वह", "3sg"),
    _pronoun("she", "ella", "वह", "3sg", gender="f"),
    _pronoun("they", "ellos", "वे", "3pl"),
)
NAMES = (
    _name("Tom", "Tom", "टॉम", "m"),
    _name("Maria", "María", "मारिया", "f"),
    _name("Ravi", "Ravi", "रवि", "m"),
    _name("Anita", "Anita", "अनीता", "f"),
    _name("Irene", "Irene", "आइरीन", "f"),
)
TIMES = tuple(
    fixed(words, SPANISH_CHOICES[words], HINDI_CHOICES[words]) for words in ("every day", "in the morning", "at night")
)
FREQUENCIES = (
    fixed("often", SPANISH_CHOICES["often"], HINDI_CHOICES["often"]),
    fixed("always", "siempre", HINDI_CHOICES["always"]),
)


def _place(preposition: str, noun: str, spanish: Options | str, hindi: str) -> Weighted:
    targets = {"es": fill("{at} el/N@the N", at=spanish), "hi": options_of(f"N:obl {hindi}@{preposition}")}
    return [(1.0, Rule(f"{preposition} the N", {"N": noun}, "N", targets))]


def phrase_categories() -> dict[str, Weighted]:
    """Every category but the clauses."""
    count = "the, the+, a*2, two, three, bare*2"
    things = noun_phrases(count, "Thing", "ThingAdj")
    clothes = noun_phrases(count, "Clothing", "ThingAdj")
    papers = noun_phrases(count, "Paper", "PaperAdj")
    texts = noun_phrases(count, "Text", "TextAdj")
    foods = noun_phrases(count, "Food", "FoodAdj")
    drinks, dishes = noun_phrases("mass", "Drink", "DrinkAdj"), noun_phrases("mass", "Dish")
    goods = union((0.4, things), (0.25, clothes), (0.15, papers), (0.2, foods))
    humans = union(
        (0.20, _even(THIRD_PRONOUNS)),
        (0.25, _even(NAMES)),
        (0.35, noun_phrases("the, the+", "Human")),
        (0.20, noun_phrases("my*2, my+", "Kin")),
    )
    tall = [(w, rule) for w, rule in noun_phrases("the, the+", "Human", "HumanAdj") if "Adj" in rule.roles]
    place = union((0.7, _place("in", "Room", "en@in", "में")), (0.3, _place("in", "Home", "en@in", "में")))
    outdoors = _place("in", "Outdoor", "en@in", "में")
    on_table = _place("on", "Surface", SPANISH_CHOICES["on"], "पर")
    liked = union(
        (0.20, noun_phrases("generic", "Animal", "AnimalAdj")),
        (0.12, noun_phrases("generic", "Food", "FoodAdj")),
        (0.12, noun_phrases("generic", "Paper", "PaperAdj") + noun_phrases("generic", "Text", "TextAdj")),
        (0.08, noun_phrases("generic", "Thing", "ThingAdj")),
        (0.18, noun_phrases("generic mass", "Drink", "DrinkAdj") + noun_phrases("generic mass", "Dish")),
        (0.15, noun_phrases("the, the+", "Thing", "ThingAdj")),
        (0.08, noun_phrases("the, the+", "Animal", "AnimalAdj")),
        (0.07, noun_phrases("the, the+", "Clothing", "ThingAdj")),
    )
    return {
        **{name: _even(entries) for name, entries in LEXICON.items()},
        "Local": _even((SPEAKER, YOU, WE)),
        "LocalAsked": [(0.8, YOU), (0.2, WE)],  # nobody asks "Do I like cats?"
        "Person": humans,
        "Third": union((0.85, humans), (0.15, tall)),
        "Time": _even(TIMES),
        "Frequency": _even(FREQUENCIES),
        "Place": place,
        "Outdoors": outdoors,
        "TimeOrPlace": union((0.65, _even(TIMES)), (0.35, place)),
        "TimeOrOutdoors": union((0.65, _even(TIMES)), (0.35, outdoors)),
        "Readable": union((0.5, papers), (0.5, texts)),
        "Writable": texts,
        "Edible": union((0.7, foods), (0.3, dishes)),
        "Potable": drinks,
        "Wearable": noun_phrases("the, a*2", "Clothing", "ThingAdj"),
        "Goods": goods,
        "Wanted": union((0.6, goods), (0.2, drinks), (0.2, dishes)),
        "Visible": union((0.5, noun_phrases(count, "Animal", "AnimalAdj")), (0.5, things)),
        "Acquaintance": noun_phrases("the*2, the+", "Known"),
        "Sought": union(
            (0.5, noun_phrases("the*2, the+", "Known")), (0.5, noun_phrases("the, the+", "Animal", "AnimalAdj"))
        ),
        "Liked": liked,
        "ToPlace": noun_phrases("the", "Goal"),
        "InPlace": noun_phrases("the", "Home"),
        "OneAnimal": noun_phrases("the, the+", "Animal"),
        "OneThing": union((0.7, noun_phrases("the, the+", "Thing")), (0.3, noun_phrases("the, the+", "Clothing"))),
        "OnePaper": noun_phrases("the, the+", "Paper"),
        "OneText": noun_phrases("the, the+", "Text"),
        "OneFood": noun_phrases("the, the+", "Food"),
        "Portable": union((0.5, noun_phrases("the, the+", "Paper")), (0.5, noun_phrases("the, the+", "Clothing"))),
        "Indoors": union((0.7, humans), (0.3, noun_phrases("the, the+", "Pet"))),
        "OnOrIn": union((0.7, on_table), (0.3, place)),
    }
