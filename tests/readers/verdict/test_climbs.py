"""What a climb of the loss brings and what stopping before it costs."""

from attention_book.readers.verdict.climbs import Climb


def test_a_climb_brings_points_and_stopping_before_it_gives_more_away():
    climb = Climb([100, 5.0, 4.0, 10.0], [300, 3.0, 4.5, 12.0], [400, 2.0, 4.2, 15.5])
    assert climb.gained == 2.0 and climb.given_away == 5.5
