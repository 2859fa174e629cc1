"""Checks for *The whole in one file*: ids by hand, its parameters, the probability of a translation.

The file itself is the judge: models with random weights, in double precision.
"""

from functools import cache

import torch
from torch import Tensor

from ...examples import translator_in_one_file as one_file
from ..answers import each_answer
from ..drawn import seeded
from ..known_mistakes import near, recognise, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_number

_PAIRS = [("I sleep.", "Duermo."), ("I like cats.", "Me gustan los gatos.")]
_ASKED = {"a": "I like cats.", "b": "cats sleep.", "c": "I like dogs."}


def two_pairs() -> str:
    """The pairs of the first exercise and the sentences to encode, ready to print."""
    pairs = "\n".join(f"{source} → {target}" for source, target in _PAIRS)
    return pairs + "\n\n" + "\n".join(f"{letter}: {text}" for letter, text in _ASKED.items())


@checking
def check_ids(answers: object) -> Report:
    """Are these the ids of three sentences, in the vocabulary of the two pairs?

    Args:
        answers: letter to a list of ids.
    """
    vocabulary = one_file.Vocabulary(_PAIRS)
    for letter, said in each_answer(answers, _ASKED, "a list of ids for each of"):
        right = vocabulary.encode(_ASKED[letter])
        said = said.tolist() if isinstance(said, Tensor) and said.dim() == 1 else said
        if not isinstance(said, (list, tuple)) or not all(isinstance(n, int) for n in said):
            raise NotYet(f"({letter}) must be a list of whole numbers.")
        known = [
            (right[:-1], "The end token is missing: `encode` puts END behind the last word."),
            ([1, *right], "A source has no START in front. The decoder's input has, and `batches` puts it there."),
            ([n - 4 if n > 3 else n for n in right], "The first four ids belong to the special words."),
            ([n for n in right if n != vocabulary.ids["."]], "The full stop is a word of its own."),
            ([n for n in right if n != one_file.UNKNOWN], "A word that is not in the list still has an id: UNKNOWN."),
            ([0 if n == one_file.UNKNOWN else n for n in right], "0 is padding, and not UNKNOWN."),
        ]  # fmt: skip
        if list(said) != right:
            reason = recognise(list(said), known, lambda got, wrong: got == wrong)
            hint = (
                "Sort all words and marks of both languages as Python does: marks, then capitals, then small letters."
            )
            raise NotYet(f"({letter}) is not {list(said)}. {reason or hint}")
    return Report(True, "One list for both languages: that is why one matrix can serve both sides.")


def _counted(vocab_size: int, d_model: int, d_ff: int, n_layers: int) -> dict[str, int]:
    """The right number of parameters, and what other numbers come from."""
    attention, norm = 4 * (d_model * d_model + d_model), 2 * d_model
    forward = 2 * d_model * d_ff + d_ff + d_model
    encoder, decoder = attention + forward + 2 * norm, 2 * attention + forward + 3 * norm
    right = vocab_size * d_model + n_layers * (encoder + decoder) + 2 * norm
    biases = n_layers * (3 * 4 * d_model + 2 * (d_ff + d_model))
    return {
        "right": right,
        "The output layer has no matrix of its own: it is the embedding.": right + vocab_size * d_model,
        "Source and target share one embedding, and the output layer uses it too.": right + 2 * vocab_size * d_model,
        "The biases of the linear layers are missing.": right - biases,
        "Each stack ends with one more LayerNorm.": right - 2 * norm,
        "The LayerNorms have parameters too, two vectors each.": right - 2 * norm - 5 * n_layers * norm,
        "A block of the decoder has two attentions.": right - n_layers * attention,
        "A block of the decoder has three LayerNorms.": right - n_layers * norm,
        "The embedding is missing.": right - vocab_size * d_model,
        "There are n_layers blocks in the encoder, and as many in the decoder.": vocab_size * d_model
        + n_layers * (encoder + decoder) // 2
        + 2 * norm,
    }


@checking
def check_count(candidate: object) -> Report:
    """Does ``candidate(vocab_size, d_model, d_ff, n_layers)`` give the number of parameters of the file's model?"""
    for sizes in ((50, 8, 12, 1), (1000, 64, 256, 2), (8000, 256, 1024, 3)):
        vocab_size, d_model, d_ff, n_layers = sizes
        with torch.device("meta"):
            model = one_file.Transformer(vocab_size, d_model, 2, n_layers, d_ff)
        right = sum(parameter.numel() for parameter in model.parameters())
        got = expect_number(attempt(candidate, *sizes), "the number of parameters")
        known = _counted(*sizes)
        if known.pop("right") != right:
            raise RuntimeError("the formula of this check is not that of the file")
        if got != right:
            refuse_number(f"For {sizes}", got, float(right), known, near(), ",.0f")
    return Report(True, "The formula agrees with the machine at three sizes. The number of heads is not in it.")


@cache
def _model() -> one_file.Transformer:
    with seeded(5):
        return one_file.Transformer(20, d_model=8, n_heads=2, n_layers=1, d_ff=16).double().eval().requires_grad_(False)


@checking
def check_log_prob(candidate: object) -> Report:
    """Does ``candidate(model, src, tgt)`` give log p(target | source) in nats, a float?

    The source is (1, src_len) and ends in END; the target (1, tgt_len) begins with START and ends in END.
    """
    model = _model()
    for source, target in (([5, 6, 2], [1, 7, 2]), ([8, 2], [1, 9, 10, 11, 9, 2]), ([4, 4, 5, 2], [1, 2])):
        src, tgt = torch.tensor([source]), torch.tensor([target])
        logits, wanted = model(src, tgt[:, :-1])[0], tgt[0, 1:]
        log_probs = logits.log_softmax(-1)
        each = log_probs[torch.arange(len(wanted)), wanted]
        unshifted = model(src, tgt)[0].log_softmax(-1)[torch.arange(len(target)), tgt[0]]
        right = each.sum().item()
        known = {
            "It is the mean over the words. The log-probability of the whole is their sum.": each.mean().item(),
            "The sign is wrong: a probability is at most 1, so its logarithm is at most 0.": -right,
            "It is the loss, a mean with the sign turned.": -each.mean().item(),
            "It adds scores. They are log-probabilities only after log_softmax.": logits[
                torch.arange(len(wanted)), wanted
            ].sum().item(),
            "It adds probabilities. Those of the steps are multiplied, so their logarithms are added.": each.exp()
            .sum().item(),
            "It asks each row for the word that went in. Row t scores the word after word t.": unshifted.sum().item(),
            "It is the probability. Take its logarithm.": each.sum().exp().item(),
            "The end token belongs to the translation: without it, the sentence could go on.": each[:-1].sum().item(),
            "It is the log-probability of the likeliest word at each place.": log_probs.amax(-1).sum().item(),
        }  # fmt: skip
        got = expect_number(attempt(candidate, model, src, tgt), "the log-probability")
        if abs(got - right) > 1e-6:
            refuse_number(f"For a target of {len(wanted)} words", got, right, known, near(abs_tol=1e-6))
    return Report(True, "One pass scores the whole translation, as in training.")
