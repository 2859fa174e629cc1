import pytest

from attention_book.readers.translator.shipped_translator import ShippedTranslator, read
from attention_book.translation.translator import Translator


@pytest.fixture
def record():
    test = {"all_references": {"bleu": 40.5}, "sentences": 100}
    machine = {"threads": 1}
    return {"parameters": 2_500_000, "pairs": {"train": 9}, "training_seconds": 5400, "machine": machine, "test": test}


def test_a_made_up_record_is_read_by_hand(record):
    assert ShippedTranslator(record).numbers() == {
        "parameters": 2.5,
        "pairs": 9,
        "hours": 1.5,
        "cores": "1 core of an ordinary processor",
        "test_bleu": 40.5,
        "test_sentences": 100,
    }


def test_several_cores_and_an_accelerator_are_named(record):
    record["machine"]["threads"] = 4
    assert ShippedTranslator(record).machine() == "4 cores of an ordinary processor"
    record["machine"]["accelerator"] = "a fast one"
    assert ShippedTranslator(record).machine() == "a fast one"


def test_the_record_is_that_of_the_translator_that_is_shipped():
    translator = Translator.from_pretrained("en-es")
    assert read().record == translator.results
    assert read().numbers()["parameters"] == sum(p.numel() for p in translator.model.parameters()) / 1e6
