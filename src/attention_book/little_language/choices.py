"""The free choices of the little language: what Spanish or Hindi leaves to the speaker, with stated probabilities.

Each table is {template: probability} (`grammar` explains how a template reads; "Mod" is an adverbial). A
`{slot}` is filled from a further table, and the probabilities multiply. Choices between synonyms stand in the
lexicon.

Conventions for what English leaves open, so that they are no choices: *I*, *we* and *they* are masculine; *you* is
one person, *tú* in Spanish and in Hindi the polite *आप*, which agrees as a plural; the Hindi habitual present renders
the English simple present.
"""

from itertools import product
from string import Formatter

Options = dict[str, float]

SPANISH_CHOICES: dict[str, Options] = {
    "subject pronoun yo, tú, nosotros": {"": 0.6, "Subj ": 0.4},
    "subject pronoun in a question": {"{verb} {obj}": 0.6, "Subj {verb} {obj}": 0.25, "{verb} Subj {obj}": 0.15},
    "any other subject in a question": {"{verb} Subj {obj}": 0.5, "Subj {verb} {obj}": 0.3, "{verb} {obj} Subj": 0.2},
    "time or place": {"{subj}{verb} {obj} Mod": 0.5, "Mod {subj}{verb} {obj}": 0.3, "{subj}{verb} Mod {obj}": 0.2},
    "frequency": {"{subj}Mod {verb} {obj}": 0.5, "{subj}{verb} Mod {obj}": 0.25, "{subj}{verb} {obj} Mod": 0.25},
    "frequency in a question": {"Mod {verb} {obj}": 0.5, "{verb} Mod {obj}": 0.5},
    "frequency in a question, any other subject": {"Subj Mod {verb} {obj}": 0.5, "{verb} Subj Mod {obj}": 0.5},
    "verb for like": {"gustar/Obj@like": 0.75, "agradar/Obj@like": 0.25},
    "experiencer me, te, nos": {"{like} Obj": 0.65, "a@Subj Subj:tonic {like} Obj": 0.25, "Obj {like}": 0.1},
    "experiencer te, nos in a question": {"{like} Obj": 0.7, "a@Subj Subj:tonic {like} Obj": 0.3},
    "any other experiencer": {
        "a@Subj Subj {like} Obj": 0.6,
        "{like} Obj a@Subj Subj": 0.25,
        "Obj {like} a@Subj Subj": 0.15,
    },
    "any other experiencer in a question": {"a@Subj Subj {like} Obj": 0.6, "{like} Obj a@Subj Subj": 0.4},
    "predicate in a question": {"{be} Pred{agree} Subj": 0.6, "Subj {be} Pred{agree}": 0.4},
    "located subject in a question": {"{be} Subj Pred": 0.6, "Subj {be} Pred": 0.4},
    "located subject": {"Subj {be} Pred": 0.8, "Pred {be} Subj": 0.2},
    "on": {"en@on": 0.6, "sobre@on": 0.4},
    "every day": {"todos@every los@every días@day": 0.5, "cada@every día@day": 0.3, "a@every diario@day": 0.2},
    "in the morning": {"por@in la@the mañana": 0.7, "en@in la@the mañana": 0.3},
    "at night": {"por@at la@at noche": 0.7, "de@at noche": 0.3},
    "often": {"a menudo": 0.5, "con frecuencia": 0.3, "frecuentemente": 0.2},
}
HINDI_CHOICES: dict[str, Options] = {
    "indefinite article": {"एक@a {adj}N": 0.6, "{adj}N": 0.4},
    "dative of मैं": {"मुझे": 0.7, "मुझको": 0.3},
    "dative of हम": {"हमें": 0.7, "हमको": 0.3},
    "dative of वह": {"उसे": 0.7, "उसको": 0.3},
    "dative of वे": {"उन्हें": 0.7, "उनको": 0.3},
    "question word": {"क्या@{aux} {clause}": 0.75, "{clause} क्या@{aux}": 0.25},
    "auxiliary of a negated verb": {"नहीं@not V/Subj है/Subj": 0.6, "नहीं@not V:bare/Subj": 0.4},
    "copula of a negated adjective": {"नहीं@not है/Subj@be": 0.8, "नहीं@not": 0.2},
    "time or place": {"first": 0.25, "second": 0.5, "third": 0.25},
    "time or place in a negation": {"second": 0.7, "third": 0.3},
    "frequency": {"second": 0.7, "third": 0.3},
    "order of experiencer and thing": {"Subj:dat Obj {verb}": 0.75, "Obj Subj:dat {verb}": 0.25},
    "verb for like": {"पसंद@like है/Obj@like": 0.6, "अच्छा/Obj@like लगना/Obj@like है/Obj@like": 0.4},
    "verb for like, negated": {
        "पसंद@like नहीं@not है/Obj@like": 0.4,
        "पसंद@like नहीं@not": 0.2,
        "अच्छा/Obj@like नहीं@not लगना/Obj@like है/Obj@like": 0.25,
        "अच्छा/Obj@like नहीं@not लगना:bare/Obj@like": 0.15,
    },
    "verb for see": {"दिखना/Obj@V है/Obj@V": 0.5, "दिखाई@V देना/Obj@V है/Obj@V": 0.5},
    "verb for see, negated": {
        "नहीं@not दिखना/Obj@V है/Obj@V": 0.3,
        "नहीं@not दिखना:bare/Obj@V": 0.2,
        "दिखाई@V नहीं@not देना/Obj@V है/Obj@V": 0.3,
        "दिखाई@V नहीं@not देना:bare/Obj@V": 0.2,
    },
    "verb for need": {"Subj:dat Obj:obl की@V ज़रूरत@V {verb}है@V": 0.6, "Subj:dat Obj {verb}चाहिए@V": 0.4},
    "every day": {"रोज़@every,day": 0.6, "हर@every दिन@day": 0.4},
    "in the morning": {"सुबह": 0.7, "सवेरे": 0.3},
    "at night": {"रात को@at": 0.6, "रात में@at": 0.4},
    "often": {"अक्सर": 0.7, "प्रायः": 0.3},
    "always": {"हमेशा": 0.8, "सदा": 0.2},
}
CONNECTIVES: dict[str, dict] = {
    # English: the weights of the source, by mood; a comma comes before.
    "en": {"Statement": {"and": 0.65, "but": 0.35}, "Question": {"and": 1.0}},
    "es": {"and": {"y": 0.6, ", y": 0.4}, "but": {", pero": 1.0}},
    "hi": {"and": {"और": 0.75, "तथा": 0.25}, "but": {", लेकिन": 0.6, ", मगर": 0.2, ", परंतु": 0.2}},
}


def fill(patterns: Options | str, **slots: Options | str) -> Options:
    """Fills every `{slot}` of the patterns with each of its options; probabilities multiply.

    Raises:
        ValueError: two ways of filling give one template, so that the choice would not be seen in the target.
    """
    filled: Options = {}
    for pattern, p in options_of(patterns).items():
        names = [name for _, name, _, _ in Formatter().parse(pattern) if name]
        for chosen in product(*(options_of(slots[name]).items() for name in names)):
            text = " ".join(pattern.format(**{n: text for n, (text, _) in zip(names, chosen, strict=True)}).split())
            if text in filled:
                raise ValueError(f"{text!r} can be reached by two choices")
            filled[text] = p
            for _, q in chosen:
                filled[text] *= q
    return filled


def options_of(options: Options | str) -> Options:
    """Forms with their probabilities; a form alone is certain."""
    return {options: 1.0} if isinstance(options, str) else options
