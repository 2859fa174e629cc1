"""The table of the families says what the models do, and the sizes of GPT are those that the papers report."""

import pytest
import torch

from attention_book.experiments.beyond import one_stack_or_two
from attention_book.experiments.little_language_study import encoded, examined_pairs
from attention_book.little_language.language import word_vocabulary
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.beyond import three_families as study


def test_the_table_says_what_the_masks_allow():
    rows = [row[1:] for row in study.rows()]
    assert all(len(row) == len(study.HEADER) for row in study.rows())
    assert rows[0] == ("all", "all", "the tokens so far (with a prefix mask: all)")
    assert rows[1] == ("–", "nothing", "nothing")
    assert rows[2] == ("–", "all", "all") and rows[3] == ("–", "the tokens so far", "the tokens so far")
    assert rows[4] == ("12 d²", "12 d² and 16 d²", "12 d²")


def test_a_block_is_told_by_its_derivatives():
    whole, part = slice(0, 3), slice(3, None)
    flow = torch.zeros(3, 3)
    assert study.told_block(flow, whole, whole) == "nothing" and study.told_block(flow, part, whole) == "–"
    assert study.told_block(flow + 1, whole, whole) == "all"
    assert study.told_block((flow + 1).tril(), whole, whole) == "the tokens so far"
    assert study.told_block((flow + 1).triu(), whole, whole) == "some"


def test_the_work_of_a_pair_by_hand():
    model = Transformer(TransformerConfig.tiny(50, d_model=8, n_heads=2, d_ff=32, n_layers=1))
    source, target = 5, 3
    by_hand = 12 * 64 * source + 12 * 64 * target + 2 * 64 * target + 2 * 64 * source
    assert study.multiply_adds(model, source, target) == by_hand


def test_the_sizes_are_those_that_the_papers_report():
    found = {row[0]: float(row[-1].split()[0].replace(",", "")) for row in study.gpt_rows()}
    reported = {"GPT, 2018": 117, "GPT-2, 2019": 1542, "GPT-3, 2020": 175_000}
    assert found == pytest.approx(reported, rel=0.011)
    assert [row[1] for row in study.gpt_rows()] == ["12", "48", "96"]
    assert study.numbers()["gpt3_matrices"] == pytest.approx(173.9, abs=0.1)  # billions: the embeddings come on top


def test_the_stacks_of_the_experiment_are_equal():
    numbers = study.numbers()
    assert numbers["stacks_weights"] == numbers["stream_weights"] == 84
    assert numbers["work_seven"] == 2 and study.work_per_token() == {2: "42 d²", 1: "84 d²"}


@pytest.mark.parametrize(("source", "target"), [(1, 1), (2, 2), (8, 8), (5, 3)])
def test_even_weights_give_the_source_its_part_of_the_keys(source, target):
    by_hand = sum(source / (source + row) for row in range(1, target + 1)) / target
    assert study.even_share(source, target) == pytest.approx(by_hand)


def test_the_examined_sentences_are_about_as_long_as_the_page_says():
    (pairs,) = examined_pairs(0, [], one_stack_or_two.CONFIGURATION).values()
    ids = encoded(pairs, word_vocabulary("es"))
    means = [1 + sum(len(side) for side in sides) / len(pairs) for sides in zip(*ids, strict=True)]
    assert means == pytest.approx([study.EVEN_LENGTH] * 2, abs=0.6)
