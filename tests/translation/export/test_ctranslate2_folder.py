"""CTranslate2 gives our model's probabilities and finds what our searches find; its README's program works."""

import ctranslate2
import numpy as np
import pytest
import torch
from tiny_translator import KNOWN, tiny_translator
from typer.testing import CliRunner

from attention_book.__main__ import app
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.translation.export import whole_folder
from attention_book.translation.export.ctranslate2_folder import write_ctranslate2
from attention_book.translation.translator import Translator

from .exported import FORTY, ODD, check_about, run_program

VARIANTS = [
    {},
    ODD,
    {"norm": "post", "positions": "learned"},
    {"positions": "none", "tie_embeddings": False},
    {"positions": "rotary"},
    {"bias": False},
]
AS_WE_DO = {"length_penalty": 0, "max_input_length": 0, "max_decoding_length": 256, "min_decoding_length": 0}
CLOSE = 1e-4


def engine(folder):
    return ctranslate2.Translator(str(folder), compute_type="float32", inter_threads=1, intra_threads=1)


def pieces(translator, texts):
    """The tokens of texts as the tokenizers library gives them, which is how a program gets them."""
    return [translator.subwords._tokenizer.encode(text).tokens for text in texts]


def ids(translator, tokens):
    return tuple(map(translator.subwords._tokenizer.token_to_id, tokens))


def searched(translator, texts, beam_size):
    """Our hypotheses, ranked by probability alone."""
    rows = [[*translator.subwords.encode(text), translator.subwords.eos_id] for text in texts]
    return translator._search(rows, beam_size, 0.0)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory, translator):
    """The translator that comes with the book, exported by the command."""
    folder = tmp_path_factory.mktemp("shipped") / "ctranslate2"
    result = CliRunner().invoke(app, ["export", "--ctranslate2", str(folder)])
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "writing the model for CTranslate2\n"
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert result.stdout == f"written to {folder}, {size:,} bytes\n"
    return translator, folder


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_every_token_has_the_probability_that_torch_gives_it(changes, tmp_path):
    translator = tiny_translator(**changes)
    write_ctranslate2(translator, tmp_path)
    check_about(tmp_path, "ctranslate2", translator.model.config)
    texts, targets = (
        [*KNOWN, "Привет", "zq" * 31],
        ["Me gustan", "", "gato gato", "¡Pasa! ¡Pasa!", "él", "d", "zq" * 31],
    )
    scored = engine(tmp_path).score_batch(pieces(translator, texts), pieces(translator, targets))
    for text, target, found in zip(texts, targets, scored, strict=True):
        source = torch.tensor([[*translator.subwords.encode(text), translator.subwords.eos_id]])
        out = [*translator.subwords.encode(target), translator.subwords.eos_id]
        given = torch.tensor([[translator.subwords.bos_id, *out[:-1]]])
        with torch.no_grad():
            wanted = translator.model(source, given).log_softmax(dim=-1)[0, range(len(out)), out]
        assert np.abs(np.array(found.log_probs) - wanted.numpy()).max() < CLOSE


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 2, 4])
def test_forty_sentences_are_translated_as_the_book_does_with_the_same_scores(shipped, beam_size):
    translator, folder = shipped
    found = engine(folder).translate_batch(
        pieces(translator, FORTY), beam_size=beam_size, return_scores=True, **AS_WE_DO
    )
    eos = translator.subwords.eos_id
    ours = searched(translator, FORTY, beam_size)
    theirs = [((*ids(translator, one.hypotheses[0]), eos), one.scores[0]) for one in found]
    same = [abs(a.log_prob - score) for a, (tokens, score) in zip(ours, theirs, strict=True) if a.tokens == tokens]
    assert len(FORTY) == 40 and max(same) < 1e-3
    # Of a beam the two keep other prefixes once a sentence has finished, so one may find what the other does not.
    assert len(same) == 40 if beam_size == 1 else len(same) >= 36
    for (tokens, score), text in zip(theirs, FORTY, strict=True):
        source = torch.tensor([[*translator.subwords.encode(text), eos]])
        given = torch.tensor([[translator.subwords.bos_id, *tokens[:-1]]])
        with torch.no_grad():
            log_probs = translator.model(source, given).log_softmax(dim=-1)[0, range(len(tokens)), list(tokens)]
        assert abs(float(log_probs.sum()) - score) < 1e-3


def test_the_batch_and_its_padding_change_nothing(shipped):
    translator, folder = shipped
    texts, translate = FORTY[::5], engine(folder).translate_batch
    together = translate(pieces(translator, texts), beam_size=1, return_scores=True, **AS_WE_DO)
    for text, one in zip(texts, together, strict=True):
        (alone,) = translate(pieces(translator, [text]), beam_size=1, return_scores=True, **AS_WE_DO)
        assert alone.hypotheses == one.hypotheses and abs(alone.scores[0] - one.scores[0]) < CLOSE


@pytest.mark.slow
def test_the_readmes_program_translates_as_the_book_does(shipped):
    translator, folder = shipped
    batches = [FORTY[:1], FORTY[1:8], FORTY[8:]]
    printed, found, modules = run_program(folder, batches)
    assert printed == translator.translate(["I like cats.", "Where is the dog?"], beam_size=1)
    assert found == [translator.translate(batch, beam_size=1, split=False) for batch in batches]
    assert "ctranslate2" in modules and "attention_book" not in modules


def test_the_longest_source_and_target_fit_and_a_longer_source_is_refused(tmp_path):
    translator = tiny_translator()
    write_ctranslate2(translator, tmp_path)
    longest = translator.model.config.max_len
    limits = {**AS_WE_DO, "max_decoding_length": longest, "min_decoding_length": longest}
    (found,) = engine(tmp_path).translate_batch([["z"] * (longest - 1)], beam_size=1, **limits)
    assert len(found.hypotheses[0]) == longest
    with pytest.raises(RuntimeError, match="No position encodings are defined"):
        engine(tmp_path).translate_batch([["z"] * longest], beam_size=1, **limits)


def test_the_two_length_penalties_are_as_the_readme_says(shipped):
    translator, folder = shipped
    options = {**AS_WE_DO, "beam_size": 1, "return_scores": True}
    (plain,) = engine(folder).translate_batch(pieces(translator, FORTY[:1]), **options)
    (divided,) = engine(folder).translate_batch(pieces(translator, FORTY[:1]), **{**options, "length_penalty": 0.6})
    length = len(plain.hypotheses[0])
    assert min(abs(plain.scores[0] / (length + end) ** 0.6 - divided.scores[0]) for end in (0, 1)) < CLOSE


def test_what_ctranslate2_has_no_model_for_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(ValueError, match=r"values as wide as keys, and this model has d_k=8 and d_v=10"):
        write_ctranslate2(tiny_translator(d_v=10), tmp_path / "folder")
    subwords = tiny_translator().subwords
    recurrent = RecurrentEncoderDecoder(RecurrentConfig.tiny(len(subwords)))
    with pytest.raises(ValueError, match="CTranslate2 runs Transformers, and this model is a Recurrent"):
        write_ctranslate2(Translator(recurrent, subwords), tmp_path / "folder")
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_folder.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(whole_folder.MissingPackage, match="pip install ctranslate2"):
        write_ctranslate2(tiny_translator(), tmp_path / "folder")
    assert not list(tmp_path.iterdir())
