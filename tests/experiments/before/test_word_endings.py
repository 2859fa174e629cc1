"""What the fingerprint of *word-endings* covers, as the exercise of *How to read and run this book* says."""

from pathlib import Path

import attention_book
from attention_book.experiments.before import word_endings
from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph


def test_it_reaches_the_training_loop_and_the_grammar_but_neither_listed_nor_softmax():
    graph = SourceGraph(Path(attention_book.__file__).parents[1], "attention_book")
    reached = Definitions(graph).of(word_endings.__name__, "run_seed").texts
    names = {(target.module.removeprefix("attention_book."), target.name) for target, _ in reached}
    assert {("examples.language_classifier", "fit"), ("little_language.clauses", "GRAMMAR")} <= names
    assert ("examples.language_classifier", "listed") not in names
    assert "attention.probability" not in {module for module, _ in names}
