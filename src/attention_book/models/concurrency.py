"""What lets one model translate from several threads, and after a fork."""

import copy
import os

import torch
from torch import nn


def evaluating(model: nn.Module) -> nn.Module:
    """The model as it computes in evaluation mode, without a change to the mode that others see.

    `model.eval()` and `model.train()` act on a model that all threads share: one that has finished would switch the
    dropout of the others on again. So a model of which a part is in training mode is answered by a twin: the same kinds
    of modules, on the same weights, buffers and hooks, whose mode is their own. Making it copies no tensor.

    Args:
        model: in any mode; it is left as it is.

    Returns:
        The model itself if no part of it is in training mode, a twin in evaluation mode otherwise. What changes a
        weight changes it for both; a module that is put into the model later is not in the twin.
    """
    return _twin(model, {}) if any(module.training for module in model.modules()) else model


def _twin(module: nn.Module, made: dict[int, nn.Module]) -> nn.Module:
    if id(module) not in made:  # a module that stands in two places is one module in the twin as well
        twin = made[id(module)] = copy.copy(module)
        twin.training = False
        children = module._modules.items()
        twin.__dict__["_modules"] = {name: child and _twin(child, made) for name, child in list(children)}
    return made[id(module)]


def _compute_with_one_thread() -> None:
    torch.set_num_threads(1)


# A fork copies the thread that forks, and none of those that help torch to compute: in the new process the first
# operation that wants their help waits for ever. With one thread none is wanted. torch's own DataLoader does the same.
_AFTER_FORK = getattr(os, "register_at_fork", lambda **_: None)(after_in_child=_compute_with_one_thread)
