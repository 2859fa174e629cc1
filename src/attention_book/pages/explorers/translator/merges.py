"""The explorer *merge by merge*: type a text, and watch its bytes become pieces as more merges are allowed."""

import json
import unicodedata
from functools import cache

import traitlets
from tokenizers import pre_tokenizers

from ....data.byte_pair_encoding import stages_of
from ....data.subwords import Subwords
from ....paths import PRETRAINED
from ..base import Explorer, front_end

LONGEST = 60
STOPS = [0, 10, 30, 100, 300, 1000, 3000]
"""The numbers of merges that the slider stops at; the last stop is all of them."""


_FILE = PRETRAINED / "en-es" / "tokenizer.json"


@cache
def shipped_merges() -> list[str]:
    """The merges of the shipped translator, as the tokenizers library writes them: two pieces and a space between."""
    return [" ".join(pair) for pair in json.loads(_FILE.read_text(encoding="utf-8"))["model"]["merges"]]


@cache
def _readable() -> dict[str, str]:
    """How each piece of the shipped vocabulary reads: ▁ for a space, ⟨C3⟩ for a byte that is no whole character."""
    ids = json.loads(_FILE.read_text(encoding="utf-8"))["model"]["vocab"]
    return dict(zip(ids, Subwords.load(_FILE).tokens(list(ids.values())), strict=True))


class MergeByMerge(Explorer):
    """A text in the pieces of the shipped vocabulary, as far as some of its merges go.

    Attributes:
        merges: the merges of the shipped vocabulary in the order in which they were learned, each byte as a letter.
        text: what is cut, up to `LONGEST` characters; taken in its NFC form, as the translator does.
        allowed: how many of the merges may be used, the first ones.
        looked: which piece is explained, counted from 0.
    """

    title = "Merge by merge"
    _esm = front_end("translator/merges.js")

    text = traitlets.Unicode("I like cats.").tag(sync=True)
    allowed = traitlets.Int(30, min=0).tag(sync=True)
    looked = traitlets.Int(0, min=0).tag(sync=True)
    merges = traitlets.List(traitlets.Unicode(), shipped_merges()).tag(sync=True)

    @traitlets.validate("text")
    def _short(self, proposal):
        try:
            proposal.value.encode("utf-8")
        except UnicodeEncodeError:
            raise traitlets.TraitError("the text has a lone surrogate, which is no character") from None
        if len(proposal.value) > LONGEST:
            raise traitlets.TraitError(f"the text has {len(proposal.value)} characters, and {LONGEST} is the most")
        return proposal.value

    @property
    def chunks(self) -> list[str]:
        """The parts of the text that no merge crosses, mostly a word and the space before it; bytes as letters."""
        text = unicodedata.normalize("NFC", self.text)
        return [part for part, _ in pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)]

    @property
    def stages(self) -> list[list[list[str]]]:
        """For each chunk its pieces at each stage, from bytes to the pieces that the allowed merges leave."""
        pairs = [tuple(merge.split(" ")) for merge in self.merges[: self.allowed]]
        return [stages_of(chunk, pairs) for chunk in self.chunks]

    @property
    def pieces(self) -> list[str]:
        """The pieces that the allowed merges leave, readable."""
        return [_readable()[piece] for stages in self.stages for piece in stages[-1]]

    def in_words(self) -> str:
        """What is shown; merges.js says the same after each change."""
        pieces = self.pieces
        most = min(self.allowed, len(self.merges))
        count = f"{len(pieces)} piece{'' if len(pieces) == 1 else 's'}"
        told = ", ".join(f"“{piece}”" for piece in pieces)
        merges = f"{most} merge{'' if most == 1 else 's'}"
        return f"With the first {merges}, the text is {count}: {told}." if pieces else "There is no text."
