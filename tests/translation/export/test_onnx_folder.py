"""The ONNX graphs compute what torch computes, in ONNX Runtime, whatever the lengths; their README's program works."""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import numpy_helper
from tiny_translator import KNOWN, tiny_translator

from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.paths import PACKAGE
from attention_book.translation.export import onnx_folder, whole_folder
from attention_book.translation.export.onnx_folder import DECODER, ENCODER, write_onnx
from attention_book.translation.translator import Translator

from .exported import FORTY, ODD, check_about, run_program

pytestmark = pytest.mark.slow  # torch's exporter takes ten seconds a graph
CLOSE = 1e-4


class Runtime:
    """The two graphs of a folder in ONNX Runtime."""

    def __init__(self, encoder, decoder):
        self.encoder, self.decoder = (onnxruntime.InferenceSession(graph) for graph in (encoder, decoder))

    @classmethod
    def of(cls, folder):
        return cls(folder / "encoder.onnx", folder / "decoder.onnx")

    def read(self, source):
        return dict(zip(ENCODER["outputs"], self.encoder.run(None, {"source": source.numpy()}), strict=True))

    def logits(self, model, source, target, chunk):
        """The target fed in chunks, each with the caches that the last one gave."""
        config, memory, found = model.config, self.read(source), []
        attention = model.decoder.layers[0].self_attention
        shape = (config.n_layers, len(source), config.n_heads, 0)
        keys, values = (np.zeros((*shape, width), np.float32) for width in (attention.d_k, attention.d_v))
        for tokens in target.split(chunk, dim=1):
            past = {"past_keys": keys, "past_values": values}
            logits, keys, values = self.decoder.run(None, {"tokens": tokens.numpy(), **past, **memory})
            found.append(logits)
        assert keys.shape[3] == values.shape[3] == target.shape[1]
        return np.concatenate(found, axis=1)

    def error(self, model, source, target, chunk):
        """The largest difference of a logit from torch's."""
        with torch.no_grad():
            wanted = model(source, target).numpy()
        return np.abs(self.logits(model, source, target, chunk) - wanted).max()


def random_ids(config, rows, src_len, tgt_len):
    """Sources of several lengths, padded, the first one not; targets that begin with `<s>`."""
    generator = torch.Generator().manual_seed(rows * src_len + tgt_len)
    source = torch.randint(4, config.vocab_size, (rows, src_len), generator=generator)
    for row, length in enumerate(torch.randint(1, src_len + 1, (rows,), generator=generator).tolist()):
        if row:
            source[row, length:] = config.pad_id
    target = torch.randint(4, config.vocab_size, (rows, tgt_len), generator=generator)
    target[:, 0] = config.bos_id
    return source, target


def outside(*arguments):
    """Run Python in a process of its own, as its users do: the tracer hands on lengths that are symbols, which the
    checks of annotations in this process would not take for numbers."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done


EXPORTS = """
import sys, torch
from attention_book.__main__ import app
from attention_book.translation.export.onnx_folder import write_onnx
from attention_book.translation.translator import Translator
saved, odd, shipped = sys.argv[1:]
translator = Translator.from_pretrained(saved)
for module in translator.model.train().modules():
    if isinstance(module, torch.nn.Dropout):
        module.p = 0.5
write_onnx(translator, odd)
assert all(module.training for module in translator.model.modules())
app(["export", "--onnx", shipped])
"""


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """Two models exported, in one process: what a first export loads takes ten seconds.

    Returns:
        Each translator and its folder. The shipped one is exported by the command. The odd one is unlike it: its
        values are narrower than its keys, it has one layer, and is in training mode when it is exported.
    """
    saved, odd = tmp_path_factory.mktemp("saved"), tmp_path_factory.mktemp("odd")
    folder = tmp_path_factory.mktemp("shipped") / "new" / "onnx"
    tiny_translator(**ODD, d_v=10, n_layers=1).save(saved)
    done = outside("-c", EXPORTS, saved, odd, folder)
    assert done.stderr.splitlines() == ["writing the encoder as a graph", "writing the decoder as a graph"]
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert done.stdout == f"written to {folder}, {size:,} bytes\n"
    return {"shipped": folder, "odd": (Translator.from_pretrained(saved), odd)}


@pytest.fixture(scope="module")
def shipped(exports, translator):
    return translator, exports["shipped"]


@pytest.fixture(scope="module")
def odd(exports):
    return exports["odd"]


@pytest.fixture(params=["shipped", "odd"])
def exported(request):
    return request.getfixturevalue(request.param)


def test_names_types_and_shapes_are_those_of_the_readme(exported):
    translator, folder = exported
    table = (folder / "README.md").read_text(encoding="utf-8")
    about = Runtime.of(folder)
    for session, wanted in ((about.encoder, ENCODER), (about.decoder, DECODER)):
        assert [one.name for one in session.get_inputs()] == list(wanted["inputs"])
        assert tuple(one.name for one in session.get_outputs()) == wanted["outputs"]
        for one in session.get_inputs():
            assert {at: n for at, n in enumerate(one.shape) if isinstance(n, str)} == wanted["inputs"][one.name]
            assert f"`{one.name}`" in table
    config, attention = translator.model.config, translator.model.decoder.layers[0].cross_attention
    fixed = {one.name: [n for n in one.shape if not isinstance(n, str)] for one in about.decoder.get_inputs()}
    assert fixed["past_keys"] == fixed["memory_keys"] == [config.n_layers, config.n_heads, attention.d_k]
    assert fixed["past_values"] == fixed["memory_values"] == [config.n_layers, config.n_heads, attention.d_v]
    assert f"| {config.n_layers}, B, {config.n_heads}, P, {attention.d_v} |" in table
    check_about(folder, "onnx", config)


@pytest.mark.parametrize(("rows", "src_len", "tgt_len"), [(1, 1, 1), (1, 17, 5), (2, 5, 3), (5, 30, 41), (33, 9, 12)])
@pytest.mark.parametrize("chunk", [1, 4, 50])
def test_logits_are_those_of_torch_at_once_and_step_by_step(exported, rows, src_len, tgt_len, chunk):
    translator, folder = exported
    source, target = random_ids(translator.model.config, rows, src_len, tgt_len)
    assert Runtime.of(folder).error(translator.model, source, target, chunk) < CLOSE


def test_the_longest_source_and_target_fit(odd):
    translator, folder = odd
    longest = translator.model.config.max_len
    source, target = random_ids(translator.model.config, 2, longest, longest)
    assert Runtime.of(folder).error(translator.model, source, target, 16) < CLOSE


def test_padding_changes_nothing(exported):
    translator, folder = exported
    source, target = random_ids(translator.model.config, 1, 6, 4)
    padded = torch.nn.functional.pad(source, (0, 11), value=translator.model.config.pad_id)
    runtime = Runtime.of(folder)
    assert runtime.read(padded)["source_mask"].tolist() == [[True] * 6 + [False] * 11]
    alone, beside = (runtime.logits(translator.model, ids, target, 4) for ids in (source, padded))
    assert np.abs(alone - beside).max() < 1e-5


def test_the_readmes_program_translates_forty_sentences_as_the_book_does(shipped):
    translator, folder = shipped
    batches = [FORTY[:1], FORTY[1:8], FORTY[8:]]
    printed, found, modules = run_program(folder, batches)
    assert printed == translator.translate(["I like cats.", "Where is the dog?"], beam_size=1)
    wanted = [translator.translate(batch, beam_size=1, split=False) for batch in batches]
    assert len(FORTY) == 40 and found == wanted
    assert "onnxruntime" in modules and not {"torch", "attention_book"} & set(modules)


def test_the_readmes_program_stops_where_the_book_stops(odd):
    translator, folder = odd
    piece = "zq"
    longest = piece * (translator.model.config.max_len // 2 - 1)  # as many pieces as fit: one a letter
    batch = [*KNOWN, "", longest, "Привет"]
    assert len(translator.subwords.encode(longest)) == translator.model.config.max_len - 2
    _, (found,), _ = run_program(folder, [batch])
    ids = [[*translator.subwords.encode(text), translator.subwords.eos_id] for text in batch]
    ours = [translator.subwords.decode(one.tokens).strip() for one in translator._search(ids, 1, 0.0)]
    assert found == ours and found[: len(KNOWN)] == list(KNOWN.values())


def test_the_graphs_are_valid_and_say_nothing_of_the_machine(exported):
    _, folder = exported
    for name in ("encoder.onnx", "decoder.onnx"):
        onnx.checker.check_model(folder / name, full_check=True)
        content = (folder / name).read_bytes()
        assert b"site-packages" not in content and b"stack_trace" not in content and b"attention_book" not in content


def faulty(path, change):
    """A graph with the first initializer changed for which `change` gives an array."""
    graph = onnx.load(path)
    for weight in graph.graph.initializer:
        if (changed := change(weight.name, numpy_helper.to_array(weight))) is not None:
            weight.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(changed), weight.name))
            return graph.SerializeToString()
    raise AssertionError("nothing was changed")


def transposed(name, weight):
    square = weight.ndim == 2 and weight.shape[0] == weight.shape[1] > 8
    return weight.T if square and weight.dtype == np.float32 else None


def unscaled(name, weight):
    return weight / 16 if "src_embedding" in name else None  # as without the factor √256


@pytest.mark.parametrize("change", [transposed, unscaled])
@pytest.mark.parametrize("where", ["encoder", "decoder"])
def test_a_fault_in_either_graph_would_be_noticed(shipped, change, where):
    translator, folder = shipped
    graphs = {name: (folder / f"{name}.onnx").read_bytes() for name in ("encoder", "decoder")}
    graphs[where] = faulty(folder / f"{where}.onnx", change)
    source, target = random_ids(translator.model.config, 2, 5, 3)
    assert Runtime(**graphs).error(translator.model, source, target, 3) > 100 * CLOSE


def test_what_has_no_such_graphs_is_refused_and_nothing_is_written(tmp_path):
    subwords = tiny_translator().subwords
    recurrent = RecurrentEncoderDecoder(RecurrentConfig.tiny(len(subwords)))
    with pytest.raises(ValueError, match=r"graphs are written of Transformers, and this model is a Recurrent"):
        write_onnx(Translator(recurrent, subwords), tmp_path / "folder")
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    there = whole_folder.importlib.util.find_spec
    monkeypatch.setattr(whole_folder.importlib.util, "find_spec", lambda name: None if "onnx" in name else there(name))
    with pytest.raises(whole_folder.MissingPackage, match="pip install onnx onnxscript"):
        write_onnx(tiny_translator(), tmp_path / "folder")
    assert not list(tmp_path.iterdir())


def test_a_graph_that_cannot_be_made_leaves_what_was_there(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError("no space left")

    monkeypatch.setattr(onnx_folder, "_graph", broken)
    with pytest.raises(OSError, match="no space left"):
        write_onnx(tiny_translator(), tmp_path / "folder")
    assert not list(tmp_path.iterdir())
