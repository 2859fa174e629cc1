"""What the page reads of *attributions*: rows with their chance, the right columns, verdicts that may be refuted."""

import copy

import numpy as np
import pytest

from attention_book.analysis.attribution.source_words import METHODS
from attention_book.readers.reading import attributions as reader


@pytest.fixture(scope="module")
def runs():
    return reader.read()


def test_tables_fit_their_headers_and_show_the_means(runs):
    hits = runs.little.hits()
    assert [row[0] for row in hits] == [*reader.LABELS.values(), "by chance"]
    assert all(len(row) == len(reader.HITS_HEADER) for row in hits)
    mean = np.mean([seed["translated"]["weights"] for seed in runs.little.seeds])
    assert hits[0][1].startswith(f"{100 * mean:.0f}")
    assert all(len(row) == len(reader.FORETOLD_HEADER) for row in runs.foretold())
    assert len(runs.foretold()) == len(METHODS)
    assert len(runs.agreed()) == 6 and all(len(row) == len(reader.AGREED_HEADER) for row in runs.agreed())
    shipped = np.mean(runs.shipped.found["foretell/leaving out"])
    assert runs.foretold()[3][3].startswith(f"{shipped:.2f}")


def test_the_numbers_are_those_of_the_record(runs):
    numbers = runs.numbers()
    assert numbers["n_seeds"] == len(runs.little.result["seeds"]) >= 3
    assert numbers["n_sentences"] == 60
    assert 0 < numbers["chance_translated"] < 0.5


def test_a_record_in_which_leaving_out_foretells_worse_is_refused(runs):
    turned = copy.deepcopy(dict(runs.little.result))
    for seed in turned["seeds"].values():
        seed["foretell"]["leaving out"] = seed["foretell"]["weights"] - 0.2
    with pytest.raises(AssertionError, match="leaving out leads"):
        reader.Both(reader.Attributions(turned), runs.shipped).numbers()
    other = copy.deepcopy(dict(runs.shipped.result))
    other["seeds"]["0"]["foretell/leaving out"] = [0.0, 0.01]
    with pytest.raises(AssertionError, match="in the translator"):
        reader.Both(runs.little, reader.OfTranslator(other)).numbers()


def refused(runs, change, message):
    """A record changed by hand must be refused for the reason told."""
    turned = copy.deepcopy(dict(runs.little.result))
    for seed in turned["seeds"].values():
        change(seed)
    with pytest.raises(AssertionError, match=message):
        reader.Both(reader.Attributions(turned), runs.shipped).numbers()


def test_a_record_in_which_weights_foretell_before_training_or_find_no_deciders_is_refused(runs):
    refused(runs, lambda seed: seed["untrained_foretell"].update(weights=0.5), "before training")
    refused(runs, lambda seed: seed["agreeing"].update(weights=0.01), "equally often")
    refused(runs, lambda seed: seed["agreeing"].update({"chance": 0.95}), "lead chance")
