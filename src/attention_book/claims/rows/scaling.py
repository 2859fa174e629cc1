"""F and M rows about the derivative of softmax and the scale of its scores: formula, mean, size, and LayerNorm."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from ... import experiments
from ...analysis.score_variance import head_variances
from ...attention.probability import softmax, softmax_jacobian
from ...translation.shipped_translator import SENTENCES, ids, model
from ..claim import Claim, Verdict
from ..printed import in_tens

ROUNDING = 1e-12  # two float64 computations of one number of ordinary size differ by less


def jacobian_formula() -> dict[str, Any]:
    """F10: the formula against autograd at three temperatures; and with p taken without the temperature."""
    s = torch.randn(6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    worst = {"difference": 0.0, "difference_without_c_in_p": 0.0}
    for c in (0.5, 1.0, 8.0):
        truth = torch.autograd.functional.jacobian(lambda x, c=c: softmax(x / c), s)
        for name, p in (("difference", softmax(s / c)), ("difference_without_c_in_p", softmax(s))):
            formula = (torch.diag(p) - torch.outer(p, p)) / c
            worst[name] = max(worst[name], float((formula - truth).abs().max()))
    return worst


def decide_jacobian_formula(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F10: right, as it says softmax(s / C)."""
    wrong_p = f"with p = softmax(s) they would differ by up to {value['difference_without_c_in_p']:.2f}"
    if value["difference"] < ROUNDING:
        found = f"The formula and autograd agree within {in_tens(value['difference'], 1)} at three temperatures"
        return "right", f"{found}, p being softmax(s / C); {wrong_p}."
    return "wrong", f"The formula and autograd differ by up to {value['difference']:.2f}; {wrong_p}."


def jacobian_means() -> dict[str, Any]:
    """F16: means and sizes of many Jacobians."""
    random, means, norms = np.random.default_rng(1), [], []
    for n in (4, 16, 64):
        for c in (1.0, math.sqrt(n)):
            jacobians = softmax_jacobian(random.normal(scale=math.sqrt(n), size=(20, n)), c)
            means += np.abs(jacobians.mean(axis=(1, 2))).tolist()
            norms += np.linalg.norm(jacobians, axis=(1, 2)).tolist()
    return {
        "jacobians": len(means),
        "largest_mean": max(means),
        "smallest_norm": min(norms),
        "largest_norm": max(norms),
    }


def decide_jacobian_means(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F16: rows sum to 0."""
    if value["largest_mean"] > ROUNDING:
        return "right", f"The mean differs from 0 by up to {value['largest_mean']:.3g}."
    why = (
        "Each row sums to 0, because the weights always sum to 1, so the mean is 0 for every s. In "
        f"{value['jacobians']:.0f} Jacobians it is at most {in_tens(value['largest_mean'], 1)}, rounding alone, while "
        f"their Frobenius norms run from {in_tens(value['smallest_norm'], 1)} to {value['largest_norm']:.2f}."
    )
    return "wrong", why


def jacobian_sizes() -> dict[str, Any]:
    """M11: what `results/jacobian-statistics.json` says of Frobenius norms, for n scores of variance n."""
    result = experiments.read("jacobian-statistics")
    seeds = list(result["seeds"].values())
    metrics = {
        "mean_undivided": "popular/undivided/frobenius/mean",
        "mean_divided": "popular/divided/frobenius/mean",
        "median_undivided": "popular/undivided/frobenius/median",
        "median_divided": "popular/divided/frobenius/median",
        "share_of_draws_raised": "popular/raised/frobenius",
    }
    means = {name: np.mean([seed[metric] for seed in seeds], axis=0).tolist() for name, metric in metrics.items()}
    return {"sizes": result["configuration"]["sizes"], **means}


def decide_jacobian_sizes(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M11: smaller on average; larger where softmax is saturated."""
    sizes, raised = value["sizes"], value["share_of_draws_raised"]
    larger = [after > before for before, after in zip(value["mean_undivided"], value["mean_divided"], strict=True)]
    if all(larger):
        return "right", f"The mean norm of the softmax Jacobian is larger after the division at all {len(sizes)} sizes."
    at = sizes.index(64)
    why = (
        "On average it is false, and of draws that are saturated it is true. "
        f"The mean Frobenius norm of the softmax Jacobian is larger after the division at {sum(larger)} of "
        f"{len(sizes)} sizes; for {sizes[at]} scores of variance {sizes[at]} it falls from "
        f"{value['mean_undivided'][at]:.3f} to {value['mean_divided'][at]:.3f}. What the division raises is a norm "
        f"that saturation had brought near 0: that of {100 * raised[at]:.0f} % of the draws there, and of "
        f"{100 * raised[-1]:.0f} % for {sizes[-1]} scores, whose median rises from "
        f"{in_tens(value['median_undivided'][-1], 1)} to {in_tens(value['median_divided'][-1], 1)}."
    )
    return ("misleading" if max(raised) > 0.5 else "wrong"), why


def normalised_inputs() -> dict[str, Any]:
    """M18: Var(q · k) / d_k with and without LayerNorm, for three scales of W, and in the translator's heads."""
    d_model, d_k, rows = 256, 64, 2000
    random = torch.Generator().manual_seed(1)

    def drawn(*shape):
        return torch.randn(*shape, generator=random, dtype=torch.float64)

    x, y = drawn(2, rows, d_model)
    w_q, w_k = drawn(2, d_model, d_k) / math.sqrt(d_model)

    def share(x, y, scale=1.0):
        return float((x @ (scale * w_q) * (y @ (scale * w_k))).sum(dim=-1).var() / d_k)

    x_normal, y_normal = F.layer_norm(5 * x, [d_model]), F.layer_norm(5 * y, [d_model])
    return {
        "layer_norm": share(x_normal, y_normal),
        "layer_norm_and_w_doubled": share(x_normal, y_normal, scale=2.0),
        "no_layer_norm_unit_normal": share(x, y),
        "translator_heads": _head_variances(),
    }


def _head_variances() -> list[float]:
    """Var(q · k) / d_k over all pairs of positions of a few sentences, for each head of the translator's encoder."""
    no_words = ids("", start=True)  # the encoder does not see the target: `<s>` will do
    pairs = [(ids(sentence), no_words) for sentence in SENTENCES]
    return head_variances(model(), pairs)["encoder_self"].overall.tolist()


def decide_normalised_inputs(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M18: the matrices decide, and they are trained."""
    normalised = [value["layer_norm"], value["layer_norm_and_w_doubled"], *value["translator_heads"]]
    if all(abs(share - 1) < 0.2 for share in normalised) and abs(value["no_layer_norm_unit_normal"] - 1) > 0.2:
        return "right", "With LayerNorm Var(q·k) is d_k for every W, and without it, it is not."
    why = (
        "LayerNorm gives each row a mean square of 1 before its gain; Var(q·k) is up to the matrices. Drawn with "
        f"variance 1/d_model they give {value['layer_norm']:.2f} d_k, doubled {value['layer_norm_and_w_doubled']:.1f} "
        f"d_k, and unit-normal inputs without LayerNorm {value['no_layer_norm_unit_normal']:.2f} d_k. In the "
        f"{len(value['translator_heads'])} encoder heads of the translator, all behind a LayerNorm, it is "
        f"{min(value['translator_heads']):.1f} to {max(value['translator_heads']):.1f} d_k."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "F10",
        "The Jacobian of softmax(s / C) with respect to s is diag(p) minus the outer product of p with itself, over C.",
        jacobian_formula,
        decide_jacobian_formula,
        "attention/softmax-jacobian#softmax-jacobian-temperature",
    ),
    Claim(
        "F16",
        "The mean of the entries of a softmax Jacobian tells something about it.",
        jacobian_means,
        decide_jacobian_means,
        "attention/jacobian-maps#softmax-jacobian-mean",
    ),
    Claim(
        "M11",
        "Dividing the scores by √d_k makes the gradients through softmax larger.",
        jacobian_sizes,
        decide_jacobian_sizes,
        "attention/scaling-and-gradients#square-root-factor",
    ),
    Claim(
        "M18",
        "That Var(q·k) equals d_k is owed to the LayerNorm in front of the attention.",
        normalised_inputs,
        decide_normalised_inputs,
        "attention/square-root-of-d-k#square-root-promises",
    ),
)
