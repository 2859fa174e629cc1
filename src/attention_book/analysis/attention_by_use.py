"""The three uses of attention in a translator: on one pair of sentences, who asks whom, and with which weights."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..data.normalisation import tidy
from ..models.search_interface import inference
from ..models.transformer import Transformer
from ..translation.decoding import greedy_decode
from ..translation.translator import InputTooLong, Translator
from .ablation import KINDS, attentions
from .recording import recording

USES = dict(zip(KINDS, ("encoder, to itself", "decoder, to itself", "decoder, to the source"), strict=True))


@dataclass(frozen=True, eq=False)
class Use:
    """One use of attention on one pair of sentences.

    Attributes:
        queries: the tokens whose vectors ask, one per row.
        keys: the tokens whose vectors answer and are mixed, one per column.
        may: True where a query may attend to a key.
        weights: every row sums to 1, and is 0 where `may` is False.
    """

    queries: list[str]
    keys: list[str]
    may: Bool[np.ndarray, "q_len k_len"]
    weights: Float[np.ndarray, "n_layers n_heads q_len k_len"]


@dataclass(frozen=True, eq=False)
class PairUses:
    """The three uses on one pair: what a page, an explorer and a test show of it.

    Attributes:
        source: the sentence that is read.
        target: its translation.
        asked: the token that each row of the decoder is asked for. Its queries are the same tokens one place later,
            behind ``<s>``: so there are as many rows as pieces of the target, plus one.
        uses: by name, ``encoder_self``, ``decoder_self`` and ``cross``.
    """

    source: str
    target: str
    asked: list[str]
    uses: dict[str, Use]


def uses_of(translator: Translator, source: str, target: str | None = None) -> PairUses:
    """Read a source, feed a target behind ``<s>``, and keep all weights.

    Args:
        translator: whose weights.
        source: one sentence.
        target: what the decoder is fed; the translator's own translation, with a beam of 4, if left out.

    Returns:
        The weights in three uses, with the tokens of rows and columns.

    Raises:
        ValueError: if a sentence is blank.
        InputTooLong: if one has more pieces than the model has positions.

    Pitfall: rows of the decoder stand for its *inputs*. What row i says is about `asked[i]`, the token after it.
    """
    model, subwords = translator.model, translator.subwords
    target = str(translator.translate(source, split=False)) if target is None else target
    source, target = tidy(source), tidy(target)
    pieces = [subwords.encode(text) for text in (source, target)]
    for text, ids in zip((source, target), pieces, strict=True):
        if not ids:
            raise ValueError(f"there is no word in {text!r}")
        if len(ids) >= model.config.max_len:
            raise InputTooLong(f"{len(ids)} pieces are more than the {model.config.max_len - 1} that this model reads")
    src, out = ([*ids, subwords.eos_id] for ids in pieces)
    fed = [subwords.bos_id, *out[:-1]]
    device = next(model.parameters()).device
    with inference(model):
        weights = model.attention_weights(torch.tensor([src], device=device), torch.tensor([fed], device=device))
    names = {"source": subwords.tokens(src), "target": subwords.tokens(fed)}
    ends = {"encoder_self": ("source", "source"), "decoder_self": ("target", "target"), "cross": ("target", "source")}
    uses = {}
    for use, (asking, answering) in ends.items():
        may = np.ones((len(names[asking]), len(names[answering])), dtype=bool)
        uses[use] = Use(
            names[asking],
            names[answering],
            np.tril(may) if use == "decoder_self" else may,
            weights[use][:, 0].float().cpu().numpy(),
        )
    return PairUses(source, target, subwords.tokens(out), uses)


def keys_and_values(
    model: Transformer, memory: Float[Tensor, "batch src_len d_model"]
) -> list[tuple[Float[Tensor, "batch src_len width"], Float[Tensor, "batch src_len value_width"]]]:
    """What each decoder layer makes of the encoder output: ``(W^K memory, W^V memory)``, heads side by side.

    Nothing of the target enters, so a decoder that writes word after word computes these once.
    """
    return [(layer.cross_attention.w_k(memory), layer.cross_attention.w_v(memory)) for layer in model.decoder.layers]


def projections_made(translator: Translator, source: str) -> tuple[int, dict[str, int]]:
    """Count, while a sentence is translated greedily, how many vectors each use turns into keys.

    Returns:
        The tokens written, ``</s>`` among them, and for each use how many vectors went through its W^K, over all
        layers. Each of them went through W^V as well.
    """
    model, subwords = translator.model, translator.subwords
    makers = {attention.w_k: use for (use, _), attention in attentions(model).items()}
    device = next(model.parameters()).device
    src = torch.tensor([[*subwords.encode(source), subwords.eos_id]], device=device)
    with recording(*makers) as calls:
        (found,) = greedy_decode(model, src)
    counted: Counter[str] = Counter()
    for w_k, use in makers.items():
        counted[use] += sum(call.output.shape[0] * call.output.shape[1] for call in calls[w_k])
    return len(found.tokens), dict(counted)


def linked(
    pair: PairUses, links: Sequence[tuple[str, str]], by: str = "asked"
) -> Float[np.ndarray, "n_layers n_heads"]:
    """The mean weight from target words to the source words that they translate.

    Args:
        pair: whose cross-attention.
        links: target and source tokens that belong together, each token once in its sentence.
        by: ``"asked"`` takes the row in which the target token is asked for, ``"input"`` the row that it goes into.

    Raises:
        ValueError: if a token is not in its sentence, or ``by`` is neither.
    """
    cross = pair.uses["cross"]
    rows = {"asked": pair.asked, "input": cross.queries}.get(by)
    if rows is None:
        raise ValueError(f'rows are found by "asked" or by "input", not by {by!r}')
    places = [(rows.index(target), cross.keys.index(source)) for target, source in links]
    return np.mean([cross.weights[:, :, row, column] for row, column in places], axis=0)
