"""What *What each use is for* says of the sentences with *it* holds in the result on record."""

from attention_book.experiments.reading import pronoun_sentences as experiment
from attention_book.readers.reading import pronoun_sentences as reader


def test_made_up_numbers_are_read_by_hand():
    found = {"sentences": 8, "on_nouns": [0.1, 0.3], "even": 0.25, "chosen": 0.625, "chosen_interval": [0.5, 0.75]}
    numbers = reader.PronounSentences({"seeds": {"0": found}}).numbers()
    assert numbers == {"it_sentences": 8, "it_chosen": "62", "it_interval": "50 to 75"}


def test_no_head_is_shown_to_find_the_noun_and_the_nouns_get_less_than_an_even_share():
    runs = reader.read()
    low, high = runs.found["chosen_interval"]
    assert low < 0.5 < high and runs.numbers()["it_sentences"] == 2 * len(experiment.CONFIGURATION["twos"])
    assert runs.found["on_nouns_interval"][1] < runs.found["even"]
