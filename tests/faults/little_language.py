"""Faults to plant in the room `little_language`."""

from .fault import Fault

LISTED = "little_language/test_gaps.py::test_the_sums_are_those_of_listing_every_sentence"

FAULTS = {
    "gaps that forget agreement": Fault(
        "Gaps._element",
        "fixed.get(stem, features) == features",
        "True",
        (LISTED,),
    ),
    "gaps that forget the shares of the rules": Fault(
        "Gaps._category",
        "weight / total * value",
        "value / len(options)",
        (LISTED, "little_language/test_gaps.py::test_a_whole_sentence_has_the_probability_of_its_derivation"),
    ),
    "an in front of any word": Fault(
        "Gaps._spelled",
        'sound and (spelling[0] in _VOWELS) is (sound == "consonant")',
        "False",
        ("little_language/test_gaps.py::test_words_that_do_not_agree_are_impossible",),
    ),
    "a verb exchanged for itself": Fault(
        "judged_sentences",
        "[form for form in FORMS[words[at]] if form != words[at]]",
        "FORMS[words[at]]",
        ("little_language/test_agreement.py::test_a_sentence_is_in_the_language_exactly_if_it_agrees",),
    ),
}
