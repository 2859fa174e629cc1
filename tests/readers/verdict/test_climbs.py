"""What a climb of the loss brings and what stopping before it costs; numbers as a sentence lists them."""

from attention_book.readers.verdict.climbs import Climb, listed


def test_a_climb_brings_points_and_stopping_before_it_gives_more_away():
    climb = Climb([100, 5.0, 4.0, 10.0], [300, 3.0, 4.5, 12.0], [400, 2.0, 4.2, 15.5])
    assert climb.gained == 2.0 and climb.given_away == 5.5


def test_numbers_are_listed_as_in_a_sentence():
    assert listed([2.04, 1.96, 2.1]) == "2.0, 2.0 and 2.1"
    assert listed([3.0]) == "3.0" and listed([]) == ""
