"""Checks for *Does it matter?*: how four models begin, how decided a row is, an unfair comparison and a flat start.

For *One function, two speeds*: a layer with a fault, a score and its first step, and the learning rate that fits a
matrix. For *What a heat map of a Jacobian shows*: how large one Jacobian is.
"""

import copy
import math
from collections.abc import Collection, Iterator, Mapping
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...attention.multi_head import MultiHeadAttention
from ..answers import each_answer
from ..drawn import Normal, seeded
from ..known_mistakes import near, recognise, refuse_number
from ..report import NotYet, Report, agrees, attempt, checking, expect_number

_MODEL = {"d_model": 64, "n_heads": 2, "d_k": 256}
_SQUARE = 4  # mean square of a row
_GLOROT = _SQUARE * 2 * 64 / (64 + 2 * 256)  # variance of a component of q and of k
_STARTS = {
    "divided": (_SQUARE**2, "Components of variance 4, and a product of two has 4 · 4."),
    "undivided": (256 * _SQUARE**2, "A sum of d_k products of variance 4 · 4."),
    "glorot_divided": (_GLOROT**2, "σ² |x|² = 2 · 256 / (64 + 512), for the queries and again for the keys."),
    "glorot_undivided": (256 * _GLOROT**2, "d_k (σ² |x|²)², with σ² = 2 / (64 + 512) and |x|² = 256."),
}


@checking
def check_starts(predictions: object) -> Report:
    """Is the variance of softmax's scores predicted for each arm, at d_model = 64, h = 2, d_k = 256, mean square 4?

    Args:
        predictions: name of the arm to a number; two per cent off is near enough.
    """
    for arm, answer in each_answer(predictions, _STARTS, "a number for each of"):
        said, (right, why) = expect_number(answer, f"`{arm}`"), _STARTS[arm]
        if math.isclose(said, right, rel_tol=0.02):
            continue
        if math.isclose(said, right / _SQUARE**2, rel_tol=0.02):
            raise NotYet(f"`{arm}`: {said:g} is for rows of mean square 1. Here |x|² is 4 · 64, and |y|² too.")
        per_head = (2 * 64 / (64 + 256)) ** 2 * (right / (_GLOROT / _SQUARE) ** 2)
        if said > 0 and math.isclose(said, math.sqrt(right), rel_tol=0.02):
            raise NotYet(f"`{arm}`: {said:g} is the standard deviation, or one of two equal factors. Square it.")
        if "glorot" in arm and math.isclose(said, per_head, rel_tol=0.02):
            raise NotYet(f"`{arm}`: the matrices of both heads stand side by side and are drawn as one, 64 × 512.")
        raise NotYet(f"`{arm}`: not {said:g}. {why}")
    return Report(True, "All four. At this width Glorot's matrices make either variance about 20 times smaller.")


def undo_by_weight(attention: MultiHeadAttention) -> MultiHeadAttention:
    """The faulty program of the exercise: it is meant to undo the division by √d_k."""
    with torch.no_grad():
        attention.w_q.weight *= math.sqrt(attention.d_k)
    return attention


@checking
def check_undo(candidate: object) -> Report:
    """Does ``candidate(attention)`` return a layer whose weights are softmax(q · k), all else as before?"""
    for seed, (d_model, heads, d_k) in enumerate([(12, 3, 4), (8, 2, 9)]):
        with seeded(seed):
            layer = MultiHeadAttention(d_model, heads, d_k).double()
            for parameter in layer.parameters():  # as if it had been trained: no bias is 0
                nn.init.normal_(parameter, std=0.5)
            x = torch.randn(2, 5, d_model, dtype=torch.float64)
        before = copy.deepcopy(layer)
        q, k = (p(x).view(2, 5, heads, d_k).transpose(1, 2) for p in (before.w_q, before.w_k))
        changed = attempt(candidate, layer)
        if not isinstance(changed, MultiHeadAttention):
            raise NotYet(f"Expected a MultiHeadAttention back, got {type(changed).__name__}.")
        with torch.no_grad():
            output, weights = changed(x, need_weights=True)
            fused, _ = changed(x)
            root, scores = math.sqrt(d_k), q @ k.transpose(-2, -1)
            half = ((q - before.w_q.bias.view(heads, 1, d_k)) * root + before.w_q.bias.view(heads, 1, d_k)) / root
            known = {
                "Nothing has changed: the scores are still divided by √d_k.": scores / root,
                "The scores are √d_k times too large: √d_k undoes the division, and d_k does more.": scores * root,
                "The scores are divided once more.": scores / d_k,
                "The bias was forgotten: q is x W plus a bias, and both parts have to grow.": half
                @ k.transpose(-2, -1),
            }
            if not agrees(weights, scores.softmax(-1)):
                told = recognise(weights, known, lambda got, wrong: agrees(got, wrong.softmax(-1)))
                raise NotYet(told or "The weights are not softmax(q · k).")
            right = before.w_o((scores.softmax(-1) @ _values(before, x)).transpose(1, 2).flatten(2))
            if not agrees(output, right):
                raise NotYet("The weights are right and the output is not: values and W^O should stay as they were.")
            if not agrees(fused, right):
                raise NotYet("Right with `need_weights=True`, wrong without: the fused path divides on its own.")
    return Report(True, "Weights softmax(q · k), with biases and without weights asked for, in two sizes.")


def _values(layer: MultiHeadAttention, x: Tensor) -> Tensor:
    return layer.w_v(x).view(*x.shape[:2], layer.n_heads, layer.d_v).transpose(1, 2)


def _masked_weights() -> Iterator[tuple[str, Tensor, Tensor]]:
    """Masks with rows of different lengths, some of one key; a key that is allowed may have the weight 0."""
    normal, causal = Normal(1), lambda n: torch.ones(n, n, dtype=torch.bool).tril()
    masks = {"a causal mask of 4 positions": causal(4), "a causal mask of 7 positions": causal(7)}
    masks["a window of 3 in 6 positions"] = causal(6).triu(-2)
    masks["a mask with gaps"] = torch.rand(5, 5, generator=normal.generator) < 0.5
    masks["a mask with gaps"] |= torch.eye(5, dtype=torch.bool)
    for n_heads, (name, mask) in enumerate(masks.items(), 1):
        scores = 3 * normal(n_heads, *mask.shape)
        if n_heads > 1:
            scores[:, -1, -1] = -5000.0  # allowed, and so far behind that its weight is 0
        yield name, scores.masked_fill(~mask, -torch.inf).softmax(-1), mask


@checking
def check_mean_normalised_entropy(candidate: object) -> Report:
    """Does ``candidate(weights, mask)`` give the mean entropy of the rows as a share of the most they could have?"""
    for name, weights, mask in _masked_weights():
        got = attempt(candidate, weights, mask)
        if (isinstance(got, float) and math.isnan(got)) or (isinstance(got, Tensor) and got.isnan().any()):
            raise NotYet("NaN: 0 · log 0 is to count as 0, and a row with one key has no share, being 0 / 0.")
        got, size = expect_number(got, "the mean share"), len(mask)
        rows = [
            ([float(w) for w in row], sum(allowed))
            for head in weights
            for row, allowed in zip(head, mask.tolist(), strict=True)
        ]
        entropies = [(-sum(w * math.log(w) for w in row if w > 0), n, sum(w > 0 for w in row)) for row, n in rows]
        shares = [h / math.log(n) for h, n, _ in entropies if n > 1]
        right = sum(shares) / len(shares)
        if math.isclose(got, right, rel_tol=1e-6):
            continue
        single = len(rows) - len(shares)
        not_none = [h / math.log(alive) for h, _, alive in entropies if alive > 1]
        by_place = [h / math.log(i % size + 1) for i, (h, *_) in enumerate(entropies) if i % size]
        known = {
            sum(h for h, *_ in entropies) / len(rows) / math.log(size): (
                "The most is the log of how many keys the mask allows in the row; a row with one key is left out."
            ),
            sum(h for h, n, _ in entropies if n > 1) / len(shares) / math.log(size): (
                "The most is the log of how many keys the mask allows in the row, not of how many there are."
            ),
            sum(not_none) / len(not_none): (
                "It counts the weights above 0. A key that may be attended to can have the weight 0: ask the mask."
            ),
            sum(by_place) / len(by_place): "It takes row i to have i + 1 keys. This mask is another one: ask it.",
            sum(shares) / len(rows): "A row with one key cannot be undecided; leave it out, do not count it as 0.",
            (sum(shares) + single)
            / len(rows): "A row with one key is not undecided; leave it out, do not count it as 1.",
            1 - right: "That is how decided the rows are; the share of the entropy is asked for.",
            right / math.log(2): "The entropy is in bits and the most in nats: take one logarithm for both.",
            sum(h for h, *_ in entropies) / len(rows): "Those are nats. Divide each by the most that it could be.",
            sum(h for h, n, _ in entropies if n > 1) / sum(math.log(n) for _, n, _ in entropies): (
                "That divides the sum of the entropies by the sum of their maxima; take the share of each row first."
            ),
        }
        refuse_number(f"For {name}", got, right, known, near(rel_tol=1e-6))
    return Report(True, "As by loops over the rows, under causal masks, a window and a mask with gaps.")


PROTOCOL = (
    "For each seed, both models start from the same random numbers and see the same batches.",
    "The learning rate is the best of five for the divided model, and is used for both.",
    "Losses are compared after the same number of steps.",
    "Seeds with which one of the two did not learn are left out as failed runs.",
    "The loss is measured on sentences that neither model was trained on.",
    "The larger norm of the gradient with respect to W^Q is taken as the better one.",
)
_UNFAIR = {
    2: "The other model may need another rate; tune both, or neither.",
    4: "Whether it learns is what is measured; leaving out failures measures something else.",
    6: "A constant factor in front of a gradient is undone by the learning rate, and entirely by Adam.",
}


_HINTS = {
    2: "Was everything that was chosen chosen for both models?",
    4: "Is every run counted, whatever came of it?",
    6: "Does a number that is compared say which model learns better?",
}


@checking
def check_unfair(chosen: object) -> Report:
    """Are the numbers, from 1, of the lines of `PROTOCOL` that make the comparison unfair or say nothing chosen?"""
    if chosen is ... or not isinstance(chosen, Collection) or isinstance(chosen, str | Mapping):
        raise NotYet("Give a set of numbers, such as {1, 3}; the lines are counted from 1.")
    try:
        wrong = sorted(set(chosen) - set(range(1, len(PROTOCOL) + 1)), key=str)
    except TypeError as error:
        raise NotYet("Give a set of numbers, and nothing else in it.") from error
    if wrong:
        raise NotYet(f"There is no line {wrong[0]}; they are counted from 1 to {len(PROTOCOL)}.")
    for line in sorted(set(chosen) - set(_UNFAIR)):
        raise NotYet(f"Line {line} is as it should be: “{PROTOCOL[line - 1]}”")
    missing = set(_UNFAIR) - set(chosen)
    if missing:
        hints = " ".join(_HINTS[line] for line in sorted(missing))
        raise NotYet(f"{len(missing)} more. {hints}")
    return Report(True, " ".join(_UNFAIR.values()))


@checking
def check_flat(d_model: object, n_heads: object, d_k: object) -> Report:
    """Do Glorot matrices of these sizes, with the division, start with scores of a variance below 1/100?"""
    sizes = {"d_model": d_model, "n_heads": n_heads, "d_k": d_k}
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or not 1 <= size <= 4096:
            raise NotYet(f"`{name}` should be a whole number from 1 to 4096.")
    d_model, n_heads, d_k = (int(size) for size in sizes.values())
    if d_model == 1:
        raise NotYet("A row with one number has no mean square of 1 after a LayerNorm, which makes that number 0.")
    if d_model * n_heads * d_k > 2**23:
        raise NotYet("These matrices have more than 8 million entries; smaller ones will do.")
    with seeded(0):
        x, y = nn.functional.layer_norm(torch.randn(2, 400, d_model), [d_model])
        w_q, w_k = (nn.init.xavier_uniform_(torch.empty(n_heads * d_k, d_model)) for _ in "qk")
    q, k = ((a @ w.T).view(400, n_heads, d_k) for a, w in ((x, w_q), (y, w_k)))
    measured = float(((q * k).sum(-1) / math.sqrt(d_k)).var())
    predicted = (2 * d_model / (d_model + n_heads * d_k)) ** 2
    if predicted >= 0.01:
        raise NotYet(
            f"Predicted {predicted:.3g}, measured {measured:.3g}: not below 0.01. What does Glorot's variance, "
            "2 / (rows + columns), do when the matrix grows wider and its input does not?"
        )
    return Report(True, f"Predicted {predicted:.2g}, measured {measured:.2g}: attention begins all but uniform.")


_ENTRY, _KEY, _RATE, _ROOT = 0.16, 4, 0.001, 8  # what the exercise gives, at d_k = 64
_SCORE, _STEP = _ENTRY * _KEY, _RATE * _KEY  # without a division
_STEPS = {
    "divided score": (_SCORE / _ROOT, "0.16 · 4/8."),
    "divided step": (_STEP / _ROOT, "The entry moves by 0.001, and what it adds by 0.001 · 4/8."),
    "folded score": (_SCORE / _ROOT, "The entry is 0.16/8, and nothing divides afterwards."),
    "folded step": (_STEP, "The entry moves by the whole rate, however small it is, and nothing divides afterwards."),
    "fourth score": (_SCORE, "It has the usual start, 0.16, and nothing divides afterwards."),
    "fourth step": (_STEP / _ROOT, "It has the small rate, 0.001/8, and nothing divides afterwards."),
    "undivided score": (_SCORE, "0.16 · 4, and nothing divides."),
    "undivided step": (_STEP, "0.001 · 4, and nothing divides."),
}


@checking
def check_steps(predictions: object) -> Report:
    """Is it predicted what an entry adds to a score at width 64, and how far one step moves that, in each arm?

    Args:
        predictions: name of an arm with ``score`` or ``step`` to a number; one per cent off is near enough.
    """
    for name, answer in each_answer(predictions, _STEPS, "a number for each of"):
        said, (right, why) = expect_number(answer, f"`{name}`"), _STEPS[name]
        as_good = near(rel_tol=0.01)
        if as_good(said, right):
            continue
        known = {
            "That divides by 64; the root of d_k is 8.": [_SCORE / 64, _STEP / 64],
            "That is how far the entry moves; it meets a component 4 of a key.": [right / _KEY, _RATE],
            "That is the score after the step; how far it has moved is asked for.": [
                right + start for start in (_SCORE, _SCORE / _ROOT) if name.endswith("step")
            ],
        }
        told = recognise(said, [(text, wrong) for text, numbers in known.items() for wrong in numbers], as_good)
        raise NotYet(f"`{name}` is not {said:g}. {why if told is None else told}")
    return Report(True, "All eight. The start is that of divided or of undivided, and the step is, too: four arms.")


_CASES = (("adam", 0.02, 4.0), ("adam", 0.05, 16.0), ("sgd", 0.5, 3.0), ("sgd", 0.2, 10.0))


def _losses(rate: float, optimizer: str, c: float) -> Tensor:
    """The losses of 15 steps of a model that uses c · V, where V begins c times smaller; c = 1 is the model of W."""
    random = torch.Generator().manual_seed(1)
    x, keys, w = (torch.randn(*shape, generator=random, dtype=torch.float64) for shape in ((12, 5), (4, 3), (5, 3)))
    labels = torch.randint(4, (12,), generator=random)
    v = (w / c).requires_grad_()
    make = {"adam": lambda: torch.optim.Adam([v], lr=rate, eps=1e-15), "sgd": lambda: torch.optim.SGD([v], lr=rate)}
    steps, found = make[optimizer](), []
    for _ in range(15):
        loss = F.cross_entropy(x @ (c * v) @ keys.T, labels)
        steps.zero_grad()
        loss.backward()
        steps.step()
        found.append(loss.item())
    return torch.tensor(found, dtype=torch.float64)


@checking
def check_fitting_rate(candidate: object) -> Report:
    """Does ``candidate(rate, c, optimizer)`` give the rate at which V = W/c is trained as W is?

    The optimizer is ``"adam"`` or ``"sgd"``. Both models are trained, and their losses compared.
    """
    for optimizer, rate, c in _CASES:
        got = expect_number(attempt(candidate, rate, c, optimizer), "the rate")
        where = f"With {optimizer!r}, rate {rate:g} and c = {c:g}"
        if got <= 0:
            raise NotYet(f"{where} it gives {got:g}. A learning rate is a positive number.")
        wanted, found = _losses(rate, optimizer, 1.0), _losses(got, optimizer, c)
        if agrees(found, wanted):
            continue
        adam = optimizer == "adam"
        known = {
            rate: "The rate is as it was, and V is c times smaller than W: a step of one length changes c · V more.",
            rate * c: "The rate has grown. A step in V counts c times in c · V, so it has to shrink.",
            rate / math.sqrt(c): "The root has no part in this: whatever c is, c · V moves c times as far as V.",
            rate / c: "Right for Adam. Here the gradient counts, too: with respect to V it is c times as large.",
            rate / c**2: "Right for plain gradient descent. Adam divides the gradient by its size, so c counts once.",
        }
        if not adam:
            known[rate] = "The rate is as it was. The gradient is c times as large, and each step counts c times."
        told = recognise(got, known, near(rel_tol=1e-6)) or ""
        apart = float((found - wanted).abs().max())
        raise NotYet(f"{where} it gives {got:.4g}, and the losses differ by up to {apart:.1g}. {told}".rstrip())
    return Report(True, "With Adam and with plain gradient descent both models have the same losses, step by step.")


_THREE_OF_TWELVE = {
    "norm": (
        math.sqrt(2) / 3,
        {
            2 / 9: "That is its square.",
            math.sqrt(12) / 9: "That is the diagonal alone; six more entries are not 0.",
            math.sqrt(6) / 9: "Those are the entries beside the diagonal; the three on it count too.",
            0.5: "That is the norm for two keys.",
            math.sqrt(18 / 81 / 9): "The root of the sum is asked for, not of the mean.",
        },
    ),
    "sd": (
        math.sqrt(2) / 36,
        {
            math.sqrt(2) / 9: "A zero is an entry, too: there are 144 of them.",
            math.sqrt(2) / 432: "The root of the number of entries divides the norm.",
            math.sqrt(2) / 3 / math.sqrt(12): "There are 144 entries, not 12.",
            1 / 648: "That is its square.",
            0.0: "0 is the mean of the entries.",
        },
    ),
    "median": (
        0.0,
        {
            -1 / 9: "That is the middle one of nine. There are 144 entries.",
            1 / 108: "That is the mean size.",
            1 / 9: "That is the middle size of nine. There are 144 entries.",
        },
    ),
    "dead": (
        135,
        {
            9: "Those are the entries that are alive.",
            0.9375: "That is their share; their number is asked for.",
            93.75: "That is their share in per cent; their number is asked for.",
            141: "Six entries beside the diagonal are alive, too.",
            81: "An entry is dead already if one of its two keys has no weight.",
            138: "Three entries stand on the diagonal: each of the three keys has one.",
        },
    ),
}


@checking
def check_three_of_twelve(answers: object) -> Report:
    """Is the size of a Jacobian predicted in which three keys of twelve share the weight?

    Args:
        answers: a number for each of ``norm``, ``sd``, ``median`` and ``dead``; one per cent off is near enough.
    """
    for name, answer in each_answer(answers, _THREE_OF_TWELVE, "one number for each of", put="a number"):
        got, (right, slips) = expect_number(answer, f"`{name}`"), _THREE_OF_TWELVE[name]
        as_good = near(rel_tol=0.01, abs_tol=1e-9)
        if not as_good(got, right):
            raise NotYet(f"`{name}` is not {got:.4g}. {recognise(got, slips, as_good) or ''}".rstrip())
    return Report(True, "All four. The norm sees nine entries, and the median sees the other 135.")
