"""The checks of fast decoding: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.checks.translator import decoder_caches as checks

from ..diagnosis import diagnosis

HELD = {"growing": 184_320, "fixed": 122_880, "bytes": 39_321_600}
COUNTS = {"nothing": 38, "source": 17, "own": 32, "both": 11}


def test_predictions_pass():
    for check, right in ((checks.check_held, HELD), (checks.check_counts, COUNTS)):
        assert check(right)
        assert check({name: Fraction(n) for name, n in right.items()})
        assert check({name: np.float64(n) for name, n in right.items()})
        assert check({name: torch.tensor(n) for name, n in right.items()})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"growing": 92_160}, "counts the keys alone"),
        ({"growing": 30_720}, "one layer"),
        ({"growing": 23_040}, "one head"),
        ({"growing": 122_880}, "the other kind"),
        ({"fixed": 61_440}, "counts the keys alone"),
        ({"fixed": 184_320}, "the other kind"),
        ({"bytes": 9_830_400}, "four bytes"),
        ({"bytes": 1_228_800}, "that is one sentence"),
        ({"bytes": 23_592_960}, "the fixed caches are missing"),
        ({"bytes": 19_660_800}, "both"),
        ({"bytes": 1}, "(bytes) is not 1."),
        ({"bytes": ...}, "still to be predicted"),
    ],
)
def test_held_names_the_fault(changed, message):
    assert message in diagnosis(checks.check_held(HELD | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"nothing": 10}, "the source has keys and values too"),
        ({"nothing": 44}, "step 1 has a prefix of one token"),
        ({"source": 32}, "if the target's are kept"),
        ({"own": 17}, "if the source's are kept"),
        ({"own": 4}, "the source has keys and values too"),
        ({"both": 4}, "computed once, in step 1"),
        ({"both": 12}, "(both) is not 12."),
        ({"source": "17"}, "one number"),
    ],
)
def test_counts_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_counts(COUNTS | changed))


def attended(q, keys, values):
    return scaled_dot_product_attention(q[None], keys, values)[0][0]


def stacked(q, k, v, keys, values):
    keys, values = np.vstack([keys, k]), np.vstack([values, v])
    return attended(q, keys, values), keys, values


def by_loop(q, k, v, keys, values):
    keys, values = np.append(keys, k[None], axis=0), np.concatenate([values, v[None]])
    exponentials = [np.exp(sum(a * b for a, b in zip(q, key, strict=True)) / len(q) ** 0.5) for key in keys]
    output = sum(e * value for e, value in zip(exponentials, values, strict=True)) / sum(exponentials)
    return [output, keys, values]


def in_front(q, k, v, keys, values):
    keys, values = np.vstack([k, keys]), np.vstack([v, values])
    return attended(q, keys, values), keys, values


def without_itself(q, k, v, keys, values):
    _, new_keys, new_values = stacked(q, k, v, keys, values)
    return (attended(q, keys, values) if len(keys) else v), new_keys, new_values


def unnormalised(q, k, v, keys, values):
    _, keys, values = stacked(q, k, v, keys, values)
    return np.exp(keys @ q / len(q) ** 0.5) @ values, keys, values


def in_place(q, k, v, keys, values):
    keys += 1
    return stacked(q, k, v, keys - 1, values)


def test_step_passes():
    assert checks.check_step(stacked)
    assert checks.check_step(by_loop)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (in_front, "the new row of the keys stands first"),
        (without_itself, "A position attends to itself"),
        (in_place, "changes `keys` in place"),
        (lambda q, k, v, keys, values: stacked(q * len(q) ** 0.5, k, v, keys, values), "root of the width"),
        (lambda q, k, v, keys, values: stacked(q / len(q) ** 0.5, k, v, keys, values), "not by its root"),
        (unnormalised, "do not sum to 1"),
        (lambda q, k, v, keys, values: (v, *stacked(q, k, v, keys, values)[1:]), "the new value alone"),
        (lambda q, k, v, keys, values: (attended(q, *stacked(q, k, v, keys, values)[1:]), keys, values), "shape"),
        (lambda q, k, v, keys, values: stacked(q, k, v, keys, values)[0], "Expected 3 values"),
        (lambda q, k, v, keys, values: stacked(q, k, 2 * v, keys, values), "the values to keep are wrong"),
        (lambda q, k, v, keys, values: None, "Is the `return` missing"),
        ("stacked", "Expected a function"),
    ],
)
def test_step_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_step(wrong))


def taken(cached, parents):
    return np.take_along_axis(cached, parents[:, :, None, None], axis=1)


def copied(cached, parents):
    return np.stack([[rows[parent] for parent in chosen] for rows, chosen in zip(cached, parents, strict=True)])


def indexed(cached, parents):
    return cached[np.arange(len(cached))[:, None], parents]


def flat_with_offsets(cached, parents):
    rows = (parents + cached.shape[1] * np.arange(len(cached))[:, None]).reshape(-1)
    return cached.reshape(-1, *cached.shape[2:])[rows].reshape(cached.shape)


def scattered(cached, parents):
    found = cached.copy()
    for source, chosen in enumerate(parents):
        found[source, chosen] = cached[source]
    return found


def overwritten(cached, parents):
    found = cached.copy()
    for rows, chosen in zip(found, parents, strict=True):
        for place, parent in enumerate(chosen):
            rows[place] = rows[parent]
    return found


@pytest.mark.parametrize("right", [taken, copied, indexed, flat_with_offsets])
def test_reorder_passes(right):
    assert checks.check_reorder(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda cached, parents: cached, "nothing is reordered"),
        (lambda cached, parents: cached[:, parents[0]], "source 0 are taken for every source"),
        (lambda cached, parents: cached.reshape(-1, *cached.shape[2:])[parents], "each source counts its own"),
        (scattered, "wrong way round"),
        (overwritten, "overwritten before it is read"),
        (lambda cached, parents: cached[parents], "shape"),
        (lambda cached, parents: taken(cached, parents) + 1, "A wrong number"),
        (lambda cached, parents: None, "return"),
        (3, "Expected a function"),
    ],
)
def test_reorder_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_reorder(wrong))


def test_changes_pass():
    assert checks.check_changes(checks.STATEMENTS)
    assert checks.check_changes({name: np.bool_(right) for name, right in checks.STATEMENTS.items()})


@pytest.mark.parametrize("name", checks.STATEMENTS)
def test_changes_say_why(name):
    message = diagnosis(checks.check_changes(checks.STATEMENTS | {name: not checks.STATEMENTS[name]}))
    assert message.startswith(f"{name} is {checks.STATEMENTS[name]}: ")


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (dict.fromkeys(checks.STATEMENTS, ...), "put True or False"),
        (checks.STATEMENTS | {"rotary": 1}, "with True"),
        ({"rotary": True}, "dictionary"),
    ],
)
def test_changes_name_what_is_missing(answers, message):
    assert message in diagnosis(checks.check_changes(answers))
