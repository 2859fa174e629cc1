"""Worked numbers that are sizes or counts: of heads, masks, decoder runs, and of the entries of a Jacobian."""

import math

import numpy as np
import torch
from torch import Tensor

from ...analysis.recording import recording
from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from ...attention.multi_head import MultiHeadAttention
from ...attention.probability import softmax, softmax_jacobian
from ...models.config import TransformerConfig
from ...models.transformer import DecoderState, Transformer
from ...translation.decoding import greedy_decode
from ..claim import Claim, Verdict
from ..printed import listed

Sizes = dict[str, dict[str, dict[str, float]]]

LENGTHS = (3, 300)
SIDES = (4, 8, 16, 32, 64)
DRAWS, BLOCK, SEED = 20_000, 500, 15
MEDIAN_EVERY = 10  # blocks: a median of n² entries takes long, and its mean is needed less exactly
SURE = 4  # standard errors by which two means must differ before one is called the larger


def head_width() -> int:
    """N11: the width of a query, a key or a value in each of 8 heads of a layer of width 512."""
    return MultiHeadAttention(d_model=512, n_heads=8).d_k


def decide_head_width(value: int) -> tuple[Verdict, str]:
    """N11: 512 / 8, by the paper's choice."""
    why = (
        f"The paper (section 3.2.2) chooses d_k = d_v = d_model / h, which is {value} here, and so does the layer "
        "built. Nothing forces that width: the output projection W_O takes any."
    )
    return ("right" if value == 64 else "wrong"), why


def mask_cells() -> dict[str, int]:
    """N12: the causal mask of four positions, written as what is added to the scores."""
    added = torch.zeros(4, 4).masked_fill(~causal_mask(4), -math.inf)
    return {"zeros": int((added == 0).sum()), "minus_inf": int((added == -math.inf).sum())}


def decide_mask_cells(value: dict[str, int]) -> tuple[Verdict, str]:
    """N12: T(T + 1)/2 against T(T - 1)/2."""
    why = (
        f"{value['zeros']} cells on and below the diagonal add 0 and "
        f"{value['minus_inf']} above it add −∞: of T² pairs, T(T + 1)/2 are allowed "
        "and T(T − 1)/2 are not."
    )
    return ("right" if value == {"zeros": 10, "minus_inf": 6} else "wrong"), why


def equal_scores() -> list[list[float]]:
    """N13: softmax of ones on and below the diagonal and −∞ above it."""
    return softmax(np.where(causal_mask(3).numpy(), 1.0, -math.inf)).tolist()


def decide_equal_scores(value: list[list[float]]) -> tuple[Verdict, str]:
    """N13: row i must have 1/(i + 1) in its first i + 1 places; then attention is a running mean."""
    values = np.array([[6.0, 0.0], [0.0, 6.0], [1.0, -3.0]])
    output, _ = scaled_dot_product_attention(np.zeros((3, 2)), np.ones((3, 2)), values, causal_mask(3).numpy())
    means = np.cumsum(values, axis=0) / np.arange(1, 4)[:, None]
    holds = np.allclose(value, np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]) and np.allclose(output, means)
    why = (
        f"The rows are {', '.join(listed(row) for row in value)}: equal scores share a row's weight equally among the "
        "positions that it may see, whatever the scores are."
    )
    return ("right" if holds else "wrong"), why


class Dictated(Transformer):
    """A Transformer with random parameters whose every step really runs, and then writes what it was told to write."""

    def __init__(self, config: TransformerConfig, tokens: list[int]):
        super().__init__(config)
        self.tokens = tokens

    def step(self, tokens: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """One step of the decoder, with the next token of the text made certain."""
        written = state.cache.length
        log_probs, state = super().step(tokens, state)
        told = torch.full_like(log_probs, -math.inf)
        told[:, self.tokens[written]] = 0.0
        return told, state


def decoder_runs() -> dict[str, int]:
    """N14: how often the decoder runs in a greedy search that ends after so many words, counted by a hook on it."""
    counts = {}
    for n in LENGTHS:
        config = TransformerConfig.tiny(
            vocab_size=8, d_model=8, n_heads=1, n_layers=1, d_ff=8, dropout=0.0, max_len=n + 1
        )
        with torch.random.fork_rng(devices=[]):
            model = Dictated(config, [4] * n + [config.eos_id]).eval()
        with recording(model.decoder) as calls:
            [written] = greedy_decode(model, torch.full((1, 2), 5), max_len=n + 1)
        assert len(written.tokens) == n + 1 and written.tokens[-1] == config.eos_id
        counts[str(n)] = len(calls[model.decoder])
    return counts


def decide_decoder_runs(value: dict[str, int]) -> tuple[Verdict, str]:
    """N14: one run for each word and one for the end."""
    why = (
        f"At inference, with one token per word, the decoder runs {value['3']} times: once for each of 3 words and "
        f"once for </s>. “More time” for 300 words is true and has a size, {value['300']} runs. In training it runs "
        "once."
    )
    return ("right" if value["3"] == 4 and value["300"] > value["3"] else "wrong"), why


def jacobian_sizes() -> Sizes:
    """N15: the size of the Jacobian of softmax(s / C) for s drawn from N(0, n), with C = √n and with C = 1.

    Returns:
        For each n and each of ``"scaled"`` and ``"unscaled"`` the means over the draws, and their standard errors, of
        the standard deviation of the n² entries (``sd``; their mean is 0, so it is the Frobenius norm over n), of the
        Frobenius norm (``frobenius``), and, over a tenth of the draws, of the size of the middle one of the n² entries
        (``median_entry``). Both kinds see the same draws.
    """
    return {str(n): _sizes_at(n) for n in SIDES}


def _sizes_at(n: int) -> dict[str, dict[str, float]]:
    random = np.random.default_rng([SEED, n])
    norms, medians = {"scaled": [], "unscaled": []}, {"scaled": [], "unscaled": []}
    for block in range(DRAWS // BLOCK):
        s = random.normal(0.0, math.sqrt(n), (BLOCK, n))
        for kind, temperature in (("scaled", math.sqrt(n)), ("unscaled", 1.0)):
            entries = softmax_jacobian(s, temperature).reshape(BLOCK, -1)
            norms[kind].append(np.linalg.norm(entries, axis=1))
            if block % MEDIAN_EVERY == 0:
                medians[kind].append(np.abs(np.median(entries, axis=1)))
    found = {}
    for kind in norms:
        frobenius = np.concatenate(norms[kind])
        draws = {"sd": frobenius / n, "frobenius": frobenius, "median_entry": np.concatenate(medians[kind])}
        found[kind] = {key: number for name, each in draws.items() for key, number in _mean(name, each)}
    return found


def _mean(name: str, draws: np.ndarray) -> list[tuple[str, float]]:
    """A mean and its standard error, each with its name."""
    return [(name, float(draws.mean())), (f"{name}_se", float(draws.std(ddof=1)) / math.sqrt(len(draws)))]


def decide_jacobian_sizes(value: Sizes) -> tuple[Verdict, str]:
    """N15: two halves that contradict each other, unless "overall" means the middle entry."""
    more_spread = _where_larger(value, "unscaled", "sd")
    larger_norm = _where_larger(value, "scaled", "frobenius")
    larger_middle = _where_larger(value, "scaled", "median_entry")
    if len(more_spread) == len(larger_norm) == len(value):
        return "right", "Both halves hold at every n measured."
    if len(more_spread) < len(value) or not larger_middle:
        return "wrong", "One of the halves fails at some n and in every sense measured."
    times = {n: at["unscaled"]["frobenius"] / at["scaled"]["frobenius"] for n, at in value.items()}
    where = "at every n" if len(larger_middle) == len(value) else f"at n = {', '.join(larger_middle)}"
    small, large = min(times, key=int), max(times, key=int)
    why = (
        "The first half holds at every n, and refutes the second: the Frobenius norm is n times the standard deviation "
        f"and larger undivided too, {times[small]:.1f} times at n = {small} and {times[large]:.1f} times at {large}. "
        f"“Larger overall” is true of the middle entry alone, {where}: undivided, a few entries are "
        "large and most are nearly 0, so that a picture of them looks empty."
    )
    return "misleading", why


def _where_larger(value: Sizes, kind: str, what: str) -> list[str]:
    """The n at which a mean is larger for this kind than for the other, by more than chance explains."""
    other = {"scaled": "unscaled", "unscaled": "scaled"}[kind]
    return [
        n
        for n, at in value.items()
        if at[kind][what] - at[other][what] > SURE * math.hypot(at[kind][f"{what}_se"], at[other][f"{what}_se"])
    ]


CLAIMS = (
    Claim(
        "N11",
        "In a model of width 512 with 8 heads, each head is 64 wide.",
        head_width,
        decide_head_width,
        "attention/what-heads-cost#multi-head-cost",
    ),
    Claim(
        "N12",
        "The causal mask of 4 positions, as it is added to the scores, holds 10 zeros and 6 times −∞.",
        mask_cells,
        decide_mask_cells,
        "attention/masks#masks-softmax",
    ),
    Claim(
        "N13",
        "Scores that are all 1 on and below the diagonal and −∞ above it give, for 3 positions, rows of equal weights: "
        "1; ½, ½; ⅓, ⅓, ⅓.",
        equal_scores,
        decide_equal_scores,
        "attention/masks#masks-by-hand",
    ),
    Claim(
        "N14",
        "To write a translation of 3 words the decoder runs 4 times, and one of 300 words takes it more time.",
        decoder_runs,
        decide_decoder_runs,
        "attention/what-the-mask-buys#buys-cost",
    ),
    Claim(
        "N15",
        "For vectors drawn from N(0, n), n from 4 to 64, the softmax Jacobian has entries of higher variance if the "
        "vector is not divided by C = √n, and larger values overall if it is.",
        jacobian_sizes,
        decide_jacobian_sizes,
        "attention/jacobian-maps#square-root-statistics",
    ),
)
