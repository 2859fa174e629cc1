"""Checks for *Two square roots*: lengths of words and positions, who divides by what, one table for two jobs."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from ...attention.positions import sinusoidal_positions
from ..answers import is_one_of
from ..drawn import seeded
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

WIDTH, VARIANCE = 72, 1 / 36  # of the exercise's table: not the sizes that the page prints


@checking
def check_lengths(predictions: object) -> Report:
    """Are these the mean lengths and shares at d_model = 72, for embeddings drawn with the variance 1/36?

    Args:
        predictions: numbers under ``"embedding"``, ``"multiplied"``, ``"position"``, ``"share without"`` and
            ``"share with"``; a share is that of the position in the sum of the two squared lengths.
    """
    root, row = math.sqrt(WIDTH), math.sqrt(WIDTH * VARIANCE)
    place = sinusoidal_positions(1, WIDTH).norm().item()  # the same for every position
    wanted = {"embedding": row, "multiplied": root * row, "position": place}
    wanted |= {
        f"share {how}": place**2 / (word**2 + place**2) for how, word in (("without", row), ("with", root * row))
    }
    known = {
        "embedding": {root: "That is a row drawn from N(0, 1). Here a coordinate's square is 1/36 on average.",
                      math.sqrt(VARIANCE): "That is the size of a coordinate. The row has 72 of them.",
                      row**2: "That is the squared length.",
                      1.0: "That is a row drawn with the variance 1/72. Here it is 1/36."},
        "multiplied": {WIDTH * row: "That multiplies by d_model; the factor is its root.",
                       row: "That is before the multiplication.",
                       root: "That is the factor itself. A row is not 1 long here."},
        "position": {root: "Not every coordinate has the square 1: sin² + cos² = 1 is said of a *pair*.",
                     math.sqrt(2) * root: "There are half as many pairs as coordinates, not twice as many.",
                     place**2: "That is the squared length.",
                     1.0: "That is one pair; there are 36."},
        "share without": {place / (row + place): "That is the share of the lengths; square them first.",
                          place**2 / (1 + place**2): "That is beside a row of length 1. How long are these rows?"},
        "share with": {place / (root * row + place): "That is a share of lengths, or beside rows of length √d_model. "
                                                     "Take the squared lengths of these rows.",
                       1 - wanted["share with"]: "That is the word's share."},
    }  # fmt: skip
    if not isinstance(predictions, Mapping) or set(predictions) != set(wanted):
        raise NotYet(f"Give a number under each of {', '.join(map(repr, wanted))}.")
    for name, right in wanted.items():
        if predictions[name] is ...:
            raise NotYet(f"The prediction of {name!r} is still open.")
        said = expect_number(predictions[name], name)
        if not math.isclose(said, right, rel_tol=0.005):
            per_cent = {100 * right: "A share is a part of 1, not of 100."} if name.startswith("share") else {}
            why = recognise(said, known[name] | per_cent, near(rel_tol=0.005))
            raise NotYet(f"{name!r} is not {said:g}. {why or 'Add up the squares of the coordinates first.'}")
    return Report(True, "Without the factor the position drowns the word; with it, the word is the larger part.")


@checking
def check_embed(candidate: object) -> Report:
    """Does ``candidate(tokens, table, positions)`` give what a Transformer's first layer reads?

    ``tokens`` is (batch, length), ``table`` (vocab_size, d_model), ``positions`` (max_len, d_model).
    """
    generator = torch.Generator().manual_seed(5)
    for batch, length, d_model in ((2, 3, 16), (1, 7, 36)):
        tokens = torch.randint(11, (batch, length), generator=generator)
        table = torch.randn(11, d_model, generator=generator) / math.sqrt(d_model)
        positions = torch.randn(9, d_model, generator=generator)
        word, place, root = table[tokens], positions[:length], math.sqrt(d_model)
        right = word * root + place
        got = expect_array(attempt(candidate, tokens, table, positions), right.shape, "batch, length, d_model")
        if agrees(got, right):
            continue
        known = {
            "The factor is missing: the embeddings are added as they are.": word + place,
            "It divides the embeddings by the root. That root belongs to the scores.": word / root + place,
            "It multiplies by d_model and not by its root.": word * d_model + place,
            "It multiplies the positions too. Then the factor changes no proportion.": (word + place) * root,
            "It multiplies the positions instead of the embeddings.": word + place * root,
            "The positions are missing.": word * root,
            "The positions are counted from 1; the first row is for the first token.": word * root
            + positions[1 : length + 1],
            "The root is that of the vocabulary; the width is the last axis.": word * math.sqrt(11) + place,
        }
        why = recognise(got, known)
        where = first_difference(got, right, axes=("sentence", "position", "coordinate"))
        raise NotYet(why or f"Wrong at {where}.")
    return Report(True, "Rows of the table, times the root of the width, plus the first positions.")


def _attention_with(divisor: float):
    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return torch.softmax(q @ k.transpose(-2, -1) / divisor, dim=-1) @ v

    return attention


@checking
def check_divisor(candidate: object) -> Report:
    """Does ``candidate(attention, d_k)`` find by which number an attention function divides its scores?

    ``attention(q, k, v)`` gives outputs only; q and k are d_k wide.
    """
    for d_k, divisor in ((16, 4.0), (16, 8.0), (64, 8.0), (9, 1.0), (4, 4.0), (25, 5.0), (64, 1 / 8)):
        got = expect_number(attempt(candidate, _attention_with(divisor), d_k), "the divisor")
        if math.isclose(got, divisor, rel_tol=0.01):
            continue
        known = {
            1 / divisor: "That is the reciprocal.",
            divisor**2: "That is its square.",
            math.sqrt(divisor): "That is its root.",
            math.sqrt(d_k): "It answers √d_k whatever the function does. Ask the function.",
            divisor * math.log(10): "Softmax is made with e: take the natural logarithm.",
            divisor * math.log(2): "Softmax is made with e: take the natural logarithm.",
            -divisor: "The sign: divide the leads in the same order.",
            0: "A weight was rounded to 0, so its logarithm is gone: choose a smaller dot product.",
        }
        why = recognise(got, known, near(rel_tol=0.01))
        hint = "The logarithm of the ratio of two weights is the difference of their scores."
        raise NotYet(f"A function divides by {divisor:g} (d_k = {d_k}), and the answer is {got:g}. {why or hint}")
    return Report(True, "Found for seven functions, those that divide by the wrong number or multiply among them.")


@checking
def check_cancel(line: object) -> Report:
    """Is this the line of the argument that is wrong?"""
    if line is ...:
        raise NotYet("The answer is still open.")
    if isinstance(line, bool) or not is_one_of(line, (1, 2, 3, 4)):
        raise NotYet(f"Give the number of a line, from 1 to 4, not {line!r}.")
    if line != 2:
        reasons = {
            1: "A number times √d_model is √d_model times as large; that much is true.",
            3: "The divisor is √d_k, as everywhere in this book.",
            4: "It follows from the lines above. One of them is wrong.",
        }
        raise NotYet(f"Line {line} holds. {reasons[int(line)]}")
    return Report(True, "A norm stands between the embedding and the projections, and takes every common factor out.")


@checking
def check_words(candidate: object) -> Report:
    """Does the class ``candidate(vocab_size, d_model)`` read and answer with one matrix, each at its right size?

    Its objects have ``embed(tokens)`` and ``logits(x)``. For any width, the numbers of an embedded word must have
    variance 1, and so must the logits of an x whose numbers have variance 1.
    """
    for d_model in (64, 256):
        with seeded(d_model):
            words = attempt(candidate, 1000, d_model)
            if not isinstance(words, torch.nn.Module):
                raise NotYet("Pass the class itself, a torch module.")
            x = torch.nn.functional.layer_norm(torch.randn(50, d_model), (d_model,))
        with torch.no_grad():
            read, logits = attempt(words.embed, torch.arange(1000)[None]), attempt(words.logits, x)
        matrices = [p for p in words.parameters() if p.dim() == 2]
        if len(matrices) != 1:
            raise NotYet(f"It has {len(matrices)} matrices: words and logits are to share one.")
        read, answered = (float(expect_array(numbers).var()) for numbers in (read, logits))
        _variances(read, answered, d_model)
    return Report(True, "One matrix, words read at variance 1 and logits of variance 1, at two widths.")


def _variances(read: float, answered: float, d_model: int) -> None:
    def near(value: float, target: int | float) -> bool:
        return math.isclose(value, target, rel_tol=0.15)

    if near(answered, d_model) and near(read, d_model):
        raise NotYet(f"At width {d_model} both variances are about {d_model}: rows of N(0, 1), and the factor on top.")
    if near(answered, d_model):
        raise NotYet(
            f"At width {d_model} the logits have variance {answered:.0f}: they add up {d_model} products of 1 and 1."
        )
    if near(answered, 1) and near(read, 1 / d_model):
        raise NotYet("The logits are right, but a word is read at variance 1/d_model: the factor is missing.")
    if not near(answered, 1) or not near(read, 1):
        raise NotYet(f"At width {d_model} a word is read at variance {read:.3g}, and logits have {answered:.3g}.")
