"""Folders of translators that a stranger may have made, each loaded by the command line under limits on what it takes.

Run as a program it prints, for each folder, what the command line answered; `test_model_folder.py` reads that.
"""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from pathlib import Path

import torch
from safetensors.torch import save_file
from typer.testing import CliRunner

from attention_book.data.subwords import Subwords
from attention_book.models.checkpoints import KEY, save_tensors
from attention_book.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.translation.model_folder import save_model, save_results

MEMORY = 2**30
"""Bytes of address space that all folders together may take beyond what the imports took."""
SECONDS = 10
"""Processor seconds that one folder may take."""


def small_folder(folder, recurrent=False):
    """A translator of a few thousand numbers, which has learnt nothing, with a record."""
    subwords = Subwords.train(["I like cats.", "Me gustan los gatos."] * 3, vocab_size=270)
    if recurrent:
        sizes = {"d_embedding": 4, "encoder_width": 4, "decoder_width": 4, "bidirectional": False, "score": None}
        model = RecurrentEncoderDecoder(RecurrentConfig(len(subwords), max_len=12, **sizes))
    else:
        sizes = {"d_model": 4, "n_heads": 1, "n_layers": 1, "d_ff": 4, "max_len": 12}
        model = Transformer(TransformerConfig(len(subwords), **sizes))
    save_model(folder, model, subwords, {"corpus": "two sentences", "scores": [1.5, 2.25]})
    return folder


def sign(folder, tensors=None):
    """Give a folder the digests of what is in it now, as anyone can who has the package."""
    names = ("config.json", "tokenizer.json")
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    save_tensors(folder / "model.safetensors", tensors or weights(folder), {"files": files})
    save_results(folder, {"corpus": "two sentences"})


def as_before_digests(folder):
    """Write a folder as versions of the package wrote it that knew no digests."""
    config = json.loads((folder / "config.json").read_text())
    digest = hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
    metadata = {"format": "pt", "config": json.dumps(config), "tokenizer_sha256": digest}
    save_file(weights(folder), folder / "model.safetensors", metadata)
    results = json.loads((folder / "results.json").read_text())
    results.pop("seal", None)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")


def weights(folder):
    """The tensors in a folder, by safetensors' own reader."""
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def _config(**changes):
    def change(folder):
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, **changes}))
        sign(folder)

    return change


def _text(name, text):
    def change(folder):
        content = text if isinstance(text, bytes) else text.encode()
        (folder / name).write_bytes(content)
        if name != "results.json":
            sign(folder)

    return change


def _vocabulary(edit):
    def change(folder):
        vocabulary = json.loads((folder / "tokenizer.json").read_text())
        edit(vocabulary)
        (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
        sign(folder)

    return change


def _weights(edit):
    def change(folder):
        tensors = weights(folder)
        sign(folder, edit(tensors) or tensors)

    return change


def _header(edit=None, length=None, size=None, data=b""):
    """A file of weights with a header of one's own, and a hole where the data should be."""

    def change(folder):
        text = edit if isinstance(edit, bytes) else json.dumps(edit).encode()
        with (folder / "model.safetensors").open("wb") as file:
            file.write((len(text) if length is None else length).to_bytes(8, "little") + text + data)
            file.truncate(file.tell() if size is None else size)

    return change


def _kind(name, make):
    def change(folder):
        (folder / name).unlink()
        make(folder / name)

    return change


def _socket(path):
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket may have some hundred characters
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def _first(value):
    def edit(tensors):
        next(iter(tensors.values())).view(-1)[0] = value

    return edit


_DEEP = "[" * 100_000 + "]" * 100_000
_HOLE = {"w": {"dtype": "F16", "shape": [2**28], "data_offsets": [0, 2**29]}}
_CONFIGS = [
    {"n_layers": 10**5},
    {"n_layers": 10**30},
    {"n_layers": 100, "d_model": 2**16, "d_ff": 2**16, "n_heads": 2**10, "d_k": 2**16, "positions": "learned"},
    {"n_layers": True},
    {"n_layers": 1.0},
    {"n_layers": "1"},
    {"n_layers": None},
    {"n_layers": [1]},
    {"d_k": 10**6},
    {"d_k": -1},
    {"d_k": 0},
    {"d_model": 10**9},
    {"d_model": 0},
    {"d_ff": 10**12},
    {"n_heads": 10**7},
    {"n_heads": 3},
    {"max_len": float("inf")},
    {"max_len": float("nan")},
    {"max_len": 1e9},
    {"max_len": 10**9},
    {"max_len": 2**16, "d_model": 2**10},
    {"vocab_size": 10**12},
    {"vocab_size": 269},
    {"pad_id": False},
    {"eos_id": 10**9},
    {"dropout": "0.1"},
    {"dropout": -1},
    {"dropout": float("nan")},
    {"dropout": [0.1] * 1000},
    {"bias": "false"},
    {"tie_embeddings": 0},
    {"norm": ["pre"]},
    {"norm": "x" * 5000},
    {"positions": {"a": 1}},
    {"positions": "one\ntwo\u001b[31m"},
    {"family": ["recurrent"]},
    {"family": "recurrent"},
    {"a\nb\u001b]0;x\u0007": 1},
    {"x" * 5000: 1},
    {"self": 1},
    {"__class__": "int"},
]
_PANIC = {"continuing_subword_prefix": "##"}


def _tokenizer_edits():
    def model(**changes):
        return lambda vocabulary: vocabulary["model"].update(changes)

    def top(**changes):
        return lambda vocabulary: vocabulary.update(changes)

    def pieces(edit):
        return lambda vocabulary: vocabulary["model"].update(vocab=edit(vocabulary["model"]["vocab"]))

    yield "prefix", model(**_PANIC)
    yield "suffix", model(end_of_word_suffix="</w>")
    yield "dropout", model(dropout=0.5)
    yield "word pieces", model(type="WordPiece", unk_token="<unk>", max_input_chars_per_word=100)
    yield "no merges", lambda vocabulary: vocabulary["model"].pop("merges")
    yield "no pieces", model(vocab={}, merges=[])
    yield "pieces in a list", model(vocab=[["a", 0]])
    yield "merge of three", model(merges=[["a", "b", "c"]])
    yield "merge of nobody", model(merges=[["q", "zzz"]])
    yield "merges of numbers", model(merges=[[1, 2]])
    yield "merges of half a million", model(merges=[["I", "q"]] * 500_000)
    yield "specials exchanged", pieces(lambda v: {**v, "<s>": 2, "</s>": 1})
    yield "a gap", pieces(lambda v: {**v, "zz": len(v) + 5})
    yield "an id below zero", pieces(lambda v: {**v, "!": -1})
    yield "an id beyond 32 bits", pieces(lambda v: {**v, "!": 2**40})
    yield "an id that is true", pieces(lambda v: {**v, "<s>": True})
    yield (
        "more pieces",
        pieces(
            lambda v: v | {f"!{i}".translate({48 + d: 97 + d for d in range(10)}): len(v) + i for i in range(100_000)}
        ),
    )
    yield "half a character", pieces(lambda v: {**v, "\ud800": len(v)})
    yield (
        "a special token to be found in text",
        top(
            added_tokens=[
                {
                    "id": 0,
                    "content": "<pad>",
                    "special": True,
                    "single_word": False,
                    "lstrip": False,
                    "rstrip": False,
                    "normalized": False,
                }
            ]
        ),
    )
    yield (
        "a regular expression without end",
        top(pre_tokenizer={"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Removed", "invert": False}),
    )
    yield "a normaliser of bytes", top(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"})
    yield (
        "a template",
        top(post_processor={"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}),
    )
    yield "truncation", top(truncation={"max_length": 0, "stride": 5, "strategy": "LongestFirst"})
    yield "padding", top(padding={"strategy": {"Fixed": 2**40}, "pad_id": 0})


def hostile():
    """What a stranger does to a folder, by a name that says which file should be named in the answer."""
    for number, changes in enumerate(_CONFIGS):
        yield f"config.json: {number} {str(changes)[:60]!r}", _config(**changes)
    for name in ("config.json", "results.json", "tokenizer.json"):
        yield f"{name}: deep", _text(name, _DEEP)
        yield f"{name}: deep inside", _text(name, '{"a": ' + _DEEP + "}")
        yield f"{name}: deep and small", _text(name, '{"a": ' + "[" * 25_000 + "]" * 25_000 + "}")
        yield f"{name}: objects inside objects", _text(name, '{"a": ' * 50_000)
        yield f"{name}: empty", _kind(name, lambda path: path.write_bytes(b""))
        yield f"{name}: a list", _text(name, "[1]")
        yield f"{name}: a string", _text(name, '"' + "[" * 1000)
        yield f"{name}: no Unicode", _text(name, b"\xff\xfe{}")
        yield f"{name}: NaN", _text(name, '{"vocab_size": NaN}')
        yield f"{name}: many digits", _text(name, '{"vocab_size": ' + "9" * 10_000 + "}")
        yield f"{name}: large", _text(name, " " * 17_000_000 + "{}")
    for name in ("config.json", "results.json", "tokenizer.json", "model.safetensors"):
        yield f"{name}: a pipe", _kind(name, os.mkfifo)
        yield f"{name}: a folder", _kind(name, os.mkdir)
        yield f"{name}: a socket", _kind(name, _socket)
        yield f"{name}: zeros without end", _kind(name, lambda path: path.symlink_to("/dev/zero"))
        yield f"{name}: a terminal", _kind(name, lambda path: path.symlink_to("/dev/tty"))
        yield f"{name}: the process's memory", _kind(name, lambda path: path.symlink_to("/proc/self/mem"))
        if name != "results.json":  # a record that leads nowhere is none
            yield f"{name}: a link to itself", _kind(name, lambda path: path.symlink_to(path.name))
    for name, edit in _tokenizer_edits():
        yield f"tokenizer.json: {name}", _vocabulary(edit)
    for name, value in (("NaN", float("nan")), ("infinity", float("inf"))):
        yield f"model.safetensors: {name}", _weights(_first(value))
    yield "model.safetensors: float32", _weights(lambda tensors: {n: t.float() for n, t in tensors.items()})
    yield "model.safetensors: bytes", _weights(lambda tensors: {n: t.byte() for n, t in tensors.items()})
    yield "model.safetensors: one too few", _weights(lambda tensors: dict(list(tensors.items())[1:]))
    yield "model.safetensors: one too many", _weights(lambda tensors: tensors | {"more": torch.zeros(3)})
    yield "model.safetensors: turned", _weights(lambda tensors: {n: t.T.contiguous() for n, t in tensors.items()})
    yield "model.safetensors: a name of lines", _weights(lambda tensors: tensors | {"a\nb" * 3000: torch.zeros(3)})
    yield "model.safetensors: eight bytes", _header(b"")
    yield "model.safetensors: header without end", _header(b"{}", length=2**63)
    yield "model.safetensors: header of nothing", _header(b"{}", length=90_000_000, size=95_000_000)
    yield "model.safetensors: deep", _header(_DEEP.encode())
    yield "model.safetensors: a list for a header", _header([])
    yield "model.safetensors: no tensors", _header({})
    yield "model.safetensors: metadata of numbers", _header({"__metadata__": {KEY: 5}})
    yield "model.safetensors: metadata in a list", _header({"__metadata__": [KEY]})
    yield "model.safetensors: a record that is deep", _header({"__metadata__": {KEY: _DEEP}})
    yield "model.safetensors: a record of nothing", _header({"__metadata__": {KEY: "{}"}})
    yield "model.safetensors: a shape below zero", _header({"w": {**_HOLE["w"], "shape": [-1]}})
    yield "model.safetensors: a shape of a million sides", _header({"w": {**_HOLE["w"], "shape": [2] * 10**6}})
    yield "model.safetensors: a hole", _header(_HOLE, size=8 + len(json.dumps(_HOLE)) + 2**29)
    yield "model.safetensors: a large hole", _header(_HOLE, size=2**40)
    yield (
        "model.safetensors: names without end",
        _header({f"{i}": {"dtype": "F16", "shape": [0], "data_offsets": [0, 0]} for i in range(140_000)}),
    )


def mutated(folder, random_):
    """Change a file of a folder anyhow; old folders have no digest that would tell."""
    path = folder / random_.choice(["config.json", "results.json", "tokenizer.json", "model.safetensors"])
    content = bytearray(path.read_bytes())
    most = min(len(content), 3000) if random_.random() < 0.8 else len(content)
    for _ in range(random_.choice([1, 1, 2, 5])):
        at, kind = random_.randrange(most), random_.randrange(4)
        if kind == 0:
            content[at % len(content)] ^= 1 << random_.randrange(8)
        elif kind == 1:
            del content[at : at + random_.choice([1, 2, 50])]
        elif kind == 2:
            content[at:at] = content[at : at + random_.choice([1, 2, 50])] or b"9"
        else:
            content[at:at] = random_.choice([b"9" * 20, b"-", b"[", b"{", b'"', b"\\u0000", b"e99", b"null", b"\xff"])
    path.write_bytes(content)
    return path.name


def _answer(folder):
    """What `translate` answers for a folder, and what it took."""
    from attention_book.__main__ import app

    began = time.process_time()
    signal.alarm(60)
    result = CliRunner().invoke(app, ["translate", "I like cats.", "--model", str(folder), "--beam-size", "1"])
    signal.alarm(0)
    odd = result.exception if not isinstance(result.exception, SystemExit) else None
    return {
        "code": result.exit_code,
        "error": result.stderr,
        "traceback": "".join(traceback.format_exception(odd))[-2000:] if odd else "",
        "seconds": time.process_time() - began,
    }


def main():
    """Load every hostile folder, then mutated old ones, and print one line of JSON each."""
    import warnings

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        good = {recurrent: small_folder(place / f"good-{recurrent}", recurrent) for recurrent in (False, True)}
        for folder in good.values():
            print(json.dumps({"name": "good", **_answer(folder)}))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)
        changes = list(hostile())
        for name, change in changes:
            folder = shutil.copytree(good[False], place / "stranger")
            change(folder)
            print(json.dumps({"name": name, **_answer(folder)}), flush=True)
            shutil.rmtree(folder)
        old = {recurrent: shutil.copytree(folder, place / f"old-{recurrent}") for recurrent, folder in good.items()}
        for folder in old.values():
            as_before_digests(folder)
        random_ = random.Random(0)
        for number in range(int(sys.argv[1])):
            folder = shutil.copytree(old[number % 2 == 1], place / "stranger")
            name = mutated(folder, random_)
            print(json.dumps({"name": f"{name}: mutated {number}", "mutated": True, **_answer(folder)}), flush=True)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
