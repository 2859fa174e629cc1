"""Two families of models behind one interface: configurations know theirs, and a translator serves both."""

import pytest
import torch
from oracles import seeded, unchecked

from attention_book.data.subwords import Subwords
from attention_book.models.config import TransformerConfig
from attention_book.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from attention_book.models.registry import PRESETS, build, config_from_dict
from attention_book.models.transformer import Transformer
from attention_book.translation.translator import Translator


@pytest.mark.parametrize("config", [TransformerConfig.tiny(40), RecurrentConfig.tiny(40, score=None)])
def test_a_configuration_comes_back_as_what_it_was_and_builds_its_model(config):
    found = config_from_dict(config.to_dict())
    assert found == config
    assert type(build(found)) is (Transformer if isinstance(config, TransformerConfig) else RecurrentEncoderDecoder)


def test_a_family_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="unknown family of models 'convolutional'"):
        config_from_dict({"family": "convolutional", "vocab_size": 9})
    assert config_from_dict({"family": "transformer", "vocab_size": 9}) == TransformerConfig(9)


def test_the_presets_build_what_they_are_called():
    with torch.device("meta"):
        for name in ("rnn", "rnn-attention"):
            model = build(PRESETS[name](vocab_size=8000))
            assert isinstance(model, RecurrentEncoderDecoder)
            assert (model.config.score is not None) == (name == "rnn-attention")


@pytest.fixture(scope="module")
def subwords():
    return Subwords.train(["I like cats.", "Me gustan los gatos."] * 3, vocab_size=280)


@pytest.mark.filterwarnings("ignore:the translation of a sentence did not end")
class TestRecurrentTranslator:
    def translator(self, subwords, **changes):
        config = RecurrentConfig.tiny(len(subwords), max_len=20, **changes)
        return Translator(seeded(lambda: RecurrentEncoderDecoder(config)).eval(), subwords)

    @pytest.mark.parametrize("score", ["additive", None])
    def test_what_is_loaded_translates_as_the_rounded_model(self, subwords, score, tmp_path):
        kept = self.translator(subwords, score=score)
        kept.save(tmp_path)
        loaded = Translator.from_pretrained(tmp_path)
        assert loaded.model.config == kept.model.config
        for name, parameter in loaded.model.named_parameters():
            assert torch.equal(parameter, kept.model.get_parameter(name).half().float())

    def test_its_attention_comes_with_the_translation(self, subwords):
        translator = self.translator(subwords)
        found = translator.translate("I like cats.", return_attention=True)
        assert found.encoder_self is None
        assert found.decoder_self is None
        assert found.cross.shape == (1, 1, len(found.target_tokens), len(found.source_tokens))
        assert found.cross.sum(-1) == pytest.approx(1, abs=1e-5)
        assert translator.translate(" ", return_attention=True).cross.shape == (1, 1, 0, 0)

    def test_without_attention_there_are_no_weights(self, subwords):
        found = self.translator(subwords, score=None).translate("I like cats.", return_attention=True)
        assert found.cross is None
        assert len(found.log_probs) == len(found.target_tokens)

    def test_a_damaged_configuration_is_named(self, subwords, tmp_path):
        self.translator(subwords).save(tmp_path)
        text = (tmp_path / "config.json").read_text()
        (tmp_path / "config.json").write_text(text.replace('"gru"', '"gated"'))
        with unchecked(), pytest.raises(ValueError, match=r"config\.json is damaged, or was not saved"):
            Translator.from_pretrained(tmp_path)
