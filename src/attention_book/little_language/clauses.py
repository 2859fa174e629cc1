"""Clauses of the little language: affirmative, negated and asked, English beside Spanish and Hindi.

The languages part where the book needs them to. English *like* has the liker as subject; Spanish *gustar* agrees with
the liked thing and marks the liker with *a* and a clitic; Hindi puts the liker in the dative and the verb last.
English negates and asks with *do*; Spanish needs only *no* or a question mark; Hindi uses नहीं before the verb and
क्या at either end.
"""

from dataclasses import dataclass, field

from .choices import HINDI_CHOICES, SPANISH_CHOICES, Options, fill
from .grammar import Grammar, Rule
from .phrases import Weighted, phrase_categories

MOODS = ("yes", "no", "ask")
NEGATED = 0.25  # share of the statements
LOCAL = 0.45  # share of the clauses whose subject is I, you or we

ENGLISH = {
    "yes": "Subj {early}V/Subj {obj}{late}",
    "no": "Subj do/Subj not {early}V {obj}{late}",
    "ask": "do/Subj Subj {early}V {obj}{late}",
}
ENGLISH_BE = {"yes": "Subj be/Subj Pred", "no": "Subj be/Subj not Pred", "ask": "be/Subj Subj Pred"}

NOMINATIVE = {"yes": "V/Subj है/Subj", "no": HINDI_CHOICES["auxiliary of a negated verb"]}
SEE = {"yes": HINDI_CHOICES["verb for see"], "no": HINDI_CHOICES["verb for see, negated"]}
WANT = {"yes": "चाहिए@V", "no": "नहीं@not चाहिए@V"}
NEED = {"yes": "", "no": "नहीं@not "}  # goes inside the two constructions for need
LIKE = {"yes": HINDI_CHOICES["verb for like"], "no": HINDI_CHOICES["verb for like, negated"]}

OFTEN = {"": 0.4, "TimeOrPlace": 0.4, "Frequency": 0.2}
DAILY = {"": 0.5, "Time": 0.5}
SEARCHED = {"": 0.4, "TimeOrOutdoors": 0.4, "Frequency": 0.2}
TRADED = {"": 0.4, "Time": 0.4, "Frequency": 0.2}
THERE = {"": 0.6, "Outdoors": 0.4}
NEVER_MODIFIED = {"": 1.0}


@dataclass(frozen=True)
class Family:
    """Clauses with a verb of one class and an object of one category.

    Args:
        weight: share of all clauses.
        verb: category of the English verb, V in the templates (None for *like*, whose three verbs the rules name).
        obj: category of the object, Obj in the templates.
        english, spanish: the object with its preposition.
        hindi: word order; `{first}`, `{second}`, `{third}` are the places for an adverbial and `{verb}` that of the
            verb.
        verbs: the Hindi verb, affirmative and negated.
        modifiers: category of the adverbial ("" for none) → share.
    """

    weight: float
    verb: str | None
    obj: str
    english: str = "Obj"
    spanish: str = "Obj"
    hindi: Options | str = "{first}Subj {second}Obj {third}{verb}"
    verbs: dict[str, Options | str] = field(default_factory=lambda: NOMINATIVE)
    modifiers: Options = field(default_factory=lambda: OFTEN)


_THING_TO_ME = HINDI_CHOICES["order of experiencer and thing"]
_TO_PERSON = {"spanish": "a@Obj Obj", "hindi": "{first}Subj {second}Obj:obl को@Obj {third}{verb}"}
FAMILIES = (
    Family(0.20, None, "Liked", hindi=_THING_TO_ME, verbs=LIKE, modifiers=NEVER_MODIFIED),
    Family(0.09, "Read", "Readable"),
    Family(0.04, "Write", "Writable"),
    Family(0.09, "Eat", "Edible"),
    Family(0.07, "Drinks", "Potable"),
    Family(0.05, "Wear", "Wearable"),
    Family(0.10, "Buy", "Goods", modifiers=TRADED),
    Family(0.06, "Seek", "Sought", **_TO_PERSON, modifiers=SEARCHED),
    Family(0.03, "Know", "Acquaintance", **_TO_PERSON, modifiers=NEVER_MODIFIED),
    Family(0.06, "See", "Visible", hindi="{first}Subj:dat {second}Obj {third}{verb}", verbs=SEE, modifiers=THERE),
    Family(0.07, "Want", "Wanted", hindi=_THING_TO_ME, verbs=WANT, modifiers=NEVER_MODIFIED),
    Family(0.05, "Need", "Wanted", hindi=HINDI_CHOICES["verb for need"], verbs=NEED, modifiers=NEVER_MODIFIED),
    Family(0.05, "Go", "ToPlace", "to Obj", "a@to Obj", "{first}Subj {second}Obj:obl {third}{verb}", modifiers=DAILY),
    Family(0.04, "Live", "InPlace", "in Obj", "en@in Obj", "Subj Obj:obl में@in {verb}", modifiers=NEVER_MODIFIED),
)
PREDICATES = (  # weight, subject, adjective
    (0.04, "Person", "HumanAdj"),
    (0.04, "OneThing", "ThingAdj"),
    (0.02, "OneAnimal", "AnimalAdj"),
    (0.01, "OnePaper", "PaperAdj"),
    (0.01, "OneText", "TextAdj"),
    (0.01, "OneFood", "FoodAdj"),
)
LOCATIONS = ((0.04, "Indoors", "Place"), (0.03, "Portable", "OnOrIn"))  # weight, subject, place


def _spanish(family: Family, mood: str, local: bool, modifier: str) -> Options:
    choices = SPANISH_CHOICES
    verb = "no@not V/Subj" if mood == "no" else "V/Subj"
    subject = choices["subject pronoun yo, tú, nosotros"] if local else "Subj "
    if mood == "ask" and modifier == "Frequency":
        patterns = choices["frequency in a question" if local else "frequency in a question, any other subject"]
    elif mood == "ask":
        asked = choices["subject pronoun in a question" if local else "any other subject in a question"]
        patterns = {text + (" Mod" if modifier else ""): p for text, p in asked.items()}
    elif modifier == "Frequency":
        patterns = choices["frequency"]
    elif modifier and mood == "yes":
        patterns = choices["time or place"]
    else:
        patterns = "{subj}{verb} {obj}" + (" Mod" if modifier else "")
    return fill(patterns, subj=subject, verb=verb, obj=family.spanish)


def _spanish_like(mood: str, local: bool) -> Options:
    choices = SPANISH_CHOICES
    verb = fill(("no@not " if mood == "no" else "") + "le/Subj@Subj {verb}", verb=choices["verb for like"])
    who = "experiencer me, te, nos" if local else "any other experiencer"
    if mood == "ask":
        who = "experiencer te, nos in a question" if local else "any other experiencer in a question"
    return fill(choices[who], like=verb)


def _hindi(family: Family, mood: str, modifier: str) -> Options:
    choices = HINDI_CHOICES
    verb = family.verbs["no" if mood == "no" else "yes"]
    places: Options = {"": 1.0}
    if modifier == "Frequency":
        places = choices["frequency"]
    elif modifier and mood == "ask":
        places = {"second": 1.0}
    elif modifier:
        places = choices["time or place in a negation" if mood == "no" else "time or place"]
    clauses: Options = {}
    for place, p in places.items():
        at = {where: "Mod " if where == place else "" for where in ("first", "second", "third")}
        clauses |= {text: p * q for text, q in fill(family.hindi, verb=verb, **at).items()}
    return fill(choices["question word"], aux="do", clause=clauses) if mood == "ask" else clauses


def _verb_clauses(mood: str, local: bool) -> Weighted:
    rules: Weighted = []
    for family in FAMILIES:
        allowed = {m: share for m, share in family.modifiers.items() if mood != "no" or m != "Frequency"}
        for modifier, share in allowed.items():
            early, late = ("Mod ", "") if modifier == "Frequency" else ("", " Mod" if modifier else "")
            source = ENGLISH[mood].format(early=early, obj=family.english, late=late)
            roles = {"Subj": _subject("Third", local, mood), "V": family.verb, "Obj": family.obj, "Mod": modifier}
            spanish = _spanish(family, mood, local, modifier)
            head = "V"
            if family.verb is None:
                source, spanish, head = source.replace("V", "like"), _spanish_like(mood, local), "like"
            roles = {role: category for role, category in roles.items() if category}
            rule = Rule(source, roles, head, {"es": spanish, "hi": _hindi(family, mood, modifier)})
            rules.append((family.weight * share / sum(allowed.values()), rule))
    return rules


def _be_clauses(mood: str, local: bool) -> Weighted:
    rules: Weighted = []
    places = [(*row, "estar", "", {"yes": "है/Subj@be", "no": "नहीं@not है/Subj@be"}) for row in LOCATIONS]
    copula = {"yes": "है/Subj@be", "no": HINDI_CHOICES["copula of a negated adjective"]}
    adjectives = [(*row, "ser", "/Subj", copula) for row in PREDICATES]
    for weight, subject, predicate, verb, agree, hindi_verbs in places + adjectives:
        if local and subject not in ("Person", "Indoors"):
            continue
        be = ("no@not " if mood == "no" else "") + f"{verb}/Subj@be"
        if mood == "ask" and not local:
            asked = "predicate in a question" if verb == "ser" else "located subject in a question"
            spanish = fill(SPANISH_CHOICES[asked], be=be, agree=agree)
        elif mood == "yes" and verb == "estar" and not local:
            spanish = fill(SPANISH_CHOICES["located subject"], be=be)
        else:
            kept = SPANISH_CHOICES["subject pronoun yo, tú, nosotros"] if local else "Subj "
            spanish = fill("{subj}{be} Pred" + agree, subj=kept, be=be)
        hindi = fill("Subj Pred" + agree + " {verb}", verb=hindi_verbs["no" if mood == "no" else "yes"])
        if mood == "ask":
            hindi = fill(HINDI_CHOICES["question word"], aux="be", clause=hindi)
        roles = {"Subj": _subject(subject, local, mood), "Pred": predicate}
        rules.append((weight, Rule(ENGLISH_BE[mood], roles, "Pred", {"es": spanish, "hi": hindi})))
    return rules


def _subject(category: str, local: bool, mood: str) -> str:
    return ("LocalAsked" if mood == "ask" else "Local") if local else category


def _clauses(mood: str, share: float) -> Weighted:
    rules: Weighted = []
    for local, kind in ((True, LOCAL), (False, 1 - LOCAL)):
        found = _verb_clauses(mood, local) + _be_clauses(mood, local)
        total = sum(weight for weight, _ in found)
        rules += [(share * kind * weight / total, rule) for weight, rule in found]
    return rules


GRAMMAR = Grammar(
    phrase_categories()
    | {"Statement": _clauses("yes", 1 - NEGATED) + _clauses("no", NEGATED), "Question": _clauses("ask", 1.0)}
)
