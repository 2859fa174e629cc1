"""Subwords for scripts whose vowels are marks: a word is not cut before a mark, as the usual pattern of letters does.

The byte-level pattern of Radford et al. 2019 takes a word for a run of letters, Unicode's class L. In Devanagari most
vowels inside a word are marks, class M, so that a word ends at each of them and no merge can go across.
"""

import json
import unicodedata
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from .subwords import SPECIALS, Subwords, as_json

PATTERN = r" ?[\p{L}\p{M}\x{200C}\x{200D}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}\x{200C}\x{200D}]+|\s+"
"""What is cut apart before merges are learnt: words of letters, marks and joiners; numbers; other signs; spaces. A
single space goes with what comes after it, and several stand apart. There is no rule for English endings such as *'t*,
which the usual pattern has."""


def _keeping_marks() -> pre_tokenizers.PreTokenizer:
    cut = pre_tokenizers.Split(Regex(PATTERN), behavior="isolated")
    return pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


class MarkedSubwords(Subwords):
    """Subwords whose words keep their marks. Everything else, also what is saved, is as in `Subwords`.

    Pitfall: the file does not say which of the two made it. Load it with the class that trained it, or the merges that
    go across a mark are never used.
    """

    def __init__(self, tokenizer_json: str):
        """Read a vocabulary as `Subwords` does, and keep words with marks whole from then on."""
        super().__init__(tokenizer_json)
        self._tokenizer.pre_tokenizer = _keeping_marks()

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int = 8000) -> "MarkedSubwords":
        """Learn merges from texts, inside words that keep their marks; arguments and errors as in `Subwords.train`."""
        texts = list(texts)
        settings = json.loads(as_json(Subwords.train(texts, min(vocab_size, len(SPECIALS) + 256))))
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = _keeping_marks()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=list(SPECIALS),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator((unicodedata.normalize("NFC", text) for text in texts), trainer)
        learnt = json.loads(tokenizer.to_str())["model"]
        settings["model"] |= {"vocab": learnt["vocab"], "merges": learnt["merges"]}
        return cls(json.dumps(settings, ensure_ascii=False))
