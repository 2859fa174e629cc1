"""What limits a step of decoding: its time over the batch, beside what this machine reads and multiplies at most.

The steps are those of torch, with three kinds of weights, and compiled ones: of the translator, and of a copy in which
every number in front of a ReLU of the decoder is positive, so that no weight is left unread. The two limits are
measured in the same process, in turn with the steps. The reading is of an array of a given size in large pages of
memory, again and again, by a sum and by a product of a matrix with one vector. The multiplying is of two square
matrices, by torch's own product and by oneDNN's.
"""

import os
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import torch

from ...models.transformer import Transformer
from ...training.fast_products import times_transposed
from ...translation.fast.compiled import CompiledSearch, CompiledTransformer
from ...translation.fast.large_pages import in_large_pages
from ...translation.fast.packing import PackedTransformer, product
from ...translation.fast.step_costs import weights_of_a_step
from ...translation.fast.stepping import start, step
from ...translation.translator import Translator

QUESTION = "Is a step of decoding limited by the bytes that it reads or by the products that it computes?"
CONFIGURATION = {
    "translator": "en-es",
    "src_len": 12,
    "warm": 4,
    "steps": 12,
    "batches": [1, 2, 4, 8, 16, 32, 64],
    "weights": ["float32", "bfloat16", "int8"],
    "array_mb": [1, 4, 16, 64, 256],
    "read_mb": 256,
    "matrix": 1024,
    "rounds": 8,
    "threads": 1,
}
"""``read_mb`` is how much is read per measurement of an array; arrays of the size of a step's weights are read too."""
SEEDS = [0, 1, 2]


def milliseconds(call: Callable[[], object]) -> float:
    """The processor time of one call."""
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


def step_times(packed: PackedTransformer, batch: int, c: dict[str, Any], generator: torch.Generator) -> float:
    """The median time of a step, in milliseconds, after the first ones; one token for every row."""
    src, tokens = (
        torch.randint(3, packed.config.vocab_size, (batch, n), generator=generator) for n in (c["src_len"], 1)
    )
    state = start(packed, src)
    for _ in range(c["warm"]):
        step(packed, tokens, state)
    return float(np.median([milliseconds(lambda: step(packed, tokens, state)) for _ in range(c["steps"])]))


def compiled_step_times(
    compiled: CompiledTransformer, batch: int, c: dict[str, Any], generator: torch.Generator
) -> float:
    """The same for compiled steps; each finds the best token for every row, too."""
    src = torch.randint(3, compiled.config.vocab_size, (batch, c["src_len"]), generator=generator)
    tokens = torch.randint(3, compiled.config.vocab_size, (batch,), generator=generator).tolist()
    found = CompiledSearch(compiled, src)
    for _ in range(c["warm"]):
        found.best(tokens, scores=False)
    return float(np.median([milliseconds(lambda: found.best(tokens, scores=False)) for _ in range(c["steps"])]))


def bare_products(packed: PackedTransformer) -> Callable[[int], list[Callable[[], object]]]:
    """The products by weights of one step and nothing else: for a batch, a call for each matrix, on random rows."""
    matrices = []
    for layer in packed.original.decoder.layers:
        own, cross, forward = layer.self_attention, layer.cross_attention, layer.feed_forward
        joined = torch.cat([own.w_q.weight, own.w_k.weight, own.w_v.weight])
        matrices += [joined, own.w_o.weight, cross.w_q.weight, cross.w_o.weight, forward.w_1.weight, forward.w_2.weight]
    matrices.append(packed.original.output.weight)
    products = [product(matrix.detach().float(), None, packed.weights) for matrix in matrices]
    assert sum(matrix.numel() for matrix in matrices) == weights_of_a_step(packed.config)

    def calls(batch: int) -> list[Callable[[], object]]:
        rows = {matrix.shape[1]: torch.ones(batch, matrix.shape[1]) for matrix in matrices}
        return [lambda one=one, x=rows[matrix.shape[1]]: one(x) for one, matrix in zip(products, matrices, strict=True)]

    return calls


def all_positive(model: Transformer) -> Transformer:
    """A copy of a model in whose decoder every number that comes to a ReLU is positive. It translates no more."""
    copy = deepcopy(model)
    with torch.no_grad():
        for layer in copy.decoder.layers:
            layer.feed_forward.w_1.bias.fill_(1000.0)
    return copy


def peak_gflops(square: torch.Tensor) -> float:
    """Billions of operations per second in the product of a square matrix with itself, by the faster of two ways."""
    spent = min(milliseconds(lambda: square @ square), milliseconds(lambda: times_transposed(square, square)))
    return 2 * len(square) ** 3 / spent / 1e6


def gigabytes_per_second(array: torch.Tensor, read_mb: float) -> dict[str, float]:
    """How fast an array is read again and again, by a sum over it and by the product of a matrix with a vector."""
    size = array.numel() * array.element_size()
    repeats = max(1, round(read_mb * 1e6 / size))
    matrix, vector = array[: array.numel() // 256 * 256].view(-1, 256), torch.ones(256)
    ways = {"sum": array.sum, "vector": lambda: torch.mv(matrix, vector)}
    found = {}
    for name, call in ways.items():
        call()
        spent = milliseconds(lambda call=call: [call() for _ in range(repeats)])
        found[name] = size * repeats / spent / 1e6
    return found


@torch.inference_mode()
def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Measure both limits and all steps, round after round.

    Returns:
        ``WEIGHTS_step_ms`` and ``WEIGHTS_products_ms``: for each batch a list with one time per round, of a whole step
        and of its products by weights alone. ``peak_gflops``: a number per round, billions of operations per second.
        ``read_sum`` and ``read_vector``: gigabytes per second, a list over the rounds for each of ``array_mb`` and,
        last, for an array of the size of a step's weights in float32. ``load`` is the machine's, before and after.
    """
    c = configuration
    model = Translator.from_pretrained(c["translator"]).model.eval()
    packed = {weights: PackedTransformer(model, weights) for weights in c["weights"]}
    products = {weights: bare_products(one) for weights, one in packed.items()}
    compiled = {"compiled": CompiledTransformer(model), "unskipped": CompiledTransformer(all_positive(model))}
    generator = torch.Generator().manual_seed(seed)
    sizes = [round(mb * 250_000) for mb in c["array_mb"]] + [weights_of_a_step(model.config)]
    arrays = [in_large_pages([torch.ones(size)])[0] for size in sizes]
    square = torch.randn(c["matrix"], c["matrix"], generator=generator)
    found: dict[str, Any] = {"tokens": 0, "load": [os.getloadavg()[0]], "peak_gflops": []}
    found |= {f"read_{way}": [[] for _ in arrays] for way in ("sum", "vector")}
    found |= {f"{w}_{what}_ms": [[] for _ in c["batches"]] for w in packed for what in ("step", "products")}
    found |= {f"{name}_step_ms": [[] for _ in c["batches"]] for name in compiled}
    threads = torch.get_num_threads()
    torch.set_num_threads(c["threads"])
    try:
        peak_gflops(square)
        for _ in range(c["rounds"]):
            found["peak_gflops"].append(peak_gflops(square))
            for place, array in enumerate(arrays):
                for way, rate in gigabytes_per_second(array, c["read_mb"]).items():
                    found[f"read_{way}"][place].append(rate)
            for place, batch in enumerate(c["batches"]):
                for name, one in compiled.items():
                    found[f"{name}_step_ms"][place].append(compiled_step_times(one, batch, c, generator))
                for weights, one in packed.items():
                    found[f"{weights}_step_ms"][place].append(step_times(one, batch, c, generator))
                    calls = products[weights](batch)
                    spent = [milliseconds(lambda calls=calls: [call() for call in calls]) for _ in range(c["steps"])]
                    found[f"{weights}_products_ms"][place].append(float(np.median(spent)))
    finally:
        torch.set_num_threads(threads)
    found["load"].append(os.getloadavg()[0])
    return found
