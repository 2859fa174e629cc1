"""Words: imported by the other page of the tiny book."""


def shout(word):
    """The word in capitals."""
    return word.upper()
