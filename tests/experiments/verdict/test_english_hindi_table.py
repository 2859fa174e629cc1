"""The English table alone: the recipe is that of the experiment beside it, and the table is all that is copied."""

import json

from attention_book.experiments.verdict import english_hindi, english_hindi_table

from .tiny_hindi import tiny


def test_only_the_start_differs_from_the_experiment_that_is_controlled():
    mine, theirs = english_hindi_table.CONFIGURATION, english_hindi.CONFIGURATION
    assert {name for name in mine if mine[name] != theirs.get(name)} == {"starts"}
    assert mine["starts"] == {"English table": ["src_embedding"]}
    assert set(english_hindi_table.SEEDS) <= set(english_hindi.SEEDS)


def test_a_run_copies_the_table_and_nothing_else(tmp_path, monkeypatch):
    parent, configuration = tiny(english_hindi_table.CONFIGURATION, tmp_path, monkeypatch)
    found = english_hindi_table.run_seed(3, configuration)
    assert json.loads(json.dumps(found)) == found
    (point,) = found["starts"].values()
    assert point["taken"] == parent.src_embedding.weight.numel() and found["tokens"] == point["tokens"]
