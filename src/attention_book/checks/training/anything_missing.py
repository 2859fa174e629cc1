"""Checks for *Is anything missing?*: two programs compared, other lengths, changed lines, a fault that no loss sees."""

import torch

from ...examples import translator_in_one_file as one_file
from ..answers import each_answer, from_list, is_one_of
from ..drawn import Normal, seeded
from ..known_mistakes import near, refuse_number
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number


def _two_models(seed: int, same: bool) -> tuple[one_file.Transformer, one_file.Transformer]:
    """Two models of the file in training mode, with a strong dropout: of the same parameters, or of others."""
    with seeded(seed):
        first, second = (
            one_file.Transformer(12, d_model=8, n_heads=2, n_layers=1, d_ff=16, dropout=0.5).double() for _ in range(2)
        )
    if same:
        second.load_state_dict(first.state_dict())
    return first, second


@checking
def check_difference(candidate: object) -> Report:
    """Does ``candidate(first, second, src, tgt)`` give the largest difference where the target is no padding?"""
    src, tgt = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]]), torch.tensor([[1, 8, 9, 10], [1, 6, 0, 0]])
    real = tgt != one_file.PAD
    for seed, same in ((22, False), (17, False), (1, True)):
        first, second = _two_models(seed, same)
        with torch.no_grad():
            every = first.eval()(src, tgt), second.eval()(src, tgt)
        ours, theirs = (scores[real] for scores in every)
        if (ours - theirs).max() > (theirs - ours).max():
            first, second, ours, theirs = second, first, theirs, ours  # the largest difference has a minus sign
        difference, right = ours - theirs, (ours - theirs).abs().max().item()
        known = {
            "The largest difference has a minus sign here: take the sizes first, then the largest.": difference.max(),
            "It counts places where the target is padding.": (every[0] - every[1]).abs().max(),
            "That is its mean. One wrong score among many right ones should show.": difference.abs().mean(),
            "That is the sum over all scores.": difference.abs().sum(),
            "That is its square.": difference.square().max(),
            "That is the first sentence only.": (every[0] - every[1])[0].abs().max(),
            "That compares probabilities. Compare the scores.": (ours.softmax(-1) - theirs.softmax(-1)).abs().max(),
            "That compares the largest scores with each other. Subtract first.": (ours.max() - theirs.max()).abs(),
        }
        got = expect_number(attempt(candidate, first.train(), second.train(), src, tgt), "the largest difference")
        if abs(got - right) > 1e-9:
            if first.training or second.training:
                known["In training mode dropout draws anew in each pass: call `eval()` on both models."] = got
            where = "For two models with the same parameters" if same else "For two models"
            refuse_number(where, got, right, {why: float(n) for why, n in known.items()}, near(abs_tol=1e-9))
    return Report(True, "Right for three pairs of models. Only two of the same parameters give 0.")


_LENGTHS = {
    "a": ("few", "The rule that it has found ends with the longest row that it has seen."),
    "b": (
        "most",
        "The end can come after 8, 9, 11 or 12 digits, so the model has to look for it. A gap of one is filled.",
    ),
    "c": ("most", "The length in the middle lies one step from both that it has seen, and a gap of one is filled."),
}


@checking
def check_lengths(answers: object) -> Report:
    """Is it said rightly whether a copyist that has seen some lengths copies rows of another?

    Args:
        answers: letter to "most" or "few".
    """
    for letter, said in each_answer(answers, _LENGTHS, "an answer for each of the letters"):
        right, reason = _LENGTHS[letter]
        if isinstance(said, (list, tuple)) or not is_one_of(from_list(said), ("most", "few")):
            raise NotYet(f'Answer {letter} with "most" or "few".')
        if said != right:
            raise NotYet(f'({letter}) is not "{said}". {reason}')
    return Report(True, "A gap of one length is filled, and beyond the longest row the rule ends.")


@checking
def check_unseen(candidate: object) -> Report:
    """Does ``candidate(scores)`` change every score, and no probability?

    Args:
        candidate: takes scores of the shape (rows, words).
    """
    normal = Normal(2)
    for shape in ((3, 5), (1, 4), (6, 2)):
        scores = normal(*shape)
        meaning = "one row per target position, one column per word"
        got = expect_array(attempt(candidate, scores), shape, meaning, name="the scores").double()
        if not got.isfinite().all():
            raise NotYet("Scores are finite numbers.")
        kept = ((got - scores).abs() < 1e-6).nonzero().tolist()
        if kept:
            row, column = kept[0]
            raise NotYet(
                f"Every score should change. In row {row}, column {column} (counted from 0) stands the old one."
            )
        for row, (old, new) in enumerate(zip(scores, got, strict=True)):
            where = f"row {row} (counted from 0)"
            if old.argmax() != new.argmax():
                raise NotYet(f"In {where} another word has the largest score, so the translation changes.")
            if not agrees(new.softmax(-1), old.softmax(-1)):
                raise NotYet(f"No translation changes, but the probabilities of {where} do, and with them the loss.")
    return Report(True, "Softmax takes no notice of a number that is added to a whole row. Comparing scores does.")


OUTCOMES = ("cheats", "rewarded", "random", "same", "sharp", "stuck")
_LINES = {
    "a": ("`loss_of`, `wanted = tgt[:, :-1]` in place of `wanted = tgt[:, 1:]`", "cheats",
          "Each target position is then asked for the word that went in: the loss goes to 0, and greedy search writes "
          "one word over and over."),
    "b": ("`loss_of`, without `ignore_index=PAD`", "rewarded",
          "The places behind the end then count as words to predict, and PAD after PAD is easy to learn."),
    "c": ("`greedy`, `model.encode(src)` in place of `model.eval().encode(src)`", "random",
          "`train` leaves the model in training mode, so dropout stays on while it translates."),
    "d": ("`greedy`, without the line that forbids PAD and START", "same",
          "No target of training holds PAD or START as a word to predict, so a trained model gives them next to no "
          "probability. The line is a guard."),
    "e": ("`forward` of `Attention`, without `/ math.sqrt(q.shape[-1])`", "sharp",
          "With d_k = 16 the scores become four times as large, and softmax puts more weight on the largest."),
}  # fmt: skip


def changed_lines() -> str:
    """The changes of the exercise, one line each, ready to print."""
    return "\n".join(f"{letter}: {change}".replace("`", "") for letter, (change, *_) in _LINES.items())


@checking
def check_changed_lines(answers: object) -> Report:
    """Is it said rightly what happens when one line of the file is changed?

    Args:
        answers: letter to one of `OUTCOMES`.
    """
    for letter, said in each_answer(answers, _LINES, "an outcome for each of the letters"):
        _, right, reason = _LINES[letter]
        if isinstance(said, (list, tuple)) or not is_one_of(from_list(said), OUTCOMES):
            listed = ", ".join(f'"{outcome}"' for outcome in OUTCOMES)
            raise NotYet(f"Answer {letter} with one of {listed}.")
        if said != right:
            raise NotYet(f'({letter}) is not "{said}". {reason}')
    return Report(True, "None of the five raises an error, and two make the loss look better.")
