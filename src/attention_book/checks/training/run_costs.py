"""Checks for *What does a training run cost?*: how a cost changes with the run, and the cost of a language model."""

from ...models.config import TransformerConfig
from ...studies.machines.training_cost import multiply_adds
from ..known_mistakes import expect_predictions, near, refuse_number
from ..report import Report, attempt, checking, expect_number

_FACTORS = {
    "a": (
        2.0,
        {1.0: "twice the steps read twice the tokens", 4.0: "only the tokens are doubled", 0.5: "it costs more"},
    ),
    "b": (
        1.0,
        {
            2.0: "the batches are larger, but there are half as many of them",
            0.5: "there are half as many steps, but each is larger",
            4.0: "what counts is the tokens of the whole run",
        },
    ),
    "c": (
        1.0,
        {
            8.0: "the machines share each batch, so no token is read twice",
            1 / 8: "that is the time, at best; the operations are divided among the machines and not saved",
        },
    ),
    "d": (
        4.0,
        {
            2.0: "a matrix then has twice the rows *and* twice the columns",
            8.0: "a matrix has two sides, and each is doubled",
            16.0: "a matrix has two sides, and each is doubled once",
            1.0: "larger matrices cost more",
        },
    ),
}


@checking
def check_factors(predictions: object) -> Report:
    """Are these the factors by which the cost of a run changes in the exercise's four cases?"""
    expect_predictions(predictions, _FACTORS, tolerance=0.006)
    return Report(True, "Tokens and entries of matrices count; how the tokens are dealt out does not.")


_T, _P, _SECONDS, _GPUS, _SPEED = 40_000 * 20_000, 50e6, 24 * 3600, 2, 6e12
_NEEDED, _COULD = 6 * _T * _P, _SECONDS * _GPUS * _SPEED
_CLOCK = {
    "a": (
        _NEEDED,
        {
            2 * _NEEDED: "count the pairs of a source and a target token: each parameter is met by one of the two",
            _NEEDED / 3: "that is the forward pass alone",
            _NEEDED / 2: "a multiply-add is two operations",
            _NEEDED / 40_000: "that is one step",
            _COULD: "that is what the GPUs could have done",
        },
    ),
    "b": (
        _COULD,
        {
            _COULD / _GPUS: "there are two GPUs",
            _COULD / 3600: "an hour has 3600 seconds",
            _COULD / 60: "an hour has 3600 seconds",
            _NEEDED: "that is what the model needs",
        },
    ),
    "c": (
        _NEEDED / _COULD,
        {
            100 * _NEEDED / _COULD: "that is per cent; give a number between 0 and 1",
            _COULD / _NEEDED: "divide what was needed by what could have been done",
            1 - _NEEDED / _COULD: "that is the rest of the time",
            2 * _NEEDED / _COULD: "both GPUs were there, and T counts pairs of tokens",
        },
    ),
}


@checking
def check_clock(predictions: object) -> Report:
    """Are these what a run needed, what its GPUs could have done, and the share? Within 1 %, or 0.002 for the share."""
    for letter, table in _CLOCK.items():
        one = {letter: table}
        expect_predictions(predictions, one, tolerance=0.004 if letter == "c" else 0.01 * table[0])
    return Report(True, "The two counts differ although they are of one run: needed, and could have been done.")


def _costs(vocab_size: int, d_model: int, d_ff: int, n_layers: int, tokens: int) -> dict[str, int]:
    """What a step is said to cost by each known mistake, ``right`` among them."""
    square, forward = d_model * d_model, 2 * d_model * d_ff
    layer, output = 4 * square + forward, vocab_size * d_model
    products = n_layers * layer + output
    return {
        "right": 6 * tokens * products,
        "These are multiply-adds of the forward pass: each costs two operations, and the backward pass twice as many.":
            tokens * products,
        "That is the forward pass alone; the backward pass costs twice as much again.": 2 * tokens * products,
        "A multiply-add is two operations.": 3 * tokens * products,
        "The backward pass costs twice the forward pass, so the whole is three times the forward pass.":
            4 * tokens * products,
        "There is one text, and each of its tokens counts once.": 12 * tokens * products,
        "The output layer is missing: it scores each token with all subwords.": 6 * tokens * n_layers * layer,
        "Looking an embedding up costs nothing; only the output layer multiplies.": 6 * tokens * (products + output),
        "There is no source, so a layer has one attention and no cross-attention.":
            6 * tokens * (products + 4 * n_layers * square),
        "That is what a target token of the translator meets: two of its six square matrices are of cross-attention.":
            6 * tokens * (products + 2 * n_layers * square),
        "That is the translator's cost. A language model has no encoder and no cross-attention.":
            6 * tokens * (products + n_layers * (layer + 4 * square)),
        "An attention has four matrices, the last for what its heads found.":
            6 * tokens * (products - n_layers * square),
        "A feed-forward network has two matrices.": 6 * tokens * (products - n_layers * forward // 2),
        "There are n_layers layers.": 6 * tokens * (layer + output),
    }  # fmt: skip


@checking
def check_cost(candidate: object) -> Report:
    """Does ``candidate(vocab_size, d_model, d_ff, n_layers, tokens)`` give the cost of a language model's step?"""
    for sizes in ((50, 8, 12, 1, 10), (8000, 256, 1024, 3, 1000), (50_257, 768, 3072, 12, 1024)):
        vocab_size, d_model, d_ff, n_layers, tokens = sizes
        config = TransformerConfig(vocab_size, d_model=d_model, n_heads=2, n_layers=n_layers, d_ff=d_ff)
        queries_and_output_of_cross_attention = n_layers * 2 * d_model**2
        right = 6 * tokens * (multiply_adds(config)["target"] - queries_and_output_of_cross_attention)
        known = _costs(*sizes)
        if known.pop("right") != right:
            raise RuntimeError("the formula of this check is not that of the page")
        got = expect_number(attempt(candidate, *sizes), "the number of operations")
        if abs(got - right) > 1e-9 * right:
            refuse_number(f"For {sizes}", got, float(right), known, near(rel_tol=1e-9), ",.0f")
    return Report(True, "The last of the three has the sizes of the smallest GPT-2, for a text of 1,024 tokens.")
