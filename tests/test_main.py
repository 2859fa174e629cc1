"""The commands, as a reader types them."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tiny_translator import KNOWN, tiny_translator
from typer.testing import CliRunner

from attention_book.__main__ import _arriving_lines, app
from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.models import quantisation
from attention_book.models.quantisation import quantised
from attention_book.training import runs
from attention_book.translation.evaluation import bleu_and_chrf
from attention_book.translation.export.page_weights import page_weights
from attention_book.translation.model_folder import save_results
from attention_book.translation.translator import Translator

SOURCE = Path(__file__).parents[1] / "src"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("translator")
    tiny_translator().save(path)
    return str(path)


def command(*arguments, stdin=b""):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, *arguments], env=environment, **streams, **options)


class TestTranslate:
    def test_a_text(self, folder):
        result = command("translate", "I like cats.", "--model", folder)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "Me gustan los gatos.\n", "")

    def test_a_text_that_cannot_be_translated(self, folder):
        result = command("translate", "cat " * 10_000, "--model", folder)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("error: a sentence of ")
        assert "Traceback" not in result.stderr

    def test_the_faster_search_says_the_same(self, folder, monkeypatch):
        texts = "".join(f"{text}\n" for text in KNOWN).encode()
        readable = command("translate", "--model", folder, stdin=texts)
        monkeypatch.setattr("attention_book.translation.translator.beam_search", None)  # the readable search
        fast = command("translate", "--fast", "--model", folder, stdin=texts)
        assert fast.exit_code == 0 and fast.stdout == readable.stdout
        result = command("translate", "--fast", "I like cats.", "--model", "en-es-rnn-attention")
        assert result.exit_code == 2 and "--fast is for Transformers, and en-es-rnn-attention is" in result.stderr

    def test_a_blank_text(self, folder):
        result = command("translate", "  ", "--model", folder, "--beam-size", 1)
        assert (result.exit_code, result.stdout) == (0, "\n")

    def test_standard_input_line_by_line(self, folder):
        lines = [*KNOWN, "", "Come in! I like cats."]
        result = command("translate", "--model", folder, stdin="\n".join(lines).encode())
        assert result.exit_code == 0
        assert result.stdout.split("\n") == [*KNOWN.values(), "", "¡Pasa! Me gustan los gatos.", ""]

    def test_one_line_out_for_each_line_in_whatever_it_holds(self, folder):
        lines = [
            b"Come in!",
            b"bad \xff byte",
            b"I\0like cats.\r",
            b"cat " * 100,
            b" \t ",
            "You like\u2028dogs.".encode(),
            b"Come in!\rI like cats.",
        ]
        result = command("translate", "--model", folder, stdin=b"\n".join(lines) + b"\n")
        assert result.exit_code == 1
        written = result.stdout_bytes.decode().split("\n")
        assert written == [
            "¡Pasa!",
            "",
            "Me gustan los gatos.",
            "",
            "",
            "Te gustan los perros.",
            "¡Pasa! Me gustan los gatos.",
            "",
        ]
        errors = result.stderr.splitlines()
        assert errors[0] == "line 2: error: byte 0xFF at position 5 is not UTF-8 (invalid start byte)"
        assert errors[1].startswith("line 3: warning: control characters replaced by spaces: 1 (U+0000)")
        assert errors[2].startswith("line 4: error: a sentence of ")
        assert len(errors) == 3

    def test_empty_input_gives_empty_output(self, folder):
        result = command("translate", "--model", folder)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")

    def test_settings_reach_the_search(self, folder):
        assert command("translate", "x", "--model", folder, "--beam-size", 0).exit_code == 2
        assert command("translate", "x", "--model", folder, "--length-penalty", -1).exit_code == 2

    def test_a_missing_translator(self, tmp_path):
        result = command("translate", "x", "--model", tmp_path / "nowhere")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "error: there is no translator" in result.stderr
        result = command("translate", "x", "--model", tmp_path)
        assert result.exit_code == 2
        assert "config.json is missing" in result.stderr


@pytest.mark.parametrize("chunks", [[b"a\nb\nc"], [b"a", b"\nb", b"\n", b"c"], [b"a\n", b"b\nc\n"], [b"a\nb\n", b"c"]])
def test_lines_are_the_same_however_they_arrive(chunks):
    class Stream:
        def __init__(self):
            self.chunks = iter([*chunks, b""])

        def read1(self, _):
            return next(self.chunks)

    assert [line for lines in _arriving_lines(Stream()) for line in lines] == [b"a", b"b", b"c"]


def test_each_line_is_answered_before_the_next_is_typed(folder):
    with process("-m", "attention_book", "translate", "--model", folder) as running:
        patience = threading.Timer(60, running.kill)  # a line that is never answered must fail, not hang
        patience.start()
        for source, target in list(KNOWN.items())[:2]:
            running.stdin.write(source.encode() + b"\n")
            running.stdin.flush()
            assert running.stdout.readline().decode() == target + "\n"
        written, errors = running.communicate(b"\xc3(\n" + b"Come in!", timeout=60)
    assert written.decode() == "\n¡Pasa!\n"
    assert errors.decode().startswith("line 3: error: byte 0xC3 at position 1 is not UTF-8")
    assert running.returncode == 1


def test_help_needs_none_of_the_heavy_libraries():
    script = (
        "import sys, attention_book.__main__; print([m for m in ('torch', 'numpy', 'tokenizers') if m in sys.modules])"
    )
    with process("-c", script) as running:
        written, _ = running.communicate(timeout=60)
    assert written == b"[]\n"
    assert command("--help").exit_code == 0


class TestExport:
    def test_the_file_for_the_page_is_written(self, folder, tmp_path):
        result = command("export", "--page", tmp_path / "weights.bin", "--model", folder)
        content = (tmp_path / "weights.bin").read_bytes()
        assert result.exit_code == 0 and f"{len(content):,} bytes" in result.stdout
        assert content == page_weights(Translator.from_pretrained(folder))

    def test_what_cannot_be_written_is_said(self, folder, tmp_path):
        result = command("export", "--model", folder)
        assert result.exit_code == 2 and "--page PATH" in result.stderr
        (tmp_path / "file").touch()
        assert command("export", "--page", tmp_path / "file" / "weights.bin", "--model", folder).exit_code == 2

    def test_a_folder_for_ctranslate2_is_written_and_written_again(self, folder, tmp_path):
        for _ in range(2):
            result = command("export", "--ctranslate2", tmp_path / "folder", "--model", folder)
            size = sum(path.stat().st_size for path in (tmp_path / "folder").iterdir())
            assert result.exit_code == 0 and result.stdout.endswith(f"folder, {size:,} bytes\n")
        assert {"model.bin", "tokenizer.json", "README.md"} <= {path.name for path in (tmp_path / "folder").iterdir()}

    @pytest.mark.parametrize("kind", ["--onnx", "--ctranslate2"])
    def test_a_folder_of_somebody_else_is_left_alone(self, kind, folder, tmp_path):
        (tmp_path / "thesis.txt").write_text("years of work")
        result = command("export", kind, tmp_path, "--model", folder)
        assert result.exit_code == 2 and "thesis.txt" in result.stderr and "Traceback" not in result.stderr
        assert [path.read_text() for path in tmp_path.iterdir()] == ["years of work"]

    def test_a_missing_library_is_said_in_a_line(self, folder, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "onnxscript", None)
        result = command("export", "--onnx", tmp_path / "folder", "--model", folder)
        assert result.exit_code == 2 and not list(tmp_path.iterdir())
        assert result.stderr.startswith("error: --onnx needs onnxscript, not installed here.")


class TestEvaluate:
    @pytest.fixture
    def corpus(self, monkeypatch):
        pairs = tuple(Pair(source, target, (target, "Otra frase.")) for source, target in KNOWN.items())
        tiny = corpora.Corpus("tiny", (), pairs, pairs[:2], "en", "es", "0" * 64)
        monkeypatch.setattr(corpora, "load", lambda name: tiny)

    def test_it_prints_and_writes_the_scores_and_what_they_depend_on(self, folder, corpus, tmp_path):
        output = tmp_path / "scores.json"
        result = command("evaluate", "--model", folder, "--output", output, "--beam-size", 2)
        assert result.exit_code == 0
        record = json.loads(output.read_text(encoding="utf-8"))
        expected = bleu_and_chrf(list(KNOWN.values()), [[target] for target in KNOWN.values()])
        assert record["first_reference"] == vars(expected)
        assert record["first_reference"]["bleu"] == pytest.approx(100)
        assert record["split"] == "validation"
        assert record["sentences"] == len(KNOWN)
        assert record["decoding"] == {"search": "beam", "beam_size": 2, "length_penalty": 0.6}
        assert {"corpus", "data_sha256", "machine", "versions", "date", "model", "tokenizer_sha256"} <= record.keys()
        for which in ("all_references", "first_reference"):
            for signature in ("bleu_signature", "chrf_signature"):
                assert record[which][signature] in result.stdout
        assert "BLEU 100.00" in result.stdout

    def test_weights_in_eight_bits_are_scored_and_named(self, folder, corpus, tmp_path, monkeypatch):
        rounded = []
        monkeypatch.setattr(quantisation, "quantised", lambda model: rounded.append(quantised(model)) or rounded[0])
        output = tmp_path / "scores.json"
        assert command("evaluate", "--model", folder, "--output", output, "--int8").exit_code == 0
        record = json.loads(output.read_text(encoding="utf-8"))
        assert record["weights"] == "int8" and record["first_reference"]["bleu"] == pytest.approx(100)
        assert len(rounded) == 1
        result = command("evaluate", "--model", folder, "--int8", "--record")
        assert result.exit_code == 2 and "leave out --int8" in result.stderr

    def test_the_faster_search_is_scored_and_named(self, folder, corpus, tmp_path):
        output = tmp_path / "scores.json"
        assert command("evaluate", "--model", folder, "--output", output, "--fast", "--int8").exit_code == 0
        record = json.loads(output.read_text(encoding="utf-8"))
        assert record["fast"] and record["weights"] == "int8"
        assert record["first_reference"]["bleu"] == pytest.approx(100)
        result = command("evaluate", "--model", folder, "--fast", "--record")
        assert result.exit_code == 2 and "leave out --fast" in result.stderr

    def test_recorded_scores_join_the_translators_results(self, folder, corpus, tmp_path):
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        save_results(copy, {"corpus": "tiny", "tokens": 5})
        assert command("evaluate", "--model", copy, "--split", "test", "--record").exit_code == 0
        assert command("evaluate", "--model", copy, "--split", "test", "--beam-size", 1, "--record").exit_code == 0
        record = Translator.from_pretrained(copy).results
        assert record.keys() == {"corpus", "tokens", "test", "test_greedy"}
        assert [record[key]["decoding"]["search"] for key in ("test", "test_greedy")] == ["beam", "greedy"]
        assert record["test"]["sentences"] == 2 and record["tokens"] == 5

    def test_split_and_limit(self, folder, corpus, tmp_path):
        for arguments, sentences in ((("--split", "test"), 2), (("--limit", "3"), 3)):
            output = tmp_path / "scores.json"
            assert command("evaluate", "--model", folder, "--output", output, *arguments).exit_code == 0
            assert json.loads(output.read_text())["sentences"] == sentences
        assert command("evaluate", "--model", folder, "--split", "train").exit_code == 2

    def test_a_missing_corpus(self, folder, monkeypatch, tmp_path):
        monkeypatch.setenv("ATTENTION_BOOK_DATA", str(tmp_path))
        result = command("evaluate", "--model", folder)
        assert result.exit_code == 2
        assert result.stderr.startswith("error: ")
        assert "ATTENTION_BOOK_DATA" in result.stderr

    def test_results_that_name_no_corpus(self, folder, tmp_path):
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        save_results(copy, {"corpus": []})
        result = command("evaluate", "--model", copy)
        assert result.exit_code == 2
        assert '"corpus" in the results' in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("translate hi --length-penalty 1000", "--length-penalty"),
        ("translate hi --length-penalty nan", "--length-penalty"),
        ("translate hi --beam-size 1000", "--beam-size"),
        (f"train --tokens-per-batch {10**20}", "--tokens-per-batch"),
        ("translate hi --model ~nosuchuser/model", "error: a path begins with ~ and a name that no user"),
        ("translate <&-", "error: standard input is closed"),
        ("--help >/dev/full", "error: [Errno 28]"),
        ("translate --help >/dev/full", "error: [Errno 28]"),
    ],
)
def test_what_cannot_work_is_refused_in_a_line_and_without_a_traceback(arguments, told):
    line = f"'{sys.executable}' -m attention_book {arguments}"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and "Traceback" not in done.stderr


def test_control_characters_of_a_server_do_not_reach_the_terminal(monkeypatch):
    def refuse(names, force):
        raise OSError("\x1b[31mAccess denied\x07")

    monkeypatch.setattr(corpora, "fetch", refuse)
    result = command("fetch")
    assert (result.exit_code, result.stderr) == (2, "error: �[31mAccess denied�\n")


class TestOthers:
    def test_fetch_checks_what_is_there(self, monkeypatch, tmp_path):
        monkeypatch.setenv("ATTENTION_BOOK_DATA", str(tmp_path))
        (tmp_path / "spa-eng.zip").write_bytes(b"no zip")
        result = command("fetch", "tatoeba-en-es")
        assert result.exit_code == 2
        assert "SHA-256" in result.stderr
        assert (tmp_path / "spa-eng.zip").read_bytes() == b"no zip"
        result = command("fetch", "tatoeba-en-xx")
        assert result.exit_code == 2
        assert "no corpus 'tatoeba-en-xx'" in result.stderr

    def test_train_passes_its_options_on(self, monkeypatch, tmp_path):
        asked = {}
        monkeypatch.setattr(runs, "train", lambda name, **options: asked.update(options, name=name) or tmp_path)
        result = command(
            "train", "en-hi", "--preset", "tiny", "--positions", "rotary", "--tokens", 5, "--seed", 7, "--resume",
            "--threads", 1, "--fast",
        )  # fmt: skip
        assert (result.exit_code, result.stdout.replace("\n", "")) == (0, str(tmp_path))
        assert asked == {
            "name": "en-hi",
            "preset": "tiny",
            "positions": "rotary",
            "tokens": 5,
            "tokens_per_batch": 1000,
            "seed": 7,
            "resume": True,
            "threads": 1,
            "output": None,
            "fast": True,
        }

    def test_train_without_a_corpus_or_a_preset(self, monkeypatch, tmp_path):
        monkeypatch.setenv("ATTENTION_BOOK_DATA", str(tmp_path))
        for arguments in (("en-es",), ("en-es", "--preset", "huge")):
            result = command("train", *arguments)
            assert result.exit_code == 2
            assert result.stderr.startswith("error: ")

    def test_a_run_that_was_stopped_says_so(self, monkeypatch):
        monkeypatch.setattr(runs, "train", lambda name, **options: None)
        assert command("train").exit_code == 130

    def test_an_unknown_experiment(self):
        result = command("experiment", "nonsense")
        assert result.exit_code == 2
        assert "no experiment 'nonsense'" in result.stderr

    def test_an_error_that_nobody_expected_is_not_hidden(self, monkeypatch):
        def broken(*_, **__):
            raise KeyError("a fault of ours")

        monkeypatch.setattr(runs, "train", broken)
        assert isinstance(command("train").exception, KeyError)
