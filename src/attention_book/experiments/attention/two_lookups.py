r"""How many heads a layer needs that has to look up one thing, or two things at once, at the same width and cost.

A table has rows, each with a name and a content. A question names one row, or two, and asks for their contents in
order. Keys see the names only and values the contents only, so that the weights cannot depend on what is found. One
attention layer and one matrix behind it answer. Every number of heads has the same parameters and multiply-adds.

Contents are numbers (independent, normal) or symbols. For two rows of numbers one head has a floor. Its output depends
on one mixture :math:`z = \sum_j a_j c_j` of the contents, and z cannot explain more than half of the two asked for:
:math:`\operatorname{corr}(z, c_x)^2 + \operatorname{corr}(z, c_y)^2 = (a_x^2 + a_y^2) / \sum_j a_j^2 \le 1`.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ...attention.multi_head import MultiHeadAttention

QUESTION = "Is attention with more heads better at the same cost, and does that depend on how many rows a query needs?"
CONFIGURATION = {
    "tasks": [
        {"kind": "numbers", "lookups": 1, "heads": [1, 4, 16, 32], "steps": 1000, "learning_rate": 1e-2},
        {"kind": "numbers", "lookups": 2, "heads": [1, 2, 4, 8, 16, 32], "steps": 1000, "learning_rate": 1e-2},
        {"kind": "symbols", "lookups": 2, "heads": [1, 2], "steps": 2500, "learning_rate": 3e-3},
    ],
    "rows": 16,
    "content": 16,
    "d_model": 32,
    "batch": 16,
    "held_out": 200,
}
SEEDS = [0, 1, 2, 3, 4]


class Lookup(nn.Module):
    """One attention layer from questions to the rows of a table, and a matrix that reads its output.

    Args:
        rows: number of rows, which are also the names.
        content: width of a row's content.
        lookups: names in a question.
        d_model: width; ``d_k = d_v = d_model / n_heads``.
        n_heads: heads of the attention.
    """

    def __init__(self, rows: int, content: int, lookups: int, d_model: int, n_heads: int):
        super().__init__()
        self.asked = nn.ModuleList(nn.Embedding(rows, d_model) for _ in range(lookups))
        self.name = nn.Embedding(rows, d_model)
        self.content = nn.Linear(content, d_model, bias=False)
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.readout = nn.Linear(d_model, lookups * content)
        self.lookups = lookups

    def forward(
        self,
        contents: Float[Tensor, "batch rows content"],
        asked: Int[Tensor, "batch questions lookups"],
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch questions lookups content"], Float[Tensor, "batch n_heads questions rows"] | None]:
        """An estimate of each content asked for, and the weights; row i of ``contents`` is the row with the name i."""
        queries = sum(embed(asked[..., n]) for n, embed in enumerate(self.asked))
        names = self.name.weight.expand(len(contents), -1, -1)
        output, weights = self.attention(queries, names, self.content(contents), need_weights=need_weights)
        return self.readout(output).unflatten(-1, (self.lookups, -1)), weights


def questions(
    kind: str, n: int, configuration: dict[str, Any], lookups: int, generator: torch.Generator
) -> tuple[Float[Tensor, "n rows content"], Int[Tensor, "n rows lookups"], Float[Tensor, "n rows lookups content"]]:
    """``n`` tables, as many questions to each as it has rows, and the contents that answer them.

    Args:
        kind: ``"numbers"``: every content is a vector of independent normal numbers; ``"symbols"``: a 1 among zeros,
            no symbol twice in a table.
        n: number of tables.
        configuration: ``rows`` and ``content``.
        lookups: names in a question; they differ.
        generator: source of chance.
    """
    rows, width = configuration["rows"], configuration["content"]
    if kind == "numbers":
        contents = torch.randn(n, rows, width, generator=generator)
    else:
        symbols = torch.rand(n, width, generator=generator).argsort(dim=-1)[:, :rows]
        contents = F.one_hot(symbols, width).float()
    asked = torch.rand(n, rows, rows, generator=generator).argsort(dim=-1)[..., :lookups]
    answers = torch.stack([contents[i][asked[i]] for i in range(n)])
    return contents, asked, answers


def loss_of(kind: str, estimate: Tensor, answers: Tensor) -> Tensor:
    """Mean squared error, which for numbers is the share of their variance left over; or cross-entropy, in nats."""
    if kind == "numbers":
        return F.mse_loss(estimate, answers)
    return F.cross_entropy(estimate.flatten(0, 2), answers.flatten(0, 2))


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every number of heads on every task.

    Returns:
        What `examine` finds, under ``KIND_LOOKUPS_HEADS/WHAT``, such as ``numbers_2_4/loss``. Also ``parameters`` of
        the attention, which must not depend on the heads.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    metrics, counted, tokens = {}, set(), 0
    try:
        for task in configuration["tasks"]:
            for n_heads in task["heads"]:
                with torch.random.fork_rng():
                    torch.manual_seed(seed)
                    sizes = {name: configuration[name] for name in ("rows", "content", "d_model")}
                    model = Lookup(**sizes, lookups=task["lookups"], n_heads=n_heads)
                counted.add(sum(p.numel() for p in model.attention.parameters()))
                tokens += train(model, seed + 1_000, configuration | task)
                found = examine(model, seed + 2_000, configuration | task)
                name = f"{task['kind']}_{task['lookups']}_{n_heads}"
                metrics |= {f"{name}/{what}": value for what, value in found.items()}
    finally:
        torch.set_num_threads(threads)
    (parameters,) = counted
    return {"tokens": tokens, "parameters": parameters, **metrics}


def train(model: Lookup, seed: int, settings: dict[str, Any]) -> int:
    """Train with a learning rate that falls to 0 in a straight line; returns the number of contents asked for.

    Args:
        model: changed in place.
        seed: of the tables.
        settings: the configuration, with those of one task on the same level.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["learning_rate"])
    steps, asked_for = settings["steps"], 0
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for _ in range(steps):
        contents, asked, answers = questions(settings["kind"], settings["batch"], settings, model.lookups, generator)
        loss = loss_of(settings["kind"], model(contents, asked)[0], answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decay.step()
        asked_for += asked.numel()
    return asked_for


@torch.inference_mode()
def examine(model: Lookup, seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """What the model does on tables not trained on.

    Returns:
        ``loss``. For symbols also ``right``, the share of questions of which every part is right, and ``extremes``, the
        share in which the rows asked for have the largest and the smallest weight of the first head.
    """
    generator = torch.Generator().manual_seed(seed)
    contents, asked, answers = questions(settings["kind"], settings["held_out"], settings, model.lookups, generator)
    estimate, weights = model(contents, asked, need_weights=True)
    found = {"loss": loss_of(settings["kind"], estimate, answers).item()}
    if settings["kind"] == "symbols":
        right = (estimate.argmax(dim=-1) == answers.argmax(dim=-1)).all(dim=-1)
        ends = torch.stack([weights[:, 0].argmax(dim=-1), weights[:, 0].argmin(dim=-1)], dim=-1)
        extremes = (ends.sort(dim=-1).values == asked.sort(dim=-1).values).all(dim=-1)
        found |= {"right": right.double().mean().item(), "extremes": extremes.double().mean().item()}
    return found
