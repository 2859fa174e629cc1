"""Corpora: real pairs where they are at hand, tiny ones always; broken files are refused with file, line and reason."""

import hashlib
import io
import os
import random
import socket
import tracemalloc
import zipfile
from statistics import mean

import pytest

from attention_book.data import corpora, fetching
from attention_book.data.corpora import CorpusError, Pair, available, fetch, load
from attention_book.data.downloading import secured
from attention_book.data.normalisation import tidy

from .test_splits import assert_nothing_shared, small_corpus

NAMES = ["tatoeba-en-es", "tatoeba-en-hi"]
MEMBER = "spa-eng/spa.txt"


def zipped(content: bytes, member: str = MEMBER) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr(member, content)
    return archive.getvalue()


def tabbed(lines) -> bytes:
    return "".join(f"{source}\t{target}\n" for source, target in lines).encode()


def columns(lines) -> tuple[bytes, bytes]:
    return tuple("".join(f"{side}\n" for side in sides).encode() for sides in zip(*lines, strict=True))


@pytest.fixture
def use(tmp_path, monkeypatch):
    """Put files in the place of a corpus's own, under the hashes that they have, in a folder that is given."""

    def put(name, *contents, n_held_out=8):
        recipe = corpora._RECIPES[name]
        files = []
        for file, content in zip(recipe.files, contents, strict=True):
            (tmp_path / file.name).write_bytes(content)
            digest = hashlib.sha256(content).hexdigest()
            files.append(fetching.RemoteFile(file.name, file.address, digest, len(content)))
        small = corpora._Recipe(
            tuple(files), recipe.read, recipe.source_lang, recipe.target_lang, n_held_out, n_held_out
        )
        monkeypatch.setitem(corpora._RECIPES, name, small)
        return tmp_path

    monkeypatch.setenv(fetching.VARIABLE, str(tmp_path))
    return put


def test_a_tab_separated_corpus_is_read_checked_and_split(use):
    content = zipped(tabbed(small_corpus()))
    use("tatoeba-en-es", content)
    corpus = load("tatoeba-en-es")
    assert (corpus.name, corpus.source_lang, corpus.target_lang) == ("tatoeba-en-es", "en", "es")
    assert corpus.sha256 == hashlib.sha256(content).hexdigest()
    parts = (corpus.train, corpus.validation, corpus.test)
    assert_nothing_shared(parts)
    assert min(map(len, parts)) >= 8
    lines = {(tidy(source), tidy(target)) for source, target in small_corpus()}
    assert all(isinstance(pair, Pair) and (pair.source, pair.target) in lines for part in parts for pair in part)


def test_two_aligned_files_are_read_checked_and_split(use):
    lines = small_corpus()
    contents = columns(lines)
    use("tatoeba-en-hi", *contents)
    corpus = load("tatoeba-en-hi")
    assert (corpus.source_lang, corpus.target_lang) == ("en", "hi")
    sums = "".join(hashlib.sha256(content).hexdigest() for content in contents)
    assert corpus.sha256 == hashlib.sha256(sums.encode()).hexdigest()
    assert_nothing_shared((corpus.train, corpus.validation, corpus.test))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_order_of_the_file_and_its_line_ends_are_no_matter(use, end):
    lines = small_corpus()
    use("tatoeba-en-es", zipped(tabbed(lines)))
    first = load("tatoeba-en-es")
    random.Random(5).shuffle(lines)
    use("tatoeba-en-es", zipped(tabbed(lines).replace(b"\n", end.encode())))
    second = load("tatoeba-en-es")
    assert (first.train, first.validation, first.test) == (second.train, second.validation, second.test)


GOOD = tabbed(small_corpus())


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"One.\tUno.\nTwo. Dos.\n" + GOOD, 2, "1 columns parted by tabs, where two are expected"),
        (GOOD.replace(b"\n", b"\n\n", 1), 2, "1 columns"),
        (b"One.\tUno.\tCC-BY\n" + GOOD, 1, "3 columns"),
        (b"One.\tUno.\nTwo.\tDos.\nThree.\tTr\xe9s.\n" + GOOD, 3, "byte 0xE9 is not UTF-8"),
        (GOOD + b"One.\tUn\xc3", GOOD.count(b"\n") + 1, "byte 0xC3 is not UTF-8"),
        (b"One.\t\xed\xa0\x80\n" + GOOD, 1, "byte 0xED is not UTF-8"),
        (b"One.\t \n" + GOOD, 1, "one of the two sentences is empty"),
        (b"\tUno.\n" + GOOD, 1, "one of the two sentences is empty"),
    ],
)
def test_a_bad_line_is_refused_by_number_with_the_reason(use, content, line, reason):
    use("tatoeba-en-es", zipped(content))
    with pytest.raises(CorpusError) as caught:
        load("tatoeba-en-es")
    assert f"spa-eng.zip/{MEMBER}, line {line}: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_zero_width_space_alone_is_an_empty_sentence(use):
    use("tatoeba-en-es", zipped("One.\t\u200b\n".encode() + GOOD))
    with pytest.raises(CorpusError, match="line 1: one of the two sentences is empty"):
        load("tatoeba-en-es")


@pytest.mark.parametrize(
    ("eng", "hin", "reason"),
    [
        (b"One.\nTwo.\n", b"Ek.\n", "has 2 lines and .* 1: line 2 has no partner"),
        (b"One.\nTwo.\n", b"Ek.\n\n", "line 2: one of the two sentences is empty"),
        (b"One.\nTwo.\n", b"Ek.\n\xff\n", "hin, line 2: byte 0xFF is not UTF-8"),
    ],
)
def test_files_that_do_not_match_line_by_line_are_refused(use, eng, hin, reason):
    use("tatoeba-en-hi", eng, hin)
    with pytest.raises(CorpusError, match=reason):
        load("tatoeba-en-hi")


def test_every_truncation_of_a_zip_is_refused_even_under_its_own_hash(use):
    content = zipped(GOOD)
    for length in range(0, len(content), 7):
        use("tatoeba-en-es", content[:length])
        with pytest.raises(CorpusError, match=r"spa-eng\.zip is no whole zip file"):
            load("tatoeba-en-es")


def test_damage_inside_a_zip_is_refused_even_under_its_own_hash(use):
    content = bytearray(zipped(GOOD))
    content[len(content) // 2] ^= 0xFF
    use("tatoeba-en-es", bytes(content))
    with pytest.raises(CorpusError, match=r"spa-eng\.zip is no whole zip file"):
        load("tatoeba-en-es")


def test_a_zip_without_the_text_is_refused(use):
    use("tatoeba-en-es", zipped(GOOD, "other.txt"))
    with pytest.raises(CorpusError, match=rf"spa-eng\.zip holds no {MEMBER}"):
        load("tatoeba-en-es")


def bomb(stated: bool) -> bytes:
    """A zip of 80 MB of zeros, which states that size, or a thousand bytes."""
    content = zipped(bytes(80 << 20))
    if stated:
        return content
    size, small = (80 << 20).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    assert content.count(size) == 2  # before the member, and in the list at the end
    return content.replace(size, small)


@pytest.mark.parametrize(
    ("stated", "reason"), [(True, "it unpacks to more than 67108864 bytes"), (False, "is no whole zip file: Bad CRC")]
)
def test_a_zip_that_unpacks_to_too_much_is_refused_in_little_memory_even_under_its_own_hash(use, stated, reason):
    use("tatoeba-en-es", bomb(stated))
    tracemalloc.start()
    try:
        with pytest.raises(CorpusError, match=rf"spa-eng\.zip .*{reason}"):
            load("tatoeba-en-es")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_the_limit_of_a_zip_leaves_room_for_the_real_text():
    assert fetching._MOST_UNPACKED > 4 * 8_042_772


@pytest.mark.parametrize("name", NAMES)
def test_files_with_a_wrong_hash_are_refused_by_name_and_left_alone(tmp_path, monkeypatch, name):
    monkeypatch.setenv(fetching.VARIABLE, str(tmp_path))
    files = [file.name for file in corpora._RECIPES[name].files]
    for file in files:
        (tmp_path / file).write_bytes(GOOD)
    assert available(name)
    for attempt in (load, lambda name: fetch([name])):
        with pytest.raises(CorpusError, match="SHA-256") as caught:
            attempt(name)
        assert str(tmp_path / files[0]) in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == sorted(files)
    assert all((tmp_path / file).read_bytes() == GOOD for file in files)


@pytest.mark.parametrize("name", NAMES)
def test_an_absent_corpus_is_not_available_and_the_error_says_how_to_get_it(tmp_path, monkeypatch, name):
    monkeypatch.setenv(fetching.VARIABLE, str(tmp_path))
    assert not available(name)
    with pytest.raises(CorpusError) as caught:
        load(name)
    file = corpora._RECIPES[name].files[0]
    for needed in (file.name, secured(file.address), "ATTENTION_BOOK_DATA", "python -m attention_book fetch"):
        assert needed in str(caught.value)


def test_without_a_network_nothing_is_left_behind(tmp_path, monkeypatch):
    def no_network(*_, **__):
        raise OSError("Name or service not known")

    monkeypatch.delenv(fetching.VARIABLE, raising=False)
    monkeypatch.setattr(fetching, "user_cache_path", lambda name: tmp_path / name)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    for attempt in (fetch, lambda: load("tatoeba-en-es")):
        with pytest.raises(CorpusError, match="Name or service not known"):
            attempt()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("attempt", [load, available, lambda name: fetch([name])])
def test_an_unknown_name_is_refused_with_the_known_ones(attempt):
    with pytest.raises(ValueError, match="no corpus 'en-es'; there are tatoeba-en-es, tatoeba-en-hi"):
        attempt("en-es")


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "n_held_out", "total"), [("tatoeba-en-es", 2000, 118_964), ("tatoeba-en-hi", 500, 5000)]
)
def test_the_real_splits_share_no_sentence_and_lose_next_to_none(name, n_held_out, total):
    corpus = load(name)
    assert_nothing_shared((corpus.train, corpus.validation, corpus.test))
    held_out = corpus.validation + corpus.test
    for part in (corpus.validation, corpus.test):
        assert n_held_out <= len(part) <= n_held_out + 20
        assert len({pair.source for pair in part}) == len(part)
    used = len(corpus.train) + sum(len(pair.references) for pair in held_out)
    assert 0.99 * total < used <= total


@pytest.mark.corpora
@pytest.mark.parametrize("name", NAMES)
def test_the_real_held_out_sentences_are_as_long_as_those_trained_on(name):
    corpus = load(name)
    sources = {pair.source for pair in corpus.train}
    trained = mean(len(source.split()) for source in sources)
    for part in (corpus.validation, corpus.test):
        assert mean(len(pair.source.split()) for pair in part) == pytest.approx(trained, rel=0.05)


@pytest.mark.slow
@pytest.mark.corpora
def test_the_real_file_in_another_order_gives_the_same_splits():
    recipe = corpora._RECIPES["tatoeba-en-es"]
    lines = recipe.read(*map(fetching.read_checked, recipe.files))
    random.Random(1).shuffle(lines)
    corpus = load("tatoeba-en-es")
    shuffled = corpora.split(lines, recipe.n_validation, recipe.n_test)
    assert shuffled == (corpus.train, corpus.validation, corpus.test)
