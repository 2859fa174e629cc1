"""Faults to plant in the room `translation`."""

from .fault import Fault

BEST_FIRST = "translation/test_best_first_search.py"
GOLD = "translation/test_evaluation.py::TestAlignmentErrorRate::test_the_gold_alignment"
COMPILED = "translation/fast/test_compiled.py"
FAST_IS_READABLE = "translation/fast/test_searching.py::TestEquality::test_models_of_every_shape[torch-pre-norm]"
FOR_CTRANSLATE2 = "translation/export/test_ctranslate2_folder.py"

FAULTS = {
    "a beam that forgets finished hypotheses": Fault(
        "decoding._Beam.advance",
        "self.finished.append(hypothesis)",
        "self.finished = [hypothesis]",
        ("translation/test_decoding.py::test_a_finished_sentence_is_not_forgotten",),
    ),
    "a length penalty that counts the start": Fault(
        "gnmt_penalty",
        "5 + length",
        "6 + length",
        ("translation/test_decoding.py::test_the_penalty_counts_the_end_and_not_the_start",),
    ),
    "a stop rule that looks no further than the next token": Fault(
        "decoding._Beam._is_decided",
        "gnmt_penalty(self.limit, self.length_penalty)",
        "gnmt_penalty(len(self.live[0].tokens), self.length_penalty)",
        ("translation/test_decoding.py::test_the_stop_rule_looks_ahead_to_the_longest_sentence",),
    ),
    "prefixes that go on from another sentence's state": Fault(
        "beam_search_n_best",
        "rows += [first_row + parent for parent in parents]",
        "rows += parents",
        ("translation/test_decoding.py::test_transformer_rows_do_not_influence_each_other[0]",),
    ),
    "a beam that forgets what its prefixes cost": Fault(
        "beam_search_n_best",
        "[prefix.log_prob for prefix in prefixes]",
        "[0.0 for prefix in prefixes]",
        ("translation/test_decoding.py::test_transformer_log_prob_is_that_of_teacher_forcing",),
    ),
    "greedy rows that go on from the first rows' states": Fault(
        "decoding.greedy_decode",
        "torch.tensor(keep, dtype=torch.int64, device=src.device)",
        "torch.arange(len(keep), device=src.device)",
        ("translation/test_decoding.py::test_transformer_rows_do_not_influence_each_other[0]",),
    ),
    "a search that stops at the first end that it meets": Fault(
        "best_first_search",
        "ceiling = min(ceiling, cost)",
        "return Exact(Hypothesis((*node.tokens, token), -cost, -cost), expansions + 1, -cost)",
        (
            "translation/test_best_first_search.py::test_it_finds_what_listing_everything_finds",
            "translation/test_best_first_search.py::test_greedy_takes_the_bait_and_it_does_not",
        ),
    ),
    "an unfinished sentence taken for a bound": Fault(
        "best_first_search._greedy",
        "greedy.log_prob - 1e-4 if finished else -math.inf",
        "greedy.log_prob - 1e-4",
        ("translation/test_best_first_search.py::test_a_greedy_sentence_that_does_not_end_is_no_bound",),
    ),
    "a bound that is only what greedy search found": Fault(
        "best_first_search",
        "Exact(None, expansions, -node.cost)",
        "Exact(None, expansions, -ceiling)",
        (f"{BEST_FIRST}::test_a_search_that_is_cut_off_knows_no_more_than_its_most_probable_prefix",),
    ),
    "a temperature that heats where it should cool": Fault(
        "sample_sentences",
        "log_probs / temperature",
        "log_probs * temperature",
        (
            "translation/test_sampling.py::test_sentences_come_as_often_as_their_probability_says[0.5]",
            "translation/test_sampling.py::test_cold_it_is_greedy_and_a_generator_repeats_itself",
        ),
    ),
    "log-probabilities of the heated distribution": Fault(
        "sample_sentences",
        "log_probs.gather(1, drawn)",
        "(log_probs / temperature).log_softmax(dim=-1).gather(1, drawn)",
        ("translation/test_sampling.py::test_log_probs_are_those_of_the_model_whatever_the_temperature",),
    ),
    "draws from the common source of chance": Fault(
        "sample_sentences",
        "generator=generator",
        "generator=None",
        ("translation/test_sampling.py::test_cold_it_is_greedy_and_a_generator_repeats_itself",),
    ),
    "samples that go on from the first rows' states": Fault(
        "sample_sentences",
        "torch.tensor(keep)",
        "torch.arange(len(keep))",
        ("translation/test_sampling.py::test_each_sentence_goes_on_from_its_own_state_when_others_have_ended",),
    ),
    "a missing reference scored as an empty one": Fault(
        "bleu_and_chrf",
        "accepted[i] if i < len(accepted) else None",
        'accepted[i] if i < len(accepted) else ""',
        ("translation/test_evaluation.py::test_a_varying_number_of_references_is_named_and_invents_none",),
    ),
    "BLEU that does not see capitals": Fault(
        "bleu_and_chrf",
        "BLEU()",
        "BLEU(lowercase=True)",
        ("translation/test_evaluation.py::test_capitals_count",),
    ),
    "chrF++ under the name of chrF": Fault(
        "bleu_and_chrf",
        "CHRF()",
        "CHRF(word_order=2)",
        (
            "translation/test_evaluation.py::test_one_reference_as_sacrebleu_called_directly",
            "translation/test_evaluation.py::test_several_references_as_sacrebleu_called_directly",
        ),
    ),
    "one reference where all are meant": Fault(
        "evaluation.evaluate",
        "[pair.references for pair in pairs]",
        "[[pair.target] for pair in pairs]",
        ("translation/test_evaluation.py::test_evaluate_scores_all_references_and_the_first_alone",),
    ),
    "sure links that are not possible ones": Fault(
        "alignment_error_rate",
        "a & (p | s)",
        "a & p",
        (
            "translation/test_evaluation.py::TestAlignmentErrorRate::test_by_hand",
            f"{GOLD}_is_perfect_and_all_sure_makes_it_one_minus_the_f_score",
        ),
    ),
    "precision under the name of recall": Fault(
        "alignment_error_rate",
        "AlignmentScores(precision, recall, 1 - (in_sure + in_possible) / (links + wanted))",
        "AlignmentScores(recall, precision, 1 - (in_sure + in_possible) / (links + wanted))",
        ("translation/test_evaluation.py::TestAlignmentErrorRate::test_by_hand",),
    ),
    "a random start for a model that is read": Fault(
        "_without_numbers",
        'torch.device("meta")',
        'torch.device("cpu")',
        (
            "translation/test_model_folder.py::"
            "test_loading_moves_nobodys_random_state_in_any_number_of_threads[Transformer]",
        ),
    ),
    "a configuration that the weights do not vouch for": Fault(
        "_require_files",
        "contents.items()",
        "list(contents.items())[1:]",
        (
            "translation/test_model_folder.py::test_a_flipped_bit_is_refused_by_the_name_of_its_file[config.json-recurrent]",
        ),
    ),
    "an export for CTranslate2 with queries and keys the wrong way round": Fault(
        "_put_self_attention",
        "_put_linear(spec.linear[0], attention.w_q, attention.w_k, attention.w_v)",
        "_put_linear(spec.linear[0], attention.w_k, attention.w_q, attention.w_v)",
        (f"{FOR_CTRANSLATE2}::test_every_token_has_the_probability_that_torch_gives_it[{{}}]",),
    ),
    "an export for CTranslate2 that forgets to scale the embeddings": Fault(
        "_put_stack",
        "spec.scale_embeddings = True",
        "spec.scale_embeddings = False",
        (f"{FOR_CTRANSLATE2}::test_every_token_has_the_probability_that_torch_gives_it[{{}}]",),
    ),
    "an export that writes over what somebody else put into the folder": Fault(
        "require_free",
        "there - _written_names(folder)",
        "set()",
        ("translation/export/test_whole_folder.py::test_a_folder_with_anything_else_in_it_is_left_alone[thesis.txt]",),
    ),
    "a failed export that leaves its half beside the place": Fault(
        "write_folder",
        "shutil.rmtree(new, ignore_errors=True)",
        "",
        ("translation/export/test_whole_folder.py::test_a_failure_leaves_what_was_there[error0]",),
    ),
    "a damaged file of the page's weights that is read all the same": Fault(
        "page_weights.model_of",
        "zlib.crc32(content[len(MAGIC) + 4 :]) != checksum",
        "False",
        ("translation/export/test_page_weights.py::test_a_changed_bit_is_noticed[-1]",),
    ),
    "fast queries that are divided by the width and not by its root": Fault(
        "packing.Attention.__init__",
        "1 / math.sqrt(attention.d_k)",
        "1 / attention.d_k",
        (FAST_IS_READABLE,),
    ),
    "fast rows with one scale for the whole matrix": Fault(
        "EightBitProduct.__init__",
        "quantise(weight).scales",
        "quantise(weight).scales.amax().expand(len(weight))",
        ("translation/fast/test_packing.py::test_eight_bits_round_the_weights_as_the_quantisation_of_the_book_does",),
    ),
    "fast log-probabilities that leave out what is forbidden": Fault(
        "Scored.log_sum_exp",
        "torch.logaddexp(rest, self.set_aside.logsumexp(dim=1))",
        "rest",
        ("translation/fast/test_choosing.py::test_log_sum_exp_counts_what_is_forbidden_too[0.0]",),
    ),
    "a fast sum over a row in which nothing may follow": Fault(
        "Scored.log_sum_exp",
        "torch.where(largest > -math.inf, largest - rest, largest)",
        "largest - rest",
        ("translation/fast/test_choosing.py::test_log_sum_exp_of_a_row_in_which_nothing_may_follow",),
    ),
    "fast equals in the order in which topk gives them": Fault(
        "largest_places",
        "(found.values[:, 1:] == found.values[:, :-1]).any()",
        "False",
        ("translation/fast/test_choosing.py::test_the_largest_of_all_prefixes_in_the_order_of_a_full_search[4-2]",),
    ),
    "fast attention to the source's padding": Fault(
        "Sources.__init__",
        "torch.zeros(src.shape, device=src.device).masked_fill_(~real, lowest)[:, None, None]",
        "torch.zeros(src.shape, device=src.device)[:, None, None]",
        (
            "translation/fast/test_stepping.py::test_the_encoder_gives_the_states_of_the_real_tokens",
            FAST_IS_READABLE,
        ),
    ),
    "a fast beam that forgets which prefix it goes on from": Fault(
        "State.choose",
        "parents[:, :, None].expand(-1, -1, self.filled)",
        "torch.zeros_like(parents)[:, :, None].expand(-1, -1, self.filled)",
        (
            "translation/fast/test_stepping.py::test_steps_follow_prefixes_that_are_repeated_dropped_and_crossed",
            FAST_IS_READABLE,
        ),
    ),
    "fast sources that move and leave their caches": Fault(
        "State.keep",
        "[sources[place] for place in moved]",
        "moved",
        ("translation/fast/test_stepping.py::test_steps_follow_prefixes_that_are_repeated_dropped_and_crossed",),
    ),
    "a fast prefix that attends to its neighbours in the beam": Fault(
        "State.open_slots",
        "self.keys.new_full((width, width), -math.inf)",
        "self.keys.new_zeros((width, width))",
        ("translation/fast/test_stepping.py::test_steps_follow_prefixes_that_are_repeated_dropped_and_crossed",),
    ),
    "a fast stop rule that looks no further than the next token": Fault(
        "searching._Beam._is_decided",
        "gnmt_penalty(self.limit, self.length_penalty)",
        "gnmt_penalty(len(self.steps) + 1, self.length_penalty)",
        ("translation/fast/test_searching.py::TestEquality::test_beams_and_penalties[torch-4-2.5]",),
    ),
    "compiled prefixes that go on from the first": Fault(
        "CompiledSearch.choose",
        "np.array(parents)",
        "0 * np.array(parents)",
        (f"{COMPILED}::test_prefixes_that_are_repeated_dropped_and_crossed[pre-norm]",),
    ),
    "compiled sources that are kept without their prefixes": Fault(
        "CompiledSearch._go_on",
        "self._source[: len(rows)] = self._source[rows]",
        "",
        (f"{COMPILED}::test_prefixes_that_are_repeated_dropped_and_crossed[pre-norm]",),
    ),
    "compiled ids that are read from anywhere": Fault(
        "compiled._check_ids",
        "ids.max() >= vocab_size",
        "ids.max() > vocab_size",
        (f"{COMPILED}::TestRefusals::test_ids_that_are_in_no_vocabulary",),
    ),
    "machine code that is kept for another source": Fault(
        "compiling.built",
        "SOURCE.read_bytes()",
        'b""',
        (
            "translation/fast/test_compiling.py::TestWithACompiler"
            "::test_it_is_compiled_once_and_again_when_the_source_changes",
        ),
    ),
    "compiled attention that is not divided by the sum": Fault(
        "compiled.c",
        "scores[j] / total, values",
        "scores[j], values",
        (f"{COMPILED}::test_the_best_of_each_source[True]",),
    ),
    "a compiled ReLU that lets a little through": Fault(
        "compiled.c",
        "what == RELU ? larger(all(0), one) : one",
        "what == RELU ? larger(all(-0.1f), one) : one",
        (f"{COMPILED}::test_prefixes_that_are_repeated_dropped_and_crossed[whole strips]",),
    ),
    "compiled columns behind the last whole panel that lose their bias": Fault(
        "compiled.c",
        "part[c] + (bias ? bias[strip + c] : 0)",
        "part[c]",
        (f"{COMPILED}::test_prefixes_that_are_repeated_dropped_and_crossed[own widths]",),
    ),
    "compiled equals in the order in which they came last": Fault(
        "compiled.c",
        "place > 0 && total[j] > mine[place - 1]",
        "place > 0 && total[j] >= mine[place - 1]",
        ("translation/fast/test_searching.py::TestEquality::test_equal_probabilities_go_the_same_way[compiled]",),
    ),
    "a compiled exponential that hides what is not a number": Fault(
        "compiled.c",
        "x = larger(all(-87.0f), x);",
        "x = larger(x, all(-87.0f));",
        (
            f"{COMPILED}::test_no_weight_that_is_not_a_number_goes_unnoticed[decoder.layers.0.self_attention.w_q.weight]",
        ),
    ),
    "a compiled sum whose order depends on its neighbours": Fault(
        "compiled.c",
        "for (int s = 0; s < STRIP; s++) total[r][s] += x[r * x_apart + i] * part[s];",
        "for (int s = 0; s < STRIP; s++) { int64_t at = rows == 1 ? inputs - 1 - i : i; "
        "total[r][s] += x[r * x_apart + at] * ((const vec *)(weight + strip + at * PANEL))[s]; }",
        (f"{COMPILED}::test_a_sentence_is_translated_the_same_in_every_batch_bit_for_bit",),
    ),
    "a step whose cache costs nothing to read": Fault(
        "step_cost",
        "sum(cached_numbers(config, written, src_len))",
        "cached_numbers(config, written, src_len)[1]",
        ("translation/fast/test_step_costs.py::test_a_step_multiplies_as_often_as_torch_counts[4-shape0]",),
    ),
    "steps without a cache that keep the source all the same": Fault(
        "steps_keeping",
        "kept.cross_attention if source else fresh.cross_attention",
        "kept.cross_attention",
        (
            "translation/test_forced_decoding.py::test_keys_are_computed_for_what_is_not_kept_and_for_nothing_else[sinusoidal-False-False]",
        ),
    ),
    "cached steps that all stand at the first position": Fault(
        "steps_keeping",
        "model._embed(model.tgt_embedding, tgt[:, first:last + 1], first)",
        "model._embed(model.tgt_embedding, tgt[:, first:last + 1], 0)",
        (
            "translation/test_forced_decoding.py::test_whatever_is_kept_the_scores_are_those_of_one_pass[sinusoidal-True-True]",
        ),
    ),
}
