"""The whole run on a corpus of a few sentences: its files, its record, its resumption, and what is refused."""

import pytest
import torch
from tiny_pairs import PAIRS
from typer.testing import CliRunner

from attention_book.__main__ import app
from attention_book.data.batching import token_batches
from attention_book.data.corpora import Corpus
from attention_book.data.subwords import Subwords
from attention_book.models.config import TransformerConfig
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.models.transformer import Transformer
from attention_book.training.remembering import remembering
from attention_book.training.together.loop import Trained
from attention_book.training.trainer import TrainingError, validation_loss
from attention_book.translation.translator import Translator

CORPUS = Corpus("tatoeba-en-es", tuple(PAIRS), tuple(PAIRS[:4]), tuple(PAIRS[:3]), "en", "es", "0" * 64)


@pytest.fixture
def start(monkeypatch, tmp_path):
    """A translator of the little corpus that has learned nothing yet."""
    monkeypatch.setattr(remembering.corpora, "load", lambda name: CORPUS)
    subwords = Subwords.train((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
    torch.manual_seed(5)
    model = Transformer(TransformerConfig.tiny(len(subwords), max_len=96)).eval()
    Translator(model, subwords, {"command": "by hand"}).save(tmp_path / "start")
    return tmp_path / "start"


def test_a_run_ends_in_a_folder_that_a_translator_reads(start, tmp_path):
    arguments = {"tokens": 4000, "device": "cpu", "progress": False}
    output = remembering.remember("en-es", start, folder=tmp_path / "run", **arguments)
    record = Translator.from_pretrained(output).results
    assert record["command"].endswith(
        f"remember en-es --start {start} --learners 2 --tokens 4000 --share 0.5 --agreement 0 --seed 1"
    )
    assert record["start"]["command"] == "by hand" and record["memory"] == remembering.MEMORY
    assert record["settings"]["taught"] == 0.8 and record["curve"]
    assert record["training_seconds"] > 0 and record["tokens"] >= 4000
    assert record["learners"] == len(record["curve"][0]) == len(record["scores"]["learners"]) == 2
    model = Translator.from_pretrained(output).model
    encoded = remembering.encode_pairs(CORPUS.validation, Translator.from_pretrained(output).subwords, 32)
    loss = validation_loss(model, token_batches(encoded, 1000, seed=0, epoch=0))
    assert record["scores"]["mean"]["validation_loss"] == pytest.approx(loss, rel=1e-3)  # it is kept in half precision
    assert record["scores"]["learners"][0] != record["scores"]["learners"][1]
    before = (output / "model.safetensors").read_bytes()
    remembering.remember("en-es", start, folder=tmp_path / "run", **arguments)  # from its files, which are at the end
    assert (output / "model.safetensors").read_bytes() == before


def test_it_begins_where_the_translator_stands(start):
    model = Translator.from_pretrained(start).model
    stack = remembering.stack_of(model, 2, 0.3, "cpu", torch.float32)
    assert stack.config.dropout == stack.config.attention_dropout == 0.3
    for which in range(2):
        named = dict(stack.model(which).named_parameters())
        assert all(torch.equal(named[name], parameter) for name, parameter in model.named_parameters())


def test_the_translator_is_the_mean_of_the_learners(start):
    stack = remembering.stack_of(Translator.from_pretrained(start).model, 2, 0.0, "cpu", torch.float64)
    with torch.no_grad():
        stack.matrices[1] += 1
        stack.vectors[0] -= 3
    found = remembering.mean_of(Trained(stack, stack.parameters(), 1, 1, [[0.0, 0.0]]))
    before = dict(Translator.from_pretrained(start).model.named_parameters())
    for name, parameter in found.named_parameters():
        moved = 0.5 if parameter.dim() >= 2 else -1.5
        torch.testing.assert_close(parameter, before[name] + moved, rtol=0, atol=1e-5)


def test_nobody_cannot_learn(start):
    with pytest.raises(ValueError, match="at least one model must learn"):
        remembering.remember("en-es", start, learners=0)


def test_lessons_are_read_again_and_those_of_another_run_refused(start, tmp_path, monkeypatch):
    translator = Translator.from_pretrained(start)
    encoded = remembering.encode_pairs(PAIRS, translator.subwords, 32)
    path, options = tmp_path / "lessons.safetensors", {**remembering.MEMORY, "progress": False}
    made = remembering.kept_lessons(path, translator.model, encoded, {"pairs": 1}, **options)
    monkeypatch.setattr(remembering, "datastore_of", None)  # so that making them again would fail
    read = remembering.kept_lessons(path, translator.model, encoded, {"pairs": 1}, **options)
    assert torch.equal(made.tokens, read.tokens) and torch.equal(made.shares, read.shares)
    assert read.tokens.dtype == torch.int16
    with pytest.raises(TrainingError, match="belongs to another run"):
        remembering.kept_lessons(path, translator.model, encoded, {"pairs": 2}, **options)


def test_a_recurrent_translator_is_refused(start, tmp_path):
    subwords = Translator.from_pretrained(start).subwords
    Translator(RecurrentEncoderDecoder(RecurrentConfig(len(subwords))).eval(), subwords, {}).save(tmp_path / "rnn")
    with pytest.raises(TypeError, match="only a Transformer can remember"):
        remembering.remember("en-es", tmp_path / "rnn", folder=tmp_path / "run", progress=False)


def test_the_command_says_where_the_translator_is(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(remembering, "remember", lambda *arguments: asked.append(arguments) or tmp_path)
    found = CliRunner().invoke(
        app, ["remember", "en-hi", "--start", "there", "--learners", "4", "--tokens", "60", "--agreement", "2"]
    )
    assert found.exit_code == 0 and str(tmp_path) in found.output
    assert asked == [("en-hi", "there", 4, 60, 0.5, 2.0, 1, None)]
