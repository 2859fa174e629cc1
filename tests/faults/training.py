"""Faults to plant in the room `training`."""

from .fault import Fault

PADDING_FREE = "training/test_losses.py::test_padding_counts_neither_above_nor_below_the_fraction_line"
LOSS_IS_TORCHS = "training/test_losses.py::test_it_is_torchs_forward_and_backward"

MADE = "training/test_gap_filling.py::test_gaps_are_made_as_the_recipe_says"

FAULTS = {
    "every chosen word behind the mark": Fault(
        "make_gaps",
        "chosen & (draw < recipe.hidden)",
        "chosen",
        (MADE,),
    ),
    "nothing asked at the kept words": Fault(
        "make_gaps",
        "torch.where(chosen, ids, recipe.pad_id)",
        "torch.where(shown != ids, ids, recipe.pad_id)",
        (MADE,),
    ),
    "padding chosen as a gap": Fault(
        "make_gaps",
        "order = torch.rand(ids.shape, generator=generator).masked_fill(~real, 2.0)",
        "order = torch.rand(ids.shape, generator=generator)",
        ("training/test_gap_filling.py::test_padding_is_never_chosen_and_a_short_sentence_has_one_gap",),
    ),
    "a loss at every word of the sentence": Fault(
        "gap_loss",
        "ignore_index=pad_id",
        "ignore_index=-100",
        ("training/test_gap_filling.py::test_the_loss_is_the_mean_over_the_gaps_by_hand",),
    ),
    "pads in the loss": Fault(
        "label_smoothed_cross_entropy",
        "each[real].sum() / torch.clamp(real.sum(), min=1)",
        "each.mean()",
        (PADDING_FREE, LOSS_IS_TORCHS),
    ),
    "pads in the loss's denominator": Fault(
        "label_smoothed_cross_entropy",
        "torch.clamp(real.sum(), min=1)",
        "max(real.numel(), 1)",
        (PADDING_FREE, LOSS_IS_TORCHS),
    ),
    "smoothing spread over the other tokens only": Fault(
        "label_smoothed_cross_entropy",
        "log_probs.mean(dim=-1)",
        "log_probs.sum(dim=-1) / (log_probs.shape[-1] - 1)",
        ("training/test_losses.py::test_two_outcomes_by_hand", LOSS_IS_TORCHS),
    ),
    "validation that moves dropout's random numbers": Fault(
        "Trainer._note",
        "torch.set_rng_state(state)",
        "",
        ("training/test_trainer.py::test_validation_moves_nothing",),
    ),
    "a warm-up that is as steep for every length": Fault(
        "noam_schedule",
        "warmup**-1.5",
        "warmup**-1",
        (
            "training/test_schedules.py::test_noam_by_hand",
            "training/test_schedules.py::test_noam_peaks_at_the_end_of_the_warm_up",
        ),
    ),
    "a decay that begins before the warm-up ends": Fault(
        "warmup_then_decay",
        "(done - warmup) / (total - warmup)",
        "done / total",
        (
            "training/test_schedules.py::test_the_decay_is_torchs_cosine[0.0]",
            "training/test_schedules.py::test_warm_up_is_a_straight_line_and_halfway_down_is_half",
        ),
    ),
    "a cosine that rises again beyond the budget": Fault(
        "warmup_then_decay",
        "min(1.0, (done - warmup) / (total - warmup))",
        "(done - warmup) / (total - warmup)",
        (
            "training/test_schedules.py::test_warm_up_is_a_straight_line_and_halfway_down_is_half",
            "training/test_schedules.py::test_the_rate_stays_between_zero_and_the_peak_and_never_rises_after_the_warm_up",
        ),
    ),
    "a floor on top of the peak": Fault(
        "warmup_then_decay",
        "peak - floor",
        "peak",
        ("training/test_schedules.py::test_the_decay_is_torchs_cosine[0.0002]",),
    ),
    "a checkpoint before its snapshot": Fault(
        "TrainerWithSnapshots.save",
        "self.allowed()",
        "self.allowed(); save_checkpoint(self.checkpoint, self.model, self.optimizer, {"
        "'identity': self.identity, 'progress': {'snapshots': {_snapshot_name(self.tokens): '0' * 64}}})",
        ("training/test_snapshots.py::test_a_snapshot_is_there_before_the_checkpoint_that_names_it",),
    ),
    "a snapshot wherever Ctrl-C stops a run": Fault(
        "TrainerWithSnapshots.save",
        'self.curve and self.curve[-1]["tokens"] == self.tokens',
        "True",
        ("training/test_snapshots.py::test_ctrl_c_between_validations_takes_no_snapshot_and_keeps_those_named",),
    ),
    "a snapshot that is not compared with its name": Fault(
        "TrainerWithSnapshots._read",
        "read_digest(path) != digest",
        "False",
        ("training/test_snapshots.py::test_a_whole_snapshot_of_another_run_is_refused",),
    ),
    "snapshots of another run in the folder of a run": Fault(
        "TrainerWithSnapshots._remove_unnamed",
        "path.name not in self.snapshots",
        "False",
        ("training/test_snapshots.py::test_snapshots_that_no_checkpoint_names_are_never_averaged",),
    ),
    "a vocabulary that an earlier run left": Fault(
        "training.runs._subwords",
        "resume and path.exists()",
        "path.exists()",
        ("training/test_snapshots.py::test_training_again_learns_the_vocabulary_again",),
    ),
    "a lock on a file that is gone": Fault(
        "FolderLock._try",
        "locked and self._is_in_place(file)",
        "locked",
        ("training/test_folder_lock.py::test_a_lock_on_a_file_that_its_holder_has_removed_is_none",),
    ),
    "a lock that anyone may have": Fault(
        "folder_lock._lock",
        "return False",
        "return True",
        ("training/test_folder_lock.py::test_threads_of_one_process_are_kept_apart_as_well",),
    ),
    "a model that reads another one's table": Fault(
        "_Pass.embedded",
        "tokens + shift",
        "tokens",
        ("training/together/test_update.py::test_logits_are_those_of_each_model_for_its_own_batch",),
    ),
    "padding of the source seen side by side": Fault(
        "_Pass.visible",
        "~real",
        "torch.zeros_like(real)",
        ("training/together/test_update.py::test_logits_are_those_of_each_model_for_its_own_batch",),
    ),
    "one clip for all models": Fault(
        "Update._compute",
        "(recipe.clip / (norms + 1e-6)).clamp(max=1)",
        "(recipe.clip / (norms.norm() + 1e-6)).clamp(max=1)",
        ("training/together/test_update.py::test_updates_are_those_of_each_model_trained_alone",),
    ),
    "a quick gradient without the mean of the difference": Fault(
        "losses_and_gradient",
        "p * (difference - m) + apart",
        "p * difference + apart",
        ("training/together/test_update.py::test_the_quick_gradient_is_autograd_s",),
    ),
    "a lesson from the teachers in training": Fault(
        "Update._lesson",
        "training=False",
        "training=True",
        ("training/together/test_update.py::test_the_lesson_is_the_mean_of_all_teachers",),
    ),
    "an ensemble of mean logarithms": Fault(
        "Ensemble.decode",
        "torch.stack(each).softmax(-1).mean(0).log()",
        "torch.stack(each).mean(0).log_softmax(-1)",
        (
            "training/together/test_distilling.py"
            "::test_an_ensemble_predicts_the_mean_of_probabilities_and_not_of_their_logarithms",
        ),
    ),
    "a resumed run that begins its epoch again": Fault(
        "train_stack",
        "islice(batches, done.index, None)",
        "islice(batches, 0, None)",
        ("training/together/test_loop.py::test_a_run_that_was_stopped_ends_as_if_it_had_not_been",),
    ),
    "a checkpoint without the optimizer's moments": Fault(
        "loop._state",
        "update.moments(parameter).items()",
        "{}.items()",
        ("training/together/test_loop.py::test_a_run_that_was_stopped_ends_as_if_it_had_not_been",),
    ),
    "a pair in a table that is too wide": Fault(
        "shelved",
        "(narrower < longest) & (longest <= width)",
        "longest <= width",
        ("training/together/test_shelves.py::test_every_pair_stands_once_in_the_narrowest_table_that_holds_it",),
    ),
    "a fast product whose bias learns from one row": Fault(
        "_Linear.backward",
        "slope.sum(0)",
        "slope[0]",
        ("training/test_fast_products.py::test_a_linear_layer_and_all_its_gradients[True-(7,)-True]",),
    ),
    "a fast product whose weights learn from the wrong side": Fault(
        "_Linear.backward",
        "times_transposed(slope.t(), x.t())",
        "times_transposed(slope.t(), x.t().flip(1))",
        ("training/test_fast_products.py::test_a_linear_layer_and_all_its_gradients[True-(7,)-True]",),
    ),
    "a pair that finds itself in its memory": Fault(
        "Neighbourhoods.nearest",
        "askers[rows][:, None] == owners[inside][None]",
        "askers[rows][:, None] == -1 - owners[inside][None]",
        ("training/remembering/test_nearest.py::test_with_all_lists_it_finds_what_a_tree_finds",),
    ),
    "neighbours of the last list alone": Fault(
        "nearest._merge",
        "torch.cat([found[0][rows], apart], dim=1)",
        "torch.cat([torch.full_like(found[0][rows], torch.inf), apart], dim=1)",
        ("training/remembering/test_nearest.py::test_with_all_lists_it_finds_what_a_tree_finds",),
    ),
    "a state beside the token before it": Fault(
        "datastore_of",
        "(*target, Subwords.eos_id)",
        "(Subwords.bos_id, *target)",
        ("training/remembering/test_datastore.py::test_a_token_and_its_pair_stand_beside_each_state",),
    ),
    "fingerprints that do not tell source from target": Fault(
        "Remembering._prints",
        "zip((source, target), self._numbers, strict=True)",
        "zip((source, target), self._numbers[[0, 0]], strict=True)",
        ("training/remembering/test_lesson.py::test_the_same_words_on_other_sides_are_another_pair",),
    ),
    "a lesson that begins one token late": Fault(
        "Remembering.logits",
        "torch.arange(tgt.shape[-1], device=tgt.device)",
        "torch.arange(1, tgt.shape[-1] + 1, device=tgt.device)",
        ("training/remembering/test_lesson.py::test_a_pair_is_found_in_any_order_and_with_any_padding",),
    ),
    "a memory whose share is the model's": Fault(
        "WithMemory.mixed",
        "(1 - self.share) * log_p.exp()",
        "self.share * log_p.exp()",
        ("training/remembering/test_with_memory.py::test_a_step_is_the_mixture_of_its_definition",),
    ),
    "a memory that takes the root of its distances": Fault(
        "WithMemory.followed",
        "-apart / self.temperature",
        "-apart.sqrt() / self.temperature",
        ("training/remembering/test_with_memory.py::test_a_step_is_the_mixture_of_its_definition",),
    ),
    "the first learner instead of the mean": Fault(
        "mean_of",
        "parameter.detach().mean(0, keepdim=True)",
        "parameter.detach()[:1]",
        ("training/remembering/test_remembering.py::test_the_translator_is_the_mean_of_the_learners",),
    ),
}
