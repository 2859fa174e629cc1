"""Faults to plant in the room `models`."""

from .fault import Fault

MODEL_IS_TORCHS = "models/test_transformer.py::test_the_logits_and_gradients_are_those_of_nn_transformer"
CELLS_ARE_TORCHS = "models/test_cells.py::test_outputs_states_and_gradients_are_torchs"
CACHED = "models/test_transformer.py::test_decoding_with_a_cache_is_decoding_at_once"
REORDERED = "models/test_transformer.py::test_a_reordered_state_goes_on_as_the_chosen_rows_would[swapped-pre]"
DECODER_LEAK = "models/test_blocks.py::test_a_decoder_does_not_leak_the_future_and_its_memory_mask_holds_in_every_layer"
STREAMS = "models/one_stack/test_decoder_only.py"
IN_TORCH = "models/test_torch_transformer.py::test_they_are_ours_without_gradients_too_where_torch_takes_a_faster_path"

ALONE = "models/one_stack/test_encoder_only.py::test_"
PATCHED = "models/one_stack/test_patches.py::test_"

FAULTS = {
    "patches that are stripes of pixels": Fault(
        "cut_patches",
        "cut.transpose(2, 3).reshape",
        "cut.reshape",
        (f"{PATCHED}patches_are_those_of_torchs_unfold[8-8-2]",),
    ),
    "patches without their places": Fault(
        "PatchClassifier.embed",
        "vectors if self.positions is None else vectors + self.positions",
        "vectors",
        (f"{PATCHED}a_patch_vector_is_a_convolution_with_a_stride_plus_its_place",),
    ),
    "padding counted in the mean that a label is read from": Fault(
        "SentenceLabeller.forward",
        "(states * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)",
        "states.mean(dim=1)",
        (f"{ALONE}padding_changes_no_state_and_no_label", f"{ALONE}a_label_is_read_from_the_mean_of_the_states"),
    ),
    "a frozen encoder trained along": Fault(
        "SentenceLabeller.forward",
        "torch.is_grad_enabled() and not self.frozen",
        "torch.is_grad_enabled()",
        (f"{ALONE}a_frozen_encoder_gets_no_gradient_and_no_dropout[True]",),
    ),
    "padding shown to the encoder alone": Fault(
        "EncoderOnly.states",
        "self.encoder(self.embed(ids), mask)",
        "self.encoder(self.embed(ids), None)",
        (f"{ALONE}padding_changes_no_state_and_no_label",),
    ),
    "torch's last norms kept behind a post-norm stack": Fault(
        "to_torch",
        "twin.encoder.norm = twin.decoder.norm = None",
        "pass",
        (f"{IN_TORCH}[post]",),
    ),
    "padding of the source shown to torch's decoder": Fault(
        "TorchTransformer.forward",
        "memory_key_padding_mask=src == self.pad_id",
        "memory_key_padding_mask=None",
        (f"{IN_TORCH}[pre]", f"{IN_TORCH}[post]"),
    ),
    "embeddings in torch without the root": Fault(
        "TorchTransformer.embed",
        "embedding(ids) * math.sqrt(embedding.embedding_dim)",
        "embedding(ids)",
        (f"{IN_TORCH}[pre]", f"{IN_TORCH}[post]"),
    ),
    "mask dropped in the encoder's last layer": Fault(
        "Encoder.forward",
        "layer(x, mask, need_weights)",
        "layer(x, None if layer is self.layers[-1] else mask, need_weights)",
        ("models/test_blocks.py::test_no_layer_of_an_encoder_lets_padding_in", f"{MODEL_IS_TORCHS}[True-pre]"),
    ),
    "causal mask dropped in the decoder's first layer": Fault(
        "Decoder.forward",
        "layer(x, memory, self_mask, memory_mask, caches, need_weights)",
        "layer(x, memory, self_mask if i else None, memory_mask, caches, need_weights)",
        (DECODER_LEAK, f"{MODEL_IS_TORCHS}[True-post]"),
    ),
    "memory mask dropped in the decoder's last layer": Fault(
        "Decoder.forward",
        "layer(x, memory, self_mask, memory_mask, caches, need_weights)",
        "layer(x, memory, self_mask, None if layer is self.layers[-1] else memory_mask, caches, need_weights)",
        (DECODER_LEAK, f"{MODEL_IS_TORCHS}[False-pre]"),
    ),
    "memory left behind by reorder": Fault(
        "DecoderState.reorder",
        "self.memory.reorder(rows)",
        "self.memory",
        (REORDERED, "models/test_transformer.py::test_a_state_reordered_before_its_first_step"),
    ),
    "positions that restart at 0 under the cache": Fault(
        "transformer.Transformer.decode",
        "0 if cache is None else cache.length",
        "0",
        (f"{CACHED}[chunks1-post]", "models/test_transformer.py::test_stepping_is_decoding_at_once"),
    ),
    "a step that changes the state it starts from": Fault(
        "Transformer.step",
        "state.cache.copy()",
        "state.cache",
        ("models/test_transformer.py::test_stepping_leaves_the_earlier_state_as_it_was",),
    ),
    "embeddings not multiplied by √d_model": Fault(
        "Transformer._embed",
        "embedding(tokens) * math.sqrt(self.config.d_model)",
        "embedding(tokens)",
        (MODEL_IS_TORCHS,),
    ),
    "a cross-attention that counts source and target together": Fault(
        "DecoderLayer.__init__",
        "rotary=False",
        'rotary=config.positions == "rotary"',
        ("models/test_blocks.py::test_rotary_positions_turn_the_self_attentions_and_never_the_cross_attention",),
    ),
    "learned positions drawn before the rest": Fault(
        "transformer.Transformer.__init__",
        "self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)",
        "self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)\n"
        'learned_positions(1, 1) if config.positions == "learned" else None',
        (
            "models/test_transformer.py::test_the_rest_of_a_model_starts_from_the_same_numbers_whatever_the_positions[learned]",
        ),
    ),
    "no positions named, sinusoids added": Fault(
        "transformer.Transformer.__init__",
        'config.positions == "sinusoidal"',
        'config.positions != "rotary"',
        ("models/test_transformer.py::test_the_source_order_matters_unless_there_are_no_positions[none]",),
    ),
    "pre-norm under the name of post-norm": Fault(
        "AddAndNorm.__init__",
        'norm == "pre"',
        'norm != "pre"',
        (
            "models/test_blocks.py::test_an_encoder_layer_is_torchs",
            "models/test_blocks.py::test_add_and_norm_is_its_formula",
        ),
    ),
    "tied weights untied by loading": Fault(
        "load_checkpoint",
        "parameter.copy_(saved[name])",
        "owner, leaf = name.rpartition('.')[::2]\nsetattr(model.get_submodule(owner), leaf, nn.Parameter(saved[name]))",
        ("models/test_checkpoints.py::test_tied_weights_are_saved_once_and_stay_tied",),
    ),
    "dropout's random state not resumed": Fault(
        "load_checkpoint",
        'torch.set_rng_state(tensors["random.cpu"])',
        "pass",
        ("models/test_checkpoints.py::test_training_goes_on_from_a_checkpoint_as_if_nothing_had_happened",),
    ),
    "a digest that nobody compares": Fault(
        "_load",
        "found.hexdigest() != digest",
        "not digest",
        (
            "models/test_checkpoints.py::test_every_flipped_bit_of_a_checkpoint_is_refused",
            "translation/test_model_folder.py::test_every_flipped_bit_of_the_header_is_refused[recurrent]",
        ),
    ),
    "fetched weights taken unseen": Fault(
        "_fetched",
        '(found := hashlib.sha256(content).hexdigest()) != wanted["sha256"]',
        "not (found := hashlib.sha256(content).hexdigest())",
        ("models/test_served_weights.py::test_what_is_not_the_file_is_refused_and_loses_nothing[another byte]",),
    ),
    "kept weights taken by their size": Fault(
        "served_weights._is_right",
        'hashlib.sha256(file.read_bytes()).hexdigest() == wanted["sha256"]',
        "bool(hashlib.sha256(file.read_bytes()).hexdigest())",
        ("models/test_served_weights.py::test_what_is_kept_and_damaged_is_fetched_again",),
    ),
    "a shared vocabulary read where only a line of text stands": Fault(
        "served_file",
        "return pretrained / shared",
        "return path",
        ("models/test_served_weights.py::test_a_shared_vocabulary_is_read_where_it_is_kept",),
    ),
    "checkpoints written in place": Fault(
        "write_atomically",
        "write(temporary)\nos.replace(temporary, path)",
        "write(path)",
        (
            "models/test_checkpoints.py::test_a_failed_write_keeps_what_was_there_leaves_nothing_else_and_says_what_to_do",
            "models/test_checkpoints.py::test_an_interrupted_write_keeps_what_was_there",
        ),
    ),
    "gates r and z exchanged": Fault(
        "gru_step",
        "x_r, x_z, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)\nh_r, h_z, h_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)",
        "x_z, x_r, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)\nh_z, h_r, h_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_a_step_is_torchs_cell[GRU]",
            "models/test_cells.py::test_one_number_wide_by_hand",
        ),
    ),
    "an update gate that keeps where it should renew": Fault(
        "gru_step",
        "(1 - z) * n + z * h",
        "z * n + (1 - z) * h",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_a_step_is_torchs_cell[GRU]",
            "models/test_cells.py::test_one_number_wide_by_hand",
        ),
    ),
    "a reset gate before the product": Fault(
        "gru_step",
        "x_n + r * h_n",
        "x_n + (r * h) @ w_hh[-h.shape[-1] :].T + b_hh[-h.shape[-1] :]",
        (CELLS_ARE_TORCHS, "models/test_cells.py::test_the_reset_gate_of_torch_comes_after_the_product"),
    ),
    "gates i and f exchanged": Fault(
        "lstm_step",
        "i, f, g, o = (x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).chunk(4, dim=-1)",
        "f, i, g, o = (x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).chunk(4, dim=-1)",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_a_step_is_torchs_cell[LSTM]",
            "models/test_cells.py::test_one_number_wide_by_hand",
        ),
    ),
    "a last state that has read the padding": Fault(
        "unroll",
        "torch.where(here, new, old)",
        "new",
        (
            f"{CELLS_ARE_TORCHS}[packed-1-False-LSTM]",
            "models/test_cells.py::test_a_row_with_nothing_in_it_keeps_its_first_state_with_finite_gradients",
        ),
    ),
    "a backward direction that starts in the padding": Fault(
        "_RecurrentLayers._read",
        "None if real is None else real.flip(1)",
        "None",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_the_backward_direction_is_the_forward_one_on_reversed_rows",
            "models/test_cells.py::test_a_row_among_others_is_what_it_is_alone",
        ),
    ),
    "a first state that is not counted": Fault(
        "unroll",
        "return states",
        "return states[1:]",
        ("models/test_cells.py::test_n_inputs_make_n_plus_one_states",),
    ),
    "a context that does not go into the step": Fault(
        "RecurrentEncoderDecoder._advance",
        "[y, context]",
        "[y, context * 0]",
        ("models/test_recurrent.py::test_logits_and_weights_are_the_equations_token_by_token[additive]",),
    ),
    "attention to the padding of recurrent states": Fault(
        "RecurrentEncoderDecoder._attend",
        "attend(scores, memory.states, memory.mask[:, None])",
        "attend(scores, memory.states)",
        (
            "models/test_recurrent.py::test_padding_changes_nothing[additive]",
            "models/test_recurrent.py::test_rows_of_weights_sum_to_one_and_padding_gets_nothing[luong]",
        ),
    ),
    "states of a reversed source left in reverse": Fault(
        "RecurrentEncoderDecoder.encode",
        "states = states.gather(1, places[..., None].expand_as(states))",
        "pass",
        ("models/test_recurrent.py::test_logits_and_weights_are_the_equations_token_by_token[concat-reversed]",),
    ),
    "a reversed source that begins with its end": Fault(
        "reversed_places",
        "real.sum(dim=1, keepdim=True) - 1",
        "real.sum(dim=1, keepdim=True)",
        (
            "models/test_recurrent.py::test_words_are_reversed_and_the_end_stays",
            "models/test_recurrent.py::test_a_reversed_source_is_the_reversed_sentence_read_forward",
        ),
    ),
    "a decoder that starts each step from the first state": Fault(
        "RecurrentEncoderDecoder.step",
        "self._decode(tokens[:, None], state.memory, state.hidden)",
        "self._decode(tokens[:, None], state.memory, state.memory.first)",
        ("models/test_recurrent.py::test_steps_give_what_the_whole_target_gives_at_once[last-state]",),
    ),
    "layers and directions mixed up at the bridge": Fault(
        "_both_directions",
        "by_layer.transpose(1, 2)",
        "by_layer.flip(1).transpose(1, 2)",
        ("models/test_recurrent.py::test_logits_and_weights_are_the_equations_token_by_token[last-state]",),
    ),
    "a start that can be generated": Fault(
        "next_log_probs",
        "[model.config.pad_id, model.config.bos_id]",
        "[model.config.pad_id]",
        ("translation/test_decoding.py::test_pad_and_start_are_never_generated_and_unk_may_be",),
    ),
    "weights in eight bits that are cut and not rounded": Fault(
        "quantise",
        "(matrix / steps).round()",
        "(matrix / steps).trunc()",
        ("models/test_quantisation.py::test_every_number_moves_by_at_most_half_a_step_and_the_largest_by_none",),
    ),
    "a prefix that sees the target": Fault(
        "stream_mask",
        "mask[:src_len, :src_len] = True",
        "mask[:src_len] = True",
        (f"{STREAMS}::test_the_mask_by_hand",),
    ),
    "no separator asked for after the source": Fault(
        "stream_labels",
        "following.masked_fill(src == eos_id, bos_id)",
        "following",
        (f"{STREAMS}::test_the_labels_by_hand",),
    ),
    "padding counted as positions of a stream": Fault(
        "DecoderOnly._embed",
        "(real.cumsum(dim=1) - 1).clamp(min=0)",
        "torch.arange(real.shape[1]).expand(real.shape)",
        (f"{STREAMS}::test_padding_in_the_middle_of_the_stream_changes_nothing[True]",),
    ),
    "padding in the middle of a stream shown": Fault(
        "DecoderOnly.stream",
        "mask & real[:, None, None, :]",
        "mask",
        (f"{STREAMS}::test_padding_in_the_middle_of_the_stream_changes_nothing[False]",),
    ),
    "padding of the source shown to the steps of a stream": Fault(
        "DecoderOnly.step",
        "real[:, None, None, :]",
        "torch.ones_like(real)[:, None, None, :]",
        (f"{STREAMS}::test_steps_with_a_cache_say_what_one_pass_says[False]",),
    ),
}
