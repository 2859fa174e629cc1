"""Faults to plant in the room `studies`."""

from .fault import Fault

LAYOUT = ("studies/beyond/test_layout_mistakes.py::test_the_other_program_computes_what_our_model_does",)

FAULTS = {
    "GPT-2's formulas with the future open": Fault("gpt2_logits", "is_causal=True", "is_causal=False", LAYOUT),
    "GPT-2's formulas without the last normalisation": Fault("gpt2_logits", "norm(x, 'ln_f')", "x", LAYOUT),
    "GPT-2's formulas with keys before queries": Fault(
        "gpt2_logits", "heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        "heads = F.scaled_dot_product_attention(k, q, v, is_causal=True)", LAYOUT,
    ),
}  # fmt: skip
