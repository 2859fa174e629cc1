"""What one step of decoding has to do: how many multiply-adds, and how many numbers it has to read for them."""

from dataclasses import dataclass

from ...models.config import TransformerConfig


@dataclass(frozen=True)
class StepCost:
    """The work of one step, for all rows of a batch together.

    Attributes:
        multiply_adds: of all matrix products; each is two operations.
        weights: the numbers in the matrices that are read, once for the whole batch.
        cached: the numbers in the keys and values that are read, for every row its own.
    """

    multiply_adds: int
    weights: int
    cached: int

    def bytes_read(self, per_weight: int = 4, per_cached: int = 4) -> int:
        """What is read from memory, if each number is read once."""
        return self.weights * per_weight + self.cached * per_cached

    def intensity(self, per_weight: int = 4) -> float:
        """Operations per byte that is read (Williams et al. 2009)."""
        return 2 * self.multiply_adds / self.bytes_read(per_weight)


def _head_widths(config: TransformerConfig) -> tuple[int, int]:
    """The joined widths of all heads' keys, and of all heads' values."""
    d_k = config.d_k or config.d_model // config.n_heads
    return config.n_heads * d_k, config.n_heads * (config.d_v or d_k)


def weights_of_a_step(config: TransformerConfig) -> int:
    """The numbers in the matrices that every step of the decoder multiplies by; biases are left out.

    In each layer the four matrices of self-attention, the two of cross-attention whose input is the target (keys and
    values of the source are kept), and the two of the feed-forward part; then the output layer. The embedding is no
    product: a step reads one row of it.
    """
    keys, values = _head_widths(config)
    own = 2 * config.d_model * (keys + values)
    cross = config.d_model * (keys + values)
    feed_forward = 2 * config.d_model * config.d_ff
    return config.n_layers * (own + cross + feed_forward) + config.vocab_size * config.d_model


def numbers_per_position(config: TransformerConfig) -> int:
    """The numbers that a cache holds of one position: in each layer a key and a value for every head."""
    return config.n_layers * sum(_head_widths(config))


def cached_numbers(config: TransformerConfig, written: int, src_len: int) -> tuple[int, int]:
    """The numbers in the growing caches and in the fixed caches of one sentence.

    Args:
        config: the shape of the model.
        written: target positions so far, ``<s>`` counted.
        src_len: source positions.
    """
    each = numbers_per_position(config)
    return written * each, src_len * each


def step_cost(config: TransformerConfig, batch: int, written: int, src_len: int) -> StepCost:
    """The cost of one step with both caches.

    Every weight is multiplied once per row, and every cached number once: a key's in a score, a value's in a mean.

    Args:
        config: the shape of the model.
        batch: rows that are decoded side by side.
        written: target positions that the new token attends to, itself counted.
        src_len: source positions.
    """
    weights = weights_of_a_step(config)
    cached = sum(cached_numbers(config, written, src_len))
    return StepCost(batch * (weights + cached), weights, batch * cached)


def sentence_multiply_adds(config: TransformerConfig, length: int, src_len: int, own: bool, source: bool) -> int:
    """Multiply-adds of the decoder while it writes ``length`` tokens of one sentence, scoring each next token once.

    Args:
        config: the shape of the model.
        length: tokens that are fed, ``<s>`` counted.
        src_len: source positions.
        own: whether keys and values of the target so far are kept; if not, each step computes the whole prefix anew.
        source: whether keys and values of the source are kept; if not, each step computes them anew.
    """
    each, output = numbers_per_position(config), config.vocab_size * config.d_model
    layers = weights_of_a_step(config) - output
    total = 0
    for written in range(1, length + 1):
        new = 1 if own else written
        anew = src_len if not source or written == 1 else 0
        total += new * layers + output  # the products by weights; only the newest state is scored
        total += anew * each * config.d_model  # the source's keys and values
        total += new * (written + src_len) * each  # scores and means; without a cache the masked half as well
    return total
