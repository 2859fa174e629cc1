"""Hidden tests that see each known mistake whatever the secret draws: other secrets, and as many variants."""

import pytest
from test_sets import mistakes
from try_secrets import kept

from coursework.building.course import known_sets

pytestmark = pytest.mark.slow
SECRETS = {"transformer": range(100, 101), "evaluation": range(100, 102)}
"""The slow ones: answers that train, and one that tries every way. `try_secrets.py` takes any number."""


@pytest.mark.parametrize("name", known_sets())
def test_no_known_mistake_keeps_more_points_under_another_secret(name):
    """If one does, let the hidden test draw until the mistake matters, as `coursework/README.md` says."""
    known, escapes = mistakes(name), {}
    for number, mistake, points in kept(name, known, SECRETS.get(name, range(100, 105))):
        if points > known[mistake][4]:
            escapes.setdefault(mistake, []).append((number, points))
    assert not escapes


def test_a_mistake_that_an_easy_input_would_forgive_is_noticed():
    """The tool itself: an answer that is right has all points, so it escapes if fewer are expected."""
    known = {"no mistake": ("mixing-weight", "rounds", "rounds", None, 0)}
    assert [points for *_, points in kept("counting", known, [1])] == [4]
