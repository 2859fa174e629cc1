"""Checks for *Translation as probability*, *What does a loss mean?* and *Label smoothing*.

The oracles are torch's cross-entropy and SciPy's entropies.
"""

import math

import numpy as np
import torch
from scipy.stats import entropy

from ..answers import from_list, is_one_of
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

# Each number to be predicted: its value, and what other values come from.
_PRODUCTS = {
    "a": (1 / 16, {2.25: "multiply, do not add", 0.5625: "that is the mean", 0.125: "one factor is missing"}),
    "b": (4.0, {2.772589: "that is in nats: take the logarithm to base 2", 0.0625: "that is the probability itself",
                -4.0: "a surprise is minus the logarithm"}),
    "c": (1.0, {4 / 3: "the token of probability 1 counts too: it is `</s>`", 0.693147: "that is in nats"}),
    "d": (2.0, {2.718282: "2 to the power of bits, or e to the power of nats, not e to the power of bits",
                16.0: "that is for the whole sentence: divide the surprise by the number of tokens first",
                2.5: "that is the mean of 1/p: the mean is taken of the logarithms"}),
}  # fmt: skip
_FACTORS = {
    "a": (4 / 7, {0.4: "of those who began with *gracias* only", 1.0: "three of seven go on after *gracias*"}),
    "b": (3 / 7, {0.3: "of those who began with *gracias* only", 1 / 7: "*gracias a usted* goes on with *a* too",
                  2 / 7: "*gracias a ti* goes on with *a* too"}),
    "c": (2 / 3, {0.2: "of those who began with *gracias a* only", 2 / 7: "of those who began with *gracias a* only"}),
    "d": (0.3, {0.0: "nobody ends there, but the factor of `</s>` is left out", 0.7: "that is the first factor",
                3 / 7: "that is the second factor"}),
}  # fmt: skip
_TRUTH = np.array([0.3, 0.2, 0.2, 0.1, 0.2])


def _as_array(values: object) -> object:
    """A list or a torch tensor of numbers as a NumPy array; anything else as it is."""
    return values.detach().numpy() if isinstance(values, torch.Tensor) else from_list(values)


@checking
def check_products(predictions: object) -> Report:
    """Are the four predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _PRODUCTS, 1e-4, known_within=1e-3)
    return Report(True, "1/16, 4 bits, 1 bit per token, perplexity 2: as if each token were the toss of a fair coin.")


@checking
def check_factors(predictions: object) -> Report:
    """Are the four factors right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _FACTORS, 1e-3, known_within=1e-3)
    return Report(True, "4/7, 3/7, 2/3, and 3/10: the share of the answers that begin with *gracias a*.")


@checking
def check_no_end(total: object, shares: object) -> Report:
    """Is ``total`` the sum over all beginnings, and is it 3 for the answers ``shares``, none of which has 3 words?"""
    mistakes = {
        1.0: "that is the sum with the factors of `</s>`",
        1.3: "*muchas* and *gracias a* are beginnings too",
        1.6: "one of *muchas* and *gracias a* is missing",
        0.9: "the beginnings of one word count too",
    }
    expect_predictions({"a": total}, {"a": (1.9, mistakes)}, 1e-3)
    if not isinstance(shares, dict) or not all(isinstance(text, str) and text.split() for text in shares):
        raise NotYet("(b) Give a dictionary from answers, each of one word or more, to their shares.")
    if any(len(text.split()) == 3 for text in shares):
        raise NotYet("(b) One of these answers has three words.")
    each = {text: expect_number(share, f"(b) the share of {text!r}") for text, share in shares.items()}
    if min(each.values(), default=0.0) <= 0 or abs(sum(each.values()) - 1) > 1e-6:
        raise NotYet(f"(b) Shares are above 0 and sum to 1; these sum to {sum(each.values()):.4g}.")
    found = sum(share * len(text.split()) for text, share in each.items())
    if abs(found - 3) > 1e-6:
        raise NotYet(f"(b) For these answers the sum over all beginnings is {found:.4g}.")
    return Report(True, "1.9, and 3: an answer of n words has n beginnings, so the sum is the mean number of words.")


@checking
def check_log_probability(candidate: object) -> Report:
    """Does ``candidate(logits, tgt)`` sum the right log-probabilities, those of the tokens after ``<s>``?"""
    generator = torch.Generator().manual_seed(0)
    for length, vocab_size in ((5, 7), (2, 4), (9, 30), (80, 8000)):
        logits = 3 * torch.randn(length, vocab_size, generator=generator, dtype=torch.float64)
        tgt = torch.cat([torch.tensor([1]), torch.randint(3, vocab_size, (length - 2,), generator=generator),
                         torch.tensor([2])])  # fmt: skip
        got = attempt(candidate, logits, tgt)
        if is_one_of(got, (-math.inf,)):
            raise NotYet(
                f"With {length} tokens and a vocabulary of {vocab_size} it is −∞: a product of so many probabilities "
                "is too small for a computer. Take the logarithms first, and add them."
            )
        got = expect_number(got, "the log-probability")
        log_p = logits.log_softmax(dim=-1)
        each = log_p[:-1].gather(1, tgt[1:, None])[:, 0]
        right = float(each.sum())
        if abs(got - right) < 1e-6 * max(1, abs(right)):
            continue
        inputs = f"With {length} tokens and a vocabulary of {vocab_size} it is {got:.6g} and should be {right:.6g}"
        mistakes = {
            float(log_p.gather(1, tgt[:, None]).sum()): "row t is asked for the token after `tgt[t]`, and the row of "
            "`</s>` for nothing: the targets are not shifted",
            float(each[:-1].sum()): "the factor of `</s>` is missing: to end is a choice too",
            float(each.mean()): "that is the mean per token: sum them",
            -right: "that is the surprise: the sign is turned",
            right / math.log(2): "that is in bits: take the natural logarithm",
            float(each.exp().prod()): "that is the probability: take its logarithm, and not at the end, where it is 0",
            float(logits[:-1].gather(1, tgt[1:, None]).sum()): "those are scores: take the log-softmax first",
            float(logits.log_softmax(dim=0)[:-1].gather(1, tgt[1:, None]).sum()): "the softmax runs over the positions "
            "and not over the vocabulary",
        }
        hint = recognise(got, mistakes, near(rel_tol=1e-6, abs_tol=1e-6))
        raise NotYet(f"{inputs}: {hint}." if hint else f"{inputs}.")
    return Report(True, "It is the sum of the log-probabilities of all tokens after `<s>`, `</s>` included.")


@checking
def check_smoothed_target(candidate: object) -> Report:
    """Is ``candidate(y, vocab_size, epsilon)`` the smoothed distribution that torch's cross-entropy uses?"""
    for y, vocab_size, epsilon in ((1, 5, 0.1), (0, 3, 0.3), (6, 7, 0.0)):
        got = attempt(candidate, y, vocab_size, epsilon)
        got = expect_array(_as_array(got), (vocab_size,), "one share per token", like=np.array(0))
        # The loss is linear in log q, so its gradient at log q = 0 is minus the target.
        z = torch.zeros(1, vocab_size, dtype=torch.float64, requires_grad=True)
        torch.nn.functional.cross_entropy(z, torch.tensor([y]), label_smoothing=epsilon).backward()
        right = 1 / vocab_size - z.grad[0].numpy()
        if agrees(got, right):
            continue
        inputs = f"With {vocab_size} tokens and ε = {epsilon}"
        if abs(got.sum() - 1) > 1e-6:
            missing = "short of 1 by the true token's own share, ε/V" if got.sum() < 1 else "above 1"
            raise NotYet(f"{inputs} the shares sum to {got.sum():.4g}, {missing}: this is no distribution.")
        others = np.full(vocab_size, epsilon / (vocab_size - 1))
        others[y] = 1 - epsilon
        if agrees(got, others):
            raise NotYet(f"{inputs}: ε is spread over the other tokens only. Here it goes to all V, the true one too.")
        if got.argmax() != right.argmax():
            raise NotYet(f"{inputs} and y = {y} the largest share is at {got.argmax()} (counted from 0).")
        raise NotYet(f"{inputs} and y = {y}: {first_difference(got, right)}.")
    return Report(True, "It sums to 1, and it is the target that torch's `label_smoothing` stands for.")


@checking
def check_smoothed_gradient(candidate: object) -> Report:
    """Is ``candidate(z, y, epsilon)`` the gradient of the smoothed loss with respect to the scores?"""
    generator = np.random.default_rng(5)
    for y, vocab_size, epsilon, mean in ((1, 5, 0.1, 0), (0, 3, 0.3, 0), (6, 7, 0.0, 0), (2, 4, 0.2, 1000)):
        z = mean + generator.standard_normal(vocab_size)
        got = attempt(candidate, z, y, epsilon)
        inputs = f"With {vocab_size} scores{' of about 1000' * (mean > 0)} and ε = {epsilon}"
        if mean and isinstance(got, np.ndarray) and np.isnan(got).any():
            raise NotYet(f"{inputs} it has NaN: subtract the largest score before taking exponentials.")
        got = expect_array(_as_array(got), (vocab_size,), "one number per score", like=np.array(0), name="the gradient")
        leaf = torch.tensor(z, requires_grad=True)
        torch.nn.functional.cross_entropy(leaf[None], torch.tensor([y]), label_smoothing=epsilon).backward()
        right = leaf.grad.numpy()
        if agrees(got, right):
            continue
        certain = np.eye(vocab_size)[y]
        target = (1 - epsilon) * certain + epsilon / vocab_size
        q = right + target
        mistakes = {
            "the sign is turned: the gradient points uphill": target - q,
            "that is the gradient with the certain target: smooth the target too": q - certain,
            "those are scores minus the target: take the softmax of the scores first": z - target,
            "the target has only 1 − ε at the true token: its own share ε/V is missing": q
            - target
            + certain * epsilon / vocab_size,
            "ε is spread over the other tokens only: it goes to all V": q
            - np.where(certain > 0, 1 - epsilon, epsilon / (vocab_size - 1)),
            "that is the mean over the tokens: the loss is their sum": right / vocab_size,
            "those are the probabilities: the target is still to be subtracted": q,
        }
        hint = recognise(got, mistakes)
        raise NotYet(f"{inputs}: {hint or first_difference(got, right)}.")
    return Report(True, "It is the gradient that torch finds: the probabilities minus the smoothed target.")


@checking
def check_perplexity(candidate: object) -> Report:
    """Does ``candidate(surprises)`` give e to the power of the mean surprise per token, over all sentences together?"""
    cases = ([[0.1, 0.2], [3.0]], [[1.0] * 4, [2.0, 0.0]], [[0.5], [0.1] * 30, [4.0, 5.0]])
    for case in cases:
        surprises = [np.array(sentence) for sentence in case]
        got = expect_number(attempt(candidate, surprises), "the perplexity")
        every = np.concatenate(surprises)
        right = float(np.exp(every.mean()))
        if abs(got - right) < 1e-6 * right:
            continue
        means = np.array([sentence.mean() for sentence in surprises])
        totals = np.array([sentence.sum() for sentence in surprises])
        mistakes = {
            float(np.exp(means).mean()): "that is the mean of the sentences' perplexities: exponentials grow so fast "
            "that the worst sentence decides",
            float(np.exp(means.mean())): "each sentence counts once, so tokens of a short one weigh more: sum over "
            "all tokens and divide by their number",
            float(np.exp(totals.mean())): "that is a sentence's: divide by the number of tokens",
            float(np.exp(every).mean()): "the mean is taken of 1/p: take it of the surprises, then the exponential",
            float(every.mean()): "that is the mean surprise: its exponential is asked for",
            float(2 ** every.mean()): "the surprises are in nats: e to their power, not 2",
        }
        hint = recognise(got, mistakes, near(rel_tol=1e-6, abs_tol=1e-6))
        told = f"For surprises of {case} it is {got:.4g} and should be {right:.4g}"
        raise NotYet(f"{told}: {hint}." if hint else f"{told}.")
    return Report(True, "The exponential comes last, after one mean over all tokens of all sentences.")


@checking
def check_misleading(surprises: object) -> Report:
    """Is the mean of two sentences' perplexities more than twice the perplexity of both together?"""
    if surprises is ... or (isinstance(surprises, (list, tuple)) and any(row is ... for row in surprises)):
        raise NotYet("The two sentences are still open.")
    if not isinstance(surprises, (list, tuple)) or len(surprises) != 2:
        raise NotYet("Give a list of two sentences, each a list of the surprises of its tokens, in nats.")
    rows = [_as_array(row) for row in surprises]
    for name, row in zip(("the first sentence", "the second sentence"), rows, strict=True):
        expect_array(row, like=np.array(0), name=name)
        if row.ndim != 1 or not row.size or not np.isfinite(row).all() or row.min() < 0:
            raise NotYet(
                f"Give {name} as a list of surprises, at least one, and none below 0: −log p is never negative."
            )
    reported = float(np.mean([np.exp(row.mean()) for row in rows]))
    right = float(np.exp(np.concatenate(rows).mean()))
    told = f"Reported {reported:.4g}, right {right:.4g}"
    if reported <= 2 * right:
        hint = " A sentence that decides the mean of two may hold few of the tokens." if reported < 2 * right else ""
        raise NotYet(f"{told}: {reported / right:.3g} times as much, and more than twice is asked for.{hint}")
    return Report(True, f"{told}: {reported / right:.3g} times as much.")


@checking
def check_below_the_floor(counts: object) -> Report:
    """Are ten answers, counted, likely enough, with an entropy at least 0.3 nats below that of where they come from?"""
    try:
        counts = np.asarray(counts)
    except (TypeError, ValueError, RuntimeError):  # rows of unequal length, or a tensor that NumPy cannot read
        counts = np.empty(0)
    if counts.shape != (5,) or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise NotYet("Give five whole numbers, none below 0: how often each answer was heard.")
    if counts.sum() != 10:
        raise NotYet(f"Ten people were asked; these are {counts.sum()} answers.")
    floor, seen = entropy(_TRUTH), entropy(counts / 10)
    if seen > floor - 0.3:
        raise NotYet(
            f"The shares of these answers have a mean surprise of {seen:.3f} nats on themselves; H(p) is {floor:.3f}. "
            "Fewer different answers are less surprising."
        )
    ways = math.factorial(10) / math.prod(map(math.factorial, counts.tolist()))
    likely = ways * float(np.prod(_TRUTH**counts))
    if likely < 0.001:
        raise NotYet(
            f"Ten people would give these answers with a probability of {likely:.2g}, and 0.001 is asked for: a model "
            "that needs such luck is no example. Let a common answer be heard too often, and a rare one never."
        )
    new = entropy(_TRUTH) + entropy(_TRUTH, counts / 10)
    cost = f"{new:.3f} nats" if math.isfinite(new) else "infinitely much, for an answer can come that was not counted"
    below = f"{seen:.3f} nats, {floor - seen:.3f} below the entropy, from answers of probability {likely:.2g}"
    return Report(True, f"{below}. New answers would cost these shares {cost}.")


@checking
def check_asymmetry(p: object, q: object) -> Report:
    """Are p and q distributions over three tokens with D(p ‖ q) at least three times D(q ‖ p)?"""
    p, q = _as_array(p), _as_array(q)
    for name, one in (("p", p), ("q", q)):
        expect_array(one, (3,), "one share per token", like=np.array(0), name=name)
        if abs(one.sum() - 1) > 1e-6 or one.min() < 0.001:
            raise NotYet(f"{name} must sum to 1, with no share below 0.001: got {one.tolist()}.")
    there, back = entropy(p, q), entropy(q, p)
    if max(there, back) < 1e-9:
        raise NotYet("p and q are the same: both divergences are 0.")
    if there < 3 * back:
        dearest = int(np.argmax(p * np.log(p / q)))
        hint = "The other way round it would do." if back >= 3 * there else (
            f"D(p ‖ q) gets most from token {dearest} (counted from 0), {p[dearest]:.3g} · log({p[dearest]:.3g}/"
            f"{q[dearest]:.3g}): what would make one such term large, and no term of the other sum?"
        )  # fmt: skip
        raise NotYet(f"D(p ‖ q) is {there:.4f} and D(q ‖ p) is {back:.4f}. {hint}")
    return Report(True, f"D(p ‖ q) is {there:.4f}, D(q ‖ p) is {back:.4f}: what p does and q nearly excludes is dear.")
