import math

import pytest

from attention_book.counting.text import CountingTranslator
from attention_book.studies.before.judged import (
    is_right,
    judged,
    judged_rows,
    newspaper_counts,
    probabilities,
    times_as_probable,
)


def test_the_grammar_judges():
    assert judged("I like cats.", "Me gustan los gatos.") == "Me gustan los gatos. ✓"
    assert judged("I like cats.", "Yo gusto gatos.") == "Yo gusto gatos. ✗"
    assert is_right("I like cats.", "Me gustan los gatos.") and not is_right("I like dogs.", "Me gustan los gatos.")


def test_rows_have_a_column_per_translator():
    rows = judged_rows(["I like cats."], [["Me gustan los gatos."], ["gatos"]])
    assert rows == [("I like cats.", "Me gustan los gatos. ✓", "gatos ✗")]
    with pytest.raises(ValueError):
        judged_rows(["I like cats.", "I like dogs."], [["gatos"]])


def test_each_model_of_the_channel_compares_two_translations():
    """Fluent: a b was counted twice and a c once. Faithful: only b stands beside y."""
    translator = CountingTranslator([("x y", "a b"), ("x y", "a b"), ("x z", "a c")], least_count=1)
    fluent, faithful = times_as_probable(translator, "x z", "a b", "a c")
    assert fluent > 1 > faithful
    assert times_as_probable(translator, "x z", "a c", "a b") == pytest.approx((1 / fluent, 1 / faithful))
    by_hand = translator.language_model.log_prob(["a", "b"]) - translator.language_model.log_prob(["a", "c"])
    assert math.log(fluent) == pytest.approx(by_hand)


def test_probabilities_are_those_of_both_models_with_the_grammars_judgement():
    pairs = [("I like cats.", "Me gustan los gatos."), ("I like dogs.", "Me gustan los perros.")]
    translator = CountingTranslator(pairs, least_count=1)
    right, wrong = probabilities(translator, "I like cats.", ["Me gustan los gatos.", "gatos"])
    assert right[0] == "Me gustan los gatos." and [right[3], wrong[3]] == [True, False]
    fluent, faithful = times_as_probable(translator, "I like cats.", "Me gustan los gatos.", "gatos")
    assert right[1] / wrong[1] == pytest.approx(fluent) and right[2] / wrong[2] == pytest.approx(faithful)
    x, y = translator.source_words("I like cats."), ["gatos"]
    assert wrong[1] == pytest.approx(math.exp(translator.language_model.log_prob(y)))
    assert wrong[2] == pytest.approx(math.exp(translator.channel.log_prob(y, x)))


def test_the_language_model_of_a_thousand_sentences_is_to_blame(spanish_pairs):
    texts = [(pair.source, pair.target) for pair in spanish_pairs[0]]
    wrong, right = "A diario Tom lee", "Tom lee el periódico."
    few, many = (
        times_as_probable(CountingTranslator(texts[:n], least_count=1), "Tom reads the newspaper.", wrong, right)
        for n in (1000, 4000)
    )
    assert few[0] > 1 > few[1] and few[0] * few[1] > 1  # and Model 1 could not outweigh it
    assert many[0] < 1 and many[1] < 1


def test_newspapers_are_counted_as_the_language_model_reads_them():
    spanish = ["A diario Tom lee.", "Tom va a diario.", "María lee el periódico.", "¿ Lee el periódico María ?"]
    translator = CountingTranslator([("x", y) for y in [*spanish, "Ella lee y va a casa."]], least_count=1)
    begun, held, share = newspaper_counts(translator, spanish)
    assert (begun, held) == (1, 2)
    assert share == translator.language_model.prob("periódico", ["lee", "el"]) > 0.5


def test_a_thousand_sentences_never_have_lee_el_periodico_and_that_is_why(spanish_pairs):
    texts = [(pair.source, pair.target) for pair in spanish_pairs[0]]
    wrong, right = "A diario Tom lee", "Tom lee el periódico."
    translators = {n: CountingTranslator(texts[:n], least_count=1) for n in (1000, 4000)}
    (begun, held, few), (_, seen, many) = (
        newspaper_counts(one, [y for _, y in texts[:n]]) for n, one in translators.items()
    )
    assert begun > held == 0 < seen and many > 10 * few
    fluent, _ = times_as_probable(translators[1000], "Tom reads the newspaper.", wrong, right)
    assert fluent * few / many < 1  # with the later probability of this one word, the right sentence would win


def test_4000_pairs_give_me_gustan_los_gatos_and_not_who_reads_what_in_which_clause(spanish_pairs):
    translator = CountingTranslator([(pair.source, pair.target) for pair in spanish_pairs[0]], least_count=1)
    long = "I like cats, and you often read the newspaper."
    short, two_clauses = translator.translate(["I like cats.", long])
    assert short == "Me gustan los gatos." and not is_right(long, two_clauses)
