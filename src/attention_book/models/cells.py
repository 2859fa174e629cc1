"""Recurrent cells from scratch: RNN, GRU and LSTM, one step at a time, on weights laid out and named as torch's."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

State = tuple[Float[Tensor, "*batch hidden"], ...]
"""What a cell carries from one input to the next: (h,) of an RNN or a GRU, (h, c) of an LSTM."""


def rnn_step(
    x: Float[Tensor, "*batch d_in"],
    h: Float[Tensor, "*batch hidden"],
    w_ih: Float[Tensor, "hidden d_in"],
    w_hh: Float[Tensor, "hidden hidden"],
    b_ih: Float[Tensor, " hidden"],
    b_hh: Float[Tensor, " hidden"],
) -> Float[Tensor, "*batch hidden"]:
    r"""The state after one more input, in a plain recurrent network.

    .. math:: h_t = \tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh})

    Elman 1990, with tanh in the place of his logistic function, as torch has it. Vectors are rows in code, so
    :math:`W x` is written ``x @ w.T``.

    Args:
        x: the input of this step.
        h: the state before it.
        w_ih: what the input says.
        w_hh: what the state says.
        b_ih: added with the input; torch's cells have two biases, and here their sum alone counts.
        b_hh: added with the state.

    Pitfall: the state is squeezed by tanh and turned by the same matrix at every step, so what went in early is
    multiplied as often as there were steps since.
    """
    return torch.tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh)


def gru_step(
    x: Float[Tensor, "*batch d_in"],
    h: Float[Tensor, "*batch hidden"],
    w_ih: Float[Tensor, "3*hidden d_in"],
    w_hh: Float[Tensor, "3*hidden hidden"],
    b_ih: Float[Tensor, " 3*hidden"],
    b_hh: Float[Tensor, " 3*hidden"],
) -> Float[Tensor, "*batch hidden"]:
    r"""The state after one more input, in a gated recurrent unit: part of the old state, part of a proposed new one.

    .. math::
        r &= \sigma(W_{ir} x + b_{ir} + W_{hr} h + b_{hr}) \\
        z &= \sigma(W_{iz} x + b_{iz} + W_{hz} h + b_{hz}) \\
        n &= \tanh(W_{in} x + b_{in} + r \odot (W_{hn} h + b_{hn})) \\
        h' &= (1 - z) \odot n + z \odot h

    Cho et al. 2014, §2.3, in the variant of torch and cuDNN.

    Args:
        x: the input of this step.
        h: the state before it.
        w_ih: the matrices of r, z and n for the input, one below the other.
        w_hh: the same three for the state.
        b_ih: three biases, added with the input.
        b_hh: three biases, added with the state.

    Pitfall: here the reset gate r multiplies the product, :math:`r \odot (W h + b)`. In Cho et al. it multiplies the
    state, :math:`W (r \odot h)`. Both are called GRU; they are different functions, and weights of one do not fit the
    other. And z = 1 keeps the old state here and in their paper; elsewhere (Chung et al. 2014) it takes the new one.
    """
    x_r, x_z, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)
    h_r, h_z, h_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)
    r = torch.sigmoid(x_r + h_r)  # how much of the old state the proposal may see
    z = torch.sigmoid(x_z + h_z)  # how much of the old state stays
    n = torch.tanh(x_n + r * h_n)
    return (1 - z) * n + z * h


def lstm_step(
    x: Float[Tensor, "*batch d_in"],
    h: Float[Tensor, "*batch hidden"],
    c: Float[Tensor, "*batch hidden"],
    w_ih: Float[Tensor, "4*hidden d_in"],
    w_hh: Float[Tensor, "4*hidden hidden"],
    b_ih: Float[Tensor, " 4*hidden"],
    b_hh: Float[Tensor, " 4*hidden"],
) -> tuple[Float[Tensor, "*batch hidden"], Float[Tensor, "*batch hidden"]]:
    r"""The state and the memory cell after one more input, in a long short-term memory.

    .. math::
        i, f, o &= \sigma(W_{i\bullet} x + b_{i\bullet} + W_{h\bullet} h + b_{h\bullet}) \\
        g &= \tanh(W_{ig} x + b_{ig} + W_{hg} h + b_{hg}) \\
        c' &= f \odot c + i \odot g \\
        h' &= o \odot \tanh(c')

    Hochreiter and Schmidhuber 1997, §4, with the forget gate f that Gers, Schmidhuber and Cummins added in 2000; the
    cell of 1997 has f = 1.

    Args:
        x: the input of this step.
        h: the state before it, which everybody outside sees.
        c: the memory cell before it, which is added to and never squeezed on its way.
        w_ih: the matrices of i, f, g and o for the input, one below the other.
        w_hh: the same four for the state.
        b_ih: four biases, added with the input.
        b_hh: four biases, added with the state.

    Returns:
        ``(h, c)``.

    Pitfall: libraries stack the four in different orders, so that weights carried over load without an error and
    mean something else. And a forget gate that starts at σ(0) halves the memory at each step.
    """
    i, f, g, o = (x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def unroll(
    step: Callable[[Tensor, State], State],
    x: Float[Tensor, "batch length d_in"],
    first: State,
    real: Bool[Tensor, "batch length"] | None = None,
) -> list[State]:
    """Take a cell through a sequence: length inputs, length + 1 states.

    Args:
        step: from an input (batch, d_in) and a state to the next state.
        x: the inputs.
        first: the state before the first input.
        real: False at padding, where a row keeps the state that it has; everything is real if None.

    Returns:
        The states before, between and after the inputs. The last is what the cell knows of the whole sequence.
    """
    states = [first]
    for place, x_t in enumerate(x.unbind(dim=1)):
        after = step(x_t, states[-1])
        if real is not None:
            here = real[:, place, None]
            after = tuple(torch.where(here, new, old) for new, old in zip(after, states[-1], strict=True))
        states.append(after)
    return states


class _RecurrentLayers(nn.Module):
    """Layers of one kind of cell, each reading the outputs of the layer below, forwards or in both directions."""

    n_gates: int  # how many matrices are stacked in one
    n_states: int = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        batch_first: bool = True,
        bidirectional: bool = False,
    ):
        super().__init__()
        if not batch_first:
            raise ValueError("batch_first=False is not offered: give the inputs as (batch, length, input_size)")
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.bidirectional = True, bidirectional
        self._directions = ("", "_reverse") if bidirectional else ("",)
        rows = self.n_gates * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * len(self._directions)
            for end in self._directions:
                for name, shape in (("weight_ih", (rows, width)), ("weight_hh", (rows, hidden_size))):
                    self.register_parameter(f"{name}_l{layer}{end}", nn.Parameter(torch.empty(shape)))
                for name in ("bias_ih", "bias_hh"):
                    self.register_parameter(f"{name}_l{layer}{end}", nn.Parameter(torch.empty(rows)))
        for parameter in self.parameters():  # torch's own start
            nn.init.uniform_(parameter, -1 / math.sqrt(hidden_size), 1 / math.sqrt(hidden_size))

    def _step(self, x: Tensor, state: State, weights: list[Tensor]) -> State:
        """One step of the cell, its state as a tuple."""
        raise NotImplementedError

    def weights(self, layer: int = 0, backward: bool = False) -> list[Tensor]:
        """The two matrices and the two biases of one layer and direction, in the order of the step functions."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [getattr(self, f"{name}_l{layer}{'_reverse' if backward else ''}") for name in names]

    def forward(
        self,
        x: Float[Tensor, "batch length input_size"],
        state: Tensor | tuple[Tensor, ...] | None = None,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Float[Tensor, "batch length out"], Tensor | tuple[Tensor, ...]]:
        """Run all layers over a batch of sequences.

        Args:
            x: the inputs, one row per sequence, padded at the end to one length.
            state: the first state of each layer and direction, (layers · directions, batch, hidden_size), of an LSTM
                the pair (h, c); zeros if None.
            lengths: how many inputs of each row are real; all of them if None. This is what torch's
                ``PackedSequence`` is for; here a row may also have none, and then keeps its first state.

        Returns:
            ``(outputs, state)``: the last layer's states after each input, the two directions side by side, zero
            beyond a row's length; and the state that each layer and direction ends in, in the shape of ``state``.
            Forwards that is the state after the last real input, backwards the one after the first.

        Raises:
            ValueError: if a shape or a length does not fit.

        Pitfall: without ``lengths`` the padding is read like any word. Forwards it only spoils the last state;
        backwards it comes first, and everything after it is wrong.
        """
        if x.shape[-1] != self.input_size:
            raise ValueError(f"inputs have {x.shape[-1]} coordinates, this layer reads input_size={self.input_size}")
        first, real = self._first(x, state), _real(x, lengths)
        ends, outputs = [], x
        for layer in range(self.num_layers):
            read = []
            for d in range(len(self._directions)):
                start = tuple(part[layer * len(self._directions) + d] for part in first)
                states = self._read(outputs, start, real, layer, backward=d == 1)
                ends.append(states[-1])
                seen = torch.stack([h for h, *_ in states[1:]], dim=1)
                read.append(seen.flip(1) if d == 1 else seen)
            outputs = torch.cat(read, dim=-1)
            if real is not None:
                outputs = torch.where(real[..., None], outputs, 0)
        last = tuple(torch.stack(parts) for parts in zip(*ends, strict=True))
        return outputs, last if self.n_states == 2 else last[0]

    def _read(self, x: Tensor, start: State, real: Tensor | None, layer: int, backward: bool) -> list[State]:
        """The states of one direction in the order of reading: backwards, a row waits until its own end is reached."""
        weights = self.weights(layer, backward)
        if backward:
            x, real = x.flip(1), None if real is None else real.flip(1)
        return unroll(lambda x_t, before: self._step(x_t, before, weights), x, start, real)

    def _first(self, x: Tensor, state: Tensor | tuple[Tensor, ...] | None) -> State:
        shape = (self.num_layers * len(self._directions), x.shape[0], self.hidden_size)
        if state is None:
            return (x.new_zeros(shape),) * self.n_states
        first = (state,) if isinstance(state, Tensor) else tuple(state)
        found = [tuple(part.shape) for part in first]
        if found != [shape] * self.n_states:
            raise ValueError(f"the first state must be {self.n_states} tensor(s) of shape {shape}, got {found}")
        return first


def _real(x: Tensor, lengths: Tensor | None) -> Tensor | None:
    """True at the real inputs."""
    if lengths is None:
        return None
    if ((lengths < 0) | (lengths > x.shape[1])).any():
        raise ValueError(f"lengths must be from 0 to {x.shape[1]}, got {lengths.tolist()}")
    return torch.arange(x.shape[1], device=x.device) < lengths.to(x.device)[:, None]


class RNN(_RecurrentLayers):
    """Layers of :func:`rnn_step`; takes the weights of ``nn.RNN(…, nonlinearity="tanh")``."""

    n_gates = 1

    def _step(self, x: Tensor, state: State, weights: list[Tensor]) -> State:
        return (rnn_step(x, *state, *weights),)


class GRU(_RecurrentLayers):
    """Layers of :func:`gru_step`; takes the weights of ``nn.GRU``."""

    n_gates = 3

    def _step(self, x: Tensor, state: State, weights: list[Tensor]) -> State:
        return (gru_step(x, *state, *weights),)


class LSTM(_RecurrentLayers):
    """Layers of :func:`lstm_step`; takes the weights of ``nn.LSTM``."""

    n_gates, n_states = 4, 2

    def _step(self, x: Tensor, state: State, weights: list[Tensor]) -> State:
        return lstm_step(x, *state, *weights)
