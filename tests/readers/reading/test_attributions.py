"""What the page reads of *attributions*: rows with their chance, the right columns, verdicts that may be refuted."""

import copy

import numpy as np
import pytest

from attention_book.analysis.attribution.source_words import METHODS
from attention_book.analysis.seed_statistics import number
from attention_book.readers.reading import attributions as reader

CONTROLLED = ("untrained_foretell", "foretell")


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
    assert runs.foretold()[3][2].startswith(f"{shipped:.2f}")
    assert all(len(row) == len(reader.CONTROL_HEADER) for row in runs.controlled())
    before, after = (np.mean([seed[name]["weights"] for seed in runs.little.seeds]) for name in CONTROLLED)
    assert runs.controlled()[0][1].startswith(number(before, ".2f"))
    assert runs.controlled()[0][2].startswith(number(after, ".2f"))
    assert runs.controlled()[0][3].startswith(f"{after - before:+.2f}")


def test_the_numbers_are_those_of_the_record(runs):
    numbers = runs.numbers()
    assert numbers["n_seeds"] == len(runs.little.result["seeds"]) >= 3
    assert numbers["n_sentences"] == 60
    before = [seed["untrained_agreeing"] for seed in runs.little.seeds]
    assert numbers["untrained_agreeing"] == pytest.approx(
        max(100 * np.mean([one[name] for one in before]) for name in METHODS)
    )


def refused(runs, change, message):
    """A record changed by hand must be refused for the reason told."""
    turned = copy.deepcopy(dict(runs.little.result))
    for seed in turned["seeds"].values():
        change(seed)
    with pytest.raises(AssertionError, match=message):
        reader.Both(turned, runs.shipped).numbers()


@pytest.mark.parametrize(
    ("metric", "changed", "message"),
    [
        ("foretell", {"leaving out": 0.1}, "foretell: leaving out is ahead of weights"),
        ("foretell", {"integrated": 0.9}, "foretell: leaving out is ahead of integrated"),
        ("foretell", {"gradient": 0.36}, "foretell: weights is ahead of gradient"),
        ("translated", {"gradient": 0.9}, "translated: weights is ahead of gradient"),
        ("decisive", {"chance": 0.95}, "decisive: weights is ahead of chance"),
        ("agreeing", {"chance": 0.95}, "agreeing: weights is ahead of chance"),
        ("agreeing", {"leaving out": 1.0}, "leaving out is ahead of the weights"),
        ("untrained_foretell", {"weights": 0.5}, "before training, weights"),
        ("untrained_foretell", {"leaving out": 0.1}, "before training, leaving out"),
        ("untrained_foretell", {"gradient": -0.3}, "only the weights"),
        ("untrained_foretell", {"leaving out": 0.9}, "leaving out changed by"),
        ("untrained_foretell", {"integrated": 0.2}, "training changed what integrated foretell"),
        ("untrained_foretell", {"gradient": 0.05}, "training changed what gradient foretell"),
        ("untrained_agree", {"integrated/leaving out": 0.1}, "agreement of integrated"),
        ("untrained_agreeing", {"gradient": 0.6}, "before training, hidden deciders"),
    ],
)
def test_a_record_that_would_turn_a_finding_is_refused(runs, metric, changed, message):
    refused(runs, lambda seed: seed[metric].update(changed), message)


def test_what_training_changed_is_paired_by_seeds_and_counted_by_hand(runs):
    turned = copy.deepcopy(dict(runs.little.result))
    after, before, left = (0.1, 0.3, 0.2), (0.5, 0.6, 0.7), (0.6, 0.6, 0.6)
    for seed, one, other, gone in zip(turned["seeds"].values(), after, before, left, strict=True):
        seed["foretell"] |= {"integrated": one, "leaving out": gone}
        seed["untrained_foretell"] |= {"integrated": other, "leaving out": 0.7}
    little = reader.Attributions(turned)
    assert little.learnt("integrated").value == pytest.approx(-0.4)  # −0.4, −0.3, −0.5
    assert little.learnt("integrated").spread == pytest.approx(4.303 * 0.1 / 3**0.5, rel=1e-3)  # Student's t, 2 degrees
    assert little.further("integrated", "leaving out").value == pytest.approx(0.3)


def with_other(runs, **changed):
    other = copy.deepcopy(dict(runs.shipped.result))
    other["seeds"]["0"].update(changed)
    return reader.Both(runs.result, reader.OfTranslator(other))


def test_another_translator_has_its_own_order_and_verdict(runs):
    n = len(runs.shipped.found["foretell/weights"])
    high, low = np.linspace(0.7, 0.9, n), np.linspace(0.1, 0.3, n)
    other = with_other(runs, **{"foretell/weights": high, "foretell/leaving out": low + 0.2})
    assert other.of_shipped()[0] == "weights"
    assert other.verdict("leaving out", "weights") == "weights foretells better than leaving out (difference 0.40)"
    even = with_other(runs, **{"foretell/weights": high, "foretell/leaving out": high[::-1]})
    assert even.verdict("weights", "leaving out").startswith("the sentences do not tell them apart")


def test_a_translator_whose_gradient_sees_much_or_foretells_well_is_refused(runs):
    n = len(runs.shipped.found["foretell/weights"])
    with pytest.raises(AssertionError, match="foretells least"):
        with_other(runs, **{"foretell/gradient": np.linspace(0.8, 0.9, n)}).numbers()
    with pytest.raises(AssertionError, match="largest number per row"):
        with_other(runs, **{"size/gradient": [3.0, 4.0]}).numbers()
