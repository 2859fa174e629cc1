"""A picture as a set of vectors: patches cut from an image, and the encoder that reads them."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..blocks import Encoder
from ..config import TransformerConfig

Images = Float[Tensor, "batch height width"]


def cut_patches(images: Images, side: int) -> Float[Tensor, "batch n_patches pixels"]:
    """Cut grey images into squares, and lay out the pixels of each square in one row.

    Args:
        images: one number per pixel.
        side: height and width of a patch, in pixels.

    Returns:
        One row of ``side * side`` pixels per patch. Patches and pixels are in reading order: row by row, from the left.

    Raises:
        ValueError: if the patches do not fill the image.

    Pitfall: a reshape alone takes pixels that follow each other in one row of the image. The axes have to be exchanged
    in between.
    """
    batch, height, width = images.shape
    if height % side or width % side:
        raise ValueError(f"squares of {side} do not fill {height} × {width} pixels")
    cut = images.reshape(batch, height // side, side, width // side, side)
    return cut.transpose(2, 3).reshape(batch, -1, side * side)


class PatchClassifier(nn.Module):
    r"""The encoder of the Transformer over the patches of an image, with a label read from the mean of its states.

    With a patch x of :math:`s^2` pixels, a matrix E and one trained vector per place,

    .. math:: z_i = x_i E + b + p_i

    Dosovitskiy et al. 2021, §3.1, equation 1. They read the label from the state of an added token.

    Args:
        config: the shape of the stack; ``max_len`` is the number of patches. ``positions`` is ``"learned"`` or
            ``"none"``.
        side: height and width of a patch, in pixels.
        n_labels: how many labels there are.

    Raises:
        ValueError: if the configuration asks for other positions, or an image has another number of patches than there
            are positions.
    """

    def __init__(self, config: TransformerConfig, side: int, n_labels: int = 2):
        super().__init__()
        if config.positions not in ("learned", "none"):
            raise ValueError("the positions of patches are learned, or there are none")
        self.side = side
        self.embedding = nn.Linear(side * side, config.d_model)
        self.positions = None
        if config.positions == "learned":
            self.positions = nn.Parameter(0.3 * torch.randn(config.max_len, config.d_model))
        self.encoder = Encoder(config)
        self.head = nn.Linear(config.d_model, n_labels)

    def embed(self, images: Images) -> Float[Tensor, "batch n_patches d_model"]:
        """One vector per patch: its pixels through a matrix, plus the vector of its place."""
        vectors = self.embedding(cut_patches(images, self.side))
        if self.positions is not None and vectors.shape[1:] != self.positions.shape:
            raise ValueError(f"{vectors.shape[1]} patches for {len(self.positions)} positions")
        return vectors if self.positions is None else vectors + self.positions

    def forward(self, images: Images) -> Float[Tensor, "batch n_labels"]:
        """Logits of the labels, one row per image."""
        states, _ = self.encoder(self.embed(images))
        return self.head(states.mean(dim=1))
