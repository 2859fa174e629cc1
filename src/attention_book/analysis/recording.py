"""What the modules of a network are given and give, call by call: how this book looks inside a model."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from torch import nn


class Call(NamedTuple):
    """One call of a module.

    Attributes:
        inputs: what it was given by position; what it was given by name is not recorded.
        output: what it gave: a tensor, or a tuple where the module gives several.
    """

    inputs: tuple[Any, ...]
    output: Any


@contextmanager
def recording(*modules: nn.Module) -> Iterator[dict[nn.Module, list[Call]]]:
    """Record the calls of some modules while the context lasts.

    Args:
        modules: parts of one model or of several; the model computes what it would compute without this.

    Yields:
        The calls of each module, the first one first; a list stays empty while its module is not called.

    Raises:
        ValueError: if a module is named twice.

    Pitfall: the tensors are the model's own and no copies. What the model changes in place afterwards is changed in
    the record too, and under autograd a record keeps the graph alive.
    """
    calls: dict[nn.Module, list[Call]] = {module: [] for module in modules}
    if len(calls) < len(modules):
        raise ValueError("a module was named twice; its calls are recorded once")

    def note(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
        calls[module].append(Call(inputs, output))

    with ExitStack() as hooks:  # which removes them all, also when a later one cannot be added
        for module in calls:
            hooks.enter_context(module.register_forward_hook(note))
        yield calls
