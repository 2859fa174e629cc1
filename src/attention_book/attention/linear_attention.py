"""Linear attention: the exponential of a score becomes a product of two vectors, so that sums can be kept."""

from dataclasses import dataclass

from jaxtyping import Bool, Float

from .array_api import Array, namespace
from .dot_product import check_fit


def positive(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    r"""The feature map :math:`\varphi(x) = \operatorname{elu}(x) + 1`: x + 1 above 0, and e^x below it.

    Katharopoulos et al. 2020, §3.2.1. All numbers come out positive, so weights made of them are positive too.

    Args:
        x: queries or keys.
    """
    xp = namespace(x)
    below = xp.where(x > 0, xp.zeros_like(x), x)  # so that no exponential of a large number is ever taken
    return xp.where(x > 0, x + 1, xp.exp(below))


def linear_attention(
    q: Float[Array, "*batch q_len d_k"],
    k: Float[Array, "*batch k_len d_k"],
    v: Float[Array, "*batch k_len d_v"],
    mask: Bool[Array, "..."] | None = None,
) -> tuple[Float[Array, "*batch q_len d_v"], Float[Array, "*batch q_len k_len"]]:
    r"""Mix the values by weights without an exponential of the score, with the whole table of weights.

    .. math:: a_{ij} = \frac{\varphi(q_i) \cdot \varphi(k_j)}{\sum_l \varphi(q_i) \cdot \varphi(k_l)}

    Katharopoulos et al. 2020, §3.2, equation 4, with the feature map :func:`positive`.

    Args:
        q: queries, one row for each position that asks.
        k: keys, as wide as the queries.
        v: values, one row for each key.
        mask: True where a query may attend to a key; None allows everything.

    Returns:
        ``(output, weights)``. A query that may attend to nothing gets zeros.

    Raises:
        ValueError: if widths or lengths do not fit.
    """
    check_fit(q, k, v)
    xp = namespace(q, k, v)
    raw = positive(q) @ xp.swapaxes(positive(k), -2, -1)
    if mask is not None:
        raw = raw * mask
    total = xp.sum(raw, axis=-1, keepdims=True)
    weights = raw / xp.where(total == 0, xp.ones_like(total), total)
    return weights @ v, weights


@dataclass(frozen=True)
class FixedMemory:
    r"""What linear attention keeps of all pairs so far: two sums, whose size does not depend on how many there are.

    .. math:: S = \sum_j \varphi(k_j)\, v_j^\top, \qquad z = \sum_j \varphi(k_j)

    Attributes:
        table: S, (…, d_k, d_v).
        total: z, (…, d_k).
    """

    table: Float[Array, "*batch d_k d_v"]
    total: Float[Array, "*batch d_k"]

    @classmethod
    def empty(cls, keys: Float[Array, "*batch length d_k"], values: Float[Array, "*batch length d_v"]) -> "FixedMemory":
        """A memory that nothing has been written to.

        Args:
            keys, values: such as will be written; the memory takes their library, type, widths and leading axes.
        """
        xp, no_keys, no_values = namespace(keys, values), keys[..., :0, :], values[..., :0, :]
        return cls(xp.sum(no_keys[..., :, None] * no_values[..., None, :], axis=-3), xp.sum(no_keys, axis=-2))

    def written(self, key: Float[Array, "*batch d_k"], value: Float[Array, "*batch d_v"]) -> "FixedMemory":
        """The memory after one more pair. The old one stays as it was."""
        feature = positive(key)
        return FixedMemory(self.table + feature[..., :, None] * value[..., None, :], self.total + feature)

    def read(self, query: Float[Array, "*batch d_k"]) -> Float[Array, "*batch d_v"]:
        """What the memory answers to one query; zeros while it is empty."""
        feature = positive(query)
        summed = (feature[..., None, :] @ self.table)[..., 0, :]
        xp = namespace(feature)
        total = xp.sum(feature * self.total, axis=-1, keepdims=True)
        return summed / xp.where(total == 0, xp.ones_like(total), total)


def causal_linear_attention(
    q: Float[Array, "*batch length d_k"], k: Float[Array, "*batch length d_k"], v: Float[Array, "*batch length d_v"]
) -> Float[Array, "*batch length d_v"]:
    """Linear attention under the causal mask, token by token, without a table of weights.

    Katharopoulos et al. 2020, §3.3 and §3.4. The output is that of :func:`linear_attention` with a causal mask; what is
    held at one time beside it does not grow with the length.

    Args:
        q: queries.
        k: keys, as many and as wide as the queries.
        v: values, one per key.

    Raises:
        ValueError: if the widths or lengths do not fit.
    """
    check_fit(q, k, v)
    if q.shape[-2] != k.shape[-2]:
        raise ValueError(f"each position asks once: {q.shape[-2]} queries for {k.shape[-2]} keys")
    memory, output = FixedMemory.empty(k, v), namespace(q, k, v).zeros_like(v)
    for t in range(v.shape[-2]):
        memory = memory.written(k[..., t, :], v[..., t, :])
        output[..., t, :] = memory.read(q[..., t, :])
    return output
