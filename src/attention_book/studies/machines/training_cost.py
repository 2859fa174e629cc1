"""What a training costs: floating-point operations by formula, beside what the paper printed, and machine hours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...experiments.records import recorded
from ...models.config import TransformerConfig
from ...pages.significant_digits import raised
from ..translator.parameter_counts import by_formula

P100 = 9.5e12
"""Operations per second that the paper counts for one P100 (Vaswani et al. 2017, footnote of §6.1)."""
GPUS = 8
LENGTH = 30
"""Tokens of a sentence, for attention's share: a guess, since the paper gives no lengths."""
HEADER = ("", "base", "big")
_DAY = 86_400


@dataclass(frozen=True)
class PaperRun:
    """A training of the paper (Vaswani et al. 2017, §5.1, §5.2 and Table 2).

    Attributes:
        config: the model.
        steps: how many.
        hours: how long it took on :data:`GPUS` of the kind P100.
        printed: the training cost of Table 2, in floating-point operations.
        tokens_per_step: source tokens of a batch, and as many target tokens, "approximately".
    """

    config: TransformerConfig
    steps: int
    hours: float
    printed: float
    tokens_per_step: int = 25_000

    @property
    def tokens(self) -> int:
        """Tokens of either side in the whole run."""
        return self.steps * self.tokens_per_step

    @property
    def needed(self) -> int:
        """Operations by formula, without attention's scores and mixing."""
        return training_flops(self.config, self.tokens, self.tokens)

    @property
    def by_clock(self) -> float:
        """Operations that all GPUs could have done in the time of the run: the paper's way."""
        return self.hours * 3600 * GPUS * P100


PAPER = {
    "base": PaperRun(TransformerConfig.base(), 100_000, 12.0, 3.3e18),
    "big": PaperRun(TransformerConfig.big(), 300_000, 3.5 * 24, 2.3e19),
}


def multiply_adds(config: TransformerConfig) -> dict[str, int]:
    """Multiply-adds of one forward pass per ``source`` token and per ``target`` token, in products with a matrix.

    An attention has four matrices of d_model²; those of the keys and values of cross-attention read the source. The
    output layer scores each target token with a row per subword. Looking an embedding up costs none. Biases, norms,
    softmax, and attention's scores and mixing are left out; for these two see :func:`of_attention`.

    Args:
        config: heads of d_model / h.
    """
    d, layers = config.d_model, config.n_layers
    square, feed_forward = d * d, 2 * d * config.d_ff
    encoder, decoder = 4 * square + feed_forward, 6 * square + feed_forward
    return {
        "source": layers * (encoder + 2 * square),
        "target": layers * decoder + config.vocab_size * d,
    }


def of_attention(config: TransformerConfig, src_len: int, tgt_len: int) -> int:
    """Multiply-adds of all scores and mixtures in one forward pass over one pair of sentences, hidden pairs counted."""
    pairs = src_len**2 + tgt_len**2 + src_len * tgt_len
    return config.n_layers * 2 * config.d_model * pairs


def training_flops(config: TransformerConfig, source_tokens: int, target_tokens: int) -> int:
    """Floating-point operations to train on so many tokens.

    A multiply-add is two operations, and the backward pass needs each product twice more: once for the gradient of the
    vectors, once for that of the matrix. So each multiply-add of the forward pass costs six operations.
    """
    each = multiply_adds(config)
    forward = each["source"] * source_tokens + each["target"] * target_tokens
    return 6 * forward


def attention_share(config: TransformerConfig, length: int = LENGTH) -> float:
    """Scores and mixing as a share of all multiply-adds, for pairs of two sentences of this length."""
    extra = of_attention(config, length, length)
    return extra / (extra + length * sum(multiply_adds(config).values()))


def rows() -> list[tuple[str, str, str]]:
    """What the paper's runs cost, by formula and as printed, for :data:`HEADER`."""
    runs = PAPER.values()

    def row(name: str, *values: str) -> tuple[str, str, str]:
        base, big = values
        return name, base, big

    return [
        row("millions of parameters", *(f"{by_formula(run.config)['all'] / 1e6:.1f}" for run in runs)),
        row("billions of tokens, source or target", *(f"{run.tokens / 1e9:.1f}" for run in runs)),
        row("operations by formula", *(powers(run.needed) for run in runs)),
        row("operations in the paper's Table 2", *(powers(run.printed) for run in runs)),
        row("Table 2 ÷ formula", *(f"{run.printed / run.needed:.1f}" for run in runs)),
        row("GPU hours by the clock", *(f"{GPUS * run.hours:.0f}" for run in runs)),
        row("GPU hours by formula, at full speed", *(f"{run.needed / P100 / 3600:.0f}" for run in runs)),
    ]  # fmt: skip


def powers(value: int | float) -> str:
    """A large number in two digits and a power of ten, such as "3.3 · 10¹⁸"."""
    digits, exponent = f"{value:.1e}".split("e+")
    return f"{digits} · 10{raised(int(exponent))}"


def speed_of(record: Mapping[str, Any]) -> float:
    """Operations per second of a recorded training, counting as many source tokens as target tokens."""
    config = TransformerConfig.from_dict(dict(record["config"]))
    return training_flops(config, record["tokens"], record["tokens"]) / record["training_seconds"]


def days(run: str, speed: float, machines: int = 1) -> float:
    """Days for a run of the paper.

    Args:
        run: a name of :data:`PAPER`.
        speed: operations per second that one machine sustains.
        machines: how many share each step, as if talking cost no time.
    """
    return PAPER[run].needed / speed / machines / _DAY


def numbers() -> dict[str, float | int | str]:
    """What the page's text is given, by name."""
    record = recorded("en-es")
    speed = speed_of(record)
    slower = round(P100 / speed)
    found: dict[str, float | int | str] = {
        "own_speed": speed / 1e9,
        "own_hours": record["training_seconds"] / 3600,
        "own_slower": slower,
        "own_naive": PAPER["base"].hours * GPUS / 24 * slower,
        "own_as_used": days("base", speed) / (PAPER["base"].hours * GPUS / 24),
        "base_by_p": powers(6 * PAPER["base"].tokens * by_formula(PAPER["base"].config)["all"]),
    }
    for name, run in PAPER.items():
        found |= {
            f"{name}_by_clock": powers(run.by_clock),
            f"{name}_needed": powers(run.needed),
            f"{name}_busy": 100 * run.needed / run.by_clock,
            f"{name}_ratio": run.printed / run.needed,
            f"{name}_days": days(name, speed),
            f"{name}_attention": 100 * attention_share(run.config),
            f"{name}_megabytes": 4 * by_formula(run.config)["all"] / 1e6,
        }
    return found
