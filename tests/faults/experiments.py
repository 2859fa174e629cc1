"""Faults to plant in the room `experiments`."""

from .fault import Fault

INTERRUPTED = "experiments/test_experiments.py::test_a_run_that_may_be_resumed_keeps_each_seed_as_it_comes"
PICTURES = "experiments/beyond/test_captioned_pictures.py"

FAULTS = {
    "an interrupted run that looks whole": Fault(
        "runner._write",
        '"" if missing_seeds(name, seeds) else digest(name)',
        "digest(name)",
        (INTERRUPTED,),
    ),
    "missing seeds that nobody misses": Fault("missing_seeds", "str(seed) not in there", "False", (INTERRUPTED,)),
    "numbers shuffled into their own places": Fault(
        "shuffle_",
        "torch.randperm(values.numel(), generator=draw)",
        "torch.arange(values.numel())",
        (
            "experiments/verdict/test_english_hindi_shuffled.py::"
            "test_shuffling_keeps_the_numbers_of_each_matrix_and_moves_them",
        ),
    ),
    "pixels asked for in their own row": Fault(
        "captioned_pictures.shifted",
        'F.pad(asked[:, :-1], (1, 0), value=IDS["<s>"])',
        "asked",
        (f"{PICTURES}::test_a_stream_is_the_caption_then_the_pixels",),
    ),
    "captions left out that were trained on": Fault(
        "captioned_pictures.is_unseen",
        "(list(COLOURS).index(colour) + SHAPES.index(shape) + list(SIDES).index(side)) % 3 == 0",
        "SHAPES.index(shape) == 0",
        (f"{PICTURES}::test_a_third_is_left_out_and_any_two_of_its_words_are_seen",),
    ),
}
