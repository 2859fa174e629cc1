"""What a translator has seen, as a memory: the state before each training token, and the token.

Khandelwal et al. 2021, §2, where it is called a datastore: the keys are what the decoder has made of a source and of
the target so far, the values are the tokens that followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from tqdm import tqdm

from ...data.batching import Batch, Encoded
from ...data.subwords import Subwords
from ...models.transformer import Transformer
from ..fast_step import target_states


@dataclass(frozen=True)
class Datastore:
    """A key and a value for each target token of a list of pairs, in their order; `</s>` is a token, too.

    Attributes:
        keys: the decoder's last states, which the output layer reads.
        values: the token that follows each.
        owners: the number of the pair that each is from.
        starts: where each pair begins.
    """

    keys: Float[Tensor, "tokens d_model"]
    values: Int64[Tensor, " tokens"]
    owners: Int64[Tensor, " tokens"]
    starts: Int64[Tensor, " pairs"]


@torch.no_grad()
def datastore_of(
    model: Transformer, encoded: Sequence[Encoded], tokens_per_batch: int = 6000, progress: bool = False
) -> Datastore:
    """Read every pair with a model and keep the state before each target token.

    Args:
        model: in evaluation mode.
        encoded: the pairs.
        tokens_per_batch: padded size of a batch, on each side.
        progress: show a bar.
    """
    device = next(model.parameters()).device
    counts = torch.tensor([len(target) + 1 for _, target in encoded], dtype=torch.int64)
    starts = counts.cumsum(0) - counts
    total = int(counts.sum())
    keys = torch.empty(total, model.config.d_model, device=device, dtype=next(model.parameters()).dtype)
    values = torch.tensor([token for _, target in encoded for token in (*target, Subwords.eos_id)], dtype=torch.int64)
    with tqdm(total=total, unit="tok", unit_scale=True, desc="states", disable=not progress) as bar:
        for rows in _batches(encoded, tokens_per_batch):
            batch = _batch([encoded[row] for row in rows]).to(device)
            real = batch.tgt_out != Subwords.pad_id
            places = (starts[rows][:, None] + torch.arange(real.shape[1])).to(device)[real]
            keys[places] = target_states(model, batch)[real]
            bar.update(len(places))
    owners = torch.arange(len(encoded)).repeat_interleave(counts)
    return Datastore(keys, values.to(device), owners.to(device), starts.to(device))


def _batches(encoded: Sequence[Encoded], tokens_per_batch: int) -> list[list[int]]:
    """Numbers of pairs of like length, up to a padded size."""
    longest = [max(map(len, pair)) + 1 for pair in encoded]
    batches: list[list[int]] = []
    for row in sorted(range(len(encoded)), key=lambda row: longest[row]):
        if not batches or longest[row] * (len(batches[-1]) + 1) > tokens_per_batch:
            batches.append([])
        batches[-1].append(row)
    return batches


def _batch(pairs: Sequence[Encoded]) -> Batch:
    bos, eos = Subwords.bos_id, Subwords.eos_id
    sides = (
        [[*source, eos] for source, _ in pairs],
        [[bos, *target] for _, target in pairs],
        [[*target, eos] for _, target in pairs],
    )
    padded = (
        torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in side], True, Subwords.pad_id) for side in sides
    )
    return Batch(*padded)
