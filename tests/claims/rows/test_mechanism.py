"""The rows on training and use, against the translator's own record of a translation and a counted decoder."""

import json
import math

import pytest
import torch

from attention_book.data.batching import encode_pairs, token_batches
from attention_book.data.normalisation import Pair
from attention_book.experiments import results_folder
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.translation import shipped_translator
from attention_book.translation.forced_decoding import cached_steps

from ..verdicts import changed


@pytest.fixture(scope="module")
def told(translator):
    return translator.translate("I like cats.", return_attention=True)


def test_f15_a_batch_asks_each_row_for_its_own_token(answers, told):
    value = answers["F15"]["value"]
    assert value["rows"] == len(told.target_tokens) == value["rows_that_name_token_i"]
    assert value["rows_that_name_token_i_plus_1"] == 0
    subwords = shipped_translator.shipped().subwords
    pair = Pair("I like cats.", "Me gustan los gatos.", ("Me gustan los gatos.",))
    (batch,) = token_batches(encode_pairs([pair], subwords, 256), tokens_per_batch=100, seed=1, epoch=0)
    target = [*subwords.encode("Me gustan los gatos."), subwords.eos_id]
    assert batch.tgt_out[0].tolist() == target and batch.tgt_in[0].tolist() == [subwords.bos_id, *target[:-1]]
    assert answers["F15"]["verdict"] == "wrong"
    assert changed(answers, "F15", rows_that_name_token_i=0, rows_that_name_token_i_plus_1=5) == "right"


def test_m05_the_word_and_the_words_before_it(answers, told):
    value = answers["M05"]["value"]
    place = told.target_tokens.index("▁gatos")
    assert value["after_los"] == pytest.approx(math.exp(told.log_probs[place]), rel=1e-4)
    assert value["after_gustan"] < 0.01 < value["after_los"]
    assert value["one_pass_minus_prefixes"] < 1e-10
    assert answers["M05"]["verdict"] == "wrong"
    assert changed(answers, "M05", after_gustan=value["after_los"]) == "right"


def test_m13_the_same_log_probability(answers, told):
    value = answers["M13"]["value"]
    for when in ("in_training", "at_inference"):
        assert value[f"log_probability_{when}"] == pytest.approx(float(told.log_probs.sum()), abs=1e-4)
    assert value["log_probability_in_training"] == pytest.approx(value["log_probability_at_inference"], abs=1e-12)
    assert (value["runs_in_training"], value["runs_at_inference"]) == (1, len(told.target_tokens))
    assert answers["M13"]["verdict"] == "misleading"
    assert changed(answers, "M13", log_probability_at_inference=-9.0) == "right"


def test_m06_a_decoder_is_counted(answers):
    value = answers["M06"]["value"]
    counted = {name: number for name, number in value.items() if not name.startswith("times_as_long")}
    assert counted == {"words": 300, "rows": 16, "runs_for_one_row": 301, "runs_for_the_batch": 301}
    model = Transformer(TransformerConfig(8, d_model=8, n_heads=1, n_layers=1, d_ff=8)).eval()
    count = []
    model.decoder.register_forward_hook(lambda *_: count.append(1))
    with torch.no_grad():
        cached_steps(model, model.encode(torch.full((16, 3), 5)), torch.full((16, 21), 5))
    assert len(count) == 20 + 1
    seeds = json.loads((results_folder() / "sixteen-rows.json").read_text())["seeds"].values()
    for family in ("recurrent", "transformer"):
        ratios = [seed[f"{family}_many"] / seed[f"{family}_one"] for seed in seeds]
        assert value[f"times_as_long_{family}"] == pytest.approx(sum(ratios) / len(ratios), rel=2e-3)
        assert 1 < value[f"times_as_long_{family}"] < 16
    assert answers["M06"]["verdict"] == "wrong"
    assert changed(answers, "M06", runs_for_the_batch=16 * 301) == "right"
    assert changed(answers, "M06", times_as_long_recurrent=15.5, times_as_long_transformer=17.0) == "right"
    assert changed(answers, "M06", times_as_long_recurrent=15.5) == "wrong"
