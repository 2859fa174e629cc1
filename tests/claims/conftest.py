"""Each claim is decided once for all tests of it."""

import pytest

from attention_book.claims import all_claims, decided


class Answers(dict):
    """What ``decided`` says of a claim, when it is first asked for."""

    def __missing__(self, name):
        self.update(decided([name]))
        return self[name]


@pytest.fixture(scope="session")
def answers():
    return Answers()


@pytest.fixture(scope="session")
def all_answers(answers):
    return {claim.id: answers[claim.id] for claim in all_claims()}
