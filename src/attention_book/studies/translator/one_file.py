"""The translator in one file beside the package's: the package's weights in it, and how well it translates."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import nn

from ...examples import translator_in_one_file as one_file
from ...little_language.language import LittlePair, log_prob
from ...models.transformer import Transformer, TransformerConfig

RENAMED = (
    ("src_embedding.", "embedding."),
    ("encoder.norm.", "encoder_norm."),
    ("decoder.norm.", "decoder_norm."),
    (".layers.", "."),
    (".feed_forward.w_", ".w_"),
    ("add_attention.norm.", "norm_self."),
    ("add_self.norm.", "norm_self."),
    ("add_cross.norm.", "norm_cross."),
    ("add_feed_forward.norm.", "norm_feed_forward."),
)
"""What a parameter of the package is called, and what it is called in the file; replaced one after the other."""
_SAME = ("tgt_embedding.weight", "output.weight")  # the package's other names for the one matrix of words


def copied(model: Transformer) -> one_file.Transformer:
    """The one file's model with the weights of a model of the package.

    Args:
        model: normalised before each sublayer, its embeddings tied, with sinusoidal positions and biases, as all the
            translators that the book trains; it is not changed.

    Returns:
        A model of its own, in the same type of number and in evaluation mode.

    Raises:
        ValueError: if the model is of another kind, for which the file has no code.
    """
    config = model.config
    sizes = {name: getattr(config, name) for name in ("d_model", "n_heads", "n_layers", "d_ff", "dropout")}
    kind = TransformerConfig(config.vocab_size, **sizes, max_len=config.max_len)
    if replace(config, attention_dropout=0.0, pad_id=0, bos_id=1, eos_id=2) != kind:
        raise ValueError("the file has the book's translator alone: pre-norm, tied, sinusoidal, with biases")
    single = one_file.Transformer(config.vocab_size, **sizes)
    weights = {}
    for name, tensor in model.state_dict().items():
        for ours, theirs in RENAMED:
            name = name.replace(ours, theirs)
        if name not in _SAME:
            weights[name] = tensor
    single.to(next(model.parameters()).dtype).load_state_dict(weights)
    return single.eval()


def copies(n: int, length: int, seed: int) -> list[tuple[str, str]]:
    """Rows of random digits, each as its own translation.

    Args:
        n: how many rows.
        length: digits of a row.
        seed: of the digits.
    """
    draw = random.Random(seed)
    rows = [" ".join(draw.choices("0123456789", k=length)) for _ in range(n)]
    return [(row, row) for row in rows]


def left_out(rows: Sequence[str], written: Sequence[str]) -> Counter[int]:
    """Which one digit of each row was not written, where all the others were, in order.

    Args:
        rows: of digits, with spaces between them.
        written: what a model wrote for each row.

    Returns:
        By the place of the digit, counted from 1, how many rows lack it. Of equal neighbours it is the later one. A row
        that is written otherwise, or completely, counts nowhere.

    Raises:
        ValueError: if there are not as many texts as rows.
    """
    places: Counter[int] = Counter()
    for row, text in zip(rows, written, strict=True):
        digits, found = row.split(), text.split()
        fit = [n for n in range(1, len(digits) + 1) if digits[: n - 1] + digits[n:] == found]
        places.update(fit[-1:])
    return places


def share_right(single: nn.Module, vocabulary: one_file.Vocabulary, pairs: Sequence[LittlePair]) -> float:
    """How many sentences become one of their translations, whichever it is.

    Args:
        single: a trained model of the file.
        vocabulary: its words.
        pairs: of the little language.
    """
    with torch.inference_mode():
        found = [one_file.translate(single, vocabulary, pair.source) for pair in pairs]
    right = [log_prob(p.source, text, p.target_lang) > -torch.inf for p, text in zip(pairs, found, strict=True)]
    return sum(right) / len(right)
