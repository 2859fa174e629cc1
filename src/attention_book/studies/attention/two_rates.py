"""A short run with a learning rate of its own for W^Q: is the division by the root a small start and a small rate?"""

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import nn

from ...experiments.attention.with_and_without_the_root import CONFIGURATION, model_for
from ...experiments.toy_dictionary import Dictionary, with_start
from ...models.config import TransformerConfig


def two_rates(model: nn.Module, rate_of_queries: float, rate: float) -> torch.optim.Adam:
    """Adam with one learning rate for the layers ``w_q``, which make the queries, and another for all others."""
    groups: dict[bool, list[nn.Parameter]] = {True: [], False: []}
    for name, parameter in model.named_parameters():
        groups[".w_q." in name].append(parameter)
    queries = {"params": groups[True], "lr": rate_of_queries}
    return torch.optim.Adam([{"params": groups[False]}, queries], lr=rate)


def losses(
    arm: str, rate_of_queries: float, d_k: int = 256, steps: int = 25, rate: float = 1e-3
) -> Float[np.ndarray, " steps"]:
    """The training losses of the first steps of a model of this arm, in nats per token; always the same batches.

    Args:
        arm: such as ``"divided"``, ``"folded"`` or ``"undivided"``.
        rate_of_queries: the learning rate of W^Q.
        d_k: the width of a query.
        steps: how many steps are made.
        rate: the learning rate of everything else.
    """
    random = torch.Generator().manual_seed(0)
    language = Dictionary(16, 2, random)
    sizes = CONFIGURATION["model"]
    config = TransformerConfig.tiny(language.vocab_size, d_k=d_k, **sizes)
    model = model_for(arm, d_k, config, seed=0)
    optimizer, found = two_rates(model, rate_of_queries, rate), []
    for _ in range(steps):
        src, target = language.sample(32, 6, random)
        labels = F.pad(target, (0, 1), value=config.eos_id)
        logits = model(src, with_start(target, config.bos_id))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return np.array(found)
