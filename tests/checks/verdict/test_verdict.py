"""The checks of *The verdict* take every right answer and name what is wrong with the others."""

from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.verdict import verdict as checks

from ..diagnosis import diagnosis

LEADS = {"ahead": 4, "mean": -4, "sample": Fraction(4, 5) ** 5}
MANY = {"tests": 10, "least": Fraction(1, 501), "adjusted": Fraction(10, 501), "systems": 7}
FOLLOWS = {"a": False, "b": False, "c": True, "d": False, "e": False, "f": True, "g": False}


def test_the_leads_pass_and_are_those_of_many_samples():
    assert checks.check_leads(LEADS)
    assert checks.check_leads({"ahead": np.int64(4), "mean": -4.0, "sample": 0.328})
    drawn = np.random.default_rng(0).choice(checks.LEADS, (20_000, 5)).mean(axis=1)
    assert (drawn > 0).mean() == pytest.approx(float(LEADS["sample"]), abs=0.01) and not (drawn == 0).any()
    assert np.mean(checks.LEADS) == LEADS["mean"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ahead": 1}, "B is ahead"),
        ({"ahead": 5}, "on the last sentence"),
        ({"mean": 4}, "outweighs"),
        ({"mean": -20}, "that is the sum"),
        ({"mean": 5}, "counts, too"),
        ({"sample": 0.8}, "draws five times"),
        ({"sample": 4}, "are multiplied"),
        ({"sample": 0.672}, "that B is ahead"),
        ({"sample": 0.316}, "the page's case"),
        ({"sample": 0}, "several times"),
        ({"sample": 0.5}, "(sample) is not 0.5."),
        ({"sample": "0.3"}, "one number"),
        ({"sample": ...}, "still to be predicted"),
    ],
)
def test_the_leads_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_leads(LEADS | change))


def test_the_number_of_tests_passes_and_is_that_of_holm():
    from attention_book.analysis.seed_statistics import holm

    assert checks.check_many_tests(MANY)
    assert checks.check_many_tests(MANY | {"least": 0.001996, "adjusted": 0.01996})
    adjusted = holm({str(n): 1 / (checks.SAMPLES + 1) for n in range(MANY["tests"])})
    assert max(adjusted.values()) == pytest.approx(float(MANY["adjusted"]))
    fits = [n for n in range(2, 20) if n * (n - 1) / 2 / (checks.SAMPLES + 1) <= 0.05]
    assert max(fits) == MANY["systems"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tests": 20}, "are one test"),
        ({"tests": 25}, "with itself"),
        ({"tests": 4}, "every two"),
        ({"least": 0.002}, "one more sample"),
        ({"least": 0}, "keeps it from 0"),
        ({"adjusted": 1 / 501}, "before Holm"),
        ({"adjusted": 0.02}, "one more sample"),
        ({"adjusted": 5 / 501}, "not that of systems"),
        ({"systems": 8}, "28 tests"),
        ({"systems": 25}, "how many systems"),
        ({"systems": 6}, "there is room"),
        ({"systems": [7]}, "one number"),
        ({"systems": ...}, "still to be predicted"),
    ],
)
def test_the_number_of_tests_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_many_tests(MANY | change))


def by_loop(mine, other, draws):
    found = abs(sum(mine) - sum(other)) / len(mine)
    sizes = [abs(sum(mine[i] - other[i] for i in draw)) / len(draw) for draw in draws]
    middle = sum(sizes) / len(sizes)
    return (1 + sum(size - middle > found for size in sizes)) / (1 + len(draws))


def by_array(mine, other, draws):
    lead = np.array(mine) - np.array(other)
    sizes = np.abs(lead[np.array(draws)].mean(axis=1))
    return (1 + (sizes - sizes.mean() > abs(lead.mean())).sum()) / (1 + len(draws))


def test_the_paired_p_passes_and_is_sacrebleus():
    from sacrebleu.significance import _compute_p_value

    assert checks.check_paired_p(by_loop) and checks.check_paired_p(by_array)
    stats = np.array([0.5, -0.2, 3.0, 1.0])
    assert _compute_p_value(stats, 0.9) == (1 + 2) / 5  # the rule that the page's equation states


def share(count):
    def wrong(mine, other, draws):
        lead = np.array(mine) - np.array(other)
        return float(count(lead[np.array(draws)].mean(axis=1), lead.mean()))

    return wrong


def far(d, found):
    return (np.abs(d) - np.abs(d).mean() > abs(found)).sum()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (share(lambda d, f: far(d, f) / len(d)), "above and below"),
        (share(lambda d, f: 1 + far(d, f)), "still to be divided"),
        (share(lambda d, f: (1 + (np.abs(d) > abs(f)).sum()) / (len(d) + 1)), "around what"),
        (share(lambda d, f: (1 + (np.abs(d - d.mean()) > abs(f)).sum()) / (len(d) + 1)), "without their signs first"),
        (share(lambda d, f: (d * f > 0).mean()), "order is the same"),
        (share(lambda d, f: 1 - (1 + far(d, f)) / (len(d) + 1)), "1 minus that"),
        (share(lambda d, f: 0.5), "and not"),
        (lambda mine, other, draws: None, "returned None"),
        (lambda mine, other, draws: [0.5], "one number"),
        (lambda mine, other: 0.5, "It raises TypeError"),
        (0.05, "Expected a function"),
    ],
)
def test_the_paired_p_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_paired_p(wrong))


SURE = {"sure": [1, 1, 1, 1, 1], "unsure": [-10, -10, -10, 10, 25]}


def test_a_sure_lead_and_an_unsure_one_pass_and_are_those_of_many_samples():
    assert checks.check_sure(SURE)
    assert "in none or in 42.3%" in checks.check_sure(SURE).message
    assert checks.check_sure({"sure": np.array([2.0, 1, 3, 2, 2]), "unsure": [-20, -20, -20, 20, 50]})
    drawn = np.random.default_rng(0).choice(SURE["unsure"], (20_000, 5)).sum(axis=1)
    assert (drawn < 0).mean() == pytest.approx(0.423, abs=0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sure": [0, 0, 0, 0, 0], "unsure": [0, 0, 0, 0, 0]}, "A must be ahead"),
        ({"unsure": [10, 10, 10, -10, -25]}, "A must be ahead"),
        ({"unsure": [-10, -10, -10, 10, 30]}, "make them equal"),
        ({"sure": [-1, 2, 2, 1, 1]}, "draws take its least"),
        ({"unsure": [-1, -1, -1, -1, 9]}, "more than 40% are asked"),
        ({"unsure": [1, 1, 1, 1, 1]}, "more than 40% are asked"),
        ({"unsure": [25, -20]}, "shape"),
        ({"sure": ...}, "still open"),
    ],
)
def test_the_two_leads_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_sure(SURE | change))


def test_the_conclusions_pass_and_each_wrong_one_is_answered_with_its_reason():
    assert checks.check_follows(FOLLOWS)
    reasons = set()
    for name, right in FOLLOWS.items():
        told = diagnosis(checks.check_follows(FOLLOWS | {name: not right}))
        assert told.startswith(f"{name} is {right}: ")
        reasons.add(told)
    assert len(reasons) == len(FOLLOWS)
    assert "still open" in diagnosis(checks.check_follows(FOLLOWS | {"a": ...}))
    assert "True" in diagnosis(checks.check_follows(FOLLOWS | {"a": "yes"}))
    assert "Give a dictionary" in diagnosis(checks.check_follows({"a": True}))
