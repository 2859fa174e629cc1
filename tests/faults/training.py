"""Faults to plant in the room `training`."""

from .fault import Fault

PADDING_FREE = "training/test_losses.py::test_padding_counts_neither_above_nor_below_the_fraction_line"
LOSS_IS_TORCHS = "training/test_losses.py::test_it_is_torchs_forward_and_backward"

FAULTS = {
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
}
