"""M rows that a decoder trained without its mask decides: is the mask a regulariser, and when does its absence harm?"""

from typing import Any

from ... import experiments
from ...analysis.seed_statistics import measured
from ..claim import Claim, Verdict

WORDS = 64  # the larger of the two toy dictionaries of the experiment


def cheating_decoder() -> dict[str, Any]:
    """M03, M04: what `results/cheating-decoder.json` says of the decoders trained with and without a mask."""
    result = experiments.read("cheating-decoder")
    first = next(iter(result["seeds"].values()))
    value = {"seeds": len(result["seeds"]), "floor": first[f"floor_{WORDS}"], "chance": first[f"chance_{WORDS}"]}
    for arm in ("masked", "unmasked"):
        for what in ("loss", "whole_target", "mask_put_on", "alone"):
            value[f"{arm}_{what}"] = measured(result, f"{arm}_{WORDS}_{what}").value
    return value


def decide_regulariser(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M03: a regulariser narrows the gap between old and new sentences, and is taken off in use."""
    gap = value["masked_whole_target"] - value["unmasked_whole_target"]  # on new sentences, given what training gives
    if gap > 0.05 and value["unmasked_alone"] > 0.5 * value["masked_alone"]:
        return "right", f"Without it the decoder overfits: {100 * gap:.0f} points fewer on new sentences."
    why = (
        f"Nothing is overfitted without it: the loss falls to {value['unmasked_loss']:.3f} nats, below the "
        f"{value['floor']:.3f} that no decoder can pass that does not see the answer, and on new sentences it copies "
        f"{100 * value['unmasked_whole_target']:.1f} % of the words. Writing alone it gets "
        f"{100 * value['unmasked_alone']:.1f} % right, with a mask {100 * value['masked_alone']:.1f} %. Dropout and "
        "smoothing are off in use; the mask stays."
    )
    return "wrong", why


def decide_harmless(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M04: putting the mask on afterwards does not bring the words back."""
    if value["unmasked_mask_put_on"] > 0.9 * value["masked_mask_put_on"]:
        return "right", f"With the mask put on after training {100 * value['unmasked_mask_put_on']:.1f} % are right."
    why = (
        f"The harm is done in training: a mask put on afterwards leaves {100 * value['unmasked_mask_put_on']:.1f} % of "
        f"the words right, where a decoder trained with it gets {100 * value['masked_mask_put_on']:.1f} % and guessing "
        f"{100 * value['chance']:.1f} % (means of {value['seeds']} seeds). It had learned to copy; inference only "
        "shows it."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "M03",
        "The causal mask regularises the decoder, as dropout and label smoothing do.",
        cheating_decoder,
        decide_regulariser,
        "attention/what-the-mask-buys#buys-cheating",
    ),
    Claim(
        "M04",
        "A decoder that sees later tokens takes no harm in training; the harm comes at inference.",
        cheating_decoder,
        decide_harmless,
        "attention/what-the-mask-buys#buys-cheating",
    ),
)
