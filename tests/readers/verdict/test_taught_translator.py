"""What *What helped?* says of the two translators holds in the result and in the records of both trainings."""

import copy

import pytest

from attention_book.data.failures import SIGNS
from attention_book.experiments.records import recorded
from attention_book.experiments.verdict.hundred_sentences import text_digest
from attention_book.readers.verdict import own_sentences
from attention_book.readers.verdict import taught_translator as reader
from attention_book.readers.verdict.readings import Reading, Readings
from attention_book.readers.verdict.taught_translator import AFTER, BEFORE, LONG, RUNGS, TaughtTranslator
from attention_book.translation.translator import Translator

SPLITS, BEAMS = ("validation", "test"), ("1", "4")


@pytest.fixture(scope="module")
def made_up(runs):
    """The result and the records with numbers that a pencil can follow."""
    result, old, new = copy.deepcopy((runs.result, runs.old, runs.new))
    (found,) = result["seeds"].values()
    found["validation"]["1"]["before"]["bleu"], found["validation"]["1"]["after"]["bleu"] = 50.0, 54.0
    found["validation"]["4"]["before"]["bleu"], found["validation"]["4"]["after"]["bleu"] = 52.0, 55.0
    groups = {"1–4": {"sentences": 3, "bleu": 40.0}, LONG: {"sentences": 2, "bleu": 30.0}}
    better = {"1–4": {"sentences": 3, "bleu": 41.0}, LONG: {"sentences": 2, "bleu": 36.0}}
    found["test"]["4"]["before"]["by_length"], found["test"]["4"]["after"]["by_length"] = groups, better
    found["own"]["after"]["flagged"] = {sign: [] for sign in SIGNS} | {"short": [1, 2], "name": [2, 3]}
    scores = [{"validation_bleu": bleu, "validation_chrf": 70.0, "validation_loss": 1.5} for bleu in (51.0, 53.0)]
    scores[1]["validation_loss"] = 1.25
    new["teachers"]["scores"] = scores
    new["teachers"]["together"] = {"validation_bleu": 56.0, "validation_chrf": 72.0, "validation_loss": 1.0}
    return TaughtTranslator(result, old, new, runs.readings)


def test_a_made_up_result_is_read_by_hand(made_up):
    assert made_up.rungs() == dict(zip(RUNGS, ([50.0], [51.0, 53.0], [56.0], [54.0]), strict=True))
    n = made_up.numbers()
    assert (n["recipe_gain"], n["recipe_spread"], n["together_gain"]) == (2, 2, 4)  # the teachers' mean is 52
    assert (n["pupil_lead"], n["kept"]) == (1, "50%")
    assert n["greedy_gain"] == 4
    lesson = made_up.lesson_numbers()
    assert (lesson["best_loss"], lesson["together_loss"]) == (1.25, 1.0)
    assert n["long_gain"] == 6 and n["long_sentences"] == 2
    assert made_up.length_rows() == [("1–4", "3", "40.0", "41.0", "+1.0"), (LONG, "2", "30.0", "36.0", "+6.0")]
    one, several = f"{made_up.new['parameters']:,}", f"2 × {made_up.new['parameters']:,}"
    _, longer, together, pupil = made_up.rung_rows()
    assert longer[1:] == (one, "51.00 to 53.00", "70.00 to 70.00") and together[1:] == (several, "56.00", "72.00")
    assert pupil[1:3] == (one, "54.00")
    assert made_up.sign_rows()[1][2] == "2" and made_up.sign_rows()[-1][2] == "3"


def test_every_row_fits_its_header(runs):
    for header, rows in (
        (reader.RUNG_HEADER, runs.rung_rows()),
        (reader.RECIPE_HEADER, runs.recipe_rows()),
        (reader.SCORE_HEADER, runs.score_rows("1")),
        (reader.SCORE_HEADER, runs.score_rows("4")),
        (reader.SHOWN_HEADER, runs.shown_rows()),
        (reader.LENGTH_HEADER, runs.length_rows()),
        (reader.SIGN_HEADER, runs.sign_rows()),
        (reader.READ_HEADER, runs.read_rows()),
    ):
        assert rows and {len(row) for row in rows} == {len(header)}


def test_both_have_the_same_shape_pairs_and_pieces_and_the_recipes_differ_where_the_page_says(runs):
    old, new = recorded("en-es"), recorded("en-es-taught")
    assert (
        old["parameters"] == new["parameters"] and old["pairs"] == new["pairs"] and old["subwords"] == new["subwords"]
    )
    rows = {label: values for label, *values in runs.recipe_rows()}
    first_rung = {label for label, (before, teachers, _) in rows.items() if before != teachers}
    assert len(first_rung) == 5 and sum("dropout" in label for label in first_rung) == 2
    last_rung = {label for label, (_, teachers, pupil) in rows.items() if teachers != pupil}
    tokens = "target tokens read in training, in millions"
    assert last_rung == {tokens, "dropout", "share λ of the lesson", "agreement α"}
    assert old["settings"]["smoothing"] == new["settings"]["smoothing"] == new["teachers"]["settings"]["smoothing"]


def test_the_sentences_that_are_shown_are_what_the_page_says_of_them(runs):
    _, old, taught = runs.of_our_own(reader.OPENING)
    assert "antes" in taught and "antes" not in old
    (_, _, repaired), (_, circle, dog), (_, whole, cut) = runs.shown_rows()
    assert "si el alquiler" in repaired
    assert circle.count("su perro") == 2 and "Blanca" in dog and "Garibaldi" not in circle + dog
    assert "se ha ido" in whole and "ido" not in cut
    n = runs.numbers()
    wrong_old, wrong_new = (runs.readings.counts(system)["wrong"] for system in runs.setting["systems"].values())
    assert n["wrong_new"] == wrong_new > wrong_old and n["now_wrong"] > wrong_new - wrong_old
    assert n["now_wrong"] < n["wrong_new"] / 2


def test_what_the_page_says_of_the_ladder_holds(runs):
    n = runs.numbers()
    assert n["recipe_gain"] > n["together_gain"] > 0 and n["recipe_gain"] > n["greedy_gain"] / 2
    assert n["recipe_gain"] > 2 * n["recipe_spread"]
    assert n["pupil_lead"] > 0 and 100 > int(n["kept"].rstrip("%")) > 50
    assert min(runs.teachers("chrf")) > runs.score("validation", "1", BEFORE, "chrf")
    assert round(n["test_gain"]) == round(n["greedy_gain"]) == 2 and round(n["together_gain"]) == 1
    assert runs.lesson_numbers()["together_loss"] < runs.lesson_numbers()["best_loss"]


def test_the_gain_is_settled_on_both_splits_in_both_searches(runs):
    assert all(runs.gain(split, beam, metric) > 0 for split in SPLITS for beam in BEAMS for metric in ("bleu", "chrf"))
    n = runs.numbers()
    assert n["largest_p"] < 0.05 and n["tests"] == 8
    for split in SPLITS:
        (old, new) = (
            (runs.score(split, "4", one, "bleu"), runs.score(split, "4", one, "bleu_half_width"))
            for one in (BEFORE, AFTER)
        )
        assert old[0] + old[1] > new[0] - new[1], "the intervals overlap, the page says"


def test_the_longest_sentences_gain_most_in_both_splits(runs):
    for split in SPLITS:
        gains = runs.length_gains(split)
        assert len(gains) == 5 and max(gains, key=gains.get) == LONG
    lowest = min(runs.found["test"]["4"][BEFORE]["by_length"].items(), key=lambda group: group[1]["bleu"])
    assert lowest[0] == LONG


def test_rare_words_gain_a_little(runs):
    recalls = runs.recalls("test")
    assert all(new >= old for _, old, new in recalls.values())
    words, old, new = recalls["1–5"]
    assert old < new < words / 3


def test_signs_of_failure_are_fewer_but_names_are_lost_as_before(runs):
    old, new = ({sign: len(runs.flagged(sign, one)) for sign in [*SIGNS, "any"]} for one in (BEFORE, AFTER))
    assert new["any"] < old["any"] and 2 * new["repeated"] < old["repeated"] and 2 * new["short"] < old["short"]
    assert 0 <= old["name"] - new["name"] <= 2
    assert len(runs.found["own"][BEFORE]["translations"]) == runs.numbers()["own"] == 200


def test_every_translation_on_record_was_read_and_none_has_changed_since(runs):
    for system, name in runs.setting["systems"].items():
        written = [text_digest(text) for text in runs.found["own"][system]["translations"]]
        assert runs.readings.still(name, written) == len(written) == 200


def test_readings_are_counted_by_hand(runs):
    def reading(sentence, system, category, harm, again=None):
        return Reading(sentence, f"{sentence} {system}", category, harm, again)

    old = [reading(1, "o", "nonsense", 2), reading(2, "o", "fine", 0), reading(3, "o", "wrong", 1, ("fine", 1))]
    new = [reading(1, "n", "wrong", 1), reading(2, "n", "wrong", 2, ("wrong", 2)), old[2]]
    meanings = {"nonsense": "n", "wrong": "w", "fine": "f"}
    readings = Readings([*old, *new[:2]], {"en-es": old, "en-es-taught": new}, meanings)
    made_up = TaughtTranslator(runs.result, runs.old, runs.new, readings)
    n = made_up.read_numbers()
    assert (n["milder"], n["worse"], n["sign_p"], n["misleading_old"]) == (1, 1, 1.0, 1)
    assert (n["read_twice"], n["read_alike"]) == (2, 1)
    assert made_up.read_rows() == [
        ("nonsense: n", "1", "0"),
        ("wrong: w", "1", "3"),
        ("fine: f", "1", "0"),
        ("of any category, misleading", "1", "1"),
    ]


def test_what_the_page_says_of_the_reading_holds(runs):
    n = runs.read_numbers()
    flagged, readings = runs.flagged("repeated", BEFORE), runs.readings.by_system["en-es"]
    read = [one.category for one in readings if one.sentence in flagged]
    assert n["circles"] == len(read) == 24 and n["circles_lost"] == len(read) - read.count("repetition") == 20
    assert n["milder"] > 2 * n["worse"] and n["sign_p"] < 0.05
    fewer = n["misleading_old"] - len(runs.misleading(AFTER))
    assert 0 < fewer < 25 and len(runs.misleading(AFTER)) > 100
    assert n["read_alike"] > 0.9 * n["read_twice"]
    assert 4 < n["misleading_earlier"] - n["misleading_old"] < fewer
    assert own_sentences.read().numbers()["own_fine"] > runs.readings.counts("en-es")["fine"]
    old, new = (runs.readings.counts(name) for name in ("en-es", "en-es-taught"))
    assert new["nonsense"] < old["nonsense"] and new["dropped"] > 0.9 * old["dropped"]


def test_the_sentences_of_earlier_pages_come_out_as_the_page_tells():
    old, taught = (Translator.from_pretrained(name) for name in ("en-es", "en-es-taught"))
    told = {
        "I forgot my accordion at the station.": ("acción", "acordeón"),
        "We saw a beaver.": ("resaca", "cerveza"),
        "I forgot my colander at the station.": ("colonero", "color"),
        "He is a shoemaker.": ("zapato", "zapato"),
    }
    for english, (before, after) in told.items():
        assert before in old.translate(english) and after in taught.translate(english)
