"""Subwords: byte-level byte-pair encoding, shared by source and target, that can spell every string.

The merges are those of Sennrich et al. 2016, §3.2, on the bytes of the text (Radford et al. 2019, §2.2), so no text is
out of vocabulary and `<unk>` never comes out of `encode`.
"""

import hashlib
import json
import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from .vocabulary_json import refuse_unreadable

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
"""The special pieces; their ids are their places in this tuple."""
LARGEST = 2**24
"""Bytes that the JSON of a vocabulary may have, enough for 200 000 pieces."""


def _byte_of_character() -> dict[str, int]:
    """The byte that each character of the byte-level alphabet stands for.

    Printable Latin-1 characters stand for themselves; the other 68 bytes, in order, are written as U+0100 and up.
    """
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    themselves = {chr(byte): byte for byte in range(256) if chr(byte) in alphabet}
    others = [byte for byte in range(256) if chr(byte) not in alphabet]
    return themselves | {chr(256 + place): byte for place, byte in enumerate(others)}


_BYTE_OF = _byte_of_character()


def _checked_nfc(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The text has a lone surrogate, U+{ord(text[error.start]):04X}, at character {error.start}: it is no "
            'Unicode text and has no UTF-8 form. Remove it, or decode the bytes again with errors="replace".'
        ) from None
    return unicodedata.normalize("NFC", text)


def _readable(piece: bytes) -> str:
    """Show bytes as text: "▁" for a space, ⟨C3⟩ for each byte that is a control character or not whole UTF-8."""
    shown = []
    for character in piece.decode("utf-8", errors="surrogateescape"):
        if character == " ":
            shown.append("▁")
        elif "\udc80" <= character <= "\udcff":  # surrogateescape: U+DC00 + the byte that could not be decoded
            shown.append(f"⟨{ord(character) - 0xDC00:02X}⟩")
        elif unicodedata.category(character) == "Cc":
            shown.extend(f"⟨{byte:02X}⟩" for byte in character.encode("utf-8"))
        else:
            shown.append(character)
    return "".join(shown)


class Subwords:
    """A trained byte-level BPE vocabulary: text to ids and back, without loss.

    `decode(encode(s)) == unicodedata.normalize("NFC", s)` for every string s without lone surrogates.

    The special pieces have ids, but no text leads to them: they are entries of the vocabulary and not "added tokens"
    (which the tokenizers library would look for in raw text), and no merge makes them, since the pre-tokeniser parts
    letters from punctuation. A typed `</s>` is therefore four characters of text like any others.

    Pitfall: `encode` adds neither `<s>` nor `</s>`; the batches and the translator do.
    """

    pad_id, bos_id, eos_id, unk_id = range(len(SPECIALS))

    def __init__(self, tokenizer_json: str):
        """Read a vocabulary from the JSON text of the tokenizers library; `train` and `load` are the usual ways in.

        Raises:
            ValueError: if the JSON is not a byte-level BPE with this book's special ids.
        """
        self._json = tokenizer_json
        self._tokenizer = _read_tokenizer(tokenizer_json)
        by_id = sorted(self._tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        spelt = [bytes(_BYTE_OF[character] for character in piece) for piece, _ in by_id[len(SPECIALS) :]]
        self._bytes = [b""] * len(SPECIALS) + spelt

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int = 8000) -> "Subwords":
        """Learn merges from texts; the same texts, in any order, give the same vocabulary.

        Args:
            texts: sentences of both languages, for one vocabulary shared by source and target.
            vocab_size: number of pieces wanted, special pieces and the 256 bytes included. Few texts may give fewer.

        Raises:
            ValueError: if `vocab_size` has no room for the bytes and special pieces, or a text holds a lone surrogate.
        """
        smallest = len(SPECIALS) + len(_BYTE_OF)
        if vocab_size < smallest:
            raise ValueError(f"vocab_size is {vocab_size}; the special pieces and the 256 bytes alone need {smallest}.")
        tokenizer = _untrained()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=list(SPECIALS),  # the trainer gives them the first ids
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(map(_checked_nfc, texts), trainer)
        settings = json.loads(tokenizer.to_str())
        settings["added_tokens"] = []  # the special pieces stay in the vocabulary, but are not looked for in text
        return cls(json.dumps(settings, ensure_ascii=False, indent=1))

    def encode(self, text: str) -> list[int]:
        """The ids of a text's pieces, without `<s>` and `</s>`; never a special id.

        Raises:
            ValueError: if the text holds a lone surrogate.
        """
        return self._tokenizer.encode(_checked_nfc(text)).ids

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """`encode` for many texts at once, several times faster."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch([_checked_nfc(text) for text in texts])]

    def decode(self, ids: Sequence[int]) -> str:
        """The text that ids spell; special ids are skipped.

        Bytes that are not whole UTF-8, as a model's output may hold, become U+FFFD.

        Raises:
            ValueError: if an id is not in the vocabulary.
        """
        return b"".join(self._bytes[i] for i in self._checked(ids)).decode("utf-8", errors="replace")

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """A readable piece for each id, for figures and tables; not for spelling the text again (that is `decode`).

        A space shows as "▁", a byte that is a control character or only part of a character as ⟨C3⟩, a special id by
        its name.

        Raises:
            ValueError: if an id is not in the vocabulary.
        """
        return [SPECIALS[i] if i < len(SPECIALS) else _readable(self._bytes[i]) for i in self._checked(ids)]

    def _checked(self, ids: Sequence[int]) -> Iterator[int]:
        for i in map(int, ids):
            if not 0 <= i < len(self):
                raise ValueError(f"id {i} is not in the vocabulary, whose ids are 0 to {len(self) - 1}.")
            yield i

    def __len__(self) -> int:
        """Number of pieces, special pieces included: the model's `vocab_size`."""
        return len(self._bytes)

    @property
    def digest(self) -> str:
        """SHA-256 of the JSON, in hexadecimal: two vocabularies with one digest are the same."""
        return hashlib.sha256(self._json.encode("utf-8")).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write the JSON that the tokenizers library reads, in one step: an older file stays if writing fails."""
        path = Path(path)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self._json.encode("utf-8"))
            os.chmod(temporary, 0o644)  # mkstemp makes the file private
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | Path) -> "Subwords":
        """Read what `save` wrote.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not such a JSON; the message names the file.
        """
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError(f"{path} is not a vocabulary that this book wrote: it is no regular file")
        if Path(path).exists() and Path(path).stat().st_size > LARGEST:
            raise ValueError(f"{path} is not a vocabulary that this book wrote: it has more than {LARGEST:,} bytes")
        try:
            return cls(Path(path).read_bytes().decode("utf-8"))
        except ValueError as error:  # a UnicodeDecodeError is one
            raise ValueError(f"{path} is not a vocabulary that this book wrote: {error}") from error


def as_json(subwords: Subwords) -> str:
    """A vocabulary as the JSON text of the tokenizers library, which `Subwords` reads and `Subwords.save` writes."""
    return subwords._json


def _untrained() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _settings(tokenizer: Tokenizer) -> dict:
    """All that the library would save, except what training learns."""
    settings = json.loads(tokenizer.to_str())
    del settings["model"]["vocab"], settings["model"]["merges"]
    return settings


def _read_tokenizer(tokenizer_json: str) -> Tokenizer:
    """The tokenizer in a JSON text, or a ValueError that says what is wrong with it."""
    refuse_unreadable(tokenizer_json, _untrained)
    try:
        tokenizer = Tokenizer.from_str(tokenizer_json)
    except Exception as error:  # tokenizers raises plain Exception
        raise ValueError(f"the tokenizers library cannot read it ({error})") from error
    if not isinstance(tokenizer.model, models.BPE):
        raise ValueError("it is not a byte-pair encoding")
    found, wanted = _settings(tokenizer), _settings(_untrained())
    if wrong := [name for name in wanted | found if found.get(name) != wanted.get(name)]:
        raise ValueError(f"its settings for {', '.join(wrong)} are not those of a lossless byte-level encoding")
    vocab = tokenizer.get_vocab()
    if sorted(vocab.values()) != list(range(len(vocab))):
        raise ValueError("its ids are not 0, 1, 2, … without gaps")
    if any(vocab.get(piece) != i for i, piece in enumerate(SPECIALS)):
        raise ValueError(f"its first ids are not {', '.join(SPECIALS)}")
    if not vocab.keys() >= _BYTE_OF.keys() or not set("".join(vocab)) <= _BYTE_OF.keys():
        raise ValueError("its alphabet is not that of the 256 bytes")
    # The library's own NFC may follow another version of Unicode than Python's; `encode` uses Python's, once.
    tokenizer.normalizer = None
    return tokenizer
