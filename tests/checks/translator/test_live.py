"""The checks about the live translator, on right answers and on wrong ones, each of which they must name."""

import itertools

import pytest

from attention_book.analysis.ablation import Head, without_heads
from attention_book.checks.translator.live import USES, check_other_ending, check_switches

from ..diagnosis import diagnosis

CATS = "I like cats."
BROTHER = "My brother doesn't eat meat."
WOMEN = "The two women are reading an old newspaper."
KEEPER = "The lighthouse keeper polished the enormous lens."


def test_a_beginning_that_leads_elsewhere_passes(translator):
    report = check_other_ending(BROTHER, "Mis hermanos", translator)
    assert report, report
    assert "new is “comen”" in report.message


@pytest.mark.parametrize(
    ("text", "beginning", "said"),
    [
        (..., "Yo", "text as a string"),
        (CATS, None, "beginning as a string"),
        (CATS, "  ", "no word in the beginning"),
        ("", "Yo", "no word in the text"),
        (CATS, "Me", "begins like that by itself"),
        (CATS, "Me gustan los", "begins like that by itself"),
        (BROTHER, "La", "no word that it does not write anyway"),
        ("ab", "ab", "goes on within your last word"),
        (CATS, "gatos " * 30, "longer than a translation"),
        ("word " * 300, "Yo", "too long for the translator"),
        ("\ud800", "Yo", "surrogate"),
    ],
)
def test_a_beginning_that_does_not_is_refused(translator, text, beginning, said):
    assert said in diagnosis(check_other_ending(text, beginning, translator))


@pytest.fixture(scope="module")
def heads(translator):
    """What each head does to two sentences: (use, layer, head) of those that change it, and of those that do not."""

    def of(text):
        found, own = {True: [], False: []}, translator.translate(text, beam_size=1)
        for use, layer, head in itertools.product(USES, (0, 1, 2), (0, 1, 2, 3)):
            with without_heads(translator.model, [Head(USES[use], layer, head)]):
                found[translator.translate(text, beam_size=1) != own].append((use, layer, head))
        return found

    return {text: of(text) for text in (WOMEN, KEEPER)}


@pytest.mark.slow
def test_right_heads_pass_and_exchanged_ones_do_not(translator, heads):
    one, other = heads[WOMEN][True][0], heads[WOMEN][False][0]
    assert check_switches({"text": WOMEN, "changes": one, "keeps": list(other)}, translator)
    assert "Try another" in diagnosis(check_switches({"text": WOMEN, "changes": other, "keeps": one}, translator))
    assert "in place of" in diagnosis(check_switches({"text": WOMEN, "changes": one, "keeps": one}, translator))


@pytest.mark.slow
def test_a_sentence_of_unknown_words_hangs_by_more_heads(heads):
    assert len(heads[KEEPER][True]) > 18 > len(heads[WOMEN][True])  # as the solution says


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"changes": ...}, "Not answered yet"),
        ({"changes": ("decoder", 1, 1)}, "must be one of"),
        ({"changes": ("cross", 3, 1)}, "counted from 0 to 2"),
        ({"keeps": ("cross", 2, 4)}, "heads from 0 to 3"),
        ({"keeps": "cross"}, "a use, a layer and a head"),
        ({"keeps": ("cross", 1)}, "a use, a layer and a head"),
        ({"text": ""}, "string with a word"),
        ({"more": 1}, "dictionary"),
    ],
)
def test_what_is_no_head_gets_a_sentence(translator, change, said):
    answer = {"text": CATS, "changes": ("cross", 1, 1), "keeps": ("cross", 1, 2)} | change
    assert said in diagnosis(check_switches(answer, translator))
    assert not check_switches(None, translator)
