"""A translator that asks its memory at every step: nearest-neighbour translation (Khandelwal et al. 2021, §2)."""

from jaxtyping import Float, Int, Int64
from torch import Tensor, nn

from ...models.transformer import DecoderState, Memory, Transformer
from .nearest import Neighbourhoods


class WithMemory(nn.Module):
    r"""A Transformer whose next-token distribution is mixed with what its neighbours in a datastore were followed by.

    .. math:: (1 - \lambda)\,p_i + \lambda \sum_{j:\ v_j = i} \operatorname{softmax}_j(-d_j^2 / T)

    It offers a search what the model does (:class:`attention_book.models.search_interface.SearchModel`).

    Args:
        model: in evaluation mode.
        around: the keys of the datastore.
        values: the token that followed each.
        share: λ.
        temperature: T, in the units of squared distances.
        neighbours: how many count.
        probes: lists that each search looks into.
    """

    def __init__(
        self,
        model: Transformer,
        around: Neighbourhoods,
        values: Int64[Tensor, " tokens"],
        share: float,
        temperature: float = 10.0,
        neighbours: int = 32,
        probes: int = 24,
    ):
        super().__init__()
        self.model, self.config, self.around, self.values = model, model.config, around, values
        self.share, self.temperature, self.neighbours, self.probes = share, temperature, neighbours, probes

    def encode(self, src: Int[Tensor, "batch src_len"]) -> Memory:
        """As the model's."""
        return self.model.encode(src)

    def start(self, memory: Memory) -> DecoderState:
        """As the model's."""
        return self.model.start(memory)

    def step(
        self, tokens: Int[Tensor, " rows"], state: DecoderState
    ) -> tuple[Float[Tensor, "rows vocab_size"], DecoderState]:
        """As the model's, with the memory's share in the probabilities."""
        kept: list[Tensor] = []
        hook = self.model.output.register_forward_pre_hook(lambda _, read: kept.append(read[0]))
        try:
            log_p, state = self.model.step(tokens, state)
        finally:
            hook.remove()
        return self.mixed(log_p, kept[0][:, -1]), state

    def mixed(
        self, log_p: Float[Tensor, "rows vocab_size"], states: Float[Tensor, "rows d_model"]
    ) -> Float[Tensor, "rows vocab_size"]:
        """The logarithm of the mixture.

        Args:
            log_p: of the model alone.
            states: what its output layer has read.
        """
        if not self.share:
            return log_p
        found = (1 - self.share) * log_p.exp()
        weights, tokens = self.followed(states)
        return found.scatter_add_(1, tokens, self.share * weights).log()

    def followed(
        self, states: Float[Tensor, "rows d_model"]
    ) -> tuple[Float[Tensor, "rows neighbours"], Int64[Tensor, "rows neighbours"]]:
        """How much each neighbour counts, and the token that followed it; the nearest comes first."""
        apart, near = self.around.nearest(states, self.neighbours, self.probes)
        return (-apart / self.temperature).softmax(1), self.values[near]
