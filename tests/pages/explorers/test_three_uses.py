"""The Python side of the explorer *three uses of attention*: its numbers, what it refuses, what it says."""

import json

import numpy as np
import pytest
import traitlets

from attention_book.analysis.attention_by_use import USES, uses_of
from attention_book.pages.explorers.three_uses import PAIRS, ThreeUses


@pytest.fixture
def explorer(translator):
    return ThreeUses(translator)


def test_weights_are_the_packages_to_four_digits(explorer, translator):
    for n, sentences in enumerate(PAIRS):
        explorer.pair = n
        wanted = uses_of(translator, *sentences)
        for use in USES:
            explorer.use = use
            for explorer.layer in (0, 2):
                for explorer.head in (0, 3):
                    exact = wanted.uses[use].weights[explorer.layer, explorer.head]
                    assert explorer.weights.shape == exact.shape
                    assert np.abs(explorer.weights - exact).max() <= 0.5001e-4


def test_the_page_stays_small(explorer):
    assert len(json.dumps(explorer.state()["pairs"])) < 150_000


def test_words_name_the_query_what_it_is_asked_for_and_every_share(explorer):
    row = explorer.weights[1]
    words = explorer.in_words()
    assert words.startswith(
        "“I like cats.” and “Me gustan los gatos.” Decoder, to the source: layer 2, head 0, 6 × 5 weights. "
        f"The query “Me”, asked for “▁gustan”, puts {row[0]:.3f} on “I”, {row[1]:.3f} on “▁like”, "
    )
    assert words.endswith(f" and {row[4]:.3f} on “</s>”.")
    explorer.use = "encoder_self"
    assert "The query “▁like” puts" in explorer.in_words() and "5 × 5" in explorer.in_words()


def test_words_name_what_is_hidden(explorer):
    explorer.use = "decoder_self"
    words = explorer.in_words()
    assert words.endswith(" Hidden, because later: “▁gustan”, “▁los”, “▁gatos” and “.”.")
    explorer.query = 0
    assert "puts 1.000 on “<s>”. Hidden, because later: “Me”" in explorer.in_words()
    explorer.query = 99  # beyond the last row: the last
    assert "The query “.”, asked for “</s>”, puts" in explorer.in_words()
    assert "Hidden" not in explorer.in_words()


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("pair", 3),
        ("pair", -1),
        ("layer", 3),
        ("layer", -1),
        ("head", 4),
        ("head", -1),
        ("use", "self"),
        ("query", -1),
        ("layer", "1"),
    ],
)
def test_what_is_not_there_is_refused_and_changes_nothing(explorer, name, bad):
    before = explorer.state()
    with pytest.raises(traitlets.TraitError):
        setattr(explorer, name, bad)
    assert explorer.state() == before


def test_a_sentence_of_ones_own_is_translated_and_shown(explorer, translator):
    explorer.add("I like dogs.")
    assert explorer.pair == 3
    assert explorer.pairs[3]["target"] == translator.translate("I like dogs.")
    assert "“I like dogs.” and “" in explorer.in_words()
    explorer.add("I like dogs.", "Los perros me gustan.")
    assert explorer.pairs[4]["target"] == "Los perros me gustan."
    with pytest.raises(ValueError, match="no word"):
        explorer.add("", "Nada.")
    assert len(explorer.pairs) == 5


def test_what_a_front_end_sends_arrives(explorer):
    explorer.set_state({"use": "decoder_self", "layer": 1, "head": 2, "query": 3, "pair": 1})
    assert (explorer.use, explorer.layer, explorer.head, explorer.query, explorer.pair) == ("decoder_self", 1, 2, 3, 1)
