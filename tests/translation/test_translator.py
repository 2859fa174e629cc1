"""The translator: what it makes of any text, what it shows of itself, and how it is kept."""

import json
import shutil
import unicodedata
import warnings

import numpy as np
import pytest
import torch
from global_state import unchanged_state
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from tiny_translator import KNOWN, tiny_translator

from attention_book.data.normalisation import tidy
from attention_book.data.subwords import Subwords
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.paths import PRETRAINED
from attention_book.translation.decoding import Hypothesis, beam_search, greedy_decode
from attention_book.translation.translator import InputTooLong, TranslationWarning, Translator, _batches

SURROGATE = "lone \ud800 surrogate"


class Echo(Translator):
    """Translates every sentence to itself, so that what is done with texts around the model can be seen."""

    def __init__(self):
        parts = tiny_translator()
        super().__init__(parts.model, parts.subwords)
        self.searched = []

    def _search(self, sentences, beam_size, length_penalty):
        self.searched += [self.subwords.decode(sentence) for sentence in sentences]
        return [Hypothesis(tuple(sentence), 0.0, 0.0) for sentence in sentences]


class TestTexts:
    def test_a_string_gives_a_string_and_a_list_a_list(self):
        translator = tiny_translator()
        assert translator.translate("I like cats.") == "Me gustan los gatos."
        assert translator.translate(["I like cats."]) == ["Me gustan los gatos."]
        assert translator.translate(tuple(KNOWN)) == list(KNOWN.values())
        assert translator.translate([]) == []

    @pytest.mark.parametrize("beam_size", [1, 4])
    def test_order_and_count_are_kept_and_texts_do_not_influence_each_other(self, beam_size):
        translator = tiny_translator()
        texts = ["Come in!", "", "The cat sleeps.", "I like cats.", "Come in!", "  ", "Where is the dog?"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TranslationWarning)
            together = translator.translate(texts, beam_size)
            assert together == [translator.translate(text, beam_size) for text in texts]
        assert together[0] == together[4] == "¡Pasa!"
        assert together[1] == together[5] == ""

    @pytest.mark.parametrize(
        ("text", "expected", "searched"),
        [
            ("", "", []),
            (" \t\r\n ", "", []),
            ("  I  like\tcats. ", "I like cats.", ["I like cats."]),
            ("One. Two! Three?", "One. Two! Three?", ["One.", "Two!", "Three?"]),
            ("One.\nTwo.", "One.\nTwo.", ["One.", "Two."]),
            ("One.\r\n\r\nTwo. Three.\rFour.\n", "One.\n\nTwo. Three.\nFour.", ["One.", "Two.", "Three.", "Four."]),
            ("I like 😀 cats.", "I like 😀 cats.", ["I like 😀 cats."]),
            ("Мне нравятся 猫。", "Мне нравятся 猫。", ["Мне нравятся 猫。"]),
            ("typed </s> and <pad>", "typed </s> and <pad>", ["typed </s> and <pad>"]),
            ("e\u0301 \u200b\ufeff", "é", ["é"]),
        ],
    )
    def test_what_reaches_the_model_and_how_it_is_put_together(self, text, expected, searched):
        echo = Echo()
        assert echo.translate(text) == expected
        assert echo.searched == searched

    @settings(max_examples=50, deadline=None)
    @given(
        st.lists(
            st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])) | st.text(alphabet="aB. !\n\r"), max_size=4
        )
    )
    def test_no_text_is_lost_on_the_way(self, texts):
        texts = [text[:15] for text in texts]  # at most 60 bytes: short enough for the model
        assert [tidy(found) for found in Echo().translate(texts)] == [tidy(text) for text in texts]

    def test_without_splitting_a_text_is_one_sentence(self):
        echo = Echo()
        assert echo.translate("One. Two.\nThree.", split=False) == "One. Two. Three."
        assert echo.searched == ["One. Two. Three."]

    def test_control_characters_become_spaces_with_a_warning(self):
        with pytest.warns(TranslationWarning, match=r"control characters replaced by spaces: 3 \(U\+0000, U\+001B\)"):
            assert Echo().translate("I\0like\0 cats.\x1b") == "I like cats."

    def test_what_the_model_writes_stays_on_its_line(self):
        translator = Echo()
        ids = translator.subwords.encode("a\nb\0c\u2028d")
        translator._search = lambda *_: [Hypothesis((*ids, translator.subwords.eos_id), 0.0, 0.0)]
        assert translator.translate("x") == "a b c d"

    def test_a_long_text_of_short_sentences_is_translated_whole(self):
        translator = tiny_translator()
        text = "I like cats. Come in! " * 100
        assert len(translator.subwords.encode(text)) > translator.model.config.max_len
        assert translator.translate(text, beam_size=1) == " ".join(["Me gustan los gatos. ¡Pasa!"] * 100)

    def test_a_sentence_too_long_is_refused_with_its_length(self):
        translator = tiny_translator()
        text = "cat " * 10_000
        length = len(translator.subwords.encode(text.strip()))
        with pytest.raises(InputTooLong, match=rf"sentence of {length} subwords .* reads at most 63: 'cat cat"):
            translator.translate(text)
        with pytest.raises(InputTooLong, match="text 2 of 2: a sentence"):
            translator.translate(["Come in!", text])

    def test_the_longest_sentence_that_fits_is_read(self):
        translator = tiny_translator()
        pieces = translator.model.config.max_len - 1  # </s> takes the last place
        for count, fits in ((pieces, True), (pieces + 1, False)):
            text = "z" * count
            assert len(translator.subwords.encode(text)) == count
            (outcome,) = translator.translate_each([text], beam_size=1)
            assert (outcome.error is None) == fits

    def test_a_translation_without_an_end_is_not_passed_off_as_whole(self):
        translator = Echo()
        translator._search = lambda sentences, *_: [Hypothesis((5, 6), 0.0, 0.0) for _ in sentences]
        with pytest.warns(TranslationWarning, match="did not end within 2 subwords"):
            translator.translate("I like cats.")
        (outcome,) = translator.translate_each(["I like cats."])
        assert "did not end" in outcome.notes[0]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (5, "not int"),
            (None, "not NoneType"),
            (b"I like cats.", "not bytes"),
            (["a", 5], "text 2 of 2 is no string but int"),
            (["a", b"b"], "bytes; decode it first"),
            ({"a"}, "not set"),
        ],
    )
    def test_what_is_no_text_is_a_type_error(self, text, message):
        with pytest.raises(TypeError, match=message):
            tiny_translator().translate(text)

    def test_a_lone_surrogate_is_a_clear_error(self):
        with pytest.raises(ValueError, match=r"lone surrogate, U\+D800, at character 5"):
            tiny_translator().translate(SURROGATE)

    def test_bad_settings_are_refused(self):
        for settings_ in ({"beam_size": 0}, {"length_penalty": -1.0}):
            with pytest.raises(ValueError, match=next(iter(settings_))):
                tiny_translator().translate("Come in!", **settings_)

    def test_each_text_gets_its_outcome_and_none_stops_the_others(self):
        texts = ["Come in!", SURROGATE, "cat " * 100, "I\0like cats.", ""]
        outcomes = tiny_translator().translate_each(texts)
        assert [outcome.text for outcome in outcomes] == ["¡Pasa!", None, None, "Me gustan los gatos.", ""]
        assert [type(outcome.error) for outcome in outcomes] == [
            type(None),
            ValueError,
            InputTooLong,
            type(None),
            type(None),
        ]
        assert [bool(outcome.notes) for outcome in outcomes] == [False, False, False, True, False]

    def test_nothing_of_a_refused_text_is_translated(self):
        echo = Echo()
        outcomes = echo.translate_each([f"One. Two.\n{SURROGATE}", "Three."])
        assert [outcome.text for outcome in outcomes] == [None, "Three."]
        assert echo.searched == ["Three."]

    def test_dropout_is_off_and_the_mode_is_kept(self):
        parts = tiny_translator()
        model = Transformer(TransformerConfig.from_dict({**parts.model.config.to_dict(), "dropout": 0.9}))
        model.load_state_dict(parts.model.state_dict())
        translator = Translator(model.train(), parts.subwords)
        found = translator.translate("I like cats.", return_attention=True)
        assert found.text == "Me gustan los gatos."
        np.testing.assert_allclose(found.cross.sum(-1), 1, atol=1e-5)
        assert model.training


@given(st.lists(st.integers(1, 3000), max_size=400), st.integers(1, 300))
def test_batches_hold_every_sentence_once_and_are_bounded(lengths, beam_size):
    batches = list(_batches(lengths, beam_size))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * beam_size <= 128
        assert len(batch) == 1 or len(batch) * beam_size * max(lengths[place] for place in batch) <= 8192


@pytest.fixture(scope="module")
def found():
    return tiny_translator().translate("Where is the cat?", return_attention=True)


class TestAttention:
    def test_its_text_is_that_of_translate(self, found):
        assert found.text == tiny_translator().translate("Where is the cat?") == "¿Dónde está el gato?"

    def test_tokens_spell_both_sides_and_end(self, found):
        assert found.source_tokens[-1] == found.target_tokens[-1] == "</s>"
        assert "".join(found.source_tokens[:-1]).replace("▁", " ") == "Where is the cat?"

    def test_every_row_sums_to_one(self, found):
        config = tiny_translator().model.config
        src_len, tgt_len = len(found.source_tokens), len(found.target_tokens)
        for weights, rows, columns in (
            (found.encoder_self, src_len, src_len),
            (found.decoder_self, tgt_len, tgt_len),
            (found.cross, tgt_len, src_len),
        ):
            assert isinstance(weights, np.ndarray)
            assert weights.shape == (config.n_layers, config.n_heads, rows, columns)
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)

    def test_row_i_is_where_target_token_i_is_predicted(self, found):
        translator = tiny_translator()
        model, subwords = translator.model, translator.subwords
        src = torch.tensor([[*subwords.encode("Where is the cat?"), subwords.eos_id]])
        (hypothesis,) = beam_search(model, src)
        assert found.log_probs.sum() == pytest.approx(hypothesis.log_prob, abs=1e-4)
        assert not np.triu(found.decoder_self, k=1).any()  # no row sees a later column
        for i, token in enumerate(hypothesis.tokens):
            # What the decoder has read before it predicts token i, and nothing more:
            read = torch.tensor([[subwords.bos_id, *hypothesis.tokens[:i]]])
            with torch.no_grad():
                log_prob = model(src, read)[0, -1].log_softmax(-1)[token].item()
                weights = model.attention_weights(src, read)
            assert found.log_probs[i] == pytest.approx(log_prob, abs=1e-4)
            assert found.target_tokens[i] == subwords.tokens([token])[0]
            np.testing.assert_allclose(found.cross[:, :, i], weights["cross"][:, 0, :, -1], atol=1e-5)
            np.testing.assert_allclose(
                found.decoder_self[:, :, i, : i + 1], weights["decoder_self"][:, 0, :, -1], atol=1e-5
            )

    def test_a_list_gives_a_list(self):
        first, second = tiny_translator().translate(["Come in!", "I like cats."], return_attention=True)
        assert (first.text, second.text) == ("¡Pasa!", "Me gustan los gatos.")

    def test_a_blank_text_has_empty_weights(self):
        found = tiny_translator().translate(" ", return_attention=True)
        config = tiny_translator().model.config
        assert (found.text, found.source_tokens, found.target_tokens) == ("", [], [])
        assert found.cross.shape == found.encoder_self.shape == (config.n_layers, config.n_heads, 0, 0)

    def test_several_sentences_must_be_asked_for_singly(self):
        translator = tiny_translator()
        with pytest.raises(ValueError, match=r"one sentence, and there are 2: .* split=False"):
            translator.translate("Come in! I like cats.", return_attention=True)
        found = translator.translate("Come in! I like cats.", 1, return_attention=True, split=False)
        assert found.encoder_self.shape[-1] == len(found.source_tokens)


class TestKeeping:
    @pytest.fixture
    def folder(self, tmp_path):
        tiny_translator().save(tmp_path / "kept")
        return tmp_path / "kept"

    @pytest.mark.slow
    @pytest.mark.parametrize("tied", [True, False])
    def test_what_is_loaded_translates_as_the_rounded_model(self, tmp_path, tied):
        kept = tiny_translator(tie_embeddings=tied)
        kept.save(tmp_path)
        loaded = Translator.from_pretrained(tmp_path)
        assert loaded.translate(list(KNOWN)) == kept.translate(list(KNOWN))
        assert loaded.model.config == kept.model.config
        assert loaded.subwords.digest == kept.subwords.digest
        assert not loaded.model.training
        for name, parameter in loaded.model.named_parameters():
            assert parameter.dtype == torch.float32
            assert torch.equal(parameter, kept.model.get_parameter(name).half().float())
        assert (loaded.model.output.weight is loaded.model.src_embedding.weight) == tied

    def test_weights_are_kept_in_half_precision_and_tied_ones_once(self, folder):
        parameters = sum(parameter.numel() for parameter in tiny_translator().model.parameters())
        assert {path.name for path in folder.iterdir()} == {"model.safetensors", "config.json", "tokenizer.json"}
        with safe_open(folder / "model.safetensors", framework="pt") as file:
            tensors = [file.get_tensor(name) for name in file.keys()]  # noqa: SIM118
        assert sum(tensor.numel() for tensor in tensors) == parameters
        assert {tensor.dtype for tensor in tensors} == {torch.float16}

    def test_every_file_may_be_read_by_all(self, folder):
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}

    def test_the_record_is_kept_with_it(self, tmp_path):
        parts = tiny_translator()
        Translator(parts.model, parts.subwords, {"corpus": "five sentences"}).save(tmp_path)
        assert Translator.from_pretrained(tmp_path).results == {"corpus": "five sentences"}
        parts.save(tmp_path)  # without a record: the one that is there stays
        assert Translator.from_pretrained(str(tmp_path)).results == {"corpus": "five sentences"}

    def test_loading_takes_no_random_numbers(self, folder):
        with unchanged_state():
            Translator.from_pretrained(folder)

    def test_what_is_not_there_is_named(self, folder, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"no translator 'en-xx', and no such folder.*attention_book train"):
            Translator.from_pretrained("en-xx")
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            other = shutil.copytree(folder, tmp_path / f"without-{name}")
            (other / name).unlink()
            with pytest.raises(FileNotFoundError, match=f"{name} is missing"):
                Translator.from_pretrained(other)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors", "results.json"])
    @pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b'{"vocab_size": "many"}'])
    def test_a_damaged_file_is_named(self, folder, name, content):
        (folder / name).write_bytes(content)
        if (name, content) == ("results.json", b'{"vocab_size": "many"}'):
            return  # a record may say anything
        with pytest.raises(ValueError, match=name):
            Translator.from_pretrained(folder)

    def test_a_truncated_file_of_weights_is_named(self, folder):
        weights = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(weights[:-1000])
        with pytest.raises(ValueError, match=r"model\.safetensors is damaged"):
            Translator.from_pretrained(folder)

    def test_files_of_two_translators_are_not_taken_for_one(self, folder):
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "n_heads": 2}))  # the same shapes of weights
        with pytest.raises(ValueError, match=r"config\.json is damaged, or was not saved with"):
            Translator.from_pretrained(folder)
        tiny_translator().save(folder)
        other = Subwords.train(["zebra xylophone " * 3, *KNOWN, *KNOWN.values()], vocab_size=300)
        assert len(other) == config["vocab_size"]
        other.save(folder / "tokenizer.json")
        with pytest.raises(ValueError, match=r"tokenizer\.json is damaged, or was not saved with"):
            Translator.from_pretrained(folder)

    def test_weights_beyond_half_precision_are_not_written(self, folder):
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        parts = tiny_translator()
        model = Transformer(parts.model.config)
        with torch.no_grad():
            model.output.weight[0, 0] = 1e5
        with pytest.raises(ValueError, match=r"not finite in half precision: src_embedding\.weight"):
            Translator(model, parts.subwords).save(folder)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    def test_a_vocabulary_of_another_size_is_refused(self):
        parts = tiny_translator()
        with pytest.raises(ValueError, match="the model has 128 subwords, and the vocabulary 300"):
            Translator(Transformer(TransformerConfig.tiny(128)), parts.subwords)


def test_greedy_and_a_beam_of_one_are_the_same_search():
    translator = tiny_translator()
    src = torch.tensor([[*translator.subwords.encode("Where is the dog?"), translator.subwords.eos_id]])
    assert greedy_decode(translator.model, src)[0].tokens == beam_search(translator.model, src, 1)[0].tokens


SHIPPED = PRETRAINED / "en-es"


@pytest.fixture(scope="module")
def shipped():
    return Translator.from_pretrained("en-es")


class TestShipped:
    def test_it_translates_the_running_sentence(self, shipped):
        assert shipped.translate("I like cats.") == "Me gustan los gatos."

    def test_it_is_small_enough_to_ship(self):
        assert {path.name for path in SHIPPED.iterdir()} == {
            "model.safetensors",
            "config.json",
            "tokenizer.json",
            "results.json",
        }
        assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 16_000_000

    def test_its_attention_is_whole(self, shipped):
        found = shipped.translate("Where did you buy that book?", return_attention=True)
        assert found.target_tokens[-1] == "</s>"
        for weights in (found.encoder_self, found.decoder_self, found.cross):
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "😀😀😀",
            "मुझे बिल्लियाँ पसंद हैं।",
            "我喜欢猫",
            "I\0like cats.",
            "a" * 200,
            "I like cats. " * 100,
            "</s>",
            "?!",
        ],
        ids=["empty", "blank", "emoji", "Hindi", "Chinese", "NUL", "letters", "long", "typed end", "marks"],
    )
    @pytest.mark.filterwarnings("ignore::attention_book.translation.translator.TranslationWarning")
    def test_odd_texts_have_an_answer(self, shipped, text):
        found = shipped.translate(text)
        assert bool(found) == bool(text.strip()) or text == "?!"
        assert "\n" not in found
        assert not any(unicodedata.category(c) == "Cc" for c in found)


class TestShippedRecurrent:
    @pytest.fixture(scope="class")
    @staticmethod
    def recurrent():
        return Translator.from_pretrained("en-es-rnn-attention")

    def test_it_translates_the_running_sentence_and_shows_where_it_looked(self, recurrent):
        found = recurrent.translate("I like cats.", return_attention=True)
        assert found.text == "Me gustan los gatos."
        assert found.encoder_self is None
        np.testing.assert_allclose(found.cross.sum(-1), 1, atol=1e-5)
        cats = [piece.strip("▁") for piece in found.source_tokens].index("cats")
        gatos = [piece.strip("▁") for piece in found.target_tokens].index("gatos")
        assert found.cross[0, 0, gatos].argmax() == cats

    def test_it_is_smaller_than_ten_megabytes(self):
        folder = SHIPPED.parent / "en-es-rnn-attention"
        assert {path.name for path in folder.iterdir()} == {path.name for path in SHIPPED.iterdir()}
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 10_000_000

    def test_it_has_the_subwords_and_the_pairs_of_the_transformer(self, recurrent, shipped):
        assert recurrent.subwords.digest == shipped.subwords.digest
        assert recurrent.results["data_sha256"] == shipped.results["data_sha256"]
        assert recurrent.results["tokens"] >= 8_000_000
