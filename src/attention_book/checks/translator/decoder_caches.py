"""Checks for *Fast decoding*: what caches hold and compute, one step, a reordered beam, what breaks it."""

import numpy as np

from ...attention.dot_product import scaled_dot_product_attention
from ...models.config import TransformerConfig
from ...studies.translator.decoder_caches import WAYS, positions
from ...translation.fast.step_costs import cached_numbers
from ..answers import judge_statements
from ..known_mistakes import diagnose, expect_predictions
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_parts, first_difference

LARGE = TransformerConfig(vocab_size=8000, d_model=512, n_heads=8, n_layers=6, d_ff=2048)
"""The model of the first exercise."""
_WRITTEN, _SOURCE, _ROWS = 30, 20, 32
_LENGTH, _SHORT_SOURCE = 4, 7


@checking
def check_held(predictions: object) -> Report:
    """Are these what the caches of :data:`LARGE` hold after 30 steps?

    Args:
        predictions: a number for each of ``growing`` and ``fixed`` (numbers for one sentence) and ``bytes`` (of both,
            for 32 sentences).
    """
    growing, fixed = cached_numbers(LARGE, _WRITTEN, _SOURCE)
    each = {
        "that counts the keys alone": 2,
        "that is one layer; every layer has a cache": LARGE.n_layers,
        "that is one head; all heads have keys and values": LARGE.n_heads,
    }
    table = {
        name: (right, {right / by: why for why, by in each.items()} | {other: "that is the other kind of cache"})
        for name, right, other in (("growing", growing, fixed), ("fixed", fixed, growing))
    }
    total = 4 * _ROWS * (growing + fixed)
    mistakes = {
        total // 4: "each number has four bytes",
        total // _ROWS: "that is one sentence; each has caches of its own",
        4 * _ROWS * growing: "the fixed caches are missing",
        total // 2: "keys and values are kept, both",
    }
    table["bytes"] = (total, mistakes)
    expect_predictions(predictions, table, tolerance=0.5)
    return Report(True, "Both kinds grow with the layers; only one of them grows with the steps.")


@checking
def check_counts(predictions: object) -> Report:
    """Are these the positions for which a layer computes keys and values, in 4 steps over 7 source tokens?

    Args:
        predictions: a number for each of ``nothing``, ``source``, ``own`` and ``both``: what is kept.
    """
    right = {way: positions(_LENGTH, _SHORT_SOURCE, *kept) for way, kept in WAYS.items()}
    without_source = {n - _SHORT_SOURCE * (1 if WAYS[way][1] else _LENGTH): "the source has keys and values too"
                      for way, n in right.items()}  # fmt: skip
    table = {way: (n, {wrong: why for wrong, why in without_source.items() if wrong != n}) for way, n in right.items()}
    table["nothing"][1][_LENGTH * (_LENGTH + _SHORT_SOURCE)] = "step 1 has a prefix of one token, step 2 of two"
    table["source"][1][right["own"]] = "that is what is computed if the target's are kept, and the source's are not"
    table["own"][1][right["source"]] = "that is what is computed if the source's are kept, and the target's are not"
    table["both"][1][_LENGTH] = "the source's are computed once, in step 1"
    expect_predictions(predictions, table, tolerance=0.5)
    return Report(True, "Every position is computed once if both are kept.")


def _attended(q, keys, values):
    return scaled_dot_product_attention(q[None], keys, values)[0][0]


@checking
def check_step(candidate: object) -> Report:
    """Does ``candidate(q, k, v, keys, values)`` attend with one new position, and keep its key and value?

    It is given vectors and the rows that were kept, and returns ``(output, keys, values)``.
    """
    generator = np.random.default_rng(3)
    for length in (2, 1, 0, 5):
        q, k = generator.standard_normal((2, 3))
        v, keys, values = (generator.standard_normal(shape) for shape in (2, (length, 3), (length, 2)))
        case = f"With {length} kept rows"
        got = expect_parts(attempt(candidate, q, k, v, keys, values), ("output", "keys", "values"))
        all_keys, all_values = np.vstack([keys, k[None]]), np.vstack([values, v[None]])
        wanted = (_attended(q, all_keys, all_values), all_keys, all_values)
        names = ("the output", "the keys", "the values")
        for name, part, right in zip(names, got, wanted, strict=True):
            expect_array(part, right.shape, f"{length} rows and a new one" if right.ndim == 2 else "", like=right,
                         name=name)  # fmt: skip
        for name, part, right, new in zip(names[1:], got[1:], wanted[1:], (k, v), strict=True):
            if length and agrees(part, np.vstack([new[None], right[:-1]])):
                raise NotYet(f"{case}: the new row of {name} stands first. Rows are kept in the order of the steps.")
            if not agrees(part, right):
                raise NotYet(f"{case}: {name} to keep are wrong at {first_difference(part, right)}.")
        if not agrees(got[0], wanted[0]):
            root = np.sqrt(len(q))
            mistakes = {
                f"{case}: the scores are not divided by the root of the width.": _attended(
                    q * root, all_keys, all_values
                ),
                f"{case}: the scores are divided by the width, and not by its root.": _attended(
                    q / root, all_keys, all_values
                ),
                f"{case}: the weights do not sum to 1.": np.exp(all_keys @ q / root) @ all_values,
                f"{case}: the output is the new value alone.": v,
            }
            if length:
                mistakes[f"{case}: the output leaves out the new key. A position attends to itself."] = _attended(
                    q, keys, values
                )
            diagnose(got[0], wanted[0], mistakes)
    return Report(True, "It gives what attention over all rows gives, from an empty cache on.")


@checking
def check_reorder(candidate: object) -> Report:
    """Does ``candidate(cached, parents)`` give every prefix the cache of the prefix that it continues?

    It is given (sources, beam, length, width) and whole numbers (sources, beam), and returns an array like the first.
    """
    generator = np.random.default_rng(4)
    for sources, beam in ((1, 3), (3, 2), (2, 4)):
        cached = generator.standard_normal((sources, beam, 2, 3))
        parents = generator.integers(beam, size=(sources, beam))
        parents[:, 0], parents[-1, -1] = beam - 1, 0
        got = expect_array(attempt(candidate, cached, parents), cached.shape, "as it came", like=cached)
        wanted = np.take_along_axis(cached, parents[:, :, None, None], axis=1)
        if agrees(got, wanted):
            continue
        put = cached.copy()
        for source in range(sources):
            put[source, parents[source]] = cached[source]
        overwritten = cached.copy()
        for source, row in np.ndindex(sources, beam):
            overwritten[source, row] = overwritten[source, parents[source, row]]
        flat = cached.reshape(-1, 2, 3)[parents.reshape(-1)].reshape(cached.shape)
        diagnose(got, wanted, {
            "Every prefix keeps its own place: nothing is reordered.": cached,
            "The parents of source 0 are taken for every source.": cached[:, parents[0]],
            "All prefixes are taken from source 0: each source counts its own from 0.": flat,
            "A cache is overwritten before it is read: take all of them from the old array.": overwritten,
            "It is the wrong way round: `parents[i, j]` says where row j comes from, not where it goes.": put,
        })  # fmt: skip
    return Report(True, "Prefixes that are continued twice are there twice, and those that are dropped are gone.")


STATEMENTS = {
    "one ahead": False,
    "a window": True,
    "rotary": True,
    "centred": False,
    "a causal encoder": False,
    "a bias": True,
}
"""The changes of the last exercise, and whether the caches still give what computing anew gives."""
_WHY = {
    "one ahead": "the new token changes what the first layer gives one position back, and so an old key of the second",
    "a window": "it hides old keys from new queries, and a kept key itself stays what it was",
    "rotary": "a key is turned by its own position, which does not change",
    "centred": "the mean over the prefix changes with every token, and so does every old vector",
    "a causal encoder": "the memory's old rows stay, but an old target position, computed anew, would read the new one",
    "a bias": "it is added to scores, which are not kept, and keys and values stay what they were",
}


@checking
def check_changes(answers: object) -> Report:
    """Which changes leave the caches right? True or False for each of :data:`STATEMENTS`."""
    judge_statements(answers, STATEMENTS, _WHY, "the caches stay right", "they do not", put="True or False")
    return Report(True, "A cache is right as long as what it keeps would come out the same if it were computed again.")
