"""What the tests of the rows share: a row by its name, and its verdict for a value that was changed."""

import copy

from attention_book.claims import all_claims

ROWS = {claim.id: claim for claim in all_claims()}


def verdict(name, value):
    """What the row would say of this value; the reason has to be a sentence for any value."""
    said, why = ROWS[name].decide(value)
    assert why.endswith(".") and "\n" not in why
    return said


def changed(answers, name, **changes):
    """The row's verdict if some of what it computed were otherwise."""
    value = copy.deepcopy(answers[name]["value"])
    assert set(changes) <= set(value), "a misspelt name would change nothing"
    return verdict(name, value | changes)
