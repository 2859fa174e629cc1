"""Weights in float32 where a processor reads them soonest: side by side in large pages, and packed for many rows.

Memory comes in pages, mostly of 4 kB. Whoever reads a matrix of 8 MB from end to end meets two thousand of them, and a
processor has to look up where each lies. Linux gives pages of 2 MB if it is asked to; elsewhere nothing changes here.
"""

import mmap

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ...models.transformer import Transformer
from .packing import PackedTransformer, Product

PAGE = 2 << 20
"""Bytes in a large page."""
_LINE = 16  # numbers in a line of a processor's cache: each tensor begins with one


def in_large_pages(tensors: list[Float[Tensor, "..."]]) -> list[Float[Tensor, "..."]]:
    """Copies of these tensors of float32, one behind the other in one block of memory, in large pages where there are.

    The block lives as long as one of the copies.
    """
    starts, numbers = [], 0
    for tensor in tensors:
        starts.append(numbers)
        numbers += -(-tensor.numel() // _LINE) * _LINE
    if hasattr(mmap, "MADV_HUGEPAGE"):
        block = mmap.mmap(-1, 4 * numbers + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        block.madvise(mmap.MADV_HUGEPAGE)
        memory = torch.frombuffer(block, dtype=torch.float32)
    else:
        memory = torch.empty(numbers + PAGE // 4)
    first = -memory.data_ptr() % PAGE // 4
    copies = []
    for tensor, start in zip(tensors, starts, strict=True):
        place = memory[first + start : first + start + tensor.numel()]
        copies.append(place.view(tensor.shape).copy_(tensor))
    return copies


class PagedProduct(Product):
    """A product by a matrix in a large page, and by a second copy that oneDNN has laid out for itself.

    One row is multiplied by the first, several rows by the second, for the reason that `training.fast_products` gives.

    Args:
        product: whose bias is kept.
        turned: its matrix, a row per input.
    """

    def __init__(self, product: Product, turned: Float[Tensor, "inputs outputs"]):
        self.turned, self.bias, self.packed = turned, product.bias, None
        if torch.backends.mkldnn.is_available():
            self.packed = torch.ops.mkldnn._reorder_linear_weight(turned.t().contiguous())

    def __call__(self, x: Tensor) -> Tensor:
        """The product for each row of x."""
        if self.packed is None or len(x) == 1:
            return super().__call__(x)
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")

    def add_to(self, total: Tensor, x: Tensor) -> None:
        """Add the product for each row of x to `total`, which is changed."""
        if self.packed is None or len(x) == 1:
            super().add_to(total, x)
        else:
            total.add_(self(x))


class PagedTransformer(PackedTransformer):
    """A packed Transformer in float32 on a CPU, its matrices in large pages.

    Attributes:
        allowed: for each column of the output 0, or −∞ where no search may go: `<pad>`, `<s>`, and the columns behind
            the vocabulary.

    Raises:
        TypeError: the model is no Transformer.
        ValueError: the model is not on the CPU.
    """

    def __init__(self, model: Transformer):
        super().__init__(model, "float32")
        if self.device.type != "cpu":
            raise ValueError(f"large pages are for the CPU, and this model is on {self.device}")
        places = [(self, "output")]
        for layer in (*self.encoder, *self.decoder):
            places += [(layer.attention, "inward"), (layer.attention, "outward"), (layer, "inner"), (layer, "outer")]
            if layer.cross:
                places += [(layer.cross, name) for name in ("query", "key_value", "outward")]
        products = [getattr(owner, name) for owner, name in places]
        with torch.no_grad():
            copies = in_large_pages([product.turned for product in products])
            for (owner, name), product, turned in zip(places, products, copies, strict=True):
                setattr(owner, name, PagedProduct(product, turned))
            self.allowed = _allowed(self.output.turned.shape[1], self.config.vocab_size, self.forbidden)


def _allowed(columns: int, vocab_size: int, forbidden: Int[Tensor, " ids"]) -> Float[Tensor, " columns"]:
    allowed = F.pad(torch.zeros(vocab_size), (0, columns - vocab_size), value=-torch.inf)
    return allowed.index_fill_(0, forbidden, -torch.inf)
