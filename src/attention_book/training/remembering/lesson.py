"""What a memory would say at each training token, and a teacher that says it.

Yang et al. 2022, §3: a translator can learn from the neighbours of its states, found once before training, instead of
searching for them with each new sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Int16
from torch import Tensor
from tqdm import tqdm

from ...data.batching import Encoded
from ...data.subwords import Subwords
from ..together.stack import Stack
from .datastore import Datastore
from .nearest import Neighbourhoods


@dataclass(frozen=True)
class Lessons:
    """A distribution over the vocabulary for each training token, most of it on a few tokens.

    Attributes:
        tokens: those few; one may stand in a row more than once.
        shares: their probabilities; those of a token that stands twice are added.

    What the shares leave is spread evenly over the whole vocabulary.
    """

    tokens: Int16[Tensor, "tokens few"]
    shares: Float[Tensor, "tokens few"]


@torch.no_grad()
def lessons_of(
    store: Datastore,
    output: Float[Tensor, "vocab_size d_model"],
    share: float = 0.5,
    temperature: float = 10.0,
    neighbours: int = 32,
    likeliest: int = 24,
    lists: int = 2048,
    probes: int = 24,
    progress: bool = False,
) -> Lessons:
    r"""What the model and its neighbours say together (Khandelwal et al. 2021, §2).

    .. math:: (1 - \lambda)\,p_i + \lambda \sum_{j:\ v_j = i} \operatorname{softmax}_j(-d_j^2 / T)

    with p the model's own distribution, and j over the nearest keys that are from another pair.

    Args:
        store: of the model.
        output: the model's output layer, which makes p of a key.
        share: λ, what the neighbours have of the distribution.
        temperature: T, in the units of squared distances.
        neighbours: how many count.
        likeliest: how many tokens are kept of p.
        lists, probes: of :class:`attention_book.training.remembering.nearest.Neighbourhoods`.
        progress: show a bar.

    Raises:
        ValueError: if λ is outside [0, 1], T is not positive, or the vocabulary has more than 32 768 tokens, whose ids
            16 bits do not hold.

    Pitfall: a pair that stands in the corpus twice finds itself, under its other number.
    """
    if not 0 <= share <= 1 or not temperature > 0:
        raise ValueError(f"need a share from 0 to 1 and a positive temperature, got {share} and {temperature}")
    if len(output) > 2**15:
        raise ValueError(
            f"lessons keep ids in 16 bits, for at most {2**15} tokens, and the vocabulary has {len(output)}"
        )
    likeliest = min(likeliest, len(output))
    around = Neighbourhoods(store.keys, lists)
    total = len(store.keys) * min(probes, len(around.centres))
    with tqdm(total=total, unit="look", unit_scale=True, desc="neighbours", disable=not progress) as bar:
        apart, near = around.nearest(store.keys, neighbours, probes, store.owners, store.owners, bar.update)
    weights = (-apart / temperature).softmax(1)
    alone = apart[:, 0].isinf()  # nobody else is there: the model speaks for itself
    weights[alone] = 0
    own = torch.where(alone, 1.0, 1.0 - share)[:, None]
    tokens = torch.empty(len(near), likeliest + neighbours, dtype=torch.int16, device=near.device)
    shares = torch.empty(tokens.shape, dtype=torch.float16, device=near.device)
    for rows in torch.arange(len(near), device=near.device).split(8192):
        p, i = (store.keys[rows] @ output.T).softmax(1).topk(likeliest)
        tokens[rows] = torch.cat([i, store.values[near[rows]]], dim=1).to(torch.int16)
        shares[rows] = torch.cat([own[rows] * p, share * weights[rows]], dim=1).to(torch.float16)
    return Lessons(tokens, shares)


class Remembering(Stack):
    """A teacher that knows the training pairs alone: where a stack has a model, it has the lessons.

    It finds a pair by a fingerprint, a sum over its tokens of numbers drawn for each place and side, so that it can
    teach wherever a stack can, in recorded kernels, too. It has no parameters.

    Args:
        encoded: the pairs.
        lessons: for each of their target tokens, in the same order.
        vocab_size: of the model that learns.
        device: where the lessons go.

    Raises:
        ValueError: if there are not as many lessons as tokens, or there is no pair.
    """

    def __init__(
        self, encoded: Sequence[Encoded], lessons: Lessons, vocab_size: int, device: torch.device | str = "cpu"
    ):
        counts = torch.tensor([len(target) + 1 for _, target in encoded], dtype=torch.int64)
        if not len(counts) or int(counts.sum()) != len(lessons.tokens):
            raise ValueError(f"{int(counts.sum())} target tokens need as many lessons, got {len(lessons.tokens)}")
        self.models, self.device, self.vocab_size = 1, torch.device(device), vocab_size
        self.tokens, self.shares = lessons.tokens.to(device), lessons.shares.to(device)
        longest = max(max(map(len, pair)) for pair in encoded) + 1
        numbers = torch.Generator().manual_seed(0)
        self._numbers = torch.randint(-(2**62), 2**62, (2, longest), generator=numbers).to(device)
        prints = torch.cat(
            [self._prints(_table(part, 0, longest), _table(part, 1, longest)) for part in _parts(encoded, 4096)]
        )
        self._sorted, order = prints.sort()
        self._starts = (counts.cumsum(0) - counts).to(device)[order]

    def _prints(self, source: Int[Tensor, "... a"], target: Int[Tensor, "... b"]) -> Int[Tensor, "..."]:
        """Fingerprints of pairs without special tokens; padding counts as nothing, so its width is of no matter."""
        total = 0
        for side, numbers in zip((source, target), self._numbers, strict=True):
            known = side[..., : len(numbers)].to(numbers.device)
            total = total + (known * numbers[: known.shape[-1]]).sum(-1)
        return total

    def logits(
        self, src: Int[Tensor, "models batch src_len"], tgt: Int[Tensor, "models batch tgt_len"], training: bool
    ) -> Float[Tensor, "models batch tgt_len vocab_size"]:
        """The logarithms of the lessons for these pairs; at padded places nothing of use.

        Args:
            src: pieces, ``</s>``, padding.
            tgt: ``<s>``, pieces, padding.
            training: of no matter here.

        Raises:
            ValueError: on the processor, for a pair that is not among those it knows.
        """
        pieces = torch.where(src == Subwords.eos_id, Subwords.pad_id, src)
        prints = self._prints(pieces, tgt[..., 1:])
        places = torch.searchsorted(self._sorted, prints).clamp(max=len(self._sorted) - 1)
        if src.device.type == "cpu" and not torch.equal(self._sorted[places], prints):
            raise ValueError("a pair is asked for that is not among the pairs that this teacher remembers")
        rows = self._starts[places][..., None] + torch.arange(tgt.shape[-1], device=tgt.device)
        rows = rows.clamp(max=len(self.tokens) - 1)
        shares = self.shares[rows].float()
        left = (1 - shares.sum(-1, keepdim=True)).clamp(min=1e-6) / self.vocab_size
        told = left.expand(*rows.shape, self.vocab_size).clone()
        return told.scatter_add_(-1, self.tokens[rows].long(), shares).log_()


def _parts(encoded: Sequence[Encoded], size: int) -> list[Sequence[Encoded]]:
    return [encoded[start : start + size] for start in range(0, len(encoded), size)]


def _table(pairs: Sequence[Encoded], side: int, width: int) -> Int[Tensor, "pairs width"]:
    rows = [torch.tensor(pair[side], dtype=torch.int64) for pair in pairs]
    rows.append(torch.zeros(width, dtype=torch.int64))
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)[:-1]
