"""What a reader's code calls of torch is noted under one name, however it is called, and computes what it computes."""

import torch
from torch.nn import functional as F

from attention_book.checks.torch_calls import TorchCalls

X = torch.tensor([[1.0, 2.0]])


def test_functions_methods_and_modules_have_one_name():
    for call in (lambda: torch.softmax(X, -1), lambda: X.softmax(-1), lambda: F.softmax(X, -1), torch.nn.Softmax(-1)):
        with TorchCalls() as calls:
            call() if call.__class__ is not torch.nn.Softmax else call(X)
        assert "softmax" in calls.names


def test_what_is_called_before_and_after_is_not_noted():
    X.softmax(-1)
    with TorchCalls() as calls:
        doubled = 2 * X
    X.softmax(-1)
    assert "softmax" not in calls.names and doubled.tolist() == [[2.0, 4.0]]


def test_both_ways_to_ask_autograd_are_noted():
    for ask in (lambda y, x: y.backward(), lambda y, x: torch.autograd.grad(y, x)):
        x = X.clone().requires_grad_()
        with TorchCalls() as calls:
            ask((x**2).sum(), x)
        assert calls.names & {"backward", "grad"}
