"""A relation between two places: an encoder over patches, without its positions too, and a small convolution.

An image is noise with two bars of three pixels, one lying and one standing. The label says whether the lying bar is
the higher one. The rows of both bars differ by a multiple of the patches' height. Exchange the rows, and the label
changes, but the patches themselves stay the same: only where they lie tells the label.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ...models.config import TransformerConfig
from ...models.one_stack.patches import PatchClassifier
from ...training.schedules import warmup_then_decay

QUESTION = "Which learns a relation between two places sooner: attention over patches, or a convolution?"
CONFIGURATION = {
    "arms": {"patches": [100, 1000, 20000], "no_positions": [20000], "convolution": [100, 1000, 20000]},
    "side": 12,
    "patch": 3,
    "noise": 0.2,
    "d_model": 32,
    "n_heads": 4,
    "n_layers": 2,
    "d_ff": 64,
    "channels": [16, 32],
    "hidden": 40,
    "steps": 800,
    "batch": 64,
    "learning_rate": 3e-3,
    "weight_decay": 0.05,
    "tests": 2000,
}
SEEDS = [1, 2, 3, 4, 5]
BAR = 3
"""Length of a bar in pixels."""


def draw_images(
    n: int, c: dict[str, Any], generator: torch.Generator
) -> tuple[Float[Tensor, "n side side"], Int[Tensor, " n"]]:
    """Images of two bars, and for each the label: 1 if the lying bar begins higher than the standing one."""
    last, patch = c["side"] - BAR, c["patch"]  # the last place of a bar's first pixel
    apart = BAR + patch - 1  # columns: so far apart that no patch has parts of both
    columns = [(a, b) for a in range(last + 1) for b in range(last + 1) if abs(a - b) >= apart]
    rows = [(a, b) for a in range(last + 1) for b in range(a % patch, last + 1, patch) if a != b]
    images = c["noise"] * torch.randn(n, c["side"], c["side"], generator=generator)
    chosen_columns = torch.randint(len(columns), (n,), generator=generator).tolist()
    chosen_rows = torch.randint(len(rows), (n,), generator=generator).tolist()
    for image, across, down in zip(images, chosen_columns, chosen_rows, strict=True):
        (lying, standing), (left, right) = rows[down], columns[across]
        image[lying, left : left + BAR] += 1
        image[standing : standing + BAR, right] += 1
    return images, torch.tensor([int(rows[down][0] < rows[down][1]) for down in chosen_rows])


class Convolution(nn.Module):
    """Two convolutions of 3 × 3 pixels, each with a ReLU and a maximum over 2 × 2, then two linear layers."""

    def __init__(self, side: int, channels: list[int], hidden: int):
        super().__init__()
        first, second = channels
        self.layers = nn.Sequential(
            nn.Conv2d(1, first, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(first, second, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(second * (side // 4) ** 2, hidden), nn.ReLU(), nn.Linear(hidden, 2),
        )  # fmt: skip

    def forward(self, images: Float[Tensor, "batch side side"]) -> Float[Tensor, "batch 2"]:
        """Logits of the labels."""
        return self.layers(images[:, None])


def model_of(arm: str, seed: int, c: dict[str, Any]) -> nn.Module:
    """A model as it starts, whatever was drawn before."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if arm == "convolution":
            return Convolution(c["side"], c["channels"], c["hidden"])
        sizes = {name: c[name] for name in ("d_model", "n_heads", "n_layers", "d_ff")}
        positions = "none" if arm == "no_positions" else "learned"
        n_patches = (c["side"] // c["patch"]) ** 2
        config = TransformerConfig(
            vocab_size=4, **sizes, dropout=0.0, norm="pre", positions=positions, max_len=n_patches
        )
        return PatchClassifier(config, c["patch"])


def train(model: nn.Module, images: Tensor, labels: Tensor, seed: int, c: dict[str, Any]) -> None:
    """AdamW for a fixed number of steps, whatever the number of images."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), c["learning_rate"], weight_decay=c["weight_decay"], fused=True)
    for step in range(c["steps"]):
        for group in optimizer.param_groups:
            group["lr"] = warmup_then_decay(step + 1, c["steps"] + 1, 0.1 * c["steps"], c["learning_rate"])
        rows = torch.randint(len(images), (c["batch"],), generator=generator)
        optimizer.zero_grad()
        F.cross_entropy(model(images[rows]), labels[rows]).backward()
        optimizer.step()


@torch.inference_mode()
def share_right(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """How many images get their label."""
    return (model.eval()(images).argmax(-1) == labels).float().mean().item()


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm with each of its numbers of images; the fewer images are the first ones of the more.

    Returns:
        For each arm ``ARM_parameters``, how many numbers are trained, and for each number of images the share of right
        labels of new images, ``ARM_right``, and of images of the training, ``ARM_seen_right``. ``tokens`` is 0.
    """
    c = configuration
    found: dict[str, Any] = {"tokens": 0}  # no text is read
    images, labels = draw_images(max(map(max, c["arms"].values())), c, torch.Generator().manual_seed(10 * seed))
    tests = draw_images(c["tests"], c, torch.Generator().manual_seed(10 * seed + 1))
    for arm, sizes in c["arms"].items():
        found[f"{arm}_parameters"] = sum(p.numel() for p in model_of(arm, seed, c).parameters())
        found[f"{arm}_right"], found[f"{arm}_seen_right"] = [], []
        for n in sizes:
            model = model_of(arm, seed, c)
            train(model, images[:n], labels[:n], seed, c)
            found[f"{arm}_right"].append(share_right(model, *tests))
            seen = min(n, c["tests"])
            found[f"{arm}_seen_right"].append(share_right(model, images[:seen], labels[:seen]))
    return found
