"""Faults to plant in the room `attention`."""

from .fault import Fault

ATTENTION_IS_TORCHS = "attention/test_multi_head.py::test_output_weights_and_gradients_are_torchs"
MODEL_IS_TORCHS = "models/test_transformer.py::test_the_logits_and_gradients_are_those_of_nn_transformer"
CACHED = "models/test_transformer.py::test_decoding_with_a_cache_is_decoding_at_once"
REORDERED = "models/test_transformer.py::test_a_reordered_state_goes_on_as_the_chosen_rows_would[swapped-pre]"
DECODER_LEAK = "models/test_blocks.py::test_a_decoder_does_not_leak_the_future_and_its_memory_mask_holds_in_every_layer"

FAULTS = {
    "no scale": Fault(
        "scaled_dot_product_attention",
        "q @ xp.swapaxes(k, -2, -1) / math.sqrt(d_k)",
        "q @ xp.swapaxes(k, -2, -1)",
        (
            "attention/test_dot_product.py::test_two_keys_by_hand",
            "attention/test_dot_product.py::test_output_and_gradients_are_torchs[6-3-none]",
            "attention/test_dot_product.py::test_the_scale_keeps_the_scores_of_random_vectors_at_variance_one",
        ),
    ),
    "scale by √d_model": Fault(
        "MultiHeadAttention.forward",
        "turned(split_heads(self.w_q(query), self.n_heads))",
        "turned(split_heads(self.w_q(query), self.n_heads)) / self.n_heads**0.5",
        (f"{ATTENTION_IS_TORCHS}[none-fused]", f"{ATTENTION_IS_TORCHS}[none-explicit]"),
    ),
    "mask transposed where weights are wanted": Fault(
        "scaled_dot_product_attention",
        "fitted_mask(mask, tuple(scores.shape), scores)",
        "xp.swapaxes(fitted_mask(mask, tuple(scores.shape), scores), -2, -1)",
        (f"{ATTENTION_IS_TORCHS}[causal-explicit]",),
    ),
    "mask transposed in the fused path": Fault(
        "_fused_attention",
        "attn_mask=mask",
        "attn_mask=None if mask is None else mask.mT",
        (
            f"{ATTENTION_IS_TORCHS}[causal-fused]",
            "attention/test_multi_head.py::test_causal_self_attention_does_not_leak[fused]",
        ),
    ),
    "polarity flipped where weights are wanted": Fault(
        "scaled_dot_product_attention",
        "xp.where(allowed, scores, xp.full_like(scores, -math.inf))",
        "xp.where(allowed, xp.full_like(scores, -math.inf), scores)",
        (
            "attention/test_dot_product.py::test_output_and_gradients_are_torchs[6-3-causal]",
            "attention/test_dot_product.py::test_a_numpy_mask_serves_torch_tensors[plain]",
        ),
    ),
    "polarity flipped in the fused path": Fault(
        "_fused_attention",
        "attn_mask=mask",
        "attn_mask=None if mask is None else ~mask",
        (f"{ATTENTION_IS_TORCHS}[padding-fused]", f"{DECODER_LEAK}[pre]"),
    ),
    "−1e9 in place of −∞": Fault(
        "scaled_dot_product_attention",
        "-math.inf",
        "-1e9",
        (
            "attention/test_dot_product.py::test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients[dtype3]",
        ),
    ),
    "softmax over the queries": Fault(
        "scaled_dot_product_attention",
        "axis=-1",
        "axis=-2",
        (
            "attention/test_dot_product.py::test_two_keys_by_hand",
            "attention/test_dot_product.py::test_output_and_gradients_are_torchs[6-3-none]",
            f"{ATTENTION_IS_TORCHS}[none-explicit]",
        ),
    ),
    "Jacobian without 1 / temperature": Fault(
        "softmax_jacobian",
        "(diagonal - p[..., :, None] * p[..., None, :]) / temperature",
        "diagonal - p[..., :, None] * p[..., None, :]",
        ("attention/test_probability.py::test_jacobian_is_autograds",),
    ),
    "heads merged in the wrong order": Fault(
        "merge_heads",
        "x.transpose(1, 2)",
        "x.flip(1).transpose(1, 2)",
        (
            "attention/test_multi_head.py::test_head_h_is_the_h_th_slice_of_the_width",
            f"{ATTENTION_IS_TORCHS}[none-fused]",
        ),
    ),
    "heads merged without the transpose": Fault(
        "merge_heads",
        "x.transpose(1, 2)",
        "x",
        (
            f"{ATTENTION_IS_TORCHS}[none-explicit]",
            "attention/test_multi_head.py::test_any_widths_are_a_loop_over_heads",
        ),
    ),
    "causal mask off by one": Fault(
        "causal_mask",
        "k_len - q_len",
        "k_len - q_len + 1",
        (
            "attention/test_masks.py::test_what_one_mask_forbids_stays_forbidden",
            "attention/test_multi_head.py::test_causal_self_attention_does_not_leak",
            DECODER_LEAK,
        ),
    ),
    "causal mask aligned at the top left": Fault(
        "causal_mask",
        "k_len - q_len",
        "0",
        (f"{CACHED}[chunks0-pre]", "attention/test_multi_head.py::test_a_growing_cache_gives_what_one_pass_gives"),
    ),
    "attention dropout on in evaluation": Fault(
        "MultiHeadAttention.forward",
        "self.dropout if self.training else 0.0",
        "self.dropout",
        (
            "attention/test_multi_head.py::test_dropout_is_off_in_evaluation_and_both_paths_agree_there",
            "models/test_transformer.py::test_dropout_is_off_in_evaluation_and_on_in_training[0.4]",
        ),
    ),
    "cross-attention cache shared by the layers": Fault(
        "DecoderCache.empty",
        "[FixedCache() for _ in range(n_layers)]",
        "[FixedCache()] * n_layers",
        (CACHED, "attention/test_cache.py::test_layers_do_not_share_a_cache"),
    ),
    "cross-attention cache left behind by reorder": Fault(
        "DecoderCache.reorder",
        "[c.reorder(rows) for c in self.cross_attention]",
        "self.cross_attention",
        (REORDERED, "attention/test_cache.py::test_reordering_repeats_and_drops_rows_of_every_part"),
    ),
    "self-attention cache left behind by reorder": Fault(
        "DecoderCache.reorder",
        "[c.reorder(rows) for c in self.self_attention]",
        "self.self_attention",
        (REORDERED, "attention/test_cache.py::test_reordering_repeats_and_drops_rows_of_every_part"),
    ),
    "sines first, cosines after them": Fault(
        "sinusoidal_positions",
        "torch.stack([angle.sin(), angle.cos()], dim=-1)",
        "torch.cat([angle.sin(), angle.cos()], dim=-1)",
        ("attention/test_positions.py::test_they_are_the_naive_loop[7-6]", f"{MODEL_IS_TORCHS}[True-pre]"),
    ),
    "a shift turned backwards": Fault(
        "shift_rotation",
        "offset * frequencies(d_model)",
        "-offset * frequencies(d_model)",
        ("attention/test_positions.py::test_a_shift_is_one_rotation_for_all_positions",),
    ),
    "a rotation that is a mirror": Fault(
        "rotate_by_position",
        "cos * first - sin * second",
        "cos * first + sin * second",
        (
            "attention/test_positions.py::test_it_is_a_multiplication_by_complex_phases_forward_and_backward[shape0-7]",
            "attention/test_positions.py::test_a_rotary_score_depends_on_the_offset_alone",
            "attention/test_positions.py::test_a_rotation_keeps_lengths_and_position_0_keeps_everything",
        ),
    ),
    "rotary positions that restart at 0 under the cache": Fault(
        "MultiHeadAttention.forward",
        "0 if cache is None else cache.length",
        "0",
        (
            "attention/test_multi_head.py::test_rotary_keys_are_cached_as_they_were_turned[cuts0-fused]",
            "models/test_transformer.py::test_with_any_positions_decoding_with_a_cache_is_decoding_at_once[chunks1-pre-rotary]",
        ),
    ),
    "queries turned and keys not": Fault(
        "MultiHeadAttention.forward",
        "turned(split_heads(self.w_k(key), self.n_heads))",
        "split_heads(self.w_k(key), self.n_heads)",
        ("attention/test_multi_head.py::test_rotary_attention_sees_offsets_and_not_places[fused]",),
    ),
    "values turned as well": Fault(
        "MultiHeadAttention.forward",
        "split_heads(self.w_v(value), self.n_heads)",
        "turned(split_heads(self.w_v(value), self.n_heads))",
        (
            "attention/test_multi_head.py::test_rotary_attention_turns_queries_and_keys_of_every_head_and_no_value[fused]",
        ),
    ),
    "weights normalised over the queries": Fault(
        "attend",
        "softmax(scores, axis=-1)",
        "softmax(scores, axis=-2)",
        ("attention/test_scores.py::test_a_mixture_is_what_torchs_softmax_of_the_scores_mixes",),
    ),
    "tanh left out of the additive score": Fault(
        "Score.forward",
        "torch.tanh(asked[:, :, None] + prepared[:, None])",
        "asked[:, :, None] + prepared[:, None]",
        ("attention/test_scores.py::test_a_module_gives_its_function_with_keys_prepared_or_not[additive]",),
    ),
    "a partial mean merged without shrinking": Fault(
        "merged",
        "shrink_one * one.summed + shrink_other * other.summed",
        "one.summed + other.summed",
        (
            "attention/test_tiles.py::TestPartialMeans::test_three_scores_by_hand",
            "attention/test_tiles.py::test_every_tiling_gives_the_output_of_the_table",
        ),
    ),
    "−∞ less −∞ in a part without keys": Fault(
        "partial_mean",
        "_finite(largest)",
        "largest",
        (
            "attention/test_tiles.py::TestPartialMeans::test_a_part_without_keys_changes_nothing",
            "attention/test_tiles.py::test_every_tiling_gives_the_output_of_the_table",
        ),
    ),
    "a tile too many in the future": Fault(
        "is_future",
        "rows.stop - 1 + ahead",
        "rows.start + ahead",
        ("attention/test_tiles.py::test_every_tiling_gives_the_output_of_the_table",),
    ),
    "a fixed memory whose total is not updated": Fault(
        "FixedMemory.written",
        "self.total + feature",
        "self.total",
        ("attention/test_linear_attention.py::test_the_memory_gives_what_the_table_gives_forward_and_backward",),
    ),
    "linear attention that reads before it writes": Fault(
        "causal_linear_attention",
        "memory = memory.written(k[..., t, :], v[..., t, :])\noutput[..., t, :] = memory.read(q[..., t, :])",
        "output[..., t, :] = memory.read(q[..., t, :])\nmemory = memory.written(k[..., t, :], v[..., t, :])",
        ("attention/test_linear_attention.py::test_the_memory_gives_what_the_table_gives_forward_and_backward",),
    ),
}
