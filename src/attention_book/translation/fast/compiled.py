"""A Transformer in float32 on a CPU whose steps are the loops of `compiled.c`.

Two things make them sooner done than calls of torch. A matrix lies in the order in which it is read, and a step of few
rows takes as long as that reading. And most of what a ReLU gives is zero: the rows of the next matrix that would be
multiplied by zero are not read at all. (So NaN in a row that no sentence needs is not noticed.)

A sum runs over its terms in one order, whatever is computed beside it. So a sentence is translated the same in every
batch, bit for bit.
"""

import ctypes
import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...attention.positions import frequencies
from ...models.transformer import Transformer
from .compiling import library
from .large_pages import in_large_pages
from .packing import Layer, Norm, PackedTransformer, Product
from .stepping import check_source

PANEL = 64
"""Columns of a matrix that lie together."""
_LONGER = 6  # by how many tokens a translation may be longer than its source before its cache has to grow
_POINTER, _WHOLE = ctypes.c_void_p, ctypes.c_int64


class _Product(ctypes.Structure):
    _fields_ = [("inputs", _WHOLE), ("outputs", _WHOLE), ("weight", _POINTER), ("bias", _POINTER)]


class _Norm(ctypes.Structure):
    _fields_ = [("weight", _POINTER), ("bias", _POINTER), ("eps", ctypes.c_float)]


_PRODUCTS = ("inward", "outward", "query", "key_value", "cross_outward", "inner", "outer")
_NORMS = ("before_attention", "before_cross", "before_forward")


class _Layer(ctypes.Structure):
    _fields_ = [*((name, _Product) for name in _PRODUCTS), *((name, _Norm) for name in _NORMS)]


class _Model(ctypes.Structure):
    _fields_ = [
        *((name, _WHOLE) for name in ("d_model", "heads", "d_k", "d_v", "d_ff")),
        *((name, _WHOLE) for name in ("encoder_layers", "decoder_layers", "vocab")),
        ("forbidden", _WHOLE * 2),
        ("pre", _WHOLE),
        ("scale", ctypes.c_float),
        *((name, _POINTER) for name in ("src_embedding", "tgt_embedding", "positions", "cosines", "sines")),
        ("encoder", ctypes.POINTER(_Layer)),
        ("decoder", ctypes.POINTER(_Layer)),
        ("encoder_norm", _Norm),
        ("decoder_norm", _Norm),
        ("output", _Product),
    ]


class _Search(ctypes.Structure):
    _fields_ = [
        *((name, _WHOLE) for name in ("rows", "position", "first_slot", "slots_apart")),
        *((name, _POINTER) for name in ("tokens", "slots", "source", "starts", "cache", "cross", "states")),
    ]


class CompiledTransformer:
    """A copy of a Transformer's weights, laid out for compiled steps.

    Attributes:
        original: the model; none of its weights is used.
        config: that of the model.
        address: where `compiled.c` finds all of it.

    Raises:
        TypeError: the model is no Transformer.
        ValueError: the model is not on the CPU.
        OSError: there is no C compiler; `compiling.library` tells before.
    """

    def __init__(self, model: Transformer):
        self.__setstate__(PackedTransformer(model))

    def __getstate__(self) -> PackedTransformer:
        return self._packed

    def __setstate__(self, packed: PackedTransformer) -> None:
        if packed.device.type != "cpu":
            raise ValueError(f"compiled steps are for the CPU, and this model is on {packed.device}")
        self.library = library()
        if self.library is None:
            raise OSError("compiled steps need a C compiler, and none was found, or it did not succeed")
        self.original, self.config, self.device = packed.original, packed.config, packed.device
        self.own = packed.config.n_heads * (2 * packed.d_k + packed.d_v)  # queries, keys and values of one layer
        self.both = packed.config.n_heads * (packed.d_k + packed.d_v)  # keys and values
        self._packed = packed  # a pointer cannot be copied or pickled; this can
        self._kept: list[Tensor] = []  # what is pointed to
        with torch.no_grad():
            self._structure = self._laid_out(packed)
        self.address = ctypes.byref(self._structure)

    def _laid_out(self, packed: PackedTransformer) -> _Model:
        config, all_layers = self.config, (*packed.encoder, *packed.decoder)
        one = _Model(
            config.d_model, config.n_heads, packed.d_k, packed.d_v, config.d_ff,
            len(packed.encoder), len(packed.decoder), config.vocab_size,
            (_WHOLE * 2)(*packed.forbidden.tolist()), config.norm == "pre", math.sqrt(config.d_model),
            self._at(packed.src_embedding), self._at(packed.tgt_embedding), self._at(packed.positions),
        )  # fmt: skip
        if config.positions == "rotary":
            angles = torch.arange(config.max_len, dtype=torch.float64)[:, None] * frequencies(packed.d_k)
            one.cosines, one.sines = self._at(angles.cos().float()), self._at(angles.sin().float())
        made = [_Layer() for _ in all_layers]
        places, tensors = [], []  # in the order in which a step reads the matrices
        for there, layer in zip(made, all_layers, strict=True):
            for name, product in _products(layer).items():
                places.append((there, name, product.turned.shape, product.bias))
                tensors.append(product.turned if name == "outer" else _in_panels(product.turned))
        output = packed.output.turned[:, : config.vocab_size]
        places.append((one, "output", output.shape, None))
        tensors.append(_in_panels(output))
        for (there, name, shape, bias), copy in zip(places, in_large_pages(tensors), strict=True):
            setattr(there, name, _Product(*shape, self._at(copy), self._at(bias)))
        for there, layer in zip(made, all_layers, strict=True):
            there.before_attention, there.before_forward = self._norm(layer.norms[0]), self._norm(layer.norms[-1])
            there.before_cross = self._norm(layer.norms[1])
        one.encoder = (_Layer * len(packed.encoder))(*made[: len(packed.encoder)])
        one.decoder = (_Layer * len(packed.decoder))(*made[len(packed.encoder) :])
        one.encoder_norm, one.decoder_norm = self._norm(packed.encoder_norm), self._norm(packed.decoder_norm)
        return one

    def _at(self, tensor: Tensor | None) -> int | None:
        if tensor is None:
            return None
        self._kept.append(tensor.contiguous())
        return self._kept[-1].data_ptr()

    def _norm(self, norm: Norm) -> _Norm:
        return _Norm(self._at(norm.weight), self._at(norm.bias), norm.eps) if norm.is_there else _Norm()


def _products(layer: Layer) -> dict[str, Product]:
    own = {"inward": layer.attention.inward, "outward": layer.attention.outward}
    if layer.cross:
        own |= {"query": layer.cross.query, "key_value": layer.cross.key_value, "cross_outward": layer.cross.outward}
    return own | {"inner": layer.inner, "outer": layer.outer}


def _in_panels(matrix: Float[Tensor, "inputs outputs"]) -> Float[Tensor, "panels inputs 64"]:
    """The first `PANEL` columns of all inputs, then the next, and so on; zeros behind the last column."""
    filled_up = torch.nn.functional.pad(matrix, (0, -matrix.shape[1] % PANEL))
    return filled_up.unflatten(1, (-1, PANEL)).transpose(0, 1).contiguous()


class CompiledSearch:
    """What a search has computed of its sources, and the prefixes that it holds: `width` of each source, side by side.

    A prefix is a list of slots, one for each of its tokens, and a slot is where keys and values of a token lie. So
    prefixes that begin alike share slots, and to go on with others no key or value moves.

    Args:
        src: a padded batch of ids.
        widest: prefixes of a source, at most.

    Raises:
        ValueError: the source is longer than `max_len`, or has not two axes.
        TypeError: the ids are not whole numbers.
        IndexError: an id is not in the vocabulary.
        MemoryError: as every method.
    """

    patience = math.inf
    """Sources that are done are let go of at once: `searching` asks."""

    def __init__(self, model: CompiledTransformer, src: Int[Tensor, "sources src_len"], widest: int = 1):
        self.model = model
        check_source(src, model.config.max_len)
        ids = src.numpy()
        _check_ids(ids, model.config.vocab_size)
        real = ids != model.config.pad_id
        self._starts = np.concatenate([[0], real.sum(axis=1).cumsum()]).astype(np.int32)
        tokens, columns = ids[real].astype(np.int32), np.nonzero(real)[1].astype(np.int32)
        layers = model.config.n_layers
        self._cross = np.empty((len(tokens), layers * model.both), np.float32)
        given = map(_address, (self._starts, tokens, columns, self._cross))
        self._told(model.library.encode(model.address, len(ids), *given))

        most, steps = len(ids) * widest, min(ids.shape[1] + _LONGER, model.config.max_len)
        self.sources, self.width, self.position, self._filled = len(ids), 1, 0, 0
        self._tokens, self._source = np.empty(most, np.int32), np.tile(np.arange(len(ids), dtype=np.int32), widest)
        self._totals = np.zeros(most, np.float32)
        self._slots = np.empty((most, steps), np.int32)
        self._states = np.empty((most, model.config.d_model), np.float32)
        self._cache = np.empty((most * steps, layers * model.own), np.float32)
        self._search = _Search()
        self._point()

    def best(self, tokens: Sequence[int], scores: bool) -> tuple[list[float], list[int]]:
        """Feed one token to each source; its best continuation, of equal ones that with the lowest id.

        Returns:
            The log-probability of each, or the logit where `scores` are not asked for, and its id. Where nothing can
            follow the number is −∞.

        Raises:
            FloatingPointError: where there is NaN.
        """
        self._totals[: self.sources * self.width] = 0
        self._step(tokens)
        numbers, _, chosen = self._chosen(1, scores)
        return numbers[:, 0].tolist(), chosen[:, 0].tolist()

    def largest(
        self, tokens: Sequence[Sequence[int]], totals: Sequence[Sequence[float]], count: int
    ) -> tuple[list[list[float]], list[list[int]], list[list[int]]]:
        """Feed one token to each prefix; the `count` best continuations of each source's prefixes, best first.

        Args:
            totals: the log-probability of each prefix; −∞ where there is none.

        Returns:
            Log-probabilities of the whole, prefixes and ids, for each source. Equal ones in the order of the prefixes,
            then of the ids. Where there are fewer the number is −∞.

        Raises:
            FloatingPointError: where there is NaN.
        """
        rows = self.sources * self.width
        self._step([one for row in tokens for one in row])
        self._totals[:rows] = [one for row in totals for one in row]
        return tuple(part.tolist() for part in self._chosen(count, True))

    def choose(self, parents: Sequence[Sequence[int]]) -> None:
        """Go on with these prefixes of each source; they may repeat or be left out."""
        prefixes = np.array(parents)
        if prefixes.min() < 0 or prefixes.max() >= self.width:
            raise IndexError(f"prefixes must be 0 to {self.width - 1}, got {prefixes.min()} to {prefixes.max()}")
        rows = (np.arange(self.sources)[:, None] * self.width + prefixes).flatten()
        self._go_on(rows, self.sources, prefixes.shape[1])

    def keep(self, sources: Sequence[int]) -> None:
        """Hold these sources in this order, and let go of all others."""
        rows = (np.array(sources)[:, None] * self.width + np.arange(self.width)).flatten()
        self._go_on(rows, len(sources), self.width)

    def _go_on(self, rows: Int[np.ndarray, " rows"], sources: int, width: int) -> None:
        self._slots[: len(rows), : self.position] = self._slots[rows, : self.position]
        self._source[: len(rows)] = self._source[rows]
        self.sources, self.width = sources, width

    def _step(self, tokens: Sequence[int]) -> None:
        rows = self.sources * self.width
        if self.position == self.model.config.max_len:
            raise IndexError(f"there is no position {self.position} in a model of max_len={self.position}")
        if self.position == self._slots.shape[1] or self._filled + rows > len(self._cache):
            self._grow(rows)
        self._tokens[:rows] = tokens
        _check_ids(self._tokens[:rows], self.model.config.vocab_size)
        self._slots[:rows, self.position] = np.arange(self._filled, self._filled + rows)
        one = self._search
        one.rows, one.position, one.first_slot = rows, self.position, self._filled
        self._told(self.model.library.step(self.model.address, ctypes.byref(one)))
        self.position += 1
        self._filled += rows

    def _chosen(self, count: int, scores: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shape = (self.sources, count)
        found = np.empty(shape, np.float32), np.empty(shape, np.int32), np.empty(shape, np.int32)
        given = self._search.states, _address(self._totals), scores, count, *map(_address, found)
        self._told(self.model.library.choose(self.model.address, self.sources, self.width, *given))
        return found

    def _grow(self, rows: int) -> None:
        """Room for half as many steps more."""
        steps = self._slots.shape[1] // 2 + 1
        self._slots = np.pad(self._slots, ((0, 0), (0, steps)))
        more = np.empty((rows * steps, self._cache.shape[1]), np.float32)
        self._cache = np.concatenate([self._cache[: self._filled], more])
        self._point()

    def _point(self) -> None:
        one = self._search
        one.slots_apart = self._slots.shape[1]
        for name in ("tokens", "slots", "source", "starts", "cache", "cross", "states"):
            setattr(one, name, _address(getattr(self, f"_{name}")))

    def _told(self, status: int) -> None:
        if status < 0:
            raise MemoryError("there is not enough memory for a step of decoding")
        if status > 0:
            raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")


def _check_ids(ids: np.ndarray, vocab_size: int) -> None:
    """What is outside of the vocabulary would be read from anywhere in memory."""
    if ids.size and (ids.min() < 0 or ids.max() >= vocab_size):
        raise IndexError(f"token ids must be 0 to {vocab_size - 1}, got {ids.min()} to {ids.max()}")


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]
