"""Words and marks of the little language, and a word-level vocabulary with the interface of `Subwords`."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
_OPENING, _CLOSING = "¿¡", ".,?!।"
_TOKEN = re.compile(rf"[{_OPENING}{_CLOSING}]|[^\s{_OPENING}{_CLOSING}]+")


def tokenize(sentence: str) -> list[str]:
    """Splits a sentence into words and punctuation marks, each mark a token of its own; word alignments count these.

    Letters keep their case: "¿Te gustan los gatos?" → ["¿", "Te", "gustan", "los", "gatos", "?"].
    """
    return _TOKEN.findall(unicodedata.normalize("NFC", sentence))


def detokenize(words: Iterable[str]) -> str:
    """Joins tokens with spaces, none after an opening mark and none before a closing one: the inverse of `tokenize`."""
    text = " ".join(words)
    return re.sub(rf"([{_OPENING}]) ", r"\1", re.sub(rf" ([{_CLOSING}])", r"\1", text))


def capitalise(words: Sequence[str]) -> list[str]:
    """The tokens with a capital on the first word (letters without case, as in Devanagari, stay)."""
    first = next((i for i, word in enumerate(words) if word[0] not in _OPENING + _CLOSING), None)
    return [word[0].upper() + word[1:] if i == first else word for i, word in enumerate(words)]


class WordVocabulary:
    """Ids for words and marks: the special symbols are 0–3, words follow in sorted order.

    A sentence's first word is looked up without its capital, unless the capitalised form is itself a word (*I*,
    *Tom*), and `decode` puts the capital back, so that `decode(encode(s)) == s` for every sentence made of known
    words.

    Args:
        words: the words, with the capitals they have inside a sentence. Duplicates and order do not matter.

    Raises:
        ValueError: a word is empty, is a special symbol, or would be split by `tokenize`.
    """

    pad_id, bos_id, eos_id, unk_id = range(4)

    def __init__(self, words: Iterable[str]):
        known = sorted(set(words))
        wrong = [word for word in known if word in SPECIALS or tokenize(word) != [word]]
        if wrong:
            raise ValueError(f"not words: {wrong[:3]}; give single NFC tokens as `tokenize` returns them")
        self._tokens = (*SPECIALS, *known)
        self._ids = {token: i for i, token in enumerate(self._tokens)}

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int | None = None) -> "WordVocabulary":
        """The most frequent words of some sentences; `vocab_size` counts the special symbols, None keeps every word."""
        counts: dict[str, int] = {}
        sentences = [tokenize(text) for text in texts]
        inside = {word for words in sentences for word in words[1:]}
        for words in sentences:
            for i, word in enumerate(words):
                lower = word[0].lower() + word[1:]
                word = lower if i == 0 and lower in inside and word not in inside else word
                counts[word] = counts.get(word, 0) + 1
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ranked if vocab_size is None else ranked[: max(0, vocab_size - len(SPECIALS))])

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    @property
    def digest(self) -> str:
        """SHA-256 of the saved form, in hexadecimal: two vocabularies with one digest give every word the same id."""
        return hashlib.sha256(self._json().encode()).hexdigest()

    def encode(self, text: str) -> list[int]:
        """Ids of the tokens, without `<s>` and `</s>`; an unknown word is `<unk>` (3), and so is a typed `</s>`."""
        words = tokenize(text)
        first = next((i for i, word in enumerate(words) if word[0] not in _OPENING + _CLOSING), None)
        if first is not None and words[first] not in self._ids:
            words[first] = words[first][0].lower() + words[first][1:]
        return [self.unk_id if word in SPECIALS else self._ids.get(word, self.unk_id) for word in words]

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """`encode` for many texts."""
        return [self.encode(text) for text in texts]

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """The token of each id, special symbols included.

        Raises:
            ValueError: an id is negative or not below `len(self)`.
        """
        wrong = [i for i in ids if not 0 <= i < len(self)]
        if wrong:
            raise ValueError(f"ids {wrong[:3]} are outside the vocabulary of {len(self)} tokens")
        return [self._tokens[i] for i in ids]

    def decode(self, ids: Sequence[int]) -> str:
        """The sentence for these ids, with its capital; special ids are skipped."""
        return detokenize(capitalise([token for token in self.tokens(ids) if token not in SPECIALS]))

    def _json(self) -> str:
        return json.dumps({"words": self._tokens[len(SPECIALS) :]}, ensure_ascii=False, indent=0)

    def save(self, path: str | Path) -> None:
        """Write the words to a file, as JSON."""
        Path(path).write_text(self._json(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "WordVocabulary":
        """Read what `save` wrote."""
        return cls(json.loads(Path(path).read_text(encoding="utf-8"))["words"])
