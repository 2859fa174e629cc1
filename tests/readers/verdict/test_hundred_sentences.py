"""What *Where translators fail* says of the hundred test sentences holds in the result and the verdicts on record."""

import pytest

from attention_book.data import corpora
from attention_book.experiments.verdict.hundred_sentences import text_digest
from attention_book.readers.verdict import hundred_sentences
from attention_book.readers.verdict.hundred_sentences import LOW, RNN, RULES, TRANSFORMER, HundredSentences
from attention_book.readers.verdict.readings import Reading, Readings
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def runs():
    return hundred_sentences.read()


def made_up(categories):
    """Four sentences of three systems, from their categories; harm 2 but for the right ones."""
    by_system = {
        system: [Reading(n, f"{system}{n}", c, 0 if c == "right" else 2) for n, c in enumerate(given)]
        for system, given in categories.items()
    }
    each = [reading for found in by_system.values() for reading in found]
    each[0] = Reading(0, each[0].digest, each[0].category, each[0].harm, ("word", 2))
    scores = {
        system: {
            "digest": [f"{system}{n}" for n in range(4)],
            "bleu": [100.0, 40.0, 60.0, 10.0],
            "is_reference": [True, False, False, False],
        }
        for system in categories
    }
    result = {"configuration": {}, "seeds": {"0": {"numbers": [0, 1, 2, 3], "systems": scores}}}
    return HundredSentences(result, Readings(each, by_system, {"right": "", "word": "", "missing": ""}))


def test_a_made_up_result_is_read_by_hand():
    runs = made_up({
        TRANSFORMER: ["right", "right", "missing", "word"],
        RNN: ["right", "word", "right", "word"],
        RULES: ["word", "word", "grammar", "right"],
    })  # fmt: skip
    assert runs.categories(TRANSFORMER) == {
        "same": 1, "other": 1, "word": 1, "missing": 1, "grammar": 0, "unknown": 0, "nonsense": 0
    }  # fmt: skip
    assert (runs.categories(RULES)["same"], runs.categories(RULES)["other"]) == (0, 1)
    numbers = runs.numbers()
    assert (numbers["transformer_right"], numbers["ahead"], numbers["behind"]) == (2, 1, 1)
    assert (numbers["transformer_low"], numbers["transformer_low_right"], numbers["transformer_high_wrong"]) == (
        2,
        1,
        1,
    )
    assert numbers["lost"] == 2 and runs.lost() == {"missing": 1, "word": 1}
    assert numbers["transformer_still"] == 4 and numbers["ahead_p"] == pytest.approx(1)
    assert (numbers["twice"], numbers["twice_agreed"], numbers["kappa"]) == (1, 0, "0.00")
    assert runs.table()[0] == ("Transformer", "2 (15 to 85\xa0%)", "0", "2", "52")


def test_verdicts_on_other_sentences_and_other_categories_are_refused():
    runs = made_up(dict.fromkeys((TRANSFORMER, RNN, RULES), ["right"] * 4))
    runs.found["numbers"][3] = 9
    with pytest.raises(ValueError, match="of other sentences"):
        runs.right(RNN)
    with pytest.raises(ValueError, match="no bar for order"):
        made_up(dict.fromkeys((TRANSFORMER, RNN, RULES), ["order"] * 4)).categories(RNN)


def test_the_verdicts_belong_to_what_the_systems_write_on_record(runs):
    for short in ("transformer", "rnn", "rules"):
        still = runs.numbers()[f"{short}_still"]
        assert still >= 90, f"{still} of 100 verdicts belong to what {short} writes: read the others, or say so"


@pytest.mark.slow
@pytest.mark.corpora
def test_the_verdicts_belong_to_what_the_shipped_model_writes(runs):
    test = corpora.load(runs.setting["corpus"]).test
    written = Translator.from_pretrained(TRANSFORMER).translate([test[n].source for n in runs.found["numbers"]])
    still = runs.readings.still(TRANSFORMER, [text_digest(text) for text in written])
    assert still >= 90, f"{still} of 100 verdicts belong to what the shipped model writes: run and read again"


def test_what_the_page_says_holds(runs):
    numbers = runs.numbers()
    assert numbers["transformer_right"] > numbers["rnn_right"] > numbers["rules_right"]
    assert numbers["ahead_p"] < 0.05 and numbers["ahead"] > numbers["behind"]
    assert numbers["rnn_missing"] == numbers["rules_missing"]  # each of the others
    assert numbers["transformer_missing"] > 2 * max(numbers["rnn_missing"], numbers["rules_missing"])
    assert numbers["rules_grammar"] > 2 * numbers["rnn_grammar"] > 2 * numbers["transformer_grammar"]
    assert numbers["rules_grammar"] > max(numbers[f"rules_{other}"] for other in ("missing", "unknown", "nonsense"))
    assert numbers["lost"] == numbers["lost_word"] + numbers["lost_missing"] > 0
    assert 0.4 < numbers["transformer_low_right"] / numbers["transformer_low"] < 0.5
    verdicts = runs.verdicts(TRANSFORMER)
    bleus = runs.found["systems"][TRANSFORMER]["bleu"]
    high = [one.harm for one, bleu in zip(verdicts, bleus, strict=True) if bleu >= LOW and one.harm]
    assert high == [1] * numbers["transformer_high_wrong"]  # where BLEU is high, errors are harmless
    assert numbers["transformer_other"] > 20 and numbers["twice_agreed"] >= 0.9 * numbers["twice"]
    assert not {"invented", "order"} & {reading.category for reading in runs.readings.each}
    assert set(runs.readings.meanings) >= {"invented", "order"}
