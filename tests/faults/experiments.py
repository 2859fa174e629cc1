"""Faults to plant in the room `experiments`."""

from .fault import Fault

INTERRUPTED = "experiments/test_experiments.py::test_a_run_that_may_be_resumed_keeps_each_seed_as_it_comes"
PICTURES = "experiments/beyond/test_captioned_pictures.py"
IN_PARTS = "experiments/translator/test_recipe_in_parts.py"

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
    "pupils that begin as their teachers did": Fault(
        "recipe_in_parts.train_arm",
        "50 if name in pupils else 0",
        "0",
        (f"{IN_PARTS}::test_arms_begin_alike_and_pupils_with_other_weights_than_their_teachers",),
    ),
    "new pairs in the place of known ones": Fault(
        "recipe_in_parts.losses",
        '(("loss", test), ("seen_loss", seen))',
        '(("loss", test), ("seen_loss", test))',
        (f"{IN_PARTS}::test_a_score_of_a_known_pair_is_its_loss_without_smoothing_and_dropout",),
    ),
    "a change that the model is not told": Fault(
        "recipe_in_parts.train_arm",
        'configuration["model"] | {key: arm[key] for key in ("dropout", "attention_dropout") if key in arm}',
        'configuration["model"] | {"attention_dropout": 0.0}',
        (f"{IN_PARTS}::test_every_arm_is_told_its_own_dropout",),
    ),
}
