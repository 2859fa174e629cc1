"""Subwords: every string comes back, special pieces are out of typed text's reach, training is deterministic."""

import json
import os
import random
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from attention_book.data.subwords import SPECIALS, Subwords
from attention_book.paths import PACKAGE

law = settings(max_examples=200, deadline=None)
TEXTS = [
    *(f"The {a} {b} sees the {c}." for a in ("red", "small", "old") for b in ("cat", "dog") for c in ("house", "tree")),
    *(f"El {b} {a} ve la {c}." for a in ("rojo", "pequeño") for b in ("gato", "perro") for c in ("casa", "mañana")),
    "बिल्ली घर देखती है।",
]
SPECIAL_TEXTS = ["</s><s> <pad> <unk>", "s> </s>", "<s>"] * 50
STRINGS = st.text() | st.lists(st.sampled_from(["</s>", "<s>", "<pad>", "<unk>", " ", "cat", "é", "\0"])).map("".join)


@pytest.fixture(scope="module")
def subwords():
    return Subwords.train(TEXTS, 400)


@pytest.fixture(scope="module")
def reloaded(subwords, tmp_path_factory):
    path = tmp_path_factory.mktemp("subwords") / "tokenizer.json"
    subwords.save(path)
    return Subwords.load(path)


@law
@given(text=STRINGS)
@example(text="")
@example(text="  two  spaces \u00a0 ")
@example(text="\0\x01\x7f\x85\t\r\n\u2028\ufeff")
@example(text="🙂👩‍👩‍👧 नमस्ते e\u0301 \u0344 가 \U0010ffff")
@example(text="▁⟨C3⟩ĠÃ")
def test_every_string_comes_back_in_nfc(subwords, reloaded, text):
    ids = subwords.encode(text)
    assert subwords.decode(ids) == unicodedata.normalize("NFC", text)
    assert reloaded.encode(text) == ids
    assert all(i >= len(SPECIALS) for i in ids)


@pytest.mark.slow
def test_every_character_of_unicode_comes_back(subwords):
    known = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cs", "Cn", "Co")]
    for start in range(0, len(known), 4096):
        text = " a".join(known[start : start + 4096])
        assert subwords.decode(subwords.encode(text)) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\udc00\ud800"])
def test_a_lone_surrogate_is_a_clear_error(subwords, text):
    place = next(i for i, character in enumerate(text) if 0xD800 <= ord(character) <= 0xDFFF)
    for use in (subwords.encode, lambda one: subwords.encode_batch(["fine", one]), lambda one: Subwords.train([one])):
        with pytest.raises(ValueError, match=f"lone surrogate, U\\+{ord(text[place]):04X}, at character {place}"):
            use(text)


def test_special_pieces_have_the_first_ids(subwords):
    assert (subwords.pad_id, subwords.bos_id, subwords.eos_id, subwords.unk_id) == (0, 1, 2, 3)
    assert subwords.tokens(range(4)) == ["<pad>", "<s>", "</s>", "<unk>"]
    vocab = Tokenizer.from_str(subwords._json).get_vocab()
    assert [vocab[name] for name in SPECIALS] == [0, 1, 2, 3]


def test_special_names_in_the_texts_trained_on_stay_text():
    learnt = Subwords.train(SPECIAL_TEXTS, 300)
    for name in SPECIALS:
        ids = learnt.encode(name)
        assert min(ids) >= len(SPECIALS)
        assert learnt.decode(ids) == name


def test_decoding_skips_special_ids_and_only_those(subwords):
    ids = subwords.encode("The cat </s> sees.")
    assert subwords.decode([1, *ids[:3], 3, *ids[3:], 2, 0, 0]) == "The cat </s> sees."


@law
@given(st.lists(st.integers(4, 299), max_size=12))
def test_decoding_agrees_with_the_library_on_any_ids(subwords, ids):
    assert subwords.decode(ids) == Tokenizer.from_str(subwords._json).decode(ids)


def test_half_a_character_decodes_to_the_replacement_character(subwords):
    ids = subwords.encode("🙂")
    assert len(ids) > 1
    assert subwords.decode(ids[:-1]) == "\ufffd"


@pytest.mark.parametrize("bad", [-1, 400])
def test_an_id_outside_the_vocabulary_is_refused(subwords, bad):
    reason = f"id {bad} is not in the vocabulary, whose ids are 0 to {len(subwords) - 1}"
    assert len(subwords) <= 400
    for use in (subwords.decode, subwords.tokens):
        with pytest.raises(ValueError, match=reason):
            use([5, bad])


def test_tokens_are_readable(subwords):
    assert "▁cat" in subwords.tokens(subwords.encode("The cat"))
    assert subwords.tokens(subwords.encode("\0\n")) == ["⟨00⟩", "⟨0A⟩"]
    assert subwords.tokens(subwords.encode("🙂")) == ["⟨F0⟩", "⟨9F⟩", "⟨99⟩", "⟨82⟩"]
    assert subwords.tokens([2]) == ["</s>"]
    assert len(subwords.tokens(subwords.encode("</s>"))) > 1


@law
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="▁⟨⟩")))
def test_tokens_spell_the_text(subwords, text):
    ids = subwords.encode(text)
    pieces = subwords.tokens(ids)
    assert len(pieces) == len(ids)
    parts = "".join(pieces).replace("▁", " ").replace("⟩", "⟨").split("⟨")  # text and bytes in hexadecimal, by turns
    spelt = b"".join(bytes.fromhex(part) if i % 2 else part.encode() for i, part in enumerate(parts))
    assert spelt.decode() == unicodedata.normalize("NFC", text)


def test_a_batch_is_encoded_as_one_by_one(subwords):
    assert subwords.encode_batch(iter(TEXTS)) == [subwords.encode(text) for text in TEXTS]
    assert subwords.encode_batch([]) == []


def test_long_texts_are_neither_cut_nor_slow(subwords):
    for text in ("cat " * 10_000, "a" * 200_000, "</s>" * 10_000):
        assert subwords.decode(subwords.encode(text)) == text


def test_training_depends_on_neither_order_nor_process():
    shuffled = random.Random(2).sample(TEXTS, len(TEXTS))
    digest = Subwords.train(TEXTS, 400).digest
    assert Subwords.train(shuffled, 400).digest == digest
    code = (
        "import sys; from attention_book.data.subwords import Subwords; "
        "print(Subwords.train(sys.stdin.buffer.read().decode().split('\\t'), 400).digest)"
    )
    path = os.pathsep.join(sys.path)
    environment = os.environ | {"PYTHONPATH": path, "RAYON_NUM_THREADS": "3", "PYTHONHASHSEED": "7"}
    ran = subprocess.run(
        [sys.executable, "-c", code], input="\t".join(TEXTS).encode(), capture_output=True, env=environment, check=True
    )
    assert ran.stdout.decode().strip() == digest


def test_the_vocabulary_is_as_large_as_asked_if_the_texts_suffice():
    assert len(Subwords.train(TEXTS, 300)) == 300
    assert len(Subwords.train([], 300)) == 260
    with pytest.raises(ValueError, match=r"vocab_size is 259; .* need 260"):
        Subwords.train(TEXTS, 259)


def test_a_vocabulary_is_written_as_the_shipped_ones_are_so_that_equal_ones_have_equal_digests(subwords, tmp_path):
    subwords.save(tmp_path / "trained.json")
    for file in (tmp_path / "trained.json", PACKAGE / "pretrained" / "en-es" / "tokenizer.json"):
        text = file.read_text(encoding="utf-8")
        assert text.startswith('{\n "version": ') and "\\u" not in text
        assert '\n  "vocab": {\n   "<pad>": 0,\n' in text


def test_saving_and_loading_changes_nothing(subwords, reloaded, tmp_path):
    assert (len(reloaded), reloaded.digest) == (len(subwords), subwords.digest)
    assert subwords.digest != Subwords.train(TEXTS[:5], 400).digest
    reloaded.save(tmp_path / "again.json")
    assert os.listdir(tmp_path) == ["again.json"]


def test_a_save_that_fails_leaves_the_old_file_and_no_other(subwords, tmp_path, monkeypatch):
    path = tmp_path / "tokenizer.json"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        subwords.save(path)
    assert os.listdir(tmp_path) == ["tokenizer.json"]
    assert path.read_text() == "old"


def changed(settings_json, **changes):
    settings = json.loads(settings_json)
    for name, value in changes.items():
        settings[name] = value if not callable(value) else value(settings[name])
    return json.dumps(settings)


TOKEN = {"id": 2, "content": "</s>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
CUT = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}


def reversed_ids(model):
    names = sorted(model["vocab"], key=model["vocab"].get, reverse=True)
    return model | {"vocab": {name: i for i, name in enumerate(names)}}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"added_tokens": [TOKEN | {"special": True}]}, "settings for added_tokens"),
        ({"truncation": CUT}, "settings for truncation"),
        ({"pre_tokenizer": None}, "settings for pre_tokenizer"),
        ({"pre_tokenizer": lambda one: one | {"add_prefix_space": True}}, "settings for pre_tokenizer"),
        ({"normalizer": {"type": "Lowercase"}}, "settings for normalizer"),
        ({"model": lambda model: model | {"dropout": 0.5}}, "settings for model"),
        ({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}, "not a byte-pair encoding"),
        ({"model": lambda model: model | {"vocab": {"<pad>": 0}, "merges": []}}, "first ids are not <pad>, <s>"),
        ({"model": reversed_ids}, "first ids are not <pad>, <s>"),
        ({"model": lambda model: model | {"vocab": model["vocab"] | {"far": 9999}}}, "without gaps"),
        ({"model": lambda model: model | {"vocab": model["vocab"] | {"日": len(model["vocab"])}}}, "alphabet"),
        ({"model": lambda model: model | {"merges": [["q", "qq"]]}}, "library cannot read it"),
    ],
)
def test_a_file_that_would_lose_text_is_refused_by_name(subwords, tmp_path, changes, reason):
    path = tmp_path / "other.json"
    path.write_text(changed(subwords._json, **changes), encoding="utf-8")
    with pytest.raises(ValueError, match=reason) as caught:
        Subwords.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff\xfe", b"\x80\x04K\x01."])
def test_a_file_of_another_kind_is_refused_by_name(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"other\.json is not a vocabulary that this book wrote"):
        Subwords.load(path)
    with pytest.raises(FileNotFoundError):
        Subwords.load(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"continuing_subword_prefix": "##"}, "settings for model"),  # the library panics at this one
        ({"end_of_word_suffix": "</w>"}, "settings for model"),
        ({"merges": [["a", "b", "c"]]}, "merges are not pairs"),
        ({"merges": {}}, "merges are not pairs"),
        ({"vocab": {"<pad>": True}}, "ids are not 0, 1, 2"),
        ({"vocab": {"<pad>": 2**40}}, "ids are not 0, 1, 2"),
        ({"vocab": [["<pad>", 0]]}, "ids are not 0, 1, 2"),
    ],
)
def test_what_would_stop_the_library_is_refused_before_it_is_asked(tmp_path, capfd, change, message):
    path = tmp_path / "tokenizer.json"
    Subwords.train(["ab ab"] * 3, vocab_size=262).save(path)
    found = json.loads(path.read_text())
    found["model"].update(change)
    path.write_text(json.dumps(found))
    with pytest.raises(ValueError, match=rf"tokenizer\.json is not a vocabulary that this book wrote: .*{message}"):
        Subwords.load(path)
    assert capfd.readouterr().err == ""


def test_deep_json_no_file_and_too_large_a_file_are_refused(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="RecursionError"):
        Subwords.load(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ValueError, match="no regular file"):
        Subwords.load(path)
    path.unlink()
    with path.open("wb") as file:
        file.truncate(2**24 + 1)
    with pytest.raises(ValueError, match="more than 16,777,216 bytes"):
        Subwords.load(path)
