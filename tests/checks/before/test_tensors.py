"""The checks of the first chapter: they pass what is right and name what is wrong."""

import math

import pytest
import torch

from attention_book.checks.before import tensors as checks

from ..diagnosis import diagnosis

RIGHT_SHAPES = {"a": (4, 3), "b": (3, 3), "c": (2, 5, 4), "d": (2, 7, 5, 6), "e": None, "f": None}


def test_shapes_pass_and_print():
    assert checks.check_shapes(RIGHT_SHAPES)
    assert checks.check_shapes({letter: shape and torch.Size(shape) for letter, shape in RIGHT_SHAPES.items()})
    lines = checks.expressions().splitlines()
    assert lines[0] == "a: torch.zeros(4, 1) + torch.zeros(3)"
    for line in lines:  # what is printed is what is checked
        letter, expression = line.split(": ")
        try:
            shape = tuple(eval(expression, {"torch": torch}).shape)
        except RuntimeError:
            shape = None
        assert shape == RIGHT_SHAPES[letter]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": (4, 1)}, "Expression a does not give (4, 1). Write the two shapes below each other"),
        ({"b": None}, "Expression b does not give an error"),
        ({"e": (4, 3)}, "Expression e does not give (4, 3)"),
        ({"d": (2, 7, 5, 3)}, "(rows, n) times (n, columns)"),
        ({"f": ...}, "f is still open"),
        ({"c": 40}, "Write the shape of c as a tuple"),
        ({"g": None}, "for each of the letters a, b, c, d, e, f"),
    ],
)
def test_shapes_name_the_rule(change, told):
    assert told in diagnosis(checks.check_shapes(RIGHT_SHAPES | change))


FIRST = {"english": math.log(4), "spanish": math.log(4 / 3), "mean": math.log(4) - 0.75 * math.log(3)}


def test_first_losses_pass():
    assert checks.check_first_losses(**FIRST)
    assert checks.check_first_losses(1.386, 0.288, 0.562)
    scores, answers = torch.tensor([[0.0, math.log(3)]] * 4), torch.tensor([0, 1, 1, 1])
    losses = torch.nn.functional.cross_entropy(scores, answers, reduction="none")
    assert checks.check_first_losses(losses[0], losses[1], losses.mean())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"english": 0.25}, "For an English word it is not 0.25. That is a probability"),
        ({"english": 2.0}, "in bits"),
        ({"english": -1.386}, "sign"),
        ({"english": 0.602}, "base ten"),
        ({"english": 0.693}, "both scores were equal"),
        ({"english": 0.288}, "loss for a Spanish word"),
        ({"spanish": 1.0986}, "the score itself"),
        ({"spanish": 1.386}, "loss for an English word"),
        ({"spanish": 0.75}, "That is a probability"),
        ({"spanish": 5}, "What does softmax make"),
        ({"mean": 0.837}, "do not count alike"),
        ({"mean": 1.1116}, "exchanged"),
        ({"mean": ...}, "the mean is still open"),
        ({"english": "much"}, "to be one number"),
    ],
)
def test_first_losses_name_the_mistake(change, told):
    assert told in diagnosis(checks.check_first_losses(**FIRST | change))


def test_all_dots_pass():
    assert checks.check_all_dots(lambda q, k: q @ k.transpose(-2, -1))
    assert checks.check_all_dots(lambda q, k: (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1))


def blank(*inputs):
    raise NotImplementedError


def scales_in_place(q, k):
    q *= 1.0 / q.shape[-1] ** 0.5
    return q @ k.mT


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (lambda q, k: k @ q.transpose(-2, -1), "got (3, 4): is it transposed?"),
        (lambda q, k: q @ k, "It raises RuntimeError, in the line"),
        (lambda q, k: q @ k if q.shape == k.shape else q @ k.mT, "rows of q with columns of k"),
        (lambda q, k: q @ k.mT if q.shape != k.shape else k @ q.mT, "is transposed: row i"),
        (lambda q, k: q @ k.mT / q.shape[-1] ** 0.5, "it is wrong at row 0, column 0"),
        (lambda q, k: torch.einsum("qd,kd->qk", q.flatten(0, -2), k.flatten(0, -2)), "the leading axes kept"),
        (lambda q, k: (q @ k.mT).numpy(), "to be a torch tensor, got a NumPy array"),
        (scales_in_place, "changes `q` in place"),
        (blank, "still to be written"),
    ],
)
def test_all_dots_names_the_mistake(candidate, told):
    assert told in diagnosis(checks.check_all_dots(candidate))


def by_hand(x, w, b, y, sign=1.0, mean=True, subtract=True):
    p = torch.softmax(x @ w + b, dim=-1)
    if subtract:
        p[torch.arange(len(y)), y] -= 1.0
    p = sign * p / (len(y) if mean else 1)
    return x.T @ p, p.sum(dim=0)


def cross_entropy(x, w, b, y):
    return torch.nn.functional.cross_entropy(x @ w + b, y)


def asks_torch(how, x, w, b, y):
    leaves = [w.clone().requires_grad_(), b.clone().requires_grad_()]
    return tuple(how(cross_entropy(x, *leaves, y), leaves))


def asks_backward(x, w, b, y):
    leaves = [w.clone().requires_grad_(), b.clone().requires_grad_()]
    cross_entropy(x, *leaves, y).backward()
    return tuple(leaf.grad for leaf in leaves)


def by_loop(x, w, b, y):
    dw, db = torch.zeros_like(w), torch.zeros_like(b)
    for row, answer in zip(x, y, strict=True):
        p = torch.exp(row @ w + b)
        p = p / p.sum() - torch.eye(len(b))[answer]
        dw, db = dw + row[:, None] * p / len(y), db + p / len(y)
    return dw, db


def by_differences(x, w, b, y, h=1e-5):
    """A third way that the page tells, and no autograd."""
    found = []
    for which, one in enumerate((w, b)):
        slopes = torch.zeros_like(one)
        for place in range(one.numel()):
            nudged = [[w.clone(), b.clone()] for _ in range(2)]
            for pair, step in zip(nudged, (h, -h), strict=True):
                pair[which].view(-1)[place] += step
            up, down = (cross_entropy(x, *pair, y) for pair in nudged)
            slopes.view(-1)[place] = (up - down) / (2 * h)
        found.append(slopes)
    return tuple(found)


def by_one_hot(x, w, b, y):
    error = (torch.softmax(x @ w + b, -1) - torch.nn.functional.one_hot(y, w.shape[1])) / len(y)
    return [x.mT @ error, error.sum(0)]


@pytest.mark.parametrize("right", [by_hand, by_loop, by_differences, by_one_hot])
def test_gradient_passes(right):
    report = checks.check_gradient(right)
    assert report, report.message


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (lambda *inputs: by_hand(*inputs, sign=-1.0), "dw has the wrong sign"),
        (lambda *inputs: by_hand(*inputs, mean=False), "dw is the gradient of the summed loss"),
        (lambda *inputs: by_hand(*inputs, subtract=False), "dw leaves out the right answers"),
        (lambda *inputs: (by_hand(*inputs)[0], 2 * by_hand(*inputs)[0].sum(0)), "db "),
        (lambda *inputs: by_hand(*inputs)[0], "Expected 2 values, (dw, db)"),
        (lambda *inputs: (by_hand(*inputs)[0].T, by_hand(*inputs)[1]), "got (3, 4): is it transposed?"),
        (lambda *inputs: by_hand(*inputs)[::-1], "dw has the wrong shape"),
        (lambda x, w, b, y: by_hand(x, torch.zeros_like(w), b, y), "differs from autograd's at row 0, column 0"),
        (asks_backward, "It asks autograd"),
        (lambda *inputs: asks_torch(torch.autograd.grad, *inputs), "It asks autograd"),
        (lambda x, w, b, y: torch.func.grad(cross_entropy, argnums=(1, 2))(x, w, b, y), "It asks autograd"),
        (lambda x, w, b, y: torch.func.jacfwd(cross_entropy, argnums=(1, 2))(x, w, b, y), "It asks autograd"),
        (blank, "still to be written"),
    ],
)
def test_gradient_names_the_mistake(candidate, told):
    assert told in diagnosis(checks.check_gradient(candidate))
