"""The rows of the decoder on *I like cats.*: their names, what they are asked for, and where linked tokens meet."""

import numpy as np
import pytest

from attention_book.analysis.attention_by_use import PairUses, Use, uses_of
from attention_book.studies.heads import decoder_rows

CATS = ("I like cats.", "Me gustan los gatos.")


@pytest.fixture(scope="module")
def cats(translator):
    return uses_of(translator, *CATS)


def test_a_row_names_its_input_and_the_token_that_is_asked_for(cats):
    rows = decoder_rows.asked_rows(cats)
    assert rows[:2] == [("0", "<s>", "Me"), ("1", "Me", "gustan")]
    assert [row[2] for row in rows[:-1]] == [row[1] for row in rows[1:]]  # the shift behind the start token
    assert all(len(row) == len(decoder_rows.ASKED_HEADER) for row in rows)


def test_the_words_of_a_use_carry_their_languages_and_what_is_asked_for(cats):
    rows, columns = decoder_rows.words_of(cats, "cross")
    assert (rows[1].text, rows[1].lang, rows[1].gloss) == ("Me", "es", "→ gustan")
    assert (columns[1].text, columns[1].lang, columns[1].gloss) == ("like", "en", "")
    rows, _ = decoder_rows.words_of(cats, "encoder_self")
    assert {row.gloss for row in rows} == {""} and {row.lang for row in rows} == {"en"}
    assert decoder_rows.size_told(cats.uses["cross"]) == "Layer 2, head 0; 6 × 5 weights."


def test_linked_tokens_by_hand_and_the_numbers_of_the_shapes():
    weights = np.zeros((2, 1, 3, 4), dtype=np.float32)
    weights[0, 0, 0, 1], weights[0, 0, 1, 1], weights[1, 0, 1, 2] = 0.5, 0.25, 0.75
    use = Use(["<s>", "▁los", "▁gatos"], ["I", "▁like", "▁cats", "</s>"], np.ones((3, 4), dtype=bool), weights)
    pair = PairUses("", "", ["▁los", "▁gatos", "</s>"], {"cross": use})
    links = [("▁los", "▁like"), ("▁gatos", "▁cats")]
    first, second = decoder_rows.link_rows(pair, links)
    assert first == ("0", "0.50 → 0.25", "0.00 → 0.00", "0.25 → 0.12")
    assert second == ("1", "0.00 → 0.00", "0.75 → 0.00", "0.38 → 0.00")
    assert decoder_rows.link_header(links) == ("layer", "los at like", "gatos at cats", "mean")
    assert decoder_rows.link_header()[-2:] == ("full stops", "mean")
    told = decoder_rows.numbers(pair)
    assert (told["n_layers"], told["n_heads"], told["t_dec"], told["t_enc"], told["all_heads"]) == (2, 1, 3, 4, 2)
    assert (told["even_cross"], told["los_cats"], told["los_heads"]) == (0.25, 0.75, 1)


def test_in_every_layer_the_row_that_is_asked_for_the_word_wins_on_average(cats):
    weights = decoder_rows.link_weights(cats)
    assert (weights[:, -1, 0] > 0.5).all() and (weights[:, -1, 1] < 0.15).all()


def test_me_in_layer_1_is_the_one_exception_of_twelve_and_looks_at_i_in_neither_row(cats):
    weights = decoder_rows.link_weights(cats)[:, :-1]
    assert np.argwhere(weights[..., 0] < weights[..., 1]).tolist() == [[1, 0]]
    assert weights[1, 0].max() < 0.1 < decoder_rows.numbers(cats)["even_cross"]


def test_four_words_of_another_sentence_look_at_their_translations(translator):
    rows = decoder_rows.pointer_rows(translator)
    assert [(word, at) for word, at, _ in rows] == [
        tuple(map(decoder_rows.shown, link)) for link in decoder_rows.WOMEN_LINKS
    ]
    assert all(float(weight) > 0.5 for *_, weight in rows) and len(rows[0]) == len(decoder_rows.POINTER_HEADER)


def test_nearly_all_of_the_weight_of_los_is_on_cats(cats):
    assert decoder_rows.numbers(cats)["los_cats"] > 0.8
    use = cats.uses["cross"]
    los, noun = use.queries.index("▁los"), use.keys.index("▁cats")
    assert (use.weights[:, :, los].mean(axis=1).argmax(axis=-1) == noun).all()  # in every layer, over its heads
