"""Checks for *Outside its style*: what a program's signs find, what they let pass, and one sign more."""

import re

import numpy as np

from ...data.failures import SIGNS, missing_names, missing_numbers, repeated, short
from ..answers import each_answer
from ..report import NotYet, Report, attempt, checking

CASES = {
    "a": ("The boat is old and the sail is new.", "El barco es viejo y el barco es viejo."),
    "b": ("Please call Marta before 17:30.", "Por favor, llama antes de las 17:30."),
    "c": ("The boat is not for sale.", "El barco está en venta."),
    "d": ("We stayed at home because the road to the harbor was closed.", "Nos quedamos en casa."),
    "e": ("The fisherman sold 120 crabs.", "El pescador vendió 12 cangrejos."),
}
"""Five sentences and their translations; each shows one sign, or none."""
_FOUND = {"a": "repeated", "b": "name", "c": "none", "d": "short", "e": "number"}
_WHY = {
    "a": "two runs of three words come back",
    "b": "the 17:30 is there; look for a word with a capital",
    "c": "the translation says the opposite, but no program has complained of a missing *not*",
    "d": "count the words of both: 4 of 12",
    "e": "compare the digits of both",
}


@checking
def check_signs(answers: object) -> Report:
    """Is this the sign that each of `CASES` shows, ``"none"`` if it shows none?"""
    known = [*SIGNS, "none"]
    for name, answer in each_answer(answers, CASES, "the name of a sign for each of"):
        if not isinstance(answer, str) or answer not in known:
            raise NotYet(f"({name}) must be one of {', '.join(known)}.")
        if answer != _FOUND[name]:
            raise NotYet(f"({name}) is not {answer}: {_WHY[name]}.")
    return Report(True, "All five. The worst translation of the five is the one without a sign.")


SOURCE = "At 14:30 the two boats left the harbor, and Marta waved to the sailors from the window of her room."
RIGHT = "A las 14:30 los dos barcos salieron del puerto, y Marta saludó a los marineros desde la ventana de su cuarto."
_ALLOWED = {"las", "los", "dos", "del", "desde", "marta"}


@checking
def check_silent(translation: object) -> Report:
    """Does this "translation" of `SOURCE` share no longer word with the right one, and show no sign all the same?"""
    if not isinstance(translation, str):
        raise NotYet("Give the translation as a string.")
    said = [word.lower() for word in re.findall(r"[^\W\d_]+", translation)]
    if not said:
        raise NotYet("There is no word in it yet.")
    right = {word.lower() for word in re.findall(r"[^\W\d_]+", RIGHT)}
    kept = [word for word in said if len(word) > 2 and word in right - _ALLOWED]
    if kept:
        raise NotYet(f"It has “{kept[0]}”, which is a word of the right translation.")
    english = {word.lower() for word in re.findall(r"[^\W\d_]+", SOURCE)} - {"marta"}
    if left := [word for word in said if len(word) > 2 and word in english]:
        raise NotYet(f"“{left[0]}” is a word of the English sentence: write Spanish.")
    if any(len(word) == 1 and word not in "aeouy" for word in said):
        raise NotYet("Write words, not single letters.")
    for sign, find in (("repeated", repeated), ("short", short), ("number", missing_numbers), ("name", missing_names)):
        if found := find(SOURCE, translation):
            raise NotYet(f"It shows the sign “{SIGNS[sign]}”: {', '.join(found)}.")
    return Report(True, "No sign of the four, and nothing of what the sentence says.")


SPANISH = ("no", "nunca", "jamás", "ni", "sin", "tampoco", "nadie", "nada")
"""Words that can carry a negation in Spanish."""
_PAIRS = (
    ("The boat is not for sale.", "El barco está en venta.", True, "*not* is gone"),
    ("He is not here.", "No está aquí.", False, "*No* stands there; capitals do not matter"),
    ("Not now.", "Ahora no.", False, "*no* stands there, before a full stop"),
    ("The knot is wet.", "El nudo está mojado.", False, "*knot* has the letters of *not* and is another word"),
    ("It is not a novel.", "Es una novela.", True, "*novela* has the letters of *no* and is another word"),
    ("It was not his wish.", "Era su siniestro deseo.", True, "*siniestro* has the letters of *sin* and *ni*"),
    ("She never eats fish.", "Ella come pescado.", True, "*never* is a negation, too"),
    ("She never sleeps.", "Ella nunca duerme.", False, "*nunca* carries the negation"),
    ("We cannot wait.", "Podemos esperar.", True, "*cannot* is one word"),
    ("Don't touch it.", "Tócalo.", True, "*Don't* ends in *n't*"),
    ("He isn't tall.", "No es alto.", False, "*No* answers the *n't*"),
    ("The ant saw the plant.", "La hormiga vio la planta.", False, "*ant* ends in *nt*, not in *n't*"),
    ("I have not seen anybody.", "A nadie he visto.", False, "*nadie* carries the negation"),
    ("Nobody came.", "Vino Ana.", False, "the English has none of the words that were named"),
    ("The door is open.", "La puerta está abierta.", False, "the English has no negation"),
    ('"Not today," he said.', "«Hoy sí», dijo.", True, "*Not* stands behind a quotation mark"),
    ("You are not alone, I think.", "¿Sin ti? ¡Jamás!", False, "*Jamás* is a negation, whatever else is wrong"),
)


@checking
def check_lost_not(candidate: object) -> Report:
    """Does ``candidate(source, translation)`` say whether a negation of the source has no counterpart?"""
    for source, translation, lost, why in _PAIRS:
        got = attempt(candidate, source, translation)
        if not isinstance(got, bool | np.bool_):
            raise NotYet(f"It must give True or False; for “{source}” it gives {got!r}.")
        if got != lost:
            raise NotYet(f"“{source}” – “{translation}” is {lost}, not {got}: {why}.")
    return Report(
        True, f"All {len(_PAIRS)} pairs. It sees that a negation is gone, and not whether the right one stands there."
    )
