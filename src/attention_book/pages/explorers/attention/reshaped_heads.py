"""The explorer *heads, split and joined*: each number by its place in memory, with and without the two transposes."""

import numpy as np
import torch
import traitlets
from jaxtyping import Int

from ....attention.multi_head import merge_heads, split_heads
from ....examples.wrong_heads import merge_without_transpose, split_without_transpose
from ..base import Explorer, front_end
from ..words import listed

WORDS = ("I", "like", "old", "cats", "that", "sleep", "all", "day")  # reshaped_heads.js has the same
D_MODEL = 8
HEADS = (2, 4)


def verdict(length: int, n_heads: int, split: bool, merge: bool) -> str:
    """Which of the page's two tests notice a layer in which transposes may be missing.

    Args:
        length: how many words the sentence has.
        n_heads: into how many heads it is cut.
        split, merge: whether the split, and the merge, has its transpose.

    Returns:
        A sentence. Two missing transposes hide each other if the words are a multiple of the heads, or the heads a
        multiple of the words.
    """
    if split and merge:
        return "Right."
    if split or merge:
        return "Wrong, and both tests notice."
    hidden = length % n_heads == 0 or n_heads % length == 0
    return f"Wrong, and {'neither test notices' if hidden else 'only the order notices'}."


def told(places: Int[np.ndarray, " n"]) -> str:
    """Some numbers in their order: `[0 1 2 3 8]` is "I 0–3 and like 0"."""
    runs: list[list[int]] = []
    for place in places.tolist():
        if runs and place == runs[-1][-1] + 1 and place % D_MODEL:
            runs[-1].append(place)
        else:
            runs.append([place])
    ends = [(WORDS[run[0] // D_MODEL], run[0] % D_MODEL, run[-1] % D_MODEL) for run in runs]
    return listed([f"{word} {first}" if first == last else f"{word} {first}–{last}" for word, first, last in ends])


class ReshapedHeads(Explorer):
    """The queries of a sentence, their heads, and the rows after the merge if each head passes its numbers on.

    Attributes:
        length: how many words the sentence has.
        n_heads: into how many heads the eight numbers of a word are cut, one of `HEADS`.
        split, merge: whether the split, and the merge, has its transpose.
        word: whose numbers are marked, from 0; beyond the last, the last.
    """

    title = "Heads, split and joined"
    _esm = front_end("attention/reshaped_heads.js")

    length = traitlets.Int(4, min=2, max=len(WORDS)).tag(sync=True)
    n_heads = traitlets.Enum(list(HEADS), HEADS[0]).tag(sync=True)
    split = traitlets.Bool(True).tag(sync=True)
    merge = traitlets.Bool(True).tag(sync=True)
    word = traitlets.Int(1, min=0, max=len(WORDS) - 1).tag(sync=True)

    def _cut(self) -> torch.Tensor:
        places = torch.arange(float(self.length * D_MODEL)).reshape(1, self.length, D_MODEL)
        return (split_heads if self.split else split_without_transpose)(places, self.n_heads)

    @property
    def heads(self) -> Int[np.ndarray, "n_heads length d_k"]:
        """Which place in memory each number of each head comes from."""
        return self._cut()[0].int().numpy()

    @property
    def joined(self) -> Int[np.ndarray, "length d_model"]:
        """Which place each number of the joined rows comes from."""
        return (merge_heads if self.merge else merge_without_transpose)(self._cut())[0].int().numpy()

    def in_words(self) -> str:
        """All heads, all rows that are not what they were, and the verdict; reshaped_heads.js says the same."""
        if self.split:
            d = D_MODEL // self.n_heads
            cut = [f"head {i} holds columns {i * d}–{(i + 1) * d - 1} of every word" for i in range(self.n_heads)]
        else:
            cut = [f"head {i} holds {told(head.flatten())}" for i, head in enumerate(self.heads)]
        rows = [f"{word} has {told(row)}" for word, row in zip(WORDS, self.joined, strict=False)]
        same = np.array_equal(self.joined.flatten(), np.arange(self.length * D_MODEL))
        joined = "each word has its own numbers back" if same else "; ".join(rows)
        ways = {True: "transpose", False: "no transpose"}
        return (
            f"{self.length} words of {D_MODEL} numbers, {self.n_heads} heads. Split with {ways[self.split]}: "
            f"{'; '.join(cut)}. Joined with {ways[self.merge]}: {joined}. "
            f"{verdict(self.length, self.n_heads, self.split, self.merge)} "
            f"The numbers of {WORDS[min(self.word, self.length - 1)]} are marked."
        )
