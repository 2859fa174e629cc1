"""An ensemble teaches one model: the whole run on a corpus of a few sentences, its record, and the shipped record."""

import json

import pytest
import torch
from tiny_pairs import PAIRS
from typer.testing import CliRunner

from attention_book.__main__ import app
from attention_book.data.corpora import Corpus
from attention_book.experiments.records import recorded
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.together import distilling
from attention_book.translation.translator import Translator

CORPUS = Corpus("tatoeba-en-es", tuple(PAIRS), tuple(PAIRS[:4]), tuple(PAIRS[:3]), "en", "es", "0" * 64)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(distilling.corpora, "load", lambda name: CORPUS)
    monkeypatch.setattr(distilling, "VOCABULARY", 300)
    monkeypatch.setattr(TransformerConfig, "small", TransformerConfig.tiny)


def test_a_run_ends_in_a_folder_that_a_translator_reads(tiny, tmp_path):
    arguments = {"teachers": 2, "teacher_tokens": 300, "tokens": 200, "device": "cpu", "progress": False}
    output = distilling.distil("en-es", folder=tmp_path / "run", **arguments)
    translator = Translator.from_pretrained(output)
    record = translator.results
    assert record["command"].endswith("distil en-es --teachers 2 --teacher-tokens 300 --tokens 200 --seed 1")
    assert record["settings"]["taught"] == 0.7 and record["teachers"]["settings"]["taught"] == 0
    assert len(record["teachers"]["scores"]) == 2 and record["teachers"]["together"]["validation_loss"] > 0
    assert record["parameters"] == sum(p.numel() for p in translator.model.parameters())
    assert record["tokens"] >= 200 and record["curve"] and record["steps"] >= 1
    assert translator.model.config.dropout == distilling.PUPIL_MODEL["dropout"]
    before = (output / "model.safetensors").read_bytes()
    distilling.distil("en-es", folder=tmp_path / "run", **arguments)  # from its checkpoints, which are at the end
    assert (output / "model.safetensors").read_bytes() == before


def test_no_teacher_is_refused():
    with pytest.raises(ValueError, match="at least one model must teach"):
        distilling.distil("en-es", teachers=0)


def test_the_command_says_where_the_translator_is(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(distilling, "distil", lambda *arguments: asked.append(arguments) or tmp_path)
    found = CliRunner().invoke(app, ["distil", "en-hi", "--teachers", "3", "--teacher-tokens", "50", "--tokens", "60"])
    assert found.exit_code == 0 and str(tmp_path) in found.output
    assert asked == [("en-hi", 3, 50, 60, 1, None)]


def test_an_ensemble_predicts_the_mean_of_probabilities_and_not_of_their_logarithms():
    torch.manual_seed(0)
    models = [Transformer(TransformerConfig.tiny(20, dropout=0.0)).double().eval() for _ in range(3)]
    src, tgt = torch.randint(4, 20, (2, 5)), torch.randint(4, 20, (2, 4))
    with torch.no_grad():
        each = torch.stack([model(src, tgt).softmax(-1) for model in models])
        found = distilling.Ensemble(models)(src, tgt).exp()
    torch.testing.assert_close(found, each.mean(0), rtol=1e-12, atol=0)
    assert not torch.allclose(found, each.log().mean(0).softmax(-1))


def test_on_a_processor_products_are_in_float32():
    assert distilling.products("cpu") == torch.float32 and distilling.products("cuda") == torch.bfloat16


def test_the_shipped_one_has_the_architecture_and_the_pieces_of_the_book_s_translator():
    taught, plain = recorded("en-es-taught"), recorded("en-es")
    same = ("corpus", "data_sha256", "pairs", "parameters")
    assert all(taught[name] == plain[name] for name in same)
    assert taught["subwords"]["sha256"] == plain["subwords"]["sha256"]
    shape = {"vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "norm", "tie_embeddings", "bias"}
    assert all(taught["config"][name] == plain["config"][name] for name in shape)


def test_its_recipe_on_record_is_that_of_its_command():
    record = recorded("en-es-taught")
    options = record["command"].split()
    tokens = {name: int(options[options.index(f"--{name}") + 1]) for name in ("tokens", "teacher-tokens", "teachers")}
    asked = json.loads(json.dumps(vars(distilling.pupil_recipe(tokens["tokens"]))))
    assert {**asked, "seed": 1} == record["settings"]
    assert vars(distilling.teacher_recipe(tokens["teacher-tokens"])) == record["teachers"]["settings"]
    assert len(record["teachers"]["scores"]) == tokens["teachers"]
