"""The configuration: its presets' sizes, its refusals, and that nothing is lost on the way to JSON and back."""

import dataclasses
import json

import pytest
import torch
from oracles import unchecked

from attention_book.data.subwords import Subwords
from attention_book.models.config import LONGEST_TEXT, MOST_HEADS, MOST_SUBWORDS, WIDEST, TransformerConfig
from attention_book.models.transformer import Transformer

PRESETS = ["tiny", "small", "base", "big"]


def parameters(config):
    with torch.device("meta"):  # shapes without memory
        return sum(p.numel() for p in Transformer(config).parameters())


@pytest.mark.parametrize(("preset", "papers"), [("base", 65e6), ("big", 213e6)])
def test_base_and_big_come_within_four_percent_of_the_papers_sizes(preset, papers):
    config = getattr(TransformerConfig, preset)()
    assert config.vocab_size == 37_000
    assert config.norm == "post"
    assert abs(parameters(config) / papers - 1) < 0.04


def test_base_and_big_have_the_shapes_of_the_papers_table_3():
    for preset, wanted in [("base", (6, 512, 2048, 8, 0.1)), ("big", (6, 1024, 4096, 16, 0.3))]:
        c = getattr(TransformerConfig, preset)()
        assert (c.n_layers, c.d_model, c.d_ff, c.n_heads, c.dropout) == wanted


def test_the_defaults_are_those_of_the_subwords_and_the_paper():
    config = TransformerConfig(vocab_size=37_000)
    assert config == TransformerConfig.base(norm=config.norm)
    assert (config.pad_id, config.bos_id, config.eos_id) == (Subwords.pad_id, Subwords.bos_id, Subwords.eos_id)
    assert config.tie_embeddings
    assert TransformerConfig.small().vocab_size == 8000


def test_no_one_vocabulary_gives_both_of_the_papers_sizes():
    per_subword = {name: getattr(TransformerConfig, name)().d_model for name in ("base", "big")}
    rest = {n: parameters(getattr(TransformerConfig, n)()) - 37_000 * width for n, width in per_subword.items()}
    wanted = {n: (size - rest[n]) / per_subword[n] for n, size in (("base", 65e6), ("big", 213e6))}
    assert wanted["base"] > wanted["big"] + 3000


def test_small_has_the_size_that_its_docstring_names():
    assert round(parameters(TransformerConfig.small()) / 1e6, 1) == 7.6


def test_untied_embeddings_cost_two_more_matrices():
    tied, untied = (TransformerConfig.tiny(tie_embeddings=tie) for tie in (True, False))
    assert parameters(untied) - parameters(tied) == 2 * untied.vocab_size * untied.d_model


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_take_changes_and_are_frozen(preset):
    config = getattr(TransformerConfig, preset)(100, norm="pre", n_layers=1)
    assert (config.vocab_size, config.norm, config.n_layers) == (100, "pre", 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.d_model = 8


@pytest.mark.parametrize("preset", PRESETS)
def test_json_and_back(preset):
    config = getattr(TransformerConfig, preset)(vocab_size=50, d_k=12, bias=False)
    assert TransformerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_every_field_is_documented():
    for field in dataclasses.fields(TransformerConfig):
        assert f"        {field.name}: " in TransformerConfig.__doc__


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_model": 0}, "d_model must be at least 1, got 0"),
        ({"n_layers": -1}, "n_layers must be at least 1"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"attention_dropout": -0.1}, "attention_dropout must be"),
        ({"pad_id": 128}, "pad_id=128 is not an id of a vocabulary of 128"),
        ({"eos_id": 1}, "pad_id=0, bos_id=1 and eos_id=1 must differ"),
        ({"d_model": 65}, "d_model must be even"),
        ({"d_k": -1}, "d_k must be at least 1, got -1"),
        ({"d_v": 0}, "d_v must be at least 1, got 0"),
        ({"n_layers": 10**5}, "n_layers must be at most 100, got 100000"),
        ({"d_k": 10**6}, "d_k must be at most 65536"),
        ({"d_model": 10**9}, "d_model must be at most 65536"),
        ({"n_heads": 10**30}, "n_heads must be at most 1024, got 1000000000000000000000000000000$"),
        ({"d_ff": 10**5000}, "d_ff must be at most 65536, got a number of more than 60 digits"),
        ({"max_len": 2**16, "d_model": 512}, "more than 16,777,216 numbers: choose a smaller max_len"),
        ({"n_layers": True}, "n_layers must be a whole number, got True"),
        ({"pad_id": False}, "pad_id=False is not an id"),
        ({"dropout": float("nan")}, "dropout must be at least 0 and below 1, got nan"),
        ({"d_k": 5, "positions": "rotary"}, "d_k, must be even"),
        ({"d_model": 60, "positions": "rotary"}, "d_k, must be even"),
    ],
)
def test_values_out_of_range_are_refused_by_name(changes, message):
    with pytest.raises(ValueError, match=message):
        TransformerConfig.tiny(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_layers": 2.0}, "n_layers must be a whole number, got 2.0"),
        ({"n_layers": "2"}, "n_layers must be a whole number, got '2'"),
        ({"n_layers": None}, "n_layers must be a whole number, got None"),
        ({"d_k": "8"}, "d_k must be a whole number, got '8'"),
        ({"max_len": float("inf")}, "max_len must be a whole number, got inf"),
        ({"vocab_size": [[1]] * 100}, r"vocab_size must be a whole number, got \[\[1\], .{50,60}…$"),
        ({"dropout": "0.1"}, "dropout must be a number, got '0.1'"),
        ({"dropout": False}, "dropout must be a number, got False"),
        ({"eos_id": 2.0}, "eos_id=2.0 is not an id"),
        ({"bias": "false"}, "bias must be true or false, got 'false'"),
        ({"tie_embeddings": 1}, "tie_embeddings must be true or false, got 1"),
    ],
)
def test_values_of_another_kind_are_refused_by_name(changes, message):
    with unchecked(), pytest.raises(ValueError, match=message):
        TransformerConfig.tiny(**changes)


def test_the_largest_configuration_that_is_allowed_has_shapes_in_seconds():
    sizes = {"d_model": WIDEST, "d_ff": WIDEST, "d_k": WIDEST, "n_heads": MOST_HEADS, "n_layers": 1}
    assert parameters(TransformerConfig(MOST_SUBWORDS, positions="learned", max_len=LONGEST_TEXT, **sizes)) > 1e13


def test_an_unknown_norm_is_refused():
    with unchecked(), pytest.raises(ValueError, match=r'norm must be "pre" or "post", got \'rms\''):
        TransformerConfig.tiny(norm="rms")


def test_unknown_positions_are_refused():
    with unchecked(), pytest.raises(ValueError, match="one of sinusoidal, learned, rotary, none, got 'absolute'"):
        TransformerConfig.tiny(positions="absolute")


def test_a_configuration_written_before_positions_could_be_chosen_means_sinusoids():
    values = TransformerConfig.tiny().to_dict()
    del values["positions"]
    assert TransformerConfig.from_dict(values) == TransformerConfig.tiny(positions="sinusoidal")


@pytest.mark.parametrize("positions", ["learned", "rotary", "none"])
def test_only_sinusoids_need_an_even_width(positions):
    assert TransformerConfig.tiny(d_model=65, n_heads=5, d_k=4, positions=positions).d_model == 65


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "vocab_size is missing"),
        ({"vocab_size": 9, "a\nb": 1}, r"unknown fields 'a\\nb'$"),
        ({"vocab_size": 9, "width": 3, "depth": 1}, "unknown fields depth, width"),
    ],
)
def test_a_dictionary_that_is_no_configuration_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        TransformerConfig.from_dict(values)
