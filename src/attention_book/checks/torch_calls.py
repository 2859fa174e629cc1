"""Which of torch's functions does a reader's code call? For exercises that ask to do without one of them."""

from torch.overrides import TorchFunctionMode


class TorchCalls(TorchFunctionMode):
    """Notes the names of torch's functions that are called on tensors while it is entered, as functions or as methods.

    ``with TorchCalls() as calls: …``, and then ``"backward" in calls.names``. It changes nothing of what they compute.

    Attributes:
        names: such as ``"softmax"`` for ``torch.softmax``, for a tensor's method and for torch.nn.functional's.

    Pitfall: what is computed without torch, or from more basic functions, is not seen.
    """

    def __init__(self):
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.add(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))
