"""The experiment on a decoder that looks ahead: its language, its two decoders, and how they are examined."""

import itertools
import math

import pytest
import torch
from global_state import unchanged_state

from attention_book.experiments import toy_dictionary
from attention_book.experiments.attention import cheating_decoder as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

SHORT = experiment.CONFIGURATION | {"words": [4], "length": 3, "steps": 4, "batch": 2, "held_out": 5, "curve_every": 2}


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def language():
    return toy_dictionary.Dictionary(words=4, synonyms=2, generator=generator())


def test_each_word_has_its_own_synonyms(language):
    source, target = language.sample(2_000, 3, generator(1))
    pairs = set(zip(source.flatten().tolist(), target.flatten().tolist(), strict=True))
    assert len(pairs) == 4 * 2  # each source word is seen with each of its synonyms, and with nothing else
    assert {s for s, _ in pairs}.isdisjoint(t for _, t in pairs)
    assert all(3 <= word < language.vocab_size for pair in pairs for word in pair)


def test_a_synonym_counts_and_a_special_token_does_not(language):
    source, target = language.sample(50, 3, generator(1))
    other = target + 1 - 2 * ((target - language.first_target) % 2)
    assert (other != target).all()
    assert language.share_right(other, target) == 1
    assert language.share_right((target - language.first_target + 2) % 8 + language.first_target, target) == 0
    for special in (0, 1, 2):
        assert language.share_right(torch.full_like(target, special), target) == 0
    assert language.share_right(source, target) == 0


def test_whoever_does_not_know_the_source_is_right_by_chance(language):
    _, target = language.sample(20_000, 3, generator(1))
    guess = language.sample(20_000, 3, generator(2))[1]
    assert language.share_right(guess, target) == pytest.approx(1 / 4, abs=0.01)


def test_the_floor_is_the_entropy_of_the_target_given_the_source(language):
    length = 3
    translations = list(itertools.product(range(language.synonyms), repeat=length))
    entropy = math.log(len(translations))  # all are equally likely, and </s> is certain
    assert language.floor(length) == pytest.approx(entropy / (length + 1))


def test_only_the_unmasked_decoder_sees_what_comes_later(language):
    config = TransformerConfig.tiny(language.vocab_size)
    src, target = language.sample(2, 5, generator(3))
    given = toy_dictionary.with_start(target, config.bos_id)
    assert given[:, 0].tolist() == [1, 1] and torch.equal(given[:, 1:], target)
    changed = given.clone()
    changed[:, 4] = language.first_target + (changed[:, 4] - language.first_target + 1) % 8
    for kind, sees in ((Transformer, False), (toy_dictionary.UnmaskedTransformer, True)):
        torch.manual_seed(0)
        model = kind(config).eval()
        memory = model.encode(src)
        before, after = model.decode(given, memory)[:, :4], model.decode(changed, memory)[:, :4]
        assert torch.equal(before, after) != sees


def test_for_a_masked_decoder_the_whole_target_is_worth_no_more_than_the_prefix():
    language = toy_dictionary.Dictionary(words=4, synonyms=2, generator=generator())
    torch.manual_seed(0)
    model = Transformer(TransformerConfig.tiny(language.vocab_size)).eval()
    found = experiment.examine(model, language, 5, SHORT | {"held_out": 100})
    assert found["whole_target"] == found["mask_put_on"] == found["prefix_only"]
    assert all(0 <= share <= 1 for share in found.values())


def test_a_run_reports_every_arm_and_repeats_itself():
    first, second = experiment.run_seed(0, SHORT), experiment.run_seed(0, SHORT)
    assert first == second != experiment.run_seed(1, SHORT)
    assert first["tokens"] == 2 * 4 * 2 * (3 + 1)
    for arm in ("masked", "unmasked"):
        assert len(first[f"{arm}_4_curve"]) == 2
        assert {f"{arm}_4_{what}" for what in ("loss", "whole_target", "mask_put_on", "prefix_only", "alone")} <= set(
            first
        )
    assert first["chance_4"] == 1 / 4


def test_training_changes_no_global_state():
    with unchanged_state():
        experiment.run_seed(0, SHORT)
