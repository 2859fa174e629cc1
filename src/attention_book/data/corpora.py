"""Corpora: real sentence pairs from Tatoeba, checked before use and split once and for all.

Both are under CC BY 2.0 FR. English and Spanish: www.manythings.org/anki and tatoeba.org, the file of the classic
TensorFlow tutorial. English and Hindi: tatoeba.org, through the test sets of OPUS-MT.
"""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .fetching import CorpusError, RemoteFile, data_folder, fetch_file, read_checked
from .normalisation import Pair, normalise, tidy
from .splits import split

__all__ = ["Corpus", "CorpusError", "Pair", "available", "data_folder", "fetch", "load", "normalise"]


@dataclass(frozen=True)
class Corpus:
    """A parallel corpus in three splits; no normalised source or target of one is a source or target of another.

    Attributes:
        name: what `load` was asked for.
        train, validation, test: pairs in an order drawn by hash, so that any first n are a fair sample. In validation
            and test, every source sentence appears once, with its other translations as references.
        source_lang, target_lang: language codes.
        sha256: of the raw file; of several, the SHA-256 of their SHA-256 sums in hexadecimal, one after another.
    """

    name: str
    train: tuple[Pair, ...]
    validation: tuple[Pair, ...]
    test: tuple[Pair, ...]
    source_lang: str
    target_lang: str
    sha256: str


@dataclass(frozen=True)
class _Recipe:
    """Where a corpus comes from and how it is read and split."""

    files: tuple[RemoteFile, ...]
    read: Callable[..., Iterable[tuple[str, str]]]  # the bytes of the files to (source, target) lines
    source_lang: str
    target_lang: str
    n_validation: int
    n_test: int


def _text(content: bytes, name: str) -> list[str]:
    """The lines of a UTF-8 file; only a line feed ends a line."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise CorpusError(f"{name}, line {line}: byte 0x{byte:02X} is not UTF-8 ({error.reason}).") from error
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _require_text(sides: tuple[str, str], name: str, number: int) -> None:
    if not all(tidy(side) for side in sides):
        raise CorpusError(f"{name}, line {number}: one of the two sentences is empty.")


def _tab_separated(zipped: bytes, archive: str, member: str) -> list[tuple[str, str]]:
    """Pairs from a zip's member with two columns, source and target, parted by a tab."""
    try:
        with zipfile.ZipFile(io.BytesIO(zipped)) as files:
            content = files.read(member)
    except KeyError as error:
        raise CorpusError(f"{archive} holds no {member}.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        raise CorpusError(f"{archive} is no whole zip file: {error}.") from error
    name = f"{archive}/{member}"
    pairs = []
    for number, line in enumerate(_text(content, name), start=1):
        columns = tuple(line.rstrip("\r").split("\t"))
        if len(columns) != 2:
            raise CorpusError(f"{name}, line {number}: {len(columns)} columns parted by tabs, where two are expected.")
        _require_text(columns, name, number)
        pairs.append(columns)
    return pairs


def _line_aligned(source: bytes, target: bytes, source_name: str, target_name: str) -> list[tuple[str, str]]:
    """Pairs from two files whose lines with one number translate each other."""
    sources, targets = _text(source, source_name), _text(target, target_name)
    if len(sources) != len(targets):
        raise CorpusError(
            f"{source_name} has {len(sources)} lines and {target_name} {len(targets)}: "
            f"line {min(len(sources), len(targets)) + 1} has no partner."
        )
    pairs = list(zip(sources, targets, strict=True))
    for number, sides in enumerate(pairs, start=1):
        _require_text(sides, f"{source_name} and {target_name}", number)
    return pairs


_SPA_ENG = RemoteFile(
    "spa-eng.zip",
    "http://storage.googleapis.com/download.tensorflow.org/data/spa-eng.zip",
    "0c4fd7825d3d872488d38c157f784e035edab4f2ff0df25a2a208790ecb5b58f",
    2_638_744,
)
_OPUS_MT = (
    "https://raw.githubusercontent.com/Helsinki-NLP/OPUS-MT-testsets/"
    "ac0f19c0be3cb4e0d9450fcb2d7a9847c4bdd180/testsets/eng-hin/tatoeba-test-v2021-08-07"
)
_ENG_HIN = (
    RemoteFile(
        "tatoeba-test-v2021-08-07.eng-hin.eng",
        f"{_OPUS_MT}.eng",
        "84bf2824b56142d053a4603ceb0e2e7490945ccb01a61cc33f3264e94c4d6f12",
        147_266,
    ),
    RemoteFile(
        "tatoeba-test-v2021-08-07.eng-hin.hin",
        f"{_OPUS_MT}.hin",
        "1bd48560ef1e57395c660c36f12c711f78487e0d750bd605fc3e1c9edd3c7f96",
        385_222,
    ),
)

_RECIPES = {
    "tatoeba-en-es": _Recipe(
        files=(_SPA_ENG,),
        read=lambda content: _tab_separated(content, _SPA_ENG.name, "spa-eng/spa.txt"),
        source_lang="en",
        target_lang="es",
        n_validation=2000,
        n_test=2000,
    ),
    "tatoeba-en-hi": _Recipe(
        files=_ENG_HIN,
        read=lambda eng, hin: _line_aligned(eng, hin, *(file.name for file in _ENG_HIN)),
        source_lang="en",
        target_lang="hi",
        n_validation=500,
        n_test=500,
    ),
}


def _recipe(name: str) -> _Recipe:
    if name not in _RECIPES:
        raise ValueError(f"There is no corpus {name!r}; there are {', '.join(_RECIPES)}.")
    return _RECIPES[name]


def load(name: str) -> Corpus:
    """A corpus, from the folder that ATTENTION_BOOK_DATA names; without it, fetched once into the user's cache folder.

    Args:
        name: "tatoeba-en-es" or "tatoeba-en-hi".

    Returns:
        The same splits on every machine.

    Raises:
        ValueError: if there is no corpus of that name.
        CorpusError: if a file is missing and cannot be fetched, or is not the expected one.
    """
    recipe = _recipe(name)
    return _build(name, recipe, tuple(read_checked(file) for file in recipe.files))


@cache
def _build(name: str, recipe: _Recipe, contents: tuple[bytes, ...]) -> Corpus:
    train, validation, test = split(recipe.read(*contents), recipe.n_validation, recipe.n_test)
    sums = [file.sha256 for file in recipe.files]
    sha256 = sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode("ascii")).hexdigest()
    return Corpus(name, train, validation, test, recipe.source_lang, recipe.target_lang, sha256)


def fetch(names: Iterable[str] | None = None, force: bool = False) -> list[Path]:
    """Bring the files of corpora into the data folder; those already there are checked and kept.

    Args:
        names: the corpora; all by default.
        force: fetch again and replace, once what came has been checked.

    Returns:
        Where the files are.

    Raises:
        ValueError: if there is no corpus of such a name.
        CorpusError: if a file cannot be fetched, or one with its name but other content is in the way.
    """
    recipes = [_recipe(name) for name in (_RECIPES if names is None else names)]
    return [fetch_file(file, force) for recipe in recipes for file in recipe.files]


def available(name: str) -> bool:
    """Whether the files of a corpus are in the data folder, so that `load` needs no network; they are not checked."""
    return all((data_folder() / file.name).exists() for file in _recipe(name).files)
