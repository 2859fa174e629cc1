"""How many pairs an attention can look up in, with softmax and with a memory of fixed size, after training.

A list has n rows. A row has a name, out of ``names``, no two alike, and a symbol, out of ``symbols``, drawn with
repetition. After the list each name in it is asked for, and its symbol is to be given. Names have a learned query and a
learned key each, symbols a learned value, and one matrix reads the output. Only the attention between them differs:
softmax over scaled scores, or linear attention, whose keys are d_k wide.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.linear_attention import linear_attention

QUESTION = "In how many pairs can a trained attention look one up, if its memory does not grow with their number?"
CONFIGURATION = {
    "arms": {"softmax_16": ["softmax", 16], "linear_8": ["linear", 8], "linear_16": ["linear", 16],
             "linear_32": ["linear", 32]},
    "lengths": [4, 8, 16, 32, 64],
    "names": 64,
    "symbols": 16,
    "d_v": 16,
    "batch": 32,
    "steps": 1000,
    "learning_rate": 0.02,
    "held_out": 500,
}  # fmt: skip
SEEDS = [0, 1, 2, 3, 4]
ATTENTIONS = {"softmax": scaled_dot_product_attention, "linear": linear_attention}


class Recall(nn.Module):
    """One attention from questions to the rows of a list.

    Args:
        kind: a key of :data:`ATTENTIONS`.
        d_k: width of queries and keys.
        names, symbols, d_v: as in the configuration.
    """

    def __init__(self, kind: str, d_k: int, names: int, symbols: int, d_v: int):
        super().__init__()
        self.kind = kind
        self.queries, self.keys = nn.Embedding(names, d_k), nn.Embedding(names, d_k)
        self.values, self.readout = nn.Embedding(symbols, d_v), nn.Linear(d_v, symbols)

    def forward(
        self, named: Int[Tensor, "batch rows"], held: Int[Tensor, "batch rows"]
    ) -> Float[Tensor, "batch rows symbols"]:
        """The logits of the symbol of each row, asked for by its name."""
        attend = ATTENTIONS[self.kind]
        output, _ = attend(self.queries(named), self.keys(named), self.values(held))
        return self.readout(output)


def lists(
    n: int, rows: int, configuration: dict[str, Any], generator: torch.Generator
) -> tuple[Int[Tensor, "n rows"], Int[Tensor, "n rows"]]:
    """``n`` lists: the names of their rows, all different, and their symbols."""
    named = torch.rand(n, configuration["names"], generator=generator).argsort(dim=-1)[:, :rows]
    return named, torch.randint(configuration["symbols"], (n, rows), generator=generator)


def train(model: Recall, rows: int, seed: int, configuration: dict[str, Any]) -> int:
    """Train on new lists with a rate that falls to 0 in a straight line; returns how many symbols were asked for."""
    generator, steps = torch.Generator().manual_seed(seed), configuration["steps"]
    optimizer = torch.optim.Adam(model.parameters(), lr=configuration["learning_rate"])
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for _ in range(steps):
        named, held = lists(configuration["batch"], rows, configuration, generator)
        loss = F.cross_entropy(model(named, held).flatten(0, 1), held.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decay.step()
    return steps * configuration["batch"] * rows


@torch.inference_mode()
def share_right(model: Recall, rows: int, seed: int, configuration: dict[str, Any]) -> float:
    """The share of symbols that the model names rightly in lists that it was not trained on."""
    generator = torch.Generator().manual_seed(seed)
    named, held = lists(configuration["held_out"], rows, configuration, generator)
    return (model(named, held).argmax(dim=-1) == held).double().mean().item()


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train each arm for each length of list.

    Returns:
        ``ARM_right``: the share of right symbols for each length.
    """
    threads, tokens = torch.get_num_threads(), 0
    found: dict[str, Any] = {f"{arm}_right": [] for arm in configuration["arms"]}
    torch.set_num_threads(1)
    try:
        for arm, (kind, d_k) in configuration["arms"].items():
            for rows in configuration["lengths"]:
                with torch.random.fork_rng():
                    torch.manual_seed(seed)
                    sizes = {name: configuration[name] for name in ("names", "symbols", "d_v")}
                    model = Recall(kind, d_k, **sizes)
                tokens += train(model, rows, seed + 1_000, configuration)
                found[f"{arm}_right"].append(share_right(model, rows, seed + 2_000, configuration))
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **found}
