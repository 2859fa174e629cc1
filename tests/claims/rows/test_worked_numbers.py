"""N01 to N10 against arithmetic of another kind: fractions, the math module, SciPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import softmax

from attention_book.claims.printed import agrees, faults, in_tens, listed, verdict_on
from attention_book.claims.rows import worked_numbers as rows

TENTHS = [[Fraction(n, 10) for n in row] for row in ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12))]
QUERIES = [[Fraction(n, 10) for n in row] for row in ((2, 4, 6, 8), (1, 3, 5, 7))]
DOTS = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in TENTHS] for q in QUERIES]


def by_hand(scores):
    """Softmax of one row by the definition, without the subtraction that the package does."""
    powers = [math.exp(s) for s in scores]
    return [power / sum(powers) for power in powers]


def mixed(weights, values):
    return [
        math.fsum(w * float(v) for w, v in zip(weights, column, strict=True)) for column in zip(*values, strict=True)
    ]


def value(answers, name):
    return answers[name]["value"]


@pytest.mark.parametrize(
    ("printed", "true", "right"),
    [
        ("2.7", math.e, True),
        ("2.8", math.e, False),
        ("0.27", 0.26894, True),  # rounded
        ("0.26", 0.26894, True),  # cut off
        ("0.25", 0.26894, False),
        ("4e-5", 4.5397e-5, True),
        ("5e-5", 4.5397e-5, True),
        ("6e-5", 4.5397e-5, False),
        ("22046.5", math.exp(10), False),
        ("22026.5", math.exp(10), True),
        ("0.5", 0.1 + 0.2 + 0.2, True),
        ("0.3", 0.1 + 0.2, True),
        ("0.2", 0.3 - 1e-17, False),  # rounding errors of the machine do not make 0.3 into a 0.2 that was cut off
        ("1", 1.0, True),
        ("0", 1.0, False),
        ("-0.4", -0.44, True),
    ],
)
def test_a_printed_number_is_right_to_its_last_digit(printed, true, right):
    assert agrees(printed, true) is right


def test_faults_are_named_by_their_place():
    assert faults([["0.1", "0.2"], ["0.3", "0.5"]], [[0.1, 0.3], [0.3, 0.4]]) == [(0, 1), (1, 1)]
    assert verdict_on([["0.1"]], [[0.1]]) == "right" and verdict_on([["0.2"]], [[0.1]]) == "wrong"
    with pytest.raises(ValueError):
        faults([["0.1"]], [[0.1, 0.2]])
    assert listed([0.12345, 1.0]) == "(0.123, 1.000)"
    assert in_tens(4.5397e-5) == "4.5 · 10⁻⁵" and in_tens(12345.0, 3) == "1.23 · 10⁴"


def test_n01_exponentials(answers):
    assert value(answers, "N01") == pytest.approx([math.e**power for power in (1, 2, 10, 20)], rel=1e-14)
    assert answers["N01"]["verdict"] == "wrong"
    assert "e¹⁰ is 22026.47 and not 22046.5; the other 3 are right" in answers["N01"]["why"]
    assert rows.decide_exponentials([2.71, 7.39, 22046.5, 485165195.41])[0] == "right"


def test_n02_two_softmaxes(answers):
    assert value(answers, "N02") == [
        pytest.approx(by_hand((1, 2)), rel=1e-13),
        pytest.approx([1 / (1 + math.exp(10)), 1 / (1 + math.exp(-10))], rel=1e-13),
    ]
    assert answers["N02"]["verdict"] == "right" and "cut off" in answers["N02"]["why"]
    assert rows.decide_pair_weights([[0.27, 0.73], [3.4e-5, 0.9999]])[0] == "wrong"


def test_n03_to_n06_follow_from_the_first_inputs(answers):
    scores = [[dot / 2 for dot in row] for row in DOTS]
    weights = [by_hand(map(float, row)) for row in scores]
    outputs = [mixed(row, TENTHS) for row in weights]
    for name, expected in {"N03": DOTS, "N04": scores, "N05": weights, "N06": outputs}.items():
        expected = [[float(number) for number in row] for row in expected]
        assert np.array(value(answers, name)) == pytest.approx(np.array(expected), rel=1e-12), name
        assert answers[name]["verdict"] == "wrong", name
    assert DOTS[0] == [Fraction(6, 10), Fraction(14, 10), Fraction(22, 10)]  # with a pencil


def test_n03_to_n06_say_which_rows_are_wrong(answers):
    assert [2 * float(claimed) for claimed in rows.PRODUCTS[0]] == pytest.approx([float(dot) for dot in DOTS[0]])
    assert faults(rows.WEIGHTS, value(answers, "N05")) == [(1, 0), (1, 1)]
    assert answers["N05"]["why"].startswith("The first row is right to one decimal, by accident")
    rows_of_n04 = [[float(number) for number in row] for row in rows.HALVES]
    assert listed(by_hand(rows_of_n04[0])) in answers["N05"]["why"]
    assert "fall, because weight leaves the largest value" in answers["N06"]["why"]
    for decide, claimed in (
        (rows.decide_products, rows.PRODUCTS),
        (rows.decide_halves, rows.HALVES),
        (rows.decide_weights, rows.WEIGHTS),
        (rows.decide_outputs, rows.OUTPUTS),
    ):
        assert decide([[float(number) for number in row] for row in claimed])[0] == "right"


def test_n07_and_n08_a_mask_of_two(answers):
    second = by_hand((0.9, 1.1))
    assert value(answers, "N07") == [[1.0, 0.0], pytest.approx(second, rel=1e-13)]
    assert value(answers, "N07")[1] == pytest.approx(softmax([0.9, 1.1]).tolist(), rel=1e-13)
    assert value(answers, "N08") == [
        pytest.approx([0.1, 0.2, 0.3, 0.4], rel=1e-13),
        pytest.approx(mixed(second, TENTHS[:2]), rel=1e-13),
    ]
    assert answers["N07"]["verdict"] == answers["N08"]["verdict"] == "wrong"
    assert f"differ by {math.log(1.5):.2f}" in answers["N07"]["why"]
    assert mixed((0.4, 0.6), TENTHS[:2]) == pytest.approx([0.34, 0.44, 0.54, 0.64])  # the step itself was right
    assert "is what follows from the weights claimed in N07" in answers["N08"]["why"]
    assert rows.decide_masked_weights([[1.0, 0.0], [0.4, 0.6]])[0] == "right"
    assert rows.decide_masked_outputs([[0.1, 0.2, 0.3, 0.4], [0.34, 0.44, 0.54, 0.64]])[0] == "right"


def test_no_division_could_give_the_weights_of_n07():
    leads = [np.diff(softmax(np.array([0.9, 1.1]) / math.sqrt(d_k)))[0] for d_k in (1, 2, 4, 64)]
    assert max(leads) == leads[0] < 0.6 - 0.4


def test_n09_a_model_of_width_512(answers):
    expected = by_hand(s / math.sqrt(512) for s in (0.1, 0.2, 0.3))
    for row in value(answers, "N09"):
        assert row == pytest.approx(expected, rel=1e-12)
        assert row == sorted(row)
    assert answers["N09"]["verdict"] == "wrong" and answers["N09"]["why"].startswith("Both rows are (0.3319, 0.3333")
    # The paper's divisor, the root of 64, would not save it.
    assert faults(rows.WIDE_WEIGHTS, softmax(rows.WIDE_SCORES / 8, axis=1).tolist())
    assert rows.decide_wide_weights([[0.4, 0.3, 0.3], [0.5, 0.3, 0.2]])[0] == "right"


def test_n10_rows_normalised(answers):
    thirds = [[Fraction(n, 100) for n in row] for row in ((80, 10, 10), (15, 75, 10), (10, 30, 70))]
    expected = [[float(share / sum(row)) for share in row] for row in thirds]
    assert np.array(value(answers, "N10")) == pytest.approx(np.array(expected), rel=1e-14)
    assert [sum(row) for row in thirds] == [1, 1, Fraction(11, 10)]
    assert answers["N10"]["verdict"] == "wrong" and "5 of the 9 shares" in answers["N10"]["why"]
