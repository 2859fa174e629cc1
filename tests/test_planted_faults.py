"""The suite itself under test: each fault planted in a copy of the package must be caught by the tests named for it.

A fault is one replacement in one module. The named tests are those of the suite, run by pytest on the copy; each must
fail with an assertion, and on an untouched copy each must pass. Where the code has changed so that a fault no longer
applies, its test fails and says so: write the fault anew.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

import attention_book

HERE = Path(__file__).parent
PACKAGE = Path(attention_book.__file__).parent

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="faults are planted in forked processes")


@dataclass(frozen=True)
class Fault:
    """One replacement, and the tests that must catch it (node ids below the folder of the tests)."""

    module: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def node_ids(self):
        return [f"{HERE.name}/{test}" for test in self.tests]

    def plant(self, folder):
        path = folder / "attention_book" / f"{self.module}.py"
        source = path.read_text(encoding="utf-8")
        count = source.count(self.old)
        assert count == 1, f"the fault no longer applies: {self.module}.py holds {self.old!r} {count} times"
        path.write_text(source.replace(self.old, self.new), encoding="utf-8")


ATTENTION_IS_TORCHS = "attention/test_multi_head.py::test_output_weights_and_gradients_are_torchs"
MODEL_IS_TORCHS = "models/test_transformer.py::test_the_logits_and_gradients_are_those_of_nn_transformer"
PADDING_FREE = "training/test_losses.py::test_padding_counts_neither_above_nor_below_the_fraction_line"
LOSS_IS_TORCHS = "training/test_losses.py::test_it_is_torchs_forward_and_backward"
CELLS_ARE_TORCHS = "models/test_cells.py::test_outputs_states_and_gradients_are_torchs"
CACHED = "models/test_transformer.py::test_decoding_with_a_cache_is_decoding_at_once"
REORDERED = "models/test_transformer.py::test_a_reordered_state_goes_on_as_the_chosen_rows_would[swapped-pre]"
DECODER_LEAK = "models/test_blocks.py::test_a_decoder_does_not_leak_the_future_and_its_memory_mask_holds_in_every_layer"

FAULTS = {
    "no scale": Fault(
        "attention/dot_product",
        "k, -2, -1) / math.sqrt(d_k)",
        "k, -2, -1)",
        (
            "attention/test_dot_product.py::test_two_keys_by_hand",
            "attention/test_dot_product.py::test_output_and_gradients_are_torchs[6-3-none]",
            "attention/test_dot_product.py::test_the_scale_keeps_the_scores_of_random_vectors_at_variance_one",
        ),
    ),
    "scale by √d_model": Fault(
        "attention/multi_head",
        "q = turned(split_heads(self.w_q(query), self.n_heads))",
        "q = turned(split_heads(self.w_q(query), self.n_heads)) / self.n_heads**0.5",
        (f"{ATTENTION_IS_TORCHS}[none-fused]", f"{ATTENTION_IS_TORCHS}[none-explicit]"),
    ),
    "mask transposed where weights are wanted": Fault(
        "attention/dot_product",
        "allowed = fitted_mask(mask, tuple(scores.shape), scores)",
        "allowed = xp.swapaxes(fitted_mask(mask, tuple(scores.shape), scores), -2, -1)",
        (f"{ATTENTION_IS_TORCHS}[causal-explicit]",),
    ),
    "mask transposed in the fused path": Fault(
        "attention/multi_head",
        "attn_mask=mask,",
        "attn_mask=None if mask is None else mask.mT,",
        (
            f"{ATTENTION_IS_TORCHS}[causal-fused]",
            "attention/test_multi_head.py::test_causal_self_attention_does_not_leak[fused]",
        ),
    ),
    "polarity flipped where weights are wanted": Fault(
        "attention/dot_product",
        "scores = xp.where(allowed, scores, xp.full_like(scores, -math.inf))",
        "scores = xp.where(allowed, xp.full_like(scores, -math.inf), scores)",
        (
            "attention/test_dot_product.py::test_output_and_gradients_are_torchs[6-3-causal]",
            "attention/test_dot_product.py::test_a_numpy_mask_serves_torch_tensors[plain]",
        ),
    ),
    "polarity flipped in the fused path": Fault(
        "attention/multi_head",
        "attn_mask=mask,",
        "attn_mask=None if mask is None else ~mask,",
        (f"{ATTENTION_IS_TORCHS}[padding-fused]", f"{DECODER_LEAK}[pre]"),
    ),
    "−1e9 in place of −∞": Fault(
        "attention/dot_product",
        "xp.full_like(scores, -math.inf)",
        "xp.full_like(scores, -1e9)",
        (
            "attention/test_dot_product.py::test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients[dtype3]",
        ),
    ),
    "mask dropped in the encoder's last layer": Fault(
        "models/blocks",
        "layer(x, mask, need_weights)",
        "layer(x, None if layer is self.layers[-1] else mask, need_weights)",
        ("models/test_blocks.py::test_no_layer_of_an_encoder_lets_padding_in", f"{MODEL_IS_TORCHS}[True-pre]"),
    ),
    "causal mask dropped in the decoder's first layer": Fault(
        "models/blocks",
        "layer(x, memory, self_mask, memory_mask, caches, need_weights)",
        "layer(x, memory, self_mask if i else None, memory_mask, caches, need_weights)",
        (DECODER_LEAK, f"{MODEL_IS_TORCHS}[True-post]"),
    ),
    "memory mask dropped in the decoder's last layer": Fault(
        "models/blocks",
        "layer(x, memory, self_mask, memory_mask, caches, need_weights)",
        "layer(x, memory, self_mask, None if layer is self.layers[-1] else memory_mask, caches, need_weights)",
        (DECODER_LEAK, f"{MODEL_IS_TORCHS}[False-pre]"),
    ),
    "softmax over the queries": Fault(
        "attention/dot_product",
        "softmax(scores, axis=-1)",
        "softmax(scores, axis=-2)",
        (
            "attention/test_dot_product.py::test_two_keys_by_hand",
            "attention/test_dot_product.py::test_output_and_gradients_are_torchs[6-3-none]",
            f"{ATTENTION_IS_TORCHS}[none-explicit]",
        ),
    ),
    "Jacobian without 1 / temperature": Fault(
        "attention/probability",
        "p[..., None, :]) / temperature",
        "p[..., None, :])",
        ("attention/test_probability.py::test_jacobian_is_autograds",),
    ),
    "heads merged in the wrong order": Fault(
        "attention/multi_head",
        "return x.transpose(1, 2).reshape(",
        "return x.flip(1).transpose(1, 2).reshape(",
        (
            "attention/test_multi_head.py::test_head_h_is_the_h_th_slice_of_the_width",
            f"{ATTENTION_IS_TORCHS}[none-fused]",
        ),
    ),
    "heads merged without the transpose": Fault(
        "attention/multi_head",
        "return x.transpose(1, 2).reshape(",
        "return x.reshape(",
        (
            f"{ATTENTION_IS_TORCHS}[none-explicit]",
            "attention/test_multi_head.py::test_any_widths_are_a_loop_over_heads",
        ),
    ),
    "causal mask off by one": Fault(
        "attention/masks",
        "diagonal=k_len - q_len)",
        "diagonal=k_len - q_len + 1)",
        (
            "attention/test_masks.py::test_what_one_mask_forbids_stays_forbidden",
            "attention/test_multi_head.py::test_causal_self_attention_does_not_leak",
            DECODER_LEAK,
        ),
    ),
    "causal mask aligned at the top left": Fault(
        "attention/masks",
        "diagonal=k_len - q_len)",
        "diagonal=0)",
        (f"{CACHED}[chunks0-pre]", "attention/test_multi_head.py::test_a_growing_cache_gives_what_one_pass_gives"),
    ),
    "pads in the loss": Fault(
        "training/losses",
        "return each[real].sum() / torch.clamp(real.sum(), min=1)",
        "return each.mean()",
        (PADDING_FREE, LOSS_IS_TORCHS),
    ),
    "pads in the loss's denominator": Fault(
        "training/losses",
        "torch.clamp(real.sum(), min=1)",
        "max(real.numel(), 1)",
        (PADDING_FREE, LOSS_IS_TORCHS),
    ),
    "smoothing spread over the other tokens only": Fault(
        "training/losses",
        "smoothing * log_probs.mean(dim=-1)",
        "smoothing * (log_probs.sum(dim=-1) / (log_probs.shape[-1] - 1))",
        ("training/test_losses.py::test_two_outcomes_by_hand", LOSS_IS_TORCHS),
    ),
    "attention dropout on in evaluation": Fault(
        "attention/multi_head",
        "self.dropout if self.training else 0.0",
        "self.dropout",
        (
            "attention/test_multi_head.py::test_dropout_is_off_in_evaluation_and_both_paths_agree_there",
            "models/test_transformer.py::test_dropout_is_off_in_evaluation_and_on_in_training[0.4]",
        ),
    ),
    "cross-attention cache shared by the layers": Fault(
        "attention/cache",
        "[FixedCache() for _ in range(n_layers)]",
        "[FixedCache()] * n_layers",
        (CACHED, "attention/test_cache.py::test_layers_do_not_share_a_cache"),
    ),
    "cross-attention cache left behind by reorder": Fault(
        "attention/cache",
        "[c.reorder(rows) for c in self.cross_attention]",
        "self.cross_attention",
        (REORDERED, "attention/test_cache.py::test_reordering_repeats_and_drops_rows_of_every_part"),
    ),
    "self-attention cache left behind by reorder": Fault(
        "attention/cache",
        "[c.reorder(rows) for c in self.self_attention]",
        "self.self_attention",
        (REORDERED, "attention/test_cache.py::test_reordering_repeats_and_drops_rows_of_every_part"),
    ),
    "memory left behind by reorder": Fault(
        "models/transformer",
        "DecoderState(self.memory.reorder(rows), self.cache",
        "DecoderState(self.memory, self.cache",
        (REORDERED, "models/test_transformer.py::test_a_state_reordered_before_its_first_step"),
    ),
    "positions that restart at 0 under the cache": Fault(
        "models/transformer",
        "start = 0 if cache is None else cache.length",
        "start = 0",
        (f"{CACHED}[chunks1-post]", "models/test_transformer.py::test_stepping_is_decoding_at_once"),
    ),
    "a step that changes the state it starts from": Fault(
        "models/transformer",
        "cache = state.cache.copy()",
        "cache = state.cache",
        ("models/test_transformer.py::test_stepping_leaves_the_earlier_state_as_it_was",),
    ),
    "embeddings not multiplied by √d_model": Fault(
        "models/transformer",
        "embedding(tokens) * math.sqrt(self.config.d_model)",
        "embedding(tokens)",
        (MODEL_IS_TORCHS,),
    ),
    "sines first, cosines after them": Fault(
        "attention/positions",
        "torch.stack([angle.sin(), angle.cos()], dim=-1)",
        "torch.cat([angle.sin(), angle.cos()], dim=-1)",
        ("attention/test_positions.py::test_they_are_the_naive_loop[7-6]", f"{MODEL_IS_TORCHS}[True-pre]"),
    ),
    "a shift turned backwards": Fault(
        "attention/positions",
        "angle = offset * frequencies(d_model)",
        "angle = -offset * frequencies(d_model)",
        ("attention/test_positions.py::test_a_shift_is_one_rotation_for_all_positions",),
    ),
    "a rotation that is a mirror": Fault(
        "attention/positions",
        "cos * first - sin * second",
        "cos * first + sin * second",
        (
            "attention/test_positions.py::test_it_is_a_multiplication_by_complex_phases_forward_and_backward[shape0-7]",
            "attention/test_positions.py::test_a_rotary_score_depends_on_the_offset_alone",
            "attention/test_positions.py::test_a_rotation_keeps_lengths_and_position_0_keeps_everything",
        ),
    ),
    "rotary positions that restart at 0 under the cache": Fault(
        "attention/multi_head",
        "start = 0 if cache is None else cache.length",
        "start = 0",
        (
            "attention/test_multi_head.py::test_rotary_keys_are_cached_as_they_were_turned[cuts0-fused]",
            "models/test_transformer.py::test_with_any_positions_decoding_with_a_cache_is_decoding_at_once[chunks1-pre-rotary]",
        ),
    ),
    "queries turned and keys not": Fault(
        "attention/multi_head",
        "turned(split_heads(self.w_k(key), self.n_heads))",
        "split_heads(self.w_k(key), self.n_heads)",
        ("attention/test_multi_head.py::test_rotary_attention_sees_offsets_and_not_places[fused]",),
    ),
    "values turned as well": Fault(
        "attention/multi_head",
        "split_heads(self.w_v(value), self.n_heads)",
        "turned(split_heads(self.w_v(value), self.n_heads))",
        (
            "attention/test_multi_head.py::test_rotary_attention_turns_queries_and_keys_of_every_head_and_no_value[fused]",
        ),
    ),
    "a cross-attention that counts source and target together": Fault(
        "models/blocks",
        "_attention(config, rotary=False)",
        '_attention(config, rotary=config.positions == "rotary")',
        ("models/test_blocks.py::test_rotary_positions_turn_the_self_attentions_and_never_the_cross_attention",),
    ),
    "learned positions drawn before the rest": Fault(
        "models/transformer",
        "        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)\n",
        "        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)\n"
        '        learned_positions(1, 1) if config.positions == "learned" else None\n',
        (
            "models/test_transformer.py::test_the_rest_of_a_model_starts_from_the_same_numbers_whatever_the_positions[learned]",
        ),
    ),
    "no positions named, sinusoids added": Fault(
        "models/transformer",
        'added = config.positions == "sinusoidal"',
        'added = config.positions != "rotary"',
        ("models/test_transformer.py::test_the_source_order_matters_unless_there_are_no_positions[none]",),
    ),
    "pre-norm under the name of post-norm": Fault(
        "models/blocks",
        'self.pre = norm == "pre"',
        'self.pre = norm != "pre"',
        (
            "models/test_blocks.py::test_an_encoder_layer_is_torchs",
            "models/test_blocks.py::test_add_and_norm_is_its_formula",
        ),
    ),
    "a beam that forgets finished hypotheses": Fault(
        "translation/decoding",
        "self.finished.append(hypothesis)",
        "self.finished = [hypothesis]",
        ("translation/test_decoding.py::test_a_finished_sentence_is_not_forgotten",),
    ),
    "a length penalty that counts the start": Fault(
        "translation/decoding",
        "((5 + length) / 6)",
        "((6 + length) / 6)",
        ("translation/test_decoding.py::test_the_penalty_counts_the_end_and_not_the_start",),
    ),
    "tied weights untied by loading": Fault(
        "models/checkpoints",
        "            parameter.copy_(saved[name])",
        "            owner, leaf = name.rpartition('.')[::2]\n"
        "            setattr(model.get_submodule(owner), leaf, nn.Parameter(saved[name]))",
        ("models/test_checkpoints.py::test_tied_weights_are_saved_once_and_stay_tied",),
    ),
    "dropout's random state not resumed": Fault(
        "models/checkpoints",
        'torch.set_rng_state(tensors["random.cpu"])',
        "pass",
        ("models/test_checkpoints.py::test_training_goes_on_from_a_checkpoint_as_if_nothing_had_happened",),
    ),
    "checkpoints written in place": Fault(
        "models/checkpoints",
        "        write(temporary)\n        os.replace(temporary, path)",
        "        write(path)",
        (
            "models/test_checkpoints.py::test_a_failed_write_keeps_what_was_there_and_leaves_nothing_else",
            "models/test_checkpoints.py::test_an_interrupted_write_keeps_what_was_there",
        ),
    ),
    "a budget that counts padding": Fault(
        "data/batching",
        "int((self.tgt_out != Subwords.pad_id).sum())",
        "self.tgt_out.numel()",
        ("training/test_trainer.py::test_budgets_and_the_curve_count_target_tokens_without_padding",),
    ),
    "gates r and z exchanged": Fault(
        "models/cells",
        "x_r, x_z, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)\n    h_r, h_z, h_n =",
        "x_z, x_r, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)\n    h_z, h_r, h_n =",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_a_step_is_torchs_cell[GRU]",
            "models/test_cells.py::test_one_number_wide_by_hand",
        ),
    ),
    "an update gate that keeps where it should renew": Fault(
        "models/cells",
        "return (1 - z) * n + z * h",
        "return z * n + (1 - z) * h",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_a_step_is_torchs_cell[GRU]",
            "models/test_cells.py::test_one_number_wide_by_hand",
        ),
    ),
    "a reset gate before the product": Fault(
        "models/cells",
        "n = torch.tanh(x_n + r * h_n)",
        "n = torch.tanh(x_n + (r * h) @ w_hh[-h.shape[-1] :].T + b_hh[-h.shape[-1] :])",
        (CELLS_ARE_TORCHS, "models/test_cells.py::test_the_reset_gate_of_torch_comes_after_the_product"),
    ),
    "gates i and f exchanged": Fault(
        "models/cells",
        "i, f, g, o = (x",
        "f, i, g, o = (x",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_a_step_is_torchs_cell[LSTM]",
            "models/test_cells.py::test_one_number_wide_by_hand",
        ),
    ),
    "a last state that has read the padding": Fault(
        "models/cells",
        "torch.where(here, new, old)",
        "new",
        (
            f"{CELLS_ARE_TORCHS}[packed-1-False-LSTM]",
            "models/test_cells.py::test_a_row_with_nothing_in_it_keeps_its_first_state_with_finite_gradients",
        ),
    ),
    "a backward direction that starts in the padding": Fault(
        "models/cells",
        "x, real = x.flip(1), None if real is None else real.flip(1)",
        "x, real = x.flip(1), None",
        (
            CELLS_ARE_TORCHS,
            "models/test_cells.py::test_the_backward_direction_is_the_forward_one_on_reversed_rows",
            "models/test_cells.py::test_a_row_among_others_is_what_it_is_alone",
        ),
    ),
    "a first state that is not counted": Fault(
        "models/cells",
        "    return states\n\n\nclass",
        "    return states[1:]\n\n\nclass",
        ("models/test_cells.py::test_n_inputs_make_n_plus_one_states",),
    ),
    "a context that does not go into the step": Fault(
        "models/recurrent",
        "state, hidden = run_layers(self.decoder, torch.cat([y, context], dim=-1), hidden)",
        "state, hidden = run_layers(self.decoder, torch.cat([y, context * 0], dim=-1), hidden)",
        ("models/test_recurrent.py::test_logits_and_weights_are_the_equations_token_by_token[additive]",),
    ),
    "attention to the padding of recurrent states": Fault(
        "models/recurrent",
        "return attend(scores, memory.states, memory.mask[:, None])",
        "return attend(scores, memory.states)",
        (
            "models/test_recurrent.py::test_padding_changes_nothing[additive]",
            "models/test_recurrent.py::test_rows_of_weights_sum_to_one_and_padding_gets_nothing[luong]",
        ),
    ),
    "states of a reversed source left in reverse": Fault(
        "models/recurrent",
        "states = states.gather(1, places[..., None].expand_as(states))",
        "pass",
        ("models/test_recurrent.py::test_logits_and_weights_are_the_equations_token_by_token[concat-reversed]",),
    ),
    "a reversed source that begins with its end": Fault(
        "models/recurrent",
        "last = real.sum(dim=1, keepdim=True) - 1",
        "last = real.sum(dim=1, keepdim=True)",
        (
            "models/test_recurrent.py::test_words_are_reversed_and_the_end_stays",
            "models/test_recurrent.py::test_a_reversed_source_is_the_reversed_sentence_read_forward",
        ),
    ),
    "a decoder that starts each step from the first state": Fault(
        "models/recurrent",
        "logits, _, hidden = self._decode(tokens[:, None], state.memory, state.hidden)",
        "logits, _, hidden = self._decode(tokens[:, None], state.memory, state.memory.first)",
        ("models/test_recurrent.py::test_steps_give_what_the_whole_target_gives_at_once[last-state]",),
    ),
    "layers and directions mixed up at the bridge": Fault(
        "models/recurrent",
        "return by_layer.transpose(1, 2).flatten(2)",
        "return by_layer.flip(1).transpose(1, 2).flatten(2)",
        ("models/test_recurrent.py::test_logits_and_weights_are_the_equations_token_by_token[last-state]",),
    ),
    "weights normalised over the queries": Fault(
        "attention/scores",
        "weights = softmax(scores, axis=-1)",
        "weights = softmax(scores, axis=-2)",
        ("attention/test_scores.py::test_a_mixture_is_what_torchs_softmax_of_the_scores_mixes",),
    ),
    "tanh left out of the additive score": Fault(
        "attention/scores",
        "return torch.tanh(asked[:, :, None] + prepared[:, None]) @ self.v",
        "return (asked[:, :, None] + prepared[:, None]) @ self.v",
        ("attention/test_scores.py::test_a_module_gives_its_function_with_keys_prepared_or_not[additive]",),
    ),
    "validation that moves dropout's random numbers": Fault(
        "training/trainer",
        "            torch.set_rng_state(state)\n",
        "",
        ("training/test_trainer.py::test_validation_moves_nothing",),
    ),
}


@pytest.fixture(scope="module")
def run_tests(tmp_path_factory):
    """A function that runs tests on the package in a folder and returns {node id without parameters: failures}."""
    folder = tmp_path_factory.mktemp("reports")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "examples")}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "planting.py"), str(HERE.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )

    def run(source, tests):
        report = folder / f"{source.name}.xml"
        order = {"source": str(source), "report": str(report), "tests": list(tests)}
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        status = int(process.stdout.readline())
        said = Path(f"{report}.log").read_text()
        assert status in (0, 1), f"pytest ended with {status}:\n{said}"
        return list(ElementTree.parse(report).iter("testcase"))

    yield run
    process.stdin.close()
    process.wait()


@pytest.fixture
def copy(tmp_path_factory, request):
    """A copy of the package's modules, in a folder to import from."""
    name = re.sub(r"\W+", "-", request.node.name)[:60]
    source = tmp_path_factory.mktemp(name)
    shutil.copytree(PACKAGE, source / "attention_book", ignore=shutil.ignore_patterns("pretrained", "__pycache__"))
    return source


def failures(cases, node_id):
    """The texts of the failures among the cases of one node id, and the number of its cases."""
    path, name = node_id.split("::")
    module = path.removesuffix(".py").replace("/", ".")
    own = [c for c in cases if c.get("classname") == module and name in (c.get("name"), c.get("name").split("[")[0])]
    return [failure.text for case in own for failure in case.iter("failure")], len(own)


def uncaught(cases, node_ids):
    """Which of the tests did not fail, or failed by something else than an assertion about a value."""
    found = []
    for node_id in node_ids:
        failed, _ = failures(cases, node_id)
        if not any(re.search(r": AssertionError$", text, re.MULTILINE) for text in failed):
            found.append((node_id, failed))
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(name, copy, run_tests):
    fault = FAULTS[name]
    fault.plant(copy)
    cases = run_tests(copy, fault.node_ids)
    assert uncaught(cases, fault.node_ids) == []
    assert not [error for case in cases for error in case.iter("error")]


def test_without_a_fault_the_same_tests_pass(copy, run_tests):
    node_ids = sorted({node_id for fault in FAULTS.values() for node_id in fault.node_ids})
    cases = run_tests(copy, node_ids)
    assert [case.get("name") for case in cases if len(case)] == []
    assert all(failures(cases, node_id)[1] for node_id in node_ids)


def test_a_change_that_breaks_nothing_is_not_called_caught(copy, run_tests):
    tests = FAULTS["causal mask off by one"].tests
    harmless = Fault("attention/masks", "if k_len is None else", "if (k_len is None) else", tests)
    harmless.plant(copy)
    cases = run_tests(copy, harmless.node_ids)
    assert [node_id for node_id, _ in uncaught(cases, harmless.node_ids)] == harmless.node_ids


def test_a_fault_that_no_longer_applies_says_so(copy):
    with pytest.raises(AssertionError, match=r"no longer applies: attention/masks\.py holds 'nowhere' 0 times"):
        Fault("attention/masks", "nowhere", "", ()).plant(copy)
