"""The small cases of *Encoder only*, by other ways."""

import math

import pytest

from attention_book.little_language.gaps import GAP, Gaps, gap_vocabulary
from attention_book.studies.beyond import gap_examples as study


def test_four_sentences_by_pencil():
    numbers = study.numbers()
    assert numbers["subject_gap"] == pytest.approx(math.log(2)) and study.word_loss(study.FOUR, 1) == 0
    assert numbers["subject_left"] == pytest.approx(math.log(4)) and study.word_loss(study.FOUR, 1, study.LEFT) == 0


def test_from_the_left_the_losses_add_up_to_that_of_the_sentence():
    language = {("a", "x"): 0.5, ("a", "y"): 0.2, ("b", "y"): 0.3}
    whole = -sum(p * math.log(p) for p in language.values())
    left = [study.word_loss(language, n, study.LEFT) for n in (0, 1)]
    assert sum(left) == pytest.approx(whole)
    assert study.word_loss(language, 1) == left[1]  # nothing stands on its right
    eaten = -(0.2 * math.log(0.4) + 0.3 * math.log(0.6))  # after y
    assert study.word_loss(language, 0) == pytest.approx(eaten)


def alike(sentence, other, at):
    """Whether two sentences differ at most in one word."""
    return all(a == b for n, (a, b) in enumerate(zip(sentence, other, strict=True)) if n != at)


def test_the_products_of_the_four_sentences_are_one_half_each():
    products = []
    for sentence in study.FOUR:
        gaps = [study.FOUR[sentence] / sum(p for other, p in study.FOUR.items() if alike(sentence, other, at))
                for at in (0, 1)]  # fmt: skip
        products.append(math.prod(gaps))
    assert products == [0.5] * 4 and set(study.FOUR.values()) == {0.25}


@pytest.mark.parametrize("sentence", [study.CATS, study.GIRLS])
def test_a_words_share_is_its_sentence_among_those_with_any_word_there(sentence):
    vocabulary = gap_vocabulary()
    words = vocabulary.tokens(vocabulary.encode(sentence))
    found = study.hidden_in_turn(sentence)
    assert [word for word, _ in found] == words
    whole = Gaps(words).total()
    for at, (_, p) in enumerate(found):
        assert p == pytest.approx(whole / Gaps([*words[:at], GAP, *words[at + 1 :]]).total())
    assert study.product_and_whole(sentence) == pytest.approx((math.prod(p for _, p in found), whole))


def test_before_cats_stand_two_verbs_after_i():
    like, see = (Gaps(["I", verb, "cats", "."]).total() for verb in ("like", "see"))
    assert dict(study.hidden_in_turn(study.CATS))["like"] == pytest.approx(like / (like + see))


def test_the_product_of_the_gaps_is_far_too_large_as_the_page_says():
    numbers = study.numbers()
    assert numbers["cats_ratio"] == pytest.approx(34.1, abs=0.05) and numbers["girls_ratio"] > 800
    rows = study.turn_rows()
    assert [name for name, _ in rows] == ["I", "like", "cats", ".", "the product", "the sentence itself"]
    assert all(len(row) == len(study.TURN_HEADER) for row in rows)
    assert float(rows[-2][1]) / float(rows[-1][1]) == pytest.approx(numbers["cats_ratio"], rel=0.01)


def test_what_is_no_sentence_is_refused():
    with pytest.raises(ValueError, match="no sentence of one clause"):
        study.hidden_in_turn("I likes cats.")
