"""What *How good is it?* says about its thirty sentences."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from attention_book.data import corpora
from attention_book.data.normalisation import normalise

READINGS = json.loads(
    (Path(__file__).parents[2] / "chapters" / "before" / "thirty-sentences.json").read_text(encoding="utf-8")
)


def test_the_readings_are_of_what_the_translator_writes(translator):
    today = translator.translate([r["english"] for r in READINGS])
    differing = [(r["spanish"], now) for r, now in zip(READINGS, today, strict=True) if r["spanish"] != now]
    assert len(READINGS) == 30
    assert len(differing) <= 2, f"read these again: {differing}"  # another processor may break a tie differently


def test_each_reading_has_a_verdict_and_each_fault_its_reason():
    assert all(r["verdict"] in ("right", "flawed", "wrong") for r in READINGS)
    assert all(bool(r["note"]) == (r["verdict"] != "right") for r in READINGS)


@pytest.mark.corpora
def test_none_of_the_thirty_sentences_is_in_the_corpus_and_the_rare_words_are_not_either():
    corpus = corpora.load("tatoeba-en-es")
    pairs = [*corpus.train, *corpus.validation, *corpus.test]
    known = {normalise(pair.source) for pair in pairs}
    assert not [r["english"] for r in READINGS if normalise(r["english"]) in known]
    words = Counter(word for pair in corpus.train for word in re.findall(r"\w+", pair.source.lower()))
    assert [words[word] for word in ("hedgehog", "rummaging", "compost")] == [0, 0, 0]
    assert max(words[word] for word in ("lighthouse", "keeper", "lens")) <= 3  # the front page: all but absent
    assert 0.15 < sum("Tom" in pair.source for pair in corpus.test) / len(corpus.test) < 0.19  # one in six
