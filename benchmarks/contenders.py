"""One contender of `python -m benchmarks decoding`: `python -m benchmarks.contenders NAME FOLDER SENTENCES [PATH]`."""

import importlib.metadata
import importlib.util
import json
import sys
import time
from pathlib import Path

PEERS = {
    "hugging-face": ("transformers", "pip install -r benchmarks/requirements.txt"),
    "joeynmt": ("joeynmt", "pip install --no-deps joeynmt sacremoses sentencepiece subword-nmt"),
    "annotated": (None, "name the folder of its code with --annotated"),
}
"""The peers in `benchmarks.peers`: the package of each, or None, and how to get it."""
ALPHA = 0.6


def ours(translator, sentences, kind):
    from attention_book.translation.decoding import beam_search, greedy_decode
    from attention_book.translation.fast.fast_translator import packed, search

    if kind != "readable":
        model = packed(translator.model, kind)

        def decode(batch_size, beam_size):
            return [list(one.tokens) for one in search(model, sentences, beam_size, ALPHA, batch_size)]

        return decode

    import torch

    model = translator.model.eval()

    def read(batch_size, beam_size):
        order = sorted(range(len(sentences)), key=lambda place: -len(sentences[place]))
        found = {}
        for first in range(0, len(order), batch_size):
            batch = order[first : first + batch_size]
            rows = [torch.tensor(sentences[place]) for place in batch]
            src = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
            hypotheses = greedy_decode(model, src) if beam_size == 1 else beam_search(model, src, beam_size, ALPHA)
            found.update(zip(batch, hypotheses, strict=True))
        return [list(found[place].tokens) for place in range(len(sentences))]

    return read


def ctranslate2(folder, sentences, kind):
    import ctranslate2

    engine = ctranslate2.Translator(folder, device="cpu", compute_type=kind, intra_threads=1, inter_threads=1)
    pieces = json.loads((Path(folder) / "shared_vocabulary.json").read_text(encoding="utf-8"))
    ids = {piece: number for number, piece in enumerate(pieces)}
    end = json.loads((Path(folder) / "export.json").read_text(encoding="utf-8"))["eos_id"]
    sources = [[pieces[one] for one in sentence[:-1]] for sentence in sentences]  # it adds </s> itself

    def decode(batch_size, beam_size):
        found = engine.translate_batch(
            sources,
            max_batch_size=batch_size,
            beam_size=beam_size,
            length_penalty=ALPHA,
            max_input_length=0,
            max_decoding_length=256,
            min_decoding_length=0,
        )
        return [[*(ids[piece] for piece in one.hypotheses[0]), end] for one in found]

    return decode


def absent(name, path=None):
    """Why a peer cannot take part, or None."""
    package, remedy = PEERS[name]
    if package is None:
        return None if path else f"its code is not part of the book: {remedy}"
    return f"not installed: {remedy}" if importlib.util.find_spec(package) is None else None


def peer(name, model, sentences, path=None):
    """One of `PEERS` with our weights."""
    from benchmarks import peers

    if name == "annotated":
        translate = peers.annotated(model, Path(path))
    else:
        translate = {"hugging-face": peers.hugging_face, "joeynmt": peers.joeynmt}[name](model)
    return peers.by_batches(translate, sentences, model.config.pad_id)


def main():
    name, folder, sentences, *path = sys.argv[1:5]
    if name in PEERS and absent(name, *path):
        print(json.dumps({"missing": absent(name, *path)}), flush=True)
        return
    import torch

    from attention_book.translation.translator import Translator

    torch.set_num_threads(1)
    sentences = json.loads(Path(sentences).read_text(encoding="utf-8"))
    engine, _, kind = name.partition(":")
    package = "torch"
    if name in PEERS:
        decode = peer(name, Translator.from_pretrained("en-es").model.eval(), sentences, *path)
        package = PEERS[name][0] or package
    elif engine == "ctranslate2":
        if importlib.util.find_spec("ctranslate2") is None:
            print(json.dumps({"missing": "not installed: pip install -r requirements-export.txt"}), flush=True)
            return
        decode, package = ctranslate2(folder, sentences, kind), "ctranslate2"
    else:
        decode = ours(Translator.from_pretrained("en-es"), sentences, kind)
    print(json.dumps({"versions": {package: importlib.metadata.version(package)}}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        wall, seconds = time.perf_counter(), time.process_time()
        outputs = decode(task["batch"], task["beam"])
        seconds, wall = time.process_time() - seconds, time.perf_counter() - wall
        print(json.dumps({"seconds": seconds, "wall": wall, "outputs": outputs}), flush=True)


if __name__ == "__main__":
    main()
