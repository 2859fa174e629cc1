"""`compiled.c` is compiled once, kept, and done without where it cannot be."""

import subprocess
import sys

import pytest
import torch

from attention_book.translation.fast import compiling
from attention_book.translation.fast.compiled import CompiledTransformer
from attention_book.translation.fast.fast_translator import packed
from attention_book.translation.fast.packing import PackedTransformer
from translation.fast.models import random_model


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """No library is loaded yet, and the cache folder is empty."""
    monkeypatch.setattr(compiling, "user_cache_path", lambda name: tmp_path / name)
    compiling.library.cache_clear()
    yield tmp_path
    compiling.library.cache_clear()


def compiler_that(folder, program):
    """A program in the compiler's place, in Python."""
    path = folder / "compiler"
    path.write_text(f"#!{sys.executable}\n{program}\n")
    path.chmod(0o755)
    return str(path)


COUNTS = """
import subprocess, sys
open({log!r}, "a").write("compiled\\n" if "-o" in sys.argv else "")
sys.exit(subprocess.run(["cc", *sys.argv[1:]]).returncode)
"""


@pytest.mark.skipif(compiling.library() is None, reason="there is no C compiler")
class TestWithACompiler:
    def test_it_is_compiled_once_and_again_when_the_source_changes(self, tmp_path, monkeypatch):
        log = tmp_path / "log"
        compiler = compiler_that(tmp_path, COUNTS.format(log=str(log)))
        first = compiling.built([compiler], tmp_path / "made")
        assert first == compiling.built([compiler], tmp_path / "made") and log.read_text() == "compiled\n"
        other = tmp_path / "other.c"
        other.write_text(compiling.SOURCE.read_text() + "\n")
        monkeypatch.setattr(compiling, "SOURCE", other)
        assert compiling.built([compiler], tmp_path / "made") != first and log.read_text() == "compiled\n" * 2
        assert len(list((tmp_path / "made").iterdir())) == 4  # two libraries and their digests

    def test_a_library_that_was_cut_off_is_made_again(self, tmp_path):
        path = compiling.built(["cc"], tmp_path)
        whole = path.read_bytes()
        for damaged in (b"", whole[:4096]):
            path.write_bytes(damaged)
            assert compiling.built(["cc"], tmp_path) == path and len(path.read_bytes()) == len(whole)
        compiling.load(path)

    def test_what_others_can_write_is_not_run(self, tmp_path):
        shared = tmp_path / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        with pytest.raises(OSError, match="can be written to by others"):
            compiling.built(["cc"], shared)
        path = compiling.built(["cc"], tmp_path)
        path.chmod(0o777)
        assert compiling.built(["cc"], tmp_path) == path and not path.stat().st_mode & 0o022

    def test_a_compiler_with_options(self, fresh, monkeypatch):
        monkeypatch.setenv("CC", "cc -g0")
        assert compiling.library() is not None

    def test_other_options_are_another_file(self, tmp_path):
        plain = [flag for flag in compiling.FLAGS if flag != compiling.NATIVE]
        assert compiling.built(["cc"], tmp_path, plain) != compiling.built(["cc"], tmp_path)

    def test_it_compiles_without_a_warning(self, tmp_path):
        command = ["cc", *compiling.FLAGS, "-Wall", "-Wextra", "-Werror", str(compiling.SOURCE), "-lm"]
        done = subprocess.run([*command, "-o", str(tmp_path / "made.so")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    @pytest.mark.usefixtures("fresh")
    def test_float32_on_the_cpu_is_compiled_and_nothing_else(self):
        model = random_model()
        assert isinstance(packed(model), CompiledTransformer)
        assert type(packed(model, "int8")) is PackedTransformer


class TestWithoutACompiler:
    def test_there_is_none(self, fresh, monkeypatch):
        monkeypatch.setenv("CC", str(fresh / "nowhere"))
        assert compiling.library() is None
        assert type(packed(random_model())) is PackedTransformer

    @pytest.mark.parametrize("program", ["raise SystemExit(1)", "import sys; print(1 / 0 if '-o' in sys.argv else 9)"])
    def test_it_does_not_succeed(self, fresh, monkeypatch, program):
        monkeypatch.setenv("CC", compiler_that(fresh, program))
        assert compiling.library() is None

    def test_its_version_is_in_no_encoding_and_its_library_lacks_what_is_needed(self, fresh, monkeypatch):
        program = """
import subprocess, sys
sys.stdout.buffer.write(b"cc \\351")
if "-o" in sys.argv:
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", sys.argv[sys.argv.index("-o") + 1]])
"""
        monkeypatch.setenv("CC", compiler_that(fresh, program))
        assert compiling.library() is None

    def test_what_it_makes_cannot_be_loaded(self, fresh, monkeypatch):
        program = "import sys\nif '-o' in sys.argv: open(sys.argv[sys.argv.index('-o') + 1], 'w').write('no code')"
        monkeypatch.setenv("CC", compiler_that(fresh, program))
        assert compiling.library() is None

    def test_there_is_no_place_to_keep_it(self, fresh):
        (fresh / "attention-book").write_text("a file where the folder would be")
        assert compiling.library() is None

    @pytest.mark.usefixtures("unchecked")
    def test_what_is_no_transformer_is_refused_all_the_same(self):
        with pytest.raises(TypeError, match="fast decoding is for Transformers"):
            packed(torch.nn.Linear(2, 2))
