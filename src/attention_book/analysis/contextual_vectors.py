"""One word among different others: how the encoder's vector of it changes, and whether a later word can change it."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ..attention.masks import causal_mask
from ..models.search_interface import inference
from ..translation.translator import Translator
from .recording import recording

RIVER = (
    "He sat on the bank of the river.",
    "We walked along the bank of the river.",
    "The boat is near the bank of the river.",
    "There are trees on the bank of the river.",
    "The river has a muddy bank.",
    "They fished from the bank of the stream.",
    "He swam to the other bank of the river.",
    "The house stands on the left bank of the river.",
)
MONEY = (
    "She put the money in the bank.",
    "I have an account at the bank.",
    "The bank is closed on Sunday.",
    "He works in a bank.",
    "The bank lent him some money.",
    "I went to the bank to get money.",
    "She robbed a bank last year.",
    "The bank opens at nine.",
)


def states_of_word(
    translator: Translator, sentence: str, word: str, causal: bool = False
) -> Float[Tensor, "depths d_model"]:
    """The vector at the position of a word, on its way through the encoder.

    Args:
        translator: whose encoder.
        sentence: one that holds the word.
        word: a word that is one piece, not the first of the sentence.
        causal: let the encoder read from left to right, as a decoder does, though it was not trained so.

    Returns:
        n_layers + 1 rows: the embedding with its position, then the output of each layer. The last one is as the
        decoder gets it, after the final LayerNorm.

    Raises:
        ValueError: if the word is no piece of the sentence.
    """
    model, subwords = translator.model, translator.subwords
    ids = [*subwords.encode(sentence), subwords.eos_id]
    tokens = subwords.tokens(ids)
    if f"▁{word}" not in tokens:
        raise ValueError(f"{word!r} is no piece of {sentence!r}, whose pieces are {' '.join(tokens)}")
    with inference(model), recording(*model.encoder.layers) as calls:
        x = model._embed(model.src_embedding, torch.tensor([ids], device=next(model.parameters()).device))
        mask = causal_mask(len(ids)).to(x.device) if causal else None
        memory, _ = model.encoder(x, mask)
    between = [calls[layer][0].output[0] for layer in model.encoder.layers[:-1]]
    return torch.stack([x, *between, memory])[:, 0, tokens.index(f"▁{word}")].cpu()


def same_kind_nearest(
    translator: Translator, word: str, kinds: Sequence[Sequence[str]] = (RIVER, MONEY), instead_of: str = "bank"
) -> list[int]:
    """At each depth: in how many sentences is the word's nearest vector, by cosine, one of a sentence of its own kind?

    Args:
        translator: whose encoder.
        word: it is put in place of `instead_of` in every sentence. With another word than that this is the control:
            what separates the kinds then cannot be a sense of the word that was replaced.
        kinds: groups of sentences.
        instead_of: the word that stands in them.

    Returns:
        A count for each depth of `states_of_word`, of all the sentences. Of vectors that are equally near, as those of
        equal places are at the embedding, the first one counts.
    """
    sentences = [(kind, text.replace(instead_of, word)) for kind, texts in enumerate(kinds) for text in texts]
    states = torch.stack([states_of_word(translator, text, word) for _, text in sentences])
    of_kind = torch.tensor([kind for kind, _ in sentences])
    counts = []
    for depth in range(states.shape[1]):
        unit = F.normalize(states[:, depth], dim=-1)
        cosines = (unit @ unit.T).fill_diagonal_(-2)  # no sentence is its own neighbour
        counts.append(int((of_kind[cosines.argmax(dim=1)] == of_kind).sum()))
    return counts
