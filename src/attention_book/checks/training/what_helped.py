"""Checks for *What helped?*: a ladder of scores read rung by rung, and how often a word is cut in another way."""

from collections.abc import Mapping

from ..answers import each_answer
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, checking, expect_number

OLD, TEACHERS, TOGETHER, PUPIL = 30.0, (31.0, 31.6, 32.2), 33.1, 32.6
"""The ladder of the exercise, in points of BLEU."""
_MEAN = sum(TEACHERS) / len(TEACHERS)
_LADDER = {
    "recipe": (
        _MEAN - OLD,
        {
            max(TEACHERS) - OLD: "that is the best teacher's gain; take their average",
            min(TEACHERS) - OLD: "that is the weakest teacher's gain; take their average",
            OLD - _MEAN: "a gain is the new score minus the old one",
            PUPIL - OLD: "that is the whole ladder; the longer recipe ends at the teachers",
        },
    ),
    "together": (
        TOGETHER - _MEAN,
        {
            TOGETHER - max(TEACHERS): "that is over the best teacher; the exercise asks for the average teacher",
            TOGETHER - OLD: "the rung below holds the teachers, and not the old model",
            TOGETHER - PUPIL: "the pupil comes later; the rung below holds the teachers",
        },
    ),
    "kept": (
        (PUPIL - _MEAN) / (TOGETHER - _MEAN),
        {
            (PUPIL - OLD) / (TOGETHER - OLD): "measure from the average teacher, where the gain of all together begins",
            (TOGETHER - PUPIL) / (TOGETHER - _MEAN): "that is the share that is lost",
            PUPIL / TOGETHER: "a share of the gain, and not of the score",
            (PUPIL - max(TEACHERS)) / (TOGETHER - max(TEACHERS)): "measure from the average teacher, not from the best",
        },
    ),
    "first": (
        (_MEAN - OLD) / (PUPIL - OLD),
        {
            (PUPIL - _MEAN) / (PUPIL - OLD): "that is the share that came with the teaching",
            (_MEAN - OLD) / (TOGETHER - OLD): "divide by the pupil's gain, not by the ensemble's",
            (max(TEACHERS) - OLD) / (PUPIL - OLD): "before the teaching stands the average teacher, not the best",
        },
    ),
}


@checking
def check_ladder(predictions: object) -> Report:
    """Are these the gains of the exercise's ladder, each over the rung below it?"""
    answers = dict(each_answer(predictions, _LADDER, "a number for each of", open_name=None))
    expect_predictions(answers, _LADDER, tolerance=6e-3)
    return Report(True, "Here, too, most of the gain was there before any teacher taught.")


LEFT_OUT = 0.1
"""The probability with which a merge that fits is left out."""
_KEPT = 1 - LEFT_OUT
_CUTS = {
    "cats": (
        _KEPT**3,
        {
            _KEPT: "three merges make this word, and each of them must be kept",
            _KEPT**2: "three merges make this word, not two",
            _KEPT**4: "e+at never fits, so it is never drawn",
        },
    ),
    "c ats": (
        _KEPT**2 * LEFT_OUT,
        {
            LEFT_OUT: "a+t and at+s must be kept as well",
            _KEPT * LEFT_OUT: "both a+t and at+s must be kept",
            _KEPT**3 * LEFT_OUT: "e+at never fits, so it is never drawn",
        },
    ),
    "c at s": (
        _KEPT * LEFT_OUT,
        {
            LEFT_OUT: "a+t must be kept as well",
            _KEPT * LEFT_OUT**2: "without at+s there is no piece ats, so c+ats never fits and is never drawn",
            _KEPT**2 * LEFT_OUT: "without at+s there is no piece ats, so c+ats never fits and need not be kept",
        },
    ),
    "c a t s": (
        LEFT_OUT,
        {
            LEFT_OUT**3: "without a+t no other merge fits, so only this one is drawn",
            LEFT_OUT**4: "without a+t no other merge fits, so only this one is drawn",
            LEFT_OUT * _KEPT**2: "without a+t no other merge fits, so the others need not be kept",
        },
    ),
}


@checking
def check_cuts(predictions: object) -> Report:
    """Are these the ways to cut *cats*, and the probability of each?"""
    if not isinstance(predictions, Mapping) or not all(isinstance(way, str) for way in predictions):
        raise NotYet('Give a dictionary from each way to cut the word, such as "c ats", to its probability.')
    given = {" ".join(way.split()): share for way, share in predictions.items()}
    if all(share is ... for share in given.values()):
        raise NotYet("Every probability is still open.")
    for way in given:
        if way.replace(" ", "") != "cats":
            raise NotYet(f"“{way}” does not spell cats.")
        if way not in _CUTS:
            raise NotYet(f"No choice of merges cuts the word into “{way}”: a t and an s meet only after a has met t.")
    for way, (right, mistakes) in _CUTS.items():
        if way not in given:
            continue
        if given[way] is ...:
            raise NotYet(f"The probability of “{way}” is still open.")
        got = expect_number(given[way], f"the probability of “{way}”")
        if abs(got - right) > 6e-4:
            reason = recognise(got, mistakes, near(abs_tol=6e-4))
            raise NotYet(f"“{way}” has not the probability {got:g}" + (f": {reason}." if reason else "."))
    if len(given) < len(_CUTS):
        raise NotYet(f"These are right, but they sum to {sum(map(float, given.values())):.3f}: a way is missing.")
    return Report(True, "They sum to 1, and about one reading in four meets the word in another cut.")
