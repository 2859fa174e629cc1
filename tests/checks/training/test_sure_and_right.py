"""The checks of *Sure and right* take every right answer and name what is wrong with the others."""

import math
from fractions import Fraction

import pytest
import torch
import torch.nn.functional as F

from attention_book.checks.training import sure_and_right as checks
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.readers.translator import training_switches
from attention_book.studies.translator.parameter_counts import by_formula

from ..diagnosis import diagnosis

MEASURES = {"loss": 0.655, "perplexity": 1.925, "confidence": Fraction(7, 8), "right": 0.75}
TABLES = {"table": 18_944_000, "saved": 37_888_000, "percent": 37.5}
STATEMENTS = {"a": False, "b": True, "c": True, "d": False, "e": False}


def test_the_measures_pass():
    assert checks.check_measures(MEASURES)
    loss = -(3 * math.log(0.9) + math.log(0.1)) / 4
    assert checks.check_measures(MEASURES | {"loss": torch.tensor(loss), "perplexity": math.exp(loss)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": 2.6187}, "that is the sum"),
        ({"loss": -math.log(0.7)}, "logarithms first"),
        ({"loss": -(3 * math.log(0.9) + math.log(0.8)) / 4}, "not at the first choices"),
        ({"loss": 0.9445}, "in bits"),
        ({"perplexity": 13.717}, "of the mean, not of the sum"),
        ({"perplexity": 2**0.6547}, "the base is e"),
        ({"perplexity": (3 / 0.9 + 10) / 4}, "logarithms first"),
        ({"confidence": 0.7}, "of the first choices"),
        ({"confidence": 0.9}, "the last token counts too"),
        ({"right": 1}, "not the first choice"),
        ({"right": 3}, "not their number"),
        ({"right": 0.5}, "(right) is not 0.5."),
        ({"right": "3/4"}, "one number"),
        ({"right": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_measures_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_measures(MEASURES | change))


def by_mask(logits, targets):
    real = targets != 0
    top, first = logits.softmax(-1).max(-1)
    return top[real].mean(), (first == targets)[real].double().mean()


def by_loop(logits, targets):
    sure = right = count = 0
    for row, wanted in zip(logits.tolist(), targets.tolist(), strict=True):
        for scores, y in zip(row, wanted, strict=True):
            if y:
                count += 1
                sure += 1 / sum(math.exp(z - max(scores)) for z in scores)
                right += scores.index(max(scores)) == y
    return sure / count, right / count


@pytest.mark.parametrize("right", [by_mask, by_loop, lambda z, y: list(by_mask(z, y))])
def test_sure_and_right_pass(right):
    assert checks.check_sure_and_right(right)


def with_parts(sure, right):
    def candidate(z, y):
        real, (top, first) = y != 0, z.softmax(-1).max(-1)
        of_true = z.softmax(-1).gather(-1, y[..., None])[..., 0]
        given = {"z": z, "real": real, "top": top, "hit": (first == y).double(), "of_true": of_true}
        return sure(**given), right(**given)

    return candidate


def good_sure(top, real, **_):
    return top[real].mean()


def good_right(hit, real, **_):
    return hit[real].mean()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (with_parts(lambda top, **_: top.mean(), good_right), "padding is counted in the confidence"),
        (with_parts(lambda of_true, real, **_: of_true[real].mean(), good_right), "not of the true tokens"),
        (with_parts(lambda z, real, **_: z.max(-1)[0][real].mean(), good_right), "through softmax first"),
        (with_parts(lambda top, real, **_: (top * real).mean(), good_right), "number of all places"),
        (with_parts(good_right, good_sure), "wrong way round"),
        (with_parts(lambda **_: 0.123, good_right), "not 0.1230"),
        (with_parts(good_sure, lambda hit, **_: hit.mean()), "padding is counted among"),
        (with_parts(good_sure, lambda hit, real, **_: hit[real].sum()), "not the number"),
        (with_parts(good_sure, lambda hit, real, **_: 1 - hit[real].mean()), "the wrong tokens"),
        (with_parts(good_sure, lambda of_true, real, **_: of_true[real].mean()), "right or wrong"),
        (lambda z, y: by_mask(z, y)[0], "Expected 2 values"),
        (lambda z, y: (F.softmax(z, -1), 1.0), "one number"),
        (lambda z, y: None, "returned None"),
    ],
)
def test_sure_and_right_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_sure_and_right(wrong))


def test_the_tables_pass_and_are_those_of_the_models():
    assert checks.check_tables(TABLES)
    assert checks.check_tables({name: float(value) for name, value in TABLES.items()})
    sizes = [
        sum(p.numel() for p in Transformer(TransformerConfig.tiny(50, tie_embeddings=tied)).parameters())
        for tied in (True, False)
    ]
    assert sizes[1] - sizes[0] == 2 * 50 * 64
    assert by_formula(TransformerConfig.base(37_000))["all"] == checks._TIED


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": 37_512}, "a row of 512 numbers"),
        ({"saved": 18_944_000}, "two are saved"),
        ({"saved": 56_832_000}, "not three"),
        ({"percent": 60.1}, "the untied total"),
        ({"percent": 18.8}, "not one"),
        ({"percent": 56.3}, "one of the three"),
        ({"percent": 0.375}, "give it in percent"),
        ({"percent": 7}, "(percent) is not 7."),
        ({"table": "18 944 000"}, "one number"),
        ({"table": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_tables_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_tables(TABLES | change))


def test_the_statements_speak_of_the_result_on_record():
    runs = training_switches.read()
    few, dropped = (runs.sure_and_right()[name] for name in ("few pairs", "few, with dropout"))
    assert dropped[1] - few[1] > 3 * (few[0] - dropped[0]) > 0
    hit, statement = runs.mean("plain", "hit").value, checks.STATEMENTS["e"]
    assert f"{hit:.0%}"[:-1] + " %" in statement and f"{0.85**7:.0%}"[:-1] + " %" in statement
    assert runs.mean("plain", "right").value > 2 * hit**7
    assert "has a lower loss and more right sentences" in checks.STATEMENTS["d"]
    loss, right = (runs.cost("untied", "plain", *what) for what in ((), ("right",)))
    assert loss.settled and loss.value < 0 and right.settled and right.value > 0


def test_the_statements_pass():
    assert checks.check_statements(STATEMENTS) and set(checks.STATEMENTS) == set(STATEMENTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": True}, "which of the two marks"),
        ({"b": False}, "both rows of the table of smoothing"),
        ({"c": False}, "without smoothing"),
        ({"d": True}, "more parameters"),
        ({"e": True}, "another right translation"),
        ({"a": "False"}, "True (it follows)"),
        ({"a": 0}, "True (it follows)"),
        ({"e": ...}, "still open"),
        ({"f": True}, "Give a dictionary"),
    ],
)
def test_the_statements_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_statements(STATEMENTS | change))
